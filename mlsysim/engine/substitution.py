"""The numbers of one evaluation in the formula of an output: a line that a reader can check by hand.

Of a conditional the branch that was taken stands there, with what decided it as a reason; comprehensions are written
out. A number takes the unit that the line lacks to measure what the output does: of ``2 × m × n × k`` operations, the 2
is 2 FLOP. And of each number as many digits are shown as it takes for the line to give the value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, reduce
from itertools import islice
from typing import Any, NamedTuple

from mlsysim.catalog.types import Figures, display_unit
from mlsysim.engine.formula import Formula
from mlsysim.engine.line import LeftOut, Number, comes_out, leaf, with_units
from mlsysim.fields import QuantityType, RateType, Shape, shape_of, unit_of_rate
from mlsysim.units.vocabulary import BILLING_YEAR, DAY, HOUR, YEAR

_DIGITS = (6, 9, 12, 15, 17)
_MOST_ITEMS = 8
_SECONDS = {HOUR, DAY, YEAR, BILLING_YEAR}


class Known(NamedTuple):
    """A name of a formula: its value, its shape, and the unit it is shown in."""

    value: Any
    shape: Shape | None = None
    unit: str | None = None


class Line(NamedTuple):
    """A formula with numbers in it.

    Attributes:
        expression: the syntax tree, whose constants are `Number` and `LeftOut`.
        reasons: the comparisons that decided between branches, or in words what did.
        digits: how many digits of a number are shown.
    """

    expression: ast.expr
    reasons: list[ast.expr | str]
    digits: int


def substituted(formula: Formula, names: Mapping[str, Known], result: Known, si: bool = False) -> Line:
    """The formula with the values of its names in it.

    Args:
        formula: the formula.
        names: what it reads.
        result: what it gave.
        si: show quantities in base units.
    """
    substitution = _Substitution(names, si)
    expression = substitution.of(formula.tree.body)
    if result.shape is not None:
        expression = with_units(expression, result.shape)
    reasons = substitution.reasons
    enough = (digits for digits in _DIGITS if comes_out(expression, reasons, result.value, digits))
    return Line(expression, reasons, next(enough, _DIGITS[-1]))


_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn,
}  # fmt: skip
_OPPOSITES |= {opposite: comparison for comparison, opposite in _OPPOSITES.items()}


class _Substitution:
    """Puts numbers into expressions, for one set of names."""

    def __init__(self, names: Mapping[str, Known], si: bool) -> None:
        self.names = names
        self.values = {name: known.value for name, known in names.items()}
        self.si = si
        self.reasons: list[ast.expr | str] = []

    def of(self, node: ast.expr) -> ast.expr:
        """The expression with numbers in it."""
        match node:
            case ast.Constant():
                return leaf(Number(node.value, "s" if node.value in _SECONDS else None, literal=True))
            case ast.BinOp():
                return ast.BinOp(self.of(node.left), node.op, self.of(node.right))
            case ast.UnaryOp():
                return ast.UnaryOp(node.op, self.of(node.operand))
            case ast.IfExp():
                holds = bool(self._value(node.test))
                self._note(node.test, holds)
                return self.of(node.body if holds else node.orelse)
            case ast.BoolOp(op=ast.Or()) if not isinstance(self._value(node), bool):  # a value with its stand-in
                *tried, last = node.values
                for value in tried:
                    if self._value(value):
                        return self.of(value)
                    self.reasons.append(f"{ast.unparse(value)} is {self._state(value)}")
                return self.of(last)
            case ast.BoolOp():
                return ast.BoolOp(node.op, [self.of(value) for value in node.values])
            case ast.Compare(ops=[ast.In() | ast.NotIn()]):
                choices, sought = self._value(node.comparators[0]), self._value(node.left)
                deciding = choices.index(sought) if sought in choices else 0
                return ast.Compare(self.of(node.left), node.ops, [self._shown(choices, deciding=deciding)])
            case ast.Compare():
                return ast.Compare(self.of(node.left), node.ops, [self.of(term) for term in node.comparators])
            case ast.Call():
                return self._call(node)
            case ast.List() | ast.ListComp():
                return ast.List(self._items(node))
            case ast.Dict():
                return ast.Dict([key and self.of(key) for key in node.keys], [self.of(value) for value in node.values])
            case ast.DictComp():
                pairs = _few(
                    lambda inner: (inner.of(node.key), inner.of(node.value)),
                    self._each(node.generators),
                    self._turns(node),
                )
                return _dict(pairs)
        return self._shown(self._value(node), *self._shape(node))

    def _note(self, test: ast.expr, holds: bool) -> None:
        """Take down, with its numbers, what made a condition hold or fail."""
        match test:
            case ast.UnaryOp(op=ast.Not()):
                self._note(test.operand, not holds)
            case ast.BoolOp():
                one_decides = isinstance(test.op, ast.Or) == holds
                for value in test.values:
                    if not one_decides:
                        self._note(value, holds)
                    elif bool(self._value(value)) == holds:
                        self._note(value, holds)
                        break
            case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
                self.reasons.append(f"{ast.unparse(test.left)} is {self._state(test.left)}")
            case ast.Compare(ops=[comparison]):
                true = comparison if holds else _OPPOSITES[type(comparison)]()
                self.reasons.append(self.of(ast.Compare(test.left, [true], test.comparators)))
            case _:
                self.reasons.append(f"{ast.unparse(test)} is {str(holds).lower()}")

    def _state(self, node: ast.expr) -> str:
        value = self._value(node)
        return "not stated" if value is None else "0" if value == 0 else "stated"

    def _call(self, node: ast.Call) -> ast.expr:
        name = node.func.id  # type: ignore[attr-defined]
        argument = node.args[0]
        if name in _JOINED and isinstance(argument, (ast.ListComp, ast.List, ast.Call)):
            items = self._items(argument) or [leaf(Number(self._value(node)))]
            return reduce(lambda left, right: ast.BinOp(left, _JOINED[name](), right), items)
        if name in ("len", "keys", "values", "items", "range"):
            return self._shown(self._value(node))
        if name in ("min", "max") and len(node.args) == 1:
            values = self._value(argument)
            return ast.Call(node.func, [ast.List(self._items(argument, values.index(self._value(node))))], [])
        return ast.Call(node.func, [self.of(each) for each in node.args], [])

    def _items(self, node: ast.expr, deciding: int = 0) -> list[ast.expr]:
        """The items of a list, with those of a long one left out that neither come first nor decide."""
        if isinstance(node, ast.List):
            return [self.of(item) for item in node.elts]
        if isinstance(node, ast.ListComp):
            return _few(lambda inner: inner.of(node.elt), self._each(node.generators), self._turns(node), deciding)
        values = self._value(node)
        shape, unit = self._shape(node)
        return _few(lambda value: self._shown(value, shape and shape.item, unit), values, len(values), deciding)

    def _each(self, generators: list[ast.comprehension]) -> Iterator[_Substitution]:
        """This substitution once for each turn of a comprehension, with the loop's names known."""
        first, *others = generators
        shape, unit = self._shape(first.iter)
        for item in self._value(first.iter):
            several = isinstance(first.target, ast.Tuple)  # of items(): the keys and the values of a map
            targets = first.target.elts if isinstance(first.target, ast.Tuple) else [first.target]
            shapes = [None, shape and shape.item] if several else [shape and shape.item]
            loop = {
                target.id: Known(value, each, unit)  # type: ignore[attr-defined]
                for target, value, each in zip(targets, item if several else [item], shapes, strict=True)
            }
            inner = _Substitution({**self.names, **loop}, self.si)
            if all(inner._value(test) for test in first.ifs):
                yield from inner._each(others) if others else [inner]

    def _turns(self, node: ast.ListComp | ast.DictComp) -> int:
        """How many items a comprehension gives, without working any of them out."""
        return len(_turns(node).evaluate(self.values))

    def _shape(self, node: ast.expr) -> tuple[Shape | None, str | None]:
        """What is known of a name, a figure of a catalog entry, an item of a map, or the values of one."""
        match node:
            case ast.Name() if node.id in self.names:
                return self.names[node.id].shape, self.names[node.id].unit
            case ast.Attribute():
                owner = self._value(node.value)
                if isinstance(owner, Figures):
                    info = type(owner).model_fields[node.attr]
                    return shape_of(info), display_unit(info)
            case ast.Subscript():
                shape, unit = self._shape(node.value)
                return (shape.item if shape else None), unit
            case ast.Call(func=ast.Name("values" | "items")):
                return self._shape(node.args[0])
        return None, None

    def _value(self, node: ast.expr) -> Any:
        return _compiled(node).evaluate(self.values)

    def _shown(self, value: Any, shape: Shape | None = None, unit: str | None = None, deciding: int = 0) -> ast.expr:
        item = shape.item if shape else None
        if isinstance(value, dict):
            return _dict(
                _few(lambda pair: (self._shown(pair[0]), self._shown(pair[1], item, unit)), value.items(), len(value))
            )
        if isinstance(value, (list, tuple)):
            return ast.List(_few(lambda each: self._shown(each, item, unit), value, len(value), deciding))
        kind = shape.type if shape else None
        if value is not None and isinstance(kind, QuantityType):
            return leaf(Number(float(value), kind.dimension.si if self.si or unit is None else unit))
        if value is not None and isinstance(kind, RateType):
            return leaf(Number(value, unit_of_rate(value, self.si)))
        return leaf(Number(value))


_JOINED: dict[str, type[ast.operator]] = {"sum": ast.Add, "prod": ast.Mult}


@cache
def _compiled(node: ast.expr) -> Formula:
    """A part of a formula; formulas are those of result types, and few."""
    return Formula(ast.unparse(node))


@cache
def _turns(node: ast.ListComp | ast.DictComp) -> Formula:
    return Formula(ast.unparse(ast.ListComp(ast.Constant(0), node.generators)))


def _dict(pairs: list[Any]) -> ast.expr:
    """A map of these keys and values; what is left out has no key."""
    members = [pair if isinstance(pair, tuple) else (None, pair) for pair in pairs]
    return ast.Dict([key for key, _ in members], [value for _, value in members])


def _few(make: Callable[[Any], Any], items: Iterable[Any], count: int, deciding: int = 0) -> list[Any]:
    """The first items and the one that decides, and how many are left out."""
    kept = list(range(count)) if count <= _MOST_ITEMS else sorted({*range(_MOST_ITEMS - 1), deciding})
    within = list(islice(items, kept[-1] + 1)) if kept else []
    shown = []
    for index, before in zip([*kept, count], [-1, *kept], strict=True):
        if index > before + 1:
            shown.append(leaf(LeftOut(index - before - 1)))
        if index < count:
            shown.append(make(within[index]))
    return shown
