"""Valid bodies of every class with one thing in them changed: a result, or a problem that names the place.

The changes are drawn at random, the same ones each time. `FUZZ_EXAMPLES=1000 make test
PYTEST_ARGS=tests/service/test_fuzz.py` draws that many for each class.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from mlsysim.catalog import Entry
from mlsysim.engine.description import named_configurations
from mlsysim.engine.formula import Formula
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.scenario import Scenario
from mlsysim.fields import OneOf
from mlsysim.units import DIMENSIONS
from service.app import create_app
from tests.service.test_errors import strictly
from tests.service.test_openapi import validator
from tests.service.test_schemathesis import is_unsayable, is_worded

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "20"))
UNITS = [unit for dimension in DIMENSIONS for unit in (*dimension.common, dimension.si)]
TEXTS = ["", " ", "0", "1e999", "inf", "nan", "60", "ms", "60 ms", "١ ms", "H100", "Ωμέγα 🚀", "\x00", "x" * 300]
NUMBERS = [0, -1, 1, 0.5, 2**53 + 1, -(10**30), 10**320]
OTHERS: list[Any] = [None, True, False, [], {}, [[]], [None], {"ref": None}, {"": 0}]
NESTED = [{"ref": "kernel_launch"}, {"ref": "H100"}, {"value": 1}, {"value": "1", "unit": "s"}, {"value": 1, "unit": 1}]
DEEP: Any = {"a": [[]]}
for _ in range(20):
    DEEP = {"a": [DEEP]}
WIDE = {f"key{index}": index for index in range(1001)}

Path = tuple[str | int, ...]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app()) as client:
        yield client


@pytest.mark.parametrize("name", scenario_classes())
def test_every_change_is_answered_or_refused_where_it_is(name: str, client: TestClient) -> None:
    scenario, random = scenario_classes()[name], Random(name)
    for _ in range(EXAMPLES):
        body, path = changed(valid_body(scenario, random), random)
        answer = post(client, f"/scenarios/{name}/evaluate?explain={random.choice(['true', 'false'])}", body)
        try:
            check(scenario, body, path, answer.status_code, strictly(answer.text))
        except Exception as error:
            raise AssertionError(f"{name} at {path} of {json.dumps(body)[:1000]}: {answer.text[:1000]}") from error


@pytest.mark.parametrize("name", scenario_classes())
def test_magnitudes_at_the_ends_of_a_double_are_answered_or_refused(name: str, client: TestClient) -> None:
    scenario, random = scenario_classes()[name], Random(name)
    for _ in range(EXAMPLES):
        body = scaled(valid_body(scenario, random), random)
        answer = post(client, f"/scenarios/{name}/evaluate?units={random.choice(['si', 'display'])}", body)
        check(scenario, body, (), answer.status_code, strictly(answer.text))


def post(client: TestClient, path: str, body: Any) -> Response:
    """The answer to any JSON value; httpx leaves a null out."""
    return client.post(path, content=json.dumps(body), headers={"content-type": "application/json"})


def check(scenario: type[Scenario[Any]], body: Any, path: Path, status: int, answer: Any) -> None:
    """Hold an answer against the document, and its errors against the place of the change."""
    name = scenario.__name__
    if status == 200:
        validator(name.removesuffix("Scenario") + "Evaluation").validate(answer)
        validator(name).validate(body)
        return
    validator("Problem").validate(answer)
    if status == 400:
        assert "nested more than 32" in answer["detail"] or "1,001 members" in answer["detail"]
        return
    assert status == 422
    if answer["type"] == "urn:mlsysim:out-of-range":
        validator(name).validate(body)
        assert "double" in answer["detail"] or "2^53" in answer["detail"]
        within = {tuple(map(str, place)) for place in places(body)}
        assert {pointed_to(error) for error in answer["errors"]} <= within, answer["errors"]
        assert any(is_at(pointed_to(error), path) for error in answer["errors"]), answer["errors"]
        return
    if validator(name).is_valid(body):
        assert all(is_worded(name, error) or is_unsayable(error["message"]) for error in answer["errors"])
    for error in answer["errors"]:
        assert is_at(pointed_to(error), path) or path[0] in ties(scenario, error), error


def pointed_to(error: dict[str, Any]) -> tuple[str, ...]:
    """The place that a JSON pointer names."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in error["pointer"].split("/")[1:])


def is_at(place: tuple[str, ...], path: Path) -> bool:
    """Whether a place is that of a change, within it, or around it."""
    both = min(len(place), len(path))
    return place[:both] == tuple(map(str, path[:both])) and (both > 0 or not path)


def ties(scenario: type[Scenario[Any]], error: dict[str, Any]) -> set[str]:
    """The inputs that the rule or the choice reads which an error is about."""
    rules = [rule.formula for rule in scenario.rules if f"must keep to: {rule.formula}" in error["message"]]
    specs = scenario.inputs().values()
    marks = [mark for spec in specs for mark in (*spec.shape.metadata, *spec.shape.leaf.metadata)]
    choices = {
        mark.expression for mark in marks if isinstance(mark, OneOf) and f"of {mark.expression}: " in error["message"]
    }
    return {name for formula in (*rules, *map(Formula, choices)) for name in formula.names}


def valid_body(scenario: type[Scenario[Any]], random: Random) -> dict[str, Any]:
    """The inputs of a named configuration; half of the time its catalog entries are written out."""
    named = random.choice(named_configurations(scenario)).scenario
    body = named.to_json(si=random.random() < 0.5)
    for name, given in named.__dict__.items():
        if isinstance(given, Entry) and random.random() < 0.5:
            body[name] = {key: value for key, value in given.figures().items() if key != "key"}
    return deepcopy(body)


def changed(body: dict[str, Any], random: Random) -> tuple[Any, Path]:
    """The body with one thing in it changed, and where."""
    path = random.choice(list(places(body)))
    if not path:
        return random.choice([*TEXTS, *NUMBERS, None, True, []]), ()
    owner: Any = body
    for part in path[:-1]:
        owner = owner[part]
    kind = random.choice(["other", "other", "magnitude", "unit", "missing", "extra", "deep", "wide"])
    if kind == "missing" and isinstance(owner, dict):
        del owner[path[-1]]
    elif kind == "extra" and isinstance(owner, dict):
        extra = random.choice([f"{path[-1]}s", "nothing", "Ωμέγα 🚀", "a/b~c", "", "x" * 150])
        owner[extra] = "no value at all"
        return body, (*path[:-1], extra)
    elif kind == "magnitude":
        owner[path[-1]] = scaled(owner[path[-1]], random)
    elif kind == "unit":
        owner[path[-1]] = random.choice([f"{random.random()} {random.choice(UNITS)}", random.choice(UNITS)])
    else:
        others = {"deep": [DEEP], "wide": [WIDE, [0] * 2000]}.get(kind, [*TEXTS, *NUMBERS, *OTHERS, *NESTED])
        owner[path[-1]] = deepcopy(random.choice(others))
    return body, path


def places(value: Any) -> Iterator[Path]:
    """Every place in a JSON value, from the whole down to the leaves."""
    yield ()
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from ((key, *path) for path in places(item))


def scaled(value: Any, random: Random) -> Any:
    """The value with its numbers anywhere from 1e-300 to 1e300."""
    if isinstance(value, dict):
        return {key: scaled(item, random) for key, item in value.items()}
    if isinstance(value, list):
        return [scaled(item, random) for item in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    number = math.copysign(random.uniform(1, 10) * 10.0 ** random.choice([-300, -20, 0, 20, 299]), value)
    return round(number) if isinstance(value, int) and abs(number) >= 1 else number
