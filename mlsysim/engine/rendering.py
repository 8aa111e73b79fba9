"""Formulas for a reader: with the numbers of one evaluation in them, and as LaTeX."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from mlsysim.catalog.types import Figures, display_unit
from mlsysim.engine.formula import Formula
from mlsysim.fields import QuantityType, RateType, Shape, shape_of, unit_of_rate
from mlsysim.units import unit as unit_of
from mlsysim.units.vocabulary import BILLING_YEAR, DAY, HOUR, YEAR

_MOST_ITEMS = 8
_LARGEST_PLAIN = 1e15
# A formula with one of these converts units itself, so its quantities have to be in base units.
_SECONDS = {HOUR, DAY, YEAR, BILLING_YEAR}


class Known(NamedTuple):
    """A name of a formula: its value, its shape, and the unit it is shown in."""

    value: Any
    shape: Shape | None = None
    unit: str | None = None


def with_numbers(formula: Formula, names: Mapping[str, Known], si: bool = False) -> str:
    """The formula with the values of its names in it, in display units: ``60 ms + 25 ms``.

    Of a conditional the branch that was taken is shown, and behind the whole why: ``20 ms, since 20 ms > 5 ms``. A
    comprehension is written out.
    """
    writer = _Numbers(names, si=si or _converts(formula))
    text = writer.write(formula.tree.body, 0)
    return f"{text}, since {' and '.join(dict.fromkeys(writer.reasons))}" if writer.reasons else text


def _converts(formula: Formula) -> bool:
    return any(isinstance(node, ast.Constant) and node.value in _SECONDS for node in ast.walk(formula.tree))


_POWER, _UNARY, _PRODUCT, _SUM, _COMPARE, _NOT, _AND, _OR = 8, 7, 6, 5, 4, 3, 2, 1
_OPERATORS: dict[type[ast.AST], tuple[str, int]] = {
    ast.Add: (" + ", _SUM),
    ast.Sub: (" - ", _SUM),
    ast.Mult: (" × ", _PRODUCT),
    ast.Div: (" / ", _PRODUCT),
    ast.FloorDiv: (" // ", _PRODUCT),
    ast.Mod: (" mod ", _PRODUCT),
    ast.Pow: ("^", _POWER),
}
_ROUNDING = (ast.FloorDiv, ast.Mod)  # a factor beside these is not the same before and after: in parentheses
_OPPOSITES: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn,
}  # fmt: skip
_OPPOSITES |= {opposite: comparison for comparison, opposite in _OPPOSITES.items()}
_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


class _Numbers:
    """Writes an expression with its values, for one set of names."""

    def __init__(self, names: Mapping[str, Known], si: bool) -> None:
        self.names = names
        self.values = {name: known.value for name, known in names.items()}
        self.si = si
        self.reasons: list[str] = []

    def write(self, node: ast.expr, around: int) -> str:
        """The expression as text, in parentheses where what is `around` it binds more tightly."""
        text, strength = self._expression(node)
        return f"({text})" if strength < around else text

    def _expression(self, node: ast.expr) -> tuple[str, int]:
        tightest = _POWER + 1
        match node:
            case ast.Constant():
                return _plain(node.value), tightest
            case ast.BinOp():
                symbol, strength = _OPERATORS[type(node.op)]
                right = strength + (not isinstance(node.op, (ast.Add, ast.Mult)))
                text = self.write(node.left, strength) + symbol + self.write(node.right, right)
                return text, _SUM if isinstance(node.op, _ROUNDING) else strength
            case ast.UnaryOp(op=ast.Not()):
                return f"not {self.write(node.operand, _NOT)}", _NOT
            case ast.UnaryOp():
                return f"-{self.write(node.operand, _UNARY)}", _UNARY
            case ast.IfExp():
                holds = bool(self._value(node.test))
                self._note(node.test, holds)
                return self._expression(node.body if holds else node.orelse)
            case ast.BoolOp(op=ast.Or()) if not isinstance(self._value(node), bool):  # a value with its stand-in
                *tried, last = node.values
                for value in tried:
                    if self._value(value):
                        return self._expression(value)
                    self.reasons.append(f"{ast.unparse(value)} is {self._state(value)}")
                return self._expression(last)
            case ast.BoolOp():
                word, strength = ("and", _AND) if isinstance(node.op, ast.And) else ("or", _OR)
                return f" {word} ".join(self.write(value, strength) for value in node.values), strength
            case ast.Compare():
                terms = [self.write(term, _COMPARE + 1) for term in (node.left, *node.comparators)]
                pairs = zip(node.ops, terms[1:], strict=True)
                return terms[0] + "".join(f" {_COMPARISONS[type(op)]} {term}" for op, term in pairs), _COMPARE
            case ast.Call():
                return self._call(node)
            case ast.ListComp() | ast.List():
                return f"[{', '.join(self._items(node))}]", tightest
            case ast.DictComp() | ast.Dict():
                return f"{{{', '.join(self._pairs(node))}}}", tightest
        text = self._known(node)
        return text, _SUM if text.startswith("-") else tightest

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
                symbol = _COMPARISONS[type(comparison) if holds else _OPPOSITES[type(comparison)]]
                left, right = (self.write(term, _COMPARE + 1) for term in (test.left, test.comparators[0]))
                self.reasons.append(f"{left} {symbol} {right}")
            case _:
                self.reasons.append(f"{ast.unparse(test)} is {str(holds).lower()}")

    def _state(self, node: ast.expr) -> str:
        value = self._value(node)
        return "not stated" if value is None else "0" if value == 0 else "stated"

    def _call(self, node: ast.Call) -> tuple[str, int]:
        name = node.func.id  # type: ignore[attr-defined]
        joined = {"sum": (" + ", _SUM), "prod": (" × ", _PRODUCT)}.get(name)
        argument = node.args[0]
        if joined and (isinstance(argument, (ast.ListComp, ast.List)) or self._is_values(argument)):
            items = self._items(argument)
            return joined[0].join(items) if items else "0", joined[1] if len(items) > 1 else _POWER + 1
        if name in ("len", "keys", "values", "items", "range"):
            return _plain(self._value(node)), _POWER + 1
        return f"{name}({', '.join(self.write(each, 0) for each in node.args)})", _POWER + 1

    def _is_values(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and node.func.id == "values"  # type: ignore[attr-defined]

    def _items(self, node: ast.expr) -> list[str]:
        if isinstance(node, ast.List):
            return [self.write(item, _SUM) for item in node.elts]
        if isinstance(node, ast.ListComp):
            return _first(inner.write(node.elt, _SUM) for inner in self._each(node.generators))
        shape, unit = self._shape(node.args[0])  # type: ignore[attr-defined]
        item = shape.item if shape else None
        return _first(self._shown(value, item, unit) for value in self._value(node))

    def _pairs(self, node: ast.DictComp | ast.Dict) -> list[str]:
        if isinstance(node, ast.Dict):
            keys = [self.write(key, 0) for key in node.keys if key is not None]
            return _few([f"{key}: {self.write(value, 0)}" for key, value in zip(keys, node.values, strict=True)])
        each = self._each(node.generators)
        return _first(f"{inner.write(node.key, 0)}: {inner.write(node.value, 0)}" for inner in each)

    def _each(self, generators: list[ast.comprehension]) -> Iterator[_Numbers]:
        """This writer once for each turn of a comprehension, with the loop's names known."""
        first, *others = generators
        shapes = self._loop_shapes(first.iter)
        for item in self._value(first.iter):
            targets = first.target.elts if isinstance(first.target, ast.Tuple) else [first.target]
            values = item if isinstance(first.target, ast.Tuple) else [item]
            loop = {
                target.id: Known(value, shape, unit)  # type: ignore[attr-defined]
                for target, value, (shape, unit) in zip(targets, values, shapes, strict=True)
            }
            inner = _Numbers({**self.names, **loop}, self.si)
            if all(inner._value(test) for test in first.ifs):
                yield from inner._each(others) if others else [inner]

    def _loop_shapes(self, node: ast.expr) -> list[tuple[Shape | None, str | None]]:
        nothing = (None, None)
        if isinstance(node, ast.Call):
            name = node.func.id  # type: ignore[attr-defined]
            if name in ("values", "items"):
                shape, unit = self._shape(node.args[0])
                item = (shape.item if shape else None, unit)
                return [item] if name == "values" else [nothing, item]
            return [nothing]
        shape, unit = self._shape(node)
        return [(shape.item if shape else None, unit)]

    def _known(self, node: ast.expr) -> str:
        """A name, a figure of a catalog entry or an item of a map, as its value."""
        shape, unit = self._shape(node)
        return self._shown(self._value(node), shape, unit)

    def _shape(self, node: ast.expr) -> tuple[Shape | None, str | None]:
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
        return None, None

    def _value(self, node: ast.expr) -> Any:
        return Formula(ast.unparse(node)).evaluate(self.values)

    def _shown(self, value: Any, shape: Shape | None, unit: str | None) -> str:
        if isinstance(value, dict):
            return (
                "{"
                + ", ".join(_few([f"{k}: {self._shown(v, shape and shape.item, unit)}" for k, v in value.items()]))
                + "}"
            )
        if isinstance(value, list):
            return "[" + ", ".join(_first(self._shown(item, shape and shape.item, unit) for item in value)) + "]"
        kind = shape.type if shape else None
        if value is not None and isinstance(kind, QuantityType):
            return quantity(value, kind.dimension.si if self.si or unit is None else unit)
        if value is not None and isinstance(kind, RateType):
            return quantity(value, unit_of_rate(value, self.si))
        return _plain(value)


_MOST_DIGITS = 10


def quantity(value: float, unit: str) -> str:
    """A quantity in base units as a reader would write it, in that unit."""
    return f"{_plain(unit_of(unit).from_si(value))} {unit}"


def _plain(value: Any) -> str:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        if value.is_integer() and abs(value) < _LARGEST_PLAIN:
            return str(int(value))
        written = f"{value:.15g}"  # a number of few digits is one that somebody wrote, and is shown as written
        return written if sum(map(str.isdigit, written.partition("e")[0])) <= _MOST_DIGITS else f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_first(_plain(item) for item in value)) + "]"
    return str(getattr(value, "label", value))


def _first(items: Iterable[str]) -> list[str]:
    """The first items, written out no further than they are shown."""
    shown = list(islice(items, _MOST_ITEMS + 1))
    return shown if len(shown) <= _MOST_ITEMS else [*shown[:_MOST_ITEMS], "…"]


def _few(items: list[str]) -> list[str]:
    return items if len(items) <= _MOST_ITEMS else [*items[: _MOST_ITEMS - 1], "…", items[-1]]


def latex(formula: Formula) -> str:
    """The formula as LaTeX, for math mode."""
    return _Latex().write(formula.tree.body, 0)


class _Latex:
    """Writes an expression as LaTeX."""

    _comparisons: Mapping[type[ast.AST], str] = {
        ast.Lt: "<", ast.LtE: r"\le", ast.Gt: ">", ast.GtE: r"\ge", ast.Eq: "=", ast.NotEq: r"\ne",
        ast.Is: "=", ast.IsNot: r"\ne", ast.In: r"\in", ast.NotIn: r"\notin",
    }  # fmt: skip

    def write(self, node: ast.expr, around: int) -> str:
        """The expression, in parentheses where what is `around` it binds more tightly."""
        text, strength = self._expression(node)
        return rf"\left({text}\right)" if strength < around else text

    def _expression(self, node: ast.expr) -> tuple[str, int]:
        tightest = _POWER + 1
        match node:
            case ast.Constant(value=None):
                return r"\text{undefined}", tightest
            case ast.Constant(value=str(text)):
                return rf"\text{{{_escaped(text)}}}", tightest
            case ast.Constant():
                return _latex_number(node.value), tightest
            case ast.Name():
                return rf"\mathrm{{{_escaped(node.id)}}}", tightest
            case ast.Attribute():
                return rf"\mathrm{{{_escaped(ast.unparse(node))}}}", tightest
            case ast.Subscript():
                indices = []
                while isinstance(node, ast.Subscript):
                    indices.append(self.write(node.slice, 0))
                    node = node.value
                return rf"{self.write(node, tightest)}_{{{', '.join(reversed(indices))}}}", tightest
            case ast.UnaryOp(op=ast.USub(), operand=ast.BinOp(op=ast.FloorDiv(), left=ast.UnaryOp(op=ast.USub()))):
                quotient = node.operand
                top, bottom = quotient.left.operand, quotient.right  # type: ignore[attr-defined]
                return rf"\left\lceil \frac{{{self.write(top, 0)}}}{{{self.write(bottom, 0)}}} \right\rceil", tightest
            case ast.UnaryOp(op=ast.Not()):
                return rf"\lnot {self.write(node.operand, tightest)}", _NOT
            case ast.UnaryOp():
                return f"-{self.write(node.operand, _UNARY)}", _UNARY
            case ast.BinOp():
                return self._operation(node)
            case ast.BoolOp():
                word, strength = (r"\land", _AND) if isinstance(node.op, ast.And) else (r"\lor", _OR)
                return f" {word} ".join(self.write(value, strength) for value in node.values), strength
            case ast.Compare():
                terms = [self.write(term, _COMPARE + 1) for term in (node.left, *node.comparators)]
                pairs = zip(node.ops, terms[1:], strict=True)
                return terms[0] + "".join(f" {self._comparisons[type(op)]} {term}" for op, term in pairs), _COMPARE
            case ast.IfExp():
                return self._cases(node), tightest
            case ast.Call():
                return self._call(node)
            case ast.ListComp():
                return rf"\left[{self.write(node.elt, 0)} : {self._loop(node.generators)}\right]", tightest
            case ast.DictComp():
                pair = rf"{self.write(node.key, 0)} \mapsto {self.write(node.value, 0)}"
                return rf"\left\{{{pair} : {self._loop(node.generators)}\right\}}", tightest
            case ast.Dict():
                pairs_ = [
                    rf"{self.write(key, 0)} \mapsto {self.write(value, 0)}"
                    for key, value in zip(node.keys, node.values, strict=True)
                    if key is not None
                ]
                return rf"\left\{{{', '.join(pairs_)}\right\}}", tightest
            case ast.List() | ast.Tuple():
                return rf"\left[{', '.join(self.write(item, 0) for item in node.elts)}\right]", tightest
        raise TypeError(f"{ast.unparse(node)} has no LaTeX form")

    def _operation(self, node: ast.BinOp) -> tuple[str, int]:
        left, right = node.left, node.right
        match node.op:
            case ast.Div():
                return rf"\frac{{{self.write(left, 0)}}}{{{self.write(right, 0)}}}", _POWER + 1
            case ast.FloorDiv():
                return (
                    rf"\left\lfloor \frac{{{self.write(left, 0)}}}{{{self.write(right, 0)}}} \right\rfloor",
                    _POWER + 1,
                )
            case ast.Pow():
                return rf"{self.write(left, _POWER + 1)}^{{{self.write(right, 0)}}}", _POWER
            case ast.Mod():
                return rf"{self.write(left, _PRODUCT)} \bmod {self.write(right, _PRODUCT + 1)}", _SUM
            case ast.Mult():
                return rf"{self.write(left, _PRODUCT)} \cdot {self.write(right, _PRODUCT)}", _PRODUCT
            case ast.Sub():
                return f"{self.write(left, _SUM)} - {self.write(right, _SUM + 1)}", _SUM
        return f"{self.write(left, _SUM)} + {self.write(right, _SUM)}", _SUM

    def _cases(self, node: ast.IfExp) -> str:
        rows, otherwise = [], node
        while isinstance(otherwise, ast.IfExp):
            rows.append(rf"{self.write(otherwise.body, 0)} & \text{{if }} {self.write(otherwise.test, 0)}")
            otherwise = otherwise.orelse  # type: ignore[assignment]
        rows.append(rf"{self.write(otherwise, 0)} & \text{{otherwise}}")
        return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"

    def _call(self, node: ast.Call) -> tuple[str, int]:
        name, argument = node.func.id, node.args[0]  # type: ignore[attr-defined]
        tightest = _POWER + 1
        if name in ("sum", "prod"):
            sign = r"\sum" if name == "sum" else r"\prod"
            if isinstance(argument, ast.ListComp):
                return rf"{sign}_{{{self._loop(argument.generators)}}} {self.write(argument.elt, _PRODUCT)}", _SUM
            return rf"{sign} {self.write(argument, _PRODUCT)}", _SUM
        inside = ", ".join(self.write(each, 0) for each in node.args)
        wrapped = {
            "sqrt": rf"\sqrt{{{inside}}}",
            "abs": rf"\left|{inside}\right|",
            "len": rf"\left|{inside}\right|",
            "ceil": rf"\left\lceil {inside} \right\rceil",
            "floor": rf"\left\lfloor {inside} \right\rfloor",
            "log2": rf"\log_2\left({inside}\right)",
            "log10": rf"\log_{{10}}\left({inside}\right)",
            "values": inside,
            "keys": inside,
            "items": inside,
        }
        if name in ("min", "max"):
            return rf"\{name}\left({inside}\right)", tightest
        return wrapped.get(name, rf"\operatorname{{{name}}}\left({inside}\right)"), tightest

    def _loop(self, generators: list[ast.comprehension]) -> str:
        parts = []
        for each in generators:
            parts.append(rf"{self.write(each.target, 0)} \in {self.write(each.iter, 0)}")
            parts += [self.write(test, 0) for test in each.ifs]
        return r",\ ".join(parts)


def _latex_number(value: Any) -> str:
    text = str(value) if isinstance(value, (int, bool)) else f"{value:g}"
    mantissa, exponent, power = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(power)}}}" if exponent else text


def _escaped(text: str) -> str:
    return text.replace("_", r"\_").replace("%", r"\%").replace("#", r"\#")
