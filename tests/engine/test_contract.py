"""Every scenario class keeps its contract: same inputs, same outputs, same units, same numbers.

The contract is evaluated by an oracle that shares no code with the engine.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mlsysim.engine.registry import scenario_class, scenario_classes
from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_catalog import configuration
from mlsysim.fields import RateType
from mlsysim.units import dimensions
from tests.agreement import same
from tests.contract import oracle
from tests.strategies import plain, scenarios

# A class of one's own has no contract yet; what holds for every class is tested beside this.
CLASSES = [scenario for name, scenario in scenario_classes().items() if name in oracle.CONTRACTS]
FOLDER = Path(oracle.__file__).parent
REFERENCE: dict[str, Any] = json.loads((FOLDER / "named_configurations.json").read_text())
PUBLISHED: dict[str, Any] = json.loads((FOLDER / "published.json").read_text())

every_class = pytest.mark.parametrize("scenario", CLASSES, ids=lambda scenario: scenario.__name__)


def outputs_of(scenario: Scenario[Any]) -> dict[str, Any]:
    """The outputs as the contract names them; it counts the codes of warnings among them."""
    result = scenario.evaluate()
    contract = oracle.CONTRACTS[type(scenario).__name__]["outputs"].get("warnings", {}).get("formula", "")
    codes = [warning.code for warning in scenario.warnings(result)]
    return {**result.__dict__, "warnings": [code for code in codes if f"'{code}'" in contract]}


@every_class
def test_inputs_and_outputs_are_those_of_the_contract(scenario: type[Scenario[Any]]) -> None:
    contract = oracle.CONTRACTS[scenario.__name__]
    assert list(scenario.inputs()) == list(contract["inputs"])
    assert list(scenario.result_type.outputs()) == [name for name in contract["outputs"] if name != "warnings"]
    assert scenario.result_type.__name__ == contract["result_type"]
    assert scenario.theme == contract["theme"]
    assert scenario.title == contract["title"]
    assert len(scenario.sources) == len(contract["sources"])


@every_class
def test_units_and_defaults_are_those_of_the_contract(scenario: type[Scenario[Any]]) -> None:
    contract = oracle.CONTRACTS[scenario.__name__]
    for name, output in scenario.result_type.outputs().items():
        if contract["outputs"][name]["type"] not in ("float", "percent"):
            assert output.unit == contract["outputs"][name].get("unit"), name
        assert (output.undefined is not None) == ("undefined" in contract["outputs"][name]), name
    for name, spec in scenario.inputs().items():
        stated = contract["inputs"][name]
        assert spec.required == ("default" not in stated), name
        if stated.get("unit"):
            assert spec.unit == stated["unit"], name


@every_class
@given(data=st.data())
def test_the_code_computes_what_the_contract_says(scenario: type[Scenario[Any]], data: st.DataObject) -> None:
    drawn = data.draw(scenarios(scenario))
    assume(_is_small(drawn))
    inputs = plain({name: getattr(drawn, name) for name in type(drawn).model_fields})
    assert oracle.broken_rules(scenario.__name__, inputs) == []
    expected = oracle.evaluate(scenario.__name__, inputs)
    found = outputs_of(drawn)
    for name, value in expected.items():
        assert same(found[name], value), (name, found[name], value, inputs)


def _is_small(scenario: Scenario[Any]) -> bool:
    """Whether the oracle, which takes no short cuts, gets done with it soon."""
    grants = getattr(scenario.evaluate(), "grants", [])
    return len(grants) <= 300


@every_class
@given(data=st.data())
def test_the_formula_a_reader_is_shown_is_the_one_that_is_computed(
    scenario: type[Scenario[Any]], data: st.DataObject
) -> None:
    drawn = data.draw(scenarios(scenario))
    result = drawn.evaluate()
    names: dict[str, Any] = dict(drawn.__dict__)
    for name, output in scenario.result_type.outputs().items():
        value = getattr(result, name)
        if output.formula is not None:
            assert same(output.by_formula(names), value), (name, output.by_formula(names), value)
        names[name] = value


@pytest.mark.parametrize("name", [name for name, case in REFERENCE.items() if case["scenario"] in scenario_classes()])
def test_named_configurations_reproduce_their_reference_values(name: str) -> None:
    case = REFERENCE[name]
    named = configuration(name)
    assert named.scenario_class.__name__ == case["scenario"]
    found = outputs_of(named.scenario)
    for output, expected in case["outputs"].items():
        assert same(found[output], expected), (output, found[output], expected)


@pytest.mark.parametrize("name", [name for name, case in PUBLISHED.items() if case["scenario"] in scenario_classes()])
def test_published_values_are_reproduced(name: str) -> None:
    case = PUBLISHED[name]
    scenario = scenario_class(case["scenario"])
    found = outputs_of(scenario.model_validate(_as_client(scenario, case["inputs"])))
    for output, expected in case["outputs"].items():
        assert same(found[output], expected), (case["source"], output, found[output], expected)


def _as_client(scenario: type[Scenario[Any]], inputs: dict[str, Any]) -> dict[str, Any]:
    """Inputs in base units, in the form a client would send."""
    return {name: _with_unit(scenario.inputs()[name].shape, value) for name, value in inputs.items()}


def _with_unit(shape: Any, value: Any) -> Any:
    if isinstance(value, dict) and shape.container == "map":
        return {key: _with_unit(shape.item, item) for key, item in value.items()}
    if isinstance(value, dict) and shape.model is not None:
        from mlsysim.fields import shape_of

        fields = {info.alias or name: shape_of(info) for name, info in shape.model.model_fields.items()}
        return {key: _with_unit(fields[key], item) for key, item in value.items()}
    dimension = (
        dimensions.OPERATION_RATE if isinstance(shape.type, RateType) else getattr(shape.type, "dimension", None)
    )
    return {"value": value, "unit": dimension.si} if dimension is not None else value
