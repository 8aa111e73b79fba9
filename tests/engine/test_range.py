"""Where an answer does not fit a double, the error says which output, by what formula, and from which numbers."""

from __future__ import annotations

from typing import Any

import pytest

from mlsysim.engine.evaluation import evaluate
from mlsysim.engine.registry import scenario_class
from mlsysim.errors import EvaluationError


@pytest.mark.parametrize(
    ("scenario", "inputs", "message"),
    [
        pytest.param(
            "SpeedupCompositionScenario",
            {"factors": {"one": 1e300, "another": 1e300}, "measured": 2},
            "paper is beyond the range of a double for these inputs: paper = prod(values(factors)); "
            "inputs less extreme would do",
            id="a product that overflows",
        ),
        pytest.param(
            "AcceleratedFractionScenario",
            {"fraction": 1, "accelerated_rate": "1e-200 FLOP/s", "baseline_rate": "1e200 FLOP/s"},
            "speedup is beyond the range of a double for these inputs: "
            "speedup = 1 / ((1 - fraction) + fraction / gain), where fraction = 1, gain = 0 in base units; "
            "inputs less extreme would do",
            id="a division by what underflowed to 0",
        ),
    ],
)
def test_the_output_that_does_not_fit_is_named(scenario: str, inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(EvaluationError) as raised:
        scenario_class(scenario).model_validate(inputs).evaluate()
    assert str(raised.value) == message


def test_an_output_too_large_for_its_unit_is_named_and_fits_base_units() -> None:
    answer = evaluate("AmdahlScenario", {"stages": {"model": "1e307 s"}, "stage": "model", "speedup": 1})
    with pytest.raises(EvaluationError, match=r"^total_time: .* in the unit it is shown in; units=si may do$"):
        answer.result.to_json()
    assert answer.result.to_json(si=True)["total_time"] == {"value": 1e307, "unit": "s"}


@pytest.mark.parametrize(
    ("name", "inputs", "pointers"),
    [
        pytest.param(
            "AmdahlScenario",
            {"stages": {"model": "1e307 s", "rest": "60 ms"}, "stage": "model", "speedup": 1},
            {"/stages/model": '"1e307 s"'},
            id="an output too large for its unit",
        ),
        pytest.param(
            "SpeedupCompositionScenario",
            {"factors": {"one": 1e300, "a/b": 1e300, "third": 2}, "measured": 2},
            {"/factors/one": "1e+300", "/factors/a~1b": "1e+300"},
            id="each of which would do",
        ),
        pytest.param(
            "SpeedupCompositionScenario",
            {"factors": {"one": 1e-250} | {str(index): 1e150 for index in range(4)}, "measured": 2},
            {f"/factors/{index}": "1e+150" for index in range(4)},
            id="not the most extreme, which holds against the others",
        ),
        pytest.param(
            "SpeedupCompositionScenario",
            {"factors": {str(index): 1e150 for index in range(4)}, "measured": 2},
            {"/factors/0": "1e+150", "/factors/1": "1e+150"},
            id="two that do together",
        ),
        pytest.param(
            "AcceleratedFractionScenario",
            {"fraction": 1, "accelerated_rate": "1e-200 FLOP/s", "baseline_rate": {"value": 1e200, "unit": "FLOP/s"}},
            {"/accelerated_rate": '"1e-200 FLOP/s"', "/baseline_rate": '{"value": 1e+200, "unit": "FLOP/s"}'},
            id="one too small for another",
        ),
        pytest.param(
            "RooflinePointScenario",
            {"hardware": {"ref": "H100", "memory": {"bandwidth": "1e-310 TB/s"}}, "intensity": "100 FLOP/byte"},
            {"/hardware/memory/bandwidth": '"1e-310 TB/s"'},
            id="a changed figure of the catalog",
        ),
        pytest.param(
            "ModelSpeedupRequestPath",
            {"stages": {"model": "1.7e308 s", "postprocess": "1.7e308 s"}},
            {"/stages/model": '"1.7e308 s"', "/stages/postprocess": '"1.7e308 s"'},
            id="a patched configuration",
        ),
    ],
)
def test_the_inputs_that_drive_it_are_pointed_to(name: str, inputs: dict[str, Any], pointers: dict[str, str]) -> None:
    with pytest.raises(EvaluationError) as raised:
        evaluate(name, inputs).dump()
    assert {error.pointer: error.received for error in raised.value.errors} == pointers
    for error in raised.value.errors:
        assert error.message.endswith("takes the answer beyond the range of a double; one less extreme would do")


def test_of_many_inputs_the_most_extreme_stands_for_all() -> None:
    factors = {str(index): 1e10 for index in range(200)} | {"largest": 1e11}
    with pytest.raises(EvaluationError) as raised:
        evaluate("SpeedupCompositionScenario", {"factors": factors, "measured": 2})
    assert [error.pointer for error in raised.value.errors] == ["/factors/largest"]
