"""Narrowing, ordering and paging the catalog: what comes is what a reader of the entries would pick."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest
from fastapi.testclient import TestClient

from mlsysim.catalog import KINDS, catalog
from service.app import create_app
from service.catalog import FIGURES, Sort

HARDWARE = catalog().entries("hardware")


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(create_app())


def keys(client: TestClient, path: str, **query: Any) -> list[tuple[str, str]]:
    response = client.get(path, params=query)
    assert response.status_code == 200, response.text
    return [(entry["kind"], entry["key"]) for entry in response.json()["entries"]]


def walk(client: TestClient, path: str, **query: Any) -> list[tuple[str, str]]:
    """The entries of all pages, one after another."""
    seen: list[tuple[str, str]] = []
    cursor: dict[str, str] = {}
    while True:
        page = client.get(path, params=query | cursor).json()
        assert len(page["entries"]) <= query["limit"]
        seen += [(entry["kind"], entry["key"]) for entry in page["entries"]]
        if page["next_cursor"] is None:
            assert len(seen) == page["count"]
            return seen
        assert len(page["entries"]) == query["limit"]
        cursor = {"cursor": page["next_cursor"]}


@pytest.mark.parametrize("sort", [None, *get_args(Sort)])
def test_a_walk_over_all_pages_finds_each_entry_once_in_order(client: TestClient, sort: str | None) -> None:
    query = {"sort": sort} if sort else {}
    whole = keys(client, "/catalog", **query)
    assert len(whole) == len(set(whole)) == client.get("/catalog").json()["count"]
    assert keys(client, "/catalog", **query) == whole
    for limit in (13, len(whole) - 1, len(whole), len(whole) + 1):
        assert walk(client, "/catalog", limit=limit, **query) == whole


def test_a_page_may_be_a_single_entry(client: TestClient) -> None:
    assert walk(client, "/catalog/hardware", limit=1, sort="-peak") == keys(client, "/catalog/hardware", sort="-peak")


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("figure", list(FIGURES))
def test_entries_are_sorted_by_the_figure_and_those_without_it_come_last(
    client: TestClient, kind: str, figure: str
) -> None:
    for sort in (figure, f"-{figure}"):
        values = [
            FIGURES[figure].of(catalog().entries(kind)[key]) for _, key in keys(client, f"/catalog/{kind}", sort=sort)
        ]
        stated = [value for value in values if value is not None]
        assert values == sorted(stated, reverse=sort.startswith("-")) + [None] * (len(values) - len(stated))


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ({"min_bandwidth": "1 TB/s"}, lambda chip: chip.memory.bandwidth >= 1e12),
        ({"max_bandwidth": "8000 Gbit/s"}, lambda chip: chip.memory.bandwidth <= 1e12),
        ({"min_bandwidth": "1 TB/s", "max_bandwidth": "4 TB/s"}, lambda chip: 1e12 <= chip.memory.bandwidth <= 4e12),
        ({"min_capacity": "80 GiB"}, lambda chip: chip.memory.capacity >= 80 * 2**30),
        ({"max_capacity": "80 GB"}, lambda chip: chip.memory.capacity <= 80e9),
        ({"min_peak": "1 PFLOP/s"}, lambda chip: chip.compute.peak >= 1e15),
        ({"max_tdp": "0.4 kW"}, lambda chip: chip.tdp <= 400),
        ({"year": 2022}, lambda chip: chip.release_year == 2022),
        ({"min_year": 2020, "max_year": 2022}, lambda chip: 2020 <= chip.release_year <= 2022),
        ({"vendor": "nvidia"}, lambda chip: chip.vendor == "NVIDIA"),
        ({"class": "DATACENTER"}, lambda chip: chip.device_class == "datacenter"),
        ({"vendor": "AMD", "min_year": 2023}, lambda chip: chip.vendor == "AMD" and chip.release_year >= 2023),
    ],
)
def test_hardware_is_narrowed_to_what_meets_every_condition(
    client: TestClient, query: dict[str, Any], holds: Callable[[Any], bool]
) -> None:
    def states_and_holds(chip: Any) -> bool:
        try:
            return holds(chip)
        except (AttributeError, TypeError):  # a figure that it does not state
            return False

    expected = [("hardware", key) for key, chip in HARDWARE.items() if states_and_holds(chip)]
    assert 0 < len(expected) < len(HARDWARE)
    assert keys(client, "/catalog/hardware", **query) == expected
    assert client.get("/catalog/hardware", params=query).json()["count"] == len(expected)


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ({"family": "language"}, lambda model: model.family == "language"),
        ({"architecture": "moe_transformer"}, lambda model: model.kind == "moe_transformer"),
        ({"kind": "moe_transformer"}, lambda model: model.kind == "moe_transformer"),
        ({"min_parameters": 7e9, "max_parameters": 8e10}, lambda m: m.parameters and 7e9 <= m.parameters <= 8e10),
    ],
)
def test_models_are_narrowed(client: TestClient, query: dict[str, Any], holds: Callable[[Any], bool]) -> None:
    models = catalog().entries("models")
    expected = [("models", key) for key, model in models.items() if holds(model)]
    assert 0 < len(expected) < len(models)
    assert keys(client, "/catalog/models", **query) == expected


@pytest.mark.parametrize("words", ["hopper", "HOPPER hbm3", "hbm3 hopper", "nvidia", "no such thing"])
def test_each_word_is_in_key_name_or_description(client: TestClient, words: str) -> None:
    expected = [
        ("hardware", key)
        for key, chip in HARDWARE.items()
        if all(word in f"{key} {chip.name} {chip.description}".lower() for word in words.lower().split())
    ]
    assert keys(client, "/catalog/hardware", q=words) == expected


def test_a_search_is_paged_as_the_whole_is(client: TestClient) -> None:
    query = {"min_bandwidth": "1 TB/s", "sort": "-bandwidth"}
    assert walk(client, "/catalog/hardware", limit=2, **query) == keys(client, "/catalog/hardware", **query)


@pytest.mark.parametrize("cursor", ["", "x", "!!!", "aGFyZHdhcmU=", "aGFyZHdhcmUvTm90aGluZw==", "/w==", "é", "a" * 201])
def test_a_cursor_that_no_page_gave_is_refused(client: TestClient, cursor: str) -> None:
    response = client.get("/catalog", params={"cursor": cursor})
    assert response.status_code == 422
    assert response.json()["errors"][0]["parameter"] == "cursor"


def test_a_cursor_of_another_order_is_refused(client: TestClient) -> None:
    cursor = client.get("/catalog/hardware", params={"limit": 1, "sort": "-peak"}).json()["next_cursor"]
    assert client.get("/catalog/hardware", params={"cursor": cursor, "sort": "-peak"}).status_code == 200
    for other in ({}, {"sort": "peak"}, {"sort": "-bandwidth"}):
        assert client.get("/catalog/hardware", params={"cursor": cursor, **other}).status_code == 422


@pytest.mark.parametrize(
    ("parameter", "text"),
    [("limit", "5_0"), ("limit", " 5"), ("limit", "+5"), ("year", "2_022"), ("min_parameters", "1_0"), ("year", "")],
)
def test_a_number_is_spelled_as_in_json(client: TestClient, parameter: str, text: str) -> None:
    answer = client.get("/catalog", params={parameter: text})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["parameter"] == parameter


@pytest.mark.parametrize(("text", "status"), [("true", 200), ("True", 200), ("yes", 422), ("on", 422), ("1", 422)])
def test_a_truth_value_is_spelled_as_such(client: TestClient, text: str, status: int) -> None:
    answer = client.post("/scenarios/ModelSpeedupRequestPath/evaluate", params={"explain": text}, json={})
    assert answer.status_code == status
    assert ("derivation" in answer.json()) == (status == 200)


def test_a_cursor_of_another_search_is_refused(client: TestClient) -> None:
    cursor = client.get("/catalog/hardware", params={"limit": 1}).json()["next_cursor"]
    response = client.get("/catalog/models", params={"cursor": cursor})
    assert response.status_code == 422
    assert "leave it out to start anew" in response.json()["detail"]


@pytest.mark.parametrize("older", ["cnn", "moe_transformer"])
def test_the_older_name_of_a_filter_beside_the_present_one_is_refused(client: TestClient, older: str) -> None:
    assert client.get("/catalog/models", params={"kind": older}).json()["count"] > 0
    response = client.get("/catalog/models", params={"kind": older, "architecture": "moe_transformer"})
    assert response.status_code == 422
    assert response.json()["errors"][0]["parameter"] == "kind"
