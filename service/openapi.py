"""The OpenAPI 3.1 document: FastAPI's for the plain routes, and one typed operation for each scenario class.

python -m service.openapi           writes openapi/openapi.json
python -m service.openapi --check   fails where that file differs from what the code says
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Coroutine
from copy import deepcopy
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from mlsysim.catalog import KINDS, catalog
from mlsysim.catalog.types import Compute, Link, Memory
from mlsysim.engine.description import named_configurations, question
from mlsysim.engine.evaluation import evaluate
from mlsysim.engine.explanation import Derivation
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.result import OutputSpec, Result
from mlsysim.engine.scenario import InputSpec, Scenario
from mlsysim.engine.scenario_catalog import configurations
from mlsysim.engine.warnings import CODES
from mlsysim.fields import Bound, IntegerType, Needs, OneOf
from mlsysim.units import DIMENSIONS, LONGEST_TEXT, Dimension, patterns, unit_patterns
from service import problems
from service.answers import Answer
from service.batch import Batch, answer_batch
from service.catalog import CatalogQuery, entry_schemas, get_catalog, get_entry, get_kind
from service.scenarios import get_scenario, get_scenarios
from service.status import get_health, get_units, get_version

DOCUMENT = Path(__file__).parents[1] / "openapi" / "openapi.json"

DESCRIPTION = """\
First-principles answers about machine-learning systems. Each *scenario* is one calculation: inputs with units in, a \
result with units out.

A quantity is written `"60 ms"`, `{"value": 60, "unit": "ms"}`, or `{"ref": "kernel_launch"}` for a constant of the \
catalog. Where hardware, a model or a fleet is expected, write its catalog key (`"H100"`), an object of your own, or a \
key with changes (`{"ref": "H100", "memory": {"bandwidth": "4 TB/s"}}`). Every error is an RFC 9457 problem that says \
what would do.

Whole numbers are written out in full, however large. Outputs that may exceed 2^53 are marked \
`x-may-exceed-safe-integer`: JavaScript's `JSON.parse` would round them, so read them with a parser that does not.
"""

_UNITS_PARAMETER = {
    "name": "units",
    "in": "query",
    "required": False,
    "description": "units of the answer: those of the scenario's contract, or SI base units",
    "schema": {"type": "string", "enum": ["display", "si"], "default": "display"},
}
_EXPLAIN_PARAMETER = {
    "name": "explain",
    "in": "query",
    "required": False,
    "description": "add the derivation: each output's formula with this call's numbers in it, each input's origin",
    "schema": {"type": "boolean", "default": False},
}
_STATUSES = {
    400: "The body is not acceptable JSON.",
    404: "Nothing has that name.",
    405: "The path does not answer that method.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "The inputs or the query are not valid, or the answer does not fit a double.",
    500: "The service failed.",
}


class _Schema(GenerateJsonSchema):
    """Pydantic's schemas without generated titles, and with the values of a map where generators look for them."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def dict_schema(self, schema: Any) -> dict[str, Any]:
        found = super().dict_schema(schema)
        for pattern, value in found.pop("patternProperties", {}).items():
            found |= {"additionalProperties": value, "propertyNames": {"pattern": pattern}}
        return found


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
            _without_null(operation.get("parameters", []))
            _describe_errors(operation, 404 if "{" in path or path == "/scenarios" or path == "/catalog" else None)
    schemas = document["components"]["schemas"]
    for leftover in ("HTTPValidationError", "ValidationError"):
        schemas.pop(leftover, None)
    schemas |= _model_schemas() | _quantity_schemas() | _choice_schemas()
    for path, component in (("/catalog/{kind}/{key}", "CatalogEntry"), ("/scenarios/{name}", "Description")):
        _answer(paths[path]["get"])["schema"] = _ref(component)
    paths |= _entry_paths(paths["/catalog/{kind}/{key}"]["get"]) | _evaluate_paths(schemas)
    for path, example in _get_examples().items():
        _show(path, paths[path]["get"], *example)
    document = _with_references(_as_written(document))
    document["components"]["schemas"] = _used(document)
    return document  # type: ignore[no-any-return]


def _used(document: dict[str, Any]) -> dict[str, Any]:
    """The components that some operation refers to, by name."""
    schemas = document["components"]["schemas"]
    found: set[str] = set()
    open_ends = [json.dumps(document["paths"])]
    while open_ends:
        names = set(re.findall(r'"#/components/schemas/(\w+)"', open_ends.pop())) - found
        found |= names
        open_ends += [json.dumps(schemas[name]) for name in names]
    return {name: schemas[name] for name in sorted(found)}


def _answer(operation: dict[str, Any]) -> dict[str, Any]:
    """The JSON of a successful answer."""
    return operation["responses"]["200"]["content"]["application/json"]  # type: ignore[no-any-return]


def _without_null(parameters: list[dict[str, Any]]) -> None:
    """What a parameter may be, for it is left out rather than null."""
    for parameter in parameters:
        options = parameter["schema"].pop("anyOf", [])
        for option in options:
            parameter["schema"] |= option if option != {"type": "null"} else {}


def _entry_paths(operation: dict[str, Any]) -> dict[str, Any]:
    """A path for the entries of each kind, so that a generated client knows the type of the answer."""
    paths = {}
    for kind, model in entry_schemas().items():
        described = deepcopy(operation) | {
            "operationId": f"get{model.__name__.removesuffix('Description')}",
            "summary": f"One entry of {kind}",
        }
        described["parameters"] = [each for each in described["parameters"] if each["name"] != "kind"]
        _answer(described)["schema"] = _ref(model.__name__)
        key = next(iter(catalog().entries(kind) if kind in KINDS else configurations()))
        _show(f"/catalog/{kind}/{{key}}", described, {"key": key}, _now(get_entry(kind, key)))
        paths[f"/catalog/{kind}/{{key}}"] = {"get": described}
    return paths


def _get_examples() -> dict[str, tuple[dict[str, str], Answer]]:
    """For each path under GET an example of its parameters, and the true answer to it."""
    named, entry = "ModelSpeedupRequestPath", ("hardware", "H100")
    fast = {"min_bandwidth": "5 TB/s", "sort": "-bandwidth", "limit": "3"}
    asked = CatalogQuery(min_bandwidth="5 TB/s", sort="-bandwidth", limit=3)
    return {
        "/catalog": ({"kind": "pods"}, _now(get_catalog(CatalogQuery(), "pods"))),
        "/catalog/{kind}": ({"kind": "hardware", **fast}, _now(get_kind(asked, "hardware"))),
        "/catalog/{kind}/{key}": ({"kind": entry[0], "key": entry[1]}, _now(get_entry(*entry))),
        "/scenarios": ({"theme": "host"}, _now(get_scenarios("host"))),
        "/scenarios/{name}": ({"name": named}, _now(get_scenario(named))),
        "/healthz": ({}, _now(get_health())),
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


def _show(path: str, operation: dict[str, Any], parameters: dict[str, str], answer: Answer) -> None:
    """Put an example of the parameters and its answer into an operation."""
    for parameter in operation.get("parameters", []):
        name = parameter["name"]
        if name in parameters and (parameter["in"] == "path") == (f"{{{name}}}" in path):
            parameter["example"] = parameters[name]
    _answer(operation)["example"] = json.loads(bytes(answer.body))


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


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _problem_response(status: int) -> dict[str, Any]:
    return {"description": _STATUSES[status], "content": {problems.MEDIA_TYPE: {"schema": _ref("Problem")}}}


def _describe_errors(operation: dict[str, Any], *statuses: int | None) -> None:
    for status in (405, 422, 500, *statuses):
        if status is not None:
            operation["responses"][str(status)] = _problem_response(status)


def _model_schemas() -> dict[str, Any]:
    """Components of everything that is read (scenarios, catalog entries) or shown (results, descriptions)."""
    read: list[type[BaseModel]] = [*scenario_classes().values(), *KINDS.values(), Batch]
    shown = [problems.Problem, Derivation, *(model for model in entry_schemas().values() if model not in read)]
    found: dict[str, Any] = {}
    for models, mode in ((read, "validation"), (shown, "serialization")):
        _, definitions = models_json_schema(
            [(model, mode) for model in models],  # type: ignore[misc]
            ref_template="#/components/schemas/{model}",
            schema_generator=_Schema,
        )
        found |= definitions["$defs"]
    for scenario in scenario_classes().values():
        found[scenario.__name__]["description"] = question(scenario)
        for name, spec in scenario.inputs().items():
            _mark(found[scenario.__name__]["properties"][name], spec)
        if scenario.rules:
            found[scenario.__name__]["x-rules"] = [str(rule.formula) for rule in scenario.rules]
        found[scenario.result_type.__name__] = _result(scenario.result_type)
    figures: list[type[BaseModel]] = [*KINDS.values(), Compute, Memory, Link]
    for model in figures:
        found[model.__name__]["properties"] = {
            name: _or_null(figure) for name, figure in found[model.__name__]["properties"].items()
        }
    for entry in KINDS.values():
        found[entry.__name__]["properties"]["ref"] = {
            "type": "string",
            "description": "catalog entry to start from; the other fields are merged into it",
        }
    return found


def _mark(described: dict[str, Any], spec: InputSpec) -> None:
    """Add to an input what a schema has no word for: its unit, the names it is one of, the figures it has to state."""
    if spec.unit:
        described["description"] += f" [{spec.unit}]"
    marks = (*spec.shape.metadata, *spec.shape.leaf.metadata)
    choices = [mark.expression for mark in marks if isinstance(mark, OneOf)]
    needs = [path for mark in marks if isinstance(mark, Needs) for path in mark.paths]
    described |= {key: list(dict.fromkeys(fact)) for key, fact in (("x-one-of", choices), ("x-needs", needs)) if fact}


def _or_null(figure: dict[str, Any]) -> dict[str, Any]:
    """A figure of a catalog entry, which null takes away; so it does from a map."""
    if "additionalProperties" in figure:
        figure = {**figure, "additionalProperties": _or_null(figure["additionalProperties"])}
    if {"type": "null"} in figure.get("anyOf", []):
        return figure
    beside = ("description", "default", "x-unit")
    kept = {key: fact for key, fact in figure.items() if key in beside}
    return {"anyOf": [{key: fact for key, fact in figure.items() if key not in beside}, {"type": "null"}], **kept}


def _result(result: type[Result]) -> dict[str, Any]:
    outputs = result.outputs()
    return {
        "type": "object",
        "description": result.__doc__,
        "properties": {name: _output(spec) for name, spec in outputs.items()},
        "required": list(outputs),
    }


def _output(spec: OutputSpec) -> dict[str, Any]:
    unit = f" [{spec.unit}]" if spec.unit else "; exact, and may exceed 2^53" if _unlimited(spec) else ""
    facts = {
        "x-unit": spec.unit,
        "x-may-exceed-safe-integer": _unlimited(spec),
        "x-formula": spec.formula and str(spec.formula),
        "x-defined-if": spec.defined_if and str(spec.defined_if),
        "x-undefined": spec.undefined,
        "x-algorithm": list(spec.algorithm),
    }
    return {
        **spec.shape.json_schema("serialization"),
        "description": spec.description + unit,
        **{key: fact for key, fact in facts.items() if fact},
    }


def _unlimited(spec: OutputSpec) -> bool:
    """Whether it is a whole number that may be too large for a reader that holds numbers as doubles."""
    leaf = spec.shape.leaf
    limited = any(isinstance(mark, Bound) and mark.le is not None for mark in leaf.metadata)
    constant = spec.formula is not None and not spec.formula.names
    return isinstance(leaf.type, IntegerType) and not limited and not constant


def component(dimension: Dimension) -> str:
    """The name of the component of a dimension: ``DataRate``."""
    return "".join(word.capitalize() for word in dimension.name.split("_"))


def _quantity_schemas() -> dict[str, Any]:
    """For each dimension the quantity as it is shown, and as it may be written; and the reference to a constant."""
    found: dict[str, Any] = {
        "ConstantReference": {
            "type": "object",
            "description": "A constant of the catalog, by its key.",
            "properties": {"ref": {"type": "string", "examples": ["kernel_launch"]}},
            "required": ["ref"],
            "additionalProperties": False,
        },
        "Quantity": _quantity("A quantity of any dimension.", None),
    }
    for dimension in DIMENSIONS:
        found[component(dimension)] = _quantity(f"{_sentence(dimension)} with its unit.", dimension)
        for sign, refused in (("", {}), ("NonNegative", {"exclusiveMaximum": 0}), ("Positive", {"maximum": 0})):
            found[f"{sign or 'Any'}{component(dimension)}"] = _written(dimension, sign, refused)
    return found


def _written(dimension: Dimension, sign: str, refused: dict[str, Any]) -> dict[str, Any]:
    """A quantity as it may be written: as text, as value and unit, or as a constant.

    Value and unit are the component that answers have, so that a generated client has one type for both; the bound
    stands beside the reference, as what the value may not be, because generators make a second type of anything else.
    """
    limit = {"": "", "NonNegative": ", not negative", "Positive": ", greater than 0"}[sign]
    return {
        "description": f"{_sentence(dimension)}{limit}: text with its unit, value and unit, or a catalog constant.",
        "x-dimension": dimension.name,
        "anyOf": [
            {
                "type": "string",
                "pattern": patterns(sign)[dimension.name],
                "maxLength": LONGEST_TEXT,
                "examples": [f"10 {unit}" for unit in dimension.common[:3]],
            },
            {**_ref(component(dimension)), **({"not": {"properties": {"value": refused}}} if refused else {})},
            _ref("ConstantReference"),
        ],
    }


def _sentence(dimension: Dimension) -> str:
    return dimension.title[0].upper() + dimension.title[1:]


def _quantity(description: str, dimension: Dimension | None) -> dict[str, Any]:
    unit: dict[str, Any] = {"type": "string", "description": "unit of the value", "maxLength": LONGEST_TEXT}
    if dimension:
        unit["pattern"] = unit_patterns()[dimension.name]
        unit["examples"] = list(dict.fromkeys([*dimension.common, dimension.si]))
    return {
        "type": "object",
        "description": description,
        **({"x-dimension": dimension.name} if dimension else {}),
        "properties": {"value": {"type": "number"}, "unit": unit},
        "required": ["value", "unit"],
        "additionalProperties": False,
    }


def _choice_schemas() -> dict[str, Any]:
    """What may stand where a catalog entry is expected, and what an answer may be that has one of several types."""
    return {
        "CatalogEntry": {
            "description": "An entry of any kind; on the path of its kind, /catalog/hardware/{key}, it has that type.",
            "anyOf": [_ref(model.__name__) for model in entry_schemas().values()],
        },
        "Description": {
            "description": "A scenario class or a named configuration.",
            "anyOf": [_ref("ScenarioDescription"), _ref("ConfigurationDescription")],
        },
        "ConfigurationPatch": {
            "type": "object",
            "description": "A JSON Merge Patch (RFC 7396) over the inputs of a named configuration.",
            "additionalProperties": True,
        },
        "BatchAnswer": {
            "description": "The answer of an evaluation, or the problem with it, which alone has a status.",
            "anyOf": [_ref("Evaluation"), _ref("Problem")],
        },
    } | {
        f"Any{model.__name__}": {
            "description": f"A catalog key of {kind}, an object of your own, or a key (ref) with changes.",
            "anyOf": [{"type": "string", "description": f"key of an entry of {kind}"}, _ref(model.__name__)],
        }
        for kind, model in KINDS.items()
    }


def _evaluate_paths(schemas: dict[str, Any]) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    evaluations = []
    for name, scenario in scenario_classes().items():
        evaluation = name.removesuffix("Scenario") + "Evaluation"
        evaluations.append((name, evaluation))
        schemas[evaluation] = _evaluation(scenario)
        paths[f"/scenarios/{name}/evaluate"] = {"post": _evaluate_class(scenario, evaluation)}
    schemas["Warning"] = {
        "type": "object",
        "description": "Something a careful engineer would look at twice in a valid answer.",
        "properties": {
            "code": {"type": "string", "enum": sorted(CODES), "description": _codes()},
            "message": {"type": "string", "description": "what it is about in this answer"},
        },
        "required": ["code", "message"],
    }
    schemas["Evaluation"] = {
        "description": "The answer of any scenario class.",
        "oneOf": [_ref(evaluation) for _, evaluation in evaluations],
        "discriminator": {
            "propertyName": "scenario",
            "mapping": {name: f"#/components/schemas/{evaluation}" for name, evaluation in evaluations},
        },
    }
    paths["/scenarios/{name}/evaluate"] = {"post": _evaluate_named()}
    paths["/batch"] = {"post": _evaluate_batch()}
    schemas["BatchAnswers"] = {
        "type": "object",
        "description": "The answers of a batch, in the order of its evaluations.",
        "properties": {
            "count": {"type": "integer", "description": "how many there are"},
            "answers": {"type": "array", "items": _ref("BatchAnswer")},
        },
        "required": ["count", "answers"],
    }
    return paths


def _codes() -> str:
    return "\n".join(["which point is doubtful:", "", *(f"- `{code}`: {meaning}" for code, meaning in CODES.items())])


def _evaluation(scenario: type[Scenario[Any]]) -> dict[str, Any]:
    outputs = scenario.result_type.outputs()
    optional = [name for name, spec in outputs.items() if spec.undefined]
    return {
        "type": "object",
        "description": f"The answer of {scenario.__name__}.",
        "properties": {
            "scenario": {"type": "string", "const": scenario.__name__},
            "configuration": {
                "type": ["string", "null"],
                "description": "the named configuration it came from, null for a class",
            },
            "inputs": {**_ref(scenario.__name__), "description": "the complete inputs, ready to be posted back"},
            "result": _ref(scenario.result_type.__name__),
            "undefined": {
                "type": "object",
                "description": "for each output that is null, why it is not defined",
                **(
                    {"properties": {name: {"type": "string"} for name in optional}, "additionalProperties": False}
                    if optional
                    else {"additionalProperties": {"type": "string"}, "maxProperties": 0}
                ),
            },
            "warnings": {"type": "array", "items": _ref("Warning")},
            "derivation": {**_ref("Derivation"), "description": "how the answer came about, with ?explain=true"},
        },
        "required": ["scenario", "configuration", "inputs", "result", "undefined", "warnings"],
    }


def _evaluate_class(scenario: type[Scenario[Any]], evaluation: str) -> dict[str, Any]:
    name = scenario.__name__
    named = named_configurations(scenario)
    examples = {
        configuration.name: {"summary": configuration.title, "value": configuration.inputs} for configuration in named
    }
    answers = {
        configuration.name: {
            "summary": configuration.title,
            "value": evaluate(name, configuration.inputs).to_json(),
        }
        for configuration in named[:1]
    }
    return {
        "tags": [scenario.theme],
        "operationId": f"evaluate{name}",
        "summary": scenario.title,
        "description": _scenario_text(scenario),
        "parameters": [_UNITS_PARAMETER, _EXPLAIN_PARAMETER],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _ref(name), **({"examples": examples} if examples else {})}},
        },
        "responses": {
            "200": {
                "description": "The result.",
                "content": {
                    "application/json": {"schema": _ref(evaluation), **({"examples": answers} if answers else {})}
                },
            },
            **{str(status): _problem_response(status) for status in (400, 405, 413, 415, 422, 500)},
        },
    }


def _scenario_text(scenario: type[Scenario[Any]]) -> str:
    lines = [question(scenario), ""]
    for spec in scenario.result_type.outputs().values():
        formula = f" = `{spec.formula}`" if spec.formula else ""
        lines.append(f"- **{spec.name}**{f' [{spec.unit}]' if spec.unit else ''}{formula}: {spec.description}")
    return "\n".join(lines)


def _evaluate_named() -> dict[str, Any]:
    return {
        "tags": ["scenarios"],
        "operationId": "evaluateConfiguration",
        "summary": "A named configuration, as it stands or with changes",
        "description": "The body is a JSON Merge Patch (RFC 7396) over the inputs of the configuration; `{}` evaluates "
        "it as it stands. A quantity is replaced whole. The name of a class does as well; the body then is its inputs.",
        "parameters": [
            {
                "name": "name",
                "in": "path",
                "required": True,
                "description": "name of a configuration",
                "schema": {"type": "string"},
                "example": "ModelSpeedupRequestPath",
            },
            _UNITS_PARAMETER,
            _EXPLAIN_PARAMETER,
        ],
        "requestBody": {
            "required": True,
            "content": {
                media_type: {"schema": _ref("ConfigurationPatch"), "examples": _PATCHES}
                for media_type in ("application/json", "application/merge-patch+json")
            },
        },
        "responses": {
            "200": {
                "description": "The result.",
                "content": {
                    "application/json": {
                        "schema": _ref("Evaluation"),
                        "examples": {
                            name: {"value": evaluate("ModelSpeedupRequestPath", patch["value"]).to_json()}
                            for name, patch in _PATCHES.items()
                        },
                    }
                },
            },
            **{str(status): _problem_response(status) for status in _STATUSES},
        },
    }


def _evaluate_batch() -> dict[str, Any]:
    body = {
        "evaluations": [
            {"name": "ModelSpeedupRequestPath", "inputs": {"speedup": 10}},
            {"name": "RooflinePointScenario", "inputs": {"hardware": "H100", "intensity": "100 FLOP/byte"}},
            {"name": "RooflinePointScenario", "inputs": {"hardware": "H100", "intensity": "100 GB"}},
        ]
    }
    return {
        "tags": ["scenarios"],
        "operationId": "evaluateBatch",
        "summary": "Up to 1 000 evaluations in one call",
        "description": "Classes and named configurations in any mix. Answers come in order, each the answer that the "
        "single call would give or its problem; one that fails fails only itself.",
        "parameters": [_UNITS_PARAMETER, _EXPLAIN_PARAMETER],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _ref("Batch"), "examples": {"a mix": {"value": body}}}},
        },
        "responses": {
            "200": {
                "description": "An answer for each evaluation.",
                "content": {
                    "application/json": {
                        "schema": _ref("BatchAnswers"),
                        "examples": {"a mix": {"value": answer_batch(Batch.model_validate(body))}},
                    }
                },
            },
            **{str(status): _problem_response(status) for status in (400, 405, 413, 415, 422, 500)},
        },
    }


_PATCHES: dict[str, dict[str, Any]] = {
    "as it stands": {"value": {}},
    "one input changed": {"value": {"speedup": 10}},
    "a faster stage": {"value": {"stages": {"model": "20 ms"}}},
}


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
            **_ref(value["x-component"]),
            **{k: _with_references(v) for k, v in value.items() if k != "x-component"},
        }
    return {key: _with_references(item) for key, item in value.items()}


def serve_document(app: FastAPI) -> None:
    """Answer ``GET /openapi.json`` with the document, built when it is first asked for."""
    built: list[dict[str, Any]] = []

    async def get_document() -> Answer:
        if not built:
            built.append(build(app))
        return Answer(built[0])

    app.add_api_route("/openapi.json", get_document, include_in_schema=False)


def main() -> int:
    """Write the document, or compare it with the one that is committed."""
    from service.app import create_app

    text = json.dumps(build(create_app()), indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv[1:]:
        if DOCUMENT.exists() and DOCUMENT.read_text() == text:
            return 0
        print("openapi/openapi.json differs from the code; `make openapi` writes it anew", file=sys.stderr)
        return 1
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
