"""Results of the scenarios about host."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Data, DataRate, Integer, Real, Text, Time

__all__ = ["HostDispatchResult", "HostInputPipelineResult"]


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


class HostInputPipelineResult(Result):
    """Keeping an accelerator fed from the host."""

    batches_in_flight: Integer = Output("batches the loader holds ready", formula="workers * prefetch_factor")
    raw_feed: DataRate = Output(
        "decoded bytes per second the host must deliver", unit="MB/s", formula="consume_rate * raw_sample"
    )
    batch_bytes: Data = Output("bytes of one batch of tensors", unit="MB", formula="batch_size * model_sample")
    copy_time: Time = Output("time to copy a batch over the host link", unit="ms", formula="batch_bytes / host_link")
    device_copy_time: Time = Output(
        "time to move a batch once at device memory bandwidth", unit="us", formula="batch_bytes / device_memory"
    )
    copy_share: dict[Text, Real] = Output(
        "how many times the compute time of each step the copy takes; past 1 it is the longer of the two",
        formula="{step: copy_time / step_times[step] for step in keys(step_times)}",
    )
