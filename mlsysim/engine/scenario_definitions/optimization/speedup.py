"""Scenarios about what a local speedup is worth to the whole."""

from collections.abc import Iterator
from typing import Annotated

from mlsysim.engine.arithmetic import defined
from mlsysim.engine.bibliography import AMDAHL_1967, HILL_MARTY_2008
from mlsysim.engine.result_types.optimization.speedup import AmdahlResult
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import Warning, any_of
from mlsysim.fields import NonNegative, OneOf, Positive, RealOrInfinity, Text, Time

__all__ = ["AmdahlScenario"]


class AmdahlScenario(Scenario[AmdahlResult]):
    """What does a faster stage do to a request whose stages run one after the other?

    Amdahl's law with times in place of fractions: the chosen stage takes its time over the speedup, the others keep
    theirs. Assumes that nothing overlaps; where stages do, only those on the critical path belong in it.

    Source: Amdahl (1967); as 1 / ((1 - f) + f / s) in Hill and Marty (2008), section "Amdahl's law".

    >>> path = AmdahlScenario(stages={"model": "45 ms", "rest": "85 ms"}, stage="model", speedup=3)
    >>> round(path.evaluate().overall_speedup, 3)
    1.3
    """

    title = "Amdahl's law on a request path"
    sources = (AMDAHL_1967, HILL_MARTY_2008)
    notes = (
        "Shares may stand in for times (0.9 s and 0.1 s): the ratios are right, the times then mean nothing.",
        "Stages that overlap, such as preprocessing of the next request, do not belong in one path; "
        "use the critical path.",
        "The untouched time is summed over the other stages, not taken as total minus stage, so that it is exactly 0 "
        "when it should be.",
    )
    rules = (Rule("sum(values(stages)) > 0", at="stages", because="the path must take some time"),)

    stages: dict[Text, NonNegative[Time]] = Input("time of each sequential stage", unit="ms", min_length=1)
    stage: Annotated[Text, OneOf("keys(stages)")] = Input("the stage that gets faster")
    speedup: Positive[RealOrInfinity] = Input(
        'how many times faster that stage becomes; "inf" means that it takes no time'
    )

    def evaluate(self) -> AmdahlResult:
        total_time = sum(self.stages.values())
        stage_time = self.stages[self.stage]
        untouched_time = sum(time for stage, time in self.stages.items() if stage != self.stage)
        stage_fraction = stage_time / total_time
        upgraded_stage_time = stage_time / self.speedup
        upgraded_total_time = untouched_time + upgraded_stage_time
        overall_speedup = defined(upgraded_total_time > 0, lambda: total_time / upgraded_total_time)
        end_to_end_reduction = 1 - upgraded_total_time / total_time
        stage_reduction = 1 - 1 / self.speedup
        speedup_bound = defined(untouched_time > 0, lambda: total_time / untouched_time)
        return AmdahlResult(
            total_time=total_time,
            stage_time=stage_time,
            untouched_time=untouched_time,
            stage_fraction=stage_fraction,
            upgraded_stage_time=upgraded_stage_time,
            upgraded_total_time=upgraded_total_time,
            overall_speedup=overall_speedup,
            end_to_end_reduction=end_to_end_reduction,
            stage_reduction=stage_reduction,
            speedup_bound=speedup_bound,
        )

    def warnings(self, result: AmdahlResult) -> Iterator[Warning]:
        if any_of(self.speedup < 1):
            yield Warning("slowdown", "a speedup below 1 makes the stage slower")
        if any_of(result.stage_time == 0):
            yield Warning("no_gain", "the stage takes no time, so that a faster one changes nothing")
