"""Results of the scenarios about training."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Energy, Integer, Money, OperationRate, Operations, Real, Time

__all__ = ["ClusterTrainingTimeResult", "SelfContainedReplicaResult"]


class ClusterTrainingTimeResult(Result):
    """Training time, energy and rent of a run at a fixed utilization."""

    peak_rate: OperationRate = Output(
        "per-device peak rate",
        unit="TFLOP/s",
        formula="hardware.compute.peak if peak_precision is None else hardware.compute.rates[peak_precision]",
    )
    delivered_rate: OperationRate = Output(
        "rate all devices sustain together", unit="PFLOP/s", formula="n_devices * peak_rate * efficiency"
    )
    training_time: Time = Output("wall time of the run", unit="day", formula="workload.training_flops / delivered_rate")
    training_tokens: Real = Output(
        "tokens the operations pay for at 6 operations per parameter and token",
        formula=(
            "workload.training_flops / (6 * (workload.parameters if workload.active_parameters is None "
            "else workload.active_parameters))"
        ),
    )
    step_operations: Operations | None = Output(
        "operations of one step",
        unit="TFLOP",
        formula=(
            "6 * (workload.parameters if workload.active_parameters is None else "
            "workload.active_parameters) * tokens_per_step"
        ),
        defined_if="tokens_per_step is not None",
        undefined="tokens_per_step is absent",
    )
    step_time: Time | None = Output(
        "wall time of one step",
        unit="s",
        formula="step_operations / delivered_rate",
        defined_if="tokens_per_step is not None",
        undefined="tokens_per_step is absent",
    )
    steps: Real | None = Output(
        "steps in the run, not rounded",
        formula="workload.training_flops / step_operations",
        defined_if="tokens_per_step is not None",
        undefined="tokens_per_step is absent",
    )
    energy: Energy | None = Output(
        "energy if all devices draw their TDP throughout",
        unit="kWh",
        formula="n_devices * hardware.tdp * training_time",
        defined_if="hardware.tdp is not None",
        undefined="the hardware lists no TDP",
    )
    step_energy: Energy | None = Output(
        "energy of one step at TDP",
        unit="J",
        formula="n_devices * hardware.tdp * step_time",
        defined_if="hardware.tdp is not None and tokens_per_step is not None",
        undefined="tokens_per_step is absent or the hardware lists no TDP",
    )
    device_hours: Time = Output("device-hours of the run", unit="h", formula="n_devices * training_time")
    rental_cost: Money | None = Output(
        "rent for all devices over the run",
        unit="USD",
        formula="device_hours * hourly_price",
        defined_if="hourly_price is not None",
        undefined="hourly_price is absent",
    )


class SelfContainedReplicaResult(Result):
    """Smallest unsharded model replica on a cluster."""

    tensor_parallel: Integer = Output(
        "accelerators that split each layer: one node", formula="fleet.node.accelerators_per_node"
    )
    pipeline_depth: Integer = Output(
        ("fewest pipeline stages, rounded to a power of two, that leave a share small enough for one accelerator"),
        formula=(
            "min([2 ** i for i in range(64) if workload.parameters * bytes_per_param <= 2 ** i * "
            "tensor_parallel * fleet.node.accelerator.memory.capacity])"
        ),
    )
    replica_gpus: Integer = Output(
        "accelerators per replica, the step in which an elastic job grows or shrinks",
        formula="tensor_parallel * pipeline_depth",
    )
