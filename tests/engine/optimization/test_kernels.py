"""Compiling, fusing and passing over tensors: known values, laws, warnings, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from mlsysim.catalog import Hardware, catalog
from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_catalog import Scenarios
from mlsysim.engine.scenario_definitions.optimization import (
    CompileBreakevenScenario,
    ConvBnReluFusionScenario,
    ElementwiseOpScenario,
    KernelFusionScenario,
    RooflinePointScenario,
)
from mlsysim.errors import input_errors
from tests.strategies import scenarios

SLACK = 1 + 1e-9

COMPILE: dict[str, Any] = {"eager_rate": "100 1/s", "compiled_rate": "200 1/s", "compile_time": "30 s"}
BLOCK: dict[str, Any] = {
    "channels": 1,
    "height": 2,
    "width": 2,
    "kernel_size": 1,
    "bytes_per_value": "1 B",
    "norm_params_per_channel": 2,
    "hardware": {"memory": {"bandwidth": "1 GB/s"}},
}
RELU: dict[str, Any] = {"elements": 1000, "flops_per_element": 1, "bytes_per_value": "4 B"}


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        # 10 ms against 5 ms an item: 5 ms saved, and 30 s / 5 ms.
        pytest.param({}, "saving_per_item", 0.005, id="twice as fast saves half of the time"),
        pytest.param({}, "breakeven_items", 6000, id="twice as fast repays 30 s in 6,000 items"),
        # 1/1450 - 1/2150 = 700 / (1450 x 2150) s an item.
        pytest.param(
            {"eager_rate": "1450 1/s", "compiled_rate": "2150 1/s"},
            "breakeven_items",
            30 * 1450 * 2150 / 700,
            id="half as fast again repays it in 133,607 items",
        ),
        pytest.param(
            {"compile_time": "0 s"}, "breakeven_items", 0, id="a compile that takes no time is repaid at once"
        ),
        pytest.param({"compiled_rate": "100 1/s"}, "breakeven_items", None, id="no faster, never repaid"),
        pytest.param({"compiled_rate": "50 1/s"}, "breakeven_items", None, id="slower, never repaid"),
        pytest.param({"compiled_rate": "50 1/s"}, "saving_per_item", -0.01, id="slower, a negative saving"),
        pytest.param({}, "experiment_eager", None, id="no experiment given"),
        # Ten code changes after a first compile: eleven compiles of 30 s, and 1,000 items at 5 ms, against 10 s.
        pytest.param(
            {"experiment_items": 1000, "recompiles": 11}, "experiment_compiled_total", 335, id="eleven compiles of 30 s"
        ),
        pytest.param(
            {"experiment_items": 1000, "recompiles": 11}, "experiment_slowdown", 33.5, id="335 s against 10 s"
        ),
        pytest.param({"experiment_items": 1000}, "experiment_compiled_running", 5, id="running without the compiles"),
        pytest.param({"experiment_items": 1000}, "experiment_slowdown", None, id="compiles not counted"),
    ],
)
def test_compiling(changes: dict[str, Any], output: str, expected: float | None) -> None:
    result = CompileBreakevenScenario.model_validate(COMPILE | changes).evaluate()
    assert getattr(result, output) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        # A map of 4 bytes, 1 byte of weights, 2 bytes of norm: 9 + 10 + 8 bytes in three kernels, 9 in one.
        pytest.param({}, "unfused_traffic", 27, id="three kernels on a map of 4 bytes"),
        pytest.param({}, "fused_traffic", 9, id="one kernel on a map of 4 bytes"),
        pytest.param({}, "traffic_cut", 2 / 3, id="two thirds of 27 bytes"),
        pytest.param({}, "eliminated_activation_traffic", 16, id="four trips of 4 bytes"),
        pytest.param({}, "unfused_time", 27e-9, id="27 bytes at 1 GB/s"),
        # Scale, shift, mean and variance in place of merged scale and shift.
        pytest.param({"norm_params_per_channel": 4}, "norm_traffic", 12, id="a norm that is not merged"),
        # 256 filters of 3 x 3 x 256 values.
        pytest.param(
            {"channels": 256, "height": 28, "width": 28, "kernel_size": 3, "bytes_per_value": "4 B"},
            "conv_weights",
            256 * 256 * 9 * 4,
            id="weights of a 3 x 3 convolution",
        ),
        # One pixel: 512 x 512 x 9 weights against 6 x 512 values, so hardly anything to fuse away.
        pytest.param(
            {"channels": 512, "height": 1, "width": 1, "kernel_size": 3, "norm_params_per_channel": 0},
            "traffic_cut",
            4 * 512 / (6 * 512 + 512 * 512 * 9),
            id="a map of one pixel",
        ),
    ],
)
def test_fusing_a_convolution_block(changes: dict[str, Any], output: str, expected: float) -> None:
    result = ConvBnReluFusionScenario.model_validate(BLOCK | changes).evaluate()
    assert getattr(result, output) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        # One operation for 4 bytes in and 4 bytes out.
        pytest.param({}, "intensity", 1 / 8, id="ReLU in FP32"),
        pytest.param({"bytes_per_value": "16 bit"}, "intensity", 1 / 4, id="ReLU in FP16"),
        # Two tensors in, one out.
        pytest.param({"bytes_per_value": "2 B", "reads": 2}, "intensity", 1 / 6, id="residual add in FP16"),
        # Milakov and Gimelshein (2018), sections 2 and 3: 4 accesses per value for a safe softmax, 3 for an online one.
        pytest.param({"bytes_per_value": "1 B", "reads": 3}, "traffic_bytes", 4 * 1000, id="safe softmax"),
        pytest.param({"bytes_per_value": "1 B", "reads": 2}, "traffic_bytes", 3 * 1000, id="online softmax"),
        pytest.param({"parameter_values": 20}, "parameter_bytes", 80, id="scale and shift of ten channels in FP32"),
        pytest.param({"parameter_values": 20}, "traffic_bytes", 8080, id="parameters are read once"),
        pytest.param({"flops_per_element": 0}, "intensity", 0, id="a copy does no arithmetic"),
        pytest.param({"reads": 0}, "input_bytes", 0, id="filling a tensor reads nothing"),
        pytest.param({"writes": 0}, "traffic_bytes", 4000, id="a sum that stays on chip writes nothing"),
    ],
)
def test_passing_over_a_tensor(changes: dict[str, Any], output: str, expected: float) -> None:
    result = ElementwiseOpScenario.model_validate(RELU | changes).evaluate()
    assert getattr(result, output) == pytest.approx(expected)


class TestCompileBreakeven:
    @given(scenarios(CompileBreakevenScenario))
    def test_it_breaks_even_exactly_where_compiled_code_is_faster(self, model: CompileBreakevenScenario) -> None:
        result = model.evaluate()
        assert (result.breakeven_items is not None) == (result.saving_per_item > 0)
        assert result.speedup == pytest.approx(result.eager_item_time / result.compiled_item_time)

    @given(scenarios(CompileBreakevenScenario))
    def test_an_experiment_of_the_break_even_with_one_compile_takes_equally_long(
        self, model: CompileBreakevenScenario
    ) -> None:
        items = model.evaluate().breakeven_items
        assume(items is not None and items >= 1)
        assert items is not None
        eager = items / model.eager_rate
        compiled = model.compile_time + items / model.compiled_rate
        assert compiled == pytest.approx(eager)
        more = model.variant(experiment_items=2 * round(items) + 2, recompiles=1).evaluate()
        fewer = model.variant(experiment_items=max(1, round(items) // 2), recompiles=1).evaluate()
        assert more.experiment_slowdown is not None
        assert more.experiment_slowdown < 1
        assert fewer.experiment_slowdown is not None
        assert items < 2 or fewer.experiment_slowdown > 1

    @given(scenarios(CompileBreakevenScenario), st.integers(1, 100))
    def test_each_further_compile_costs_its_time(self, model: CompileBreakevenScenario, more: int) -> None:
        once = model.variant(experiment_items=1000, recompiles=1).evaluate().experiment_compiled_total
        often = model.variant(experiment_items=1000, recompiles=1 + more).evaluate().experiment_compiled_total
        assert once is not None
        assert often == pytest.approx(once + more * model.compile_time)

    @given(scenarios(CompileBreakevenScenario))
    def test_without_compiles_the_slowdown_is_one_over_the_speedup(self, model: CompileBreakevenScenario) -> None:
        result = model.variant(experiment_items=1000, recompiles=0).evaluate()
        assert result.experiment_slowdown == pytest.approx(1 / result.speedup)


class TestConvBnReluFusion:
    @given(scenarios(ConvBnReluFusionScenario))
    def test_fusing_always_saves_and_never_all(self, block: ConvBnReluFusionScenario) -> None:
        result = block.evaluate()
        assert 0 < result.traffic_cut < 1
        assert result.time_ratio > 1

    @given(scenarios(ConvBnReluFusionScenario))
    def test_what_is_saved_is_four_trips_and_the_parameters_of_the_norm(self, block: ConvBnReluFusionScenario) -> None:
        result = block.evaluate()
        saved = result.unfused_traffic - result.fused_traffic
        assert saved == pytest.approx(result.eliminated_activation_traffic + result.norm_params)
        assert result.traffic_cut == pytest.approx(saved / result.unfused_traffic)

    @given(scenarios(ConvBnReluFusionScenario))
    def test_ratios_say_the_same_whatever_the_device_and_the_format(self, block: ConvBnReluFusionScenario) -> None:
        result = block.evaluate()
        assert result.time_ratio == pytest.approx(1 / (1 - result.traffic_cut))
        other = block.variant(hardware="T4", bytes_per_value="1 B").evaluate()
        assert other.time_ratio == pytest.approx(result.time_ratio)

    @given(scenarios(ConvBnReluFusionScenario))
    def test_a_larger_map_gains_more_unless_the_norm_outweighs_the_weights(
        self, block: ConvBnReluFusionScenario
    ) -> None:
        assume(block.norm_params_per_channel <= 2 * block.channels * block.kernel_size**2)
        larger = block.variant(height=2 * block.height)
        assert larger.evaluate().traffic_cut * SLACK >= block.evaluate().traffic_cut


class TestElementwiseOp:
    @given(scenarios(ElementwiseOpScenario))
    def test_parameters_only_lower_the_intensity(self, kernel: ElementwiseOpScenario) -> None:
        without = kernel.variant(parameter_values=0).evaluate()
        assert kernel.evaluate().intensity <= without.intensity * SLACK

    @given(scenarios(ElementwiseOpScenario))
    def test_without_parameters_the_number_of_values_cancels(self, kernel: ElementwiseOpScenario) -> None:
        intensity = kernel.variant(parameter_values=0).evaluate().intensity
        passes = kernel.reads + kernel.writes
        assert intensity == pytest.approx(kernel.flops_per_element / (passes * kernel.bytes_per_value))

    @given(scenarios(ElementwiseOpScenario), st.integers(1, 10))
    def test_each_further_read_adds_the_tensor(self, kernel: ElementwiseOpScenario, more: int) -> None:
        tensor = kernel.elements * kernel.bytes_per_value
        again = kernel.variant(reads=kernel.reads + more).evaluate()
        assert again.traffic_bytes == pytest.approx(kernel.evaluate().traffic_bytes + more * tensor)

    def test_counts_of_values_beyond_two_to_the_53_are_exact(self) -> None:
        values = 2**53 + 1
        kernel = ElementwiseOpScenario.model_validate(RELU | {"elements": values})
        assert kernel.elements == values


class TestChainOfThreeKernels:
    """A convolution block is a chain of three kernels with weights; where those do not count, both say the same."""

    def test_both_count_the_same_trips(self) -> None:
        chain = _chain(3).evaluate()
        block = ConvBnReluFusionScenario.model_validate(BLOCK).evaluate()
        assert (chain.unfused_trips, chain.fused_trips) == (6, 2)
        assert (block.unfused_trips, block.fused_trips) == (6, 2)

    @given(scenarios(ConvBnReluFusionScenario))
    def test_trips_saved_are_the_activations_saved(self, block: ConvBnReluFusionScenario) -> None:
        chain = _chain(3).evaluate()
        result = block.evaluate()
        trips_saved = chain.unfused_trips - chain.fused_trips
        assert result.eliminated_activation_traffic == pytest.approx(trips_saved * result.feature_map)

    @given(scenarios(ConvBnReluFusionScenario))
    def test_the_ratio_of_the_chain_is_the_limit_of_the_block(self, block: ConvBnReluFusionScenario) -> None:
        """The chain knows no weights, which cross the bus in either case and only dilute what fusing gains.

        The norm's parameters do fall away, which passes the limit where they outweigh the weights twice over.
        """
        chain = _chain(3).evaluate()
        result = block.evaluate()
        assert (result.time_ratio < chain.traffic_ratio) == (result.norm_params < 2 * result.conv_weights)
        larger = block.variant(height=10**15).evaluate()
        assert larger.time_ratio == pytest.approx(chain.traffic_ratio, rel=1e-3)

    @given(scenarios(ConvBnReluFusionScenario))
    def test_norm_and_relu_of_the_block_are_passes_over_a_tensor(self, block: ConvBnReluFusionScenario) -> None:
        relu = ElementwiseOpScenario.model_validate(
            {
                "elements": block.channels * block.height * block.width,
                "flops_per_element": 1,
                "bytes_per_value": {"value": block.bytes_per_value, "unit": "B"},
            }
        )
        norm = relu.variant(parameter_values=block.channels * block.norm_params_per_channel)
        assert relu.evaluate().traffic_bytes == pytest.approx(block.evaluate().relu_traffic)
        assert norm.evaluate().traffic_bytes == pytest.approx(block.evaluate().norm_traffic)

    @given(st.integers(1, 50))
    def test_a_chain_moves_what_its_kernels_move(self, length: int) -> None:
        chain = _chain(length).evaluate()
        kernel = ElementwiseOpScenario.model_validate(RELU)
        tensor = kernel.elements * kernel.bytes_per_value
        assert length * kernel.evaluate().traffic_bytes == chain.unfused_trips * tensor
        assert kernel.evaluate().traffic_bytes == chain.fused_trips * tensor


def _chain(length: int) -> KernelFusionScenario:
    return KernelFusionScenario.model_validate({"chain_length": length, "dispatch": "10 us", "launch": "5 us"})


class TestElementwiseOpOnTheRoofline:
    @given(scenarios(ElementwiseOpScenario), st.sampled_from(list(catalog().entries("hardware"))))
    def test_the_best_time_is_that_of_arithmetic_or_traffic_whichever_is_longer(
        self, kernel: ElementwiseOpScenario, key: str
    ) -> None:
        result = kernel.evaluate()
        assume(result.flops > 0)
        point = _on_the_roofline(result.intensity, key)
        slowest = max(result.flops / point.evaluate().peak, result.traffic_bytes / point.hardware.memory.bandwidth)
        assert result.flops / point.evaluate().attainable == pytest.approx(slowest)

    @pytest.mark.parametrize("name", ["Gpt2XlLayerNormPrefill", "Gpt2XlSoftmaxPrefill"])
    @pytest.mark.parametrize("key", list(catalog().entries("hardware")))
    def test_norm_and_softmax_are_bound_by_memory_on_any_accelerator(self, name: str, key: str) -> None:
        """As their configurations say. A microcontroller is none: its ridge is at one operation per byte or below."""
        kernel = getattr(Scenarios, name).evaluate()
        point = _on_the_roofline(kernel.intensity, key)
        if point.hardware.device_class != "tiny":
            assert kernel.intensity < point.evaluate().ridge
            assert point.evaluate().attainable == point.hardware.memory.bandwidth * kernel.intensity


def _on_the_roofline(intensity: float, key: str) -> RooflinePointScenario:
    hardware = catalog().entry("hardware", key)
    assert isinstance(hardware, Hardware)
    return RooflinePointScenario.model_validate(
        {"hardware": key, "intensity": {"value": intensity, "unit": "FLOP/byte"}}
    )


@pytest.mark.parametrize(
    ("scenario", "inputs", "codes"),
    [
        pytest.param(CompileBreakevenScenario, COMPILE, [], id="compiled code is faster"),
        pytest.param(
            CompileBreakevenScenario, COMPILE | {"compiled_rate": "90 1/s"}, ["slowdown"], id="compiled code is slower"
        ),
        pytest.param(
            CompileBreakevenScenario,
            COMPILE | {"compiled_rate": "100 1/s"},
            ["no_gain"],
            id="compiled code is no faster",
        ),
        pytest.param(
            CompileBreakevenScenario,
            COMPILE | {"experiment_items": 1000, "recompiles": 1},
            ["slowdown"],
            id="too short an experiment",
        ),
        pytest.param(
            CompileBreakevenScenario,
            COMPILE | {"experiment_items": 100_000, "recompiles": 1},
            [],
            id="an experiment long enough",
        ),
        pytest.param(ConvBnReluFusionScenario, BLOCK, [], id="a map worth fusing"),
        pytest.param(
            ConvBnReluFusionScenario,
            BLOCK | {"channels": 512, "kernel_size": 3, "height": 1, "width": 1},
            ["no_gain"],
            id="weights that outweigh the map",
        ),
    ],
)
def test_warnings(scenario: type[Scenario[Any]], inputs: dict[str, Any], codes: list[str]) -> None:
    valid = scenario.model_validate(inputs)
    assert [warning.code for warning in valid.warnings(valid.evaluate())] == codes


@pytest.mark.parametrize(
    ("scenario", "inputs", "pointer"),
    [
        (CompileBreakevenScenario, COMPILE | {"eager_rate": "0 1/s"}, "/eager_rate"),
        (CompileBreakevenScenario, COMPILE | {"compiled_rate": "0 1/s"}, "/compiled_rate"),
        (CompileBreakevenScenario, COMPILE | {"compile_time": "-1 s"}, "/compile_time"),
        (CompileBreakevenScenario, COMPILE | {"experiment_items": 0}, "/experiment_items"),
        (CompileBreakevenScenario, COMPILE | {"recompiles": -1}, "/recompiles"),
        (ConvBnReluFusionScenario, BLOCK | {"channels": 0}, "/channels"),
        (ConvBnReluFusionScenario, BLOCK | {"height": 0}, "/height"),
        (ConvBnReluFusionScenario, BLOCK | {"width": 0}, "/width"),
        (ConvBnReluFusionScenario, BLOCK | {"kernel_size": 0}, "/kernel_size"),
        (ConvBnReluFusionScenario, BLOCK | {"bytes_per_value": "0 B"}, "/bytes_per_value"),
        (ConvBnReluFusionScenario, BLOCK | {"norm_params_per_channel": -1}, "/norm_params_per_channel"),
        (ConvBnReluFusionScenario, BLOCK | {"hardware": {}}, "/hardware/memory/bandwidth"),
        (
            ConvBnReluFusionScenario,
            BLOCK | {"hardware": {"memory": {"bandwidth": "0 B/s"}}},
            "/hardware/memory/bandwidth",
        ),
        (ElementwiseOpScenario, RELU | {"elements": 0}, "/elements"),
        (ElementwiseOpScenario, RELU | {"flops_per_element": -1}, "/flops_per_element"),
        (ElementwiseOpScenario, RELU | {"bytes_per_value": "0 B"}, "/bytes_per_value"),
        (ElementwiseOpScenario, RELU | {"bytes_per_value": 2}, "/bytes_per_value"),
        (ElementwiseOpScenario, RELU | {"parameter_values": -1}, "/parameter_values"),
        (ElementwiseOpScenario, RELU | {"reads": -1}, "/reads"),
        (ElementwiseOpScenario, RELU | {"writes": -1}, "/writes"),
        (ElementwiseOpScenario, RELU | {"reads": 0, "writes": 0}, "/reads"),
    ],
)
def test_refused_inputs(scenario: type[Scenario[Any]], inputs: dict[str, Any], pointer: str) -> None:
    with pytest.raises(ValidationError) as refused:
        scenario.model_validate(inputs)
    assert [error.pointer for error in input_errors(refused.value)] == [pointer]
