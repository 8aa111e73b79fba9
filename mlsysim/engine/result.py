"""What a scenario answers: named outputs with their unit, their meaning and the formula that gives them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple, dataclass_transform, get_type_hints

import numpy as np

from mlsysim.engine.formula import Formula
from mlsysim.errors import EvaluationError
from mlsysim.fields import LARGEST_INTEGER, Dumper, Shape, Writer, shape_of

BEYOND = "is beyond the range of a double"


class _Declared(NamedTuple):
    """What a result type says of an output."""

    description: str
    unit: str | None
    formula: str | None
    defined_if: str | None
    undefined: dict[str, str]
    algorithm: tuple[str, ...]


def Output(  # noqa: N802 (reads as a kind of field, beside Input)
    description: str,
    *,
    unit: str | None = None,
    formula: str | None = None,
    defined_if: str | None = None,
    undefined: str | dict[str, str] | None = None,
    algorithm: tuple[str, ...] = (),
) -> Any:
    """An output of a result.

    Args:
        description: what it is.
        unit: the unit it is shown in; None for plain numbers, names and truth values.
        formula: the expression that gives it, over inputs and the outputs above it, in SI base units.
        defined_if: the condition under which it is defined, where it may not be.
        undefined: in words, when and why it is null; where there are several reasons, the condition of each with its
            words.
        algorithm: the steps that give it, where no formula does.
    """
    if (formula is None) == (not algorithm):
        raise TypeError("an output has either a formula or an algorithm")
    if (defined_if is None) != (undefined is None):
        raise TypeError("an output that may be undefined says when (defined_if) and why (undefined)")
    reasons = {f"not ({defined_if})": undefined} if isinstance(undefined, str) else undefined or {}
    return _Declared(description, unit, formula, defined_if, reasons, algorithm)


@dataclass(frozen=True)
class OutputSpec:
    """What is known of one output."""

    name: str
    shape: Shape
    unit: str | None
    description: str
    formula: Formula | None
    defined_if: Formula | None
    reasons: tuple[tuple[Formula, str], ...]
    algorithm: tuple[str, ...]

    @property
    def undefined(self) -> str | None:
        """In words, when and why it is null; None for an output that never is."""
        return " or ".join(reason for _, reason in self.reasons) or None

    def why_undefined(self, names: dict[str, Any]) -> str:
        """Why it is null for these inputs and outputs."""
        return " and ".join(reason for condition, reason in self.reasons if condition.evaluate(names))

    def by_formula(self, names: dict[str, Any]) -> Any:
        """The value by the formula a reader is shown, over inputs and earlier outputs; None where it is not defined."""
        if self.formula is None or (self.defined_if is not None and not self.defined_if.evaluate(names)):
            return None
        return self.formula.evaluate(names)


@dataclass_transform(eq_default=False, kw_only_default=True, frozen_default=True, field_specifiers=(Output,))
class Result:
    """The outputs of one evaluation, as plain numbers in SI base units, or arrays of them.

    Raises:
        EvaluationError: an output does not fit a double.
        TypeError: an output is missing, or unknown.
    """

    _names: ClassVar[frozenset[str]]

    def __init__(self, **outputs: Any) -> None:
        if outputs.keys() != self._names:
            raise TypeError(f"{type(self).__name__}: {sorted(outputs.keys() ^ self._names)} missing or unknown")
        for name, value in outputs.items():
            if type(value) is float:
                if not math.isfinite(value):
                    raise EvaluationError(f"{name} {BEYOND} for these inputs")
            elif value is not None:
                check(name, value)
        self.__dict__.update(outputs)

    def __init_subclass__(cls) -> None:
        cls._names = frozenset(name for name, held in vars(cls).items() if isinstance(held, _Declared))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    @classmethod
    @cache
    def outputs(cls) -> dict[str, OutputSpec]:
        """What is known of each output, in order of computation."""
        hints = get_type_hints(cls, include_extras=True)
        declared = {name: held for name, held in vars(cls).items() if isinstance(held, _Declared)}
        return {
            name: OutputSpec(
                name=name,
                shape=shape_of(hints[name]),
                unit=said.unit,
                description=said.description,
                formula=Formula(said.formula) if said.formula else None,
                defined_if=Formula(said.defined_if) if said.defined_if else None,
                reasons=tuple((Formula(condition), reason) for condition, reason in said.undefined.items()),
                algorithm=said.algorithm,
            )
            for name, said in declared.items()
        }

    @classmethod
    @cache
    def _dumpers(cls, si: bool) -> list[tuple[str, str, Dumper]]:
        return [
            (name, f'"{name}":', spec.shape.dumper(spec.unit, si, rounded=not si))
            for name, spec in cls.outputs().items()
        ]

    def dump(self, si: bool = False) -> str:
        """As `to_json`, as text.

        Raises:
            EvaluationError: an output is too large to be shown in its unit.
        """
        held = self.__dict__
        name = ""
        try:
            shown = []
            for name, label, dump in self._dumpers(si):
                value = held[name]
                shown.append(label + ("null" if value is None else dump(value)))
        except EvaluationError as error:
            raise EvaluationError(f"{name}: {error}") from None
        return f"{{{','.join(shown)}}}"

    @classmethod
    @cache
    def _writers(cls, si: bool) -> list[tuple[str, Writer]]:
        return [(name, spec.shape.writer(spec.unit, si, rounded=not si)) for name, spec in cls.outputs().items()]

    def to_json(self, si: bool = False) -> dict[str, Any]:
        """The outputs in their JSON form: in display units to 15 significant digits, or in base units as computed.

        Raises:
            EvaluationError: an output is too large to be shown in its unit.
        """
        held = self.__dict__
        shown = {}
        try:
            for name, write in self._writers(si):
                shown[name] = None if held[name] is None else write(held[name])
        except EvaluationError as error:
            raise EvaluationError(f"{name}: {error}") from None
        return shown

    def undefined(self, inputs: dict[str, Any] | None = None) -> dict[str, str]:
        """Why each output that is None is not defined.

        Args:
            inputs: the scenario's inputs, which tell the reason that holds; without them, all that there may be.
        """
        nulls = [name for name, value in self.__dict__.items() if value is None]
        if not nulls:
            return {}
        without = [spec for name, spec in self.outputs().items() if name in nulls]
        if inputs is None:
            return {spec.name: spec.undefined or "" for spec in without}
        names = {**inputs, **self.__dict__}
        return {spec.name: spec.why_undefined(names) for spec in without}


def check(name: str, value: Any) -> None:
    """See that every number within fits a double; NaN stands for an undefined element of an array.

    Raises:
        EvaluationError: one does not.
    """
    if type(value) is int:
        if not -LARGEST_INTEGER <= value <= LARGEST_INTEGER:
            raise EvaluationError(f"{name} {BEYOND} for these inputs")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise EvaluationError(f"{name} {BEYOND} for these inputs")
    elif isinstance(value, np.ndarray):
        if value.dtype.kind == "f" and np.isinf(value).any():
            raise EvaluationError(f"{name} {BEYOND} for some of these inputs")
    elif isinstance(value, dict):
        for key, item in value.items():
            check(f"{name}.{key}", item)
    elif isinstance(value, list):
        for item in value:
            check(name, item)
