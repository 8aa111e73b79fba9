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

    frame_budget: Time = Output("time between frames", unit="ms", formula="1 / frame_rate")
    cpu_frame: Time = Output("time per frame of the full model on the CPU", unit="ms", formula="1 / cpu_rate")
    accelerator_frame: Time = Output(
        "time per frame of the full model on the accelerator", unit="ms", formula="1 / accelerator_rate"
    )
    flop_fraction: Real = Output(
        "share of operations left after pruning", formula="pruned.inference_flops / full.inference_flops"
    )
    param_fraction: Real = Output(
        "share of parameters left after pruning", formula="pruned.parameters / full.parameters"
    )
    full_bytes: Data = Output(
        "size of the full model in floating point", unit="MB", formula="full.parameters * float_bytes"
    )
    pruned_bytes: Data = Output(
        "size of the pruned model in floating point", unit="MB", formula="pruned.parameters * float_bytes"
    )
    pruned_int_bytes: Data = Output(
        "size of the pruned model in integers", unit="MB", formula="pruned.parameters * int_bytes"
    )
    pruned_cpu_frame: Time = Output(
        "least time per frame of the pruned model on the CPU", unit="ms", formula="cpu_frame * flop_fraction"
    )
    pruned_accelerator_frame: Time = Output(
        "least time per frame of the pruned model on the accelerator",
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
        "upper end of the range used, widened in the same way",
        formula="beta if beta is not None else max(values) if symmetric else max(values + [0])",
    )
    qmin: Code = Output(
        "lowest code", formula="-(2 ** (bits - 1) - 1) if symmetric else -(2 ** (bits - 1)) if signed else 0"
    )
    qmax: Code = Output("highest code", formula="2 ** (bits - 1) - 1 if symmetric or signed else 2 ** bits - 1")
    steps: Code = Output("gaps between the lowest and the highest code", formula="qmax - qmin")
    scale: Real = Output(
        "real-valued distance between neighboring codes",
        formula=(
            "1.0 if max(abs(lo), abs(hi)) < 1e-30 else max(abs(lo), abs(hi)) / qmax if symmetric else (hi - lo) / steps"
        ),
    )
    zero_point_exact: Real = Output(
        "steps from the lower end to zero, before rounding and before the shift by qmin",
        formula="0 if symmetric else -lo / scale",
    )
    zero_point: Code = Output("code that stands for zero", formula="0 if symmetric else qmin + round(zero_point_exact)")
    codes: list[Code] = Output(
        "stored code of each value", formula="[max(qmin, min(qmax, round(x / scale) + zero_point)) for x in values]"
    )
    readback: list[Real] = Output(
        "real value each code stands for", formula="[scale * (q - zero_point) for q in codes]"
    )
    errors: list[Real] = Output(
        "distance between each value and its read-back",
        formula="[abs(readback[i] - values[i]) for i in range(len(values))]",
    )
    max_rounding_error: Real = Output("largest error of a value inside the range", formula="scale / 2")


class QuantizedDeploymentProfileResult(Result):
    """Accepting or rejecting an INT8 model."""

    top1_drop: Real = Output(
        "accuracy given up, in percentage points; negative if the integer model is better",
        formula="float_top1_pct - int_top1_pct",
    )
    latency_speedup: Real = Output("batch-one speedup", formula="float_latency / int_latency")
    throughput_gain: Real = Output("large-batch speedup", formula="int_throughput / float_throughput")
    float_size: Data = Output("stored size of the float model", unit="MB", formula="workload.parameters * float_bytes")
    int_size: Data = Output("stored size of the integer model", unit="MB", formula="workload.parameters * int_bytes")
    size_reduction: Real = Output("how many times smaller the integer model is", formula="float_size / int_size")
    float_energy: Energy | None = Output(
        "energy per input of the float model at rated power",
        unit="mJ",
        formula="hardware.tdp / float_throughput",
        defined_if="hardware.tdp is not None",
        undefined="the hardware states no rated power",
    )
    int_energy: Energy | None = Output(
        "energy per input of the integer model at rated power",
        unit="mJ",
        formula="hardware.tdp / int_throughput",
        defined_if="hardware.tdp is not None",
        undefined="the hardware states no rated power",
    )
    energy_improvement: Real | None = Output(
        "how many times less energy per input",
        formula="float_energy / int_energy",
        defined_if="hardware.tdp is not None",
        undefined="the hardware states no rated power",
    )
    passes_top1: Flag = Output("accuracy is acceptable", formula="int_top1_pct >= top1_limit_pct")
    passes_calibration: Flag = Output(
        "calibration error is acceptable", formula="int_calibration_error_pct <= calibration_error_limit_pct"
    )


class SparseFlashFitResult(Result):
    """Does a pruned model fit in flash once indices are stored."""

    dense_bytes: Data = Output("size before pruning", unit="MB", formula="workload.parameters * value_bytes")
    pruned_share: Real = Output("part of the values removed", formula="1 - surviving_bytes / dense_bytes")
    bytes_per_nonzero: Data = Output(
        "stored cost of one surviving value", unit="byte", formula="value_bytes + index_bytes"
    )
    stored_bytes: Data = Output(
        "size with indices", unit="MB", formula="surviving_bytes * bytes_per_nonzero / value_bytes"
    )
    fits: Flag = Output("stored model is within the budget", formula="stored_bytes <= flash_budget")


class StagedCompressionResult(Result):
    """Prune, distill, then quantize."""

    full_bytes: Data = Output("teacher as floats", unit="MB", formula="teacher.parameters * float_bytes")
    student_float_bytes: Data = Output("student as floats", unit="MB", formula="student_params * float_bytes")
    compressed_bytes: Data = Output("student as integers", unit="MB", formula="student_params * int_bytes")
    parameter_reduction: Real = Output(
        "part of the parameters removed", formula="1 - student_params / teacher.parameters"
    )
    compression_ratio: Real = Output(
        "how many times smaller the final model is", formula="full_bytes / compressed_bytes"
    )
    final_loss: Real = Output(
        "accuracy given up over all stages; negative if the final model is better",
        formula="baseline_accuracy - final_accuracy",
    )


class WorkLatencyGapResult(Result):
    """Cut in work against cut in latency."""

    delivered_share: Real = Output("latency cut per unit of work cut", formula="latency_reduction / work_reduction")
