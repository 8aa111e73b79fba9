"""Every operation of the document shows a request, and the answer it shows is the one that is given."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest
from fastapi.testclient import TestClient

from service.app import create_app
from service.openapi import DOCUMENT

DOCUMENTED: dict[str, Any] = json.loads(DOCUMENT.read_text())
READS = [path for path, item in DOCUMENTED["paths"].items() if "get" in item and path != "/metrics"]  # which is text
EVALUATIONS = [path for path, item in DOCUMENTED["paths"].items() if "post" in item]
EVALUATE = "/scenarios/AmdahlScenario/evaluate"
IN_ANOTHER_UNIT = {"stages": {"model": "10 GB", "rest": "85 ms"}, "stage": "model", "speedup": 3}


@cache
def client() -> TestClient:
    return TestClient(create_app())


@pytest.mark.parametrize("path", READS)
def test_the_example_of_a_read(path: str) -> None:
    operation = DOCUMENTED["paths"][path]["get"]
    examples = {(p["in"], p["name"]): p["example"] for p in operation.get("parameters", []) if "example" in p}
    url = re.sub(r"\{(\w+)\}", lambda match: examples["path", match[1]], path)
    query = {name: value for (where, name), value in examples.items() if where == "query"}
    answer = client().get(url, params=query)
    assert answer.status_code == 200
    assert answer.json() == operation["responses"]["200"]["content"]["application/json"]["example"]
    assert all(name in answer.headers for name in operation["responses"]["200"]["headers"])


def test_a_read_that_the_client_has() -> None:
    again = client().get("/units", headers={"If-None-Match": "*"})
    assert again.status_code == 304
    assert all(name in again.headers for name in DOCUMENTED["components"]["responses"]["NotModified"]["headers"])


def test_every_read_may_be_asked_for_conditionally() -> None:
    for path in [*READS, "/metrics"]:
        operation = DOCUMENTED["paths"][path]["get"]
        assert operation["responses"]["304"] == {"$ref": "#/components/responses/NotModified"}
        assert {"$ref": "#/components/parameters/IfNoneMatch"} in operation["parameters"]


@pytest.mark.parametrize("path", EVALUATIONS)
def test_the_examples_of_an_evaluation(path: str) -> None:
    operation = DOCUMENTED["paths"][path]["post"]
    url = path.replace("{name}", operation["parameters"][0].get("example", ""))
    requests = operation["requestBody"]["content"]["application/json"]["examples"]
    answers = operation["responses"]["200"]["content"]["application/json"]["examples"]
    assert answers
    for name, shown in answers.items():
        answer = client().post(url, json=requests[name]["value"])
        assert answer.json() == shown["value"]


@pytest.mark.parametrize(
    ("status", "method", "path", "media_type", "body"),
    [
        (400, "POST", EVALUATE, "application/json", b"{"),
        (404, "POST", "/scenarios/AmdalScenario/evaluate", "application/json", b"{}"),
        (405, "GET", EVALUATE, "application/json", b""),
        (413, "POST", EVALUATE, "application/json", b" " * 1_000_001),
        (415, "POST", EVALUATE, "text/plain", b"hi"),
        (422, "POST", EVALUATE, "application/json", json.dumps(IN_ANOTHER_UNIT).encode()),
    ],
)
def test_the_example_of_a_problem(status: int, method: str, path: str, media_type: str, body: bytes) -> None:
    declared = DOCUMENTED["paths"][EVALUATE]["post"]["responses"] | {"404": {"$ref": "/UnknownName"}}
    name = declared[str(status)]["$ref"].rpartition("/")[2]
    example = DOCUMENTED["components"]["responses"][name]["content"]["application/problem+json"]["example"]
    assert client().request(method, path, content=body, headers={"content-type": media_type}).json() == example


def test_a_read_has_its_parameters_described() -> None:
    for path in READS:
        for parameter in DOCUMENTED["paths"][path]["get"]["parameters"]:
            assert "$ref" in parameter or parameter["in"] == "path" or parameter.get("description"), (path, parameter)


def test_every_quantity_says_its_unit_in_words_and_in_x_unit() -> None:
    for name, schema in DOCUMENTED["components"]["schemas"].items():
        for field, described in schema.get("properties", {}).items():
            if "x-unit" in described and name.endswith(("Scenario", "Result", "Comparison")):
                assert f"[{described['x-unit']}]" in described["description"], (name, field)
