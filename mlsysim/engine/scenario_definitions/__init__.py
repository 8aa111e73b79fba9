"""What each scenario asks for and how it computes its answer, by domain and theme."""

from mlsysim.engine.scenario_definitions import optimization

__all__ = ["optimization"]
