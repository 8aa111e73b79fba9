"""The base of every scenario: typed inputs, the rules that tie them together, and one ``evaluate``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from mlsysim.catalog import FigureReference, Source
from mlsysim.catalog.loader import merge_patch
from mlsysim.catalog.types import Entry, display_unit
from mlsysim.engine.formula import Formula
from mlsysim.engine.registry import register
from mlsysim.engine.result import BEYOND, Result, check
from mlsysim.engine.warnings import Warning
from mlsysim.errors import EvaluationError, closest, did_you_mean, one_of, shorten
from mlsysim.fields import Dumper, Needs, OneOf, Shape, Writer, refuse, shape_of, shown

if TYPE_CHECKING:
    from mlsysim.engine.explanation import Derivation

R = TypeVar("R", bound=Result)
Evaluate = TypeVar("Evaluate", bound=Callable[..., Any])


def Input(  # noqa: N802 (reads as a type of field beside pydantic's Field)
    description: str, *, unit: str | None = None, why: str | None = None, **more: Any
) -> Any:
    """An input of a scenario.

    Args:
        description: what it is.
        unit: the unit it is shown in; None for plain numbers, names and catalog entries.
        why: for a default, why it is that.
        more: what pydantic's ``Field`` takes; a default is written as a client would write it.
    """
    facts: dict[str, Any] = {key: fact for key, fact in (("x-unit", unit), ("x-default-reason", why)) if fact}
    if more.get("default", ...) is not ...:
        more["validate_default"] = True
        if why is None and more["default"] is not None:
            raise TypeError(f"the default of an input says why it is that ({description})")
    return Field(description=description, json_schema_extra=facts or None, **more)


class Rule:
    """A condition over several inputs that valid inputs meet.

    Args:
        expression: the condition, in the formula language.
        at: the input to point to where it does not hold.
        because: what a reader should know about it, in words; optional.
    """

    def __init__(self, expression: str, *, at: str, because: str | None = None) -> None:
        self.formula = Formula(expression)
        self.at = at
        self.because = because

    def holds(self, names: dict[str, Any]) -> bool:
        """Whether the condition holds, for every element where inputs are arrays."""
        try:
            held = self.formula.evaluate(names)
        except ArithmeticError:
            return False
        return held if isinstance(held, bool) else bool(np.all(held))


@dataclass(frozen=True)
class InputSpec:
    """What is known of one input."""

    name: str
    shape: Shape
    unit: str | None
    description: str
    required: bool
    default: Any
    why: str | None


class Reason(NamedTuple):
    """Why an input of a named configuration is what it is, and which figure of the catalog, if it is one."""

    text: str
    figure: FigureReference | None = None


class Scenario(BaseModel, Generic[R]):
    """A calculation: inputs, the rules they keep, and `evaluate`, which gives the result.

    A subclass is frozen, holds plain numbers in SI base units (or NumPy arrays of them), and states beside its fields
    what the documentation needs: `title`, `sources`, `notes` and `rules`. Its docstring gives the question it answers,
    what it assumes, where it stops being valid, and an example. `long_running` says that few inputs may take it many
    milliseconds.

    Raises:
        pydantic.ValidationError: an input is missing, unknown, or breaks a rule; `mlsysim.errors.input_errors` says
            what would do.
    """

    # For the explanation: the inputs as they were given; of a named configuration why each is what it is, and what was
    # changed of it.
    __slots__ = ("_changes", "_given", "_why")
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    theme: ClassVar[str]
    result_type: ClassVar[type[Result]]
    title: ClassVar[str]
    sources: ClassVar[tuple[Source, ...]]
    notes: ClassVar[tuple[str, ...]] = ()
    rules: ClassVar[tuple[Rule, ...]] = ()
    long_running: ClassVar[bool] = False

    def evaluate(self) -> R:
        """The result for these inputs.

        Raises:
            EvaluationError: an output does not fit a double.
        """
        raise NotImplementedError

    def warnings(self, result: R) -> Iterable[Warning]:
        """What a careful engineer would look at twice in this answer."""
        return ()

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if "evaluate" not in cls.__dict__:
            return  # Scenario[SomeResult], the base of a definition
        base = next(base for base in cls.__mro__ if base.__dict__.get("__pydantic_generic_metadata__", {}).get("args"))
        cls.result_type = base.__pydantic_generic_metadata__["args"][0]  # type: ignore[attr-defined]
        cls.theme = cls.__module__.rpartition(".")[2]
        cls.evaluate = _guarded(cls.evaluate)  # type: ignore[method-assign]
        register(cls)

    @classmethod
    @cache
    def inputs(cls) -> dict[str, InputSpec]:
        """What is known of each input."""
        return {
            name: InputSpec(
                name=name,
                shape=shape_of(info),
                unit=display_unit(info),
                description=info.description or "",
                required=info.is_required(),
                default=None if info.is_required() else info.get_default(call_default_factory=True, validated_data={}),
                why=(info.json_schema_extra or {}).get("x-default-reason"),  # type: ignore[union-attr, arg-type]
            )
            for name, info in cls.model_fields.items()
        }

    def to_json(self, si: bool = False) -> dict[str, Any]:
        """The inputs in their JSON form, in display units or in base units; an input that is not given is left out."""
        held = self.__dict__
        return {name: write(held[name]) for name, write in _writers(type(self), si) if held[name] is not None}

    def dump(self, si: bool = False) -> str:
        """As `to_json`, as text."""
        held = self.__dict__
        given = [label + dump(held[name]) for name, label, dump in _dumpers(type(self), si) if held[name] is not None]
        return f"{{{','.join(given)}}}"

    def variant(self, **changes: Any) -> Self:
        """This scenario with some inputs changed, given as they would be to the class."""
        stated = {name: value for name, value in self.to_json(si=True).items() if name in self.model_fields_set}
        stated |= {name: {"ref": key} for name in stated if (key := self.constant_of(name))}
        return type(self)(**merge_patch(stated, changes)).because(self.why, merge_patch(self.changes, changes))

    @property
    def why(self) -> dict[str, Reason]:
        """Why the inputs of the named configuration that this came from are what they are."""
        return getattr(self, "_why", {})

    @property
    def changes(self) -> dict[str, Any]:
        """What was changed of the named configuration that this came from."""
        return getattr(self, "_changes", {})

    @property
    def given(self) -> dict[str, Any]:
        """The inputs as they were given."""
        return getattr(self, "_given", {})

    def because(self, why: dict[str, Reason], changes: dict[str, Any]) -> Self:
        """This scenario, which from now on knows why its inputs are what they are, and what was changed of them."""
        object.__setattr__(self, "_why", why)
        object.__setattr__(self, "_changes", changes)
        return self

    def constant_of(self, name: str) -> str | None:
        """The catalog constant that an input was given as, if it was."""
        given = self.given.get(name)
        return (
            given["ref"]
            if isinstance(given, dict) and given.keys() == {"ref"} and name not in _entries(type(self))
            else None
        )

    def explain(self, si: bool = False) -> Derivation:
        """How the answer comes about: every output with its formula and numbers, every input with its origin.

        Raises:
            EvaluationError: an output does not fit a double.
        """
        from mlsysim.engine.explanation import derive

        return derive(self, self.evaluate(), si)

    @model_validator(mode="wrap")
    @classmethod
    def _keep_rules(cls, given: Any, handler: Any) -> Any:
        scenario = handler(given)
        if given is scenario:
            return scenario
        object.__setattr__(scenario, "_given", given)
        broken = list(_broken(scenario))
        if broken:
            raise ValidationError.from_exception_data(
                cls.__name__,
                [InitErrorDetails(type=error, loc=loc, input=value) for loc, value, error in broken],
            )
        return scenario


@cache
def _writers(scenario: type[Scenario[Any]], si: bool) -> list[tuple[str, Writer]]:
    return [(name, spec.shape.writer(spec.unit, si)) for name, spec in scenario.inputs().items()]


@cache
def _dumpers(scenario: type[Scenario[Any]], si: bool) -> list[tuple[str, str, Dumper]]:
    return [(name, f'"{name}":', spec.shape.dumper(spec.unit, si)) for name, spec in scenario.inputs().items()]


def _guarded(evaluate: Evaluate) -> Evaluate:
    """`evaluate` with arithmetic that leaves the range of a double turned into an EvaluationError."""

    quiet = np.errstate(all="ignore")(evaluate)  # as a decorator it costs half of what it does in a with statement

    @functools.wraps(evaluate)
    def guarded(self: Any) -> Any:
        try:
            return quiet(self)
        except ArithmeticError as error:
            raise _not_computed(self, error) from None

    return guarded  # type: ignore[return-value]


def _not_computed(scenario: Scenario[Any], error: ArithmeticError) -> EvaluationError:
    """Which output could not be computed: the first whose formula fails as well, shown with what it works on."""
    names = dict(scenario.__dict__)
    for name, output in scenario.result_type.outputs().items():
        try:
            with np.errstate(all="ignore"):
                names[name] = output.by_formula(names)
            check(name, names[name])
        except ArithmeticError as found:
            reason = str(found) if isinstance(found, EvaluationError) else f"{name} {BEYOND} for these inputs"
            numbers = (part for part in output.formula.names if isinstance(names[part], (int, float)))  # type: ignore[union-attr]
            facts = ", ".join(f"{part} = {shown(names[part])}" for part in numbers)
            named = reason if reason.startswith(name) else f"{name}: {reason}"
            here = f" = {output.formula}{', where ' + facts + ' in base units' if facts else ''}"
            return EvaluationError(f"{named}: {name}{here}; inputs less extreme would do")
        except TypeError:  # an output before it has no formula
            break
    return error if isinstance(error, EvaluationError) else EvaluationError(f"a value {BEYOND} for these inputs")


def _broken(scenario: Scenario[Any]) -> Iterator[tuple[tuple[str | int, ...], Any, PydanticCustomError]]:
    """Where, with what value and why the inputs break the rules that no single field can check."""
    held = scenario.__dict__
    if _gives_lists(type(scenario)) and (arrays := [name for name, value in held.items() if _holds_array(value)]):
        for name in arrays:
            yield (name,), held[name], refuse("is an array; outputs here are lists, so give one value at a time")
        return
    needs_met = True
    for name, mark in _marks(type(scenario)):
        value = held[name]
        if isinstance(mark, Needs) and value is not None:
            for where, entry in _items(value):
                for loc, error in _unmet(entry, mark):
                    needs_met = False
                    yield (name, *where, *loc), entry.to_json(), error
        elif isinstance(mark, OneOf) and value is not None and needs_met:
            choices = _formula(mark.expression).evaluate(held)
            known = set(choices) if isinstance(value, list) else choices
            for where, text in _items(value):
                if text not in known:
                    reason = f"must be one of {mark.expression}: {_listed(text, list(choices))}"
                    yield (name, *where), text, refuse(reason)
                    break
    broken = not needs_met
    for rule in scenario.rules if needs_met else ():
        try:
            holds = rule.holds(held)
        except (LookupError, TypeError, ValueError):
            if broken:  # it takes for granted what an earlier rule asks for
                return
            raise
        if not holds:
            broken = True
            yield (rule.at,), _json(scenario, rule.at), refuse(_broken_rule(rule, scenario))


@cache
def _gives_lists(scenario: type[Scenario[Any]]) -> bool:
    """Whether an output is a list, whose length may differ from one element of an array to the next."""
    return any(spec.shape.container == "list" for spec in scenario.result_type.outputs().values())


def _holds_array(value: Any) -> bool:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, np.ndarray) or any(map(_holds_array, items))


def _items(value: Any) -> list[tuple[tuple[int, ...], Any]]:
    """A single value, or each item of a list, with where it stands."""
    return [((index,), item) for index, item in enumerate(value)] if isinstance(value, list) else [((), value)]


def _listed(value: str, choices: list[str]) -> str:
    """The first of the choices, and the closest."""
    if not choices:
        return "nothing, for there are none"
    shown = [shorten(choice, 40) for choice in choices[:_MOST_CHOICES]]
    more = f" and {len(choices) - len(shown)} more" if len(choices) > len(shown) else ""
    guesses = [shorten(guess, 40) for guess in closest(value, choices[:_MOST_SEARCHED])]
    return f"{', '.join(shown)}{more}" if more else one_of(shown) + did_you_mean(guesses)


_MOST_CHOICES = 10
_MOST_SEARCHED = 1000


_formula = cache(Formula)


@cache
def _entries(scenario: type[Scenario[Any]]) -> frozenset[str]:
    """The inputs that are catalog entries."""
    inputs = scenario.inputs().items()
    return frozenset(
        name for name, spec in inputs if spec.shape.leaf.model and issubclass(spec.shape.leaf.model, Entry)
    )


@cache
def _marks(scenario: type[Scenario[Any]]) -> list[tuple[str, Needs | OneOf]]:
    marks = [
        (name, mark)
        for name, spec in scenario.inputs().items()
        for shape in (spec.shape, spec.shape.item if spec.shape.container == "list" else None)
        for mark in (shape.metadata if shape else ())
        if isinstance(mark, (Needs, OneOf))
    ]
    return sorted(marks, key=lambda pair: isinstance(pair[1], OneOf))


def _unmet(entry: Entry, needs: Needs) -> Iterator[tuple[tuple[str, ...], PydanticCustomError]]:
    """Which of the figures a scenario needs the entry does not state, and where to point to."""
    for path in needs.paths:
        value: Any = entry
        for part in path.split("."):
            value = getattr(value, part, None)
        if value is None:
            if isinstance(entry._given, str):
                would_do = f'{{"ref": "{entry._given}", …}} adds it'
                yield (), refuse(f"states no {path}, which this scenario needs; {would_do}")
            else:
                yield tuple(path.split(".")), refuse("is not stated, and this scenario needs it", "not_stated")


def _broken_rule(rule: Rule, scenario: Scenario[Any]) -> str:
    facts = [f"{name} = {shorten(_json(scenario, name), 60)}" for name in rule.formula.names if name != rule.at]
    because = f" ({rule.because})" if rule.because else ""
    return f"must keep to: {rule.formula}{because}{'; here ' + ', '.join(facts) if facts else ''}"


def _json(scenario: Scenario[Any], name: str) -> Any:
    value = scenario.__dict__[name]
    if value is None:
        return None
    spec = type(scenario).inputs()[name]
    try:
        return spec.shape.writer(spec.unit)(value)
    except EvaluationError:  # too large to be shown in its unit
        return spec.shape.writer(spec.unit, si=True)(value)
