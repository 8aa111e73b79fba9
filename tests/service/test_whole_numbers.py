"""Whole numbers stay exact however large, and the document says which outputs JavaScript cannot hold."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mlsysim.catalog import Entry
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.scenario import Scenario
from mlsysim.fields import IntegerType
from service.app import create_app
from tests.contract import oracle
from tests.service.test_openapi import document
from tests.strategies import plain, random_scenario

SAFE = 2**53  # beyond it a double, and so a number of JavaScript, skips whole numbers
WHOLE = {
    name: outputs
    for name, scenario in scenario_classes().items()
    if (
        outputs := [
            output for output, spec in scenario.result_type.outputs().items()
            if isinstance(spec.shape.type, IntegerType)
        ]
    )
}  # fmt: skip
# It takes the logarithm as a double; test_requirements.py holds the digits against the power itself.
ROUNDED_BY_THE_ORACLE = [("InputSpaceScenario", "digits")]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app()) as client:
        yield client


@pytest.mark.parametrize("name", WHOLE)
def test_whole_outputs_are_exact_and_those_beyond_2_53_are_marked(name: str, client: TestClient) -> None:
    scenario, random, unsafe = scenario_classes()[name], Random(name), set()
    for _ in range(100):
        start = random_scenario(scenario, random)
        assert start is not None
        body = enlarged(written_out(start), random)
        answer = client.post(f"/scenarios/{name}/evaluate", json=body)
        if answer.status_code != 200:
            continue
        inputs, result = answer.json()["inputs"], answer.json()["result"]
        assert all(inputs[key] == given for key, given in body.items() if type(given) is int)
        expected = oracle.evaluate(name, plain(dict(scenario.model_validate(body))))
        for output in WHOLE[name]:
            if result[output] is not None:
                assert type(result[output]) is int
                assert result[output] == expected[output] or (name, output) in ROUNDED_BY_THE_ORACLE, body
                if abs(result[output]) > SAFE:
                    unsafe.add(output)
    described = document()["components"]["schemas"][scenario.result_type.__name__]["properties"]
    assert unsafe == {output for output, facts in described.items() if facts.get("x-may-exceed-safe-integer")}


@pytest.mark.parametrize("number", ["9007199254740992.5", "-9007199254740993.25", "90071992547409930.1e0"])
def test_a_fraction_beyond_2_53_is_refused_rather_than_dropped(number: str, client: TestClient) -> None:
    body = f'{{"stages": {{"model": "60 ms"}}, "stage": "model", "speedup": {number}}}'
    answer = client.post(
        "/scenarios/AmdahlScenario/evaluate", content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400
    assert number in answer.json()["detail"]


def written_out(held: Scenario[Any] | Entry) -> dict[str, Any]:
    """The inputs of a scenario, or the figures of an entry, with no catalog key in them."""
    stated = held.figures() if isinstance(held, Entry) else held.to_json()
    stated |= {name: written_out(entry) for name, entry in held if isinstance(entry, Entry)}
    return {name: value for name, value in stated.items() if name != "key"}


def enlarged(value: Any, random: Random) -> Any:
    """The value with some of its counts many digits longer; quantities stay as they are."""
    if isinstance(value, dict):
        return value if "unit" in value else {key: enlarged(item, random) for key, item in value.items()}
    if isinstance(value, bool) or not isinstance(value, (int, float)) or random.random() < 0.5:
        return value
    if isinstance(value, int):
        return value * int(10 ** random.uniform(12, 20))
    return value * 10.0 ** random.randint(12, 24) if value > 1e6 else value
