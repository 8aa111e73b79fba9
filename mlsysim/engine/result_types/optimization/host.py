"""Results of the scenarios about host."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Integer, Real, Time

__all__ = ["HostDispatchResult"]


class HostDispatchResult(Result):
    """Host cost of issuing an eager step."""

    operations: Integer = Output("operations in the step", formula="blocks * ops_per_block")
    launches: Integer = Output(
        "kernel launches in the step",
        formula="blocks * (ops_per_block if launches_per_block is None else launches_per_block)",
    )
    per_op_cost: Time = Output(
        "host time per operation if each launches a single kernel", unit="us", formula="dispatch + launch"
    )
    dispatch_time: Time = Output("host time in dispatch", unit="us", formula="operations * dispatch")
    launch_time: Time = Output("host time in launches", unit="us", formula="launches * launch")
    host_time: Time = Output("host time of the step", unit="us", formula="dispatch_time + launch_time")
    overhead_ratio: Real = Output("host time divided by device time", formula="host_time / device_time")
    launch_ratio: Real = Output("launch time divided by device time", formula="launch_time / device_time")
    host_share: Real = Output(
        "host time as a part of host and device time together", formula="host_time / (host_time + device_time)"
    )
    speedup_limit: Real = Output("gain if all host work went away", formula="(host_time + device_time) / device_time")
