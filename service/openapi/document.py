"""The document as a whole."""

from __future__ import annotations

import json
import re
import sys
from threading import Lock
from typing import Any

from fastapi import FastAPI, Response
from fastapi.openapi.utils import get_openapi

from mlsysim.engine.registry import scenario_classes
from mlsysim.text import to_bytes
from service.aside import aside
from service.openapi.components import choice_schemas, evaluation_schemas, model_schemas
from service.openapi.evaluations import evaluate_paths
from service.openapi.parts import answer_of, ref
from service.openapi.quantities import quantity_schemas
from service.openapi.reading import ask_conditionally, complete, entry_paths, get_examples, show
from service.openapi.shared import shared

DESCRIPTION = """\
First-principles answers about machine-learning systems. Each *scenario* is one calculation: inputs with units in, a \
result with units out.

A quantity is written `"60 ms"`, `{"value": 60, "unit": "ms"}`, or `{"ref": "kernel_launch"}` for a constant of the \
catalog. Where hardware, a model or a fleet is expected, write its catalog key (`"H100"`), an object of your own, or a \
key with changes (`{"ref": "H100", "memory": {"bandwidth": "4 TB/s"}}`). Every error is an RFC 9457 problem that says \
what would do.

Every GET has an ETag and answers HEAD as well, with the same headers and no body. Problems have the headers \
`Catalog-Version` and `X-Request-ID` as all answers do, and `Cache-Control: no-store`.

Names are for keeps: paths, fields and what they mean stay as they are. Answers may get new fields, and where \
`x-extensible-enum` lists the values there are now, new ones. A request takes the values on such a list and no others.

Whole numbers are written out in full, however large. Outputs that may exceed 2^53 are marked \
`x-may-exceed-safe-integer`: JavaScript's `JSON.parse` would round them, so read them with a parser that does not. \
Any other number is a double: one written with more digits is read as the nearest, which `inputs` of the answer shows.
"""

KEY_SCHEME = "ApiKey"
KEY_DESCRIPTION = {
    "type": "http",
    "scheme": "bearer",
    "description": "Needed only where the operator has set keys; health and metrics never need one.",
}


def build(app: FastAPI) -> dict[str, Any]:
    """The document of the application."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=app.description,
        license_info=app.license_info,
        servers=app.servers,
        routes=app.routes,
        tags=_tags(),
    )
    paths = document["paths"]
    for path, item in paths.items():
        for operation in item.values():
            complete(path, operation)
    schemas = document["components"]["schemas"]
    for leftover in ("HTTPValidationError", "ValidationError"):
        schemas.pop(leftover, None)
    schemas |= model_schemas() | quantity_schemas() | choice_schemas() | evaluation_schemas()
    for path, component in (("/catalog/{kind}/{key}", "CatalogEntry"), ("/scenarios/{name}", "Description")):
        answer_of(paths[path]["get"])["schema"] = ref(component)
    paths |= entry_paths(paths["/catalog/{kind}/{key}"]["get"]) | evaluate_paths()
    for path, example in get_examples().items():
        show(path, paths[path]["get"], *example)
    for item in paths.values():
        if "get" in item:
            ask_conditionally(item["get"])
    document["components"] |= shared()
    document = _with_references(_as_written(document))
    document["components"]["schemas"] = _used(document)
    document["components"]["securitySchemes"] = {KEY_SCHEME: KEY_DESCRIPTION}
    document["security"] = [{}, {KEY_SCHEME: []}]
    return document  # type: ignore[no-any-return]


def _used(document: dict[str, Any]) -> dict[str, Any]:
    """The components that some operation refers to, by name."""
    schemas = document["components"]["schemas"]
    found: set[str] = set()
    open_ends = [json.dumps([document["paths"], document["components"]["responses"]])]
    while open_ends:
        names = set(re.findall(r'"#/components/schemas/(\w+)"', open_ends.pop())) - found
        found |= names
        open_ends += [json.dumps(schemas[name]) for name in names]
    return {name: schemas[name] for name in sorted(found)}


def _tags() -> list[dict[str, str]]:
    themes = dict.fromkeys(scenario.theme for scenario in scenario_classes().values())
    described = {
        scenario.theme: (sys.modules[scenario.__module__].__doc__ or "").partition("\n")[0]
        for scenario in scenario_classes().values()
    }
    plain = {"scenarios": "What can be asked.", "catalog": "Figures and their sources.", "service": "For operators."}
    return [{"name": name, "description": text} for name, text in plain.items()] + [
        {"name": theme, "description": described[theme]} for theme in themes
    ]


def _as_written(value: Any) -> Any:
    """The document without what pydantic makes up: titles from names, and null as a default of what may be absent."""
    if isinstance(value, list):
        return [_as_written(item) for item in value]
    if not isinstance(value, dict):
        return value
    made_up = isinstance(value.get("title"), str) and ("type" in value or "anyOf" in value or "$ref" in value)
    unsaid = [
        key for key in ("title", "default") if (made_up if key == "title" else key in value and value[key] is None)
    ]
    return {
        key: item if key in ("example", "examples") else _as_written(item)
        for key, item in value.items()
        if key not in unsaid
    }


def _with_references(value: Any) -> Any:
    """The document with every ``x-component`` mark turned into a reference."""
    if isinstance(value, list):
        return [_with_references(item) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("x-component"), str):
        return {
            **ref(value["x-component"]),
            **{k: _with_references(v) for k, v in value.items() if k != "x-component"},
        }
    return {key: _with_references(item) for key, item in value.items()}


def serve_document(app: FastAPI) -> None:
    """Answer ``GET /openapi.json`` with the document, built in a thread when it is first asked for."""
    body: bytes | None = None
    building = Lock()

    def build_once() -> bytes:
        nonlocal body
        with building:
            if body is None:
                body = to_bytes(build(app))
            return body

    async def get_document() -> Response:
        return Response(body or await aside(build_once), media_type="application/json")

    app.add_api_route("/openapi.json", get_document, include_in_schema=False)
