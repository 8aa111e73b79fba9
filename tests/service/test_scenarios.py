"""Asking questions over HTTP, as a client would."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.scenario_catalog import configurations
from service.app import create_app
from tests.agreement import same


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(create_app())


def evaluate(client: TestClient, name: str, body: Any, query: str = "") -> Any:
    response = client.post(f"/scenarios/{name}/evaluate{query}", json=body)
    assert response.status_code == 200, response.text
    return response.json()


REQUEST_PATH = "ModelSpeedupRequestPath"


class TestANamedConfiguration:
    def test_as_it_stands(self, client: TestClient) -> None:
        answer = evaluate(client, REQUEST_PATH, {})
        assert answer["scenario"] == "AmdahlScenario"
        assert answer["configuration"] == REQUEST_PATH
        assert answer["result"]["total_time"] == {"value": 130.0, "unit": "ms"}
        assert answer["result"]["overall_speedup"] == pytest.approx(1.3, rel=1e-12)
        assert answer["inputs"]["stages"]["preprocess"] == {"value": 60.0, "unit": "ms"}
        assert answer["undefined"] == {}
        assert answer["warnings"] == []

    def test_with_an_infinite_speedup(self, client: TestClient) -> None:
        answer = evaluate(client, REQUEST_PATH, {"speedup": "inf"})
        assert answer["result"]["overall_speedup"] == pytest.approx(130 / 85, rel=1e-12)
        assert answer["inputs"]["speedup"] == "inf"

    def test_with_a_stage_taken_out(self, client: TestClient) -> None:
        answer = evaluate(client, REQUEST_PATH, {"stages": {"preprocess": None}})
        assert answer["result"]["total_time"] == {"value": 70.0, "unit": "ms"}

    @pytest.mark.parametrize("part", [{"value": 4}, {"unit": "GB/s"}, {}, {"value": 4, "unit": "TB/s", "Unit": None}])
    def test_a_figure_of_an_entry_is_replaced_whole_or_not_at_all(self, client: TestClient, part: Any) -> None:
        """A number whose unit would depend on how the catalog prints the entry is refused."""
        body = {"hardware": {"ref": "H100", "memory": {"bandwidth": part}}, "intensity": "100 FLOP/byte"}
        refused = client.post("/scenarios/RooflinePointScenario/evaluate", json=body)
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["pointer"].startswith("/hardware/memory/bandwidth")

    def test_a_merge_patch_media_type_will_do(self, client: TestClient) -> None:
        response = client.post(
            f"/scenarios/{REQUEST_PATH}/evaluate",
            content=b'{"speedup": 10}',
            headers={"content-type": "application/merge-patch+json; charset=utf-8"},
        )
        assert response.json()["inputs"]["speedup"] == 10

    @pytest.mark.parametrize("path", ["/scenarios/RooflinePointScenario/evaluate", "/batch"])
    def test_a_merge_patch_of_what_is_no_configuration_is_refused(self, client: TestClient, path: str) -> None:
        refused = client.post(path, content=b"{}", headers={"content-type": "application/merge-patch+json"})
        assert refused.status_code == 415
        assert "application/json would do" in refused.json()["detail"]

    @pytest.mark.parametrize(
        "launch",
        ["3 us", {"value": 3, "unit": "us"}, {"value": 3}],
        ids=["text", "value and unit", "another value in the unit it has"],
    )
    def test_a_quantity_is_replaced_whole(self, client: TestClient, launch: Any) -> None:
        stated = client.get("/scenarios/ElementwisePairFusion").json()["inputs"]["launch"]
        assert stated == {"ref": "kernel_launch"}
        if launch == {"value": 3}:
            changed = evaluate(client, REQUEST_PATH, {"stages": {"model": launch}})
            assert changed["inputs"]["stages"]["model"] == {"value": 3.0, "unit": "ms"}
        else:
            changed = evaluate(client, "ElementwisePairFusion", {"launch": launch})
            assert changed["inputs"]["launch"] == {"value": 3.0, "unit": "us"}

    @pytest.mark.parametrize("name", list(configurations()))
    def test_the_inputs_of_every_answer_can_be_posted_to_its_class(self, client: TestClient, name: str) -> None:
        answer = evaluate(client, name, {})
        again = evaluate(client, answer["scenario"], answer["inputs"])
        assert same(again["result"], answer["result"], 1e-12)
        assert again["configuration"] is None


class TestUnits:
    @pytest.mark.parametrize("time", ["45 ms", "0.045 s", {"value": 45, "unit": "ms"}, {"value": 45000, "unit": "us"}])
    def test_the_same_time_in_any_form(self, client: TestClient, time: Any) -> None:
        answer = evaluate(client, REQUEST_PATH, {"stages": {"model": time}})
        assert answer["inputs"]["stages"]["model"] == {"value": 45.0, "unit": "ms"}

    def test_si_units_on_request(self, client: TestClient) -> None:
        answer = evaluate(client, REQUEST_PATH, {}, "?units=si")
        assert answer["result"]["total_time"] == {"value": 0.13, "unit": "s"}
        assert answer["inputs"]["stages"]["model"] == {"value": 0.045, "unit": "s"}

    def test_a_constant_by_name(self, client: TestClient) -> None:
        body = {"ops_per_block": 1, "dispatch": {"ref": "python_dispatch"}, "launch": "5 us", "device_time": "1 us"}
        answer = evaluate(client, "HostDispatchScenario", body)
        assert answer["inputs"]["dispatch"] == {"value": 10.0, "unit": "us"}


class TestHardware:
    def test_by_key(self, client: TestClient) -> None:
        answer = evaluate(client, "RooflinePointScenario", {"hardware": "H100", "intensity": "1 FLOP/byte"})
        assert answer["inputs"]["hardware"] == "H100"
        assert answer["result"]["attainable"] == {"value": 3.35, "unit": "TFLOP/s"}
        assert answer["undefined"].keys() == {"bandwidth_utilization"}

    def test_of_ones_own(self, client: TestClient) -> None:
        chip = {
            "name": "my chip",
            "compute": {"peak": "17.6 GFLOP/s", "rates": {}},
            "memory": {"capacity": "16 GiB", "bandwidth": "15 GB/s"},
        }
        answer = evaluate(client, "RooflinePointScenario", {"hardware": chip, "intensity": "0.25 FLOP/byte"})
        assert answer["result"]["ridge"]["value"] == pytest.approx(17.6 / 15)
        assert answer["inputs"]["hardware"]["memory"]["capacity"] == {"value": 16.0, "unit": "GiB"}

    def test_a_key_with_changes(self, client: TestClient) -> None:
        faster = {"ref": "H100", "memory": {"bandwidth": "4 TB/s"}}
        answer = evaluate(client, "RooflinePointScenario", {"hardware": faster, "intensity": "1 FLOP/byte"})
        assert answer["result"]["attainable"] == {"value": 4.0, "unit": "TFLOP/s"}
        assert answer["inputs"]["hardware"] == {
            "ref": "H100",
            "memory": {"bandwidth": {"value": 4.0, "unit": "TB/s"}},
        }

    def test_figures_come_back_in_the_unit_they_were_given_in(self, client: TestClient) -> None:
        chip = {"compute": {"peak": "30 TOP/s", "rates": {}}, "memory": {"capacity": "1 GB", "bandwidth": "15 GB/s"}}
        body = {"hardware": chip, "intensity": "1 FLOP/byte"}
        given = evaluate(client, "RooflinePointScenario", body)["inputs"]["hardware"]
        assert given["memory"]["capacity"] == {"value": 1.0, "unit": "GB"}
        assert given["compute"]["peak"] == {"value": 30.0, "unit": "TOP/s"}
        path = "/scenarios/RooflinePointScenario/evaluate?units=si"
        in_si = client.post(path, json=body).json()["inputs"]["hardware"]
        assert in_si["memory"]["capacity"] == {"value": 1e9, "unit": "byte"}
        assert in_si["compute"]["peak"] == {"value": 3e13, "unit": "OP/s"}

    def test_a_rate_of_zero_is_refused_even_where_another_format_is_asked_for(self, client: TestClient) -> None:
        """A format that the device does not have is left out, or every ratio with it would be infinite."""
        chip = {"ref": "H100", "compute": {"rates": {"int4": "0 TOP/s"}}}
        body = {"hardware": chip, "intensity": "1 FLOP/byte", "precision": "fp16"}
        answer = client.post("/scenarios/RooflinePointScenario/evaluate", json=body)
        assert answer.status_code == 422
        (error,) = answer.json()["errors"]
        assert error["pointer"] == "/hardware/compute/rates/int4"
        assert error["message"].endswith("must be greater than 0")

    def test_what_the_catalog_answers_can_be_posted_with_changes_of_ones_own(self, client: TestClient) -> None:
        entry = client.get("/catalog/hardware/A100").json()
        entry["memory"]["bandwidth"]["value"] = 1000
        answer = evaluate(client, "RooflinePointScenario", {"hardware": entry, "intensity": "1 FLOP/byte"})
        assert answer["result"]["attainable"] == {"value": 1.0, "unit": "TFLOP/s"}

    def test_a_change_of_a_link_carries_over_to_its_direction(self, client: TestClient) -> None:
        slow_link = {"ref": "A100", "host_link": {"bandwidth": "1 GB/s"}}
        body = {"workload": "GPT3", "hardware": slow_link}
        answer = evaluate(client, "SingleNodeInferenceScenario", body)
        assert answer["result"]["offload_effective_bw"] == {"value": 1.0, "unit": "GB/s"}

    def test_taking_a_figure_away(self, client: TestClient) -> None:
        body = {"workload": "ResNet50", "hardware": {"ref": "A100", "tdp": None}}
        answer = evaluate(client, "SingleNodeInferenceScenario", body)
        assert answer["result"]["energy"] is None
        assert "rated power" in answer["undefined"]["energy"]
        assert "power_unknown" in [warning["code"] for warning in answer["warnings"]]
        assert answer["inputs"]["hardware"] == {"ref": "A100", "tdp": None}
        assert evaluate(client, "SingleNodeInferenceScenario", answer["inputs"]) == answer

    def test_a_change_deep_in_a_fleet(self, client: TestClient) -> None:
        body = {
            "workload": "GPT3",
            "fleet": {"ref": "Training_1K", "node": {"accelerators_per_node": 4, "accelerator": "H200"}},
            "bytes_per_param": "16 B",
        }
        answer = evaluate(client, "SelfContainedReplicaScenario", body)
        assert answer["result"]["tensor_parallel"] == 4
        assert answer["inputs"]["fleet"] == body["fleet"]

    def test_an_inline_fleet_names_catalog_entries_within(self, client: TestClient) -> None:
        fleet = {"count": 2, "node": {"accelerator": "H100", "accelerators_per_node": 8}}
        body = {"workload": "GPT3", "fleet": fleet, "bytes_per_param": "16 B"}
        answer = evaluate(client, "SelfContainedReplicaScenario", body)
        assert answer["result"]["replica_gpus"] == 64


class TestAnswers:
    def test_integers_beyond_64_bits_are_written_out(self, client: TestClient) -> None:
        side = 10**9
        body = dict.fromkeys(("m", "n", "k"), side) | dict.fromkeys(("tile_m", "tile_n", "tile_k"), 1)
        body |= {"operand_bytes": "2 B", "accumulator_bytes": "4 B"}  # type: ignore[dict-item]
        response = client.post("/scenarios/MatmulTileScenario/evaluate", json=body)
        assert json.loads(response.text)["result"]["macs"] == side**3

    def test_a_whole_number_may_be_written_as_a_float(self, client: TestClient) -> None:
        answer = evaluate(client, "KernelFusionScenario", {"chain_length": 2.0, "dispatch": "1 us", "launch": "1 us"})
        assert answer["inputs"]["chain_length"] == 2


class TestDescriptions:
    def test_the_index_lists_every_class_with_its_configurations(self, client: TestClient) -> None:
        index = client.get("/scenarios").json()
        assert [entry["name"] for entry in index["scenarios"]] == list(scenario_classes())
        linked = [link["name"] for entry in index["scenarios"] for link in entry["configurations"]]
        assert sorted(linked) == sorted(configurations())
        for entry in index["scenarios"]:
            assert client.get(entry["link"]).status_code == 200

    def test_a_theme_narrows_the_index(self, client: TestClient) -> None:
        index = client.get("/scenarios?theme=speedup").json()
        assert {entry["theme"] for entry in index["scenarios"]} == {"speedup"}

    @pytest.mark.parametrize("name", list(scenario_classes()))
    def test_a_class_states_its_contract(self, client: TestClient, name: str) -> None:
        described = client.get(f"/scenarios/{name}").json()
        scenario = scenario_classes()[name]
        assert [spec["name"] for spec in described["inputs"]] == list(scenario.inputs())
        assert [spec["name"] for spec in described["outputs"]] == list(scenario.result_type.outputs())
        assert described["question"].endswith("?")
        assert evaluate(client, name, described["example"]["body"])["scenario"] == name

    def test_a_configuration_states_where_each_input_comes_from(self, client: TestClient) -> None:
        described = client.get("/scenarios/LayerNormMeasuredH100").json()
        assert described["scenario"] == "RooflinePointScenario"
        origins = {stated["name"]: stated["origin"] for stated in described["stated"]}
        assert origins == {"hardware": "catalog", "achieved_rate": "assumption", "achieved_bandwidth": "assumption"}
        fusion = client.get("/scenarios/ElementwisePairFusion").json()
        assert {stated["name"]: stated["origin"] for stated in fusion["stated"]}["launch"] == "constant"
