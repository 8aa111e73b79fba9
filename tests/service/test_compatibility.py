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
    found: Json = next(each for each in get(document)["parameters"] if each.get("name") == name)
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
        lambda d: field(d, "SingleNodeInferenceResult", "bottleneck")["enum"].append("Network"),
        "SingleNodeInferenceResult.bottleneck may now be 'Network'",
    ),
    "an answer may have any value": (
        lambda d: field(d, "SingleNodeInferenceResult", "bottleneck").pop("enum"),
        "SingleNodeInferenceResult.bottleneck may now be 'anything'",
    ),
    "an entry of the catalog may have a value that no client knows": (
        lambda d: field(d, "Link", "direction")["anyOf"][0]["enum"].append("per_port"),
        "Link.direction may now be 'per_port'",
    ),
    "a list that grows loses a value": (
        lambda d: field(d, "Warning", "code")["x-extensible-enum"].remove("no_gain"),
        "Warning.code no longer knows 'no_gain'",
    ),
    "a list that grows becomes a limit": (
        lambda d: field(d, "Hardware", "class")["anyOf"][0].update(
            enum=field(d, "Hardware", "class")["anyOf"][0]["x-extensible-enum"]
        ),
        "Hardware.class may no longer be anything but datacenter",
    ),
    "a value is removed and its name is not": (
        lambda d: parameter(d, "sort")["schema"]["enum"].pop(0),
        "GET /catalog query sort no longer knows 'key', or calls it something else",
    ),
    "values have no names in generated code any more": (
        lambda d: parameter(d, "sort")["schema"].pop("x-enum-varnames"),
        "GET /catalog query sort no longer knows 'key', or calls it something else",
    ),
    "an output may be beyond what a double holds": (
        lambda d: field(d, "QuotaLendingResult", "used").update({"x-may-exceed-safe-integer": True}),
        "QuotaLendingResult.used may now exceed 2^53",
    ),
    "alternatives change places": (
        lambda d: component(d, "AnyHardware")["anyOf"].reverse(),
        "AnyHardware has string at another place among its alternatives",
    ),
    "a new alternative comes first": (
        lambda d: component(d, "PositiveTime")["anyOf"].insert(0, {"type": "number"}),
        "PositiveTime has string at another place among its alternatives",
    ),
    "an answer may be one thing more": (
        lambda d: component(d, "BatchAnswer")["anyOf"].append({"type": "null"}),
        "BatchAnswer may now be null",
    ),
    "an answer is told apart by something else": (
        lambda d: component(d, "Evaluation")["discriminator"].update(propertyName="configuration"),
        "Evaluation is no longer told apart by scenario",
    ),
    "an answer is no longer told apart": (
        lambda d: component(d, "Evaluation")["discriminator"]["mapping"].pop("AmdahlScenario"),
        "Evaluation is another thing, or none, where it says AmdahlScenario",
    ),
    "several conditions are put together": (
        lambda d: component(d, "AmdahlScenario").update(allOf=[{"required": ["speedup"]}]),
        "AmdahlScenario has another allOf, which is not understood",
    ),
    "a condition depends on another": (
        lambda d: component(d, "AmdahlScenario").update({"if": {"required": ["stage"]}, "then": False}),
        "AmdahlScenario has another if, which is not understood",
    ),
    "a key is needed everywhere": (
        lambda d: d["security"].remove({}),
        f"POST {AMDAHL} no longer lets in whoever has no key",
    ),
    "a key is needed for one operation": (
        lambda d: get(d, "/healthz").update(security=[{"ApiKey": []}]),
        "GET /healthz no longer lets in whoever has no key",
    ),
    "a key is sent in another way": (
        lambda d: d["components"]["securitySchemes"]["ApiKey"].update(scheme="basic"),
        "the security scheme ApiKey is another one",
    ),
    "a key is no longer known": (
        lambda d: d["components"].pop("securitySchemes"),
        "the security scheme ApiKey is another one",
    ),
    "there are no servers": (lambda d: d.pop("servers"), "the server / is gone"),
    "the server is elsewhere": (lambda d: d["servers"][0].update(url="/v2"), "the server / is gone"),
    "an answer lacks a header": (
        lambda d: get(d)["responses"]["200"]["headers"].pop("ETag"),
        "GET /catalog 200 no longer has the header ETag",
    ),
    "a shared answer lacks a header": (
        lambda d: d["components"]["responses"]["MethodNotAllowed"]["headers"].pop("Allow"),
        f"POST {AMDAHL} 405 no longer has the header Allow",
    ),
    "a shared parameter is needed": (
        lambda d: d["components"]["parameters"]["Units"].update(required=True),
        f"POST {AMDAHL} needs the parameter query units now",
    ),
    "a parameter is written in another way": (
        lambda d: parameter(d, "q").update(style="pipeDelimited"),
        "GET /catalog query q has another style",
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
    "a value of a list that grows": lambda d: [
        field(d, "Warning", "code")["x-extensible-enum"].append("new_code"),
        field(d, "Hardware", "class")["anyOf"][0]["x-extensible-enum"].append("satellite"),
    ],
    "a number format of an input": lambda d: field(d, "SingleNodeInferenceScenario", "precision")["enum"].append("fp6"),
    "a key that may be sent where none was needed": lambda d: get(d, "/healthz").update(security=[{}, {"ApiKey": []}]),
    "a server": lambda d: d["servers"].append({"url": "/mlsysim"}),
    "a header": lambda d: get(d)["responses"]["200"]["headers"].update(Age={"schema": {"type": "string"}}),
    "a header that may be sent": lambda d: post(d)["parameters"].append(
        {"$ref": "#/components/parameters/IfNoneMatch"}
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
