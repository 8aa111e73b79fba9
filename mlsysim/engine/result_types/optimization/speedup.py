"""Results of the scenarios about speedup."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Real, Time

__all__ = ["AmdahlResult"]


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
        undefined="the new path takes no time: an infinite speedup with no untouched time",
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
