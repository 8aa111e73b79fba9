"""Scenarios about growth over the years: of compute, of bandwidth and of models."""

from collections.abc import Iterator
from typing import Annotated

from mlsysim.catalog import AnyHardware, AnyWorkload
from mlsysim.engine.arithmetic import log2
from mlsysim.engine.bibliography import GHOLAMI_2024, WULF_1995
from mlsysim.engine.result_types.optimization.growth import GrowthGapResult, ParameterBandwidthGrowthResult
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import Warning, any_of
from mlsysim.fields import Bound, Needs, NonNegative, Positive, Real, Time
from mlsysim.units.vocabulary import YEAR

__all__ = ["GrowthGapScenario", "ParameterBandwidthGrowthScenario"]


class GrowthGapScenario(Scenario[GrowthGapResult]):
    """How far does compute that doubles at a fixed period outgrow bandwidth that grows by a fixed share a year?

    Growth factors of both in one year, and the ratio of their growth across a horizon. Assumes that both stay
    exponential throughout, which no technology does for long: read it as what a trend means, not as a forecast.

    Source: Wulf and McKee (1995) for the argument from two exponentials; Gholami et al. (2024) for the trends of
    accelerators.

    >>> wall = GrowthGapScenario(compute_doubling_period="18 month", bandwidth_growth=0.2, horizon="10 year").evaluate()
    >>> round(wall.gap, 1)
    16.4
    """

    title = "How far compute outgrows bandwidth over time"
    sources = (WULF_1995, GHOLAMI_2024)
    notes = (
        "Growth per year is over 31,557,600 s, a year of 365.25 days; prices per year elsewhere use 8,760 h.",
        "bandwidth_growth is a share: write 0.2 for 20 percent. 20 means that bandwidth grows to 21 times in a year.",
        "A month is a twelfth of a year, so 18 months are 1.5 years; 18 times 30 days are less.",
        "A trend quoted as a factor over several years has to be converted: 1.6 times in two years is 1.6 ** 0.5 "
        "- 1, or 0.26 a year.",
        "Both rules keep the factors within the range of a double.",
    )
    rules = (
        Rule(
            "31557600 / compute_doubling_period <= 1000",
            at="compute_doubling_period",
            because="compute doubles at most 1,000 times a year",
        ),
        Rule(
            "abs(horizon / compute_doubling_period - horizon / 31557600 * log2(1 + bandwidth_growth)) <= 1000",
            at="horizon",
            because="the gap doubles or halves at most 1,000 times across the horizon",
        ),
    )

    compute_doubling_period: Positive[Time] = Input("how long compute takes to become twice as fast", unit="year")
    bandwidth_growth: Annotated[Real, Bound(gt=-1)] = Input(
        "what bandwidth gains in a year, as a share of itself: 0.2 for 20 percent"
    )
    horizon: NonNegative[Time] = Input("how far ahead to look", unit="year")

    def evaluate(self) -> GrowthGapResult:
        compute_annual_factor = 2 ** (YEAR / self.compute_doubling_period)
        bandwidth_annual_factor = 1 + self.bandwidth_growth
        compute_doublings = self.horizon / self.compute_doubling_period
        bandwidth_doublings = self.horizon / YEAR * log2(bandwidth_annual_factor)
        gap = 2 ** (compute_doublings - bandwidth_doublings)
        return GrowthGapResult(
            compute_annual_factor=compute_annual_factor,
            bandwidth_annual_factor=bandwidth_annual_factor,
            gap=gap,
        )

    def warnings(self, result: GrowthGapResult) -> Iterator[Warning]:
        if any_of(self.bandwidth_growth > 1):
            yield Warning("percent_or_share", "bandwidth more than doubles every year; 20 percent is 0.2, not 20")


class ParameterBandwidthGrowthScenario(Scenario[ParameterBandwidthGrowthResult]):
    """How far have model sizes and the memory bandwidth of one device each grown from a starting point?

    Parameters of each model and bandwidth of each device, in multiples of a baseline model and a baseline device. The
    growth of a list is its largest index, whatever the order. For sparse models the index is given, but growth leaves
    them out: they use only part of their parameters per input, so that their size says little of the bandwidth they
    need.

    Source: Gholami et al. (2024), on parameters against the memory of accelerators; Wulf and McKee (1995) for the gap
    between what consumes data and what delivers it.

    >>> growth = ParameterBandwidthGrowthScenario(
    ...     accelerators=["A100", "H100"], dense_models=["GPT3"], baseline_accelerator="V100",
    ...     baseline_model="BERT_Large").evaluate()
    >>> f"parameters {growth.parameter_growth:.0f} times, bandwidth {growth.bandwidth_growth:.1f} times"
    'parameters 515 times, bandwidth 3.7 times'
    """

    title = "Model parameters against memory bandwidth over time"
    sources = (GHOLAMI_2024, WULF_1995)
    notes = (
        "Each growth figure belongs to the highest index of its list. That device and that model may be years "
        "apart, and the model need not be the latest.",
        "A baseline may be left out of the lists, and an entry may lie below it: then its index is less than 1.",
        "The index is for one device. Where a model is spread over several, their bandwidths add up.",
        "A model of which only the stored size is known, and not the number of parameters, is refused.",
    )

    accelerators: Annotated[list[AnyHardware], Needs("memory.bandwidth")] = Input(
        "devices whose bandwidth is set against the baseline's", min_length=1
    )
    dense_models: Annotated[list[AnyWorkload], Needs("parameters")] = Input(
        "models in which each input goes through all parameters", min_length=1
    )
    sparse_models: Annotated[list[AnyWorkload], Needs("parameters")] = Input(
        "models in which an input goes through some of the parameters",
        default=[],
        why="growth is counted on dense models alone",
    )
    baseline_accelerator: Annotated[AnyHardware, Needs("memory.bandwidth")] = Input(
        "device that the others are multiples of"
    )
    baseline_model: Annotated[AnyWorkload, Needs("parameters")] = Input("model whose number of parameters is 1")

    def evaluate(self) -> ParameterBandwidthGrowthResult:
        bandwidth, parameters = self.baseline_accelerator.memory.bandwidth, self.baseline_model.parameters
        bandwidth_index = [device.memory.bandwidth / bandwidth for device in self.accelerators]
        dense_index = [model.parameters / parameters for model in self.dense_models]
        sparse_index = [model.parameters / parameters for model in self.sparse_models]
        return ParameterBandwidthGrowthResult(
            bandwidth_index=bandwidth_index,
            dense_index=dense_index,
            sparse_index=sparse_index,
            bandwidth_growth=max(bandwidth_index),
            parameter_growth=max(dense_index),
        )

    def warnings(self, result: ParameterBandwidthGrowthResult) -> Iterator[Warning]:
        counted = [*self.dense_models, self.baseline_model]
        mixtures = dict.fromkeys(
            model.label for model in counted if model.active_parameters is not None or model.kind == "moe_transformer"
        )
        if mixtures:
            yield Warning("all_experts_counted", f"a token uses only some parameters of {', '.join(mixtures)}")
