"""Results of the optimization domain: every output with its unit, its meaning and its formula.

One module a theme. Each is loaded when one of its classes is first asked for.
"""

from typing import TYPE_CHECKING, Any

from mlsysim.engine.themes import load_themes

if TYPE_CHECKING:
    from mlsysim.engine.result_types.optimization.compression import *
    from mlsysim.engine.result_types.optimization.edge import *
    from mlsysim.engine.result_types.optimization.energy import *
    from mlsysim.engine.result_types.optimization.growth import *
    from mlsysim.engine.result_types.optimization.host import *
    from mlsysim.engine.result_types.optimization.kernels import *
    from mlsysim.engine.result_types.optimization.requirements import *
    from mlsysim.engine.result_types.optimization.roofline import *
    from mlsysim.engine.result_types.optimization.scheduling import *
    from mlsysim.engine.result_types.optimization.serving import *
    from mlsysim.engine.result_types.optimization.speedup import *
    from mlsysim.engine.result_types.optimization.training import *


def load() -> dict[str, Any]:
    """Load every theme; the classes of all of them by name."""
    return load_themes(__name__)


def __getattr__(name: str) -> Any:
    try:
        return load()[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
