"""Smaller models: known values, laws, warnings, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_catalog import Scenarios
from mlsysim.engine.scenario_definitions.optimization import (
    FrameCompressionScenario,
    QuantizationGridScenario,
    QuantizedDeploymentProfileScenario,
    SparseFlashFitScenario,
    StagedCompressionScenario,
    WorkLatencyGapScenario,
)
from mlsysim.errors import input_errors
from tests.strategies import scenarios

SLACK = 1 + 1e-9

# MobileNetV2 at widths 1.4 and 1.0: 582 and 300 million multiply-adds, 6.06 and 3.47 million parameters, 138.0 and
# 73.8 ms on the large core of a Pixel 1 (tensorflow/models, research/slim/nets/mobilenet/README.md).
WIDE_MS, NARROW_MS = 138.0, 73.8
FRAME: dict[str, Any] = {
    "full": {"name": "MobileNetV2 at width 1.4", "parameters": 6.06e6, "inference_flops": "1164 MFLOP"},
    "pruned": {"name": "MobileNetV2 at width 1.0", "parameters": 3.47e6, "inference_flops": "600 MFLOP"},
    "frame_rate": "25 1/s",
    "cpu_rate": {"value": 1000 / WIDE_MS, "unit": "1/s"},
    "accelerator_rate": "50 1/s",
    "float_bytes": "4 B",
    "int_bytes": "1 B",
}
PROFILE: dict[str, Any] = {
    "workload": {"name": "a model", "parameters": 25e6},
    "hardware": {"name": "a card", "tdp": "70 W"},
    "float_latency": "4 ms",
    "int_latency": "1.6 ms",
    "float_throughput": "1000 1/s",
    "int_throughput": "5000 1/s",
    "float_bytes": "4 B",
    "int_bytes": "1 B",
    # ResNet-50 in floats and in integers (Jacob et al. 2018, table 4.1).
    "float_top1_pct": 76.4,
    "int_top1_pct": 74.9,
    "float_calibration_error_pct": 2.1,
    "int_calibration_error_pct": 3.4,
    "top1_limit_pct": 74.9,
    "calibration_error_limit_pct": 3.0,
}
SPARSE: dict[str, Any] = {
    "workload": {"name": "three million weights", "parameters": 3e6},
    "value_bytes": "4 B",
    "index_bytes": "2 B",
    "surviving_bytes": "4 MB",
    "flash_budget": "8 MB",
}
STAGED: dict[str, Any] = {
    "teacher": "BERT_Base",
    "student_params": 66e6,
    "float_bytes": "4 B",
    "int_bytes": "1 B",
    "baseline_accuracy": 0.80,
    "pruned_accuracy": 0.77,
    "distilled_accuracy": 0.79,
    "final_accuracy": 0.78,
    "mobile_speedup": 1.6,
    "quantize_first_loss": 0.05,
}
GAP: dict[str, Any] = {"work_reduction": 0.4, "latency_reduction": 0.12}


def codes_of_warnings(scenario: Scenario[Any]) -> list[str]:
    return [warning.code for warning in scenario.warnings(scenario.evaluate())]


def pointers(scenario: type[Scenario[Any]], inputs: dict[str, Any]) -> list[str]:
    """Where the inputs are refused."""
    with pytest.raises(ValidationError) as refusal:
        scenario.model_validate(inputs)
    return [error.pointer for error in input_errors(refusal.value)]


class TestFrameCompression:
    @pytest.mark.parametrize(
        ("output", "expected"),
        [
            pytest.param("frame_budget", 0.040, id="25 frames a second"),
            pytest.param("cpu_frame", 0.138, id="138 ms a frame"),
            pytest.param("accelerator_frame", 0.020, id="50 frames a second"),
            pytest.param("flop_fraction", 300 / 582, id="multiply-adds of the two widths"),
            pytest.param("param_fraction", 347 / 606, id="parameters of the two widths"),
            pytest.param("full_bytes", 24.24e6, id="6.06 million floats"),
            pytest.param("pruned_bytes", 13.88e6, id="3.47 million floats"),
            pytest.param("pruned_int_bytes", 3.47e6, id="3.47 million bytes"),
            pytest.param("pruned_cpu_frame", 0.138 * 300 / 582, id="138 ms times the share of operations"),
            pytest.param("pruned_accelerator_frame", 0.020 * 300 / 582, id="20 ms times the share of operations"),
        ],
    )
    def test_known_values(self, output: str, expected: float) -> None:
        result = FrameCompressionScenario.model_validate(FRAME).evaluate()
        assert getattr(result, output) == pytest.approx(expected)

    def test_the_prediction_is_the_best_case_of_what_was_measured(self) -> None:
        result = FrameCompressionScenario.model_validate(FRAME).evaluate()
        assert 0.95 * NARROW_MS < 1e3 * result.pruned_cpu_frame < NARROW_MS

    @given(scenarios(FrameCompressionScenario))
    def test_pruning_never_adds_time_or_size(self, camera: FrameCompressionScenario) -> None:
        result = camera.evaluate()
        assert 0 < result.flop_fraction <= 1
        assert 0 < result.param_fraction <= 1
        assert result.pruned_cpu_frame <= result.cpu_frame
        assert result.pruned_accelerator_frame <= result.accelerator_frame
        assert result.pruned_bytes <= result.full_bytes

    @given(scenarios(FrameCompressionScenario))
    def test_integers_scale_the_size_by_their_width(self, camera: FrameCompressionScenario) -> None:
        result = camera.evaluate()
        assert result.pruned_int_bytes / result.pruned_bytes == pytest.approx(camera.int_bytes / camera.float_bytes)

    @given(scenarios(FrameCompressionScenario))
    def test_counting_multiply_adds_twice_in_both_models_changes_nothing(
        self, camera: FrameCompressionScenario
    ) -> None:
        twice = {
            side: {"ref": model.key, "inference_flops": {"value": 2 * model.inference_flops, "unit": "FLOP"}}
            for side, model in (("full", camera.full), ("pruned", camera.pruned))
        }
        assert camera.variant(**twice).evaluate().flop_fraction == pytest.approx(camera.evaluate().flop_fraction)

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            pytest.param({}, ["deadline_missed"], id="the accelerator keeps up and the CPU does not"),
            pytest.param({"frame_rate": "7 1/s"}, [], id="both keep up"),
            pytest.param({"frame_rate": "97 1/s"}, ["deadline_missed"] * 2, id="just in time once pruned"),
            pytest.param({"frame_rate": "98 1/s"}, ["deadline_missed"] * 2, id="neither device keeps up"),
            pytest.param(
                {"accelerator_rate": "7 1/s"}, ["deadline_missed"] * 2 + ["slowdown"], id="a slow accelerator"
            ),
            pytest.param({"pruned": FRAME["full"]}, ["deadline_missed", "no_gain"], id="nothing pruned"),
            pytest.param({"int_bytes": "4 B"}, ["deadline_missed", "no_gain"], id="integers of four bytes"),
        ],
    )
    def test_warnings(self, changes: dict[str, Any], expected: list[str]) -> None:
        assert codes_of_warnings(FrameCompressionScenario.model_validate(FRAME | changes)) == expected

    @pytest.mark.parametrize(
        ("changes", "pointer"),
        [
            pytest.param(
                {"pruned": FRAME["full"] | {"inference_flops": "2 GFLOP"}}, "/pruned", id="more operations than full"
            ),
            pytest.param({"pruned": FRAME["full"] | {"parameters": 7e6}}, "/pruned", id="more parameters than full"),
            pytest.param({"full": "MobileNetV2_Alpha0_5FeatureExtractor"}, "/full", id="operations not listed"),
            pytest.param({"full": {"parameters": 6e6}}, "/full/inference_flops", id="operations not stated"),
            pytest.param({"pruned": {"inference_flops": "1 FLOP"}}, "/pruned/parameters", id="parameters not stated"),
            pytest.param({"frame_rate": "0 1/s"}, "/frame_rate", id="no frames"),
            pytest.param({"cpu_rate": 8}, "/cpu_rate", id="a rate without its unit"),
            pytest.param({"accelerator_rate": "-1 1/s"}, "/accelerator_rate", id="a negative rate"),
            pytest.param({"float_bytes": "0 B"}, "/float_bytes", id="floats of no size"),
            pytest.param({"int_bytes": "0 B"}, "/int_bytes", id="integers of no size"),
        ],
    )
    def test_refused(self, changes: dict[str, Any], pointer: str) -> None:
        assert pointers(FrameCompressionScenario, FRAME | changes) == [pointer]


class TestQuantizationGrid:
    @pytest.mark.parametrize(
        ("inputs", "expected"),
        [
            pytest.param(
                {"values": [0, 2, 3, 1000, -254, -1000], "bits": 8, "alpha": -256, "beta": 254},
                {
                    "scale": 2,
                    "zero_point": 128,
                    "codes": [128, 129, 130, 255, 1, 0],
                    "readback": [0, 2, 4, 254, -254, -256],
                    "errors": [0, 0, 1, 746, 0, 744],
                },
                id="ONNX QuantizeLinear, the example of the specification",
            ),
            # Steps of 4 / 255, zero at 63.75 of them: a quarter of a step off everywhere else.
            pytest.param(
                {"values": [-1, 1, 0, 3], "bits": 8},
                {
                    "scale": 4 / 255,
                    "zero_point_exact": 63.75,
                    "zero_point": 64,
                    "codes": [0, 128, 64, 255],
                    "errors": [1 / 255, 1 / 255, 0, 1 / 255],
                    "max_rounding_error": 2 / 255,
                },
                id="UINT8 over [-1, 3]",
            ),
            pytest.param(
                {"values": [-1, 1, 0, 3], "bits": 8, "signed": True},
                {"qmin": -128, "qmax": 127, "zero_point": -64, "codes": [-128, 0, -64, 127]},
                id="INT8 over [-1, 3], the same grid moved by 128",
            ),
            pytest.param(
                {"values": [1, 3], "bits": 8},
                {"lo": 0, "hi": 3, "zero_point": 0, "codes": [85, 255]},
                id="a range of positive values widened to zero",
            ),
            pytest.param(
                {"values": [0, 0], "bits": 8},
                {"scale": 1, "zero_point": 0, "codes": [0, 0], "errors": [0, 0]},
                id="all zeros",
            ),
            pytest.param(
                {"values": [0, 0], "bits": 8, "signed": True},
                {"scale": 1, "zero_point": -128, "codes": [-128, -128], "readback": [0, 0]},
                id="all zeros in signed codes",
            ),
            # The largest magnitude, 254, is 127 steps of 2; 63.5 steps round to the even 64.
            pytest.param(
                {"values": [-254, 127, 2], "bits": 8, "symmetric": True},
                {"qmin": -127, "qmax": 127, "scale": 2, "zero_point": 0, "codes": [-127, 64, 1], "errors": [0, 1, 0]},
                id="symmetric INT8 without the code -128",
            ),
            pytest.param(
                {"values": [0, 5, 10], "bits": 1},
                {"qmin": 0, "qmax": 1, "steps": 1, "scale": 10, "codes": [0, 0, 1], "errors": [0, 5, 0]},
                id="one bit, both ends and nothing between",
            ),
            pytest.param(
                {"values": [2**32 - 1, 2**31, 0], "bits": 32},
                {"qmax": 2**32 - 1, "scale": 1, "codes": [2**32 - 1, 2**31, 0], "errors": [0, 0, 0]},
                id="32 bits, every whole number a code",
            ),
            pytest.param(
                {"values": [0.5, 1.5, 2.5, 3.5], "bits": 8, "alpha": 0, "beta": 255},
                {"scale": 1, "codes": [0, 2, 2, 4]},
                id="ties to even",
            ),
            # Rounded before shifting: round(0.5) + 1 = 1, where round(0.5 + 1) would be 2.
            pytest.param(
                {"values": [0.5], "bits": 8, "alpha": -1, "beta": 254},
                {"scale": 1, "zero_point": 1, "codes": [1]},
                id="ties are decided before the zero-point is added",
            ),
            pytest.param(
                {"bits": 4, "alpha": 0, "beta": 15}, {"steps": 15, "scale": 1, "codes": []}, id="a grid without values"
            ),
        ],
    )
    def test_known_grids(self, inputs: dict[str, Any], expected: dict[str, Any]) -> None:
        result = QuantizationGridScenario.model_validate(inputs).evaluate()
        for output, value in expected.items():
            assert getattr(result, output) == pytest.approx(value), output

    @given(scenarios(QuantizationGridScenario))
    def test_one_more_bit_never_widens_the_steps(self, grid: QuantizationGridScenario) -> None:
        if grid.bits < 32:
            assert grid.variant(bits=grid.bits + 1).evaluate().scale <= grid.evaluate().scale

    @given(scenarios(QuantizationGridScenario))
    def test_storing_what_was_read_back_changes_no_code(self, grid: QuantizationGridScenario) -> None:
        stored = grid.variant(alpha=grid.evaluate().lo, beta=grid.evaluate().hi)
        again = stored.variant(values=stored.evaluate().readback)
        assert again.evaluate().codes == stored.evaluate().codes

    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            pytest.param([-1.0, 3.0], [], id="inside"),
            # The highest code stands for 3 - 1 / 255, half a step is 2 / 255.
            pytest.param([3.0 + 0.9 / 255], [], id="less than half a step from the highest code"),
            pytest.param([4.0], ["values_clipped"], id="outside"),
        ],
    )
    def test_warnings(self, values: list[float], expected: list[str]) -> None:
        inputs = {"values": values, "bits": 8, "alpha": -1, "beta": 3}
        assert codes_of_warnings(QuantizationGridScenario.model_validate(inputs)) == expected

    @pytest.mark.parametrize(
        ("inputs", "pointer"),
        [
            pytest.param({"bits": 8}, "/values", id="nothing to span"),
            pytest.param({"bits": 8, "alpha": -1}, "/values", id="one end only"),
            pytest.param({"values": [1], "bits": 0}, "/bits", id="no bits"),
            pytest.param({"values": [1], "bits": 33}, "/bits", id="more than 32 bits"),
            pytest.param({"values": [1], "bits": 7.5}, "/bits", id="half a bit"),
            pytest.param({"values": [1], "bits": 1, "signed": True}, "/bits", id="a sign and no bit for it"),
            pytest.param({"values": [1], "bits": 1, "symmetric": True}, "/bits", id="one bit around zero"),
            pytest.param({"values": [1], "bits": 8, "beta": -1}, "/beta", id="a range below zero"),
            pytest.param({"values": [2], "bits": 8, "alpha": 1}, "/alpha", id="a range above zero"),
            pytest.param(
                {"values": [1], "bits": 8, "symmetric": True, "alpha": 2, "beta": 1}, "/beta", id="ends swapped"
            ),
            pytest.param({"values": [1, 1e31], "bits": 8}, "/values/1", id="a value beyond 1e30"),
            pytest.param({"values": [1], "bits": 8, "alpha": -1e31}, "/alpha", id="an end beyond 1e30"),
            pytest.param({"values": ["1"], "bits": 8}, "/values/0", id="a text"),
        ],
    )
    def test_refused(self, inputs: dict[str, Any], pointer: str) -> None:
        assert pointers(QuantizationGridScenario, inputs) == [pointer]


class TestQuantizedDeploymentProfile:
    @pytest.mark.parametrize(
        ("output", "expected"),
        [
            pytest.param("top1_drop", 1.5, id="ResNet-50 in integers, Jacob et al. (2018), table 4.1"),
            pytest.param("latency_speedup", 2.5, id="4 ms over 1.6 ms"),
            pytest.param("throughput_gain", 5, id="5,000 over 1,000 a second"),
            pytest.param("float_size", 100e6, id="25 million floats"),
            pytest.param("int_size", 25e6, id="25 million bytes"),
            pytest.param("size_reduction", 4, id="four bytes become one"),
            pytest.param("float_energy", 0.070, id="70 W over 1,000 a second"),
            pytest.param("int_energy", 0.014, id="70 W over 5,000 a second"),
            pytest.param("energy_improvement", 5, id="the gain in throughput again"),
            pytest.param("passes_top1", True, id="an accuracy equal to the limit is enough"),
            pytest.param("passes_calibration", False, id="3.4 percent is above 3"),
        ],
    )
    def test_known_values(self, output: str, expected: float) -> None:
        result = QuantizedDeploymentProfileScenario.model_validate(PROFILE).evaluate()
        assert getattr(result, output) == pytest.approx(expected)

    @given(scenarios(QuantizedDeploymentProfileScenario))
    def test_the_energy_saved_is_the_throughput_gained(self, profile: QuantizedDeploymentProfileScenario) -> None:
        result = profile.evaluate()
        if result.float_energy is not None:
            assert result.energy_improvement == pytest.approx(result.throughput_gain)
            assert result.float_energy * profile.float_throughput == pytest.approx(profile.hardware.tdp)

    @given(scenarios(QuantizedDeploymentProfileScenario))
    def test_size_depends_on_the_widths_alone(self, profile: QuantizedDeploymentProfileScenario) -> None:
        assert profile.evaluate().size_reduction == pytest.approx(profile.float_bytes / profile.int_bytes)

    @given(scenarios(QuantizedDeploymentProfileScenario))
    def test_limits_equal_to_the_measurements_are_met(self, profile: QuantizedDeploymentProfileScenario) -> None:
        just = profile.variant(
            top1_limit_pct=profile.int_top1_pct, calibration_error_limit_pct=profile.int_calibration_error_pct
        ).evaluate()
        assert just.passes_top1
        assert just.passes_calibration

    def test_without_rated_power_there_is_no_energy(self) -> None:
        result = QuantizedDeploymentProfileScenario.model_validate(PROFILE | {"hardware": {}}).evaluate()
        assert result.undefined().keys() == {"float_energy", "int_energy", "energy_improvement"}

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            pytest.param({}, [], id="smaller and faster"),
            pytest.param({"int_latency": "5 ms"}, ["slowdown"], id="slower for one input"),
            pytest.param({"int_throughput": "900 1/s"}, ["slowdown"], id="slower for many"),
            pytest.param({"int_bytes": "4 B"}, ["no_gain"], id="no smaller"),
            pytest.param({"hardware": {"name": "a card"}}, ["power_unknown"], id="no rated power"),
        ],
    )
    def test_warnings(self, changes: dict[str, Any], expected: list[str]) -> None:
        assert codes_of_warnings(QuantizedDeploymentProfileScenario.model_validate(PROFILE | changes)) == expected

    @pytest.mark.parametrize(
        ("changes", "pointer"),
        [
            pytest.param({"workload": {"name": "mine"}}, "/workload/parameters", id="parameters not stated"),
            pytest.param({"hardware": {"tdp": "0 W"}}, "/hardware/tdp", id="no power"),
            pytest.param({"float_latency": "0 s"}, "/float_latency", id="no time"),
            pytest.param({"int_latency": "-1 ms"}, "/int_latency", id="negative time"),
            pytest.param({"float_throughput": "0 1/s"}, "/float_throughput", id="no floats a second"),
            pytest.param({"int_throughput": "0 1/s"}, "/int_throughput", id="no integers a second"),
            pytest.param({"float_bytes": "0 B"}, "/float_bytes", id="floats of no size"),
            pytest.param({"int_bytes": "1 s"}, "/int_bytes", id="a size in seconds"),
            pytest.param({"float_top1_pct": 100.5}, "/float_top1_pct", id="more than all"),
            pytest.param({"int_top1_pct": -0.5}, "/int_top1_pct", id="less than none"),
            pytest.param({"float_calibration_error_pct": 101}, "/float_calibration_error_pct", id="all wrong and more"),
            pytest.param({"int_calibration_error_pct": -1}, "/int_calibration_error_pct", id="better than exact"),
            pytest.param({"top1_limit_pct": 101}, "/top1_limit_pct", id="a limit above all"),
            pytest.param({"calibration_error_limit_pct": -1}, "/calibration_error_limit_pct", id="a limit below none"),
        ],
    )
    def test_refused(self, changes: dict[str, Any], pointer: str) -> None:
        assert pointers(QuantizedDeploymentProfileScenario, PROFILE | changes) == [pointer]


class TestSparseFlashFit:
    @pytest.mark.parametrize(
        ("changes", "output", "expected"),
        [
            pytest.param({}, "dense_bytes", 12e6, id="three million values of four bytes"),
            pytest.param({}, "pruned_share", 2 / 3, id="a million values left"),
            pytest.param({}, "bytes_per_nonzero", 6, id="four bytes and two more"),
            pytest.param({}, "stored_bytes", 6e6, id="half as much again"),
            pytest.param({}, "fits", True, id="six of eight megabytes"),
            # Han et al. (2016), section 2: 2a + n + 1 numbers, of which the n + 1 row pointers are left out here.
            pytest.param({"index_bytes": "4 B"}, "stored_bytes", 8e6, id="2a numbers, indices as wide as values"),
            pytest.param({"index_bytes": "4 B"}, "fits", True, id="equal to the budget"),
            # A pruned share of 2 / 6 is where 2-byte indices cost what they save.
            pytest.param({"surviving_bytes": "8 MB"}, "stored_bytes", 12e6, id="break-even with the dense form"),
            pytest.param({"index_bytes": "0 B", "surviving_bytes": "12 MB"}, "pruned_share", 0, id="nothing pruned"),
            pytest.param({"surviving_bytes": "0 B"}, "pruned_share", 1, id="everything pruned"),
            pytest.param(
                {"surviving_bytes": "1400000 B", "flash_budget": "2 MB"}, "fits", False, id="2.1 MB in decimal 2 MB"
            ),
            pytest.param(
                {"surviving_bytes": "1398000 B", "flash_budget": "2 MiB"}, "fits", True, id="2.097 MB in binary 2 MiB"
            ),
        ],
    )
    def test_known_values(self, changes: dict[str, Any], output: str, expected: float) -> None:
        result = SparseFlashFitScenario.model_validate(SPARSE | changes).evaluate()
        assert getattr(result, output) == pytest.approx(expected)

    @given(scenarios(SparseFlashFitScenario))
    def test_indices_only_add(self, flash: SparseFlashFitScenario) -> None:
        result = flash.evaluate()
        assert 0 <= result.pruned_share <= 1
        assert result.stored_bytes * SLACK >= flash.surviving_bytes

    @given(scenarios(SparseFlashFitScenario))
    def test_the_dense_form_is_smaller_below_the_share_that_pays_for_the_indices(
        self, flash: SparseFlashFitScenario
    ) -> None:
        result = flash.evaluate()
        pays = flash.index_bytes / result.bytes_per_nonzero
        if result.pruned_share > pays + 1e-6:
            assert result.stored_bytes < result.dense_bytes
        if result.pruned_share < pays - 1e-6:
            assert result.stored_bytes > result.dense_bytes

    @given(scenarios(SparseFlashFitScenario))
    def test_a_larger_flash_never_stops_fitting(self, flash: SparseFlashFitScenario) -> None:
        larger = flash.variant(flash_budget={"value": 2 * flash.flash_budget, "unit": "byte"})
        assert larger.evaluate().fits >= flash.evaluate().fits

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            pytest.param({}, [], id="fits"),
            pytest.param({"flash_budget": "4 MB"}, ["does_not_fit"], id="the values fit, the indices do not"),
            pytest.param({"flash_budget": "3 MB"}, ["does_not_fit"], id="not even the values fit"),
            pytest.param({"surviving_bytes": "9 MB", "flash_budget": "20 MB"}, ["no_gain"], id="larger than dense"),
        ],
    )
    def test_warnings(self, changes: dict[str, Any], expected: list[str]) -> None:
        assert codes_of_warnings(SparseFlashFitScenario.model_validate(SPARSE | changes)) == expected

    def test_a_warning_says_whether_the_values_alone_would_fit(self) -> None:
        trap = Scenarios.WearableMobileNetV2SparseFlash.scenario
        (warning,) = trap.warnings(trap.evaluate())
        assert "with their indices they do not" in warning.message

    @pytest.mark.parametrize(
        ("changes", "pointer"),
        [
            pytest.param({"surviving_bytes": "12.1 MB"}, "/surviving_bytes", id="more left than there was"),
            pytest.param({"surviving_bytes": "-1 B"}, "/surviving_bytes", id="less than nothing left"),
            pytest.param({"workload": {"name": "mine"}}, "/workload/parameters", id="parameters not stated"),
            pytest.param({"value_bytes": "0 B"}, "/value_bytes", id="values of no size"),
            pytest.param({"index_bytes": "-1 B"}, "/index_bytes", id="indices of negative size"),
            pytest.param({"flash_budget": "0 B"}, "/flash_budget", id="no flash"),
            pytest.param({"flash_budget": "2 M"}, "/flash_budget", id="no unit of data"),
        ],
    )
    def test_refused(self, changes: dict[str, Any], pointer: str) -> None:
        assert pointers(SparseFlashFitScenario, SPARSE | changes) == [pointer]


class TestStagedCompression:
    @pytest.mark.parametrize(
        ("changes", "output", "expected"),
        [
            # Devlin et al. (2019), section 3: BERT-Base has 110 million parameters.
            pytest.param({}, "full_bytes", 440e6, id="BERT-Base in floats"),
            # Sanh et al. (2019), DistilBERT: 66 million parameters, 40 percent fewer.
            pytest.param({}, "parameter_reduction", 0.4, id="DistilBERT against BERT-Base"),
            pytest.param({}, "student_float_bytes", 264e6, id="DistilBERT in floats"),
            pytest.param({}, "compressed_bytes", 66e6, id="DistilBERT in bytes"),
            pytest.param({}, "compression_ratio", 20 / 3, id="1 / 0.6 times 4 / 1"),
            pytest.param({}, "final_loss", 0.02, id="0.80 down to 0.78"),
            pytest.param({"student_params": 110e6}, "compression_ratio", 4, id="quantized only"),
            pytest.param({"final_accuracy": 0.81}, "final_loss", -0.01, id="a better final model"),
        ],
    )
    def test_known_values(self, changes: dict[str, Any], output: str, expected: float) -> None:
        result = StagedCompressionScenario.model_validate(STAGED | changes).evaluate()
        assert getattr(result, output) == pytest.approx(expected)

    @given(scenarios(StagedCompressionScenario))
    def test_the_stages_multiply(self, staged: StagedCompressionScenario) -> None:
        result = staged.evaluate()
        assert 0 <= result.parameter_reduction < 1
        pruned = staged.teacher.parameters / staged.student_params
        assert result.compression_ratio == pytest.approx(pruned * staged.float_bytes / staged.int_bytes)

    @given(scenarios(StagedCompressionScenario), st.floats(0, 1))
    def test_what_is_recorded_changes_no_output(self, staged: StagedCompressionScenario, other: float) -> None:
        changed = staged.variant(
            pruned_accuracy=other, distilled_accuracy=other, quantize_first_loss=other, mobile_speedup=1 + other
        )
        assert changed.evaluate().__dict__ == staged.evaluate().__dict__

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            pytest.param({}, [], id="smaller, and the better order"),
            pytest.param({"int_bytes": "4 B"}, ["no_gain"], id="integers of four bytes"),
            pytest.param({"quantize_first_loss": 0.01}, ["no_gain"], id="the other order lost less"),
            pytest.param({"mobile_speedup": 0.9}, ["slowdown"], id="slower on the phone"),
        ],
    )
    def test_warnings(self, changes: dict[str, Any], expected: list[str]) -> None:
        assert codes_of_warnings(StagedCompressionScenario.model_validate(STAGED | changes)) == expected

    @pytest.mark.parametrize(
        ("changes", "pointer"),
        [
            pytest.param({"student_params": 111e6}, "/student_params", id="a student above its teacher"),
            pytest.param({"student_params": 0}, "/student_params", id="no student"),
            pytest.param({"teacher": {"name": "mine"}}, "/teacher/parameters", id="parameters not stated"),
            pytest.param({"float_bytes": "0 B"}, "/float_bytes", id="floats of no size"),
            pytest.param({"int_bytes": "0 B"}, "/int_bytes", id="integers of no size"),
            pytest.param({"baseline_accuracy": 76.2}, "/baseline_accuracy", id="percent in place of a fraction"),
            pytest.param({"pruned_accuracy": -0.1}, "/pruned_accuracy", id="negative accuracy"),
            pytest.param({"distilled_accuracy": 1.1}, "/distilled_accuracy", id="accuracy above 1"),
            pytest.param({"final_accuracy": 75.6}, "/final_accuracy", id="percent at the end"),
            pytest.param({"mobile_speedup": 0}, "/mobile_speedup", id="no speedup"),
            pytest.param({"quantize_first_loss": 2.1}, "/quantize_first_loss", id="points in place of a fraction"),
        ],
    )
    def test_refused(self, changes: dict[str, Any], pointer: str) -> None:
        assert pointers(StagedCompressionScenario, STAGED | changes) == [pointer]


class TestWorkLatencyGap:
    @pytest.mark.parametrize(
        ("work", "latency", "expected"),
        [
            pytest.param(0.4, 0.12, 0.3, id="irregular sparsity"),
            pytest.param(0.5, 0.5, 1, id="half the work at twice the speed"),
            pytest.param(1 - 300 / 582, 1 - NARROW_MS / WIDE_MS, 0.9601, id="MobileNetV2 from width 1.4 to 1.0"),
            pytest.param(0.5, -0.2, -0.4, id="a fifth slower"),
            pytest.param(0.25, 0.5, 2, id="a model that starts to fit in cache"),
            pytest.param(1, 1, 1, id="all of it"),
        ],
    )
    def test_known_values(self, work: float, latency: float, expected: float) -> None:
        gap = WorkLatencyGapScenario(work_reduction=work, latency_reduction=latency)
        assert gap.evaluate().delivered_share == pytest.approx(expected, rel=1e-4)

    @given(scenarios(WorkLatencyGapScenario))
    def test_the_share_of_the_work_is_the_latency(self, gap: WorkLatencyGapScenario) -> None:
        assert gap.evaluate().delivered_share * gap.work_reduction == pytest.approx(gap.latency_reduction)

    @given(scenarios(WorkLatencyGapScenario))
    def test_its_sign_is_that_of_the_latency(self, gap: WorkLatencyGapScenario) -> None:
        assert (gap.evaluate().delivered_share < 0) == (gap.latency_reduction < 0)

    @pytest.mark.parametrize(
        ("latency", "expected"),
        [
            pytest.param(0.12, [], id="faster"),
            pytest.param(0, ["no_gain"], id="no faster"),
            pytest.param(-0.1, ["slowdown"], id="slower"),
            pytest.param(np.array([0.1, 0.0, -0.1]), ["slowdown", "no_gain"], id="some of each"),
        ],
    )
    def test_warnings(self, latency: Any, expected: list[str]) -> None:
        inputs = GAP | {"latency_reduction": latency}
        assert codes_of_warnings(WorkLatencyGapScenario.model_validate(inputs)) == expected

    @pytest.mark.parametrize(
        ("changes", "pointer"),
        [
            pytest.param({"work_reduction": 0}, "/work_reduction", id="no work removed"),
            pytest.param({"work_reduction": 40}, "/work_reduction", id="percent of work"),
            pytest.param({"work_reduction": -0.1}, "/work_reduction", id="work added"),
            pytest.param({"latency_reduction": 12}, "/latency_reduction", id="percent of latency"),
            pytest.param({"latency_reduction": "0.12"}, "/latency_reduction", id="a text"),
        ],
    )
    def test_refused(self, changes: dict[str, Any], pointer: str) -> None:
        assert pointers(WorkLatencyGapScenario, GAP | changes) == [pointer]
