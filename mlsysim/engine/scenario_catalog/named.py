"""Named configurations: ``catalog/scenarios/<domain>/<theme>/<ScenarioClass>.yaml``, loaded when first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mlsysim.catalog.loader import DIRECTORY, catalog, merge_patch, read_yaml
from mlsysim.catalog.types import Entry, FigureReference, printed
from mlsysim.engine.registry import scenario_class, scenario_classes
from mlsysim.engine.result import Result
from mlsysim.engine.scenario import Reason, Scenario
from mlsysim.errors import CatalogError, UnknownName, input_errors

if TYPE_CHECKING:
    from mlsysim.engine.explanation import Derivation

Origin = Literal["catalog", "constant", "assumption"]


class _File(BaseModel):
    """What a YAML file states of one configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(min_length=1, max_length=80)
    description: str = Field(min_length=1)
    inputs: dict[str, Any]
    why: dict[str, str]


@dataclass(frozen=True)
class NamedConfiguration:
    """A scenario class with all its inputs stated.

    Attributes:
        name: the name it is evaluated by.
        scenario_class: the class it configures.
        title, description: what situation it is, in plain words.
        inputs: the inputs as JSON, quantities as value and unit, catalog entries by key.
        why: for each input, where its value comes from and why it is that.
        figures: where in the catalog the inputs stand that are a figure of it.
    """

    name: str
    scenario_class: type[Scenario[Any]]
    title: str
    description: str
    inputs: dict[str, Any]
    why: dict[str, str]
    figures: dict[str, FigureReference]

    @cached_property
    def reasons(self) -> dict[str, Reason]:
        """For each input why it is what it is, with the figure of the catalog that it is."""
        return {name: Reason(text, self.figures.get(name)) for name, text in self.why.items()}

    @cached_property
    def scenario(self) -> Scenario[Any]:
        """The scenario as it stands."""
        return self.scenario_class.model_validate(self.inputs).because(self.reasons, {})

    def evaluate(self) -> Result:
        """The result as it stands."""
        return self.scenario.evaluate()  # type: ignore[no-any-return]

    def explain(self, si: bool = False) -> Derivation:
        """How the answer comes about, with why each input is what it is."""
        return self.scenario.explain(si)

    def variant(self, **changes: Any) -> Scenario[Any]:
        """The scenario with some inputs changed, merged into those stated as by JSON Merge Patch (RFC 7396).

        Raises:
            pydantic.ValidationError: a change is no valid input.
        """
        return self.scenario_class.model_validate(merge_patch(self.inputs, changes)).because(self.reasons, changes)

    def origin(self, name: str) -> Origin:
        """Where an input comes from: an entry of the catalog or a figure of one, a constant, or an assumption."""
        if name in self.figures:
            return "catalog"
        given = self.inputs[name]
        leaf = self.scenario_class.inputs()[name].shape.leaf
        if leaf.model is not None and issubclass(leaf.model, Entry):
            return "catalog"
        return "constant" if isinstance(given, dict) and given.keys() == {"ref"} else "assumption"

    def link(self, name: str) -> str | None:
        """Path of the catalog entry or constant that an input comes from; None for an assumption and for a list."""
        if name in self.figures:
            return self.figures[name].link
        given = self.inputs[name]
        key = given.get("ref") if isinstance(given, dict) else given
        entry = self.scenario_class.inputs()[name].shape.model
        kind = entry.kind_of_entry if entry and issubclass(entry, Entry) else "constants"
        return f"/catalog/{kind}/{key}" if isinstance(key, str) and self.origin(name) != "assumption" else None


@cache
def configurations() -> Mapping[str, NamedConfiguration]:
    """All named configurations by name, checked.

    Raises:
        CatalogError: one of them is not valid.
    """
    return MappingProxyType(load_configurations(DIRECTORY))


def load_configurations(directory: Path) -> dict[str, NamedConfiguration]:
    """The named configurations below a catalog directory.

    Raises:
        CatalogError: a file is named after no class, or a configuration leaves an input or its reason unstated, or its
            inputs are not valid.
    """
    found: dict[str, NamedConfiguration] = {}
    for path in sorted((directory / "scenarios").rglob("*.yaml")):
        for name, named in _load_file(path).items():
            if name in found or name in scenario_classes():
                raise CatalogError(f"{path.name}: {name}: the name is taken")
            found[name] = _checked(named, path)
    return found


def _checked(named: NamedConfiguration, path: Path) -> NamedConfiguration:
    try:
        _ = named.scenario
    except ValidationError as error:
        reasons = "; ".join(found.message for found in input_errors(error))
        raise CatalogError(f"{path.name}: {named.name}: {reasons}") from None
    return named


@cache
def _load_file(path: Path) -> dict[str, NamedConfiguration]:
    """The named configurations of one class."""
    theme = ".".join(path.parts[-3:-1])
    found: dict[str, NamedConfiguration] = {}
    for file, name, value in read_yaml(path):
        where = f"{file.name}: {name}"
        try:
            found[name] = _configuration(scenario_class(file.stem, theme), name, _File.model_validate(value), where)
        except (UnknownName, ModuleNotFoundError) as error:
            raise CatalogError(f"{file.name}: {error}") from None
        except ValidationError as error:
            reasons = "; ".join(found.message for found in input_errors(error))
            raise CatalogError(f"{where}: {reasons}") from None
    return found


def _configuration(scenario: type[Scenario[Any]], name: str, stated: _File, where: str) -> NamedConfiguration:
    unexplained = stated.inputs.keys() ^ {given for given, reason in stated.why.items() if reason.strip()}
    if unexplained:
        raise CatalogError(f"{where}: {sorted(unexplained)} has a value without a reason, or a reason without a value")
    figures = {
        given: FigureReference(*parts)
        for given, value in stated.inputs.items()
        if isinstance(value, dict) and value.keys() == {"ref"} and len(parts := str(value["ref"]).split(".", 2)) == 3
    }
    try:
        taken = {given: catalog().figure(reference) for given, reference in figures.items()}
    except (UnknownName, CatalogError) as error:
        raise CatalogError(f"{where}: {error}") from None
    inputs = printed(scenario, stated.inputs) | taken
    return NamedConfiguration(name, scenario, stated.title, stated.description, inputs, stated.why, figures)


@cache
def configuration(name: str) -> NamedConfiguration:
    """The configuration of that name.

    Raises:
        UnknownName: there is none.
    """
    for path in sorted((DIRECTORY / "scenarios").rglob("*.yaml")) if name.isidentifier() else ():
        if f"\n{name}:" in "\n" + path.read_text():
            return _load_file(path)[name]
    raise UnknownName("named configuration", name, configurations())


class _Scenarios:
    """The named configurations as attributes: ``Scenarios.ModelSpeedupRequestPath``."""

    def __getattr__(self, name: str) -> NamedConfiguration:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return configuration(name)
        except UnknownName as error:
            raise AttributeError(str(error)) from None

    def __dir__(self) -> list[str]:
        return list(configurations())


Scenarios = _Scenarios()
