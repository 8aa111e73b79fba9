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
        "how many times higher the candidate's peak is",
        formula=(
            "(candidate.compute.peak if precision is None else candidate.compute.rates[precision]) / "
            "(baseline.compute.peak if precision is None else baseline.compute.rates[precision])"
        ),
    )
    tdp_ratio: Real | None = Output(
        "how many times more power the candidate is rated for",
        formula="candidate.tdp / baseline.tdp",
        defined_if="candidate.tdp is not None and baseline.tdp is not None",
        undefined={
            "baseline.tdp is None": "the baseline lists no rated power",
            "candidate.tdp is None": "the candidate lists no rated power",
        },
    )
    efficiency_ratio: Real | None = Output(
        "how many times more peak the candidate has for each rated watt",
        formula="peak_ratio / tdp_ratio",
        defined_if="tdp_ratio is not None",
        undefined={
            "baseline.tdp is None": "the baseline lists no rated power",
            "candidate.tdp is None": "the candidate lists no rated power",
        },
    )
    candidate_device_hours: Time | None = Output(
        "device time that the job takes on the candidate",
        unit="h",
        formula="baseline_device_hours / peak_ratio",
        defined_if="baseline_device_hours is not None",
        undefined="no job on the baseline is given",
    )


class AcceleratorGenerationsResult(Result):
    """Compute against bandwidth over accelerator generations."""

    ridges: list[Intensity] = Output(
        "for each device, the intensity from which arithmetic rather than memory sets its limit",
        unit="FLOP/byte",
        formula="[device.compute.peak / device.memory.bandwidth for device in accelerators]",
    )
    compute_growth: Real = Output(
        "how many times higher the peak of the last device is than that of the first",
        formula="accelerators[-1].compute.peak / accelerators[0].compute.peak",
    )
    bandwidth_growth: Real = Output(
        "how many times higher the bandwidth of the last device is than that of the first",
        formula="accelerators[-1].memory.bandwidth / accelerators[0].memory.bandwidth",
    )
    gap_growth: Real = Output(
        "how many times higher the last ridge point is than the first", formula="compute_growth / bandwidth_growth"
    )


class RooflinePointResult(Result):
    """A kernel on the roofline."""

    point_intensity: Intensity = Output(
        "where the kernel stands on the horizontal axis of the roofline",
        unit="FLOP/byte",
        formula="intensity if intensity is not None else achieved_rate / achieved_bandwidth",
    )
    bandwidth_utilization: Real | None = Output(
        "measured traffic relative to the device's bandwidth",
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
        "intensity of the corner, where both ceilings allow the same rate",
        unit="FLOP/byte",
        formula="peak / hardware.memory.bandwidth",
    )
    attainable: OperationRate = Output(
        "the lower of both ceilings at the kernel's intensity",
        unit="TFLOP/s",
        formula="min(peak, hardware.memory.bandwidth * point_intensity)",
    )
    peak_fraction: Real = Output(
        "how close to the compute ceiling the kernel can come at best", formula="attainable / peak"
    )


class SingleNodeInferenceResult(Result):
    """One inference pass on one accelerator."""

    memory_footprint: Data = Output(
        "size of the weights; one takes 4 bytes in fp32 and tf32, 2 in fp16 and bf16, 1 in fp8 and int8, 0.5 in int4",
        unit="MB",
        formula=(
            "workload.parameters * (4 if precision == 'fp32' or precision == 'tf32' else 2 if precision "
            "== 'fp16' or precision == 'bf16' else 0.5 if precision == 'int4' else 1)"
        ),
    )
    feasible: Flag = Output(
        "whether main memory holds all weights", formula="memory_footprint <= hardware.memory.capacity"
    )
    offload_spill_bytes: Data | None = Output(
        "weights beyond main memory",
        unit="GB",
        formula="memory_footprint - hardware.memory.capacity",
        defined_if="not feasible",
        undefined="the weights fit",
    )
    offload_effective_bw: DataRate | None = Output(
        "rate at which everything moves once weights lie on the host",
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
        "bytes moved in a pass: the weights once, and activations for each input",
        unit="MB",
        formula="memory_footprint * (1 + activation_fraction * batch_size)",
    )
    latency_compute: Time = Output(
        "arithmetic time", unit="ms", formula="batch_size * workload.inference_flops / peak_flops_actual"
    )
    latency_memory: Time = Output("what moving the traffic takes", unit="ms", formula="traffic / peak_bw_actual")
    latency_overhead: Time = Output(
        (
            "time to dispatch on the device, and software time for each layer (a model that states no layers "
            "counts as one)"
        ),
        unit="ms",
        formula="hardware.dispatch_overhead + layer_overhead * (workload.layers or 1)",
    )
    latency: Time = Output(
        "what a pass takes from start to end",
        unit="ms",
        formula="max(latency_compute, latency_memory) + latency_overhead",
    )
    throughput: Frequency = Output(
        "inputs per second if one pass follows the other", unit="1/s", formula="batch_size / latency"
    )
    bottleneck: Literal["Compute", "Memory"] = Output(
        "which ceiling takes longer; Compute if neither does",
        formula="'Memory' if latency_memory > latency_compute else 'Compute'",
    )
    arithmetic_intensity: Intensity = Output(
        "arithmetic for each byte of traffic",
        unit="FLOP/byte",
        formula="batch_size * workload.inference_flops / traffic",
    )
    intensity: Intensity = Output(
        "arithmetic_intensity once more, by the short name", unit="FLOP/byte", formula="arithmetic_intensity"
    )
    ridge: Intensity = Output(
        "intensity from which arithmetic takes longer than traffic, at the rates used here",
        unit="FLOP/byte",
        formula="peak_flops_actual / peak_bw_actual",
    )
    mfu: Real = Output(
        "share of the full peak that the pass reaches, its overhead included",
        formula="batch_size * workload.inference_flops / latency / (peak_flops_actual / efficiency)",
    )
    hfu: Real = Output("mfu with repeated arithmetic counted as well, of which inference has none", formula="mfu")
    energy: Energy | None = Output(
        "what the device uses for a pass",
        unit="J",
        formula="hardware.tdp * (idle_power_share + (1 - idle_power_share) * hfu) * latency",
        defined_if="hardware.tdp is not None",
        undefined="no rated power is known of the device",
    )
    overhead_dominated: Flag = Output(
        "whether overhead exceeds both arithmetic and traffic",
        formula="latency_overhead > max(latency_compute, latency_memory)",
    )
