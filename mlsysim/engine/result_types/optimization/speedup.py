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

    gain: Real = Output("how many times faster the accelerated part runs", formula="accelerated_rate / baseline_rate")
    speedup: Real = Output("how many times faster the whole job runs", formula="1 / ((1 - fraction) + fraction / gain)")
    ceiling: Real | None = Output(
        "speedup the job tends to as the gain grows without limit",
        formula="1 / (1 - fraction)",
        defined_if="fraction < 1",
        undefined="all of the time moves (fraction = 1) and nothing is left to limit the speedup",
    )


class AmdahlResult(Result):
    """Amdahl's law on a request path."""

    total_time: Time = Output("time of the whole path before the change", unit="ms", formula="sum(values(stages))")
    stage_time: Time = Output("time of the chosen stage before the change", unit="ms", formula="stages[stage]")
    untouched_time: Time = Output(
        "time of all other stages", unit="ms", formula="sum([stages[s] for s in keys(stages) if s != stage])"
    )
    stage_fraction: Real = Output("share of the path spent in the chosen stage", formula="stage_time / total_time")
    upgraded_stage_time: Time = Output(
        "time of the chosen stage after the change", unit="ms", formula="stage_time / speedup"
    )
    upgraded_total_time: Time = Output(
        "time of the whole path after the change", unit="ms", formula="untouched_time + upgraded_stage_time"
    )
    overall_speedup: Real | None = Output(
        "how many times faster the whole path gets",
        formula="total_time / upgraded_total_time",
        defined_if="upgraded_total_time > 0",
        undefined={
            "1 / speedup == 0": "the new path takes no time: an infinite speedup with no untouched time",
            "1 / speedup > 0": "the new path takes less time than a double can hold",
        },
    )
    end_to_end_reduction: Real = Output(
        "share of the path's time that goes away; negative for a slowdown",
        formula="1 - upgraded_total_time / total_time",
    )
    stage_reduction: Real = Output(
        "share of the stage's time that goes away; negative for a slowdown", formula="1 - 1 / speedup"
    )
    speedup_bound: Real | None = Output(
        "largest speedup of the path, however fast the stage gets",
        formula="total_time / untouched_time",
        defined_if="untouched_time > 0",
        undefined="no time is left untouched (untouched_time = 0)",
    )


class IronLawResult(Result):
    """Memory, compute and overhead of a task, and what an upgrade changes."""

    memory_time: Time = Output(
        "data movement time before the upgrade",
        unit="ms",
        formula="memory_time_stated if memory_time_stated is not None else data_volume / bandwidth",
    )
    compute_time: Time = Output(
        "arithmetic time before the upgrade",
        unit="ms",
        formula="compute_time_stated if compute_time_stated is not None else operations / effective_rate",
    )
    sequential_time: Time = Output(
        "time with nothing overlapped", unit="ms", formula="memory_time + compute_time + overhead"
    )
    overlapped_time: Time = Output(
        "time with movement and arithmetic overlapped perfectly",
        unit="ms",
        formula="max(memory_time, compute_time) + overhead",
    )
    upgraded_bandwidth: DataRate | None = Output(
        "bandwidth after the upgrade",
        unit="GB/s",
        formula="bandwidth * memory_speedup",
        defined_if="bandwidth is not None",
        undefined="the memory term is stated as a time",
    )
    upgraded_memory_time: Time = Output(
        "data movement time after the upgrade", unit="ms", formula="memory_time / memory_speedup"
    )
    upgraded_compute_time: Time = Output(
        "arithmetic time after the upgrade", unit="ms", formula="compute_time / compute_speedup"
    )
    upgraded_sequential_time: Time = Output(
        "time after the upgrade with nothing overlapped",
        unit="ms",
        formula="upgraded_memory_time + upgraded_compute_time + overhead",
    )
    upgraded_overlapped_time: Time = Output(
        "time after the upgrade with perfect overlap",
        unit="ms",
        formula="max(upgraded_memory_time, upgraded_compute_time) + overhead",
    )
    naive_upgraded_time: Time = Output(
        "time that one hopes for who multiplies both speedups; a mistake, here to be compared",
        unit="ms",
        formula="sequential_time / (memory_speedup * compute_speedup)",
    )
    sequential_reduction: Real = Output(
        "share of the sequential time that goes away; negative for a slowdown",
        formula="1 - upgraded_sequential_time / sequential_time",
    )


class PeakRatioRangeResult(Result):
    """A peak rate against a baseline known only as a range."""

    ratio_low: Real = Output("smallest advantage, against the high estimate", formula="rate / baseline_high")
    ratio_high: Real = Output("largest advantage, against the low estimate", formula="rate / baseline_low")


class PipelineSpeedupResult(Result):
    """Speeding up one stage of a serial path."""

    total: Time = Output("time of the path as it is", unit="ms", formula="sum(values(stages))")
    fraction: Real = Output("part of the path spent in the stage", formula="stages[accelerated] / total")
    accelerated_stage: Time = Output(
        "time of the stage after the change", unit="ms", formula="stages[accelerated] / speedup"
    )
    accelerated_total: Time = Output(
        "time of the path after the change",
        unit="ms",
        formula="sum([stages[s] for s in keys(stages) if s != accelerated]) + accelerated_stage",
    )
    overall_speedup: Real = Output("how many times faster the path becomes", formula="total / accelerated_total")
    limit: Real | None = Output(
        "speedup if the stage took no time at all",
        formula="total / sum([stages[s] for s in keys(stages) if s != accelerated])",
        defined_if="sum([stages[s] for s in keys(stages) if s != accelerated]) > 0",
        undefined="the other stages take no time",
    )
    group_time: Time | None = Output(
        "time of the listed stages, before the change",
        unit="ms",
        formula="sum([stages[s] for s in group])",
        defined_if="group is not None",
        undefined="no group is given",
    )
    group_share: Real | None = Output(
        "their part of the path, before the change",
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

    paper: Real = Output("product of the reported speedups", formula="prod(values(factors))")
    realized_share: Real = Output(
        "measured speedup over that product; above 1 when techniques help each other", formula="measured / paper"
    )
