"""Loading the modules of a domain, one for each theme."""

import importlib
import pkgutil
from functools import cache
from typing import Any


@cache
def load_themes(package: str) -> dict[str, Any]:
    """What every module of a package exports, by name."""
    path = importlib.import_module(package).__path__
    modules = [importlib.import_module(f"{package}.{found.name}") for found in pkgutil.iter_modules(path)]
    return {name: getattr(module, name) for module in modules for name in module.__all__}
