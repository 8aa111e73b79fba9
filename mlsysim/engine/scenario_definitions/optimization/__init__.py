"""Scenarios of the optimization domain: what a change to a system is worth before anyone builds it."""

from mlsysim.engine.scenario_definitions.optimization.compression import *
from mlsysim.engine.scenario_definitions.optimization.host import *
from mlsysim.engine.scenario_definitions.optimization.kernels import *
from mlsysim.engine.scenario_definitions.optimization.roofline import *
from mlsysim.engine.scenario_definitions.optimization.scheduling import *
from mlsysim.engine.scenario_definitions.optimization.serving import *
from mlsysim.engine.scenario_definitions.optimization.speedup import *
from mlsysim.engine.scenario_definitions.optimization.training import *
