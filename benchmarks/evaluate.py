"""What one evaluation of each class costs from validated inputs: of single values, and of an array of a million.

The yardstick of a single evaluation is building an empty pydantic model with as many float fields as the class has
inputs and outputs. That of an array is the formulas of the class as NumPy would be written by hand: nothing but the
arithmetic, no rule, no check of the range, no result. Both sides run in turn, in one process.
"""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
from pydantic import ValidationError, create_model

from mlsysim.engine.description import named_configurations
from mlsysim.engine.formula import Formula
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.result import Result
from mlsysim.engine.scenario import Scenario
from mlsysim.fields import QuantityType, RateType, RealType

ROUNDS, CALLS = 15, 200
SIZE, ARRAY_ROUNDS = 1_000_000, 7
NUMPY = {
    "fn_min": lambda *values: _of_all(np.minimum, min, values),
    "fn_max": lambda *values: _of_all(np.maximum, max, values),
    "fn_round": np.rint,
    "fn_ceil": np.ceil,
    "fn_floor": np.floor,
    "fn_sqrt": np.sqrt,
    "fn_log2": np.log2,
    "fn_log10": np.log10,
}


def _of_all(ufunc: Any, plain: Callable[[Any], Any], values: Any) -> Any:
    first, *others = values if len(values) > 1 else values[0]
    if not any(isinstance(value, np.ndarray) for value in (first, *others)):
        return plain([first, *others])
    for other in others:
        first = ufunc(first, other)
    return first


def by_hand(result: type[Result]) -> Callable[[dict[str, Any]], None]:
    """The formulas of a result, one after the other, on plain NumPy functions."""

    def plain(formula: Formula) -> Callable[..., Any]:
        function = formula.evaluate
        return FunctionType(function.__code__, {**function.__globals__, **NUMPY})

    steps = [
        (name, plain(output.formula), output.defined_if and plain(output.defined_if))
        for name, output in result.outputs().items()
        if output.formula
    ]

    def run(inputs: dict[str, Any]) -> None:
        held = dict(inputs)
        for name, formula, condition in steps:
            defined = condition(held) if condition else True
            if isinstance(defined, np.ndarray):
                held[name] = np.where(defined, formula(held), np.nan)
            else:
                held[name] = formula(held) if defined else None

    return run


def with_array(scenario: Scenario[Any], size: int) -> Scenario[Any] | None:
    """The scenario with an array for the input that makes most outputs arrays; None if it takes none."""
    inputs, shares, found = scenario.to_json(si=True), np.random.default_rng(0).uniform(0.999, 1, size), []
    for name, spec in type(scenario).inputs().items():
        given = inputs.get(name)
        if given in (None, "inf") or not isinstance(spec.shape.leaf.type, (QuantityType, RateType, RealType)):
            continue
        if spec.shape.container is None:
            array = {**given, "value": given["value"] * shares} if isinstance(given, dict) else given * shares
            try:
                variant = type(scenario).model_validate({**inputs, name: array})
            except ValidationError:  # the class gives lists, or a rule leaves no room below the value
                continue
            arrays = sum(isinstance(output, np.ndarray) for output in vars(variant.evaluate()).values())
            found.append((arrays, variant))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def seconds(call: Callable[[], Any], calls: int = 1) -> float:
    """Time of one call, averaged over some in a row."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def in_turn(yardstick: Callable[[], Any], call: Callable[[], Any], rounds: int, calls: int) -> tuple[float, float, str]:
    """Median time of the call, median ratio to the yardstick, and between what values that ratio was."""
    seconds(yardstick), seconds(call)
    rows = [(seconds(yardstick, calls), seconds(call, calls)) for _ in range(rounds)]
    ratios = [mine / bare for bare, mine in rows]
    return (
        statistics.median(mine for _, mine in rows),
        statistics.median(ratios),
        f"({min(ratios):.1f} to {max(ratios):.1f})",
    )


def main() -> None:
    """Print a row for each class: medians of time, of its ratio to the yardstick, and the spread of the ratio."""
    print(f"{'class':34} {'single':>9} {'x empty model':>28} {'million':>9} {'x NumPy by hand':>24}")
    singles, arrays = [], []
    for name, scenario_class in scenario_classes().items():
        scenario = named_configurations(scenario_class)[0].scenario
        members = [*scenario_class.model_fields, *scenario_class.result_type.outputs()]
        empty = create_model("Empty", **{f"f{at}": (float, 0.0) for at in range(len(members))})  # type: ignore[call-overload]
        taken, ratio, spread = in_turn(empty, scenario.evaluate, ROUNDS, CALLS)
        singles.append(ratio)
        row = f"{name:34} {taken * 1e6:6.1f} us {ratio:12.1f} {spread:>15}"
        if variant := with_array(scenario, SIZE):
            plain = functools.partial(by_hand(scenario_class.result_type), vars(variant))
            try:
                with np.errstate(all="ignore"):
                    taken, ratio, spread = in_turn(plain, variant.evaluate, ARRAY_ROUNDS, 1)
                arrays.append(ratio)
                row += f" {taken * 1e3:6.1f} ms {ratio:8.2f} {spread:>15}"
            except ValueError:
                row += "   a formula that plain NumPy cannot take"
        print(row, flush=True)
    print(f"median of {len(singles)} classes: {statistics.median(singles):.1f} x an empty model")
    print(f"median of {len(arrays)} classes that take arrays: {statistics.median(arrays):.2f}; most {max(arrays):.2f}")


if __name__ == "__main__":
    main()
