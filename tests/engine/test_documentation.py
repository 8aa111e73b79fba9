"""What every scenario, input and output says of itself, and that what it says is true."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import mlsysim
from mlsysim.catalog import KINDS, Source, catalog
from mlsysim.engine import bibliography, scenario_catalog, warnings
from mlsysim.engine.description import describe, named_configurations
from mlsysim.engine.formula import FUNCTIONS
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.result_types import optimization as result_types
from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_catalog import Scenarios, configurations
from mlsysim.engine.scenario_definitions import optimization as definitions
from mlsysim.fields import QuantityType

every_class = pytest.mark.parametrize(
    "scenario", list(scenario_classes().values()), ids=lambda scenario: scenario.__name__
)
every_configuration = pytest.mark.parametrize("name", list(configurations()))


@every_class
def test_the_docstring_asks_a_question_cites_a_source_and_has_an_example_that_runs(
    scenario: type[Scenario[Any]],
) -> None:
    text = inspect.cleandoc(scenario.__doc__ or "")
    assert text.partition("\n\n")[0].endswith("?")
    assert "\nSource: " in text
    examples = doctest.DocTestFinder(recurse=False).find(scenario, globs=vars(inspect.getmodule(scenario)))
    assert [len(example.examples) > 0 for example in examples] == [True]
    assert doctest.DocTestRunner().run(examples[0]).failed == 0


@every_class
def test_every_input_and_output_is_described(scenario: type[Scenario[Any]]) -> None:
    for spec in scenario.inputs().values():
        assert spec.description, spec.name
        assert spec.default is None or spec.why, spec.name
        assert isinstance(spec.shape.leaf.type, QuantityType) == (spec.unit is not None), spec.name
    for output in scenario.result_type.outputs().values():
        assert output.description, output.name
        assert isinstance(output.shape.leaf.type, QuantityType) == (output.unit is not None), output.name
        assert output.shape.optional == (output.undefined is not None), output.name


@every_class
def test_formulas_and_rules_speak_of_inputs_and_earlier_outputs_only(scenario: type[Scenario[Any]]) -> None:
    known = set(scenario.inputs())
    for rule in scenario.rules:
        assert set(rule.formula.names) <= known, rule.formula
        assert rule.at in known
    for output in scenario.result_type.outputs().values():
        for formula in (output.formula, output.defined_if):
            assert formula is None or set(formula.names) <= known, output.name
        known.add(output.name)
    assert not known & set(FUNCTIONS) - {"values"}


@every_class
def test_every_class_has_a_named_configuration_and_sources(scenario: type[Scenario[Any]]) -> None:
    assert named_configurations(scenario)
    assert scenario.sources
    assert describe(scenario).example is not None


def test_every_publication_has_a_link() -> None:
    publications = [held for held in vars(bibliography).values() if isinstance(held, Source)]
    cited = [source for scenario in scenario_classes().values() for source in scenario.sources]
    published = [
        entry.source
        for kind in KINDS
        for entry in catalog().entries(kind).values()
        if entry.source is not None and entry.source.grade in ("datasheet", "literature", "report", "measured")
    ]
    assert [source.title for source in (*publications, *cited, *published) if source.url is None] == []


@every_class
def test_classes_and_results_are_public_imports(scenario: type[Scenario[Any]]) -> None:
    assert getattr(definitions, scenario.__name__) is scenario
    assert getattr(result_types, scenario.result_type.__name__) is scenario.result_type


@every_configuration
def test_every_named_configuration_evaluates_and_says_where_each_input_comes_from(name: str) -> None:
    named = getattr(Scenarios, name)
    result = named.evaluate()
    assert set(result.undefined()) == {output for output, value in result.__dict__.items() if value is None}
    assert all(result.undefined().values())
    assert all(result.undefined(named.scenario.__dict__).values())
    assert named.inputs.keys() == named.why.keys()
    for given in named.inputs:
        assert named.origin(given) in ("catalog", "constant", "assumption")
        assert named.why[given].endswith(".")


def test_the_package_example_runs() -> None:
    for module in (mlsysim, scenario_catalog):
        assert doctest.testmod(module).failed == 0


def test_a_scenario_is_frozen() -> None:
    scenario = Scenarios.ModelSpeedupRequestPath.scenario
    with pytest.raises(ValueError, match="frozen"):
        scenario.speedup = 2.0  # type: ignore[attr-defined]


def test_a_variant_merges_its_changes() -> None:
    variant = Scenarios.ModelSpeedupRequestPath.variant(stages={"model": "90 ms"}, speedup=10)
    assert variant.evaluate().total_time == pytest.approx(0.175)
    again = variant.variant(stages={"preprocess": None})
    assert again.evaluate().total_time == pytest.approx(0.115)
    assert again.to_json()["speedup"] == 10


def test_an_unknown_configuration_names_the_closest() -> None:
    with pytest.raises(AttributeError, match="did you mean ModelSpeedupRequestPath"):
        _ = Scenarios.ModelSpeedupRequestPaths


def test_every_warning_has_a_documented_code_and_every_code_is_given_by_some_scenario() -> None:
    folder = Path(inspect.getfile(definitions)).parent
    sources = [path.read_text() for path in folder.glob("*.py")] + [Path(inspect.getfile(warnings)).read_text()]
    given = set(re.findall(r'Warning\(\s*"(\w+)"', "\n".join(sources)))
    assert given == set(warnings.CODES)
