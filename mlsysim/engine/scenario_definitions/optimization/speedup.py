"""Scenarios about what a local speedup is worth to the whole."""

import math
from collections.abc import Iterator
from typing import Annotated

from mlsysim.engine.arithmetic import defined, maximum
from mlsysim.engine.bibliography import (
    AMDAHL_1967,
    BLALOCK_2020,
    HENNESSY_PATTERSON,
    HILL_MARTY_2008,
    LEE_2010,
    WILLIAMS_2009,
)
from mlsysim.engine.result_types.optimization.speedup import (
    AcceleratedFractionResult,
    AmdahlResult,
    IronLawResult,
    PeakRatioRangeResult,
    PipelineSpeedupResult,
    SpeedupCompositionResult,
)
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import Warning, any_of, sparse_rates
from mlsysim.fields import (
    AnyRate,
    Data,
    DataRate,
    NonNegative,
    OneOf,
    OperationRate,
    Operations,
    Positive,
    Real,
    RealOrInfinity,
    Share,
    Text,
    Time,
)

__all__ = [
    "AcceleratedFractionScenario",
    "AmdahlScenario",
    "IronLawScenario",
    "PeakRatioRangeScenario",
    "PipelineSpeedupScenario",
    "SpeedupCompositionScenario",
]


class AcceleratedFractionScenario(Scenario[AcceleratedFractionResult]):
    """How much faster does a job get when a share of its time moves from one path to a faster one?

    Amdahl's law, where what moves gets faster by the rate of its new path over that of its old one. Assumes that this
    share runs at the ratio of the rates, that the rest keeps its time and that nothing overlaps. It stops being valid
    where another resource limits the moved work: then the ratio of that resource is the gain.

    Source: Amdahl (1967); as 1 / ((1 - f) + f / s) in Hill and Marty (2008), section "Amdahl's law".

    >>> move = AcceleratedFractionScenario(
    ...     fraction=0.9, accelerated_rate="4 TFLOP/s", baseline_rate="1 TFLOP/s").evaluate()
    >>> f"{move.speedup:.2f} times faster, {move.ceiling:.0f} at most"
    '3.08 times faster, 10 at most'
    """

    title = "Speedup when part of the time moves to a faster path"
    sources = (AMDAHL_1967, HILL_MARTY_2008)
    notes = (
        "Pick the rates of what holds the work up: memory bandwidth if tokens are generated at batch 1. The ratio "
        "of peak operation rates is too hopeful there.",
        "Both rates need the same number format, both dense and both peak, or both measured. One vendor figure "
        "with sparsity makes the gain twice what it is.",
        "fraction is a share of the time before the move, not of code or of operations: 80 percent is 0.8.",
        "If the new path is slower and takes any of the work, the speedup is below 1; only the ceiling does not depend "
        "on the gain.",
    )
    rules = (
        Rule(
            "kind(accelerated_rate) == kind(baseline_rate)",
            at="baseline_rate",
            because="both are operation rates, or both are data rates",
        ),
    )

    fraction: Share = Input("how much of the time, before the change, is spent in what moves to the faster path")
    accelerated_rate: Positive[AnyRate] = Input("how fast the path is that work moves to")
    baseline_rate: Positive[AnyRate] = Input("how fast the path is that work moves from")

    def evaluate(self) -> AcceleratedFractionResult:
        gain = self.accelerated_rate / self.baseline_rate
        untouched = 1 - self.fraction
        speedup = 1 / (untouched + self.fraction / gain)
        ceiling = defined(self.fraction < 1, lambda: 1 / untouched)
        return AcceleratedFractionResult(
            gain=gain,
            speedup=speedup,
            ceiling=ceiling,
        )

    def warnings(self, result: AcceleratedFractionResult) -> Iterator[Warning]:
        if any_of(result.gain < 1):
            yield Warning("slowdown", "the new path is slower than the one it replaces")
        if any_of(self.fraction == 0):
            yield Warning("no_gain", "none of the time runs on the accelerated path")
        elif any_of(result.gain == 1):
            yield Warning("no_gain", "the new path is as fast as the one it replaces")
        yield from sparse_rates(accelerated_rate=self.accelerated_rate, baseline_rate=self.baseline_rate)


class AmdahlScenario(Scenario[AmdahlResult]):
    """Stages of a request run one after another: how much faster does it get if one of them does?

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
        "Where only shares are known, write 0.9 s and 0.1 s for 0.9 and 0.1; all ratios hold, and no time does.",
        "Leave out what runs beside the path, such as preprocessing for the next request: these are the stages of "
        "the critical path.",
        "untouched_time adds up the other stages. As total minus stage it could miss exactly 0 by a rounding error.",
    )
    rules = (Rule("sum(values(stages)) > 0", at="stages", because="the path must take some time"),)

    stages: dict[Text, NonNegative[Time]] = Input(
        "how long each stage takes, one after another", unit="ms", min_length=1
    )
    stage: Annotated[Text, OneOf("keys(stages)")] = Input("name of the stage that is made faster")
    speedup: Positive[RealOrInfinity] = Input(
        'how many times faster that stage becomes; "inf" means that it takes no time'
    )

    def evaluate(self) -> AmdahlResult:
        total_time = sum(self.stages.values())
        stage_time = self.stages[self.stage]
        untouched_time = sum((time for stage, time in self.stages.items() if stage != self.stage), start=0.0)
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
        elif any_of(self.speedup == 1):
            yield Warning("no_gain", "a speedup of 1 leaves the stage as it is")


class IronLawScenario(Scenario[IronLawResult]):
    """How long does a task of data movement, arithmetic and fixed overhead take, and what does an upgrade change?

    Adds the three terms up with nothing overlapped, and again with movement and arithmetic overlapped perfectly, before
    and after either term gets faster. A real task overlaps in part and takes a time between these. Assumes that each
    term is sustained at the stated rate throughout; it stops being valid where a task has phases, each bound by a term
    of its own.

    Source: Hennessy and Patterson for time as a sum of terms and what speeding up one of them is worth; Williams et al.
    (2009) for the overlap of movement and arithmetic.

    >>> task = IronLawScenario(
    ...     overhead="5 ms", data_volume="2 GB", bandwidth="100 GB/s",
    ...     compute_time_stated="10 ms", memory_speedup=2).evaluate()
    >>> f"{task.sequential_time * 1e3:.0f} ms become {task.upgraded_sequential_time * 1e3:.0f} ms"
    '35 ms become 25 ms'
    """

    title = "Memory, compute and overhead of a task, and what an upgrade changes"
    sources = (HENNESSY_PATTERSON, WILLIAMS_2009)
    notes = (
        "Use a measured rate for effective_rate; with the peak of a datasheet, above all a sparse one, the "
        "compute term comes out too small.",
        "upgraded_bandwidth is right only if the memory speedup came from bandwidth. If it came from moving fewer "
        "bytes, the bandwidth is what it was.",
        "Do not use naive_upgraded_time as an estimate: it is the mistake of multiplying speedups of two separate "
        "terms, for comparison.",
    )
    rules = (
        Rule(
            "(memory_time_stated is None) != (data_volume is None)",
            at="memory_time_stated",
            because="give either the data movement time, or the data and the bandwidth",
        ),
        Rule(
            "(data_volume is None) == (bandwidth is None)",
            at="bandwidth",
            because="data that move have both a volume and a bandwidth",
        ),
        Rule(
            "(compute_time_stated is None) != (operations is None)",
            at="compute_time_stated",
            because="give either the arithmetic time, or the operations and the rate",
        ),
        Rule(
            "(operations is None) == (effective_rate is None)",
            at="effective_rate",
            because="operations that run have both a number and a rate",
        ),
        Rule(
            "overhead > 0 or (memory_time_stated or data_volume or 0) > 0 "
            "or (compute_time_stated or operations or 0) > 0",
            at="overhead",
            because="the task must take some time",
        ),
    )

    overhead: NonNegative[Time] = Input("time that stays as it is, whatever gets faster", unit="ms")
    memory_time_stated: NonNegative[Time] | None = Input(
        "what moving the data takes, where that is known", unit="ms", default=None
    )
    data_volume: NonNegative[Data] | None = Input("bytes moved", unit="GB", default=None)
    bandwidth: Positive[DataRate] | None = Input("rate at which data are moved in practice", unit="GB/s", default=None)
    compute_time_stated: NonNegative[Time] | None = Input(
        "what the arithmetic takes, where that is known", unit="ms", default=None
    )
    operations: NonNegative[Operations] | None = Input("operations done", unit="GFLOP", default=None)
    effective_rate: Positive[OperationRate] | None = Input(
        "rate at which arithmetic is done in practice, a share of the peak", unit="GFLOP/s", default=None
    )
    memory_speedup: Positive[Real] = Input(
        "what the time to move data is divided by", default=1.0, why="an upgrade leaves alone what is not stated"
    )
    compute_speedup: Positive[Real] = Input(
        "what the time for arithmetic is divided by", default=1.0, why="an upgrade leaves alone what is not stated"
    )

    def evaluate(self) -> IronLawResult:
        memory_time = _time_of(self.memory_time_stated, self.data_volume, self.bandwidth)
        compute_time = _time_of(self.compute_time_stated, self.operations, self.effective_rate)
        sequential_time = memory_time + compute_time + self.overhead
        overlapped_time = maximum(memory_time, compute_time) + self.overhead
        upgraded_bandwidth = None if self.bandwidth is None else self.bandwidth * self.memory_speedup
        upgraded_memory_time = memory_time / self.memory_speedup
        upgraded_compute_time = compute_time / self.compute_speedup
        upgraded_sequential_time = upgraded_memory_time + upgraded_compute_time + self.overhead
        upgraded_overlapped_time = maximum(upgraded_memory_time, upgraded_compute_time) + self.overhead
        naive_upgraded_time = sequential_time / (self.memory_speedup * self.compute_speedup)
        sequential_reduction = 1 - upgraded_sequential_time / sequential_time
        return IronLawResult(
            memory_time=memory_time,
            compute_time=compute_time,
            sequential_time=sequential_time,
            overlapped_time=overlapped_time,
            upgraded_bandwidth=upgraded_bandwidth,
            upgraded_memory_time=upgraded_memory_time,
            upgraded_compute_time=upgraded_compute_time,
            upgraded_sequential_time=upgraded_sequential_time,
            upgraded_overlapped_time=upgraded_overlapped_time,
            naive_upgraded_time=naive_upgraded_time,
            sequential_reduction=sequential_reduction,
        )

    def warnings(self, result: IronLawResult) -> Iterator[Warning]:
        if self.effective_rate is not None:
            yield from sparse_rates(effective_rate=self.effective_rate)
        faster = (self.memory_speedup > 1) | (self.compute_speedup > 1)
        if any_of(result.upgraded_sequential_time > result.sequential_time):
            yield Warning("slowdown", "the task takes longer after the change than before")
        if any_of(faster & (result.upgraded_overlapped_time == result.overlapped_time)):
            yield Warning("no_gain", "with perfect overlap the term that gets faster hides behind the other")
        if any_of(self.overhead > maximum(result.upgraded_memory_time, result.upgraded_compute_time)):
            yield Warning("overhead_dominated", "after the change the overhead is longer than movement and arithmetic")


def _time_of(stated: float | None, amount: float | None, rate: float | None) -> float:
    """The time of a term as stated, or from what it has to do and how fast."""
    if stated is not None:
        return stated
    assert amount is not None
    assert rate is not None
    return amount / rate


class PeakRatioRangeScenario(Scenario[PeakRatioRangeResult]):
    """A baseline is only known to lie between two rates: how many times higher is a given peak?

    Pure ratios of peaks. They say nothing of achieved performance: both sides would have to reach the same share of
    their peaks, on work that arithmetic limits on both.

    Source: Lee et al. (2010), who find claims of 100 times and more to shrink to 2.5 times on average once both sides
    are optimized.

    >>> gpu = PeakRatioRangeScenario(rate="989 TFLOP/s", baseline_low="1 TFLOP/s", baseline_high="2 TFLOP/s")
    >>> gpu.evaluate().ratio_low, gpu.evaluate().ratio_high
    (494.5, 989.0)
    """

    title = "A peak rate against a baseline known only as a range"
    sources = (LEE_2010,)
    notes = (
        "A ratio of peaks means something only within one number format and with sparsity on neither side or on "
        "both; vendors print peaks with sparsity that are twice the dense ones, and some that are four times as "
        "high.",
        "baseline_low must not exceed baseline_high.",
    )
    rules = (Rule("baseline_low <= baseline_high", at="baseline_high"),)

    rate: Positive[OperationRate] = Input("peak that is held against the baseline", unit="TFLOP/s")
    baseline_low: Positive[OperationRate] = Input("least that the baseline may be", unit="TFLOP/s")
    baseline_high: Positive[OperationRate] = Input("most that the baseline may be", unit="TFLOP/s")

    def evaluate(self) -> PeakRatioRangeResult:
        ratio_low = self.rate / self.baseline_high
        ratio_high = self.rate / self.baseline_low
        return PeakRatioRangeResult(
            ratio_low=ratio_low,
            ratio_high=ratio_high,
        )

    def warnings(self, result: PeakRatioRangeResult) -> Iterator[Warning]:
        if any_of(result.ratio_low < 1):
            yield Warning("slowdown", "the peak is below the high estimate of the baseline")
        if any_of(result.ratio_low == 1):
            yield Warning("no_gain", "the peak is no higher than the high estimate of the baseline")
        yield from sparse_rates(rate=self.rate, baseline_low=self.baseline_low, baseline_high=self.baseline_high)


class PipelineSpeedupScenario(Scenario[PipelineSpeedupResult]):
    """What does a faster stage do to a serial path, what does a group of stages take, and is the stage kept busy?

    Amdahl's law on stages that run one after another, the other stages keeping their times. Beside it, the share of a
    group of stages, and the busy share of the stage if others feed it in parallel: they prepare the next request on
    other hardware while the stage works on this one, so that the slower side sets the pace. Assumes steady times and
    unlimited room between feeders and stage.

    Source: Amdahl (1967).

    >>> camera = PipelineSpeedupScenario(
    ...     stages={"isp": "100 ms", "ml": "60 ms", "post": "40 ms"}, accelerated="ml", speedup=10, feeders=["isp"])
    >>> result = camera.evaluate()
    >>> round(result.overall_speedup, 2), result.overlapped_share
    (1.37, 0.6)
    """

    title = "Speeding up one stage of a serial path"
    sources = (AMDAHL_1967,)
    notes = (
        "A name repeated in a group or among the feeders is an error.",
        "Feeders that take no time keep the stage busy throughout: overlapped_share is 1.",
        "The speedup does not reach group_time, group_share and overlapped_share. For the changed path, put the "
        "new time into the stages and set speedup to 1.",
    )
    rules = (
        Rule("sum(values(stages)) > 0", at="stages", because="the path must take some time"),
        Rule(
            "group is None or len({stage: 1 for stage in group}) == len(group)",
            at="group",
            because="a stage counts once",
        ),
        Rule(
            "feeders is None or len({stage: 1 for stage in feeders}) == len(feeders)",
            at="feeders",
            because="a stage counts once",
        ),
        Rule("feeders is None or accelerated not in feeders", at="feeders", because="a stage does not feed itself"),
    )

    stages: dict[Text, NonNegative[Time]] = Input(
        "how long each stage takes, one after another", unit="ms", min_length=1
    )
    accelerated: Annotated[Text, OneOf("keys(stages)")] = Input("name of the stage that is made faster")
    speedup: Positive[Real] = Input(
        "what the time of that stage is divided by; a number below 1 makes it slower",
        default=1.0,
        why="the path as it stands, whose limit says what any speedup could bring",
    )
    group: list[Annotated[Text, OneOf("keys(stages)")]] | None = Input(
        "names of stages whose times are wanted together", default=None, min_length=1
    )
    feeders: list[Annotated[Text, OneOf("keys(stages)")]] | None = Input(
        "stages that run on other hardware beside the accelerated one, one after the other, to prepare its work",
        default=None,
        min_length=1,
    )

    def evaluate(self) -> PipelineSpeedupResult:
        stage_time = self.stages[self.accelerated]
        other_time = sum(time for stage, time in self.stages.items() if stage != self.accelerated)
        total = sum(self.stages.values())
        fraction = stage_time / total
        accelerated_stage = stage_time / self.speedup
        accelerated_total = other_time + accelerated_stage
        overall_speedup = total / accelerated_total
        limit = defined(other_time > 0, lambda: total / other_time)

        group_time = group_share = overlapped_share = None
        if self.group is not None:
            group_time = sum(self.stages[stage] for stage in self.group)
            group_share = group_time / total
        if self.feeders is not None:
            pace = maximum(stage_time, sum(self.stages[stage] for stage in self.feeders))
            overlapped_share = defined(pace > 0, lambda: stage_time / pace)
        return PipelineSpeedupResult(
            total=total,
            fraction=fraction,
            accelerated_stage=accelerated_stage,
            accelerated_total=accelerated_total,
            overall_speedup=overall_speedup,
            limit=limit,
            group_time=group_time,
            group_share=group_share,
            overlapped_share=overlapped_share,
        )

    def warnings(self, result: PipelineSpeedupResult) -> Iterator[Warning]:
        if any_of(self.speedup < 1):
            yield Warning("slowdown", "a speedup below 1 makes the stage slower")
        if any_of(result.fraction == 0):
            yield Warning("no_gain", "the stage takes no time, so that a faster one changes nothing")


# A product of factors may differ from a measurement in its last bits.
_PROMISED = 1 + 1e-9


class SpeedupCompositionScenario(Scenario[SpeedupCompositionResult]):
    """How much of the speedup that separately reported factors promise together does a measurement deliver?

    The product of the factors against the speedup measured with all techniques combined. Multiplying assumes that no
    technique touches the bottleneck of another and that every one speeds up the whole program, which seldom holds.

    Source: Blalock et al. (2020) on speedups reported apart and on unlike footings; Amdahl (1967) for what is left over
    by each factor and limits the next.

    >>> both = SpeedupCompositionScenario(factors={"pruning": 2, "quantization": 4}, measured=1.5).evaluate()
    >>> both.paper, both.realized_share
    (8.0, 0.1875)
    """

    title = "Multiplied paper speedups against a measurement"
    sources = (BLALOCK_2020, AMDAHL_1967)
    notes = (
        "Twice as fast is a factor of 2, whatever percentage that saves.",
        "Measured 1.5 of a product of 8 looks better as realized_share than it is as a part of the gain, (1.5 - "
        "1) / (8 - 1).",
    )

    factors: dict[Text, Positive[Real]] = Input("gain that each technique is reported to bring by itself", min_length=1)
    measured: Positive[Real] = Input("gain seen with all techniques at once")

    def evaluate(self) -> SpeedupCompositionResult:
        paper = math.prod(self.factors.values())
        realized_share = self.measured / paper
        return SpeedupCompositionResult(
            paper=paper,
            realized_share=realized_share,
        )

    def warnings(self, result: SpeedupCompositionResult) -> Iterator[Warning]:
        if any_of(self.measured < 1):
            yield Warning("slowdown", "all techniques together make it slower")
        if any_of(self.measured > _PROMISED * result.paper):
            yield Warning("gain_unexplained", "together the techniques bring more than all of them promise")
        if any_of(self.measured == 1):
            yield Warning("no_gain", "all techniques together leave the speed as it was")
        best = maximum(self.factors.values())
        if len(self.factors) > 1 and any_of((self.measured > 1) & (self.measured <= best)):
            yield Warning(
                "gain_falls_short",
                "together the techniques bring no more than the best of them is said to bring alone",
            )
