"""Results of the scenarios about compression."""

from typing import Annotated

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Bound, Data, Energy, Flag, Integer, Real, Time

__all__ = [
    "FrameCompressionResult",
    "QuantizationGridResult",
    "QuantizedDeploymentProfileResult",
    "SparseFlashFitResult",
    "StagedCompressionResult",
    "WorkLatencyGapResult",
]


class FrameCompressionResult(Result):
    """A pruned, quantized camera model against the frame rate."""

    frame_budget: Time = Output("time until the next frame arrives", unit="ms", formula="1 / frame_rate")
    cpu_frame: Time = Output("what one frame takes the CPU with the full model", unit="ms", formula="1 / cpu_rate")
    accelerator_frame: Time = Output(
        "what one frame takes the accelerator with the full model", unit="ms", formula="1 / accelerator_rate"
    )
    flop_fraction: Real = Output(
        "operations of the pruned model, relative to the full one",
        formula="pruned.inference_flops / full.inference_flops",
    )
    param_fraction: Real = Output(
        "parameters of the pruned model, relative to the full one", formula="pruned.parameters / full.parameters"
    )
    full_bytes: Data = Output(
        "storage for the unpruned weights as floats", unit="MB", formula="full.parameters * float_bytes"
    )
    pruned_bytes: Data = Output(
        "storage for the pruned weights as floats", unit="MB", formula="pruned.parameters * float_bytes"
    )
    pruned_int_bytes: Data = Output(
        "storage for the pruned weights as integers", unit="MB", formula="pruned.parameters * int_bytes"
    )
    pruned_cpu_frame: Time = Output(
        "what one frame takes the CPU with the pruned model, at best", unit="ms", formula="cpu_frame * flop_fraction"
    )
    pruned_accelerator_frame: Time = Output(
        "what one frame takes the accelerator with the pruned model, at best",
        unit="ms",
        formula="accelerator_frame * flop_fraction",
    )


# Of at most 32 bits.
Code = Annotated[Integer, Bound(ge=-(2**31), le=2**32 - 1)]


class QuantizationGridResult(Result):
    """Values on an integer quantization grid."""

    lo: Real = Output(
        (
            "where the range begins; on an affine grid a range that comes from the values is stretched until "
            "zero is in it"
        ),
        formula="alpha if alpha is not None else min(values) if symmetric else min(values + [0])",
    )
    hi: Real = Output(
        "where the grid ends at the top, moved to take in zero where it has to be",
        formula="beta if beta is not None else max(values) if symmetric else max(values + [0])",
    )
    qmin: Code = Output(
        "lowest code", formula="-(2 ** (bits - 1) - 1) if symmetric else -(2 ** (bits - 1)) if signed else 0"
    )
    qmax: Code = Output("highest code", formula="2 ** (bits - 1) - 1 if symmetric or signed else 2 ** bits - 1")
    steps: Code = Output("how many steps lie between qmin and qmax", formula="qmax - qmin")
    scale: Real = Output(
        "what one step is worth in real numbers",
        formula=(
            "1.0 if max(abs(lo), abs(hi)) < 1e-30 else max(abs(lo), abs(hi)) / qmax if symmetric else (hi - lo) / steps"
        ),
    )
    zero_point_exact: Real = Output(
        "how many steps zero lies above the low end, a fraction: not yet rounded, qmin not yet added",
        formula="0 if symmetric else -lo / scale",
    )
    zero_point: Code = Output("the code of zero", formula="0 if symmetric else qmin + round(zero_point_exact)")
    codes: list[Code] = Output(
        "the code that each value is stored as",
        formula="[max(qmin, min(qmax, round(x / scale) + zero_point)) for x in values]",
    )
    readback: list[Real] = Output("what each code reads back as", formula="[scale * (q - zero_point) for q in codes]")
    errors: list[Real] = Output(
        "how far each value is from what it reads back as, without sign",
        formula="[abs(readback[i] - values[i]) for i in range(len(values))]",
    )
    max_rounding_error: Real = Output("most that rounding moves a value that was not clipped", formula="scale / 2")


class QuantizedDeploymentProfileResult(Result):
    """Accepting or rejecting an INT8 model."""

    top1_drop: Real = Output(
        "percentage points of accuracy lost to integers; below zero where integers do better",
        formula="float_top1_pct - int_top1_pct",
    )
    latency_speedup: Real = Output("batch-one speedup", formula="float_latency / int_latency")
    throughput_gain: Real = Output("large-batch speedup", formula="int_throughput / float_throughput")
    float_size: Data = Output(
        "bytes of weights in floating point", unit="MB", formula="workload.parameters * float_bytes"
    )
    int_size: Data = Output("bytes of weights in integers", unit="MB", formula="workload.parameters * int_bytes")
    size_reduction: Real = Output("float size divided by integer size", formula="float_size / int_size")
    float_energy: Energy | None = Output(
        "joules that an input costs in floating point, with the rated power drawn all the time",
        unit="mJ",
        formula="hardware.tdp / float_throughput",
        defined_if="hardware.tdp is not None",
        undefined="no rated power is known of the device",
    )
    int_energy: Energy | None = Output(
        "joules that an input costs in integers, with the rated power drawn all the time",
        unit="mJ",
        formula="hardware.tdp / int_throughput",
        defined_if="hardware.tdp is not None",
        undefined="no rated power is known of the device",
    )
    energy_improvement: Real | None = Output(
        "float energy divided by integer energy",
        formula="float_energy / int_energy",
        defined_if="hardware.tdp is not None",
        undefined="no rated power is known of the device",
    )
    passes_top1: Flag = Output(
        "whether the integer model reaches the accuracy limit", formula="int_top1_pct >= top1_limit_pct"
    )
    passes_calibration: Flag = Output(
        "whether the integer model stays within the calibration limit",
        formula="int_calibration_error_pct <= calibration_error_limit_pct",
    )


class SparseFlashFitResult(Result):
    """Does a pruned model fit in flash once indices are stored."""

    dense_bytes: Data = Output("what the model takes unpruned", unit="MB", formula="workload.parameters * value_bytes")
    pruned_share: Real = Output(
        "fraction of the weights that pruning took", formula="1 - surviving_bytes / dense_bytes"
    )
    bytes_per_nonzero: Data = Output(
        "bytes for a weight together with its index", unit="byte", formula="value_bytes + index_bytes"
    )
    stored_bytes: Data = Output(
        "what the pruned model takes with all indices",
        unit="MB",
        formula="surviving_bytes * bytes_per_nonzero / value_bytes",
    )
    fits: Flag = Output(
        "whether the pruned model with its indices is within the budget", formula="stored_bytes <= flash_budget"
    )


class StagedCompressionResult(Result):
    """Prune, distill, then quantize."""

    full_bytes: Data = Output(
        "bytes of the teacher's float weights", unit="MB", formula="teacher.parameters * float_bytes"
    )
    student_float_bytes: Data = Output(
        "bytes of the student's float weights", unit="MB", formula="student_params * float_bytes"
    )
    compressed_bytes: Data = Output(
        "bytes of the student's integer weights", unit="MB", formula="student_params * int_bytes"
    )
    parameter_reduction: Real = Output(
        "how much smaller the student's parameter count is, as a share of the teacher's",
        formula="1 - student_params / teacher.parameters",
    )
    compression_ratio: Real = Output(
        "bytes of the teacher over bytes of the integer student", formula="full_bytes / compressed_bytes"
    )
    final_loss: Real = Output(
        "teacher's accuracy minus that of the integer student; below zero if accuracy rose",
        formula="baseline_accuracy - final_accuracy",
    )


class WorkLatencyGapResult(Result):
    """Cut in work against cut in latency."""

    delivered_share: Real = Output(
        "how much of the cut in work arrived as a cut in latency", formula="latency_reduction / work_reduction"
    )
