"""Experts and shared devices: known values, laws, warnings, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_definitions.optimization import ExpertWeightTrafficScenario, ServingConsolidationScenario
from mlsysim.errors import input_errors
from tests.agreement import same
from tests.strategies import scenarios

SLACK = 1 + 1e-9

EXPERTS: dict[str, Any] = {"workload": "DeepSeek_V3", "dense_parameters": 70e9, "bytes_per_param": "1 B"}
SHARING: dict[str, Any] = {
    "device_memory": "80 GB",
    "partition_memory": "40 GB",
    "small_footprint": "26 GB",
    "tenants": 2,
    "n_small": 100,
    "large_model": "GPT3",
    "n_large": 10,
    "gpus_per_large": 8,
    "bytes_per_param": "2 B",
    "device_hour_rate": "2 USD/h",
}


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        # DeepSeek-AI (2024), abstract: 671 billion parameters, 37 billion activated for each token; trained in FP8.
        pytest.param({}, "resident_bytes", 671e9, id="DeepSeek-V3 in FP8"),
        pytest.param({}, "active_bytes", 37e9, id="DeepSeek-V3, one token"),
        pytest.param({}, "resident_to_active", 671 / 37, id="DeepSeek-V3, held for each byte read"),
        pytest.param({"bytes_per_param": "2 B"}, "dense_bytes", 140e9, id="70 billion parameters in BF16"),
        pytest.param({}, "dense_to_active", 70 / 37, id="a dense model a tenth as large reads more"),
        # Jiang et al. (2024), Mixtral of Experts: 12.9 billion of 46.7 billion parameters.
        pytest.param({"workload": "Mixtral_8x7B"}, "resident_to_active", 46.7 / 12.9, id="Mixtral"),
        pytest.param({"bytes_per_param": "4 bit"}, "active_bytes", 18.5e9, id="four bits are half a byte"),
    ],
)
def test_weights_of_experts(changes: dict[str, Any], output: str, expected: float) -> None:
    result = ExpertWeightTrafficScenario.model_validate(EXPERTS | changes).evaluate()
    assert getattr(result, output) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        pytest.param({}, "exclusive_unused", 54 / 80, id="26 of 80 GB in use"),
        pytest.param({}, "shared_footprint", 52e9, id="two of 26 GB"),
        pytest.param({}, "shared_unused", 0.35, id="28 of 80 GB idle"),
        # The MIG user guide's 3g.40gb.
        pytest.param({}, "partition_unused", 0.35, id="14 of 40 GB idle"),
        pytest.param({"partition_memory": "20 GB"}, "partition_unused", -0.3, id="a partition too small"),
        pytest.param({"partition_memory": None}, "partition_unused", None, id="no partition"),
        # 175 billion parameters of two bytes.
        pytest.param({}, "large_weights", 350e9, id="GPT-3 in FP16"),
        pytest.param({}, "min_devices_large", 5, id="four and a half devices are five"),
        pytest.param({}, "exclusive_gpus", 180, id="100 and 10 x 8"),
        pytest.param({}, "shared_gpus", 130, id="50 and 10 x 8"),
        pytest.param({}, "saved_share", 50 / 180, id="more than a quarter"),
        pytest.param({"n_small": 101}, "shared_small_gpus", 51, id="101 in pairs"),
        pytest.param({"tenants": 3}, "shared_small_gpus", 34, id="100 in threes"),
        pytest.param({"n_large": 0}, "saved_share", 0.5, id="small models only"),
        # 50 devices x 2 USD/h x 8,760 h.
        pytest.param({}, "annual_value", 876_000, id="a year of 8,760 hours"),
        pytest.param({"device_hour_rate": "0 USD/h"}, "annual_value", 0, id="devices that cost nothing"),
        pytest.param({}, "exclusive_utilization", 0.325, id="one model on a device"),
        pytest.param({"small_footprint": "40 GB"}, "shared_utilization", 1, id="a device filled to the brim"),
    ],
)
def test_sharing_devices(changes: dict[str, Any], output: str, expected: float | None) -> None:
    inputs = {name: value for name, value in (SHARING | changes).items() if value is not None}
    found = getattr(ServingConsolidationScenario.model_validate(inputs).evaluate(), output)
    assert found == (None if expected is None else pytest.approx(expected))


class TestExpertWeightTraffic:
    @given(scenarios(ExpertWeightTrafficScenario))
    def test_a_token_never_reads_more_than_is_held(self, model: ExpertWeightTrafficScenario) -> None:
        result = model.evaluate()
        assert result.active_bytes <= result.resident_bytes
        assert result.resident_to_active >= 1

    @given(scenarios(ExpertWeightTrafficScenario))
    def test_the_number_format_cancels_in_both_ratios(self, model: ExpertWeightTrafficScenario) -> None:
        narrow, result = model.variant(bytes_per_param="0.5 B").evaluate(), model.evaluate()
        assert narrow.resident_to_active == pytest.approx(result.resident_to_active)
        assert narrow.dense_to_active == pytest.approx(result.dense_to_active)

    @given(scenarios(ExpertWeightTrafficScenario))
    def test_a_dense_model_as_large_reads_all_that_the_sparse_one_holds(
        self, model: ExpertWeightTrafficScenario
    ) -> None:
        result = model.variant(dense_parameters=model.workload.parameters).evaluate()
        assert result.dense_bytes == result.resident_bytes
        assert result.dense_to_active == result.resident_to_active


class TestServingConsolidation:
    @given(scenarios(ServingConsolidationScenario))
    def test_used_and_unused_memory_are_the_whole_device(self, serving: ServingConsolidationScenario) -> None:
        result = serving.evaluate()
        assert result.exclusive_unused + result.exclusive_utilization == pytest.approx(1)
        assert result.shared_unused + result.shared_utilization == pytest.approx(1)
        assert 0 < result.exclusive_utilization <= result.shared_utilization <= SLACK

    @given(scenarios(ServingConsolidationScenario))
    def test_every_small_model_has_a_place_and_no_device_is_empty(self, serving: ServingConsolidationScenario) -> None:
        devices = serving.evaluate().shared_small_gpus
        assert (devices - 1) * serving.tenants < serving.n_small <= devices * serving.tenants

    @given(scenarios(ServingConsolidationScenario))
    def test_sharing_never_takes_more_devices_and_never_saves_them_all(
        self, serving: ServingConsolidationScenario
    ) -> None:
        result = serving.evaluate()
        assert 0 <= result.saved_gpus < result.exclusive_gpus
        assert result.saved_share <= 1 - 1 / serving.tenants + 1e-9

    @given(scenarios(ServingConsolidationScenario))
    def test_large_models_hold_at_least_what_their_weights_need(self, serving: ServingConsolidationScenario) -> None:
        assert 1 <= serving.evaluate().min_devices_large <= serving.gpus_per_large

    @given(scenarios(ServingConsolidationScenario))
    def test_one_tenant_a_device_saves_nothing(self, serving: ServingConsolidationScenario) -> None:
        alone = serving.variant(tenants=1).evaluate()
        assert (alone.saved_gpus, alone.saved_share, alone.annual_value) == (0, 0, 0)

    @given(scenarios(ServingConsolidationScenario), st.integers(0, 1000))
    def test_large_models_save_nothing(self, serving: ServingConsolidationScenario, n_large: int) -> None:
        assert serving.variant(n_large=n_large).evaluate().saved_gpus == serving.evaluate().saved_gpus

    @given(scenarios(ServingConsolidationScenario))
    def test_the_small_model_enters_no_output(self, serving: ServingConsolidationScenario) -> None:
        for label in ("Llama2_7B", "ResNet50", None):
            assert same(serving.variant(small_model=label).evaluate(), serving.evaluate())


@pytest.mark.parametrize(
    ("scenario", "inputs", "codes"),
    [
        pytest.param(ExpertWeightTrafficScenario, EXPERTS, [], id="a sparse model that reads less"),
        pytest.param(
            ExpertWeightTrafficScenario, EXPERTS | {"dense_parameters": 37e9}, ["no_gain"], id="no less than dense"
        ),
        pytest.param(
            ExpertWeightTrafficScenario,
            EXPERTS | {"workload": {"parameters": 1e9, "active_parameters": 1e9}},
            ["no_gain"],
            id="all experts active",
        ),
        pytest.param(ServingConsolidationScenario, SHARING, [], id="two models a device"),
        pytest.param(ServingConsolidationScenario, SHARING | {"tenants": 1}, ["no_gain"], id="one model a device"),
        pytest.param(ServingConsolidationScenario, SHARING | {"n_small": 1}, ["no_gain"], id="a single model"),
        pytest.param(
            ServingConsolidationScenario,
            SHARING | {"partition_memory": "20 GB"},
            ["does_not_fit"],
            id="a partition too small",
        ),
    ],
)
def test_warnings(scenario: type[Scenario[Any]], inputs: dict[str, Any], codes: list[str]) -> None:
    valid = scenario.model_validate(inputs)
    assert [warning.code for warning in valid.warnings(valid.evaluate())] == codes


@pytest.mark.parametrize(
    ("scenario", "inputs", "pointer"),
    [
        (ExpertWeightTrafficScenario, EXPERTS | {"workload": "GPT3"}, "/workload"),
        (ExpertWeightTrafficScenario, EXPERTS | {"workload": {"parameters": 1e9}}, "/workload/active_parameters"),
        (ExpertWeightTrafficScenario, EXPERTS | {"workload": {"active_parameters": 1e9}}, "/workload/parameters"),
        (
            ExpertWeightTrafficScenario,
            EXPERTS | {"workload": {"parameters": 1e9, "active_parameters": 2e9}},
            "/workload",
        ),
        (
            ExpertWeightTrafficScenario,
            EXPERTS | {"workload": {"parameters": 1e9, "active_parameters": 0}},
            "/workload/active_parameters",
        ),
        (ExpertWeightTrafficScenario, EXPERTS | {"dense_parameters": 0}, "/dense_parameters"),
        (ExpertWeightTrafficScenario, EXPERTS | {"bytes_per_param": "0 B"}, "/bytes_per_param"),
        (ExpertWeightTrafficScenario, EXPERTS | {"bytes_per_param": 2}, "/bytes_per_param"),
        (ServingConsolidationScenario, SHARING | {"device_memory": "0 GB"}, "/device_memory"),
        (ServingConsolidationScenario, SHARING | {"partition_memory": "0 GB"}, "/partition_memory"),
        (ServingConsolidationScenario, SHARING | {"small_model": "Llama"}, "/small_model"),
        (ServingConsolidationScenario, SHARING | {"small_footprint": "0 GB"}, "/small_footprint"),
        (ServingConsolidationScenario, SHARING | {"tenants": 0}, "/tenants"),
        (ServingConsolidationScenario, SHARING | {"tenants": 4}, "/tenants"),
        (ServingConsolidationScenario, SHARING | {"n_small": 0}, "/n_small"),
        (ServingConsolidationScenario, SHARING | {"large_model": {"name": "mine"}}, "/large_model/parameters"),
        (ServingConsolidationScenario, SHARING | {"n_large": -1}, "/n_large"),
        (ServingConsolidationScenario, SHARING | {"gpus_per_large": 0}, "/gpus_per_large"),
        (ServingConsolidationScenario, SHARING | {"gpus_per_large": 4}, "/gpus_per_large"),
        (ServingConsolidationScenario, SHARING | {"bytes_per_param": "0 B"}, "/bytes_per_param"),
        (ServingConsolidationScenario, SHARING | {"device_hour_rate": "-1 USD/h"}, "/device_hour_rate"),
    ],
)
def test_refused_inputs(scenario: type[Scenario[Any]], inputs: dict[str, Any], pointer: str) -> None:
    with pytest.raises(ValidationError) as refused:
        scenario.model_validate(inputs)
    assert [error.pointer for error in input_errors(refused.value)] == [pointer]
