"""An array of inputs gives the array of results: the same numbers as one evaluation for each."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from mlsysim.engine.evaluation import evaluate
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.result import Result
from mlsysim.engine.scenario import Scenario
from mlsysim.errors import InvalidInputs
from mlsysim.fields import QuantityType, RateType, RealType, Shape
from tests.agreement import same
from tests.strategies import random_scenario

FACTORS = (1.0, 0.5, 2.0, 1.25)


def has_lists(scenario: type[Scenario[Any]]) -> bool:
    """Whether outputs of the class are lists, whose length may differ from one element of an array to the next."""
    return any(output.shape.container == "list" for output in scenario.result_type.outputs().values())


CASES = [
    (scenario, name)
    for scenario in scenario_classes().values()
    if not has_lists(scenario)
    for name, spec in scenario.inputs().items()
    if isinstance(spec.shape.leaf.type, (QuantityType, RateType, RealType)) and spec.shape.container != "list"
]


@pytest.mark.parametrize(("scenario", "name"), CASES, ids=lambda case: getattr(case, "__name__", case))
def test_an_array_gives_the_same_numbers_as_scalars(scenario: type[Scenario[Any]], name: str) -> None:
    tried = 0
    for seed in range(60):
        start = random_scenario(scenario, Random(seed))
        if start is None or getattr(start, name) is None:
            continue
        scalars = [_variant(start, name, factor) for factor in FACTORS]
        valid = [(inputs, found) for inputs, found in scalars if found is not None]
        if len(valid) < 2:
            continue
        tried += 1
        array = scenario.model_validate(_stacked([inputs for inputs, _ in valid], name)).evaluate()
        for index, (_, found) in enumerate(valid):
            for output, expected in found.evaluate().__dict__.items():
                assert same(_element(getattr(array, output), index), expected), (output, index)
        if tried == 5:
            return
    assert tried > 0, "no valid scenario states this input"


def _variant(start: Scenario[Any], name: str, factor: float) -> tuple[dict[str, Any], Scenario[Any] | None]:
    inputs = start.to_json(si=True)
    inputs[name] = _scaled(type(start).inputs()[name].shape, inputs[name], factor)
    try:
        return inputs, type(start).model_validate(inputs)
    except ValidationError:
        return inputs, None


def _scaled(shape: Shape, value: Any, factor: float) -> Any:
    if shape.container == "map":
        first, *others = value
        return {first: _scaled(shape.item, value[first], factor)} | {key: value[key] for key in others}  # type: ignore[arg-type]
    if isinstance(value, dict):
        return {**value, "value": value["value"] * factor}
    if value == "inf":
        return value
    return round(value * factor) if isinstance(value, int) else value * factor


def _stacked(inputs: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """The inputs with the values of one of them as an array."""
    return {**inputs[0], name: _stack([each[name] for each in inputs])}


def _stack(values: list[Any]) -> Any:
    if isinstance(values[0], dict):
        return {key: _stack([value[key] for value in values]) for key in values[0]}
    if isinstance(values[0], str):
        return values[0] if values[0] != "inf" else np.full(len(values), np.inf)
    return np.array(values)


def _element(value: Any, index: int) -> Any:
    if isinstance(value, Result):
        value = value.__dict__
    if isinstance(value, dict):
        return {key: _element(item, index) for key, item in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    element = value[index].item()
    return None if isinstance(element, float) and np.isnan(element) else element


def test_a_sweep_of_a_million_points_is_one_evaluation() -> None:
    from mlsysim.engine.scenario_definitions.optimization import RooflinePointScenario

    intensities = np.geomspace(0.1, 1e4, 1_000_000)
    sweep = RooflinePointScenario(
        hardware="H100",
        intensity={"value": intensities, "unit": "FLOP/byte"},
    ).evaluate()
    assert np.size(sweep.attainable) == 1_000_000
    assert np.max(sweep.attainable) == 989e12


def test_undefined_elements_of_an_array_are_nan() -> None:
    from mlsysim.engine.scenario_definitions.optimization import AmdahlScenario

    result = AmdahlScenario(
        stages={"model": {"value": np.array([1.0, 2.0]), "unit": "s"}},
        stage="model",
        speedup=np.array([2.0, np.inf]),
    ).evaluate()
    assert np.isnan(np.asarray(result.overall_speedup)).tolist() == [False, True]


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("QuantizationGridScenario", {"alpha": np.array([-1.0, -2.0])}),
        ("QuantizationGridScenario", {"bits": np.array([4, 8])}),
        ("DominantShareScenario", {"capacity": {"gpus": np.array([1.0, 2.0])}}),
    ],
)
def test_a_class_with_lists_says_that_it_takes_single_values(name: str, array: dict[str, Any]) -> None:
    inputs = {"bits": 8} if name == "QuantizationGridScenario" else {"bundles": {"a": {"gpus": 1}}}
    (input,) = array
    with pytest.raises(InvalidInputs, match=f"^{input} = .* is an array; outputs here are lists") as raised:
        evaluate(name, inputs | array)
    assert raised.value.errors[0].pointer == f"/{input}"
