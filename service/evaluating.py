"""Evaluations as the interface answers them: counted, and in a thread where they may take long."""

from __future__ import annotations

from typing import Any

from mlsysim.engine.evaluation import evaluate, resolve
from mlsysim.engine.scenario import Scenario
from mlsysim.errors import InvalidInputs
from service import metrics

# A body of this many bytes may take longer to evaluate than others should wait.
_LONG_BODY = 20_000


def uncounted(name: str, inputs: Any, si: bool, explain: bool) -> dict[str, Any]:
    """As `answer`, for no client."""
    return evaluate(name, inputs).to_json(si, explain)


def answer(name: str, inputs: Any, si: bool, explain: bool) -> dict[str, Any]:
    """The answer to one evaluation, which is counted.

    Raises:
        UnknownName: neither a class nor a configuration has that name.
        InvalidInputs: the inputs are not valid.
        EvaluationError: an output does not fit a double.
    """
    scenario, _ = resolve(name)
    try:
        answered = uncounted(name, inputs, si, explain)
    except InvalidInputs as error:
        metrics.observe_invalid(scenario.__name__, scenario.model_fields, (found.pointer for found in error.errors))
        raise
    metrics.observe_evaluation(scenario.__name__)
    return answered


def may_take_long(scenario: type[Scenario[Any]], size: int) -> bool:
    """Whether an evaluation of the class with a body of that many bytes belongs into a thread."""
    return size > _LONG_BODY or scenario.long_running
