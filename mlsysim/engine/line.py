"""A line of a calculation: an expression with numbers in it, that a reader can check by hand.

It is a syntax tree whose constants are `Number` and `LeftOut`. What is known of it here is what a reader can tell: the
dimension it measures, and what it gives when it is worked out from the digits that are shown.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mlsysim.engine.formula import FUNCTIONS
from mlsysim.fields import QuantityType, Shape
from mlsysim.units import unit as unit_of
from mlsysim.units.dimensions import BY_EXPONENTS

_AGREEMENT = 1e-5
_MOST_DIGITS_AS_WRITTEN = 10
_LARGEST_PLAIN = 1e15


@dataclass(slots=True)
class Number:
    """What stands in a line for a name: a number, in base units, with the unit it is shown in; or a text or the like.

    Attributes:
        literal: whether it is the formula's own.
    """

    value: Any
    unit: str | None = None
    literal: bool = False

    def numeral(self, digits: int) -> str:
        """The number in its unit, as a reader would write it: whole, as it was written if it is short, or rounded."""
        number = self.value
        if not isinstance(number, float):
            return str(getattr(number, "label", number))
        if self.unit is not None:
            number = unit_of(self.unit).exactly(number)
        if number.is_integer() and abs(number) < _LARGEST_PLAIN:
            return str(int(number))
        if digits > 15:
            return repr(float(number))
        written = f"{number:.15g}"  # a number of few digits is one that somebody wrote, and is shown as written
        short = sum(map(str.isdigit, written.partition("e")[0])) <= _MOST_DIGITS_AS_WRITTEN
        return written if short else f"{number:.{digits}g}"

    def read(self, digits: int) -> Any:
        """What a reader takes it for, in base units."""
        if not isinstance(self.value, float):
            return self.value
        number = float(self.numeral(digits))
        return number if self.unit is None else unit_of(self.unit).read(number)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What stands for items of a long list that are not shown."""

    count: int


def leaf(held: Number | LeftOut) -> ast.expr:
    """It as a node of the tree."""
    return ast.Constant(held)  # type: ignore[arg-type]


_Exponents = tuple[float, ...]
_NOTHING: _Exponents = (0, 0, 0, 0, 0)


def dimension_of(node: ast.expr) -> _Exponents:
    """The dimension of an expression with numbers in it, as the exponents of the base units."""
    match node:
        case ast.Constant(value=Number(unit=str(unit))):
            return unit_of(unit).dimension.exponents
        case ast.BinOp(op=ast.Mult()):
            return _plus(dimension_of(node.left), dimension_of(node.right))
        case ast.BinOp(op=ast.Div() | ast.FloorDiv()):
            return _plus(dimension_of(node.left), dimension_of(node.right), -1)
        case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=Number(value=int(power)))):
            return _plus(_NOTHING, dimension_of(node.left), power)
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mod()):
            return dimension_of(node.left)
        case ast.UnaryOp(op=ast.USub()):
            return dimension_of(node.operand)
        case ast.Call(func=ast.Name("sqrt")):
            return _plus(_NOTHING, dimension_of(node.args[0]), 0.5)
        case ast.Call(func=ast.Name("min" | "max" | "abs" | "round" | "ceil" | "floor")):
            return dimension_of(node.args[0])
        case ast.List(elts=[first, *_]):
            return dimension_of(first)
    return _NOTHING


def _plus(first: _Exponents, second: _Exponents, times: float = 1) -> _Exponents:
    return tuple(one + times * other for one, other in zip(first, second, strict=True))


def with_units(node: ast.expr, shape: Shape) -> ast.expr:
    """The expression with the units it lacks to measure what an output of this shape does."""
    match node:
        case ast.Dict():
            for index, key in enumerate(node.keys):
                if key is not None:
                    item = shape.item or shape.model.outputs()[key.value.value].shape  # type: ignore
                    node.values[index] = with_units(node.values[index], item)
            return node
        case ast.List() if shape.item:
            node.elts = [with_units(item, shape.item) for item in node.elts]
            return node
        case ast.Constant(value=LeftOut()):
            return node
    wanted = shape.type.dimension.exponents if isinstance(shape.type, QuantityType) else _NOTHING
    missing = _plus(wanted, dimension_of(node), -1)
    if missing == _NOTHING:
        return node
    for number, sign in sorted(_factors(node), key=lambda factor: factor[0].literal, reverse=True):
        if unit := _base_unit(missing, sign):
            number.unit = unit
            return node
    unit = _base_unit(missing)
    if unit == "FLOP" and any("/OP" in (number.unit or "") for number in _numbers(node)):
        unit = "OP"
    return ast.BinOp(node, ast.Mult(), leaf(Number(1, unit))) if unit else node


def _numbers(node: ast.expr) -> Iterator[Number]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, Number):
            yield part.value


def _base_unit(exponents: _Exponents, sign: int = 1) -> str | None:
    dimension = BY_EXPONENTS.get(_plus(_NOTHING, exponents, sign))  # type: ignore[arg-type]
    return dimension.si if dimension else None


def _factors(node: ast.expr, sign: int = 1) -> Iterator[tuple[Number, int]]:
    """The factors of a product that have no unit, from the last; of those under a fraction bar the sign is -1."""
    match node:
        case ast.Constant(value=Number(unit=None) as number):
            yield number, sign
        case ast.BinOp(op=ast.Mult() | ast.Div()):
            yield from _factors(node.right, -sign if isinstance(node.op, ast.Div) else sign)
            yield from _factors(node.left, sign)


_OPERATIONS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.USub: operator.neg,
    ast.Not: operator.not_, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.In: lambda item, among: item in among,
    ast.NotIn: lambda item, among: item not in among,
}  # fmt: skip


def comes_out(expression: ast.expr, reasons: list[ast.expr | str], value: Any, digits: int) -> bool:
    """Whether the line gives the value, and the reasons hold, when worked out from that many digits."""
    try:
        return _agrees(_worked_out(expression, digits), value) and all(
            _worked_out(reason, digits) for reason in reasons if not isinstance(reason, str)
        )
    except (ArithmeticError, ValueError):
        return False


def _worked_out(node: ast.expr, digits: int) -> Any:
    def of(part: ast.expr) -> Any:
        return _worked_out(part, digits)

    match node:
        case ast.Constant(value=Number() as number):
            return number.read(digits)
        case ast.BinOp():
            return _OPERATIONS[type(node.op)](of(node.left), of(node.right))
        case ast.UnaryOp():
            return _OPERATIONS[type(node.op)](of(node.operand))
        case ast.BoolOp():
            return (all if isinstance(node.op, ast.And) else any)(map(of, node.values))
        case ast.Compare():
            terms = [of(node.left), *map(of, node.comparators)]
            return all(
                _OPERATIONS[type(op)](left, right) for op, left, right in zip(node.ops, terms, terms[1:], strict=False)
            )
        case ast.Call():
            return FUNCTIONS[node.func.id](*map(of, node.args))  # type: ignore[attr-defined]
        case ast.List():
            return [of(item) for item in node.elts if not _is_left_out(item)]
        case ast.Dict():
            return {of(key): of(value) for key, value in zip(node.keys, node.values, strict=True) if key is not None}
    return math.nan  # of a sum that is not shown whole


def _is_left_out(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, LeftOut)


def _agrees(found: Any, value: Any) -> bool:
    """Whether what was worked out is the value, as far as the items that are shown go."""
    if isinstance(found, dict):
        held = value if isinstance(value, dict) else value.__dict__
        return all(_agrees(item, held[key]) for key, item in found.items())
    if isinstance(found, list):
        return all(map(_agrees, found, value))
    if isinstance(value, float):
        return math.isclose(found, value, rel_tol=_AGREEMENT) or math.isnan(found)
    return bool(found == value)
