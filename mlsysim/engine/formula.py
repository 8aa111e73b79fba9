"""Formulas as a reader would write them: Python expressions over the names of a scenario's inputs and outputs.

They may use arithmetic, comparisons, ``and or not``, ``a if c else b``, comprehensions, subscripts, attributes of
catalog entries, and the functions of `FUNCTIONS`; nothing else. All numbers are in SI base units.
"""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from mlsysim.engine import arithmetic

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": arithmetic.minimum,
    "max": arithmetic.maximum,
    "sum": sum,
    "prod": math.prod,
    "len": len,
    "abs": abs,
    "round": arithmetic.nearest,
    "ceil": arithmetic.ceil,
    "floor": arithmetic.floor,
    "sqrt": arithmetic.sqrt,
    "log2": arithmetic.log2,
    "log10": arithmetic.log10,
    "all": all,
    "any": any,
    "range": range,
    "keys": list,
    "values": lambda mapping: list(mapping.values()),
    "items": lambda mapping: list(mapping.items()),
    "kind": lambda rate: rate.dimension.name,
}

_ALLOWED = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Name, ast.Load, ast.Store,
    ast.Constant, ast.Attribute, ast.Subscript, ast.List, ast.Dict, ast.Tuple, ast.ListComp, ast.DictComp,
    ast.comprehension, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip


class Formula:
    """An expression, parsed, checked and compiled once, on first use."""

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.split())

    @cached_property
    def tree(self) -> ast.Expression:
        """The parsed expression.

        Raises:
            ValueError: the text is no expression of the formula language.
        """
        tree = ast.parse(self.text, mode="eval")
        for node in ast.walk(tree):
            if not isinstance(node, _ALLOWED):
                raise ValueError(f"{self.text}: {type(node).__name__} has no place in a formula")
            if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
                raise ValueError(f"{self.text}: {node.attr} is private")
            if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS):
                raise ValueError(f"{self.text}: {ast.unparse(node.func)} is no function of the formula language")
        return tree

    def __str__(self) -> str:
        return self.text

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names the formula reads, in order of appearance, without functions and without its own loop variables."""
        called = {id(node.func) for node in ast.walk(self.tree) if isinstance(node, ast.Call)}
        names = [node for node in ast.walk(self.tree) if isinstance(node, ast.Name) and id(node) not in called]
        bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        read = sorted((node for node in names if node.id not in bound), key=lambda node: node.col_offset)
        return tuple(dict.fromkeys(node.id for node in read))

    @cached_property
    def figures(self) -> tuple[tuple[str, str], ...]:
        """What it reads of catalog entries: the name of each and the path within it, in order of appearance.

        ``device.memory.bandwidth for device in accelerators`` reads ``("accelerators", "memory.bandwidth")``.
        """
        nodes = list(ast.walk(self.tree))
        drawn_from = {
            loop.target.id: loop.iter
            for loop in nodes
            if isinstance(loop, ast.comprehension) and isinstance(loop.target, ast.Name)
        }
        attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
        within = {id(node.value) for node in attributes}
        found = []
        for whole in sorted(attributes, key=lambda node: node.end_col_offset or 0):
            if id(whole) in within:
                continue
            path: list[str] = []
            node: ast.expr = whole
            while not isinstance(node, ast.Name) or node.id in drawn_from:
                if isinstance(node, ast.Attribute):
                    path.insert(0, node.attr)
                node = drawn_from[node.id] if isinstance(node, ast.Name) else node.value  # type: ignore[attr-defined]
            found.append((node.id, ".".join(path)))
        return tuple(dict.fromkeys(found))

    @cached_property
    def evaluate(self) -> Callable[[Mapping[str, Any]], Any]:
        """The formula as a function: its value where the names are these numbers, or arrays.

        Raises:
            KeyError: a name that it comes to is missing.
        """
        parameters = ast.arguments([], [ast.arg(_NAMES)], None, [], [], None, [])
        body = _Compiled(self.names).visit(copy.deepcopy(self.tree)).body
        tree = ast.fix_missing_locations(ast.Expression(ast.Lambda(parameters, body)))
        return eval(compile(tree, self.text, "eval"), _SCOPE)  # type: ignore[no-any-return]


_NAMES = "_names"


class _Compiled(ast.NodeTransformer):
    """Rewrites what Python decides by truth value into calls that also decide element by element.

    A name is looked up in the mapping, and a function called by a name of its own, so that an input may be called
    ``values``.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.names:
            return node
        return ast.Subscript(ast.Name(_NAMES, ast.Load()), ast.Constant(node.id), ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id  # type: ignore[attr-defined]
        return _call("fn_" + name, *(self.visit(argument) for argument in node.args))

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return _call("_if", node.test, _lazy(node.body), _lazy(node.orelse))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        name = "_and" if isinstance(node.op, ast.And) else "_or"
        return _call(name, *(_lazy(value) for value in node.values))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        terms = [node.left, *node.comparators]
        pairs = zip(terms, node.ops, terms[1:], strict=False)
        return _call("_and", *(_lazy(ast.Compare(left, [op], [right])) for left, op, right in pairs))


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _lazy(body: ast.expr) -> ast.Lambda:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def _if(test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    if not isinstance(test, np.ndarray):
        return then() if test else otherwise()
    with np.errstate(all="ignore"):
        first, second = (np.nan if value is None else value for value in (then(), otherwise()))
    return np.where(test, first, second)


def _and(*values: Callable[[], Any]) -> Any:
    met: Any = True
    for value in values:
        found = value()
        if isinstance(found, np.ndarray) or isinstance(met, np.ndarray):
            met = np.logical_and(met, found)
        elif not found:
            return found
        else:
            met = found
    return met


def _or(*values: Callable[[], Any]) -> Any:
    met: Any = False
    for value in values:
        found = value()
        if (isinstance(found, np.ndarray) and found.dtype == bool) or isinstance(met, np.ndarray):
            met = np.logical_or(met, found)
        elif isinstance(found, np.ndarray) or found:
            return found
        else:
            met = found
    return met


_SCOPE = {
    "__builtins__": {},
    "_if": _if,
    "_and": _and,
    "_or": _or,
    **{"fn_" + name: function for name, function in FUNCTIONS.items()},
}
