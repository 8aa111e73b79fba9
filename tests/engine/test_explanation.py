"""How an answer came about: the numbers shown do give the value, and every input says where it comes from."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlsysim import Scenarios
from mlsysim.engine.evaluation import evaluate
from mlsysim.engine.explanation import Derivation, derive
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.rendering import latex
from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_catalog import configuration, configurations
from mlsysim.units import unit as unit_of
from tests.agreement import same
from tests.strategies import scenarios

every_class = pytest.mark.parametrize(
    "scenario", list(scenario_classes().values()), ids=lambda scenario: scenario.__name__
)
QUANTITY = re.compile(r"(?<![\w.])((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?) (1/\w+|[A-Za-z]+(?:/[A-Za-z]+)?)(?![\w/])")
WORDS = {"or", "and", "is", "not", "in", "mod"}


def computed(with_numbers: str) -> float:
    """The value of a formula with numbers in it, calculated from nothing but its text."""

    def in_base_units(match: re.Match[str]) -> str:
        if match[2] in WORDS:
            return match[0]
        return repr(unit_of(match[2]).to_si(float(match[1])))

    text = QUANTITY.sub(in_base_units, with_numbers.partition(", since ")[0])
    text = text.replace("×", "*").replace("^", "**").replace(" mod ", " % ")
    scope = {"min": _smallest, "max": _largest, "ceil": __import__("math").ceil, "floor": __import__("math").floor}
    scope |= {name: getattr(__import__("math"), name) for name in ("sqrt", "log2", "log10")}
    return float(eval(text, {"__builtins__": {"abs": abs, "round": round, "sum": sum, "len": len}}, scope))


def _smallest(*values: Any) -> Any:
    return min(values[0] if len(values) == 1 else values)


def _largest(*values: Any) -> Any:
    return max(values[0] if len(values) == 1 else values)


@every_class
@given(data=st.data())
def test_the_numbers_shown_give_the_value(scenario: type[Scenario[Any]], data: st.DataObject) -> None:
    drawn = data.draw(scenarios(scenario))
    result = drawn.evaluate()
    for output in derive(drawn, result).outputs:
        value = getattr(result, output.name)
        if not isinstance(value, float) or output.with_numbers is None or "…" in output.with_numbers:
            continue
        if _cancels(output.with_numbers):
            continue
        assert computed(output.with_numbers) == pytest.approx(value, rel=1e-3), (output.name, output.with_numbers)


def _cancels(text: str) -> bool:
    """Whether a difference is taken, in which the six digits that are shown may all cancel."""
    return " - " in text


@every_class
@given(data=st.data())
def test_the_derivation_names_everything_in_order(scenario: type[Scenario[Any]], data: st.DataObject) -> None:
    drawn = data.draw(scenarios(scenario))
    result = drawn.evaluate()
    derivation = derive(drawn, result)
    assert [given.name for given in derivation.inputs] == list(scenario.inputs())
    assert [output.name for output in derivation.outputs] == list(scenario.result_type.outputs())
    shown = result.to_json()
    for output in derivation.outputs:
        assert output.value == shown[output.name]
        assert (output.undefined is None) == (output.value is not None)
        assert bool(output.formula) != bool(output.algorithm)
    for stated in derivation.inputs:
        assert stated.origin != "default" or stated.why


@every_class
def test_every_formula_has_balanced_latex(scenario: type[Scenario[Any]]) -> None:
    for output in scenario.result_type.outputs().values():
        if output.formula is not None:
            text = latex(output.formula)
            plain = text.replace(r"\{", "").replace(r"\}", "")
            assert plain.count("{") == plain.count("}")
            assert len(re.findall(r"\\left(?![a-z])", text)) == len(re.findall(r"\\right(?![a-z])", text))
            assert not re.search(r"_\{[^{}]*\}_", text), "a double subscript is no LaTeX"


@pytest.mark.parametrize("name", list(configurations()))
def test_a_named_configuration_explains_itself_as_text_and_latex(name: str) -> None:
    derivation = configuration(name).explain()
    text = str(derivation)
    assert all(output.name in text for output in derivation.outputs)
    assert derivation.latex().startswith("\\begin{align*}")
    for stated in derivation.inputs:
        assert stated.why or stated.source or stated.figures, stated.name


class TestOrigins:
    def derivation(self, name: str, body: dict[str, Any]) -> Derivation:
        answer = evaluate(name, body).to_json(explain=True)
        return Derivation.model_validate(answer["derivation"])

    def inputs(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        return {stated.name: stated for stated in self.derivation(name, body).inputs}

    def test_a_constant_names_its_source_and_grade(self) -> None:
        dispatch = self.inputs("ElementwisePairFusion", {})["dispatch"]
        assert dispatch.origin == "constant"
        assert dispatch.link == "/catalog/constants/python_dispatch"
        assert dispatch.source.grade == "convention"

    def test_a_default_says_why(self) -> None:
        batch = self.inputs("SingleNodeInferenceScenario", {"workload": "ResNet50", "hardware": "A100"})["batch_size"]
        assert (batch.origin, batch.value) == ("default", 1)
        assert "one input" in batch.why

    def test_a_catalog_entry_lists_the_figures_that_were_used_and_no_others(self) -> None:
        hardware = self.inputs("RooflinePointScenario", {"hardware": "H100", "intensity": "1 FLOP/byte"})["hardware"]
        assert hardware.origin == "catalog"
        assert hardware.link == "/catalog/hardware/H100"
        assert {used.figure: used.value for used in hardware.figures} == {
            "memory.bandwidth": {"value": 3.35, "unit": "TB/s"},
            "compute.peak": {"value": 989, "unit": "TFLOP/s"},
        }
        assert all(used.source == hardware.source and not used.given for used in hardware.figures)

    def test_a_changed_figure_is_given_and_the_others_are_the_catalogs(self) -> None:
        faster = {"ref": "H100", "memory": {"bandwidth": "4 TB/s"}}
        hardware = self.inputs("RooflinePointScenario", {"hardware": faster, "intensity": "1 FLOP/byte"})["hardware"]
        used = {figure.figure: figure for figure in hardware.figures}
        assert hardware.origin == "given"
        assert used["memory.bandwidth"].given
        assert used["memory.bandwidth"].source is None
        assert used["compute.peak"].link == "/catalog/hardware/H100"

    def test_figures_deep_in_a_fleet_carry_the_source_of_their_own_entry(self) -> None:
        body = {"workload": "GPT3", "fleet": "Training_1K", "bytes_per_param": "16 B"}
        fleet = self.inputs("SelfContainedReplicaScenario", body)["fleet"]
        used = {figure.figure: figure.link for figure in fleet.figures}
        assert used["node.accelerators_per_node"] == "/catalog/nodes/DGX_H100"
        assert used["node.accelerator.memory.capacity"] == "/catalog/hardware/H100"

    def test_an_input_changed_by_a_patch_is_given_without_the_configurations_reason(self) -> None:
        inputs = self.inputs("ModelSpeedupRequestPath", {"speedup": 10})
        assert (inputs["speedup"].origin, inputs["speedup"].why) == ("given", None)
        assert inputs["stage"].why == Scenarios.ModelSpeedupRequestPath.why["stage"]


def test_the_formula_with_numbers_reads_like_a_calculation() -> None:
    derivation = Scenarios.ModelSpeedupRequestPath.explain()
    steps = {output.name: (output.with_numbers, output.latex) for output in derivation.outputs}
    assert steps["untouched_time"][0] == "60 ms + 25 ms"
    assert steps["overall_speedup"] == (
        "130 ms / 100 ms",
        r"\frac{\mathrm{total\_time}}{\mathrm{upgraded\_total\_time}}",
    )
    assert same(computed("130 ms / 100 ms"), 1.3)
