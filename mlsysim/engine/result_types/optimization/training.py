"""Results of the scenarios about training."""

from mlsysim.engine.result import Output, Result
from mlsysim.engine.result_types.optimization.host import HostDispatchResult
from mlsysim.fields import Data, Energy, Integer, Money, OperationRate, Operations, Real, Text, Time

__all__ = [
    "AcceleratorPodResult",
    "ClusterExpansionResult",
    "ClusterTrainingTimeResult",
    "JacobianResult",
    "MlpTrainingStepResult",
    "SelfContainedReplicaResult",
]


class AcceleratorPodResult(Result):
    """Aggregate peak and memory of a pod."""

    peak_flops: OperationRate = Output(
        "reference peak times the number of chips", unit="EFLOP/s", formula="pod.chips * accelerator.compute.peak"
    )
    chip_memory_total: Data = Output(
        "main memory times the number of chips", unit="TiB", formula="pod.chips * accelerator.memory.capacity"
    )


class ClusterExpansionResult(Result):
    """What a larger training cluster brings after checkpoints and failures."""

    t_write: Time = Output(
        "what saving a checkpoint takes",
        unit="s",
        formula="write_time if write_time is not None else checkpoint_bytes / write_bandwidth",
    )
    expanded_devices: Integer = Output(
        "devices after the expansion, to the nearest whole number, a tie to the even one",
        formula="round(n_devices * factor)",
    )
    mtbf: Time = Output(
        "mean time between failures of the job at its present size", unit="h", formula="component_mtbf / n_devices"
    )
    expanded_mtbf: Time = Output(
        "mean time between failures of the job once grown", unit="h", formula="component_mtbf / expanded_devices"
    )
    interval: Time = Output(
        "how often the job best saves at its present size", unit="min", formula="sqrt(2 * t_write * mtbf)"
    )
    expanded_interval: Time = Output(
        "how often the grown job best saves", unit="min", formula="sqrt(2 * t_write * expanded_mtbf)"
    )
    overhead: Real = Output(
        "part of wall time that goes into saving and into work done twice, before",
        formula="t_write / interval + interval / (2 * mtbf)",
    )
    expanded_overhead: Real = Output(
        "part of wall time that goes into saving and into work done twice, after",
        formula="t_write / expanded_interval + expanded_interval / (2 * expanded_mtbf)",
    )
    overhead_growth: Real = Output("how many times larger the overhead gets", formula="expanded_overhead / overhead")
    retained: Real = Output("share of wall time left for new work, before", formula="1 - overhead")
    expanded_retained: Real = Output("share of wall time left for new work, after", formula="1 - expanded_overhead")
    breakeven_speedup: Real = Output(
        "how much faster steps have to get for the larger job to be done as early as the smaller",
        formula="retained / expanded_retained",
    )
    superlinear_threshold: Real = Output(
        "step speedup from which the larger job takes fewer accelerator-hours too",
        formula="expanded_devices / n_devices * breakeven_speedup",
    )
    run_time_change: Real | None = Output(
        "how much longer the run takes, as a share; below zero where it gets shorter",
        formula="breakeven_speedup / step_speedup - 1",
        defined_if="step_speedup is not None",
        undefined="no step speedup is given",
    )
    accelerator_hours_change: Real | None = Output(
        "how many more accelerator-hours it takes, as a share; below zero where it takes fewer",
        formula="superlinear_threshold / step_speedup - 1",
        defined_if="step_speedup is not None",
        undefined="no step speedup is given",
    )


class ClusterTrainingTimeResult(Result):
    """Training time, energy and rent of a run at a fixed utilization."""

    peak_rate: OperationRate = Output(
        "what one device could do at most",
        unit="TFLOP/s",
        formula="hardware.compute.peak if peak_precision is None else hardware.compute.rates[peak_precision]",
    )
    delivered_rate: OperationRate = Output(
        "what all devices do together at the stated efficiency",
        unit="PFLOP/s",
        formula="n_devices * peak_rate * efficiency",
    )
    training_time: Time = Output(
        "how long the run takes on the clock", unit="day", formula="workload.training_flops / delivered_rate"
    )
    training_tokens: Real = Output(
        "how many tokens the run's operations are enough for, at 6 for each parameter and token",
        formula=(
            "workload.training_flops / (6 * (workload.parameters if workload.active_parameters is None "
            "else workload.active_parameters))"
        ),
    )
    step_operations: Operations | None = Output(
        "arithmetic that a step takes",
        unit="TFLOP",
        formula=(
            "6 * (workload.parameters if workload.active_parameters is None else "
            "workload.active_parameters) * tokens_per_step"
        ),
        defined_if="tokens_per_step is not None",
        undefined="no tokens_per_step is given",
    )
    step_time: Time | None = Output(
        "how long a step takes on the clock",
        unit="s",
        formula="step_operations / delivered_rate",
        defined_if="tokens_per_step is not None",
        undefined="no tokens_per_step is given",
    )
    steps: Real | None = Output(
        "how many steps the run has; may be a fraction",
        formula="workload.training_flops / step_operations",
        defined_if="tokens_per_step is not None",
        undefined="no tokens_per_step is given",
    )
    energy: Energy | None = Output(
        "what the devices use if each draws its TDP from start to end",
        unit="kWh",
        formula="n_devices * hardware.tdp * training_time",
        defined_if="hardware.tdp is not None",
        undefined="no rated power is known of the device",
    )
    step_energy: Energy | None = Output(
        "what the devices use for a step, each drawing its TDP",
        unit="J",
        formula="n_devices * hardware.tdp * step_time",
        defined_if="hardware.tdp is not None and tokens_per_step is not None",
        undefined={
            "tokens_per_step is None": "no tokens_per_step is given",
            "hardware.tdp is None": "no rated power is known of the device",
        },
    )
    device_hours: Time = Output("device time that the run takes", unit="h", formula="n_devices * training_time")
    rental_cost: Money | None = Output(
        "what renting all devices for the run costs",
        unit="USD",
        formula="device_hours * hourly_price",
        defined_if="hourly_price is not None",
        undefined="no hourly_price is given",
    )


class JacobianResult(Result):
    """Size of a layer's full Jacobian."""

    elements: Integer = Output(
        "how many derivatives there are, one for each pair of output and input", formula="input_width * output_width"
    )
    size: Data = Output("bytes that all derivatives take", unit="GB", formula="elements * bytes_per_value")


class MlpTrainingStepResult(Result):
    """Launch cost of training a small two-layer network eagerly."""

    op_flops: dict[Text, Operations] = Output(
        "arithmetic of each operator, by name",
        unit="MFLOP",
        formula="""{
            'matmul1': 2 * batch_size * input_width * hidden_width,
            'relu': batch_size * hidden_width,
            'matmul2': 2 * batch_size * hidden_width * output_width,
            'loss': loss_flops_per_logit * batch_size * output_width,
            'grad_w2': 2 * batch_size * hidden_width * output_width,
            'grad_h': 2 * batch_size * hidden_width * output_width,
            'grad_w1': 2 * batch_size * input_width * hidden_width,
            'relu_backward': batch_size * hidden_width,
            'loss_backward': 2 * batch_size * output_width
        }""",
    )
    op_bytes: dict[Text, Data] = Output(
        "reads and writes of each operator, by name",
        unit="kB",
        formula="""{
            'matmul1': bytes_per_value
                * (batch_size * input_width + input_width * hidden_width + batch_size * hidden_width),
            'relu': bytes_per_value * 2 * batch_size * hidden_width,
            'matmul2': bytes_per_value
                * (batch_size * hidden_width + hidden_width * output_width + batch_size * output_width),
            'loss': bytes_per_value * 2 * batch_size * output_width,
            'grad_w2': bytes_per_value
                * (batch_size * hidden_width + batch_size * output_width + hidden_width * output_width),
            'grad_h': bytes_per_value
                * (batch_size * output_width + hidden_width * output_width + batch_size * hidden_width),
            'grad_w1': bytes_per_value
                * (batch_size * input_width + batch_size * hidden_width + input_width * hidden_width),
            'relu_backward': bytes_per_value * (2 * batch_size * hidden_width + batch_size * hidden_width),
            'loss_backward': bytes_per_value * 2 * batch_size * output_width + label_bytes * batch_size
        }""",
    )
    forward_flops: Operations = Output(
        "arithmetic of all forward operators",
        unit="MFLOP",
        formula="op_flops['matmul1'] + op_flops['relu'] + op_flops['matmul2'] + op_flops['loss']",
    )
    backward_flops: Operations = Output(
        "arithmetic of all backward operators",
        unit="MFLOP",
        formula=(
            "op_flops['grad_w2'] + op_flops['grad_h'] + op_flops['grad_w1'] + op_flops['relu_backward'] "
            "+ op_flops['loss_backward']"
        ),
    )
    forward_bytes: Data = Output(
        "reads and writes of all forward operators",
        unit="kB",
        formula="op_bytes['matmul1'] + op_bytes['relu'] + op_bytes['matmul2'] + op_bytes['loss']",
    )
    backward_bytes: Data = Output(
        "reads and writes of all backward operators",
        unit="kB",
        formula=(
            "op_bytes['grad_w2'] + op_bytes['grad_h'] + op_bytes['grad_w1'] + op_bytes['relu_backward'] "
            "+ op_bytes['loss_backward']"
        ),
    )
    total_flops: Operations = Output(
        "arithmetic forward and backward, without the update of the parameters",
        unit="MFLOP",
        formula="forward_flops + backward_flops",
    )
    total_bytes: Data = Output(
        "reads and writes forward and backward, without the update of the parameters",
        unit="kB",
        formula="forward_bytes + backward_bytes",
    )
    dense_training_ratio: Real = Output(
        "matrix products of the whole step over those of the forward pass; less than 3, for no gradient "
        "of the input is needed",
        formula=(
            "(op_flops['matmul1'] + op_flops['matmul2'] + op_flops['grad_w2'] + op_flops['grad_h'] "
            "+ op_flops['grad_w1']) / (op_flops['matmul1'] + op_flops['matmul2'])"
        ),
    )
    parameters: Integer = Output(
        "how many weights and biases both layers have",
        formula="input_width * hidden_width + hidden_width + hidden_width * output_width + output_width",
    )
    optimizer_step_bytes: Data = Output(
        "reads and writes that updating all parameters takes",
        unit="MB",
        formula="parameters * optimizer_values_moved * bytes_per_value",
    )
    peak_rate: OperationRate = Output(
        "dense rate that the device lists for the format", unit="TFLOP/s", formula="hardware.compute.rates[precision]"
    )
    compute_time: Time = Output(
        "what the arithmetic takes at the dense rate", unit="us", formula="total_flops / peak_rate"
    )
    memory_time: Time = Output(
        "what the reads and writes take at full bandwidth", unit="us", formula="total_bytes / hardware.memory.bandwidth"
    )
    host: HostDispatchResult = Output(
        "what HostDispatchScenario answers for one block of forward_ops + 1 operations and forward_ops + "
        "backward_ops launches, with this dispatch and launch and a device_time of compute_time + "
        "memory_time",
        formula="""{
            'operations': forward_ops + 1,
            'launches': forward_ops + backward_ops,
            'per_op_cost': dispatch + launch,
            'dispatch_time': (forward_ops + 1) * dispatch,
            'launch_time': (forward_ops + backward_ops) * launch,
            'host_time': (forward_ops + 1) * dispatch + (forward_ops + backward_ops) * launch,
            'overhead_ratio': ((forward_ops + 1) * dispatch + (forward_ops + backward_ops) * launch)
                / (compute_time + memory_time),
            'launch_ratio': (forward_ops + backward_ops) * launch / (compute_time + memory_time),
            'host_share': ((forward_ops + 1) * dispatch + (forward_ops + backward_ops) * launch)
                / ((forward_ops + 1) * dispatch + (forward_ops + backward_ops) * launch + compute_time + memory_time),
            'speedup_limit': ((forward_ops + 1) * dispatch + (forward_ops + backward_ops) * launch + compute_time
                + memory_time) / (compute_time + memory_time)
        }""",
    )


class SelfContainedReplicaResult(Result):
    """Smallest unsharded model replica on a cluster."""

    tensor_parallel: Integer = Output(
        "into how many parts a layer is split, which is one for each accelerator of a node",
        formula="fleet.node.accelerators_per_node",
    )
    pipeline_depth: Integer = Output(
        ("smallest power of two of pipeline stages whose share of the state one accelerator can hold"),
        formula=(
            "min([2 ** i for i in range(64) if workload.parameters * bytes_per_param <= 2 ** i * "
            "tensor_parallel * fleet.node.accelerator.memory.capacity])"
        ),
    )
    replica_gpus: Integer = Output(
        "size of one copy in accelerators, and so the smallest change in size of an elastic job",
        formula="tensor_parallel * pipeline_depth",
    )
