"""Valid scenarios of numbers so few and so round that sides of comparisons meet and divisions come out even.

Random numbers never do: with these alone `<=` differs from `<`, and `ceil(x)` from `floor(x) + 1`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, reduce
from random import Random
from typing import Any

from annotated_types import MinLen
from pydantic import ValidationError

from mlsysim.engine.description import describe, named_configurations
from mlsysim.engine.scenario import InputSpec, Scenario
from mlsysim.fields import Bound, FlagType, IntegerType, OneOf, QuantityType, RateType, RealType, Shape, shape_of

_NUMBERS = ([1, 2], [0, 1, 2, 4], [0, 0.25, 0.5, 1, 2, 3, 4, 8], [-2, -1.5, -1, 0, 0.5, 1, 2.5, 10, 100])
_KEYS = ("fp16", "int8")  # of a map that no configuration states, such as the rates of a device of one's own


def round_inputs(scenario: type[Scenario[Any]], random: Random) -> dict[str, Any]:
    """Inputs that keep to the bounds of their fields, though perhaps not to the rules, as a client would send them."""
    start = random.choice(named_configurations(scenario)).scenario
    draw = _Draw(random, figures_read(scenario))
    inputs = {name: draw.input(spec, getattr(start, name)) for name, spec in scenario.inputs().items()}
    for name, spec in scenario.inputs().items():
        for mark in (*spec.shape.metadata, *spec.shape.leaf.metadata):
            if isinstance(mark, OneOf) and inputs[name] is not None:
                known = _keys(mark, inputs)
                several = random.sample(known, random.randint(1, len(known)))
                inputs[name] = several if spec.shape.container == "list" else several[0]
    return {name: value for name, value in inputs.items() if value is not None}


def round_scenarios(scenario: type[Scenario[Any]], count: int, tries: int) -> Iterator[Scenario[Any]]:
    """Up to `count` valid scenarios of the class, the same ones each time."""
    random = Random(0)
    for _ in range(tries):
        try:
            yield scenario.model_validate(round_inputs(scenario, random))
        except ValidationError:
            continue
        count -= 1
        if count == 0:
            return


@cache
def figures_read(scenario: type[Scenario[Any]]) -> dict[str, list[tuple[str, Shape, bool]]]:
    """For each input that is a catalog entry the figures read of it: path, shape, and whether it has to state them."""
    return {
        described.name: [
            (figure.figure, _shape_at(scenario.inputs()[described.name].shape.leaf, figure.figure), figure.needed)
            for figure in described.figures
        ]
        for described in describe(scenario).inputs
    }


def _shape_at(shape: Shape, path: str) -> Shape:
    for part in path.split("."):
        assert shape.model is not None
        shape = shape_of(shape.model.model_fields[part])
    return shape._replace(optional=False)


def _keys(choice: OneOf, inputs: dict[str, Any]) -> list[str]:
    """The keys that ``keys(hardware.compute.rates)`` stands for."""
    found: Any = inputs
    for part in choice.expression.removeprefix("keys(").removesuffix(")").split("."):
        found = found[part]
    return list(found)


class _Draw:
    """Draws the values of one scenario: from one set of numbers, rates of one kind, most often in base units."""

    def __init__(self, random: Random, figures: dict[str, list[tuple[str, Shape, bool]]]) -> None:
        self.random = random
        self.figures = figures
        self.numbers = random.choice(_NUMBERS)
        self.rate = random.choice(["FLOP/s", "byte/s"])
        self.si = random.random() < 0.8

    def input(self, spec: InputSpec, like: Any) -> Any:
        """A value of an input; catalog entries are objects of one's own."""
        if spec.shape.leaf.model is None:
            return self.value(spec.shape, like, spec.unit)
        if spec.shape.optional and self.random.random() < 0.3:
            return None
        if spec.shape.container == "list":
            return [self.entry(spec.name) for _ in like]
        return self.entry(spec.name)

    def entry(self, name: str) -> dict[str, Any]:
        """An entry with the figures that the scenario reads; now and then without one that it can do without."""
        entry: dict[str, Any] = {}
        for path, shape, needed in self.figures[name]:
            if needed or shape.container or self.random.random() < 0.7:
                *groups, figure = path.split(".")
                reduce(lambda group, part: group.setdefault(part, {}), groups, entry)[figure] = self.value(shape)
        return entry

    def value(self, shape: Shape, like: Any = None, unit: str | None = None) -> Any:
        """A value of that shape, with the keys or the length of `like` if it is a map or a list."""
        if shape.optional and self.random.random() < 0.3:
            return None
        if shape.container == "map":
            keys = list(like or _KEYS)
            return {key: self.value(shape.item, (like or {}).get(key), unit) for key in keys}  # type: ignore[arg-type]
        if shape.container == "list":
            least = next((mark.min_length for mark in shape.metadata if isinstance(mark, MinLen)), 0)
            items = (like or [None] * least)[: self.random.randint(least, max(least, len(like or [])))]
            return [self.value(shape.item, item, unit) for item in items]  # type: ignore[arg-type]
        if isinstance(shape.type, FlagType):
            return self.random.random() < 0.5
        if isinstance(shape.type, QuantityType):
            return {"value": self.number(shape), "unit": (not self.si and unit) or shape.type.dimension.si}
        if isinstance(shape.type, RateType):
            return {"value": self.number(shape), "unit": self.rate}
        if isinstance(shape.type, RealType):
            return "inf" if shape.type.infinite and self.random.random() < 0.2 else self.number(shape)
        return like or "any" if shape.type is not None else self.random.choice(shape.annotation.__args__)

    def number(self, shape: Shape) -> float:
        """A round number that keeps to the bounds."""
        bounds = [mark for mark in shape.metadata if isinstance(mark, Bound)]
        whole = isinstance(shape.type, IntegerType)
        for numbers in (self.numbers, *_NUMBERS):
            fitting = [n for n in numbers if all(bound.holds(n) for bound in bounds) and (not whole or n == int(n))]
            if fitting:
                return self.random.choice(fitting)
        raise ValueError(f"no round number keeps to {bounds}")
