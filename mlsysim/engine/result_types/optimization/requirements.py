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
        "values that make up an image: pixels times channels",
        formula="dataset.image_width * dataset.image_height * dataset.image_channels",
    )
    log10_inputs: Real = Output(
        "exponent of ten that gives the number of different images", formula="elements * log10(levels)"
    )
    digits: Integer = Output("how many digits the number of images has, written out", formula="floor(log10_inputs) + 1")
    test_examples: Integer = Output(
        "images that are checked, which are those of the validation split", formula="dataset.validation_examples"
    )


class IterationBudgetResult(Result):
    """Slow cycles against fast cycles in one development window."""

    slow_runs: Real = Output(
        "how many runs the slow team has, a last unfinished one in part", formula="window / slow_cycle"
    )
    slow_final: Real = Output(
        "where the slow team stands after the window, accuracy in percent",
        formula="min(slow_start + slow_runs * slow_gain, ceiling)",
    )
    fast_possible_runs: Real = Output(
        "how many runs the fast team could start, a last unfinished one in part", formula="window / fast_cycle"
    )
    fast_uncapped: Real = Output(
        "where the fast team would end if nothing stopped it, in percent; more than 100 is possible",
        formula="fast_start + fast_effective_runs * fast_gain",
    )
    fast_final: Real = Output(
        "where the fast team stands after the window, accuracy in percent", formula="min(fast_uncapped, ceiling)"
    )
    ideas_ratio: Real = Output(
        "how many runs of the fast team count for each run of the slow one", formula="fast_effective_runs / slow_runs"
    )
    final_gap: Real = Output(
        "how far apart the teams end, in percentage points, whoever leads", formula="abs(fast_final - slow_final)"
    )


class LateConstraintResult(Result):
    """A deployment limit that surfaces late."""

    overrun_ratio: Real = Output(
        "how many budgets the model takes; more than 1 is too much", formula="model_memory / memory_budget"
    )
    work_discarded: Time = Output(
        "calendar time from the request to giving up", unit="day", formula="(discard_day - request_day) * 86400"
    )
    repair_elapsed: Time = Output(
        "how long all tasks take one after another", unit="day", formula="sum(values(repair_tasks))"
    )


class ScreeningRequirementsResult(Result):
    """Release floors of a screening model."""

    power_low: Power | None = Output(
        "least that the device is rated to draw",
        unit="W",
        formula="device.tdp_min",
        defined_if="device.tdp_min is not None",
        undefined="the device states no lower end of its power range",
    )
    power_high: Power | None = Output(
        "most that the device is rated to draw",
        unit="W",
        formula="device.tdp_max",
        defined_if="device.tdp_max is not None",
        undefined="the device states no upper end of its power range",
    )
    passes: dict[Text, Flag] = Output(
        "for each slice, whether it reaches the floor",
        formula="{name: reached >= sensitivity_floor for name, reached in items(slice_sensitivity)}",
    )
    failing_slices: list[Text] = Output(
        "slices below the floor, in the order they were given",
        formula="[name for name, passed in items(passes) if not passed]",
    )
