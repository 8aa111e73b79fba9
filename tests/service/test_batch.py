"""Many evaluations in one call: each answered as if it were asked alone."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient

from mlsysim.engine.description import named_configurations
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.scenario_catalog import configurations
from service.app import create_app
from service.settings import Settings

APP = create_app()

# Every class and every named configuration, in turn.
EVERYTHING = [
    item
    for name, scenario in scenario_classes().items()
    for named in named_configurations(scenario)
    for item in ({"name": name, "inputs": named.inputs}, {"name": named.name, "inputs": {}})
]
AMDAHL = {"name": "ModelSpeedupRequestPath", "inputs": {}}

FAILURES: dict[str, dict[str, Any]] = {
    "an unknown name": {"name": "Nothing", "inputs": {}},
    "a misspelt name": {"name": "AmdahlScenari", "inputs": {}},
    "an empty name with a wrong input": {"name": "nothing at all", "inputs": {"speedup": "fast"}},
    "a value out of bounds": {"name": "ModelSpeedupRequestPath", "inputs": {"speedup": 0}},
    "a quantity of another dimension": {"name": "ModelSpeedupRequestPath", "inputs": {"stages": {"model": "10 GB"}}},
    "an unknown input": {"name": "ModelSpeedupRequestPath", "inputs": {"sped": 10}},
    "missing inputs": {"name": "AmdahlScenario", "inputs": {}},
    "several things at once": {"name": "AmdahlScenario", "inputs": {"stages": {}, "speedup": -1, "more": 1}},
    "unknown hardware": {"name": "RooflinePointScenario", "inputs": {"hardware": "H1000", "intensity": "1 FLOP/B"}},
    "an answer beyond a double": {
        "name": "AmdahlScenario",
        "inputs": {"stages": {"a": "1.7e308 s", "b": "1.7e308 s"}, "stage": "a", "speedup": 2},
    },
}


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(APP)


def ask(client: TestClient, *items: dict[str, Any], query: str = "") -> list[Any]:
    response = client.post(f"/batch{query}", json={"evaluations": items})
    assert response.status_code == 200, response.text
    answer = response.json()
    assert answer["count"] == len(answer["answers"]) == len(items)
    return answer["answers"]  # type: ignore[no-any-return]


def alone(client: TestClient, item: dict[str, Any], query: str = "") -> Any:
    return client.post(f"/scenarios/{item['name']}/evaluate{query}", json=item["inputs"]).json()


def test_everything_is_there() -> None:
    assert {item["name"] for item in EVERYTHING} == {*scenario_classes(), *configurations()}


def test_each_answer_is_that_of_the_single_call_in_order(client: TestClient) -> None:
    assert ask(client, *EVERYTHING) == [alone(client, item) for item in EVERYTHING]


@pytest.mark.parametrize("query", ["?units=si", "?explain=true", "?units=si&explain=true"])
def test_units_and_explanations_hold_for_each_answer(client: TestClient, query: str) -> None:
    some = EVERYTHING[::9]
    assert ask(client, *some, query=query) == [alone(client, item, query) for item in some]


@pytest.mark.parametrize("what", list(FAILURES))
def test_a_failure_is_the_problem_of_the_single_call_and_fails_only_itself(client: TestClient, what: str) -> None:
    item = FAILURES[what]
    before, problem, after = ask(client, AMDAHL, item, AMDAHL)
    assert before == after == alone(client, AMDAHL)
    single = alone(client, item)
    assert problem["status"] == single["status"] >= 400
    assert problem == single | {"instance": "/batch"}


def test_a_batch_of_failures_is_answered(client: TestClient) -> None:
    statuses = [problem["status"] for problem in ask(client, *FAILURES.values())]
    assert set(statuses) == {404, 422}


@pytest.mark.parametrize("size", [1, 1000])
def test_up_to_a_thousand_are_answered(client: TestClient, size: int) -> None:
    assert ask(client, *[AMDAHL] * size) == [alone(client, AMDAHL)] * size


@pytest.mark.parametrize(
    ("body", "pointer", "words"),
    [
        ({"evaluations": []}, "/evaluations", "at least 1 item"),
        ({"evaluations": [AMDAHL] * 1001}, "/evaluations", "at most 1000 item"),
        ({}, "/evaluations", "is missing"),
        ({"evaluations": AMDAHL}, "/evaluations", "list"),
        ([AMDAHL], "", "object"),
        ({"evaluations": [AMDAHL], "units": "si"}, "/units", "no"),
        ({"evaluations": [AMDAHL, "AmdahlScenario"]}, "/evaluations/1", "object"),
        ({"evaluations": [AMDAHL, {"name": "AmdahlScenario"}]}, "/evaluations/1/inputs", "is missing"),
        ({"evaluations": [AMDAHL, {"inputs": {}}]}, "/evaluations/1/name", "is missing"),
        ({"evaluations": [AMDAHL, AMDAHL | {"inputs": []}]}, "/evaluations/1/inputs", "object"),
        ({"evaluations": [AMDAHL, AMDAHL | {"name": "n" * 201}]}, "/evaluations/1/name", "200"),
        ({"evaluations": [AMDAHL, AMDAHL | {"explain": True}]}, "/evaluations/1/explain", "no"),
    ],
)
def test_what_is_no_list_of_evaluations_fails_as_a_whole(
    client: TestClient, body: Any, pointer: str, words: str
) -> None:
    response = client.post("/batch", json=body)
    assert response.status_code == 422
    problem = response.json()
    assert [error["pointer"] for error in problem["errors"]] == [pointer]
    assert words in problem["errors"][0]["message"]


def test_an_operator_may_allow_fewer() -> None:
    client = TestClient(create_app(Settings(batch_limit=2)))
    ask(client, AMDAHL, AMDAHL)
    response = client.post("/batch", json={"evaluations": [AMDAHL] * 3})
    assert response.status_code == 422
    assert response.json()["errors"][0]["message"] == "evaluations must have at most 2 items"


def test_a_batch_in_too_many_bytes_is_refused_however_few_its_evaluations() -> None:
    client = TestClient(create_app(Settings(body_limit=1000)))
    assert ask(client, AMDAHL)
    response = client.post("/batch", json={"evaluations": [AMDAHL | {"inputs": {"stage": "x" * 1000}}]})
    assert response.status_code == 413
    assert "1,000 bytes" in response.json()["detail"]


def test_other_requests_are_answered_while_a_batch_runs() -> None:
    order = []

    async def both() -> None:
        transport = httpx2.ASGITransport(app=APP)
        async with httpx2.AsyncClient(transport=transport, base_url="http://service") as client:

            async def batch() -> None:
                await client.post("/batch", json={"evaluations": EVERYTHING * 5})
                order.append("batch")

            async def health() -> None:
                await client.get("/healthz")
                order.append("health")

            await asyncio.gather(batch(), health())

    asyncio.run(both())
    assert order == ["health", "batch"]
