"""Scenarios about the host: what it costs to keep an accelerator busy."""

from collections.abc import Iterator

from mlsysim.engine.bibliography import CUDA_GUIDE, FERNANDEZ_2023, MOHAN_2021, MURRAY_2021, PASZKE_2019
from mlsysim.engine.result_types.optimization.host import HostDispatchResult, HostInputPipelineResult
from mlsysim.engine.scenario import Input, Scenario
from mlsysim.engine.warnings import Warning, any_of
from mlsysim.fields import AtLeastOne, Data, DataRate, Frequency, Integer, NonNegative, Positive, Text, Time

__all__ = ["HostDispatchScenario", "HostInputPipelineScenario"]


class HostDispatchScenario(Scenario[HostDispatchResult]):
    """What does the host cost when it issues a step eagerly, one operation at a time?

    What dispatching and launching take the host, relative to what the accelerator takes to compute. Adds the two up, as
    if one waited for the other. In fact launches are queued while the device computes, so that a step takes about as
    long as the slower side; for as long as that is the device, the host costs less than this says.

    Source: Paszke et al. (2019), section 5.2; Fernandez et al. (2023), section 2.

    >>> step = HostDispatchScenario(ops_per_block=12, blocks=48, dispatch="10 us", launch="5 us", device_time="0.9 ms")
    >>> round(step.evaluate().overhead_ratio, 2)
    9.6
    """

    title = "Host cost of issuing an eager step"
    sources = (PASZKE_2019, FERNANDEZ_2023, CUDA_GUIDE)
    notes = (
        "To see the effect of fusing, reduce ops_per_block and launches_per_block; of graph replay, drop the "
        "dispatch and nearly all launches.",
        "per_op_cost is the same for any launches_per_block.",
        "Pass the time inside kernels as device_time. A wall clock has the host's share in it already.",
    )

    ops_per_block: AtLeastOne[Integer] = Input("operations that the framework runs for a block")
    blocks: AtLeastOne[Integer] = Input(
        "how often the block is repeated in a step", default=1, why="a step without repeated blocks is one"
    )
    launches_per_block: NonNegative[Integer] | None = Input(
        "kernels launched for a block; left out, as many as operations", default=None
    )
    dispatch: NonNegative[Time] = Input("what an operation takes the host before it can launch anything", unit="us")
    launch: NonNegative[Time] = Input("what launching a kernel takes the host", unit="us")
    device_time: Positive[Time] = Input("how long the accelerator computes for the step", unit="us")

    def evaluate(self) -> HostDispatchResult:
        operations = self.blocks * self.ops_per_block
        per_block = self.ops_per_block if self.launches_per_block is None else self.launches_per_block
        launches = self.blocks * per_block
        per_op_cost = self.dispatch + self.launch
        dispatch_time = operations * self.dispatch
        launch_time = launches * self.launch
        host_time = dispatch_time + launch_time
        overhead_ratio = host_time / self.device_time
        launch_ratio = launch_time / self.device_time
        host_share = host_time / (host_time + self.device_time)
        speedup_limit = (host_time + self.device_time) / self.device_time
        return HostDispatchResult(
            operations=operations,
            launches=launches,
            per_op_cost=per_op_cost,
            dispatch_time=dispatch_time,
            launch_time=launch_time,
            host_time=host_time,
            overhead_ratio=overhead_ratio,
            launch_ratio=launch_ratio,
            host_share=host_share,
            speedup_limit=speedup_limit,
        )

    def warnings(self, result: HostDispatchResult) -> Iterator[Warning]:
        if any_of(result.overhead_ratio > 1):
            yield Warning("overhead_dominated", "the host takes longer to issue the step than the device to run it")


class HostInputPipelineScenario(Scenario[HostInputPipelineResult]):
    """Can the host and its link keep an accelerator fed with batches?

    Batches the loader holds ready, decoded bytes per second it must produce, and the time to copy a batch to the
    device, set against the compute times of named steps. Assumes that a copy starts at once and uses the whole link;
    from memory that is not pinned, or over a link that others use as well, they take longer. Whether the loader can
    decode that fast is not asked.

    Source: Mohan et al. (2021) for stalls on data; Murray et al. (2021) for loaders that prefetch.

    >>> feed = HostInputPipelineScenario(batch_size=64, workers=4, prefetch_factor=2, raw_sample="150528 B",
    ...     model_sample="602112 B", consume_rate="1000 1/s", host_link="64 GB/s", device_memory="3.35 TB/s",
    ...     step_times={"small model": "0.5 ms"}).evaluate()
    >>> f"{feed.copy_time * 1e3:.2f} ms, {feed.copy_share['small model']:.1f} times the step"
    '0.60 ms, 1.2 times the step'
    """

    title = "Keeping an accelerator fed from the host"
    sources = (MOHAN_2021, MURRAY_2021)
    notes = (
        "Take the bandwidth of a single direction for host_link; figures for PCIe and NVLink often add both, and "
        "the copy then looks twice as fast.",
        "Samples cross the link at consume_rate x model_sample bytes per second as well, and as FP32 they are "
        "four times the size of 8-bit pixels.",
        "copy_time assumes the full rate of the link, which copies reach from pinned buffers and not from "
        "pageable ones.",
        "Set aside host memory for batches_in_flight x batch_bytes, which the loader keeps.",
        "Expect a copy_share of more than 1 where a step is over before its next batch has crossed the link.",
        "For comparison only, device_copy_time moves the batch once through device memory; copy_time does not "
        "include it.",
    )

    batch_size: AtLeastOne[Integer] = Input("how many samples make a batch")
    workers: NonNegative[Integer] = Input("loader processes")
    prefetch_factor: NonNegative[Integer] = Input("batches that a worker has ready in advance")
    raw_sample: Positive[Data] = Input("bytes of a sample in host memory after decoding", unit="kB")
    model_sample: Positive[Data] = Input("bytes of a sample in the form that is sent to the device", unit="kB")
    consume_rate: NonNegative[Frequency] = Input("rate at which the device takes samples", unit="1/s")
    host_link: Positive[DataRate] = Input("rate of the link toward the device, that direction alone", unit="GB/s")
    device_memory: Positive[DataRate] = Input("rate at which the device writes its own memory", unit="GB/s")
    step_times: dict[Text, Positive[Time]] = Input(
        "how long steps of interest compute, by name, to hold the copy against",
        unit="ms",
        default={},
        why="the feed can be sized before any step is measured",
    )

    def evaluate(self) -> HostInputPipelineResult:
        batches_in_flight = self.workers * self.prefetch_factor
        raw_feed = self.consume_rate * self.raw_sample
        batch_bytes = self.batch_size * self.model_sample
        copy_time = batch_bytes / self.host_link
        device_copy_time = batch_bytes / self.device_memory
        copy_share = {step: copy_time / step_time for step, step_time in self.step_times.items()}
        return HostInputPipelineResult(
            batches_in_flight=batches_in_flight,
            raw_feed=raw_feed,
            batch_bytes=batch_bytes,
            copy_time=copy_time,
            device_copy_time=device_copy_time,
            copy_share=copy_share,
        )

    def warnings(self, result: HostInputPipelineResult) -> Iterator[Warning]:
        for step, share in result.copy_share.items():
            if any_of(share > 1):
                yield Warning("deadline_missed", f"copying a batch takes longer than the step {step}")
        if any_of(self.consume_rate * result.copy_time > self.batch_size):
            yield Warning("deadline_missed", "the device takes samples faster than the link can carry them")
        if any_of(self.host_link > self.device_memory):
            yield Warning("above_peak", "the link is faster than the device memory it writes to")
