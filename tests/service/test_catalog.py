"""Looking things up in the catalog over HTTP."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

import mlsysim
from mlsysim.catalog import KINDS, catalog
from mlsysim.engine.scenario_catalog import configurations
from service.app import create_app


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(create_app())


def test_the_index_counts_every_kind_and_lists_every_entry(client: TestClient) -> None:
    index = client.get("/catalog").json()
    assert index["kinds"] == {kind: len(catalog().entries(kind)) for kind in KINDS} | {
        "configurations": len(configurations())
    }
    assert index["count"] == len(index["entries"]) == sum(index["kinds"].values())
    assert index["next_cursor"] is None
    for entry in index["entries"]:
        assert entry.keys() == {"key", "name", "kind", "link"}


def test_every_link_of_the_index_leads_to_its_entry_with_a_source(client: TestClient) -> None:
    for entry in client.get("/catalog").json()["entries"]:
        found = client.get(entry["link"])
        assert found.status_code == 200
        if entry["kind"] != "configurations":
            assert found.json()["key"] == entry["key"]
            assert found.json()["source"]["grade"]


def test_pages_add_up_to_the_whole(client: TestClient) -> None:
    seen, cursor = [], None
    while True:
        query = {"limit": 7} | ({"cursor": cursor} if cursor else {})
        page = client.get("/catalog", params=query).json()
        seen += [(entry["kind"], entry["key"]) for entry in page["entries"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == page["count"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("q=SXM5+HBM3", {"H100"}),
        ("q=hopper&kind=hardware", {"H100", "H100_PCIe", "H200", "H20"}),
        ("q=hopper&kind=pods", set()),
        ("kind=pods", {"TPUv4_4096", "TPUv5p_8960"}),
    ],
)
def test_search_and_kind_narrow_the_index(client: TestClient, query: str, expected: set[str]) -> None:
    assert {entry["key"] for entry in client.get(f"/catalog?{query}").json()["entries"]} == expected


def test_one_kind(client: TestClient) -> None:
    models = client.get("/catalog/models").json()
    assert {entry["kind"] for entry in models["entries"]} == {"models"}
    assert models["count"] == len(catalog().entries("models"))


def test_a_kind_of_model_may_be_asked_for_as_an_entry_states_it(client: TestClient) -> None:
    mixtures = client.get("/catalog/models?kind=moe_transformer").json()
    assert mixtures == client.get("/catalog/models?architecture=moe_transformer").json()
    assert 0 < mixtures["count"] < len(catalog().entries("models"))


def test_figures_are_shown_in_the_units_of_their_source(client: TestClient) -> None:
    h100 = client.get("/catalog/hardware/H100").json()
    assert h100["memory"]["capacity"] == {"value": 80, "unit": "GiB"}
    assert h100["memory"]["bandwidth"] == {"value": 3.35, "unit": "TB/s"}
    assert h100["peer_link"]["direction"] == "bidirectional_total"
    assert h100["peer_link"]["bandwidth_per_direction"] == {"value": 450.0, "unit": "GB/s"}
    assert h100["source"]["grade"] == "datasheet"
    a100 = client.get("/catalog/hardware/A100").json()
    assert a100["memory"]["bandwidth"] == {"value": 2039, "unit": "GB/s"}


def test_docs_with_a_slash_lead_to_docs(client: TestClient) -> None:
    answer = client.get("/docs/", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (308, "../docs")
    assert client.get("/docs/").url.path == "/docs"


def test_health_version_and_units(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/version").json()["version"] == mlsysim.__version__
    units = client.get("/units").json()["dimensions"]
    times = next(dimension for dimension in units if dimension["dimension"] == "time")
    assert {"name": "ms", "factor": 0.001} in times["units"]
