"""Requests that once did what they should not."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from service.app import create_app


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(create_app(), raise_server_exceptions=False)


@pytest.mark.parametrize(
    ("name", "patch", "pointer"),
    [
        ("DrfTwoTenantExample", {"bundles": {"C": {}}}, "/bundles"),
        ("DrfTwoTenantExample", {"bundles": {"A": {"cpu_cores": None}}}, "/bundles"),
        ("DrfTwoTenantExample", {"capacity": {"gpu": 4}}, "/bundles"),
        ("Gpt2XlRunOnOneDgxH100", {"tokens_per_stp": None}, "/tokens_per_stp"),
        ("Gpt2XlDecodeH100Roofline", {"hardware": {"ref": "H100", "zzz": None}}, "/hardware"),
        ("Gpt2XlDecodeH100Roofline", {"hardware": {"ref": "H100", "memory": {"bandwith": None}}}, "/hardware"),
    ],
    ids=[
        "a bundle without resources",
        "a bundle without one resource",
        "a resource that no bundle names",
        "taking away an input that there is none of",
        "taking away a figure that there is none of",
        "taking away a figure of a group that there is none of",
    ],
)
def test_refused_at_the_right_place(client: TestClient, name: str, patch: dict[str, Any], pointer: str) -> None:
    answer = client.post(f"/scenarios/{name}/evaluate", json=patch)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["pointer"] == pointer


def test_few_grants_out_of_many_resources_are_no_reason_to_refuse(client: TestClient) -> None:
    resources = [f"resource {index}" for index in range(12)]
    body = {
        "capacity": dict.fromkeys(resources, 1.0),
        "bundles": {"only": {resource: 1.1e-5 if resource == resources[0] else 0.0 for resource in resources}},
    }
    answer = client.post("/scenarios/DominantShareScenario/evaluate", json=body)
    assert answer.status_code == 200
    assert answer.json()["result"]["bundle_counts"] == {"only": 90909}


@pytest.mark.parametrize("precision", [None, "fp16"])
def test_the_sparse_half_precision_figure_is_no_dense_peak_although_it_is_the_dense_int8_one(
    client: TestClient, precision: str | None
) -> None:
    sparse = {"peak": "624 TFLOP/s"} if precision is None else {"rates": {"fp16": "624 TFLOP/s"}}
    body = {"hardware": {"ref": "A100", "compute": sparse}, "intensity": "1 FLOP/byte"}
    body |= {"precision": precision} if precision else {}
    answer = client.post("/scenarios/RooflinePointScenario/evaluate", json=body).json()
    assert [warning["code"] for warning in answer["warnings"]] == ["sparse_peak"]


def test_a_long_value_in_the_wrong_place_is_cut_before_it_is_written_out(client: TestClient) -> None:
    body = {"stages": {"a": "1 s"}, "stage": "a", "speedup": 2, "other": [[]] * 200_000}
    (error,) = client.post("/scenarios/AmdahlScenario/evaluate", json=body).json()["errors"]
    assert error["pointer"] == "/other"
    assert len(error["received"]) == 100
