"""Results of the scenarios about roofline."""

from typing import Literal

from mlsysim.engine.result import Output, Result
from mlsysim.fields import (
    Data,
    DataRate,
    Energy,
    Flag,
    Frequency,
    Intensity,
    OperationRate,
    Real,
    Time,
)

__all__ = [
    "AcceleratorComparisonResult",
    "AcceleratorGenerationsResult",
    "RooflinePointResult",
    "SingleNodeInferenceResult",
]


class AcceleratorComparisonResult(Result):
    """One accelerator against another, peak and peak per watt."""

    peak_ratio: Real = Output(
        "candidate peak over baseline peak",
        formula=(
            "(candidate.compute.peak if precision is None else candidate.compute.rates[precision]) / "
            "(baseline.compute.peak if precision is None else baseline.compute.rates[precision])"
        ),
    )
    tdp_ratio: Real | None = Output(
        "candidate rated power over baseline rated power",
        formula="candidate.tdp / baseline.tdp",
        defined_if="candidate.tdp is not None and baseline.tdp is not None",
        undefined={
            "baseline.tdp is None": "the baseline lists no rated power",
            "candidate.tdp is None": "the candidate lists no rated power",
        },
    )
    efficiency_ratio: Real | None = Output(
        "growth in peak per watt",
        formula="peak_ratio / tdp_ratio",
        defined_if="tdp_ratio is not None",
        undefined={
            "baseline.tdp is None": "the baseline lists no rated power",
            "candidate.tdp is None": "the candidate lists no rated power",
        },
    )
    candidate_device_hours: Time | None = Output(
        "device-hours of the same job on the candidate",
        unit="h",
        formula="baseline_device_hours / peak_ratio",
        defined_if="baseline_device_hours is not None",
        undefined="no job on the baseline is given",
    )


class AcceleratorGenerationsResult(Result):
    """Compute against bandwidth over accelerator generations."""

    ridges: list[Intensity] = Output(
        "intensity at which each device turns from memory bound to compute bound",
        unit="FLOP/byte",
        formula="[device.compute.peak / device.memory.bandwidth for device in accelerators]",
    )
    compute_growth: Real = Output(
        "last peak over first peak", formula="accelerators[-1].compute.peak / accelerators[0].compute.peak"
    )
    bandwidth_growth: Real = Output(
        "last bandwidth over first bandwidth",
        formula="accelerators[-1].memory.bandwidth / accelerators[0].memory.bandwidth",
    )
    gap_growth: Real = Output(
        "how far the ridge point moved, last over first", formula="compute_growth / bandwidth_growth"
    )


class RooflinePointResult(Result):
    """A kernel on the roofline."""

    point_intensity: Intensity = Output(
        "intensity at which the kernel sits",
        unit="FLOP/byte",
        formula="intensity if intensity is not None else achieved_rate / achieved_bandwidth",
    )
    bandwidth_utilization: Real | None = Output(
        "measured part of peak memory bandwidth",
        formula="achieved_bandwidth / hardware.memory.bandwidth",
        defined_if="achieved_bandwidth is not None",
        undefined="the kernel is not measured",
    )
    peak: OperationRate = Output(
        "compute ceiling",
        unit="TFLOP/s",
        formula="hardware.compute.peak if precision is None else hardware.compute.rates[precision]",
    )
    ridge: Intensity = Output(
        "intensity at which compute and memory ceilings meet",
        unit="FLOP/byte",
        formula="peak / hardware.memory.bandwidth",
    )
    attainable: OperationRate = Output(
        "best rate at that intensity", unit="TFLOP/s", formula="min(peak, hardware.memory.bandwidth * point_intensity)"
    )
    peak_fraction: Real = Output("attainable rate as a part of the compute ceiling", formula="attainable / peak")


class SingleNodeInferenceResult(Result):
    """One inference pass on one accelerator."""

    memory_footprint: Data = Output(
        "weights at 4 (fp32, tf32), 2 (fp16, bf16), 1 (fp8, int8), or 0.5 (int4) bytes each",
        unit="MB",
        formula=(
            "workload.parameters * (4 if precision == 'fp32' or precision == 'tf32' else 2 if precision "
            "== 'fp16' or precision == 'bf16' else 0.5 if precision == 'int4' else 1)"
        ),
    )
    feasible: Flag = Output("weights fit in the main memory", formula="memory_footprint <= hardware.memory.capacity")
    offload_spill_bytes: Data | None = Output(
        "weights that do not fit",
        unit="GB",
        formula="memory_footprint - hardware.memory.capacity",
        defined_if="not feasible",
        undefined="the weights fit",
    )
    offload_effective_bw: DataRate | None = Output(
        "bandwidth charged for all traffic when weights spill to the host",
        unit="GB/s",
        formula=(
            "min(hardware.memory.bandwidth, fallback_link if hardware.host_link is None else "
            "hardware.host_link.bandwidth_per_direction)"
        ),
        defined_if="not feasible",
        undefined="the weights fit",
    )
    peak_bw_actual: DataRate = Output(
        (
            "bandwidth at which weights are read: of the host link if they spill; otherwise of the first "
            "that applies, on-chip memory that holds them, flash that is listed, main memory"
        ),
        unit="GB/s",
        formula=(
            "offload_effective_bw if not feasible else hardware.memory.sram_bandwidth if "
            "hardware.memory.sram_capacity is not None and hardware.memory.sram_bandwidth is not None and"
            " memory_footprint <= hardware.memory.sram_capacity else hardware.memory.flash_bandwidth if "
            "hardware.memory.flash_bandwidth is not None else hardware.memory.bandwidth"
        ),
    )
    peak_flops_actual: OperationRate = Output(
        (
            "efficiency times the dense rate of the format, or times the reference peak where the hardware "
            "lists none for it"
        ),
        unit="TFLOP/s",
        formula=(
            "efficiency * (hardware.compute.rates[precision] if precision in keys(hardware.compute.rates)"
            " else hardware.compute.peak)"
        ),
    )
    traffic: Data = Output(
        "bytes moved per pass", unit="MB", formula="memory_footprint * (1 + activation_fraction * batch_size)"
    )
    latency_compute: Time = Output(
        "arithmetic time", unit="ms", formula="batch_size * workload.inference_flops / peak_flops_actual"
    )
    latency_memory: Time = Output("time to move the bytes", unit="ms", formula="traffic / peak_bw_actual")
    latency_overhead: Time = Output(
        (
            "time to dispatch on the device, and software time for each layer (a model that states no layers "
            "counts as one)"
        ),
        unit="ms",
        formula="hardware.dispatch_overhead + layer_overhead * (workload.layers or 1)",
    )
    latency: Time = Output(
        "time of one pass over the whole batch",
        unit="ms",
        formula="max(latency_compute, latency_memory) + latency_overhead",
    )
    throughput: Frequency = Output("inputs per second, passes back to back", unit="1/s", formula="batch_size / latency")
    bottleneck: Literal["Compute", "Memory"] = Output(
        "the slower of the two ceilings; Compute on a tie",
        formula="'Memory' if latency_memory > latency_compute else 'Compute'",
    )
    arithmetic_intensity: Intensity = Output(
        "operations per byte of traffic", unit="FLOP/byte", formula="batch_size * workload.inference_flops / traffic"
    )
    intensity: Intensity = Output(
        "the same figure under the scenario's own name", unit="FLOP/byte", formula="arithmetic_intensity"
    )
    ridge: Intensity = Output(
        "intensity above which compute binds, after derating",
        unit="FLOP/byte",
        formula="peak_flops_actual / peak_bw_actual",
    )
    mfu: Real = Output(
        "operations per second as a part of the peak before derating",
        formula="batch_size * workload.inference_flops / latency / (peak_flops_actual / efficiency)",
    )
    hfu: Real = Output("hardware utilization; equal to mfu because inference repeats no work", formula="mfu")
    energy: Energy | None = Output(
        "energy of one pass over the whole batch",
        unit="J",
        formula="hardware.tdp * (idle_power_share + (1 - idle_power_share) * hfu) * latency",
        defined_if="hardware.tdp is not None",
        undefined="the hardware states no rated power",
    )
    overhead_dominated: Flag = Output(
        "software overhead is longer than both roofline terms",
        formula="latency_overhead > max(latency_compute, latency_memory)",
    )
