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
