"""Random valid scenarios of any class: a named configuration with its values moved about, kept if the rules allow."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from mlsysim.catalog import catalog
from mlsysim.engine.description import named_configurations
from mlsysim.engine.scenario import InputSpec, Scenario
from mlsysim.fields import Bound, FlagType, IntegerType, OneOf, QuantityType, RateType, RealType, Shape

_TRIES = 200
# Values for optional inputs that no configuration states, in base units.
_TYPICAL = {
    "time": 1e3,
    "data": 2.0,
    "data_rate": 1e12,
    "operations": 1e12,
    "operation_rate": 1e12,
    "intensity": 50.0,
    "energy": 1.0,
    "energy_per_byte": 1e-10,
    "power": 1.0,
    "money_rate": 1e-3,
}


@st.composite
def scenarios(draw: st.DrawFn, scenario: type[Scenario[Any]]) -> Scenario[Any]:
    """A valid scenario of the class."""
    found = random_scenario(scenario, Random(draw(st.integers(0, 2**32 - 1))))
    assume(found is not None)
    assert found is not None
    return found


def random_scenario(scenario: type[Scenario[Any]], random: Random) -> Scenario[Any] | None:
    """A valid scenario of the class, or None if none was found."""
    for _ in range(_TRIES):
        start = random.choice(named_configurations(scenario)).scenario
        spread = random.choice([0.1, 0.5, 2.0])
        try:
            return scenario.model_validate(_moved(start, spread, random))
        except ValidationError:
            continue
    return None


def _moved(start: Scenario[Any], spread: float, random: Random) -> dict[str, Any]:
    inputs = type(start).inputs()
    moved = {name: _input(spec, start.__dict__[name], spread, random) for name, spec in inputs.items()}
    for name, spec in inputs.items():
        marks = (*spec.shape.metadata, *spec.shape.leaf.metadata)
        choice = next((mark for mark in marks if isinstance(mark, OneOf)), None)
        if choice is not None and moved[name] is not None:
            several = [_choice(choice, moved, random) for _ in range(random.randint(1, 3))]
            moved[name] = list(dict.fromkeys(several)) if spec.shape.container == "list" else several[0]
    return {name: value for name, value in moved.items() if value is not None}


def _choice(choice: OneOf, moved: dict[str, Any], random: Random) -> Any:
    """One of the names the choice allows for these inputs."""
    source = choice.expression.removeprefix("keys(").removesuffix(")")
    if source in moved:
        return random.choice(list(moved[source]))
    owner, _, path = source.partition(".")
    found: Any = catalog().entry("hardware", moved[owner])
    for part in path.split("."):
        found = getattr(found, part)
    return random.choice(list(found)) if found else None


def _input(spec: InputSpec, value: Any, spread: float, random: Random) -> Any:
    if spec.shape.optional and random.random() < 0.3:
        value = _fresh(spec.shape) if value is None else None
    if value is None:
        return None
    return _value(spec.shape, value, spread, random)


def _fresh(shape: Shape) -> Any:
    """A typical value of an optional input."""
    leaf = shape.leaf
    if shape.container == "list":
        return [_fresh(leaf)]
    if isinstance(leaf.type, QuantityType):
        return _TYPICAL[leaf.type.name]
    if isinstance(leaf.type, IntegerType):
        return 8
    if isinstance(leaf.type, RealType):
        return 0.5
    return "any"


def _value(shape: Shape, value: Any, spread: float, random: Random) -> Any:
    """The value moved by some factor, in the form a client would send."""
    if shape.container == "map":
        return {key: _value(shape.item, item, spread, random) for key, item in value.items()}  # type: ignore[arg-type]
    if shape.container == "list":
        return [_value(shape.item, item, spread, random) for item in value]  # type: ignore[arg-type]
    if shape.model is not None:
        return random.choice(list(catalog().entries(shape.model.kind_of_entry)))
    if isinstance(shape.type, FlagType):
        return random.random() < 0.5
    if shape.type is None:
        return random.choice(shape.annotation.__args__)
    if isinstance(shape.type, RateType):
        return {"value": _moved_number(value, spread, random), "unit": value.dimension.si}
    if not isinstance(shape.type, (QuantityType, RealType)):
        return value
    bounds = [mark for mark in shape.metadata if isinstance(mark, Bound)]
    most = next((bound.le for bound in bounds if bound.le is not None), None)
    if isinstance(shape.type, QuantityType):
        moved = _moved_number(value, spread, random)
        return {"value": min(moved, most) if most else moved, "unit": shape.type.dimension.si}
    if most is not None and most <= 100:
        bounded_below = any(bound.gt is not None or bound.ge is not None for bound in bounds)
        least = 0.0 if bounded_below else -most
        return round(random.uniform(1, most)) if isinstance(shape.type, IntegerType) else random.uniform(least, most)
    moved = _moved_number(value, spread, random)
    return round(moved) if isinstance(shape.type, IntegerType) else moved


def _moved_number(value: float, spread: float, random: Random) -> float:
    if value == float("inf"):
        value = 10.0
    if value == 0:
        return random.choice([0.0, 1.0])
    return value * 10 ** random.uniform(-spread, spread)


def plain(value: Any) -> Any:
    """Inputs as the oracle takes them: numbers in base units, catalog entries as mappings of their figures."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        return {info.alias or name: plain(getattr(value, name)) for name, info in fields.items()}
    return value
