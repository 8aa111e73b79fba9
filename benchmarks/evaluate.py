"""What one evaluation costs from validated inputs, and from JSON-like inputs to the answer, for each class.

The yardstick is building an empty pydantic model with as many float fields as the class has inputs and outputs. All run
in turn, in one process.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

from pydantic import create_model

from mlsysim.engine.description import named_configurations
from mlsysim.engine.evaluation import evaluate
from mlsysim.engine.registry import scenario_classes

ROUNDS = 15
CALLS = 200


def microseconds(call: Callable[[], Any]) -> float:
    """Time of one call, averaged over a batch of them."""
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS * 1e6


def main() -> None:
    """Print a row for each class: medians in microseconds, and the ratio of evaluating to the yardstick."""
    print(f"{'class':32} {'empty model':>11} {'evaluate':>9} {'ratio':>6} {'answer':>8}   (us, medians)")
    all_ratios = []
    for name, scenario in scenario_classes().items():
        named = named_configurations(scenario)[0]
        fields = {f"f{index}": (float, 0.0) for index in range(len(scenario.model_fields))}
        fields |= {f"r{index}": (float, 0.0) for index in range(len(scenario.result_type.outputs()))}
        empty = create_model("Empty", **fields)  # type: ignore[call-overload]
        held, inputs = named.scenario, named.inputs
        calls: list[Callable[[], Any]] = [empty, held.evaluate, lambda n=name, i=inputs: evaluate(n, i).to_json()]  # type: ignore[misc]
        rows = [[microseconds(call) for call in calls] for _ in range(ROUNDS)]
        yardstick, engine, answer = (statistics.median(column) for column in zip(*rows, strict=True))
        ratio = statistics.median(row[1] / row[0] for row in rows)
        all_ratios.append(ratio)
        print(f"{name:32} {yardstick:11.2f} {engine:9.2f} {ratio:6.2f} {answer:8.1f}")
    print(f"median ratio over {len(all_ratios)} classes: {statistics.median(all_ratios):.2f}")


if __name__ == "__main__":
    main()
