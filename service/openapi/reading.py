"""The operations under GET: true examples, a typed path for each kind of catalog entry, declared problems."""

from __future__ import annotations

import json
from collections.abc import Coroutine
from copy import deepcopy
from typing import Any

from mlsysim.catalog import KINDS, catalog
from mlsysim.engine.scenario_catalog import configurations
from service.answers import Answer
from service.catalog import CatalogQuery, entry_schemas, get_catalog, get_entry, get_kind
from service.keys import OPEN
from service.openapi.parts import answer_of, ref
from service.openapi.shared import OF_GET, headers, problem_responses
from service.scenarios import get_scenario, get_scenarios
from service.status import Readiness, get_health, get_units, get_version

_METRICS = """\
# HELP mlsysim_evaluations_total Evaluations that gave an answer, also within a batch.
# TYPE mlsysim_evaluations_total counter
mlsysim_evaluations_total{scenario="AmdahlScenario"} 3.0
"""

_FIRST_ENTRY = {
    "operationId": "getCatalogEntry",
    "description": "The first entry of the page; its link is the path of it.",
    "parameters": {"kind": "$response.body#/entries/0/kind", "key": "$response.body#/entries/0/key"},
}
_NEXT_PAGE: dict[str, Any] = {
    "description": "Where next_cursor is not null.",
    "parameters": {"cursor": "$response.body#/next_cursor"},
}
_LINKS: dict[str, dict[str, Any]] = {
    "/catalog": {"FirstEntry": _FIRST_ENTRY, "NextPage": {"operationId": "getCatalog", **_NEXT_PAGE}},
    "/catalog/{kind}": {
        "FirstEntry": _FIRST_ENTRY,
        "NextPage": {
            "operationId": "getCatalogKind",
            **_NEXT_PAGE,
            "parameters": {"kind": "$request.path.kind", **_NEXT_PAGE["parameters"]},
        },
    },
    "/scenarios": {
        "FirstScenario": {
            "operationId": "getScenario",
            "description": "The contract of the first class.",
            "parameters": {"name": "$response.body#/scenarios/0/name"},
        }
    },
}


def complete(path: str, operation: dict[str, Any]) -> None:
    """Correct what FastAPI says of an operation: its answers, and parameters that are left out rather than null."""
    for parameter in operation.get("parameters", []):
        for option in parameter["schema"].pop("anyOf", []):
            parameter["schema"] |= option if option != {"type": "null"} else {}
    if path in _LINKS:
        operation["responses"]["200"]["links"] = _LINKS[path]
    statuses = {405, 422, 500}
    if "{" in path or path in ("/scenarios", "/catalog"):
        statuses.add(404)
    if path == "/readyz":
        statuses.add(503)
    if path in OPEN:
        operation["security"] = []
    else:
        statuses.add(401)
    found = operation["responses"]["200"]
    found["headers"] = headers(OF_GET)
    if path == "/metrics":
        found["content"]["text/plain"]["examples"] = {"excerpt": {"summary": "three lines of many", "value": _METRICS}}
    operation["responses"] = {"200": found, "304": ref("NotModified", "responses"), **problem_responses(*statuses)}


def entry_paths(operation: dict[str, Any]) -> dict[str, Any]:
    """A path for the entries of each kind, so that a generated client knows the type of the answer."""
    paths = {}
    for kind, model in entry_schemas().items():
        described = deepcopy(operation) | {
            "operationId": f"get{model.__name__.removesuffix('Description')}",
            "summary": f"One entry of {kind}",
        }
        described["parameters"] = [each for each in described["parameters"] if each["name"] != "kind"]
        described["responses"]["200"]["description"] = (model.__doc__ or "").partition("\n")[0].replace("``", "`")
        answer_of(described)["schema"] = ref(model.__name__)
        key = next(iter(catalog().entries(kind) if kind in KINDS else configurations()))
        show(f"/catalog/{kind}/{{key}}", described, {"key": key}, _now(get_entry(kind, key)))
        paths[f"/catalog/{kind}/{{key}}"] = {"get": described}
    return paths


def get_examples() -> dict[str, tuple[dict[str, Any], Answer]]:
    """For each path under GET an example of its parameters, and the true answer to it."""
    named, entry = "ModelSpeedupRequestPath", ("hardware", "H100")
    fast: dict[str, Any] = {"min_bandwidth": "5 TB/s", "sort": "-bandwidth", "limit": 3}
    asked = CatalogQuery(min_bandwidth="5 TB/s", sort="-bandwidth", limit=3)
    return {
        "/catalog": ({"kind": "pods"}, _now(get_catalog(CatalogQuery(), "pods"))),
        "/catalog/{kind}": ({"kind": "hardware", **fast}, _now(get_kind(asked, "hardware"))),
        "/catalog/{kind}/{key}": ({"kind": entry[0], "key": entry[1]}, _now(get_entry(*entry))),
        "/scenarios": ({"theme": "host"}, _now(get_scenarios("host"))),
        "/scenarios/{name}": ({"name": named}, _now(get_scenario(named))),
        "/healthz": ({}, _now(get_health())),
        "/readyz": ({}, Answer(Readiness().model_dump())),
        "/version": ({}, _now(get_version())),
        "/units": ({}, _now(get_units())),
    }


def _now(call: Coroutine[Any, Any, Answer]) -> Answer:
    """What a coroutine that waits for nothing returns."""
    try:
        call.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    raise RuntimeError("the handler waits for something, so there is no answer yet")


def show(path: str, operation: dict[str, Any], parameters: dict[str, Any], answer: Answer) -> None:
    """Put an example of the parameters and its answer into an operation."""
    for parameter in operation.get("parameters", []):
        name = parameter["name"]
        if name in parameters and (parameter["in"] == "path") == (f"{{{name}}}" in path):
            parameter["example"] = parameters[name]
    answer_of(operation)["example"] = json.loads(bytes(answer.body))


def ask_conditionally(operation: dict[str, Any]) -> None:
    """Let an operation take the header that makes polling cheap."""
    operation["parameters"] = [*operation.get("parameters", []), ref("IfNoneMatch", "parameters")]
