"""Names are for keeps: no client made for the released document breaks."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from service.openapi import DOCUMENT
from tests.compatibility import breaking_changes

Json = dict[str, Any]
Change = Callable[[Json], Any]

CURRENT: Json = json.loads(DOCUMENT.read_text())
TEXT = json.dumps(CURRENT)
RELEASED: Json = json.loads(DOCUMENT.with_name("released.json").read_text())

AMDAHL = "/scenarios/AmdahlScenario/evaluate"


def test_no_client_of_the_released_document_breaks() -> None:
    assert breaking_changes(RELEASED, CURRENT) == []


def post(document: Json, path: str = AMDAHL) -> Json:
    operation: Json = document["paths"][path]["post"]
    return operation


def get(document: Json, path: str = "/catalog") -> Json:
    operation: Json = document["paths"][path]["get"]
    return operation


def parameter(document: Json, name: str) -> Json:
    found: Json = next(each for each in get(document)["parameters"] if each["name"] == name)
    return found


def component(document: Json, name: str) -> Json:
    found: Json = document["components"]["schemas"][name]
    return found


def field(document: Json, name: str, key: str) -> Json:
    found: Json = component(document, name)["properties"][key]
    return found


def new_scenario(document: Json) -> None:
    """What the document gets with a scenario class more."""
    schemas = document["components"]["schemas"]
    schemas["NewScenario"] = deepcopy(schemas["AmdahlScenario"])
    schemas["NewResult"] = deepcopy(schemas["AmdahlResult"])
    schemas["NewEvaluation"] = deepcopy(schemas["AmdahlEvaluation"])
    schemas["NewEvaluation"]["properties"]["scenario"]["const"] = "NewScenario"
    schemas["NewEvaluation"]["properties"]["result"]["$ref"] = "#/components/schemas/NewResult"
    schemas["Evaluation"]["oneOf"].append({"$ref": "#/components/schemas/NewEvaluation"})
    document["paths"]["/scenarios/NewScenario/evaluate"] = deepcopy(document["paths"][AMDAHL])


BREAKING: dict[str, tuple[Change, str]] = {
    "a path is removed": (lambda d: d["paths"].pop("/units"), "GET /units is gone"),
    "a method is removed": (
        lambda d: d["paths"][AMDAHL].pop("post"),
        "POST /scenarios/AmdahlScenario/evaluate is gone",
    ),
    "an operation is renamed": (
        lambda d: post(d).update(operationId="amdahl"),
        f"POST {AMDAHL} is no longer called evaluateAmdahlScenario",
    ),
    "an operation moves to another tag": (
        lambda d: post(d).update(tags=["amdahl"]),
        f"POST {AMDAHL} is no longer under speedup, the module of generated code",
    ),
    "a component is renamed": (
        lambda d: d.update(
            json.loads(json.dumps(d).replace('/Problem"', '/Trouble"').replace('"Problem"', '"Trouble"'))
        ),
        "component Problem is gone",
    ),
    "a status is no longer declared": (
        lambda d: post(d)["responses"].pop("413"),
        f"POST {AMDAHL} no longer declares 413",
    ),
    "an answer has another media type": (
        lambda d: get(d)["responses"]["200"]["content"].update(
            {"text/json": get(d)["responses"]["200"]["content"].pop("application/json")}
        ),
        "GET /catalog 200 is no longer application/json",
    ),
    "a body may have one media type fewer": (
        lambda d: post(d, "/scenarios/{name}/evaluate")["requestBody"]["content"].pop("application/merge-patch+json"),
        "POST /scenarios/{name}/evaluate body is no longer application/merge-patch+json",
    ),
    "a body is needed": (
        lambda d: get(d).update(requestBody={"required": True, "content": {}}),
        "GET /catalog needs a body now",
    ),
    "a parameter is removed": (
        lambda d: get(d)["parameters"].remove(parameter(d, "q")),
        "GET /catalog no longer takes the parameter query q",
    ),
    "a parameter becomes required": (
        lambda d: parameter(d, "q").update(required=True),
        "GET /catalog needs the parameter query q now",
    ),
    "a required parameter is added": (
        lambda d: get(d)["parameters"].append(
            {"name": "page", "in": "query", "required": True, "schema": {"type": "string"}}
        ),
        "GET /catalog needs the parameter query page now",
    ),
    "a parameter has another default": (
        lambda d: parameter(d, "limit")["schema"].update(default=10),
        "GET /catalog query limit is no longer 1000 where it is left out",
    ),
    "a value of a parameter is removed": (
        lambda d: parameter(d, "sort")["schema"].update(
            {key: parameter(d, "sort")["schema"][key][1:] for key in ("enum", "x-enum-varnames")}
        ),
        "GET /catalog query sort no longer knows 'key', or calls it something else",
    ),
    "a value has another name in generated code": (
        lambda d: parameter(d, "sort")["schema"]["x-enum-varnames"].__setitem__(0, "BY_KEY"),
        "GET /catalog query sort no longer knows 'key', or calls it something else",
    ),
    "an input is removed": (
        lambda d: component(d, "AmdahlScenario")["properties"].pop("stage"),
        "AmdahlScenario.stage is gone",
    ),
    "a required input is added": (
        lambda d: component(d, "Workload").update(required=[*component(d, "Workload").get("required", []), "new"]),
        "Workload.new is required now",
    ),
    "an input becomes required": (
        lambda d: (
            component(d, "BatchItem")["properties"].update(units={"type": "string"})
            or component(d, "BatchItem")["required"].append("units")
        ),
        "BatchItem.units is required now",
    ),
    "an input has another type": (
        lambda d: field(d, "AmdahlScenario", "stage").update(type="integer"),
        "AmdahlScenario.stage may no longer be string",
    ),
    "an input may be written in one way fewer": (
        lambda d: component(d, "AnyHardware")["anyOf"].pop(0),
        "AnyHardware may no longer be string",
    ),
    "an input may no longer be null": (
        lambda d: field(d, "Hardware", "tdp")["anyOf"].remove({"type": "null"}),
        "Hardware.tdp may no longer be null",
    ),
    "a lower bound is raised": (
        lambda d: field(d, "AcceleratedFractionScenario", "fraction").update(minimum=0.1),
        "AcceleratedFractionScenario.fraction is now limited by minimum 0.1",
    ),
    "a lower bound becomes exclusive": (
        lambda d: field(d, "AcceleratedFractionScenario", "fraction").update(exclusiveMinimum=0),
        "AcceleratedFractionScenario.fraction is now limited by minimum 0, exclusiveMinimum 0",
    ),
    "an upper bound is lowered": (
        lambda d: field(d, "Batch", "evaluations").update(maxItems=500),
        "Batch.evaluations is now limited by maxItems 500",
    ),
    "an input is bound to a format": (
        lambda d: field(d, "AmdahlScenario", "stage").update(format="uuid"),
        "AmdahlScenario.stage has now the format uuid",
    ),
    "a unit is no longer known": (
        lambda d: field(d, "Time", "unit").update(pattern=field(d, "Time", "unit")["pattern"].replace("|week", "")),
        "Time.unit has now the pattern",
    ),
    "an input may no longer be zero": (
        lambda d: component(d, "NonNegativeTime")["anyOf"][1]["not"]["properties"].update(value={"maximum": 0}),
        "NonNegativeTime has now the not",
    ),
    "a condition is added": (
        lambda d: component(d, "AcceleratedFractionScenario")["x-rules"].append("fraction < 1"),
        "AcceleratedFractionScenario has now fraction < 1 in x-rules",
    ),
    "a figure is needed": (
        lambda d: field(d, "AcceleratorComparison", "baseline")["x-needs"].append("tdp"),
        "AcceleratorComparison.baseline has now tdp in x-needs",
    ),
    "an output is removed": (
        lambda d: component(d, "AmdahlResult")["properties"].pop("total_time"),
        "AmdahlResult.total_time is gone",
    ),
    "an output may be missing": (
        lambda d: component(d, "AmdahlResult")["required"].remove("total_time"),
        "AmdahlResult.total_time may be missing now",
    ),
    "an output may be null": (
        lambda d: component(d, "AmdahlResult")["properties"].update(
            total_time={"x-unit": "ms", "anyOf": [{"$ref": "#/components/schemas/Time"}, {"type": "null"}]}
        ),
        "AmdahlResult.total_time may now be null",
    ),
    "an output is of another dimension": (
        lambda d: field(d, "AmdahlResult", "total_time").update({"$ref": "#/components/schemas/Data"}),
        "AmdahlResult.total_time has now the x-dimension data",
    ),
    "an output is in another unit": (
        lambda d: field(d, "AmdahlResult", "total_time").update({"x-unit": "s"}),
        "AmdahlResult.total_time is in s, no longer in ms",
    ),
    "a whole output may be a fraction": (
        lambda d: field(d, "CatalogIndex", "count").update(type="number"),
        "CatalogIndex.count may now be number",
    ),
    "an answer may have a value that no client knows": (
        lambda d: field(d, "Warning", "code")["enum"].append("new_code"),
        "Warning.code may now be 'new_code'",
    ),
    "an answer may have any value": (
        lambda d: field(d, "Warning", "code").pop("enum"),
        "Warning.code may now be 'anything'",
    ),
    "an answer no longer has a bound": (
        lambda d: field(d, "AcceleratorGenerationsEvaluation", "undefined").pop("maxProperties"),
        "AcceleratorGenerationsEvaluation.undefined is no longer limited by maxProperties 0",
    ),
}

ADDITIVE: dict[str, Change] = {
    "nothing": lambda d: None,
    "a path": lambda d: d["paths"].update({"/somewhere": deepcopy(d["paths"]["/healthz"])}),
    "a scenario class": new_scenario,
    "a status": lambda d: get(d)["responses"].update({"429": {"description": "Too many requests."}}),
    "an optional parameter": lambda d: get(d)["parameters"].append(
        {"name": "page", "in": "query", "schema": {"type": "string"}}
    ),
    "a value of a parameter": lambda d: [
        parameter(d, "sort")["schema"][key].append("added") for key in ("enum", "x-enum-varnames")
    ],
    "an optional input": lambda d: component(d, "AmdahlScenario")["properties"].update(overhead={"type": "number"}),
    "a default of an input": lambda d: (
        component(d, "AmdahlScenario")["required"].remove("speedup")
        or field(d, "AmdahlScenario", "speedup").update(default=2)
    ),
    "a way to write an input": lambda d: component(d, "PositiveTime")["anyOf"].append({"type": "number"}),
    "a bound that is wider": lambda d: field(d, "AcceleratedFractionScenario", "fraction").update(minimum=-1),
    "a bound that is gone": lambda d: field(d, "AcceleratedFractionScenario", "fraction").pop("maximum"),
    "fractions where whole numbers were asked": lambda d: parameter(d, "year")["schema"].update(type="number"),
    "a unit": lambda d: field(d, "Time", "unit").update(
        pattern=field(d, "Time", "unit")["pattern"].replace("week", "week|fortnight")
    ),
    "an output": lambda d: (
        component(d, "AmdahlResult")["properties"].update(new={"type": "number"})
        or component(d, "AmdahlResult")["required"].append("new")
    ),
    "a member of every problem": lambda d: component(d, "Problem")["properties"].update(trace={"type": "string"}),
    "another description and example": lambda d: (
        get(d).update(summary="s", description="d") or field(d, "Time", "value").update(description="v", examples=[1])
    ),
}


@pytest.mark.parametrize("what", list(BREAKING))
def test_a_breaking_change_is_found(what: str) -> None:
    change, sentence = BREAKING[what]
    changed = json.loads(TEXT)
    change(changed)
    found = breaking_changes(CURRENT, changed)
    assert any(each.startswith(sentence) for each in found), found


@pytest.mark.parametrize("what", list(ADDITIVE))
def test_an_addition_breaks_nothing(what: str) -> None:
    changed = json.loads(TEXT)
    ADDITIVE[what](changed)
    assert (what == "nothing") == (changed == CURRENT)
    assert breaking_changes(CURRENT, changed) == []
