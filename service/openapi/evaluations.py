"""The operations under POST: one for each scenario class, named configurations, batches."""

from __future__ import annotations

from typing import Any

from mlsysim.engine.description import named_configurations, question
from mlsysim.engine.evaluation import evaluate
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.scenario import Scenario
from service.batch import Batch, answer_batch
from service.openapi.components import evaluation_name
from service.openapi.parts import ref
from service.openapi.shared import ALWAYS, BODY_STATUSES, headers, problem_responses

_PARAMETERS = [ref("Units", "parameters"), ref("Explain", "parameters")]

_PATCHES: dict[str, dict[str, Any]] = {
    "as it stands": {"value": {}},
    "one input changed": {"value": {"speedup": 10}},
    "a faster stage": {"value": {"stages": {"model": "20 ms"}}},
}


def evaluate_paths() -> dict[str, Any]:
    """The paths under POST."""
    typed = {
        f"/scenarios/{name}/evaluate": {"post": _evaluate_class(scenario)}
        for name, scenario in scenario_classes().items()
    }
    return typed | {
        "/scenarios/{name}/evaluate": {"post": _evaluate_named()},
        "/batch": {"post": _evaluate_batch()},
    }


def _evaluate_class(scenario: type[Scenario[Any]]) -> dict[str, Any]:
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
        "description": f"{question(scenario)} Each output has its formula and unit in the schema of the result.",
        "parameters": _PARAMETERS,
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": ref(name), **({"examples": examples} if examples else {})}},
        },
        "responses": {
            "200": {
                "description": "The result, with the inputs it is for.",
                "headers": headers(ALWAYS),
                "content": {
                    "application/json": {
                        "schema": ref(evaluation_name(scenario)),
                        **({"examples": answers} if answers else {}),
                    }
                },
            },
            **problem_responses(*BODY_STATUSES),
        },
    }


def _evaluate_named() -> dict[str, Any]:
    return {
        "tags": ["scenarios"],
        "operationId": "evaluateConfiguration",
        "summary": "A named configuration, as it stands or with changes",
        "description": "The body is a JSON Merge Patch (RFC 7396) over the inputs of the configuration; `{}` evaluates "
        "it as it stands. A quantity is replaced whole. The name of a class does as well; the body then is its inputs, "
        "in `application/json`.",
        "parameters": [
            {
                "name": "name",
                "in": "path",
                "required": True,
                "description": "name of a configuration",
                "schema": {"type": "string"},
                "example": "ModelSpeedupRequestPath",
            },
            *_PARAMETERS,
        ],
        "requestBody": {
            "required": True,
            "content": {
                media_type: {"schema": ref("ConfigurationPatch"), "examples": _PATCHES}
                for media_type in ("application/json", "application/merge-patch+json")
            },
        },
        "responses": {
            "200": {
                "description": "The result, with the inputs it is for.",
                "headers": headers(ALWAYS),
                "content": {
                    "application/json": {
                        "schema": ref("Evaluation"),
                        "examples": {
                            name: {"value": evaluate("ModelSpeedupRequestPath", patch["value"]).to_json()}
                            for name, patch in _PATCHES.items()
                        },
                    }
                },
            },
            **problem_responses(404, *BODY_STATUSES),
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
        "parameters": _PARAMETERS,
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": ref("Batch"), "examples": {"a mix": {"value": body}}}},
        },
        "responses": {
            "200": {
                "description": "An answer for each evaluation.",
                "headers": headers(ALWAYS),
                "content": {
                    "application/json": {
                        "schema": ref("BatchAnswers"),
                        "examples": {"a mix": {"value": answer_batch(Batch.model_validate(body))}},
                    }
                },
            },
            **problem_responses(*BODY_STATUSES),
        },
    }
