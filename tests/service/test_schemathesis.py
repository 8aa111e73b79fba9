"""schemathesis against the whole document: no 500, no answer outside its schema, no invalid input accepted.

The short run draws a few requests for each operation. The long one is

    SCHEMATHESIS_EXAMPLES=60 make test PYTEST_ARGS=tests/service/test_schemathesis.py

which draws that many for each operation at random, and adds every boundary that the document states: tens of thousands
of requests.

A body that keeps to its schema may be refused for what JSON Schema has no word for, and for nothing else.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from schemathesis import Case
from schemathesis.core.transport import Response
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode, create_test
from schemathesis.specs.openapi.checks import positive_data_acceptance
from schemathesis.specs.openapi.schemas import OpenApiSchema

from mlsysim.catalog.loader import merge_patch
from mlsysim.engine.evaluation import resolve
from service.app import create_app
from service.openapi import DOCUMENT
from tests.service.test_openapi import document, validator

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "0"))
SETTINGS = settings(
    max_examples=EXAMPLES or 4,
    derandomize=not EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
OPERATIONS = {
    operation["operationId"]: (path, method)
    for path, item in json.loads(DOCUMENT.read_text())["paths"].items()
    for method, operation in item.items()
}

# What no schema can say: which keys the catalog has, where a double ends, how the figures of a link hang together.
UNSAYABLE = re.compile(
    "names no entry of the catalog|constant of the catalog|names .*, which is|for a double"
    "|is the older name of|states no bandwidth|does not follow from bandwidth and direction",
    re.DOTALL,
)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_is_drawn_from_the_document_is_answered_as_it_says(operation: str) -> None:
    attack(operation, HypothesisTestMode.FUZZING)


@pytest.mark.skipif(not EXAMPLES, reason="takes an hour; SCHEMATHESIS_EXAMPLES=60 runs it")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_boundary_of_the_document_is_where_it_says(operation: str) -> None:
    attack(operation, HypothesisTestMode.EXAMPLES, HypothesisTestMode.COVERAGE)


def test_following_links_holds_to_the_document() -> None:
    class Following(described().as_state_machine()):  # type: ignore[misc]
        def validate_response(self, response: Response, case: Case[Any], **more: Any) -> None:
            hold(response, case)

    run_state_machine_as_test(Following, settings=settings(SETTINGS, stateful_step_count=6))


@cache
def described() -> OpenApiSchema:
    return schemathesis.openapi.from_asgi("/openapi.json", create_app())


def attack(operation: str, *modes: HypothesisTestMode) -> None:
    """Send what schemathesis makes of an operation."""
    path, method = OPERATIONS[operation]
    config = HypothesisTestConfig(project=described().config, modes=[*modes], settings=SETTINGS)
    create_test(operation=described()[path][method], test_func=check, config=config)()


def check(case: Case[Any]) -> None:
    """Send a request and look at the answer."""
    hold(case.call(), case)


def hold(response: Response, case: Case[Any]) -> None:
    """Hold an answer against the document."""
    case.validate_response(response, excluded_checks=[positive_data_acceptance] if is_beyond(case, response) else [])


def is_beyond(case: Case[Any], response: Response) -> bool:
    """Whether the answer is a refusal for what no schema can say."""
    if response.status_code == 415:
        name = case.path_parameters.get("name")  # of a class, which has nothing that a patch could change
        return name is not None and resolve(name)[1] is None
    if response.status_code != 422:
        return False
    problem = response.json()
    if problem["type"] == "urn:mlsysim:out-of-range":
        return True
    if problem["type"] == "urn:mlsysim:invalid-query":
        return all(error["parameter"] == "cursor" or is_unsayable(error["message"]) for error in problem["errors"])
    if not case.path.endswith("/evaluate"):
        return False
    scenario, stated = resolve(case.path_parameters.get("name") or case.path.split("/")[2])
    if not validator(scenario.__name__).is_valid(case.body if stated is None else merge_patch(stated, case.body)):
        return True  # a patch is of any form, but not what comes of it
    return all(is_worded(scenario.__name__, error) or is_unsayable(error["message"]) for error in problem["errors"])


def is_unsayable(message: str) -> bool:
    """Whether it is about something outside the document."""
    return UNSAYABLE.search(message) is not None


def is_worded(scenario: str, error: dict[str, Any]) -> bool:
    """Whether it quotes what the document says in words of its own: `x-rules`, `x-one-of` and the like."""
    schema, message = document()["components"]["schemas"][scenario], error["message"]
    inputs = schema["properties"].values()
    choices = [choice for each in inputs for choice in each.get("x-one-of", [])]
    needs = [path for each in inputs for path in each.get("x-needs", [])]
    most = [each["x-maximum"] for each in inputs if "x-maximum" in each]
    return (
        any(f"must keep to: {rule}" in message for rule in schema.get("x-rules", []))
        or any(f"must be one of {choice}: " in message for choice in choices)
        or any(f"must be at most {limit} " in message for limit in most)
        or any(f"states no {path}, which this scenario needs" in message for path in needs)
        or (
            "is not stated" in message
            and error["pointer"].replace("/", ".").endswith(tuple(f".{path}" for path in needs))
        )
    )
