"""Code, formula and contract agree where a comparison meets, a division comes out even or candidates change places.

Each class is asked about numbers so round that this happens, and a watch on its formulas sees to it that it did.
"""

from __future__ import annotations

import ast
import copy
import operator
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

import pytest
from pydantic import ValidationError

from mlsysim.engine.description import named_configurations
from mlsysim.engine.formula import FUNCTIONS, Formula
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.scenario import Scenario
from tests.agreement import same
from tests.contract import oracle
from tests.round_numbers import round_scenarios
from tests.strategies import plain

CLASSES = [scenario for name, scenario in scenario_classes().items() if name in oracle.CONTRACTS]
every_class = pytest.mark.parametrize("scenario", CLASSES, ids=lambda scenario: scenario.__name__)

# Cases that round numbers miss: changes to the inputs of the first named configuration.
BY_HAND: dict[str, list[dict[str, Any]]] = {
    "QuantizationGridScenario": [
        {"values": [1e-30], "alpha": None, "beta": None},
        {"values": [-1], "alpha": 0, "beta": None, "symmetric": False},
    ],
    "IronLawScenario": [
        dict.fromkeys(("data_volume", "bandwidth", "operations", "effective_rate"))
        | {"overhead": "0 s", "memory_time_stated": memory_time, "compute_time_stated": compute_time}
        for memory_time, compute_time in (("0 s", "0 s"), ("0 s", "1 s"), ("1 s", "0 s"))
    ],
    "WakeWordFleetScenario": [{"queries_per_day": 86_400, "query_audio": "1 s"}],
    "ClusterExpansionScenario": [
        {
            **{"checkpoint_bytes": None, "write_bandwidth": None, "write_time": "1 s"},
            **{"component_mtbf": "2 s", "n_devices": 1, "factor": 1},
        }
    ],
    "MatmulTileScenario": [
        {
            **{"m": 8, "n": 8, "k": 8, "tile_m": 2, "tile_n": 2, "tile_k": 2, "cells": 2, "double_buffered": False},
            **{"operand_bytes": "1 B", "accumulator_bytes": "2 B", "capacity": "16 B"},
        }
    ],
    "DominantShareScenario": [
        {"capacity": {"gpu": 1}, "bundles": {"one": {"gpu": 0.5}, "another": {"gpu": 0.5}}},
        {"capacity": {"gpu": 1}, "bundles": {"at the tolerance": {"gpu": 1 + 1e-9}}},
        {"capacity": {"cpu": 1, "gpu": 1}, "bundles": {"the first within tolerance": {"cpu": 1 - 1e-12, "gpu": 1}}},
        {"capacity": {"cpu": 100_000}, "bundles": {"the smallest": {"cpu": 1}}},
    ],
    "GrowthGapScenario": [
        {"compute_doubling_period": "31557.6 s", "bandwidth_growth": 0, "horizon": "1 s"},
        {"compute_doubling_period": "1 year", "bandwidth_growth": 0, "horizon": "1000 year"},
    ],
    "SelfContainedReplicaScenario": [
        {
            "workload": {"parameters": 2**63},
            "fleet": {"node": {"accelerators_per_node": 1, "accelerator": {"memory": {"capacity": "1 B"}}}},
            "bytes_per_param": "1 B",
        }
    ],
}
# What does not happen, and why.
UNSEEN = {
    # A million grants would take the contract's own filling, which looks at every tenant for each, minutes.
    "min(len(capacity) / min([max([bundles[t][r] / capacity[r] for r in keys(capacity)]) for t in keys(bundles)]), "
    "sum([1 / max([bundles[t][r] / capacity[r] for r in keys(capacity)]) for t in keys(bundles)])) <= 1000000: equal",
}
# Classes some rule of which the contract states in words only.
IN_WORDS = {
    "AmdahlScenario",
    "ClusterExpansionScenario",
    "DominantShareScenario",
    "ExpertWeightTrafficScenario",
    "IronLawScenario",
    "IterationBudgetScenario",
    "LateConstraintScenario",
}


@every_class
def test_code_formula_and_contract_agree_where_comparisons_meet(scenario: type[Scenario[Any]]) -> None:
    watch = Watch()
    for drawn in cases(scenario, 100):
        result = drawn.evaluate()
        by_contract = oracle.evaluate(scenario.__name__, plain(drawn.__dict__))
        names: dict[str, Any] = dict(drawn.__dict__)
        for name, output in scenario.result_type.outputs().items():
            value = names[name] = getattr(result, name)
            assert same(value, by_contract[name]), (name, value, by_contract[name], drawn)
            defined = output.defined_if is None or watch.evaluate(output.defined_if, names)
            if output.formula is not None:
                by_formula = watch.evaluate(output.formula, names) if defined else None
                assert same(value, by_formula), (name, value, by_formula, drawn)
    assert watch.unseen() <= UNSEEN


@pytest.mark.parametrize(
    "scenario",
    [scenario for scenario in CLASSES if scenario.rules or "rules" in oracle.CONTRACTS[scenario.__name__]],
    ids=lambda scenario: scenario.__name__,
)
def test_the_rules_are_those_of_the_contract_to_the_limit(
    scenario: type[Scenario[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch()
    rules = scenario.rules
    monkeypatch.setattr(scenario, "rules", ())
    for drawn in cases(scenario, 300):
        kept = all(watch.evaluate(rule.formula, drawn.__dict__) for rule in rules)
        if kept or scenario.__name__ not in IN_WORDS:
            broken = oracle.broken_rules(scenario.__name__, plain(drawn.__dict__))
            assert kept == (not broken), (broken, drawn)
    assert watch.unseen() <= UNSEEN


def cases(scenario: type[Scenario[Any]], count: int) -> list[Scenario[Any]]:
    """The cases by hand that the rules allow, and scenarios of round numbers."""
    found = list(round_scenarios(scenario, count, tries=40 * count))
    stated = named_configurations(scenario)[0].inputs
    for changes in BY_HAND.get(scenario.__name__, []):
        with suppress(ValidationError):
            found.append(scenario.model_validate(stated | changes))
    return found


class Watch(ast.NodeTransformer):
    """Evaluates formulas and notes how each comparison, rounding and choice came out."""

    comparisons: ClassVar[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
        ast.Lt: operator.lt,
        ast.LtE: operator.le,
        ast.Gt: operator.gt,
        ast.GtE: operator.ge,
    }

    def __init__(self) -> None:
        self._calls: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {}
        self._seen: dict[str, set[str]] = defaultdict(set)
        self._compiled: dict[str, Any] = {}

    def evaluate(self, formula: Formula, names: dict[str, Any]) -> Any:
        """The value of the formula, for single values."""
        if formula.text not in self._compiled:
            tree = ast.fix_missing_locations(self.visit(copy.deepcopy(formula.tree)))
            self._compiled[formula.text] = compile(tree, formula.text, "eval")
        return eval(self._compiled[formula.text], {**FUNCTIONS, "_watched": self._watched, **names})

    def unseen(self) -> set[str]:
        """What did not happen: ``slot < limit: equal``."""
        return {
            f"{text}: {outcome}"
            for text, (_, outcomes) in self._calls.items()
            for outcome in outcomes
            if outcome not in self._seen[text]
        }

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        function = self.comparisons.get(type(node.ops[0]))
        if function is None:
            return self.generic_visit(node)
        return self._watch(node, [node.left, *node.comparators], function, ("equal", "apart"))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id  # type: ignore[attr-defined]
        if name in ("ceil", "floor"):
            return self._watch(node, node.args, FUNCTIONS[name], ("whole", "between"))
        if name == "round":
            return self._watch(node, node.args, FUNCTIONS[name], ("whole", "between", "tie"))
        if name in ("min", "max") and len(node.args) > 1:
            alone = tuple(f"{ast.unparse(argument)} alone" for argument in node.args)
            return self._watch(node, node.args, FUNCTIONS[name], alone)
        return self.generic_visit(node)

    def _watch(
        self, node: ast.expr, arguments: list[ast.expr], function: Callable[..., Any], outcomes: tuple[str, ...]
    ) -> ast.AST:
        text = ast.unparse(node)
        self._calls[text] = function, outcomes
        watched = [self.visit(argument) for argument in arguments]
        return ast.Call(ast.Name("_watched", ast.Load()), [ast.Constant(text), *watched], [])

    def _watched(self, text: str, *arguments: Any) -> Any:
        function, outcomes = self._calls[text]
        value = function(*arguments)
        if function in self.comparisons.values():
            outcome = "equal" if arguments[0] == arguments[1] else "apart"
        elif len(arguments) == 1:
            outcome = {0: "whole", 0.5: "tie"}.get(arguments[0] % 1, "between")
        else:
            outcome = outcomes[arguments.index(value)] if arguments.count(value) == 1 else "several"
        self._seen[text].add(outcome)
        return value
