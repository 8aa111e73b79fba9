# mypy: ignore-errors
# ruff: noqa: SIM108
"""The contract of every scenario class, evaluated by itself: an oracle that shares no code with the engine.

Inputs and outputs are in SI base units (s, byte, FLOP, J, W, USD, 1/s, plain counts); catalog entries are nested
mappings.
"""

import ast
import math
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
CONTRACTS = yaml.safe_load((HERE / "optimization.yaml").read_text())

FUNCTIONS = {
    "min": min,
    "max": max,
    "sum": sum,
    "prod": math.prod,
    "len": len,
    "abs": abs,
    "round": round,
    "ceil": math.ceil,
    "floor": math.floor,
    "sqrt": math.sqrt,
    "log2": math.log2,
    "log10": math.log10,
    "all": all,
    "any": any,
    "range": range,
    "keys": lambda m: list(m),
    "values": lambda m: list(m.values()),
    "items": lambda m: list(m.items()),
}


class Record(dict):
    """A mapping whose fields read as attributes; a field that is not stated reads as None."""

    def __getattr__(self, name):
        return self.get(name)


def _record(value):
    if isinstance(value, dict):
        return Record({k: _record(v) for k, v in value.items()})
    if isinstance(value, list):
        return [_record(v) for v in value]
    return value


class _Functions(ast.NodeTransformer):
    """A name in front of a parenthesis is a function, so that an input may be called `values`."""

    def visit_Call(self, node):
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            raise ValueError(f"unknown function in {ast.unparse(node)}")
        node.func.id = "fn_" + node.func.id
        return node


def _run(text, names):
    tree = ast.fix_missing_locations(_Functions().visit(ast.parse(text, mode="eval")))
    scope = {"__builtins__": {}, **{"fn_" + k: f for k, f in FUNCTIONS.items()}, **names}
    return eval(compile(tree, text, "eval"), scope)


def _with_defaults(scenario, inputs):
    contract = CONTRACTS[scenario]
    unknown = set(inputs) - set(contract["inputs"])
    if unknown:
        raise KeyError(f"{scenario} has no input {sorted(unknown)}")
    names = {}
    for name, spec in contract["inputs"].items():
        if name in inputs:
            names[name] = _record(inputs[name])
        elif "default" in spec:
            names[name] = _record(spec["default"])
        else:
            raise KeyError(f"{scenario} needs {name}")
    return names


def _filling(capacity, bundles):
    """Progressive filling of DominantShareScenario: the order in which tenants receive bundles."""
    count = dict.fromkeys(bundles, 0)
    unit_share = {t: max(b[r] / capacity[r] for r in capacity) for t, b in bundles.items()}
    grants = []
    while True:
        for tenant in sorted(bundles, key=lambda t: (round(count[t] * unit_share[t], 12), t)):
            if all(
                sum((count[t] + (t == tenant)) * bundles[t][r] for t in bundles) <= capacity[r] * (1 + 1e-9)
                for r in capacity
            ):
                count[tenant] += 1
                grants.append(tenant)
                break
        else:
            return grants


def evaluate(scenario: str, inputs: dict) -> dict:
    """Outputs of one scenario class, in SI base units, by the contract's formulas."""
    names = _with_defaults(scenario, inputs)
    outputs = {}
    for name, spec in CONTRACTS[scenario]["outputs"].items():
        if "formula" in spec:
            value = _run(spec["formula"], names)
        else:
            value = _filling(names["capacity"], names["bundles"])
        names[name] = outputs[name] = value
    return outputs


def broken_rules(scenario: str, inputs: dict) -> list:
    """The cross-field rules that these inputs break, where the rule is written as an expression."""
    names = _with_defaults(scenario, inputs)
    broken = []
    for rule in CONTRACTS[scenario].get("rules", []):
        try:
            ast.parse(rule, mode="eval")
        except SyntaxError:
            continue  # a rule in words
        try:
            holds = _run(rule, names)
        except NameError:  # a rule over outputs
            try:
                holds = _run(rule, {**names, **evaluate(scenario, inputs)})
            except ZeroDivisionError:
                holds = False
        if not holds:
            broken.append(rule)
    return broken
