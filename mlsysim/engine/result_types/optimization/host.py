"""Results of the scenarios about host."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Data, DataRate, Integer, Real, Text, Time

__all__ = ["HostDispatchResult", "HostInputPipelineResult"]


class HostDispatchResult(Result):
    """Host cost of issuing an eager step."""

    operations: Integer = Output("operations that the framework runs for the step", formula="blocks * ops_per_block")
    launches: Integer = Output(
        "how many kernels the step launches",
        formula="blocks * (ops_per_block if launches_per_block is None else launches_per_block)",
    )
    per_op_cost: Time = Output(
        "what an operation takes the host with exactly one launch", unit="us", formula="dispatch + launch"
    )
    dispatch_time: Time = Output("what all dispatching takes the host", unit="us", formula="operations * dispatch")
    launch_time: Time = Output("what all launching takes the host", unit="us", formula="launches * launch")
    host_time: Time = Output("dispatching and launching together", unit="us", formula="dispatch_time + launch_time")
    overhead_ratio: Real = Output("host time in multiples of device time", formula="host_time / device_time")
    launch_ratio: Real = Output("launch time in multiples of device time", formula="launch_time / device_time")
    host_share: Real = Output(
        "fraction of the step, host and device in turn, that the host takes",
        formula="host_time / (host_time + device_time)",
    )
    speedup_limit: Real = Output(
        "how many times faster the step would be without any host work",
        formula="(host_time + device_time) / device_time",
    )


class HostInputPipelineResult(Result):
    """Keeping an accelerator fed from the host."""

    batches_in_flight: Integer = Output(
        "batches that all workers together have ready", formula="workers * prefetch_factor"
    )
    raw_feed: DataRate = Output(
        "rate at which the host has to decode", unit="MB/s", formula="consume_rate * raw_sample"
    )
    batch_bytes: Data = Output("bytes that a batch sends to the device", unit="MB", formula="batch_size * model_sample")
    copy_time: Time = Output("how long the link is busy with one batch", unit="ms", formula="batch_bytes / host_link")
    device_copy_time: Time = Output(
        "how long the device's own memory would be busy with one batch",
        unit="us",
        formula="batch_bytes / device_memory",
    )
    copy_share: dict[Text, Real] = Output(
        "how many times the compute time of each step the copy takes; past 1 it is the longer of the two",
        formula="{step: copy_time / step_times[step] for step in keys(step_times)}",
    )
