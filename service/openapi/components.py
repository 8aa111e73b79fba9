"""Components of what is sent and answered: scenarios, results, evaluations, catalog entries."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from mlsysim.catalog import KINDS
from mlsysim.catalog.types import Compute, Link, Memory
from mlsysim.engine.description import question
from mlsysim.engine.explanation import Derivation
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.result import OutputSpec, Result
from mlsysim.engine.scenario import InputSpec, Scenario
from mlsysim.engine.warnings import CODES
from mlsysim.fields import Bound, IntegerType, Needs, OneOf
from service import problems
from service.batch import Batch
from service.catalog import entry_schemas
from service.openapi.parts import ref

# The catalog may get new values of these, and a client that was made before has to be able to read them.
_GROWING = (("Hardware", "class"), ("Workload", "kind"), ("Source", "grade"))


class _Schema(GenerateJsonSchema):
    """Pydantic's schemas without generated titles, and with the values of a map where generators look for them."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def dict_schema(self, schema: Any) -> dict[str, Any]:
        found = super().dict_schema(schema)
        for pattern, value in found.pop("patternProperties", {}).items():
            found |= {"additionalProperties": value, "propertyNames": {"pattern": pattern}}
        return found


def model_schemas() -> dict[str, Any]:
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
    for name, field in _GROWING:
        _open(found[name]["properties"][field])
    for entry in KINDS.values():
        found[entry.__name__]["properties"]["ref"] = {
            "type": "string",
            "description": "catalog entry to start from; the other fields are merged into it",
        }
    return found


def _mark(described: dict[str, Any], spec: InputSpec) -> None:
    """Add to an input what a schema has no word for: its unit, the names it is one of, the figures it has to state."""
    held = spec.shape.leaf.type
    if unit := spec.unit or (held.usual_unit if held else None):
        described["description"] += f" [{unit}]"
        described["x-unit"] = unit
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


def _open(described: dict[str, Any]) -> None:
    """Say of a field that its values are those that there are now, not all that it will ever have."""
    values = described["anyOf"][0].pop("enum")
    described["anyOf"][0]["x-extensible-enum"] = values
    described["description"] += f": {', '.join(values)}; there may be new ones"


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
    rounded = re.match(r"(round|ceil|floor)\([^()]*\)$", str(spec.formula))  # a double, refused beyond 2^53
    return isinstance(leaf.type, IntegerType) and not (limited or constant or rounded)


def choice_schemas() -> dict[str, Any]:
    """What may stand where a catalog entry is expected, and what an answer may be that has one of several types."""
    return {
        "CatalogEntry": {
            "description": "An entry of any kind; on the path of its kind, /catalog/hardware/{key}, it has that type.",
            "anyOf": [ref(model.__name__) for model in entry_schemas().values()],
        },
        "Description": {
            "description": "A scenario class or a named configuration.",
            "anyOf": [ref("ScenarioDescription"), ref("ConfigurationDescription")],
        },
        "ConfigurationPatch": {
            "type": "object",
            "description": "A JSON Merge Patch (RFC 7396) over the inputs of a named configuration.",
            "additionalProperties": True,
        },
    } | {
        f"Any{model.__name__}": {
            "description": f"A catalog key of {kind}, an object of your own, or a key (ref) with changes.",
            "anyOf": [{"type": "string", "description": f"key of an entry of {kind}"}, ref(model.__name__)],
        }
        for kind, model in KINDS.items()
    }


def evaluation_name(scenario: type[Scenario[Any]]) -> str:
    """The name of the component of a scenario's answer: ``AmdahlEvaluation``."""
    return scenario.__name__.removesuffix("Scenario") + "Evaluation"


def evaluation_schemas() -> dict[str, Any]:
    """The answer of each scenario class, of any of them, and of a batch."""
    names = {name: evaluation_name(scenario) for name, scenario in scenario_classes().items()}
    evaluations = {names[name]: _evaluation(scenario) for name, scenario in scenario_classes().items()}
    for name, scenario in scenario_classes().items():
        if optional := _optional(scenario):
            evaluations[f"{names[name]}Undefined"] = _undefined(optional)
    return evaluations | {
        "Warning": {
            "type": "object",
            "description": "Something a careful engineer would look at twice in a valid answer.",
            "properties": {
                "code": {"type": "string", "x-extensible-enum": sorted(CODES), "description": _codes()},
                "message": {"type": "string", "description": "what it is about in this answer"},
            },
            "required": ["code", "message"],
        },
        "Evaluation": {
            "description": "The answer of any scenario class.",
            "oneOf": [ref(evaluation) for evaluation in names.values()],
            "discriminator": {
                "propertyName": "scenario",
                "mapping": {name: f"#/components/schemas/{evaluation}" for name, evaluation in names.items()},
            },
        },
        "BatchAnswer": {
            "description": "The answer of an evaluation, or the problem with it, which alone has a status.",
            "anyOf": [ref("Evaluation"), ref("Problem")],
        },
        "BatchAnswers": {
            "type": "object",
            "description": "The answers of a batch, in the order of its evaluations.",
            "properties": {
                "count": {"type": "integer", "description": "how many there are"},
                "answers": {"type": "array", "items": ref("BatchAnswer")},
            },
            "required": ["count", "answers"],
        },
    }


def _evaluation(scenario: type[Scenario[Any]]) -> dict[str, Any]:
    none: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 0}
    undefined = ref(f"{evaluation_name(scenario)}Undefined") if _optional(scenario) else none
    return {
        "type": "object",
        "description": f"The answer of {scenario.__name__}.",
        "properties": {
            "scenario": {"type": "string", "const": scenario.__name__},
            "configuration": {
                "type": ["string", "null"],
                "description": "the named configuration it came from, null for a class",
            },
            "inputs": {**ref(scenario.__name__), "description": "the complete inputs, ready to be posted back"},
            "result": ref(scenario.result_type.__name__),
            "undefined": {**undefined, "description": "for each output that is null, why it is not defined"},
            "warnings": {"type": "array", "items": ref("Warning")},
            "derivation": {**ref("Derivation"), "description": "how the answer came about, with ?explain=true"},
        },
        "required": ["scenario", "configuration", "inputs", "result", "undefined", "warnings"],
    }


def _optional(scenario: type[Scenario[Any]]) -> list[str]:
    return [name for name, spec in scenario.result_type.outputs().items() if spec.undefined]


def _undefined(outputs: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "description": "Why outputs are null.",
        "properties": {name: {"type": "string"} for name in outputs},
        "additionalProperties": False,
    }


def _codes() -> str:
    return "\n".join(
        [
            "which point is doubtful; there may be new ones:",
            "",
            *(f"- `{code}`: {meaning}" for code, meaning in CODES.items()),
        ]
    )
