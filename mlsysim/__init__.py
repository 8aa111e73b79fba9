"""First-principles answers about machine-learning systems, each with its units and its sources.

>>> from mlsysim import Scenarios
>>> round(Scenarios.ModelSpeedupRequestPath.evaluate().overall_speedup, 3)
1.3
"""

from mlsysim.engine.evaluation import Evaluation, evaluate
from mlsysim.engine.scenario_catalog import Scenarios

__version__ = "0.1.0"

__all__ = ["Evaluation", "Scenarios", "__version__", "evaluate"]
