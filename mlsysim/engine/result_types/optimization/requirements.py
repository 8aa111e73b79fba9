"""Results of the scenarios about requirements."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Flag, Integer, Power, Real, Text, Time

__all__ = [
    "InputSpaceResult",
    "IterationBudgetResult",
    "LateConstraintResult",
    "ScreeningRequirementsResult",
]


class InputSpaceResult(Result):
    """Size of an image model's input space against its test set."""

    elements: Integer = Output(
        "channel elements in one image",
        formula="dataset.image_width * dataset.image_height * dataset.image_channels",
    )
    log10_inputs: Real = Output(
        "how many different inputs there are, as a power of ten", formula="elements * log10(levels)"
    )
    digits: Integer = Output("decimal digits of that number", formula="floor(log10_inputs) + 1")
    test_examples: Integer = Output(
        "labeled examples the benchmark checks (the validation split)", formula="dataset.validation_examples"
    )


class IterationBudgetResult(Result):
    """Slow cycles against fast cycles in one development window."""

    slow_runs: Real = Output("slow runs in the window, not rounded", formula="window / slow_cycle")
    slow_final: Real = Output(
        "accuracy the slow team ends at, in percent", formula="min(slow_start + slow_runs * slow_gain, ceiling)"
    )
    fast_possible_runs: Real = Output("fast runs that fit in the window, not rounded", formula="window / fast_cycle")
    fast_uncapped: Real = Output(
        "accuracy the fast team would reach without a ceiling, in percent; can pass 100",
        formula="fast_start + fast_effective_runs * fast_gain",
    )
    fast_final: Real = Output("accuracy the fast team ends at, in percent", formula="min(fast_uncapped, ceiling)")
    ideas_ratio: Real = Output("counted fast runs per slow run", formula="fast_effective_runs / slow_runs")
    final_gap: Real = Output(
        "distance of the two results in percentage points, without sign", formula="abs(fast_final - slow_final)"
    )


class LateConstraintResult(Result):
    """A deployment limit that surfaces late."""

    overrun_ratio: Real = Output(
        "memory needed over memory allowed; above 1 it does not fit", formula="model_memory / memory_budget"
    )
    work_discarded: Time = Output(
        "elapsed time between request and drop", unit="day", formula="(discard_day - request_day) * 86400"
    )
    repair_elapsed: Time = Output("time of the whole repair", unit="day", formula="sum(values(repair_tasks))")


class ScreeningRequirementsResult(Result):
    """Release floors of a screening model."""

    power_low: Power | None = Output(
        "lower end of the device's power range",
        unit="W",
        formula="device.tdp_min",
        defined_if="device.tdp_min is not None",
        undefined="the device states no lower end of its power range",
    )
    power_high: Power | None = Output(
        "upper end of the device's power range",
        unit="W",
        formula="device.tdp_max",
        defined_if="device.tdp_max is not None",
        undefined="the device states no upper end of its power range",
    )
    passes: dict[Text, Flag] = Output(
        "whether each slice meets the floor",
        formula="{name: reached >= sensitivity_floor for name, reached in items(slice_sensitivity)}",
    )
    failing_slices: list[Text] = Output(
        "slices below the floor, in the order they were given",
        formula="[name for name, passed in items(passes) if not passed]",
    )
