"""Accelerators set against each other, and agreement along the roofline: known values, laws, warnings, refusals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from pydantic import ValidationError

from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_definitions.optimization import (
    AcceleratorComparison,
    AcceleratorGenerationsScenario,
    RooflinePointScenario,
    SingleNodeInferenceScenario,
)
from mlsysim.errors import input_errors
from tests.strategies import scenarios

UPGRADE: dict[str, Any] = {"baseline": "V100", "candidate": "H100"}
SERIES: dict[str, Any] = {"accelerators": ["V100", "A100", "H100"]}
BARE: dict[str, Any] = {
    "name": "bare chip",
    "compute": {"peak": "1 TFLOP/s"},
    "memory": {"bandwidth": "10 GB/s"},
}
SPARSE: dict[str, Any] = {
    "name": "sparse chip",
    "compute": {"peak": "2 PFLOP/s", "rates": {"fp16": "1 PFLOP/s"}, "sparse_rates": {"fp16": "2 PFLOP/s"}},
    "memory": {"bandwidth": "1 TB/s"},
    "tdp": "700 W",
}


@pytest.mark.parametrize(
    ("inputs", "output", "expected"),
    [
        # NVIDIA datasheets: 125 and 989 TFLOP/s dense FP16, 300 and 700 W.
        pytest.param(UPGRADE, "peak_ratio", 989 / 125, id="V100 to H100"),
        pytest.param(UPGRADE, "tdp_ratio", 7 / 3, id="V100 to H100, power"),
        pytest.param(UPGRADE, "efficiency_ratio", 989 / 700 / (125 / 300), id="V100 to H100, per watt"),
        pytest.param(UPGRADE, "candidate_device_hours", None, id="no job"),
        # 10,000 h x 125 / 989.
        pytest.param(
            UPGRADE | {"baseline_device_hours": "10000 h"},
            "candidate_device_hours",
            3600 * 1_250_000 / 989,
            id="ten thousand hours of V100",
        ),
        pytest.param(UPGRADE | {"baseline_device_hours": "0 h"}, "candidate_device_hours", 0, id="no work to do"),
        # 15.7 and 67 TFLOP/s outside the tensor cores.
        pytest.param(UPGRADE | {"precision": "fp32"}, "peak_ratio", 67 / 15.7, id="V100 to H100 in FP32"),
        pytest.param(
            {"baseline": "A100", "candidate": "H100", "precision": "tf32"}, "peak_ratio", 494.5 / 156, id="TF32"
        ),
        # The H200 is an H100 with more and faster memory.
        pytest.param({"baseline": "H100", "candidate": "H200"}, "peak_ratio", 1, id="H100 to H200"),
        pytest.param(UPGRADE | {"candidate": BARE}, "peak_ratio", 1 / 125, id="a chip of one's own"),
        pytest.param(UPGRADE | {"candidate": BARE}, "tdp_ratio", None, id="no rated power"),
        pytest.param(UPGRADE | {"baseline": BARE}, "efficiency_ratio", None, id="no rated power of the baseline"),
    ],
)
def test_comparing_two_accelerators(inputs: dict[str, Any], output: str, expected: float | None) -> None:
    found = getattr(AcceleratorComparison.model_validate(inputs).evaluate(), output)
    assert found == (None if expected is None else pytest.approx(expected))


def test_ridge_points_over_generations() -> None:
    result = AcceleratorGenerationsScenario.model_validate(SERIES).evaluate()
    # NVIDIA's matrix multiplication guide gives 138.9 FLOP per byte for a V100; 312 over 2.039 and 989 over 3.35.
    assert result.ridges == pytest.approx([138.9, 153.0, 295.2], abs=0.05)
    assert result.compute_growth == pytest.approx(989 / 125)
    assert result.bandwidth_growth == pytest.approx(3.35 / 0.9)


class TestAcceleratorComparison:
    @given(scenarios(AcceleratorComparison))
    def test_the_other_way_around_is_the_reciprocal(self, pair: AcceleratorComparison) -> None:
        stated = pair.to_json()
        back = pair.variant(baseline=stated["candidate"], candidate=stated["baseline"]).evaluate()
        result = pair.evaluate()
        assert result.peak_ratio * back.peak_ratio == pytest.approx(1)
        assert (result.tdp_ratio is None) == (back.tdp_ratio is None)
        if result.efficiency_ratio is not None and back.efficiency_ratio is not None:
            assert result.efficiency_ratio * back.efficiency_ratio == pytest.approx(1)

    @given(scenarios(AcceleratorComparison))
    def test_a_device_is_its_own_equal(self, pair: AcceleratorComparison) -> None:
        equal = pair.variant(candidate=pair.to_json()["baseline"]).evaluate()
        assert equal.peak_ratio == 1
        assert equal.tdp_ratio in (1, None)
        assert equal.candidate_device_hours == pair.baseline_device_hours

    @given(scenarios(AcceleratorComparison))
    def test_hours_times_peak_is_the_job(self, pair: AcceleratorComparison) -> None:
        result = pair.evaluate()
        if pair.baseline_device_hours is not None:
            assert result.candidate_device_hours is not None
            assert result.candidate_device_hours * result.peak_ratio == pytest.approx(pair.baseline_device_hours)


class TestAcceleratorGenerations:
    @given(scenarios(AcceleratorGenerationsScenario))
    def test_the_gap_is_how_far_the_ridge_moved(self, series: AcceleratorGenerationsScenario) -> None:
        result = series.evaluate()
        assert len(result.ridges) == len(series.accelerators)
        assert result.gap_growth == pytest.approx(result.ridges[-1] / result.ridges[0])

    @given(scenarios(AcceleratorGenerationsScenario))
    def test_only_both_ends_set_the_growth(self, series: AcceleratorGenerationsScenario) -> None:
        first, *_, last = series.to_json()["accelerators"]
        ends, result = series.variant(accelerators=[first, last]).evaluate(), series.evaluate()
        assert ends.ridges == [result.ridges[0], result.ridges[-1]]
        assert (ends.compute_growth, ends.bandwidth_growth) == (result.compute_growth, result.bandwidth_growth)

    @given(scenarios(AcceleratorGenerationsScenario))
    def test_the_ridges_are_those_of_single_kernels(self, series: AcceleratorGenerationsScenario) -> None:
        kernels = [
            RooflinePointScenario.model_validate({"hardware": device, "intensity": "1 FLOP/B"})
            for device in series.to_json()["accelerators"]
        ]
        assert series.evaluate().ridges == [kernel.evaluate().ridge for kernel in kernels]


@given(scenarios(SingleNodeInferenceScenario))
def test_a_pass_without_overhead_runs_at_the_rate_its_roofline_allows(one: SingleNodeInferenceScenario) -> None:
    ideal = one.variant(efficiency=1)
    memory, result = ideal.hardware.memory, ideal.evaluate()
    assume(result.feasible and memory.sram_bandwidth is None and memory.flash_bandwidth is None)
    kernel = {
        "hardware": ideal.to_json()["hardware"],
        "intensity": {"value": result.arithmetic_intensity, "unit": "FLOP/byte"},
    }
    if ideal.precision in ideal.hardware.compute.rates:
        kernel["precision"] = ideal.precision
    point = RooflinePointScenario.model_validate(kernel).evaluate()
    operations = ideal.batch_size * ideal.workload.inference_flops
    assert point.attainable == pytest.approx(operations / max(result.latency_compute, result.latency_memory))
    assert point.ridge == pytest.approx(result.ridge)
    assert result.mfu <= point.peak_fraction * (1 + 1e-9)


@pytest.mark.parametrize(
    ("scenario", "inputs", "codes"),
    [
        pytest.param(AcceleratorComparison, UPGRADE, [], id="an upgrade"),
        pytest.param(AcceleratorComparison, UPGRADE | {"candidate": "T4"}, ["slowdown"], id="a step down"),
        pytest.param(AcceleratorComparison, {"baseline": "H100", "candidate": "H200"}, ["no_gain"], id="memory only"),
        pytest.param(AcceleratorComparison, UPGRADE | {"candidate": SPARSE}, ["sparse_peak"], id="a sparse peak"),
        pytest.param(
            AcceleratorComparison,
            UPGRADE | {"candidate": SPARSE, "precision": "fp16"},
            [],
            id="its dense rate instead",
        ),
        pytest.param(
            AcceleratorComparison, UPGRADE | {"baseline": BARE}, ["power_unknown"], id="no rated power of the baseline"
        ),
        pytest.param(AcceleratorGenerationsScenario, SERIES, [], id="dense peaks"),
        pytest.param(
            AcceleratorGenerationsScenario, {"accelerators": ["V100", SPARSE]}, ["sparse_peak"], id="one sparse peak"
        ),
    ],
)
def test_warnings(scenario: type[Scenario[Any]], inputs: dict[str, Any], codes: list[str]) -> None:
    valid = scenario.model_validate(inputs)
    assert [warning.code for warning in valid.warnings(valid.evaluate())] == codes


@pytest.mark.parametrize(
    ("scenario", "inputs", "pointers"),
    [
        (AcceleratorComparison, UPGRADE | {"baseline": "V1000"}, ["/baseline"]),
        (AcceleratorComparison, UPGRADE | {"baseline": {"tdp": "1 W"}}, ["/baseline/compute/peak"]),
        (AcceleratorComparison, UPGRADE | {"candidate": {"tdp": "1 W"}}, ["/candidate/compute/peak"]),
        (AcceleratorComparison, UPGRADE | {"candidate": BARE | {"tdp": "0 W"}}, ["/candidate/tdp"]),
        (AcceleratorComparison, UPGRADE | {"precision": "bf16"}, ["/precision"]),
        (AcceleratorComparison, {"baseline": "H100", "candidate": "V100", "precision": "bf16"}, ["/precision"]),
        (AcceleratorComparison, UPGRADE | {"precision": "fp31"}, ["/precision", "/precision"]),
        (AcceleratorComparison, UPGRADE | {"baseline_device_hours": "-1 h"}, ["/baseline_device_hours"]),
        (AcceleratorGenerationsScenario, {"accelerators": []}, ["/accelerators"]),
        (AcceleratorGenerationsScenario, {"accelerators": ["H100"]}, ["/accelerators"]),
        (AcceleratorGenerationsScenario, {"accelerators": ["H100", "H1000"]}, ["/accelerators/1"]),
        (
            AcceleratorGenerationsScenario,
            {"accelerators": ["H100", {"compute": {"peak": "1 TFLOP/s"}}]},
            ["/accelerators/1/memory/bandwidth"],
        ),
        (
            AcceleratorGenerationsScenario,
            {"accelerators": [{"memory": {"bandwidth": "1 TB/s"}}, "H100"]},
            ["/accelerators/0/compute/peak"],
        ),
    ],
)
def test_refused_inputs(scenario: type[Scenario[Any]], inputs: dict[str, Any], pointers: list[str]) -> None:
    with pytest.raises(ValidationError) as refused:
        scenario.model_validate(inputs)
    assert [error.pointer for error in input_errors(refused.value)] == pointers
