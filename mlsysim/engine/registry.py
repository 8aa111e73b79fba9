"""Every scenario class by its name, in order of definition. Defining one is what registers it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mlsysim.errors import UnknownName

if TYPE_CHECKING:
    from mlsysim.engine.scenario import Scenario

_classes: dict[str, type[Scenario[Any]]] = {}
_VIEW = MappingProxyType(_classes)


def register(scenario: type[Scenario[Any]]) -> None:
    """Add a class.

    Raises:
        TypeError: the name is taken by another class.
    """
    taken = _classes.get(scenario.__name__)
    if taken is not None and taken.__module__ != scenario.__module__:
        raise TypeError(f"{scenario.__name__} is defined in {taken.__module__} and in {scenario.__module__}")
    _classes[scenario.__name__] = scenario


def unregister(name: str) -> None:
    """Take a class out again."""
    del _classes[name]


@cache
def _define_all() -> None:
    import mlsysim.engine.scenario_definitions as definitions

    definitions.load()  # defining the classes registers them


def scenario_classes() -> Mapping[str, type[Scenario[Any]]]:
    """All registered classes by name."""
    _define_all()
    return _VIEW


def scenario_class(name: str, theme: str | None = None) -> type[Scenario[Any]]:
    """The class of that name.

    Args:
        name: name of the class.
        theme: domain and theme it belongs to, as in ``optimization.speedup``; spares loading the others.

    Raises:
        UnknownName: there is none.
    """
    if theme is not None:
        importlib.import_module(f"mlsysim.engine.scenario_definitions.{theme}")
    classes = (
        scenario_classes() if theme is None else {n: c for n, c in _classes.items() if c.__module__.endswith(theme)}
    )
    if name not in classes:
        raise UnknownName("scenario class", name, classes)
    return classes[name]
