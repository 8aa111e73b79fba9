"""Which inputs take an answer beyond a double; looked for only once there is no answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from pydantic import ValidationError

from mlsysim.engine.scenario import Scenario
from mlsysim.errors import EvaluationError, InputError, explain

_MOST = 20
_TOO_MANY = 50  # numbers to evaluate again without
_SAID = "takes the answer beyond the range of a double; one less extreme would do"

Path = tuple[str | int, ...]


def located(
    error: EvaluationError, scenario: Scenario[Any], answer: Callable[[Scenario[Any]], object]
) -> EvaluationError:
    """The error with the inputs that drive it: with a 1 in their place there is an answer.

    Where there is none still, or too much would have to be evaluated for it, the most extreme one stands for them.

    Args:
        error: what was raised.
        scenario: the scenario that raised it.
        answer: what raised it, of any scenario.
    """
    inputs = scenario.to_json(si=True)

    def extremeness(place: Path) -> float:
        """How many orders of magnitude away from 1."""
        number = abs(_at(inputs, place))
        return abs(math.log10(number)) if number else 0

    numbers = sorted(_numbers(inputs, ()), key=extremeness, reverse=True)

    def is_answered(places: list[Path]) -> bool:
        moderate = deepcopy(inputs)
        for place in places:
            _at(moderate, place[:-1])[place[-1]] = int(math.copysign(1, _at(inputs, place)))
        try:
            answer(type(scenario).model_validate(moderate))
        except (EvaluationError, ValidationError):
            return False
        return True

    driving: list[Path] = []
    if not scenario.long_running and len(numbers) <= _TOO_MANY:
        driving = _driving(numbers[:_MOST], extremeness, is_answered)
    errors = dict.fromkeys(_error(scenario.given, place) for place in driving or numbers[:1])
    return EvaluationError(str(error), errors)


def _driving(
    numbers: list[Path], extremeness: Callable[[Path], float], is_answered: Callable[[list[Path]], bool]
) -> list[Path]:
    """Of the numbers, which come most extreme first, each that does alone, or else the fewest that do together."""
    alone = [place for place in numbers if 2 * extremeness(place) >= extremeness(numbers[0]) and is_answered([place])]
    if alone:
        return alone
    together = next(filter(is_answered, (numbers[:count] for count in range(2, len(numbers) + 1))), [])
    for place in together[:-1]:
        others = [other for other in together if other != place]
        together = others if is_answered(others) else together
    return together


def _numbers(value: Any, path: Path) -> Iterator[Path]:
    """Where the numbers are."""
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _numbers(item, (*path, key))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


def _at(value: Any, path: Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _error(given: Any, place: Path) -> InputError:
    """The complaint about the number at a place of the inputs, or about what was given around it."""
    path, value = place[:1], given.get(place[0])
    for part in place[1:]:
        within = dict(enumerate(value)) if isinstance(value, list) else value
        if not isinstance(within, dict) or part not in within or within.keys() == {"value", "unit"}:
            break
        path, value = (*path, part), within[part]
    kind = "not_stated" if value is None else "extreme"
    return explain({"loc": path, "type": kind, "msg": _SAID, "input": value})
