"""Results of the scenarios about speedup."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import DataRate, Real, Time

__all__ = [
    "AcceleratedFractionResult",
    "AmdahlResult",
    "IronLawResult",
    "PeakRatioRangeResult",
    "PipelineSpeedupResult",
    "SpeedupCompositionResult",
]


class AcceleratedFractionResult(Result):
    """Speedup when part of the time moves to a faster path."""

    gain: Real = Output(
        "accelerated rate in multiples of the baseline rate", formula="accelerated_rate / baseline_rate"
    )
    speedup: Real = Output("time of the job before over time after", formula="1 / ((1 - fraction) + fraction / gain)")
    ceiling: Real | None = Output(
        "what the speedup approaches for ever faster paths",
        formula="1 / (1 - fraction)",
        defined_if="fraction < 1",
        undefined="with a fraction of 1 no time stays behind that would limit the speedup",
    )


class AmdahlResult(Result):
    """Amdahl's law on a request path."""

    total_time: Time = Output("what a request takes as it is", unit="ms", formula="sum(values(stages))")
    stage_time: Time = Output("what the chosen stage takes as it is", unit="ms", formula="stages[stage]")
    untouched_time: Time = Output(
        "what the other stages take, before and after",
        unit="ms",
        formula="sum([stages[s] for s in keys(stages) if s != stage])",
    )
    stage_fraction: Real = Output(
        "how much of a request the chosen stage takes up as it is", formula="stage_time / total_time"
    )
    upgraded_stage_time: Time = Output(
        "what the chosen stage takes once it is faster", unit="ms", formula="stage_time / speedup"
    )
    upgraded_total_time: Time = Output(
        "what a request takes once the stage is faster", unit="ms", formula="untouched_time + upgraded_stage_time"
    )
    overall_speedup: Real | None = Output(
        "time of a request as it is over its time with the faster stage",
        formula="total_time / upgraded_total_time",
        defined_if="upgraded_total_time > 0",
        undefined={
            "1 / speedup == 0": "an infinite speedup leaves no time, where there is no other stage that takes any",
            "1 / speedup > 0": "the new path takes less time than a double can hold",
        },
    )
    end_to_end_reduction: Real = Output(
        "how much shorter a request gets, as a share; below zero where it gets longer",
        formula="1 - upgraded_total_time / total_time",
    )
    stage_reduction: Real = Output(
        "how much shorter the stage gets, as a share; below zero where it gets longer", formula="1 - 1 / speedup"
    )
    speedup_bound: Real | None = Output(
        "what overall_speedup cannot pass for any speedup of this stage",
        formula="total_time / untouched_time",
        defined_if="untouched_time > 0",
        undefined="untouched_time is 0, so that nothing bounds the speedup",
    )


class IronLawResult(Result):
    """Memory, compute and overhead of a task, and what an upgrade changes."""

    memory_time: Time = Output(
        "what moving the data takes as it is",
        unit="ms",
        formula="memory_time_stated if memory_time_stated is not None else data_volume / bandwidth",
    )
    compute_time: Time = Output(
        "what the arithmetic takes as it is",
        unit="ms",
        formula="compute_time_stated if compute_time_stated is not None else operations / effective_rate",
    )
    sequential_time: Time = Output(
        "what the task takes as it is, one thing after the other",
        unit="ms",
        formula="memory_time + compute_time + overhead",
    )
    overlapped_time: Time = Output(
        "what the task takes as it is, if data move while arithmetic goes on",
        unit="ms",
        formula="max(memory_time, compute_time) + overhead",
    )
    upgraded_bandwidth: DataRate | None = Output(
        "bandwidth with the memory speedup applied",
        unit="GB/s",
        formula="bandwidth * memory_speedup",
        defined_if="bandwidth is not None",
        undefined="no bandwidth is given, only what moving the data takes",
    )
    upgraded_memory_time: Time = Output(
        "what moving the data takes once it is faster", unit="ms", formula="memory_time / memory_speedup"
    )
    upgraded_compute_time: Time = Output(
        "what the arithmetic takes once it is faster", unit="ms", formula="compute_time / compute_speedup"
    )
    upgraded_sequential_time: Time = Output(
        "what the upgraded task takes, one thing after the other",
        unit="ms",
        formula="upgraded_memory_time + upgraded_compute_time + overhead",
    )
    upgraded_overlapped_time: Time = Output(
        "what the upgraded task takes, if data move while arithmetic goes on",
        unit="ms",
        formula="max(upgraded_memory_time, upgraded_compute_time) + overhead",
    )
    naive_upgraded_time: Time = Output(
        "time that one hopes for who multiplies both speedups; a mistake, here to be compared",
        unit="ms",
        formula="sequential_time / (memory_speedup * compute_speedup)",
    )
    sequential_reduction: Real = Output(
        "how much shorter the task gets without overlap, as a share; below zero where it gets longer",
        formula="1 - upgraded_sequential_time / sequential_time",
    )


class PeakRatioRangeResult(Result):
    """A peak rate against a baseline known only as a range."""

    ratio_low: Real = Output(
        "how many times higher the peak is than the most the baseline may be", formula="rate / baseline_high"
    )
    ratio_high: Real = Output(
        "how many times higher the peak is than the least the baseline may be", formula="rate / baseline_low"
    )


class PipelineSpeedupResult(Result):
    """Speeding up one stage of a serial path."""

    total: Time = Output("what the path takes as it is", unit="ms", formula="sum(values(stages))")
    fraction: Real = Output("how much of the path the stage takes up as it is", formula="stages[accelerated] / total")
    accelerated_stage: Time = Output(
        "what the stage takes once it is faster", unit="ms", formula="stages[accelerated] / speedup"
    )
    accelerated_total: Time = Output(
        "what the path takes once the stage is faster",
        unit="ms",
        formula="sum([stages[s] for s in keys(stages) if s != accelerated]) + accelerated_stage",
    )
    overall_speedup: Real = Output(
        "time of the path as it is over its time with the faster stage", formula="total / accelerated_total"
    )
    limit: Real | None = Output(
        "what overall_speedup would be with the stage gone",
        formula="total / sum([stages[s] for s in keys(stages) if s != accelerated])",
        defined_if="sum([stages[s] for s in keys(stages) if s != accelerated]) > 0",
        undefined="there is no other stage that takes time",
    )
    group_time: Time | None = Output(
        "what the stages of the group take together, as they are",
        unit="ms",
        formula="sum([stages[s] for s in group])",
        defined_if="group is not None",
        undefined="no group is given",
    )
    group_share: Real | None = Output(
        "how much of the path the group takes up, as it is",
        formula="group_time / total",
        defined_if="group is not None",
        undefined="no group is given",
    )
    overlapped_share: Real | None = Output(
        "share of the time in which the stage, at its original time, is busy while feeders run beside it",
        formula="stages[accelerated] / max(stages[accelerated], sum([stages[s] for s in feeders]))",
        defined_if="feeders is not None and max(stages[accelerated], sum([stages[s] for s in feeders])) > 0",
        undefined={
            "feeders is None": "no feeders are given",
            "feeders is not None": "the stage and its feeders all take no time",
        },
    )


class SpeedupCompositionResult(Result):
    """Multiplied paper speedups against a measurement."""

    paper: Real = Output("gain if all reported ones multiplied", formula="prod(values(factors))")
    realized_share: Real = Output(
        "gain seen over that of all factors multiplied; more than 1 where techniques support each other",
        formula="measured / paper",
    )
