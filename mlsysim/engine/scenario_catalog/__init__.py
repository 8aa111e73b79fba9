"""The named configurations: a scenario class with all its inputs stated, each with where it comes from.

>>> from mlsysim import Scenarios
>>> round(Scenarios.ModelSpeedupRequestPath.variant(speedup=10).evaluate().overall_speedup, 3)
1.453
"""

from mlsysim.engine.scenario_catalog.named import NamedConfiguration, Scenarios, configuration, configurations

__all__ = ["NamedConfiguration", "Scenarios", "configuration", "configurations"]
