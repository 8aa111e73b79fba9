"""What a reader wants to know of a scenario class or a named configuration before using it."""

from __future__ import annotations

import inspect
import json
from functools import reduce
from typing import Any

from annotated_types import MaxLen, MinLen
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from mlsysim.catalog import Entry, Source
from mlsysim.catalog.types import display_unit
from mlsysim.engine.evaluation import evaluate
from mlsysim.engine.formula import Formula
from mlsysim.engine.rendering import latex
from mlsysim.engine.result import OutputSpec
from mlsysim.engine.scenario import InputSpec, Rule, Scenario
from mlsysim.engine.scenario_catalog import NamedConfiguration, configurations
from mlsysim.engine.scenario_catalog.named import Origin
from mlsysim.errors import counted
from mlsysim.fields import Bound, Needs, OneOf, Shape, TextType, shape_of


class _Description(BaseModel):
    model_config = ConfigDict(frozen=True)


class FigureDescription(_Description):
    """A figure that a scenario reads of a catalog entry."""

    figure: str = Field(description="path within the entry, such as memory.bandwidth")
    type: str
    unit: str | None = Field(description="unit it is shown in; any other of its dimension is accepted as well")
    description: str
    needed: bool = Field(description="whether the entry has to state it for this scenario")
    bounds: list[str] = Field(description="limits of the value, quantities in SI base units")


class InputDescription(_Description):
    """One input of a scenario class."""

    name: str = Field(description="name in the request body")
    type: str = Field(
        description="what is accepted: time, data_rate, integer, map of time, catalog entry of hardware …"
    )
    unit: str | None = Field(description="unit it is shown in; any other of its dimension is accepted as well")
    description: str
    required: bool
    default: Any = Field(description="value where it is absent, as a client would write it; null if there is none")
    default_reason: str | None = Field(description="why the default is that")
    bounds: list[str] = Field(
        description="limits of the value, or of each in a list or map; quantities in SI base units"
    )
    size: list[str] = Field(description="how many items a list or map may have")
    keys: list[str] = Field(description="what each key of a map has to be")
    choices: str | None = Field(description="where its values come from, such as keys(stages)")
    figures: list[FigureDescription] = Field(description="what the scenario reads of the catalog entry")


class RuleDescription(_Description):
    """A condition over several inputs."""

    rule: str = Field(description="the condition as an expression over the inputs, in SI base units")
    at: str = Field(description="input that an error points to")
    because: str | None = Field(description="what it is for")


class OutputDescription(_Description):
    """One output of a scenario class."""

    name: str
    type: str = Field(description="time, data_rate, number, integer, map of time …")
    unit: str | None = Field(description="unit it is shown in; null for plain numbers, names and truth values")
    description: str
    formula: str | None = Field(description="expression over inputs and earlier outputs, in SI base units")
    latex: str | None = Field(description="the same as LaTeX, for math mode")
    defined_if: str | None = Field(description="condition under which it is defined; null if it always is")
    undefined: str | None = Field(description="in words, when it is null")
    algorithm: list[str] = Field(description="the steps that give it, where no formula does")


class ConfigurationLink(_Description):
    """A named configuration of a class."""

    name: str
    title: str
    link: str = Field(description="path of its description")


class ScenarioSummary(_Description):
    """A scenario class in the index."""

    name: str = Field(description="name it is evaluated by")
    title: str
    theme: str
    question: str = Field(description="the question it answers")
    link: str = Field(description="path of its description")
    configurations: list[ConfigurationLink]


class ExampleRequest(_Description):
    """A request that works, and its answer."""

    method: str
    path: str
    body: dict[str, Any]
    curl: str = Field(
        description="the same as a command; MLSYSIM_URL is where the service runs, port 8000 of this machine if not set"
    )
    answer: dict[str, Any] = Field(description="what it answers")


class ScenarioDescription(ScenarioSummary):
    """The contract of a scenario class."""

    assumptions: str = Field(description="what it assumes, where it stops being valid, and where it comes from")
    inputs: list[InputDescription]
    rules: list[RuleDescription]
    outputs: list[OutputDescription]
    sources: list[Source]
    notes: list[str] = Field(description="traps")
    example: ExampleRequest | None = Field(description="a request that works; null for a class without configurations")


class StatedInput(_Description):
    """One input of a named configuration."""

    name: str
    value: Any = Field(description="the value as a client would write it")
    origin: Origin = Field(
        description="catalog entry or a figure of one, catalog constant, or assumption of this configuration"
    )
    link: str | None = Field(
        description="path of the catalog entry or constant; null for an assumption and for a list of entries"
    )
    figure: str | None = Field(description="the figure of that entry that the value is, such as memory.bandwidth")
    why: str = Field(description="where the value comes from and why it is that")


class ConfigurationDescription(_Description):
    """A named configuration: its class and its inputs with where each comes from."""

    name: str
    title: str
    description: str
    scenario: str = Field(description="the class it configures")
    link: str = Field(description="path of this description")
    inputs: dict[str, Any] = Field(description="the inputs that a patch is merged into")
    stated: list[StatedInput] = Field(description="the same inputs, each with where it comes from")


def summarize(scenario: type[Scenario[Any]]) -> ScenarioSummary:
    """The index entry of a class."""
    return ScenarioSummary(**_summary(scenario))


def describe(scenario: type[Scenario[Any]]) -> ScenarioDescription:
    """The contract of a class."""
    named = named_configurations(scenario)
    return ScenarioDescription(
        **_summary(scenario),
        assumptions=_assumptions(scenario),
        inputs=[_describe_input(spec, scenario) for spec in scenario.inputs().values()],
        rules=[_describe_rule(rule) for rule in scenario.rules],
        outputs=[_describe_output(spec) for spec in scenario.result_type.outputs().values()],
        sources=list(scenario.sources),
        notes=list(scenario.notes),
        example=_example(scenario, named[0]) if named else None,
    )


def _example(scenario: type[Scenario[Any]], named: NamedConfiguration) -> ExampleRequest:
    path = f"/scenarios/{scenario.__name__}/evaluate"
    body = json.dumps(named.inputs, ensure_ascii=False).replace("'", "\\u0027")
    curl = f"curl -s \"${{MLSYSIM_URL:-http://localhost:8000}}{path}\" -H 'content-type: application/json' -d '{body}'"
    answer = evaluate(scenario.__name__, named.inputs).to_json()
    return ExampleRequest(method="POST", path=path, body=named.inputs, curl=curl, answer=answer)


def describe_configuration(named: NamedConfiguration) -> ConfigurationDescription:
    """A named configuration and where its inputs come from."""
    return ConfigurationDescription(
        name=named.name,
        title=named.title,
        description=named.description,
        scenario=named.scenario_class.__name__,
        link=f"/scenarios/{named.name}",
        inputs=named.inputs,
        stated=[
            StatedInput(
                name=name,
                value=value,
                origin=named.origin(name),
                link=named.link(name),
                figure=named.figures[name].figure if name in named.figures else None,
                why=named.why[name],
            )
            for name, value in named.inputs.items()
        ],
    )


def named_configurations(scenario: type[Scenario[Any]]) -> list[NamedConfiguration]:
    """The named configurations of a class, in the order of its file."""
    return [named for named in configurations().values() if named.scenario_class is scenario]


def question(scenario: type[Scenario[Any]]) -> str:
    """The question a class answers: the first sentence of its docstring."""
    return inspect.cleandoc(scenario.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


def _assumptions(scenario: type[Scenario[Any]]) -> str:
    text = inspect.cleandoc(scenario.__doc__ or "").partition("\n\n")[2].partition(">>>")[0]
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


def _summary(scenario: type[Scenario[Any]]) -> dict[str, Any]:
    return {
        "name": scenario.__name__,
        "title": scenario.title,
        "theme": scenario.theme,
        "question": question(scenario),
        "link": f"/scenarios/{scenario.__name__}",
        "configurations": [
            ConfigurationLink(name=named.name, title=named.title, link=f"/scenarios/{named.name}")
            for named in named_configurations(scenario)
        ],
    }


def type_name(shape: Shape) -> str:
    """What a shape is called in a description: ``time``, ``map of time``, ``catalog entry of hardware``."""
    if shape.item:
        return f"{shape.container} of {type_name(shape.item)}"
    if shape.type:
        return shape.type.name
    if shape.model:
        return (
            f"catalog entry of {shape.model.kind_of_entry}" if issubclass(shape.model, Entry) else shape.model.__name__
        )
    return "one of " + ", ".join(map(str, shape.annotation.__args__))


def _describe_input(spec: InputSpec, scenario: type[Scenario[Any]]) -> InputDescription:
    shape = spec.shape
    return InputDescription(
        name=spec.name,
        type=type_name(shape),
        unit=spec.unit,
        description=spec.description,
        required=spec.required,
        default=spec.default,
        default_reason=spec.why,
        bounds=_limits(shape.leaf),
        size=_limits(shape) if shape.container else [],
        keys=_limits(shape.key) if shape.key else [],
        choices=" and ".join(map(str, _choices(spec))) or None,
        figures=_figures(spec, scenario),
    )


def _limits(shape: Shape) -> list[str]:
    """The limits of one value, text, list or map, in words."""
    limits = []
    for mark in shape.metadata:
        if isinstance(mark, Bound):
            limits.append(str(mark))
        elif isinstance(mark, MinLen):
            limits.append(f"at least {counted(mark.min_length, 'item')}")
        elif isinstance(mark, MaxLen):
            limits.append(f"at most {counted(mark.max_length, 'item')}")
        elif isinstance(mark, TextType):
            limits.append(f"at most {mark.longest} characters")
        elif isinstance(mark, StringConstraints):
            limits.append(f"matches {mark.pattern}")
    return limits


def _figures(spec: InputSpec, scenario: type[Scenario[Any]]) -> list[FigureDescription]:
    """The figures an input has to state, and those that formulas, rules and choices read of it beside these."""
    entry = spec.shape.leaf.model
    if entry is None:
        return []
    needed = [path for mark in spec.shape.metadata if isinstance(mark, Needs) for path in mark.paths]
    for other in scenario.inputs().values():
        if not other.shape.optional:  # it names one of what the entry lists
            needed += [path for choice in _choices(other) for name, path in choice.figures if name == spec.name]
    read = [path for formula in _formulas(scenario) for name, path in formula.figures if name == spec.name]
    return [
        described
        for path in dict.fromkeys(needed + read)
        if (described := _describe_figure(entry, path, path in needed)) is not None
    ]


def _formulas(scenario: type[Scenario[Any]]) -> list[Formula]:
    outputs = scenario.result_type.outputs().values()
    choices = [choice for spec in scenario.inputs().values() for choice in _choices(spec)]
    stated = [formula for output in outputs for formula in (output.formula, output.defined_if) if formula]
    return stated + [rule.formula for rule in scenario.rules] + choices


def _choices(spec: InputSpec) -> list[Formula]:
    """What gives the names that an input is one of."""
    marks = (*spec.shape.metadata, *spec.shape.leaf.metadata)
    return [Formula(expression) for expression in dict.fromkeys(m.expression for m in marks if isinstance(m, OneOf))]


def _describe_figure(entry: type[BaseModel], path: str, needed: bool) -> FigureDescription | None:
    """A figure of an entry; None for a group of them, such as a link, whose figures stand for it."""
    *groups, name = path.split(".")
    owner = reduce(lambda model, group: shape_of(model.model_fields[group]).model or model, groups, entry)
    info = owner.model_fields[name]
    shape = shape_of(info)
    if shape.model:
        return None
    return FigureDescription(
        figure=path,
        type=type_name(shape),
        unit=display_unit(info),
        description=info.description or "",
        needed=needed,
        bounds=_limits(shape.leaf),
    )


def _describe_rule(rule: Rule) -> RuleDescription:
    return RuleDescription(rule=str(rule.formula), at=rule.at, because=rule.because)


def _describe_output(spec: OutputSpec) -> OutputDescription:
    return OutputDescription(
        name=spec.name,
        type=type_name(spec.shape),
        unit=spec.unit,
        description=spec.description,
        formula=str(spec.formula) if spec.formula else None,
        latex=latex(spec.formula) if spec.formula else None,
        defined_if=str(spec.defined_if) if spec.defined_if else None,
        undefined=spec.undefined,
        algorithm=list(spec.algorithm),
    )
