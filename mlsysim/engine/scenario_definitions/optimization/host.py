"""Scenarios about the host: what it costs to keep an accelerator busy."""

from mlsysim.engine.bibliography import CUDA_GUIDE, FERNANDEZ_2023, PASZKE_2019
from mlsysim.engine.result_types.optimization.host import HostDispatchResult
from mlsysim.engine.scenario import Input, Scenario
from mlsysim.fields import AtLeastOne, Integer, NonNegative, Positive, Time

__all__ = ["HostDispatchScenario"]


class HostDispatchScenario(Scenario[HostDispatchResult]):
    """What does the host cost when it issues a step eagerly, one operation at a time?

    Host time to dispatch the operations and launch the kernels of one step, set against the device time of that step.
    Assumes that host and device take turns. Real launches are asynchronous, so a step is closer to the larger of the
    two; this model overstates the cost while the device is the slower side.

    Source: Paszke et al. (2019), section 5.2; Fernandez et al. (2023), section 2.

    >>> step = HostDispatchScenario(ops_per_block=12, blocks=48, dispatch="10 us", launch="5 us", device_time="0.9 ms")
    >>> round(step.evaluate().overhead_ratio, 2)
    9.6
    """

    title = "Host cost of issuing an eager step"
    sources = (PASZKE_2019, FERNANDEZ_2023, CUDA_GUIDE)
    notes = (
        "Fusion lowers both counts; graph replay removes the dispatch and most of the launches.",
        "per_op_cost ignores launches_per_block.",
        "device_time is kernel time only; a wall-clock measurement already contains the host.",
    )

    ops_per_block: AtLeastOne[Integer] = Input("framework operations per block")
    blocks: AtLeastOne[Integer] = Input("blocks in the step", default=1, why="a step without repeated blocks is one")
    launches_per_block: NonNegative[Integer] | None = Input(
        "kernel launches per block; absent means one per operation", default=None
    )
    dispatch: NonNegative[Time] = Input("host time per operation before the launch", unit="us")
    launch: NonNegative[Time] = Input("host time per kernel launch", unit="us")
    device_time: Positive[Time] = Input("accelerator time of the step", unit="us")

    def evaluate(self) -> HostDispatchResult:
        operations = self.blocks * self.ops_per_block
        per_block = self.ops_per_block if self.launches_per_block is None else self.launches_per_block
        launches = self.blocks * per_block
        per_op_cost = self.dispatch + self.launch
        dispatch_time = operations * self.dispatch
        launch_time = launches * self.launch
        host_time = dispatch_time + launch_time
        overhead_ratio = host_time / self.device_time
        launch_ratio = launch_time / self.device_time
        host_share = host_time / (host_time + self.device_time)
        speedup_limit = (host_time + self.device_time) / self.device_time
        return HostDispatchResult(
            operations=operations,
            launches=launches,
            per_op_cost=per_op_cost,
            dispatch_time=dispatch_time,
            launch_time=launch_time,
            host_time=host_time,
            overhead_ratio=overhead_ratio,
            launch_ratio=launch_ratio,
            host_share=host_share,
            speedup_limit=speedup_limit,
        )
