"""The document says what the service does, and the committed one is the one it says now."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from jsonschema.validators import extend
from openapi_spec_validator import validate

from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.scenario_catalog import configurations
from service.app import create_app
from service.catalog import entry_schemas
from service.openapi import DOCUMENT, build

APP = create_app()
PATHS = {f"/scenarios/{name}/evaluate": name for name in scenario_classes()}


@cache
def document() -> dict[str, Any]:
    return json.loads(json.dumps(build(APP)))  # type: ignore[no-any-return]


# Of a list that may grow, this version gives and takes what is on it now.
Validator = extend(Draft202012Validator, {"x-extensible-enum": Draft202012Validator.VALIDATORS["enum"]})  # type: ignore[no-untyped-call]


@cache
def validator(component: str) -> Draft202012Validator:
    schema = {"$ref": f"#/components/schemas/{component}", "components": document()["components"]}
    return Validator(schema)  # type: ignore[no-any-return]


def resolved(value: dict[str, Any]) -> dict[str, Any]:
    """What a reference to a component leads to; anything else is as it is."""
    for key in value.get("$ref", "#").split("/")[1:]:
        value = value[key] if key != "components" else document()[key]
    return value


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation) for path, item in document()["paths"].items() for method, operation in item.items()
    ]


def test_the_document_is_valid() -> None:
    assert document()["openapi"].startswith("3.1")
    validate(document())


def test_the_committed_document_is_current() -> None:
    assert json.loads(DOCUMENT.read_text()) == document(), "run `make openapi`"


def test_the_served_document_is_the_committed_one() -> None:
    assert TestClient(APP).get("/openapi.json").json() == document()


def test_every_class_has_a_typed_operation_of_its_own() -> None:
    for path, name in PATHS.items():
        operation = document()["paths"][path]["post"]
        assert operation["operationId"] == f"evaluate{name}"
        body = operation["requestBody"]["content"]["application/json"]["schema"]
        assert body == {"$ref": f"#/components/schemas/{name}"}
        answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
        assert answer == {"$ref": f"#/components/schemas/{name.removesuffix('Scenario')}Evaluation"}
        assert operation["tags"] == [scenario_classes()[name].theme]


def test_names_of_components_and_operations_are_clean_and_unique() -> None:
    assert all(re.fullmatch(r"[A-Z][A-Za-z0-9]*", name) for name in document()["components"]["schemas"])
    ids = [operation["operationId"] for _, _, operation in operations()]
    assert len(ids) == len(set(ids))


def test_every_object_with_fields_has_a_name_and_none_has_two() -> None:
    def unnamed(value: Any) -> Iterator[Any]:
        if isinstance(value, dict):
            if "properties" in value:
                yield value
            value = [part for key, part in value.items() if key not in ("example", "examples", "not")]
        for part in value if isinstance(value, list) else ():
            yield from unnamed(part)

    schemas = document()["components"]["schemas"].values()
    fields = [field for schema in schemas for field in schema.get("properties", {}).values()]
    others = [part for schema in schemas for key, part in schema.items() if key != "properties"]
    assert not list(unnamed([*fields, *others, document()["paths"]]))

    words = ("description", "examples")
    plain = [json.dumps({key: part for key, part in schema.items() if key not in words}) for schema in schemas]
    assert len(set(plain)) == len(plain)


def test_every_operation_is_described_and_declares_its_problems() -> None:
    for path, _, operation in operations():
        assert operation["summary"], path
        assert operation["description"], path
        assert operation["tags"], path
        assert list(operation["responses"]) == sorted(operation["responses"])
        assert operation["responses"]["200"]["description"] != "Successful Response", path
        for status, response in operation["responses"].items():
            declared = resolved(response)
            assert list(declared.get("content", {})) == ["application/problem+json"] or status in ("200", "304"), path
            if status in ("200", "304"):
                assert {"Catalog-Version", "X-Request-ID"} <= declared["headers"].keys(), path
        assert "422" in operation["responses"]
        assert "500" in operation["responses"]


def test_the_types_of_problems_are_those_of_service_and_proxy() -> None:
    configuration = (Path(__file__).parents[2] / "deploy/nginx/nginx.conf").read_text()
    said = re.findall(r"\w+ ([\w-]+);", configuration.partition("map $status $problem {")[2].partition("}")[0])
    known = document()["components"]["schemas"]["Problem"]["properties"]["type"]["x-extensible-enum"]
    assert len(known) == len(set(known))
    assert {f"urn:mlsysim:{name}" for name in said} <= set(known)


def test_every_parameter_is_described_and_shown() -> None:
    for path, _, operation in operations():
        for parameter in map(resolved, operation.get("parameters", [])):
            where, schema = f"{path} {parameter['name']}", parameter["schema"]
            assert parameter.get("description"), where
            shown = [parameter["example"]] if "example" in parameter else schema.get("examples", [])
            assert shown or "enum" in schema or "default" in schema or parameter["name"] == "cursor", where
            assert all(map(Validator(schema).is_valid, shown)), where


def test_every_reference_leads_somewhere() -> None:
    text = json.dumps(document())
    used = set(re.findall(r'"#/components/(\w+)/([^"]+)"', text))
    assert {(kind, name) for kind, named in document()["components"].items() for name in named} - used == {
        ("securitySchemes", "ApiKey")
    }
    for kind, name in used:
        assert name in document()["components"][kind], name
    assert "x-component" not in text


def test_bounds_are_json_schema() -> None:
    assert re.findall(r'"(?:gt|ge|lt|le)":', json.dumps(document())) == []
    limit = next(each for each in document()["paths"]["/catalog"]["get"]["parameters"] if each.get("name") == "limit")
    assert (limit["schema"]["minimum"], limit["schema"]["maximum"]) == (1, 1000)


@pytest.mark.parametrize("path", list(PATHS))
def test_examples_are_answered_as_the_document_shows(path: str) -> None:
    operation = document()["paths"][path]["post"]
    client = TestClient(APP)
    shown = operation["responses"]["200"]["content"]["application/json"]["examples"]
    for name, example in operation["requestBody"]["content"]["application/json"]["examples"].items():
        validator(PATHS[path]).validate(example["value"])
        answer = client.post(path, json=example["value"])
        assert answer.status_code == 200
        if name in shown:
            assert answer.json() == shown[name]["value"]


@pytest.mark.parametrize("units", ["display", "si"])
@pytest.mark.parametrize("name", list(configurations()))
def test_every_answer_keeps_its_schema(name: str, units: str) -> None:
    answer = TestClient(APP).post(f"/scenarios/{name}/evaluate?units={units}", json={}).json()
    validator(answer["scenario"].removesuffix("Scenario") + "Evaluation").validate(answer)
    validator("Evaluation").validate(answer)


@pytest.mark.parametrize("kind", list(entry_schemas()))
def test_every_entry_keeps_the_schema_of_its_kind(kind: str) -> None:
    operation = document()["paths"][f"/catalog/{kind}/{{key}}"]["get"]
    answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer == {"$ref": f"#/components/schemas/{entry_schemas()[kind].__name__}"}
    client = TestClient(APP)
    for item in client.get(f"/catalog/{kind}").json()["entries"]:
        validator(entry_schemas()[kind].__name__).validate(client.get(item["link"]).json())


@pytest.mark.parametrize(("sign", "least"), [("Positive", 1), ("NonNegative", 0)])
def test_a_bound_holds_for_a_quantity_in_each_form(sign: str, least: int) -> None:
    time = validator(f"{sign}Time")
    for value in (-1, 0, 1):
        assert time.is_valid({"value": value, "unit": "ms"}) == (value >= least)
        assert time.is_valid(f"{value} ms") == (value >= least)
    assert time.is_valid({"ref": "kernel_launch"})


def test_the_other_answers_keep_their_schemas() -> None:
    client = TestClient(APP)
    validator("CatalogIndex").validate(client.get("/catalog").json())
    validator("ScenarioIndex").validate(client.get("/scenarios").json())
    validator("Hardware").validate(client.get("/catalog/hardware/H100").json())
    validator("Fleet").validate(client.get("/catalog/fleets/Training_1K").json())
    validator("ScenarioDescription").validate(client.get("/scenarios/AmdahlScenario").json())
    validator("ConfigurationDescription").validate(client.get("/scenarios/ModelSpeedupRequestPath").json())
    validator("Problem").validate(client.get("/nothing").json())
    validator("Vocabulary").validate(client.get("/units").json())
