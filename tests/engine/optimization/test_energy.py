"""The energy of arithmetic and of moving data: known values, laws, warnings, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_definitions.optimization import (
    MemoryRoundTripScenario,
    OperationEnergyComparisonScenario,
    SystolicReuseEnergyScenario,
)
from mlsysim.errors import input_errors
from tests.strategies import scenarios

SLACK = 1 + 1e-9

TENSOR: dict[str, Any] = {"tensor_bytes": "1 MB", "energy_per_byte": "160 pJ/byte"}
# Horowitz (2014), 45 nm, with the 32-bit DRAM read of 640 pJ that goes with it (Han et al. 2016, EIE, Table I).
INT8: dict[str, Any] = {
    "wide_add": "0.9 pJ/FLOP",
    "wide_mul": "3.7 pJ/FLOP",
    "narrow_add": "0.03 pJ/OP",
    "narrow_mul": "0.2 pJ/OP",
    "accumulate_add": "0.1 pJ/OP",
    "memory_read": "640 pJ",
}
FP16 = INT8 | {"narrow_add": "0.4 pJ/FLOP", "narrow_mul": "1.1 pJ/FLOP", "accumulate_add": "0.9 pJ/FLOP"}
ARRAY: dict[str, Any] = {
    "access_energy": "640 pJ",
    "mac_energy": "1 pJ",
    "naive_accesses": 4,
    "edge_loads": 2,
    "array_dim": 128,
}


@pytest.mark.parametrize(
    ("changes", "energy"),
    [
        # A million bytes at 160 pJ are 160 uJ a crossing.
        pytest.param({"trips": 1}, 160e-6, id="read only"),
        pytest.param({}, 320e-6, id="spill and reload"),
        # 640 pJ a word of 4 bytes, and the same figure taken per byte.
        pytest.param({"tensor_bytes": "4 B", "trips": 1}, 640e-12, id="one 32-bit word"),
        pytest.param({"energy_per_byte": "640 pJ/byte", "trips": 1}, 640e-6, id="a word figure per byte, four times"),
        pytest.param({"energy_per_byte": "20 pJ/bit", "trips": 1}, 160e-6, id="20 pJ a bit are 160 a byte"),
        pytest.param({"tensor_bytes": "1 MiB", "trips": 1}, 2**20 * 160e-12, id="a binary megabyte"),
        pytest.param({"tensor_bytes": "0 B"}, 0, id="nothing to move"),
    ],
)
def test_moving_a_tensor(changes: dict[str, Any], energy: float) -> None:
    assert MemoryRoundTripScenario.model_validate(TENSOR | changes).evaluate().energy == pytest.approx(energy)


@pytest.mark.parametrize(
    ("inputs", "output", "expected"),
    [
        pytest.param(INT8, "add_ratio", 30, id="INT8 addition is a thirtieth of FP32"),
        pytest.param(INT8, "mul_ratio", 18.5, id="INT8 multiplication"),
        pytest.param(INT8, "wide_mac", 4.6e-12, id="3.7 + 0.9 pJ"),
        pytest.param(INT8, "narrow_mac", 0.3e-12, id="0.2 pJ and a 32-bit sum of 0.1"),
        pytest.param(INT8, "mac_ratio", 46 / 3, id="half of what additions promise"),
        pytest.param(INT8, "read_over_narrow_mac", 6400 / 3, id="a read is worth 2,133"),
        pytest.param(INT8 | {"memory_read": "160 pJ"}, "read_over_narrow_mac", 1600 / 3, id="per operand of the read"),
        pytest.param(FP16, "mac_ratio", 2.3, id="FP16 products in FP32 sums"),
        pytest.param(FP16, "add_ratio", 2.25, id="FP16 addition"),
        pytest.param(INT8 | {"memory_read": "0 J"}, "read_over_narrow_mac", 0, id="a free read"),
    ],
)
def test_arithmetic_at_45_nm(inputs: dict[str, Any], output: str, expected: float) -> None:
    result = OperationEnergyComparisonScenario.model_validate(inputs).evaluate()
    assert getattr(result, output) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        pytest.param({}, "naive_energy", 2561e-12, id="4 x 640 + 1 pJ"),
        pytest.param({}, "systolic_accesses", 1 / 64, id="two operands for 128 uses"),
        pytest.param({}, "systolic_energy", 11e-12, id="10 + 1 pJ"),
        pytest.param({}, "ratio", 2561 / 11, id="a side of 128"),
        # Jouppi et al. (2017), section 2: 256 x 256 cells.
        pytest.param({"array_dim": 256}, "ratio", 2561 / 6, id="a side of 256"),
        pytest.param({"array_dim": 1, "edge_loads": 4}, "ratio", 1, id="no reuse at all"),
        pytest.param({"access_energy": "0 J"}, "ratio", 1, id="free accesses"),
        pytest.param({"edge_loads": 0}, "ratio", 2561, id="operands that are there already"),
    ],
)
def test_reuse_in_an_array(changes: dict[str, Any], output: str, expected: float) -> None:
    result = SystolicReuseEnergyScenario.model_validate(ARRAY | changes).evaluate()
    assert getattr(result, output) == pytest.approx(expected)


class TestMemoryRoundTrip:
    @given(scenarios(MemoryRoundTripScenario), st.integers(1, 20))
    def test_each_crossing_costs_the_same(self, tensor: MemoryRoundTripScenario, trips: int) -> None:
        once = tensor.variant(trips=1).evaluate().energy
        assert tensor.variant(trips=trips).evaluate().energy == pytest.approx(trips * once)

    @given(scenarios(MemoryRoundTripScenario))
    def test_a_spill_and_reload_is_two_crossings_unless_stated(self, tensor: MemoryRoundTripScenario) -> None:
        stated = tensor.to_json(si=True)
        del stated["trips"]
        assert MemoryRoundTripScenario.model_validate(stated).trips == 2

    @given(scenarios(MemoryRoundTripScenario))
    def test_two_halves_cost_as_much_as_the_whole(self, tensor: MemoryRoundTripScenario) -> None:
        half = tensor.variant(tensor_bytes={"value": tensor.tensor_bytes / 2, "unit": "byte"}).evaluate()
        assert 2 * half.energy == pytest.approx(tensor.evaluate().energy)


class TestOperationEnergyComparison:
    @given(scenarios(OperationEnergyComparisonScenario))
    def test_the_gain_lies_between_that_of_the_product_and_that_of_the_sum(
        self, formats: OperationEnergyComparisonScenario
    ) -> None:
        result = formats.evaluate()
        sum_ratio = formats.wide_add / formats.accumulate_add
        low, high = sorted((result.mul_ratio, sum_ratio))
        assert low / SLACK <= result.mac_ratio <= high * SLACK

    @given(scenarios(OperationEnergyComparisonScenario))
    def test_a_wider_sum_lowers_the_gain(self, formats: OperationEnergyComparisonScenario) -> None:
        wider = formats.variant(accumulate_add={"value": 2 * formats.accumulate_add, "unit": "J/FLOP"}).evaluate()
        assert wider.mac_ratio < formats.evaluate().mac_ratio
        assert wider.add_ratio == formats.evaluate().add_ratio

    @given(scenarios(OperationEnergyComparisonScenario))
    def test_a_format_against_itself_gains_nothing(self, formats: OperationEnergyComparisonScenario) -> None:
        add, mul = ({"value": price, "unit": "J/FLOP"} for price in (formats.wide_add, formats.wide_mul))
        result = formats.variant(narrow_add=add, narrow_mul=mul, accumulate_add=add).evaluate()
        assert result.add_ratio == result.mul_ratio == result.mac_ratio == 1

    @given(scenarios(OperationEnergyComparisonScenario))
    def test_the_read_pays_for_that_many_operations(self, formats: OperationEnergyComparisonScenario) -> None:
        result = formats.evaluate()
        assert result.read_over_narrow_mac * result.narrow_mac == pytest.approx(formats.memory_read)


class TestSystolicReuseEnergy:
    @given(scenarios(SystolicReuseEnergyScenario))
    def test_no_multiply_accumulate_takes_less_than_its_arithmetic(self, array: SystolicReuseEnergyScenario) -> None:
        result = array.evaluate()
        assert min(result.naive_energy, result.systolic_energy) >= array.mac_energy
        assert result.ratio <= result.naive_energy / array.mac_energy * SLACK

    @given(scenarios(SystolicReuseEnergyScenario), st.integers(2, 16))
    def test_a_larger_array_never_takes_more(self, array: SystolicReuseEnergyScenario, times: int) -> None:
        larger = array.variant(array_dim=times * array.array_dim).evaluate()
        assert larger.ratio * SLACK >= array.evaluate().ratio
        assert larger.systolic_accesses == pytest.approx(array.evaluate().systolic_accesses / times)

    @given(scenarios(SystolicReuseEnergyScenario))
    def test_reuse_saves_no_more_than_the_accesses_it_spares(self, array: SystolicReuseEnergyScenario) -> None:
        result = array.evaluate()
        if result.systolic_accesses > 0 and array.naive_accesses >= result.systolic_accesses:
            assert 1 / SLACK <= result.ratio <= array.naive_accesses / result.systolic_accesses * SLACK


@pytest.mark.parametrize(
    ("scenario", "inputs", "codes"),
    [
        pytest.param(MemoryRoundTripScenario, TENSOR, [], id="a spill and reload"),
        pytest.param(OperationEnergyComparisonScenario, INT8, [], id="a narrow format that saves"),
        pytest.param(
            OperationEnergyComparisonScenario, INT8 | {"accumulate_add": "5 pJ/OP"}, ["no_gain"], id="an expensive sum"
        ),
        pytest.param(SystolicReuseEnergyScenario, ARRAY, [], id="an array that saves"),
        pytest.param(SystolicReuseEnergyScenario, ARRAY | {"edge_loads": 512}, ["no_gain"], id="as many accesses"),
        pytest.param(SystolicReuseEnergyScenario, ARRAY | {"access_energy": "0 pJ"}, ["no_gain"], id="free accesses"),
    ],
)
def test_warnings(scenario: type[Scenario[Any]], inputs: dict[str, Any], codes: list[str]) -> None:
    valid = scenario.model_validate(inputs)
    assert [warning.code for warning in valid.warnings(valid.evaluate())] == codes


@pytest.mark.parametrize(
    ("scenario", "inputs", "pointer"),
    [
        (MemoryRoundTripScenario, TENSOR | {"tensor_bytes": "-1 B"}, "/tensor_bytes"),
        (MemoryRoundTripScenario, TENSOR | {"tensor_bytes": 1e6}, "/tensor_bytes"),
        (MemoryRoundTripScenario, TENSOR | {"energy_per_byte": "-1 pJ/byte"}, "/energy_per_byte"),
        (MemoryRoundTripScenario, TENSOR | {"energy_per_byte": "640 pJ"}, "/energy_per_byte"),
        (MemoryRoundTripScenario, TENSOR | {"energy_per_byte": {"ref": "dram_access_32bit_45nm"}}, "/energy_per_byte"),
        (MemoryRoundTripScenario, TENSOR | {"trips": 0}, "/trips"),
        (MemoryRoundTripScenario, TENSOR | {"trips": 1.5}, "/trips"),
        (OperationEnergyComparisonScenario, INT8 | {"wide_add": "0 pJ/FLOP"}, "/wide_add"),
        (OperationEnergyComparisonScenario, INT8 | {"wide_mul": "0 pJ/FLOP"}, "/wide_mul"),
        (OperationEnergyComparisonScenario, INT8 | {"narrow_add": "0 pJ/OP"}, "/narrow_add"),
        (OperationEnergyComparisonScenario, INT8 | {"narrow_mul": "0 pJ/OP"}, "/narrow_mul"),
        (OperationEnergyComparisonScenario, INT8 | {"narrow_mul": "0.2 pJ/byte"}, "/narrow_mul"),
        (OperationEnergyComparisonScenario, INT8 | {"accumulate_add": "0 pJ/OP"}, "/accumulate_add"),
        (OperationEnergyComparisonScenario, INT8 | {"memory_read": "-1 pJ"}, "/memory_read"),
        (SystolicReuseEnergyScenario, ARRAY | {"access_energy": "-1 pJ"}, "/access_energy"),
        (SystolicReuseEnergyScenario, ARRAY | {"mac_energy": "0 pJ"}, "/mac_energy"),
        (SystolicReuseEnergyScenario, ARRAY | {"naive_accesses": -1}, "/naive_accesses"),
        (SystolicReuseEnergyScenario, ARRAY | {"naive_accesses": 2.5}, "/naive_accesses"),
        (SystolicReuseEnergyScenario, ARRAY | {"edge_loads": -1}, "/edge_loads"),
        (SystolicReuseEnergyScenario, ARRAY | {"array_dim": 0}, "/array_dim"),
    ],
)
def test_refused_inputs(scenario: type[Scenario[Any]], inputs: dict[str, Any], pointer: str) -> None:
    with pytest.raises(ValidationError) as refused:
        scenario.model_validate(inputs)
    assert [error.pointer for error in input_errors(refused.value)] == [pointer]
