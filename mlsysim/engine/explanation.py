"""How an answer came about: every output with its formula and the numbers in it, every input with where it comes from.

Nothing here is typed a second time: formulas are those of the result type, which tests hold against the code; which
figures of a catalog entry were used is recorded while these formulas are evaluated.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from mlsysim.catalog import Entry, Source, catalog
from mlsysim.catalog.types import Figures
from mlsysim.engine.formula import Formula
from mlsysim.engine.rendering import as_latex, as_text, escaped, latex
from mlsysim.engine.result import OutputSpec, Result
from mlsysim.engine.scenario import InputSpec, Scenario
from mlsysim.engine.substitution import Known, substituted

InputOrigin = Literal["given", "default", "catalog", "constant", "assumption"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class UsedFigure(_Part):
    """A figure of a catalog entry that the scenario read, or a member of a map."""

    figure: str = Field(description="path of the figure within the input, such as memory.bandwidth")
    value: Any = Field(description="the figure as its source prints it, or as it was given")
    given: bool = Field(
        description="true where the request stated it, false where it is the catalog's or the configuration's"
    )
    link: str | None = Field(description="path of the catalog entry it stands in, or of the constant it is")
    source: Source | None = Field(description="where the catalog has it from")


class ExplainedInput(_Part):
    """An input and where its value comes from."""

    name: str
    description: str
    value: Any = Field(description="the value, null where it is absent")
    origin: InputOrigin = Field(
        description="stated in the request, a default, a catalog entry or constant, or assumed by the configuration"
    )
    why: str | None = Field(
        description="why a default, or an input of a named configuration as far as it was not changed, is what it is"
    )
    link: str | None = Field(description="path of the catalog entry or constant")
    figure: str | None = Field(description="the figure of that entry that the value is, such as memory.bandwidth")
    source: Source | None = Field(description="where the catalog has it from")
    figures: list[UsedFigure] = Field(
        description=(
            "of a catalog entry, the figures that were used; of a map that was changed in part, or names a constant, "
            "its members"
        )
    )


class DerivedOutput(_Part):
    """An output and how it was computed."""

    name: str
    description: str
    formula: str | None = Field(description="expression over inputs and earlier outputs, in SI base units")
    latex: str | None = Field(description="the same as LaTeX, for math mode")
    with_numbers: str | None = Field(
        description="the formula with this call's numbers and units in it, and what decided where it has a choice"
    )
    latex_with_numbers: str | None = Field(description="the same with these numbers as LaTeX, for math mode")
    algorithm: list[str] = Field(description="the steps that give it, where no formula does")
    value: Any = Field(description="the value, null where it is not defined")
    undefined: str | None = Field(description="why it is not defined, where it is not")


class Derivation(_Part):
    """How one answer came about, in order of computation."""

    scenario: str
    title: str
    inputs: list[ExplainedInput]
    outputs: list[DerivedOutput]

    def text(self) -> str:
        """The derivation for a terminal."""
        lines = [f"{self.title} ({self.scenario})", ""]
        for given in self.inputs:
            stated = "given in part" if given.origin == "given" and given.why else given.origin
            lines.append(f"{given.name} = {_as_text(given.value)}  [{stated}{_because(given)}]")
            for used in given.figures:
                elsewhere = f"  [{_cited(used.source)}]" if used.source != given.source else ""
                origin = "  [given]" if used.given else elsewhere
                lines.append(f"    {given.name}.{used.figure} = {_as_text(used.value)}{origin}")
        for output in self.outputs:
            lines += ["", f"{output.name}: {output.description}"]
            steps = (
                [output.formula, output.with_numbers, _as_text(output.value)]
                if output.formula
                else [_as_text(output.value)]
            )
            if output.undefined:
                steps = [output.formula, f"not defined: {output.undefined}"]
            lines += [f"    = {step}" for step in dict.fromkeys(steps) if step is not None]
        return "\n".join(lines)

    def latex(self) -> str:
        """The derivation as a LaTeX ``align*`` environment: each output, its formula, the numbers in it, its value."""
        rows = []
        for output in self.outputs:
            value = r"\text{undefined}" if output.undefined else rf"\text{{{escaped(_as_text(output.value))}}}"
            steps = [step for step in (output.latex, output.latex_with_numbers, value) if step]
            equal = " \\\\\n    ".join(f"&= {step}" for step in steps)
            rows.append(rf"\mathrm{{{escaped(output.name)}}} {equal}")
        return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"

    def __str__(self) -> str:
        return self.text()


def _because(given: ExplainedInput) -> str:
    reason = _cited(given.source) if given.source else given.why
    return f": {reason}" if reason else ""


def _cited(source: Source | None) -> str:
    return f"{source.title} ({source.grade})" if source else ""


def _as_text(value: Any) -> str:
    if isinstance(value, dict) and value.keys() == {"value", "unit"}:
        return f"{_as_text(value['value'])} {value['unit']}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_as_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_as_text, value)) + "]"
    return f"{value:.6g}" if isinstance(value, float) else "absent" if value is None else str(value)


def derive(scenario: Scenario[Any], result: Result, si: bool = False) -> Derivation:
    """How `result` came about from `scenario`.

    Raises:
        TypeError: an input is an array.

    Args:
        scenario: the scenario.
        result: its result.
        si: show quantities in SI base units.
    """
    if any(isinstance(value, np.ndarray) for value in scenario.__dict__.values()):
        raise TypeError("an explanation is of one answer; evaluate the array, and explain one of its points")
    used = _used_figures(scenario, result, si)
    names = {
        name: Known(getattr(scenario, name), spec.shape, None if si else spec.unit)
        for name, spec in type(scenario).inputs().items()
    }
    inputs = [_explain_input(scenario, spec, si, used.get(name, [])) for name, spec in type(scenario).inputs().items()]
    undefined = result.undefined(scenario.__dict__)
    outputs = [
        _derive_output(spec, getattr(result, name), names, undefined.get(name), si)
        for name, spec in result.outputs().items()
    ]
    return Derivation(scenario=type(scenario).__name__, title=scenario.title, inputs=inputs, outputs=outputs)


def _derive_output(
    spec: OutputSpec, value: Any, names: dict[str, Known], undefined: str | None, si: bool
) -> DerivedOutput:
    formula = spec.formula
    result = Known(value, spec.shape, None if si else spec.unit)
    line = substituted(formula, names, result, si) if formula and value is not None else None
    names[spec.name] = result
    return DerivedOutput(
        name=spec.name,
        description=spec.description,
        formula=str(formula) if formula else None,
        latex=latex(formula) if formula else None,
        with_numbers=as_text(line) if line else None,
        latex_with_numbers=as_latex(line) if line else None,
        algorithm=list(spec.algorithm),
        value=None if value is None else spec.shape.writer(spec.unit, si, rounded=not si)(value),
        undefined=undefined,
    )


def _explain_input(scenario: Scenario[Any], spec: InputSpec, si: bool, figures: list[UsedFigure]) -> ExplainedInput:
    name, held = spec.name, getattr(scenario, spec.name)
    value = None if held is None else spec.shape.writer(spec.unit, si)(held)
    given, change = scenario.given.get(name), scenario.changes.get(name)
    changed = name in scenario.changes
    in_part = changed and name in scenario.why and _in_part(given, change)
    reason = scenario.why.get(name) if in_part or not changed else None
    why = reason.text if reason else None
    figure = reason.figure if reason and not changed else None
    if isinstance(held, dict):
        members = list(_members(value, given, change if in_part else None))
        figures = members if in_part or any(member.link for member in members) else []
    origin: InputOrigin = "given" if name in scenario.model_fields_set and held is not None else "default"
    link = source = None
    constant = scenario.constant_of(name)
    if origin == "default":
        why = spec.why or "not given"
    elif constant is not None:
        origin, link, source = "constant", *_constant(constant)
    elif isinstance(held, Entry) and held.unchanged:
        origin, link, source = "catalog", f"/catalog/{held.kind_of_entry}/{held.reference}", held.source
    elif figures and not any(used.given for used in figures):
        origin = "catalog"
    elif figure is not None:
        origin, link = "catalog", figure.link
        source = catalog().entry(figure.kind, figure.key).source_of(tuple(figure.figure.split(".")))
    elif why is not None and not changed:  # a named configuration says so, and not whoever asked
        origin = "assumption"
    return ExplainedInput(
        name=name,
        description=spec.description,
        value=value,
        origin=origin,
        why=why,
        link=link,
        figure=figure.figure if figure else None,
        source=source,
        figures=figures,
    )


def _in_part(given: Any, change: Any) -> bool:
    """Whether a change left something of an input as the configuration has it."""
    if not isinstance(given, dict) or not isinstance(change, dict) or given.keys() == {"value", "unit"}:
        return False
    return any(key not in change or _in_part(part, change[key]) for key, part in given.items())


def _members(value: Any, given: Any, change: Any, path: tuple[str, ...] = ()) -> Iterator[UsedFigure]:
    """The members of a map, or of the maps in it. Those of which nothing is in the change are not given by it."""
    if isinstance(value, dict) and value.keys() != {"value", "unit"}:
        for key, item in value.items():
            part = change.get(key, {}) if isinstance(change, dict) else change
            yield from _members(item, given.get(key) if isinstance(given, dict) else None, part, (*path, key))
    else:
        constant = given["ref"] if isinstance(given, dict) and "ref" in given else None
        link, source = _constant(constant) if constant else (None, None)
        stated = change != {} and not constant
        yield UsedFigure(figure=".".join(path), value=value, given=stated, link=link, source=source)


def _constant(key: str) -> tuple[str, Source | None]:
    """The path and the source of a constant of the catalog."""
    return f"/catalog/constants/{key}", catalog().entry("constants", key).source


def _used_figures(scenario: Scenario[Any], result: Result, si: bool) -> dict[str, list[UsedFigure]]:
    """The figures of catalog entries that the formulas of the outputs read for these inputs, by input.

    A formula reads only the branches it takes. The code may read more, where it works for arrays as well.
    """
    log: dict[str, dict[str, UsedFigure]] = {}
    recorded: dict[str, Any] = {}
    for name in type(scenario).inputs():
        held = getattr(scenario, name)
        if isinstance(held, Entry):
            recorded[name] = _Recorder(held, held, (), (), log.setdefault(name, {}), si)
        elif isinstance(held, list) and held and isinstance(held[0], Entry):
            into = log.setdefault(name, {})
            recorded[name] = [_Recorder(each, each, (str(i),), (), into, si) for i, each in enumerate(held)]
    if recorded:
        names = {**scenario.__dict__, **recorded}
        plain = {_PLAIN + name: scenario.__dict__[name] for name in recorded}
        for name, spec in result.outputs().items():
            names[name] = value = getattr(result, name)
            for formula in (spec.defined_if, None if value is None else spec.formula):
                if formula is not None:
                    _tracked(str(formula), frozenset(recorded)).evaluate({**plain, **names})
    return {name: list(figures.values()) for name, figures in log.items()}


_PLAIN = "plain_"


@cache
def _tracked(formula: str, entries: frozenset[str]) -> Formula:
    """The formula with its entries taken plainly where it asks only whether they state a figure."""
    return Formula(ast.unparse(_PresenceIsNoUse(entries).visit(ast.parse(formula, mode="eval"))))


class _PresenceIsNoUse(ast.NodeTransformer):
    def __init__(self, entries: frozenset[str]) -> None:
        self.entries = entries

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            for name in ast.walk(node.left):
                if isinstance(name, ast.Name) and name.id in self.entries:
                    name.id = _PLAIN + name.id
            return node
        return self.generic_visit(node)


class _Recorder:
    """A catalog entry, or a group of its figures, that notes which figures are read."""

    def __init__(
        self,
        part: Figures,
        entry: Entry,
        path: tuple[str, ...],
        within: tuple[str, ...],
        log: dict[str, UsedFigure],
        si: bool,
    ) -> None:
        self._part, self._entry, self._path, self._within, self._log, self._si = part, entry, path, within, log, si

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._part, name)
        path, within = (*self._path, name), (*self._within, name)
        if isinstance(value, Entry):
            return _Recorder(value, value, path, (), self._log, self._si)
        if isinstance(value, Figures):
            return _Recorder(value, self._entry, path, within, self._log, self._si)
        if isinstance(value, dict):
            return _RecordedMap(value, lambda key: self._note((*path, key), (*within, key)))
        if value is not None and name in type(self._part).model_fields:
            self._note(path, within)
        return value

    def _note(self, path: tuple[str, ...], within: tuple[str, ...]) -> None:
        figure = ".".join(path)
        if figure in self._log:
            return
        entry = self._entry
        given = entry.states(within) and (len(within) > 1 or within[0] in entry.model_fields_set)
        known = catalog().entry(entry.kind_of_entry, entry.reference) if entry.reference and not given else entry
        if known is not entry and _at(known.figures(si=True), within) != _at(entry.figures(si=True), within):
            given, known = True, entry  # derived from a figure that was given
        key = None if given else entry.reference
        stated = _document(entry.kind_of_entry, key) if key else entry.written()
        value = None if self._si else _at(stated, within)
        if value is None or (
            isinstance(value, dict) and "ref" in value
        ):  # has a default, is derived from others, or is a constant
            value = _at(entry.figures(self._si), within)
        self._log[figure] = UsedFigure(
            figure=figure,
            value=value,
            given=given,
            link=f"/catalog/{entry.kind_of_entry}/{key}" if key else None,
            source=None if given else known.source_of(within),
        )


@cache
def _document(kind: str, key: str) -> dict[str, Any]:
    """A catalog entry as its source prints it."""
    return catalog().document(kind, key)


def _at(document: Any, path: tuple[str, ...]) -> Any:
    """What stands at a path of a document, or None."""
    for part in path:
        document = document.get(part) if isinstance(document, dict) else None
    return document


class _RecordedMap(dict[str, Any]):
    """A map of figures that notes which are read."""

    def __init__(self, figures: dict[str, Any], note: Any) -> None:
        super().__init__(figures)
        self._note = note

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        self._note(key)
        return value

    def get(self, key: str, default: Any = None) -> Any:
        """The figure of that key, or the default."""
        return self[key] if key in self else default  # noqa: SIM401 (the lookup is what takes note)
