"""Scenarios that set work against the two ceilings of an accelerator, arithmetic and memory bandwidth."""

from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np

from mlsysim.catalog import AnyHardware, AnyWorkload, Hardware
from mlsysim.engine.arithmetic import defined, maximum, minimum, select
from mlsysim.engine.bibliography import BARROSO_2007, CHOWDHERY_2022, GHOLAMI_2024, WILLIAMS_2009
from mlsysim.engine.result_types.optimization.roofline import (
    AcceleratorComparisonResult,
    AcceleratorGenerationsResult,
    RooflinePointResult,
    SingleNodeInferenceResult,
)
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import Warning, all_experts, any_of, mixed_formats, near_peak, other_format, sparse_peak
from mlsysim.fields import (
    AtLeastOne,
    DataRate,
    Integer,
    Intensity,
    Needs,
    NonNegative,
    OneOf,
    OperationRate,
    Positive,
    Real,
    Share,
    Text,
    Time,
)

__all__ = [
    "AcceleratorComparison",
    "AcceleratorGenerationsScenario",
    "RooflinePointScenario",
    "SingleNodeInferenceScenario",
]


class AcceleratorComparison(Scenario[AcceleratorComparisonResult]):
    """How much faster is one accelerator than another, at peak and per watt?

    Peak, rated power and peak per watt of a candidate in multiples of a baseline, and how long a job that was measured
    on the baseline keeps the candidate busy. Assumes that both sustain the same share of their peak, which
    compute-bound work may do. Where memory is the limit, the ratio of bandwidths is the one to use, and it is smaller
    as a rule.

    Source: Williams et al. (2009), for the peak as the ceiling of compute-bound work.

    >>> upgrade = AcceleratorComparison(baseline="V100", candidate="H100", baseline_device_hours="10000 h").evaluate()
    >>> f"{upgrade.peak_ratio:.1f} times the peak, {upgrade.efficiency_ratio:.1f} times the peak per watt"
    '7.9 times the peak, 3.4 times the peak per watt'
    """

    title = "One accelerator against another, peak and peak per watt"
    sources = (WILLIAMS_2009,)
    notes = (
        "Without precision the dense FP16 peaks are compared. With one, both devices have to list its rate: "
        "nothing else is taken instead, and bf16 on a V100 is refused.",
        "A precision always stands for the dense rate.",
        "See which format the reference peak is in before you credit the hardware with a ratio: a TPU, for one, "
        "has bf16 in the place of FP16.",
        "tdp_ratio compares what devices are designed for; what they draw has to be measured.",
    )

    baseline: Annotated[AnyHardware, Needs("compute.peak")] = Input("accelerator that stands for 1 in every ratio")
    candidate: Annotated[AnyHardware, Needs("compute.peak")] = Input("accelerator set against it")
    precision: Annotated[Text, OneOf("keys(baseline.compute.rates)"), OneOf("keys(candidate.compute.rates)")] | None = (
        Input(
            "format whose dense rates are compared; left out, the reference peaks, dense FP16 as a rule", default=None
        )
    )
    baseline_device_hours: NonNegative[Time] | None = Input(
        "device time that the job takes on the baseline", unit="h", default=None
    )

    def evaluate(self) -> AcceleratorComparisonResult:
        peak_ratio = self._peak(self.candidate) / self._peak(self.baseline)
        tdp, baseline_tdp = self.candidate.tdp, self.baseline.tdp
        tdp_ratio = None if tdp is None or baseline_tdp is None else tdp / baseline_tdp
        efficiency_ratio = None if tdp_ratio is None else peak_ratio / tdp_ratio
        job = self.baseline_device_hours
        candidate_device_hours = None if job is None else job / peak_ratio
        return AcceleratorComparisonResult(
            peak_ratio=peak_ratio,
            tdp_ratio=tdp_ratio,
            efficiency_ratio=efficiency_ratio,
            candidate_device_hours=candidate_device_hours,
        )

    def _peak(self, device: Hardware) -> float:
        """The rate of a device that is compared."""
        return device.compute.peak if self.precision is None else device.compute.rates[self.precision]

    def warnings(self, result: AcceleratorComparisonResult) -> Iterator[Warning]:
        for device in (self.baseline, self.candidate):
            if device.tdp is None:
                yield Warning("power_unknown", f"{device.label} lists no rated power, so there is no peak per watt")
            yield from sparse_peak(device, self.precision)
        if self.precision is None:
            yield from mixed_formats(self.baseline, self.candidate)
        if any_of(result.peak_ratio < 1):
            yield Warning("slowdown", f"{self.candidate.label} has the lower peak")
        if any_of(result.peak_ratio == 1):
            yield Warning("no_gain", "both have the same peak; memory-bound work follows the bandwidth instead")


class AcceleratorGenerationsScenario(Scenario[AcceleratorGenerationsResult]):
    """How much faster did compute grow than memory bandwidth over a series of accelerators?

    The ridge point of each device, and the growth of both ceilings from the first to the last. Only reference peaks and
    main-memory bandwidth count, so that caches, which soften the gap, are left out.

    Source: Williams et al. (2009) for the ridge point; Gholami et al. (2024) for the gap between compute and memory.

    >>> series = AcceleratorGenerationsScenario(accelerators=["V100", "A100", "H100"]).evaluate()
    >>> [round(ridge) for ridge in series.ridges], round(series.gap_growth, 2)
    ([139, 153, 295], 2.13)
    """

    title = "Compute against bandwidth over accelerator generations"
    sources = (WILLIAMS_2009, GHOLAMI_2024)
    notes = (
        "Devices in between appear in ridges and nowhere else: growth is taken from the first to the last.",
        "To have growth per year, divide by the years between the releases, which are not looked at here.",
        "Keep all peaks dense and in the reference format. One that is sparse or FP8 shifts the ridge although no "
        "hardware changed.",
    )

    accelerators: Annotated[list[AnyHardware], Needs("compute.peak", "memory.bandwidth")] = Input(
        "the series in order, two devices or more", min_length=2
    )

    def evaluate(self) -> AcceleratorGenerationsResult:
        first, last = self.accelerators[0], self.accelerators[-1]
        ridges = [device.compute.peak / device.memory.bandwidth for device in self.accelerators]
        compute_growth = last.compute.peak / first.compute.peak
        bandwidth_growth = last.memory.bandwidth / first.memory.bandwidth
        gap_growth = compute_growth / bandwidth_growth
        return AcceleratorGenerationsResult(
            ridges=ridges,
            compute_growth=compute_growth,
            bandwidth_growth=bandwidth_growth,
            gap_growth=gap_growth,
        )

    def warnings(self, result: AcceleratorGenerationsResult) -> Iterator[Warning]:
        for device in self.accelerators:
            yield from sparse_peak(device)
        yield from mixed_formats(*self.accelerators)


class RooflinePointScenario(Scenario[RooflinePointResult]):
    """How fast can a kernel run on an accelerator, given how much arithmetic it does per byte?

    The lower of two ceilings: the compute peak, and memory bandwidth times intensity. Assumes perfect overlap of
    arithmetic and memory traffic and one level of memory; a kernel whose data stay in cache can pass it. Where a
    profiler has shown rate and bandwidth, state these two and no intensity.

    Source: Williams et al. (2009), attainable = min(peak, bandwidth x operational intensity).

    >>> kernel = RooflinePointScenario(hardware="H100", intensity="100 FLOP/byte").evaluate()
    >>> f"{kernel.attainable / 1e12:.0f} TFLOP/s at {kernel.peak_fraction:.0%} of peak"
    '335 TFLOP/s at 34% of peak'
    """

    title = "A kernel on the roofline"
    sources = (WILLIAMS_2009,)
    notes = (
        "Even for a measured kernel, peak_fraction is the share that the roofline permits. The share that was "
        "reached is less: achieved_rate / peak.",
        "Counters that count cache hits can push bandwidth_utilization above 1, where it is left as it is.",
        "A precision names a dense rate of the device and is refused where there is none; for the FP16 reference "
        "peak, name none.",
    )
    rules = (
        Rule(
            "(intensity is None) != (achieved_rate is None)",
            at="intensity",
            because="give either the intensity or both measurements",
        ),
        Rule(
            "(achieved_rate is None) == (achieved_bandwidth is None)",
            at="achieved_bandwidth",
            because="a measured kernel has both its rate and its bandwidth",
        ),
    )

    hardware: Annotated[AnyHardware, Needs("compute.peak", "memory.bandwidth")] = Input("accelerator")
    intensity: Positive[Intensity] | None = Input(
        "arithmetic of the kernel for each byte it moves", unit="FLOP/byte", default=None
    )
    precision: Annotated[Text, OneOf("keys(hardware.compute.rates)")] | None = Input(
        "format whose dense rate limits the arithmetic; left out, the reference peak does", default=None
    )
    achieved_rate: Positive[OperationRate] | None = Input(
        "arithmetic that the kernel was seen to do", unit="TFLOP/s", default=None
    )
    achieved_bandwidth: Positive[DataRate] | None = Input(
        "memory traffic that the kernel was seen to cause", unit="TB/s", default=None
    )

    def evaluate(self) -> RooflinePointResult:
        compute, bandwidth = self.hardware.compute, self.hardware.memory.bandwidth
        if self.achieved_rate is not None and self.achieved_bandwidth is not None:
            point_intensity = self.achieved_rate / self.achieved_bandwidth
            bandwidth_utilization = self.achieved_bandwidth / bandwidth
        else:
            assert self.intensity is not None
            point_intensity = self.intensity
            bandwidth_utilization = None
        peak = compute.peak if self.precision is None else compute.rates[self.precision]
        ridge = peak / bandwidth
        attainable = minimum(peak, bandwidth * point_intensity)
        peak_fraction = attainable / peak
        return RooflinePointResult(
            point_intensity=point_intensity,
            bandwidth_utilization=bandwidth_utilization,
            peak=peak,
            ridge=ridge,
            attainable=attainable,
            peak_fraction=peak_fraction,
        )

    def warnings(self, result: RooflinePointResult) -> Iterator[Warning]:
        device = self.hardware.label
        if self.achieved_rate is not None and any_of(self.achieved_rate > result.peak):
            yield Warning("above_peak", f"the measured rate is above the peak of {device}; was it a sparse kernel?")
        if result.bandwidth_utilization is not None and any_of(result.bandwidth_utilization > 1):
            yield Warning("above_peak", f"the measured bandwidth is above that of {device}; were cache hits counted?")
        yield from sparse_peak(self.hardware, self.precision)


# A larger batch that lifts throughput by less than this brings latency and nothing else.
_WORTHWHILE = 1.01

# Bytes per weight: the width of each number format.
BYTES_PER_WEIGHT = {"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "fp8": 1, "int8": 1, "int4": 0.5}


class SingleNodeInferenceScenario(Scenario[SingleNodeInferenceResult]):
    """How long does one inference pass over a batch take on one accelerator, and what holds it back?

    Arithmetic and traffic overlap, so the longer one counts, and the overhead of the software comes on top. All weights
    are read once, and each input adds activations in proportion to them. Memory has to hold the weights and nothing
    else: the caches of a decoder are in neither footprint nor traffic. Where weights spill to the host, all traffic is
    charged at the link.

    Source: Williams et al. (2009) for the two ceilings; Chowdhery et al. (2022), appendix B, for utilization; Barroso
    and Hölzle (2007), figure 4, for power that grows from an idle share with utilization.

    >>> one = SingleNodeInferenceScenario(workload="ResNet50", hardware="A100").evaluate()
    >>> f"{one.latency * 1e3:.2f} ms, {one.bottleneck}-bound if it were not for overhead: {one.overhead_dominated}"
    '0.57 ms, Compute-bound if it were not for overhead: True'
    """

    title = "One inference pass on one accelerator"
    sources = (WILLIAMS_2009, CHOWDHERY_2022, BARROSO_2007)
    notes = (
        "One pass is one token of a decoder, one sequence of an encoder, one image of a vision model and one step"
        " of a diffusion model, whose steps you multiply by yourself.",
        "A format the hardware lists no rate for runs at the reference peak, with the warning "
        "precision_rate_missing; fp16 and bf16 are what that peak stands for and give none.",
        "Efficiency lowers the compute rate and leaves the bandwidth, so at its default the ridge is half of what"
        " the datasheet gives.",
        "Weights that do not fit slow everything down to the link, the part that did fit as well. Where no link "
        "is listed the fallback is used; for a phone it beats the phone's own memory, spilling costs nothing, and"
        " the warning host_link_assumed says so.",
        "A device that lists a flash bandwidth reads from flash as soon as the weights exceed its on-chip memory,"
        " though DRAM might hold them.",
        "Check overhead_dominated before you act on bottleneck, which says Compute or Memory whatever the overhead is.",
        "The energy is that of the device for all inputs of the batch; the host uses more.",
        "You cannot ask for fp4, whatever rate the hardware lists: with its block scales, the bytes of a value "
        "are not one number.",
    )

    workload: Annotated[AnyWorkload, Needs("parameters", "inference_flops")] = Input("model")
    hardware: Annotated[AnyHardware, Needs("compute.peak", "memory.capacity", "memory.bandwidth")] = Input(
        "accelerator"
    )
    batch_size: AtLeastOne[Integer] = Input(
        "how many inputs one pass takes", default=1, why="latency is asked for one input first"
    )
    precision: Literal["fp32", "tf32", "fp16", "bf16", "fp8", "int8", "int4"] = Input(
        "format in which weights are stored and multiplied",
        default="fp16",
        why="half precision is how models are served, and what the reference peak is quoted for",
    )
    efficiency: Positive[Share] = Input(
        "share of the peak operation rate reached in practice; bandwidth counts in full",
        default=0.5,
        why="kernels seldom pass half of the datasheet peak; measure for your own",
    )
    activation_fraction: NonNegative[Real] = Input(
        "bytes of activations that each input moves, as a share of the weights' bytes",
        default=0.1,
        why="an assumption that keeps weights the larger part at small batches",
    )
    layer_overhead: NonNegative[Time] = Input(
        "what each layer costs in software, whatever its size",
        unit="us",
        default="10 us",
        why="the order of one framework operation",
    )
    fallback_link: Positive[DataRate] = Input(
        "bandwidth of the host link if weights spill and the hardware names no link",
        unit="GB/s",
        default="64 GB/s",
        why="one direction of PCIe Gen5 x16",
    )
    idle_power_share: Share = Input(
        "power at rest as a share of rated power; what is left rises with utilization",
        default=0.3,
        why="an accelerator at rest draws around a third of its rated power",
    )

    def evaluate(self) -> SingleNodeInferenceResult:
        compute, memory, tdp = self.hardware.compute, self.hardware.memory, self.hardware.tdp
        link, batch = self.hardware.host_link, self.batch_size

        memory_footprint = self.workload.parameters * BYTES_PER_WEIGHT[self.precision]
        feasible = memory_footprint <= memory.capacity
        spilled = memory_footprint > memory.capacity
        host_bandwidth = self.fallback_link if link is None else link.bandwidth_per_direction
        offload_spill_bytes = defined(spilled, lambda: memory_footprint - memory.capacity)
        offload_effective_bw = defined(spilled, lambda: minimum(memory.bandwidth, host_bandwidth))
        peak_bw_actual = select(feasible, self._local_bandwidth(memory_footprint), offload_effective_bw)
        peak_flops_actual = self.efficiency * compute.rates.get(self.precision, compute.peak)

        traffic = memory_footprint * (1 + self.activation_fraction * batch)
        latency_compute = batch * self.workload.inference_flops / peak_flops_actual
        latency_memory = traffic / peak_bw_actual
        latency_overhead = self.hardware.dispatch_overhead + self.layer_overhead * (self.workload.layers or 1)
        latency = maximum(latency_compute, latency_memory) + latency_overhead
        throughput = batch / latency
        bottleneck = select(latency_memory > latency_compute, "Memory", "Compute")

        arithmetic_intensity = batch * self.workload.inference_flops / traffic
        ridge = peak_flops_actual / peak_bw_actual
        mfu = batch * self.workload.inference_flops / latency / (peak_flops_actual / self.efficiency)
        hfu = mfu
        idle = self.idle_power_share
        energy = None if tdp is None else tdp * (idle + (1 - idle) * hfu) * latency
        overhead_dominated = latency_overhead > maximum(latency_compute, latency_memory)
        return SingleNodeInferenceResult(
            memory_footprint=memory_footprint,
            feasible=feasible,
            offload_spill_bytes=offload_spill_bytes,
            offload_effective_bw=offload_effective_bw,
            peak_bw_actual=peak_bw_actual,
            peak_flops_actual=peak_flops_actual,
            traffic=traffic,
            latency_compute=latency_compute,
            latency_memory=latency_memory,
            latency_overhead=latency_overhead,
            latency=latency,
            throughput=throughput,
            bottleneck=bottleneck,
            arithmetic_intensity=arithmetic_intensity,
            intensity=arithmetic_intensity,
            ridge=ridge,
            mfu=mfu,
            hfu=hfu,
            energy=energy,
            overhead_dominated=overhead_dominated,
        )

    def _local_bandwidth(self, memory_footprint: float) -> float:
        """Bandwidth that serves weights kept on the device: on-chip memory if they fit, else flash if listed."""
        memory = self.hardware.memory
        main = memory.bandwidth if memory.flash_bandwidth is None else memory.flash_bandwidth
        if memory.sram_capacity is None or memory.sram_bandwidth is None:
            return main
        return select(memory_footprint <= memory.sram_capacity, memory.sram_bandwidth, main)  # type: ignore[no-any-return]

    def warnings(self, result: SingleNodeInferenceResult) -> Iterator[Warning]:
        device = self.hardware.label
        spills = any_of(np.logical_not(result.feasible))
        if self.precision not in self.hardware.compute.rates and self.precision not in ("fp16", "bf16"):
            yield Warning(
                "precision_rate_missing",
                f"{device} lists no {self.precision} rate; its reference peak stands in for it",
            )
        elif self.precision not in self.hardware.compute.rates:
            yield from other_format(self.hardware)
        if spills:
            yield Warning("weights_exceed_memory", f"the weights do not fit the memory of {device}")
        if spills and self.hardware.host_link is None:
            yield Warning("host_link_assumed", f"{device} lists no host link; fallback_link stands in for it")
        if any_of(result.overhead_dominated):
            yield Warning("overhead_dominated", "software overhead is longer than both arithmetic and memory traffic")
        if self.hardware.tdp is None:
            yield Warning("power_unknown", f"{device} lists no rated power, so there is no energy")
        if any_of(self.batch_size > 1):
            single = self.model_copy(update={"batch_size": 1}).evaluate().throughput
            if any_of((self.batch_size > 1) & (result.throughput <= _WORTHWHILE * single)):
                yield Warning("batch_without_gain", "throughput is within 1 percent of that of a single input")
        yield from all_experts(self.workload, "the traffic counts")
        yield from near_peak(self.efficiency)
        yield from sparse_peak(self.hardware, self.precision)
