"""The page of a class tells what a request may look like, and it tells the truth."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import pytest

from mlsysim.engine.description import InputDescription, describe
from mlsysim.engine.evaluation import evaluate
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_catalog import Scenarios, configurations

CLASSES = list(scenario_classes().values())
every_class = pytest.mark.parametrize("scenario", CLASSES, ids=lambda scenario: scenario.__name__)
every_configuration = pytest.mark.parametrize("name", list(configurations()))


def described(scenario: type[Scenario[Any]], name: str) -> InputDescription:
    (found,) = [each for each in describe(scenario).inputs if each.name == name]
    return found


def limits_of(schema: Any) -> set[str]:
    """The limits on lengths and texts that a JSON Schema states, wherever they stand in it, as the page has them."""
    if isinstance(schema, list):
        return set().union(*map(limits_of, schema))
    if not isinstance(schema, dict):
        return set()
    words = {
        "minItems": "at least {} items",
        "maxItems": "at most {} items",
        "minProperties": "at least {} items",
        "maxLength": "at most {} characters",
        "pattern": "matches {}",
    }
    stated = {words[keyword].format(limit) for keyword, limit in schema.items() if keyword in words}
    keys = {words["pattern"].format(pattern) for pattern in schema.get("patternProperties", {})}
    return {limit.replace(" 1 items", " 1 item") for limit in stated | keys}.union(*map(limits_of, schema.values()))


@every_class
def test_the_page_and_the_schema_state_the_same_lengths_and_patterns(scenario: type[Scenario[Any]]) -> None:
    for name, info in scenario.model_json_schema()["properties"].items():
        page = described(scenario, name)
        stated = {
            limit for limit in (*page.bounds, *page.size, *page.keys) if re.search("item|characters|match", limit)
        }
        assert stated == limits_of(info), name


def test_the_lengths_of_lists_and_maps_and_what_their_keys_are() -> None:
    field = described(scenario_classes()["ScreeningRequirementsScenario"], "field_operating_point")
    assert (field.size, field.bounds) == (["at least 2 items", "at most 2 items"], ["at least 0 and at most 1"])
    stages = described(scenario_classes()["AmdahlScenario"], "stages")
    assert (stages.size, stages.keys) == (["at least 1 item"], ["at most 200 characters"])
    days = described(scenario_classes()["LateConstraintScenario"], "validation_sensitivity")
    assert (days.size, days.keys[0].partition(" ")[0]) == ([], "matches")


@every_configuration
def test_the_page_names_every_figure_that_an_evaluation_reads(name: str) -> None:
    derivation = getattr(Scenarios, name).explain()
    for explained in derivation.inputs:
        page = described(scenario_classes()[derivation.scenario], explained.name)
        paths = [re.sub(r"^\d+\.", "", used.figure) for used in explained.figures]
        assert {re.sub(r"^compute\.rates\..*", "compute.rates", path) for path in paths} <= {
            figure.figure for figure in page.figures
        }


def test_the_figures_of_an_entry_have_units_and_bounds_and_say_whether_they_are_needed() -> None:
    hardware = described(scenario_classes()["RooflinePointScenario"], "hardware")
    bandwidth = next(figure for figure in hardware.figures if figure.figure == "memory.bandwidth")
    assert bandwidth.model_dump() == {
        "figure": "memory.bandwidth",
        "type": "data_rate",
        "unit": "GB/s",
        "description": "main-memory bandwidth",
        "needed": True,
        "bounds": ["greater than 0"],
    }
    assert [figure.figure for figure in hardware.figures if not figure.needed] == ["compute.rates"]


def test_what_an_input_with_a_default_chooses_from_is_needed() -> None:
    """A network is trained in FP32 unless told otherwise, and a device that lists no rates is refused."""
    hardware = described(scenario_classes()["MlpTrainingStepScenario"], "hardware")
    assert {figure.figure: figure.needed for figure in hardware.figures} == {
        "memory.bandwidth": True,
        "compute.rates": True,
    }


@every_class
def test_the_example_is_a_command_that_asks_for_the_first_configuration(scenario: type[Scenario[Any]]) -> None:
    example = describe(scenario).example
    assert example is not None
    _, _, url, *_, body = shlex.split(example.curl)
    assert url == "${MLSYSIM_URL:-http://localhost:8000}" + example.path
    answer = evaluate(scenario.__name__, json.loads(body)).to_json()
    assert example.answer == answer
    assert answer["result"]
