"""Results of the optimization domain: every output with its unit, its meaning and its formula."""

from mlsysim.engine.result_types.optimization.compression import *
from mlsysim.engine.result_types.optimization.host import *
from mlsysim.engine.result_types.optimization.kernels import *
from mlsysim.engine.result_types.optimization.roofline import *
from mlsysim.engine.result_types.optimization.scheduling import *
from mlsysim.engine.result_types.optimization.serving import *
from mlsysim.engine.result_types.optimization.speedup import *
from mlsysim.engine.result_types.optimization.training import *
