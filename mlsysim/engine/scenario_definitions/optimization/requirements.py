"""Scenarios about bringing a model to release: what it has to meet, and what the way there costs."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import StringConstraints

from mlsysim.catalog import AnyDataset, AnyHardware
from mlsysim.engine.arithmetic import digits_of_power, log10, minimum
from mlsysim.engine.bibliography import (
    ABRAMOFF_2018,
    AMERSHI_2019,
    BOEHM_1981,
    DENG_2009,
    GULSHAN_2016,
    OAKDEN_RAYNER_2020,
    RUSSAKOVSKY_2015,
)
from mlsysim.engine.result_types.optimization.requirements import (
    InputSpaceResult,
    IterationBudgetResult,
    LateConstraintResult,
    ScreeningRequirementsResult,
)
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import Warning, any_of
from mlsysim.fields import Bound, Data, Integer, Needs, NonNegative, Percent, Positive, Real, Share, Text, Time
from mlsysim.units.vocabulary import DAY

__all__ = [
    "InputSpaceScenario",
    "IterationBudgetScenario",
    "LateConstraintScenario",
    "ScreeningRequirementsScenario",
]

DayNumber = Annotated[str, StringConstraints(pattern="^(0|[1-9][0-9]{0,8})$")]


_CHANNEL_BITS = (8, 10, 12, 14, 16)  # widths in which cameras and files store a channel
_WIDEST_CHANNEL = 16


class InputSpaceScenario(Scenario[InputSpaceResult]):
    """How many different images of a data set's size are there, beside the number a benchmark checks?

    Every channel element takes any of its levels, so the count is levels to the power of the elements; it is given as a
    power of ten, for it fits no double. Almost every one of them looks like noise. So the number says that testing them
    all is out of the question, and not how many natural images there are, which are far fewer.

    Source: Russakovsky et al. (2015), table 2, for the images of each split; Deng et al. (2009) for the collection they
    come from.

    >>> space = InputSpaceScenario(dataset="ImageNet", levels=256).evaluate()
    >>> f"a number of {space.digits:,} digits beside {space.test_examples:,} examples"
    'a number of 362,508 digits beside 50,000 examples'
    """

    title = "Size of an image model's input space against its test set"
    sources = (DENG_2009, RUSSAKOVSKY_2015)
    notes = (
        "The number in test_examples is that of the validation split. The entry of ImageNet has a test_examples "
        "too, which is another split: 100,000 images whose labels were never published.",
        "Eight bits per channel are 256 levels. With levels = 8 the space is another one, and much smaller.",
        "The count includes every image of pure noise. It shows that inputs cannot be tested one by one, and not "
        "how many natural images there are.",
        "digits is counted exactly; the formula gives the same unless the number is within rounding of a power of ten.",
    )

    dataset: Annotated[AnyDataset, Needs("image_width", "image_height", "image_channels", "validation_examples")] = (
        Input("images whose size counts, and whose validation split is the test")
    )
    levels: Annotated[Integer, Bound(ge=2)] = Input("how many values a channel of a pixel can have; 8 bits make 256")

    def evaluate(self) -> InputSpaceResult:
        elements = self.dataset.image_width * self.dataset.image_height * self.dataset.image_channels
        log10_inputs = elements * log10(self.levels)
        digits = digits_of_power(self.levels, elements)
        return InputSpaceResult(
            elements=elements,
            log10_inputs=log10_inputs,
            digits=digits,
            test_examples=self.dataset.validation_examples,
        )

    def warnings(self, result: InputSpaceResult) -> Iterator[Warning]:
        if result.test_examples == 0:
            yield Warning("nothing_tested", f"{self.dataset.label} holds no examples back for validation")
        bits = [width for width in _CHANNEL_BITS if any_of(self.levels == width)]
        if bits:
            yield Warning("levels_or_bits", f"levels is {bits[0]}; {bits[0]} bits are {2 ** bits[0]:,} levels")
        if any_of(self.levels > 2**_WIDEST_CHANNEL):
            yield Warning(
                "levels_or_bits", "levels is more than a channel of 16 bits has; is it that of a whole pixel?"
            )


class IterationBudgetScenario(Scenario[IterationBudgetResult]):
    """Who ends up ahead in one development window: the team with slow, large runs or the one with fast, small runs?

    Every run adds a fixed gain until a common ceiling. All slow runs count, and part of a run counts for part of its
    gain; of the fast runs only as many count as people can learn from. The gains are assumptions, and the model stops
    being valid as the ceiling nears, where real gains shrink from run to run.

    Source: Amershi et al. (2019), figure 1, for the loops of the machine-learning workflow; the arithmetic is plain
    counting.

    >>> race = IterationBudgetScenario(
    ...     window="26 week", slow_cycle="1 week", slow_start=95, slow_gain=0.15, fast_cycle="1 h", fast_start=90,
    ...     fast_gain=0.1, fast_effective_runs=100, ceiling=99).evaluate()
    >>> round(race.slow_final, 1), race.fast_final
    (98.9, 99.0)
    """

    title = "Slow cycles against fast cycles in one development window"
    sources = (AMERSHI_2019,)
    notes = (
        "Write 95 for an accuracy and 0.15 for a gain of 0.15 points; 0.95 and 0.0015 would be read as percent.",
        "Each run adds the gain that you state, up to the ceiling. In reality the next gain is smaller the closer "
        "it is.",
        "An unfinished run is credited in proportion. If it is worth nothing to you, choose a window that whole "
        "cycles fill.",
        "Look at slow_final and fast_final to see which is ahead; final_gap does not tell.",
    )
    rules = (
        Rule("slow_start <= ceiling", at="slow_start", because="nobody starts above what nobody can pass"),
        Rule("fast_start <= ceiling", at="fast_start", because="nobody starts above what nobody can pass"),
        Rule(
            "fast_effective_runs <= window / fast_cycle",
            at="fast_effective_runs",
            because="no more runs count than fit in the window",
        ),
    )

    window: Positive[Time] = Input("time in which both teams work", unit="day")
    slow_cycle: Positive[Time] = Input("how long the slow team waits for a result", unit="day")
    slow_start: Percent = Input("where the slow team begins, accuracy in percent")
    slow_gain: NonNegative[Real] = Input("what a run of the slow team adds, in percentage points")
    fast_cycle: Positive[Time] = Input("how long the fast team waits for a result", unit="h")
    fast_start: Percent = Input("where the fast team begins, accuracy in percent")
    fast_gain: NonNegative[Real] = Input("what a run of the fast team adds if it counts, in percentage points")
    fast_effective_runs: NonNegative[Integer] = Input("results that the fast team has time to learn from")
    ceiling: Positive[Percent] = Input("where both teams get stuck at the latest, accuracy in percent")

    def evaluate(self) -> IterationBudgetResult:
        slow_runs = self.window / self.slow_cycle
        slow_final = minimum(self.slow_start + slow_runs * self.slow_gain, self.ceiling)
        fast_possible_runs = self.window / self.fast_cycle
        fast_uncapped = self.fast_start + self.fast_effective_runs * self.fast_gain
        fast_final = minimum(fast_uncapped, self.ceiling)
        ideas_ratio = self.fast_effective_runs / slow_runs
        final_gap = abs(fast_final - slow_final)
        return IterationBudgetResult(
            slow_runs=slow_runs,
            slow_final=slow_final,
            fast_possible_runs=fast_possible_runs,
            fast_uncapped=fast_uncapped,
            fast_final=fast_final,
            ideas_ratio=ideas_ratio,
            final_gap=final_gap,
        )

    def warnings(self, result: IterationBudgetResult) -> Iterator[Warning]:
        if any_of(result.fast_final <= result.slow_final):
            yield Warning("no_gain", "the fast team ends no higher than the slow one")
        if any_of(result.slow_runs < 1):
            yield Warning("deadline_missed", "a slow run takes longer than the window, and a part of it counts anyway")
        accuracies = (self.ceiling, self.slow_start, self.fast_start)
        if any(any_of((accuracy > 0) & (accuracy <= 1)) for accuracy in accuracies):
            yield Warning("percent_or_share", "an accuracy is 1 percent or less; 95 percent is 95, not 0.95")


class LateConstraintScenario(Scenario[LateConstraintResult]):
    """What does a memory limit cost that nobody asked about until the model was handed over?

    Gives the overrun, the days of work that are thrown away, and how long it takes to make good if no task can start
    before the one ahead of it is done. Days are calendar days, and everything since the request counts as wasted; where
    part of the work can be kept, as data and evaluations often can, the waste is smaller.

    Source: Boehm (1981) for a change that costs more the later it comes; Amershi et al. (2019), figure 1, for the
    stages between a requirement and a deployment.

    >>> screener = LateConstraintScenario(
    ...     model_memory="4 GB", memory_budget="500 MB", device_memory_low="4 GB", device_memory_high="8 GB",
    ...     request_day=1, validation_sensitivity={"90": 0.92, "120": 0.94}, handoff_day=150, discovery_day=151,
    ...     check_day=152, discard_day=153, repair_tasks={"train": "4 day", "validate": "2 day"}).evaluate()
    >>> screener.overrun_ratio, screener.work_discarded / 86400, screener.repair_elapsed / 86400
    (8.0, 152.0, 6.0)
    """

    title = "A deployment limit that surfaces late"
    sources = (BOEHM_1981, AMERSHI_2019)
    notes = (
        "The outputs follow from model_memory, memory_budget, request_day, discard_day and repair_tasks. "
        "Everything else tells the story; of it only the order in time is checked, and that device_memory_low is not "
        "above device_memory_high.",
        "work_discarded counts calendar days that went by, whoever worked on them.",
        "memory_budget is the part of the device's memory set aside for the model.",
        "repair_elapsed adds all tasks up, as if none could run beside another; it is the worst case.",
    )
    rules = (
        Rule("device_memory_low <= device_memory_high", at="device_memory_high"),
        Rule("request_day <= handoff_day", at="handoff_day", because="a model follows the request for it"),
        Rule("handoff_day <= discovery_day", at="discovery_day", because="here the limit comes up after the handoff"),
        Rule("discovery_day <= check_day", at="check_day", because="what is confirmed has come up before"),
        Rule("check_day <= discard_day", at="discard_day", because="a model is dropped once the overrun is confirmed"),
    )

    model_memory: Positive[Data] = Input("what the model takes in memory", unit="GB")
    memory_budget: Positive[Data] = Input("what the model may take in memory on the device", unit="MB")
    device_memory_low: Positive[Data] = Input("what the device with the least memory has; for the record", unit="GB")
    device_memory_high: Positive[Data] = Input("what the device with the most memory has; for the record", unit="GB")
    request_day: NonNegative[Integer] = Input("number of the day on which the work was asked for")
    validation_sensitivity: dict[DayNumber, Share] = Input("sensitivity reached by day, by day number; recorded")
    handoff_day: NonNegative[Integer] = Input("number of the day on which others take the model over; for the record")
    discovery_day: NonNegative[Integer] = Input("number of the day on which the limit is found; for the record")
    check_day: NonNegative[Integer] = Input("number of the day on which a check confirms it; for the record")
    discard_day: NonNegative[Integer] = Input("number of the day on which the model is given up")
    repair_tasks: dict[Text, NonNegative[Time]] = Input(
        "what has to be done again, by name and one after another", unit="day"
    )

    def evaluate(self) -> LateConstraintResult:
        overrun_ratio = self.model_memory / self.memory_budget
        work_discarded = (self.discard_day - self.request_day) * float(DAY)  # a double, as any time
        repair_elapsed = sum(self.repair_tasks.values())
        return LateConstraintResult(
            overrun_ratio=overrun_ratio,
            work_discarded=work_discarded,
            repair_elapsed=repair_elapsed,
        )

    def warnings(self, result: LateConstraintResult) -> Iterator[Warning]:
        if any_of(result.overrun_ratio > 1):
            yield Warning("does_not_fit", "the model needs more memory than the device sets aside for it")
        if any_of(self.memory_budget > self.device_memory_low):
            yield Warning("does_not_fit", "the budget itself is larger than the smallest target device")


class ScreeningRequirementsScenario(Scenario[ScreeningRequirementsResult]):
    """On which test slices is a screening model too insensitive for release, and what power may its device draw?

    Every slice is held to the same floor, and one below it is enough to hold a release, however good the average is.
    Sensitivities are taken as exact: for a small slice, work out a confidence interval before you trust the comparison.
    An empty list of failing slices is no release decision, for nothing but sensitivity is tested.

    Source: Abramoff et al. (2018) for floors of sensitivity and specificity set before a trial; Gulshan et al. (2016)
    for operating points that differ by data set; Oakden-Rayner et al. (2020) for slices that an average hides.

    >>> screener = ScreeningRequirementsScenario(
    ...     sensitivity_floor=0.9, specificity_floor=0.8, memory_budget="500 MB", device="JetsonOrinNano",
    ...     slice_sensitivity={"all photographs": 0.94, "cataract patients": 0.76}).evaluate()
    >>> screener.failing_slices, screener.power_high
    (['cataract patients'], 15.0)
    """

    title = "Release floors of a screening model"
    sources = (GULSHAN_2016, ABRAMOFF_2018, OAKDEN_RAYNER_2020)
    notes = (
        "An empty failing_slices does not clear a release: only the sensitivity of slices is checked, and neither "
        "the specificity floor nor the memory budget nor the field operating point enters any output.",
        "Without slices the answer is that no test was made, rather than that all were passed.",
        "Order matters in field_operating_point, specificity before sensitivity, each as a fraction: 0.94 and not 94.",
        "A small slice can miss or meet a floor by chance. Work out its confidence interval, which this does not.",
    )

    sensitivity_floor: Share = Input("least share of the sick that has to be found, in each slice")
    specificity_floor: Share = Input("least share of the healthy that has to be cleared; recorded and not tested")
    memory_budget: Positive[Data] = Input("most memory the model is allowed; recorded and not tested", unit="MB")
    device: AnyHardware = Input("target device, for its power range")
    slice_sensitivity: dict[Text, Share] = Input(
        "share of the sick that was found, by slice of the test",
        default={},
        why="requirements are written before anything is measured",
    )
    field_operating_point: list[Share] | None = Input(
        "operating point seen in the field, specificity and then sensitivity; recorded, not tested",
        default=None,
        min_length=2,
        max_length=2,
    )

    def evaluate(self) -> ScreeningRequirementsResult:
        passes = {name: reached >= self.sensitivity_floor for name, reached in self.slice_sensitivity.items()}
        return ScreeningRequirementsResult(
            power_low=self.device.tdp_min,
            power_high=self.device.tdp_max,
            passes=passes,
            failing_slices=[name for name, passed in passes.items() if not passed],
        )

    def warnings(self, result: ScreeningRequirementsResult) -> Iterator[Warning]:
        if not self.slice_sensitivity:
            yield Warning("nothing_tested", "no slice was measured, so that none could fail")
        if result.power_low is None or result.power_high is None:
            yield Warning("power_unknown", f"{self.device.label} does not list both ends of its power range")
        capacity = self.device.memory.capacity
        if capacity is not None and any_of(self.memory_budget > capacity):
            yield Warning("does_not_fit", f"the memory budget is larger than the memory of {self.device.label}")
