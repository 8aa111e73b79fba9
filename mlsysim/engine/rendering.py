"""Formulas for a reader, and the lines that have numbers in them: as text and as LaTeX."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache

from mlsysim.engine.formula import Formula
from mlsysim.engine.line import LeftOut, Number
from mlsysim.engine.substitution import Line

_POWER, _UNARY, _PRODUCT, _SUM, _COMPARE, _NOT, _AND, _OR = 8, 7, 6, 5, 4, 3, 2, 1
_TIGHTEST = _POWER + 1
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
_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip


def as_text(line: Line) -> str:
    """The line as text, ``60 ms + 25 ms``, and behind it what decided: ``20 ms, since 20 ms > 5 ms``."""
    writer = _Text(line.digits)
    reasons = dict.fromkeys(each if isinstance(each, str) else writer.write(each, 0) for each in line.reasons)
    since = f", since {' and '.join(reasons)}" if reasons else ""
    return writer.write(line.expression, 0) + since


def as_latex(line: Line) -> str:
    """The same as LaTeX, for math mode."""
    writer = _Latex(line.digits)
    reasons = dict.fromkeys(
        rf"\text{{{escaped(each)}}}" if isinstance(each, str) else writer.write(each, 0) for each in line.reasons
    )
    since = r"\quad\text{since } " + r" \text{ and } ".join(reasons) if reasons else ""
    return writer.write(line.expression, 0) + since


@cache
def latex(formula: Formula) -> str:
    """A formula as LaTeX, for math mode."""
    return _Latex().write(formula.tree.body, 0)


def _strength(number: Number, numeral: str) -> int:
    """How tightly a number holds together: ``1 / (8 GB/s)`` and ``64 × (2 1/s)`` want parentheses."""
    if numeral.startswith("-"):
        return _SUM
    if number.unit is None:
        return _TIGHTEST
    return _SUM if number.unit.startswith("1/") else _PRODUCT if "/" in number.unit else _UNARY


class _Text:
    """Writes an expression with numbers in it as text."""

    def __init__(self, digits: int) -> None:
        self.digits = digits

    def write(self, node: ast.expr, around: int) -> str:
        """The expression as text, in parentheses where what is `around` it binds more tightly."""
        text, strength = self._expression(node)
        return f"({text})" if strength < around else text

    def _expression(self, node: ast.expr) -> tuple[str, int]:
        match node:
            case ast.Constant(value=Number() as number):
                numeral = number.numeral(self.digits)
                return numeral if number.unit is None else f"{numeral} {number.unit}", _strength(number, numeral)
            case ast.Constant(value=LeftOut(count)):
                return f"… {count} more", _TIGHTEST
            case ast.BinOp():
                symbol, strength = _OPERATORS[type(node.op)]
                right = strength + (not isinstance(node.op, (ast.Add, ast.Mult)))
                text = self.write(node.left, strength) + symbol + self.write(node.right, right)
                return text, _SUM if isinstance(node.op, _ROUNDING) else strength
            case ast.UnaryOp(op=ast.Not()):
                return f"not {self.write(node.operand, _NOT)}", _NOT
            case ast.UnaryOp():
                return f"-{self.write(node.operand, _UNARY)}", _UNARY
            case ast.BoolOp():
                word, strength = ("and", _AND) if isinstance(node.op, ast.And) else ("or", _OR)
                return f" {word} ".join(self.write(value, strength) for value in node.values), strength
            case ast.Compare():
                terms = [self.write(term, _COMPARE + 1) for term in (node.left, *node.comparators)]
                pairs = zip(node.ops, terms[1:], strict=True)
                return terms[0] + "".join(f" {_COMPARISONS[type(op)]} {term}" for op, term in pairs), _COMPARE
            case ast.Call(func=ast.Name(name)):
                return f"{name}({self._listed(node.args)})", _TIGHTEST
            case ast.List():
                return f"[{self._listed(node.elts)}]", _TIGHTEST
            case ast.Dict():
                pairs_ = (
                    f"{self.write(key, 0)}: {self.write(value, 0)}" if key else self.write(value, 0)
                    for key, value in zip(node.keys, node.values, strict=True)
                )
                return f"{{{', '.join(pairs_)}}}", _TIGHTEST
        raise TypeError(f"{ast.dump(node)} has no place in a line")

    def _listed(self, nodes: list[ast.expr]) -> str:
        return ", ".join(self.write(node, 0) for node in nodes)


class _Latex:
    """Writes an expression, with names or with numbers in it, as LaTeX."""

    _comparisons: Mapping[type[ast.AST], str] = {
        ast.Lt: "<", ast.LtE: r"\le", ast.Gt: ">", ast.GtE: r"\ge", ast.Eq: "=", ast.NotEq: r"\ne",
        ast.Is: "=", ast.IsNot: r"\ne", ast.In: r"\in", ast.NotIn: r"\notin",
    }  # fmt: skip

    def __init__(self, digits: int = 6) -> None:
        self.digits = digits

    def write(self, node: ast.expr, around: int) -> str:
        """The expression, in parentheses where what is `around` it binds more tightly."""
        text, strength = self._expression(node)
        return rf"\left({text}\right)" if strength < around else text

    def _expression(self, node: ast.expr) -> tuple[str, int]:
        match node:
            case ast.Constant(value=Number() as number):
                return self._number(number)
            case ast.Constant(value=LeftOut(count)):
                return rf"\ldots\ \text{{{count} more}}", _TIGHTEST
            case ast.Constant(value=None):
                return r"\text{undefined}", _TIGHTEST
            case ast.Constant(value=str(text)):
                return rf"\text{{{escaped(text)}}}", _TIGHTEST
            case ast.Constant():
                return _latex_numeral(
                    f"{node.value:g}" if isinstance(node.value, float) else str(node.value)
                ), _TIGHTEST
            case ast.Name():
                return rf"\mathrm{{{escaped(node.id)}}}", _TIGHTEST
            case ast.Attribute():
                return rf"\mathrm{{{escaped(ast.unparse(node))}}}", _TIGHTEST
            case ast.Subscript():
                indices = []
                while isinstance(node, ast.Subscript):
                    indices.append(self.write(node.slice, 0))
                    node = node.value
                return rf"{self.write(node, _TIGHTEST)}_{{{', '.join(reversed(indices))}}}", _TIGHTEST
            case ast.UnaryOp(op=ast.USub(), operand=ast.BinOp(op=ast.FloorDiv(), left=ast.UnaryOp(op=ast.USub()))):
                quotient = node.operand
                top, bottom = quotient.left.operand, quotient.right  # type: ignore[attr-defined]
                return rf"\left\lceil \frac{{{self.write(top, 0)}}}{{{self.write(bottom, 0)}}} \right\rceil", _TIGHTEST
            case ast.UnaryOp(op=ast.Not()):
                return rf"\lnot {self.write(node.operand, _TIGHTEST)}", _NOT
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
                return self._cases(node), _TIGHTEST
            case ast.Call():
                return self._call(node)
            case ast.ListComp():
                return rf"\left[{self.write(node.elt, 0)} : {self._loop(node.generators)}\right]", _TIGHTEST
            case ast.DictComp():
                pair = rf"{self.write(node.key, 0)} \mapsto {self.write(node.value, 0)}"
                return rf"\left\{{{pair} : {self._loop(node.generators)}\right\}}", _TIGHTEST
            case ast.Dict():
                pairs_ = [
                    rf"{self.write(key, 0)} \mapsto {self.write(value, 0)}" if key else self.write(value, 0)
                    for key, value in zip(node.keys, node.values, strict=True)
                ]
                return rf"\left\{{{', '.join(pairs_)}\right\}}", _TIGHTEST
            case ast.List() | ast.Tuple():
                return rf"\left[{', '.join(self.write(item, 0) for item in node.elts)}\right]", _TIGHTEST
        raise TypeError(f"{ast.unparse(node)} has no LaTeX form")

    def _number(self, number: Number) -> tuple[str, int]:
        numeral = number.numeral(self.digits)
        if isinstance(number.value, bool) or not isinstance(number.value, (int, float)):
            return rf"\text{{{escaped(numeral)}}}", _TIGHTEST
        text = _latex_numeral(numeral)
        strength = min(_strength(number, numeral), _PRODUCT if "e" in numeral else _TIGHTEST)
        return text if number.unit is None else rf"{text}\,\mathrm{{{number.unit}}}", strength

    def _operation(self, node: ast.BinOp) -> tuple[str, int]:
        left, right = node.left, node.right
        match node.op:
            case ast.Div():
                return rf"\frac{{{self.write(left, 0)}}}{{{self.write(right, 0)}}}", _TIGHTEST
            case ast.FloorDiv():
                return (
                    rf"\left\lfloor \frac{{{self.write(left, 0)}}}{{{self.write(right, 0)}}} \right\rfloor",
                    _TIGHTEST,
                )
            case ast.Pow():
                return rf"{self.write(left, _TIGHTEST)}^{{{self.write(right, 0)}}}", _POWER
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
            return rf"\{name}\left({inside}\right)", _TIGHTEST
        return wrapped.get(name, rf"\operatorname{{{name}}}\left({inside}\right)"), _TIGHTEST

    def _loop(self, generators: list[ast.comprehension]) -> str:
        parts = []
        for each in generators:
            parts.append(rf"{self.write(each.target, 0)} \in {self.write(each.iter, 0)}")
            parts += [self.write(test, 0) for test in each.ifs]
        return r",\ ".join(parts)


def _latex_numeral(numeral: str) -> str:
    mantissa, exponent, power = numeral.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(power)}}}" if exponent else numeral.replace("inf", r"\infty")


_ESCAPES = {ord(mark): "\\" + mark for mark in "_%{}&#$"}
_ESCAPES |= {ord("\\"): r"\textbackslash{}", ord("~"): r"\textasciitilde{}", ord("^"): r"\textasciicircum{}"}


def escaped(text: str) -> str:
    """A text as LaTeX."""
    return text.translate(_ESCAPES)
