"""Scenarios of the optimization domain: what a change to a system is worth before anyone builds it.

One module a theme. Each is loaded when one of its classes is first asked for.
"""

from typing import TYPE_CHECKING, Any

from mlsysim.engine.themes import load_themes

if TYPE_CHECKING:
    from mlsysim.engine.scenario_definitions.optimization.compression import *
    from mlsysim.engine.scenario_definitions.optimization.edge import *
    from mlsysim.engine.scenario_definitions.optimization.energy import *
    from mlsysim.engine.scenario_definitions.optimization.growth import *
    from mlsysim.engine.scenario_definitions.optimization.host import *
    from mlsysim.engine.scenario_definitions.optimization.kernels import *
    from mlsysim.engine.scenario_definitions.optimization.requirements import *
    from mlsysim.engine.scenario_definitions.optimization.roofline import *
    from mlsysim.engine.scenario_definitions.optimization.scheduling import *
    from mlsysim.engine.scenario_definitions.optimization.serving import *
    from mlsysim.engine.scenario_definitions.optimization.speedup import *
    from mlsysim.engine.scenario_definitions.optimization.training import *


def load() -> dict[str, Any]:
    """Load every theme; the classes of all of them by name."""
    return load_themes(__name__)


def __getattr__(name: str) -> Any:
    try:
        return load()[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
