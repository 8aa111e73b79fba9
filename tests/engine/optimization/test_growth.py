"""Growth of compute, bandwidth and models over the years: known values, laws, warnings, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_definitions.optimization import GrowthGapScenario, ParameterBandwidthGrowthScenario
from mlsysim.errors import input_errors
from mlsysim.units.vocabulary import YEAR
from tests.strategies import scenarios

WALL: dict[str, Any] = {"compute_doubling_period": "18 month", "bandwidth_growth": 0.2, "horizon": "10 year"}
# Gholami et al. (2024), figure 1: peak rates of servers grow 3 times in two years, DRAM bandwidth 1.6 times.
SERVERS: dict[str, Any] = {
    "compute_doubling_period": f"{2 / math.log2(3)} year",
    "bandwidth_growth": math.sqrt(1.6) - 1,
    "horizon": "20 year",
}


def device(bandwidth: str | None) -> dict[str, Any]:
    return {"name": "a device", "memory": {"bandwidth": bandwidth} if bandwidth else {}}


def model(parameters: float | None, **more: Any) -> dict[str, Any]:
    return {"name": "a model", **({"parameters": parameters} if parameters is not None else {}), **more}


SERIES: dict[str, Any] = {
    "accelerators": [device("200 GB/s"), device("2 TB/s"), device("1 TB/s")],
    "dense_models": [model(5e6), model(1e9), model(4e10)],
    "sparse_models": [model(1e12, active_parameters=1e10)],
    "baseline_accelerator": device("250 GB/s"),
    "baseline_model": model(1e8),
}


@pytest.mark.parametrize(
    ("inputs", "output", "expected"),
    [
        # By hand: 2 ** (10 / 1.5) over 1.2 ** 10.
        pytest.param(WALL, "gap", 101.594 / 6.19174, id="a decade of Moore's law against a fifth a year"),
        pytest.param(WALL, "compute_annual_factor", 2 ** (2 / 3), id="doubling in 18 months"),
        pytest.param(WALL, "bandwidth_annual_factor", 1.2, id="a fifth a year"),
        pytest.param(WALL | {"compute_doubling_period": "1.5 year"}, "gap", 16.408, id="18 months are 1.5 years"),
        pytest.param(WALL | {"horizon": "0 year"}, "gap", 1, id="no time at all"),
        pytest.param(WALL | {"bandwidth_growth": 20}, "bandwidth_annual_factor", 21, id="2,000 percent a year"),
        pytest.param(WALL | {"bandwidth_growth": 0}, "gap", 2 ** (20 / 3), id="bandwidth that stays"),
        pytest.param(WALL | {"bandwidth_growth": -0.5}, "gap", 2 ** (50 / 3), id="bandwidth that halves every year"),
        pytest.param(SERVERS | {"horizon": "2 year"}, "gap", 3 / 1.6, id="Gholami et al., two years"),
        pytest.param(SERVERS, "compute_annual_factor", math.sqrt(3), id="3 times in two years"),
        pytest.param(SERVERS, "gap", (3 / 1.6) ** 10, id="Gholami et al., twenty years"),
    ],
)
def test_compute_against_bandwidth(inputs: dict[str, Any], output: str, expected: float) -> None:
    assert getattr(GrowthGapScenario.model_validate(inputs).evaluate(), output) == pytest.approx(expected, rel=1e-5)


def test_the_trend_of_twenty_years_ends_near_what_was_measured() -> None:
    # Gholami et al. (2024), figure 1: 60,000 times the peak rate and 100 times the bandwidth in twenty years.
    assert GrowthGapScenario.model_validate(SERVERS).evaluate().gap == pytest.approx(60_000 / 100, rel=0.15)


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        pytest.param({}, "bandwidth_index", [0.8, 8, 4], id="the baseline need not be the slowest"),
        pytest.param({}, "bandwidth_growth", 8, id="the highest, not the last"),
        pytest.param({}, "dense_index", [0.05, 10, 400], id="models in order"),
        pytest.param({}, "parameter_growth", 400, id="sparse models are not counted"),
        pytest.param({}, "sparse_index", [10_000], id="sparse models are shown, with all their parameters"),
        pytest.param({"sparse_models": []}, "sparse_index", [], id="no sparse models"),
        # Brown et al. (2020): 175 billion parameters. Devlin et al. (2019): 340 million in BERT-Large.
        pytest.param(
            {"dense_models": ["GPT3"], "baseline_model": "BERT_Large"}, "parameter_growth", 175e9 / 340e6, id="GPT-3"
        ),
        # 3.35 TB/s of an H100 SXM over 2,039 GB/s of an A100 with 80 GB.
        pytest.param(
            {"accelerators": ["H100"], "baseline_accelerator": "A100"}, "bandwidth_growth", 3350 / 2039, id="H100"
        ),
    ],
)
def test_models_against_devices(changes: dict[str, Any], output: str, expected: Any) -> None:
    result = ParameterBandwidthGrowthScenario.model_validate(SERIES | changes).evaluate()
    assert getattr(result, output) == pytest.approx(expected, rel=2e-3)


class TestGrowthGap:
    @given(scenarios(GrowthGapScenario))
    def test_the_gap_is_one_growth_over_the_other(self, wall: GrowthGapScenario) -> None:
        result = wall.evaluate()
        years = wall.horizon / YEAR
        logarithm = years * (math.log2(result.compute_annual_factor) - math.log2(result.bandwidth_annual_factor))
        assert math.log2(result.gap) == pytest.approx(logarithm, rel=1e-9, abs=1e-9)

    @given(scenarios(GrowthGapScenario))
    def test_bandwidth_that_doubles_as_often_keeps_up(self, wall: GrowthGapScenario) -> None:
        keeping_up = wall.evaluate().compute_annual_factor - 1
        assert wall.variant(bandwidth_growth=keeping_up).evaluate().gap == pytest.approx(1, rel=1e-6)

    @given(scenarios(GrowthGapScenario), st.floats(0, 1))
    def test_gaps_of_successive_horizons_multiply(self, wall: GrowthGapScenario, part: float) -> None:
        first, second = (
            wall.variant(horizon={"value": share * wall.horizon, "unit": "s"}).evaluate().gap
            for share in (part, 1 - part)
        )
        assert first * second == pytest.approx(wall.evaluate().gap)

    @given(scenarios(GrowthGapScenario), st.floats(0, 1))
    def test_faster_bandwidth_never_widens_the_gap(self, wall: GrowthGapScenario, more: float) -> None:
        assume(wall.horizon / YEAR < 100)
        faster = wall.variant(bandwidth_growth=wall.bandwidth_growth + more)
        assert faster.evaluate().gap <= wall.evaluate().gap * (1 + 1e-9)

    def test_factors_at_the_edge_of_the_rules_are_finite(self) -> None:
        edge = {"compute_doubling_period": {"value": YEAR / 1000, "unit": "s"}, "bandwidth_growth": 0}
        result = GrowthGapScenario.model_validate(edge | {"horizon": "1 year"}).evaluate()
        assert result.gap == result.compute_annual_factor == 2.0**1000

    def test_bandwidth_may_lose_nearly_everything(self) -> None:
        shrinking = WALL | {"bandwidth_growth": math.nextafter(-1, 0), "horizon": "1 year"}
        result = GrowthGapScenario.model_validate(shrinking).evaluate()
        assert math.log2(result.gap) == pytest.approx(53 + 2 / 3)

    def test_an_array_of_growths(self) -> None:
        wall = GrowthGapScenario.model_validate(WALL | {"bandwidth_growth": np.array([0.0, 0.2])})
        np.testing.assert_allclose(wall.evaluate().gap, [2 ** (20 / 3), 16.408], rtol=1e-4)


class TestParameterBandwidthGrowth:
    @given(scenarios(ParameterBandwidthGrowthScenario))
    def test_growth_is_the_highest_point_of_each_series(self, series: ParameterBandwidthGrowthScenario) -> None:
        result = series.evaluate()
        assert result.bandwidth_growth == max(result.bandwidth_index)
        assert result.parameter_growth == max(result.dense_index)
        assert len(result.bandwidth_index) == len(series.accelerators)
        assert len(result.sparse_index) == len(series.sparse_models)

    @given(scenarios(ParameterBandwidthGrowthScenario))
    def test_the_baselines_have_index_one(self, series: ParameterBandwidthGrowthScenario) -> None:
        stated = series.to_json()
        alone = series.variant(
            accelerators=[stated["baseline_accelerator"]], dense_models=[stated["baseline_model"]]
        ).evaluate()
        assert alone.bandwidth_growth == alone.parameter_growth == 1

    @given(scenarios(ParameterBandwidthGrowthScenario))
    def test_the_order_of_the_lists_does_not_matter(self, series: ParameterBandwidthGrowthScenario) -> None:
        stated = series.to_json()
        backwards = series.variant(
            accelerators=stated["accelerators"][::-1], dense_models=stated["dense_models"][::-1]
        ).evaluate()
        assert backwards.bandwidth_growth == series.evaluate().bandwidth_growth
        assert backwards.parameter_growth == series.evaluate().parameter_growth

    @given(scenarios(ParameterBandwidthGrowthScenario))
    def test_sparse_models_do_not_count(self, series: ParameterBandwidthGrowthScenario) -> None:
        without = series.variant(sparse_models=[]).evaluate()
        assert without.parameter_growth == series.evaluate().parameter_growth
        assert without.sparse_index == []


@pytest.mark.parametrize(
    ("scenario", "inputs", "codes"),
    [
        pytest.param(GrowthGapScenario, WALL, [], id="two trends"),
        pytest.param(ParameterBandwidthGrowthScenario, SERIES, [], id="a mixture among the sparse models"),
        pytest.param(
            ParameterBandwidthGrowthScenario,
            SERIES | {"dense_models": ["GPT3", "DeepSeek_V3"]},
            ["all_experts_counted"],
            id="a mixture among the dense models",
        ),
        pytest.param(
            ParameterBandwidthGrowthScenario,
            SERIES | {"baseline_model": "DeepSeek_V3"},
            ["all_experts_counted"],
            id="a mixture as the baseline",
        ),
    ],
)
def test_warnings(scenario: type[Scenario[Any]], inputs: dict[str, Any], codes: list[str]) -> None:
    valid = scenario.model_validate(inputs)
    assert [warning.code for warning in valid.warnings(valid.evaluate())] == codes


@pytest.mark.parametrize(
    ("scenario", "inputs", "pointer"),
    [
        (GrowthGapScenario, WALL | {"compute_doubling_period": "0 year"}, "/compute_doubling_period"),
        (GrowthGapScenario, WALL | {"compute_doubling_period": 1.5}, "/compute_doubling_period"),
        (
            GrowthGapScenario,
            WALL | {"compute_doubling_period": "8 h", "horizon": "1 h"},
            "/compute_doubling_period",
        ),
        (GrowthGapScenario, WALL | {"bandwidth_growth": -1}, "/bandwidth_growth"),
        (GrowthGapScenario, WALL | {"bandwidth_growth": "20 percent"}, "/bandwidth_growth"),
        (GrowthGapScenario, WALL | {"horizon": "-1 year"}, "/horizon"),
        (GrowthGapScenario, WALL | {"horizon": "10000 year"}, "/horizon"),
        (ParameterBandwidthGrowthScenario, SERIES | {"accelerators": []}, "/accelerators"),
        (
            ParameterBandwidthGrowthScenario,
            SERIES | {"accelerators": ["H100", device(None)]},
            "/accelerators/1/memory/bandwidth",
        ),
        (
            ParameterBandwidthGrowthScenario,
            SERIES | {"accelerators": [device("0 GB/s")]},
            "/accelerators/0/memory/bandwidth",
        ),
        (ParameterBandwidthGrowthScenario, SERIES | {"accelerators": ["H1000"]}, "/accelerators/0"),
        (ParameterBandwidthGrowthScenario, SERIES | {"dense_models": []}, "/dense_models"),
        (ParameterBandwidthGrowthScenario, SERIES | {"dense_models": [model(None)]}, "/dense_models/0/parameters"),
        (ParameterBandwidthGrowthScenario, SERIES | {"dense_models": [model(0)]}, "/dense_models/0/parameters"),
        (ParameterBandwidthGrowthScenario, SERIES | {"sparse_models": [model(None)]}, "/sparse_models/0/parameters"),
        (
            ParameterBandwidthGrowthScenario,
            SERIES | {"baseline_accelerator": device(None)},
            "/baseline_accelerator/memory/bandwidth",
        ),
        (ParameterBandwidthGrowthScenario, SERIES | {"baseline_model": model(None)}, "/baseline_model/parameters"),
    ],
)
def test_refused_inputs(scenario: type[Scenario[Any]], inputs: dict[str, Any], pointer: str) -> None:
    with pytest.raises(ValidationError) as refused:
        scenario.model_validate(inputs)
    assert [error.pointer for error in input_errors(refused.value)] == [pointer]
