"""Scenarios about training runs: their time, their memory and what scale does to both."""

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from mlsysim.catalog import AnyFleet, AnyHardware, AnyPod, AnyWorkload
from mlsysim.engine.arithmetic import maximum, nearest, power_of_two_at_least, select, sqrt
from mlsysim.engine.bibliography import (
    BAYDIN_2018,
    CHOWDHERY_2022,
    DALY_2006,
    HOFFMANN_2022,
    JOUPPI_2023,
    KAPLAN_2020,
    KINGMA_2015,
    NARAYANAN_2021,
    RAJBHANDARI_2020,
    RUMELHART_1986,
    WILLIAMS_2009,
    YOUNG_1974,
)
from mlsysim.engine.result_types.optimization.host import HostDispatchResult
from mlsysim.engine.result_types.optimization.training import (
    AcceleratorPodResult,
    ClusterExpansionResult,
    ClusterTrainingTimeResult,
    JacobianResult,
    MlpTrainingStepResult,
    SelfContainedReplicaResult,
)
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.scenario_definitions.optimization.host import HostDispatchScenario
from mlsysim.engine.scenario_definitions.optimization.roofline import BYTES_PER_WEIGHT
from mlsysim.engine.warnings import (
    Warning,
    all_experts,
    any_of,
    near_peak,
    other_format,
    sparse_peak,
    wide_values,
)
from mlsysim.errors import EvaluationError, counted
from mlsysim.fields import (
    AtLeastOne,
    Data,
    DataRate,
    Integer,
    MoneyRate,
    Needs,
    NonNegative,
    OneOf,
    Positive,
    Real,
    Share,
    Text,
    Time,
)

__all__ = [
    "AcceleratorPodScenario",
    "ClusterExpansionScenario",
    "ClusterTrainingTimeScenario",
    "JacobianScenario",
    "MlpTrainingStepScenario",
    "SelfContainedReplicaScenario",
]


class AcceleratorPodScenario(Scenario[AcceleratorPodResult]):
    """What do the chips of a pod add up to, in peak rate and in memory?

    A plain product, with no interconnect and no loss from scaling, so the rate is a bound that no job reaches. No chip
    sees the memory of all: a job has to be divided so that each part fits one chip.

    Source: Jouppi et al. (2023), for a pod of 4,096 chips with 32 GiB each.

    >>> pod = AcceleratorPodScenario(pod="TPUv4_4096", accelerator="TPUv4").evaluate()
    >>> f"{pod.peak_flops / 1e18:.2f} EFLOP/s and {pod.chip_memory_total / 2**40:.0f} TiB"
    '1.13 EFLOP/s and 128 TiB'
    """

    title = "Aggregate peak and memory of a pod"
    sources = (JOUPPI_2023,)
    notes = (
        "The chip is an input of its own; nothing checks that the pod is built from it. A pod that states its "
        "memory lets you compare chip_memory_total with it.",
        "Mind the unit of memory: 32 GB on a datasheet are often 32 GiB, and 128 TiB are 140.7 TB.",
    )

    pod: Annotated[AnyPod, Needs("chips")] = Input("pod that is added up, of which the number of chips counts")
    accelerator: Annotated[AnyHardware, Needs("compute.peak", "memory.capacity")] = Input(
        "chip it is taken to consist of"
    )

    def evaluate(self) -> AcceleratorPodResult:
        peak_flops = self.pod.chips * self.accelerator.compute.peak
        chip_memory_total = self.pod.chips * self.accelerator.memory.capacity
        return AcceleratorPodResult(peak_flops=peak_flops, chip_memory_total=chip_memory_total)

    def warnings(self, result: AcceleratorPodResult) -> Iterator[Warning]:
        stated = self.pod.memory
        if stated is not None and any_of(abs(result.chip_memory_total - stated) > _SAME_MEMORY * stated):
            yield Warning(
                "figures_disagree",
                f"the memory of its chips is not that of {self.pod.label}; is it built from {self.accelerator.label}?",
            )
        yield from sparse_peak(self.accelerator)


# Memory may be quoted in binary or in decimal units, which differ by a tenth at the size of a pod.
_SAME_MEMORY = 0.1


class ClusterExpansionScenario(Scenario[ClusterExpansionResult]):
    """More devices fail more often: does a larger training cluster pay all the same?

    A synchronous job gets a multiple of its devices. Its checkpoints do not change in size, nor in the time they take
    to write. Any device failure stops it, so failures come more often in proportion; each size saves at its own best
    interval, and a failure costs half an interval of work. The break-even is the step speedup that the larger job must
    show to finish no later. First order in write time over time between failures, and refused where the overhead would
    reach 100 percent.

    Source: Young (1974), interval = sqrt(2 x write time x MTBF); Daly (2006) for how far that holds.

    >>> job = ClusterExpansionScenario(write_time="25 s", component_mtbf="50000 h", n_devices=1024, factor=2).evaluate()
    >>> round(job.overhead_growth, 3), round(job.breakeven_speedup, 3)
    (1.414, 1.007)
    """

    title = "Does a larger training cluster pay after checkpoints and failures?"
    sources = (YOUNG_1974, DALY_2006)
    notes = (
        "In truth a job stops more often: nodes, network and storage fail too, while only failures of devices are "
        "counted, each independent of the others.",
        "The overhead has neither restarting nor reloading in it.",
        "Give the component_mtbf of one device; it is divided by the number of devices, which must not happen twice.",
        "A factor below 1 shrinks the job; everything named expanded then describes the smaller one.",
    )
    rules = (
        Rule(
            "(write_time is None) != (checkpoint_bytes is None)",
            at="write_time",
            because="give either the write time or the size and bandwidth it follows from",
        ),
        Rule(
            "(checkpoint_bytes is None) == (write_bandwidth is None)",
            at="write_bandwidth",
            because="a write time follows from both the size and the bandwidth",
        ),
        Rule("round(n_devices * factor) >= 1", at="factor", because="at least one device must remain"),
        Rule(
            "write_time is None or 2 * write_time < component_mtbf / max(n_devices, round(n_devices * factor))",
            at="write_time",
            because="saves that take longer leave no time for work, by a model that holds for short ones",
        ),
        Rule(
            "checkpoint_bytes is None or write_bandwidth is None or 2 * (checkpoint_bytes / write_bandwidth) "
            "< component_mtbf / max(n_devices, round(n_devices * factor))",
            at="checkpoint_bytes",
            because="saves that take longer leave no time for work, by a model that holds for short ones",
        ),
    )

    checkpoint_bytes: Positive[Data] | None = Input(
        "what a checkpoint of weights and optimizer state takes", unit="TB", default=None
    )
    write_bandwidth: Positive[DataRate] | None = Input(
        "rate at which the job as a whole saves a checkpoint", unit="GB/s", default=None
    )
    write_time: Positive[Time] | None = Input(
        "what saving a checkpoint takes, where that is known", unit="s", default=None
    )
    component_mtbf: Positive[Time] = Input("mean time between failures of a single device", unit="h")
    n_devices: AtLeastOne[Integer] = Input("size of the job now, in devices")
    factor: Positive[Real] = Input("what the number of devices is multiplied by")
    step_speedup: Positive[Real] | None = Input(
        "how many times more steps per hour the larger job was seen to do", default=None
    )

    def evaluate(self) -> ClusterExpansionResult:
        if self.checkpoint_bytes is not None and self.write_bandwidth is not None:
            t_write = self.checkpoint_bytes / self.write_bandwidth
        else:
            assert self.write_time is not None
            t_write = self.write_time
        expanded_devices = nearest(self.n_devices * self.factor)
        mtbf = self.component_mtbf / self.n_devices
        expanded_mtbf = self.component_mtbf / expanded_devices

        interval = sqrt(2 * t_write * mtbf)
        expanded_interval = sqrt(2 * t_write * expanded_mtbf)
        overhead = t_write / interval + interval / (2 * mtbf)
        expanded_overhead = t_write / expanded_interval + expanded_interval / (2 * expanded_mtbf)
        overhead_growth = expanded_overhead / overhead

        retained = 1 - overhead
        expanded_retained = 1 - expanded_overhead
        breakeven_speedup = retained / expanded_retained
        superlinear_threshold = expanded_devices / self.n_devices * breakeven_speedup
        run_time_change = accelerator_hours_change = None
        if self.step_speedup is not None:
            run_time_change = breakeven_speedup / self.step_speedup - 1
            accelerator_hours_change = superlinear_threshold / self.step_speedup - 1
        return ClusterExpansionResult(
            t_write=t_write,
            expanded_devices=expanded_devices,
            mtbf=mtbf,
            expanded_mtbf=expanded_mtbf,
            interval=interval,
            expanded_interval=expanded_interval,
            overhead=overhead,
            expanded_overhead=expanded_overhead,
            overhead_growth=overhead_growth,
            retained=retained,
            expanded_retained=expanded_retained,
            breakeven_speedup=breakeven_speedup,
            superlinear_threshold=superlinear_threshold,
            run_time_change=run_time_change,
            accelerator_hours_change=accelerator_hours_change,
        )

    def warnings(self, result: ClusterExpansionResult) -> Iterator[Warning]:
        if any_of(maximum(result.overhead, result.expanded_overhead) > _FIRST_ORDER):
            yield Warning(
                "approximation_rough", "saving and redone work take so much that the first-order overhead is rough"
            )
        if any_of(result.expanded_devices == self.n_devices):
            yield Warning("no_gain", "the job keeps its number of devices, so that nothing changes")
        if self.step_speedup is not None and any_of(self.step_speedup < result.breakeven_speedup):
            yield Warning("slowdown", "the step speedup is below the break-even, so that the run takes longer")
        growth = maximum(result.expanded_devices / self.n_devices, 1)
        if self.step_speedup is not None and any_of(self.step_speedup > growth):
            yield Warning("gain_unexplained", "the steps are said to get faster by more than the devices grow")


# With failures at random, of which the model keeps the first order, a loss of 30 percent comes out as 27.
_FIRST_ORDER = 0.3


# Operations per parameter and token of training: 2 forward, 4 backward (Kaplan et al. 2020, section 2.1).
_OPERATIONS_PER_PARAMETER_AND_TOKEN = 6


class ClusterTrainingTimeScenario(Scenario[ClusterTrainingTimeResult]):
    """How long does a training run take at a fixed utilization, and what energy and rent follow?

    The run's operations over the rate that all devices sustain together. Assumes a compute-bound run that scales
    perfectly: what communication, stalls and restarts cost has to be part of the utilization you state. Tokens follow
    from 6 operations for each parameter that a token uses, as in a transformer that recomputes nothing; in a mixture of
    experts these are the active ones.

    Source: Kaplan et al. (2020), section 2.1, C = 6 N D; Chowdhery et al. (2022), appendix B, for the utilization.

    >>> run = ClusterTrainingTimeScenario(workload="GPT3", hardware="A100", n_devices=1024, efficiency=0.45).evaluate()
    >>> f"{run.training_time / 86400:.1f} days"
    '25.3 days'
    """

    title = "Training time, energy and rent of a run at a fixed utilization"
    sources = (KAPLAN_2020, HOFFMANN_2022, CHOWDHERY_2022)
    notes = (
        "Write 0.45 for an efficiency of 45 percent, and expect less on a large cluster than was measured on a node.",
        "Training is dense work, so a peak quoted with sparsity promises half the time it takes, or less. Name "
        "only a format that the hardware lists; no other rate is taken in its place.",
        "The price is for one device; share the price of a node or a pod among its devices.",
        "Add hosts, network and cooling to the energy, and bear in mind that devices often draw less than their TDP.",
        "That utilization stays the same in another format or on a larger cluster is what you assume, and not "
        "what comes out.",
    )

    workload: Annotated[AnyWorkload, Needs("training_flops", "parameters")] = Input(
        "model, with the operations that training it takes"
    )
    hardware: Annotated[AnyHardware, Needs("compute.peak")] = Input("the device")
    n_devices: AtLeastOne[Integer] = Input("how many devices work on the run")
    efficiency: Positive[Share] = Input("share of peak that useful work reaches, averaged over the run; known as MFU")
    tokens_per_step: AtLeastOne[Integer] | None = Input(
        "batch of one optimizer step in tokens, all devices together", default=None
    )
    hourly_price: NonNegative[MoneyRate] | None = Input("what a device costs to rent", unit="USD/h", default=None)
    peak_precision: Annotated[Text, OneOf("keys(hardware.compute.rates)")] | None = Input(
        "format whose dense rate is the peak; left out, the reference peak, dense FP16 as a rule", default=None
    )

    def evaluate(self) -> ClusterTrainingTimeResult:
        compute, tdp = self.hardware.compute, self.hardware.tdp
        active = self.workload.active_parameters
        trained = self.workload.parameters if active is None else active

        peak_rate = compute.peak if self.peak_precision is None else compute.rates[self.peak_precision]
        delivered_rate = self.n_devices * peak_rate * self.efficiency
        training_time = self.workload.training_flops / delivered_rate
        operations_per_token = _OPERATIONS_PER_PARAMETER_AND_TOKEN * trained
        training_tokens = self.workload.training_flops / operations_per_token

        step_operations = step_time = steps = step_energy = None
        if self.tokens_per_step is not None:
            step_operations = operations_per_token * self.tokens_per_step
            step_time = step_operations / delivered_rate
            steps = self.workload.training_flops / step_operations
            step_energy = None if tdp is None else self.n_devices * tdp * step_time
        energy = None if tdp is None else self.n_devices * tdp * training_time
        device_hours = self.n_devices * training_time
        rental_cost = None if self.hourly_price is None else device_hours * self.hourly_price
        return ClusterTrainingTimeResult(
            peak_rate=peak_rate,
            delivered_rate=delivered_rate,
            training_time=training_time,
            training_tokens=training_tokens,
            step_operations=step_operations,
            step_time=step_time,
            steps=steps,
            energy=energy,
            step_energy=step_energy,
            device_hours=device_hours,
            rental_cost=rental_cost,
        )

    def warnings(self, result: ClusterTrainingTimeResult) -> Iterator[Warning]:
        device, memory = self.hardware, self.hardware.memory.capacity
        yield from sparse_peak(device, self.peak_precision)
        if self.peak_precision is None:
            yield from other_format(device)
        yield from near_peak(self.efficiency)
        if self.workload.active_parameters is None:  # where they are stated, operations and tokens count only those
            yield from all_experts(self.workload, "the operations per token count")
        if device.tdp is None:
            yield Warning("power_unknown", f"{device.label} lists no rated power, so there is no energy")
        weights = self.workload.parameters * BYTES_PER_WEIGHT.get(self.peak_precision or "fp16", 0)
        if memory is not None and any_of(weights > self.n_devices * memory):
            yield Warning(
                "weights_exceed_memory",
                "the weights alone exceed the memory of all devices together, and training needs several times that",
            )
        if result.steps is not None and any_of(result.steps < 1):
            yield Warning("does_not_fit", "one step takes more tokens than the whole run")


class JacobianScenario(Scenario[JacobianResult]):
    """How large is the full Jacobian of one layer, the derivative of every output by every input?

    Entries and bytes of a dense matrix for one example. Nobody stores it: reverse mode multiplies by it without forming
    it, and the size says why. Says too much of two kinds of layer: the Jacobian of a linear one is its weight matrix,
    which is stored anyway, and that of an element-wise one is diagonal.

    Source: Baydin et al. (2018), section 3.2.

    >>> JacobianScenario(input_width=100_000, output_width=100_000, bytes_per_value="4 B").evaluate().size
    40000000000.0
    """

    title = "Size of a layer's full Jacobian"
    sources = (BAYDIN_2018,)
    notes = (
        "Each example has a Jacobian of its own: multiply by the batch.",
        "Devices are sold with GiB of memory, and 40 GB fill only 37.3 of them.",
    )

    input_width: AtLeastOne[Integer] = Input("how many values go into the layer")
    output_width: AtLeastOne[Integer] = Input("how many values come out of the layer")
    bytes_per_value: Positive[Data] = Input("width of a derivative", unit="byte")

    def evaluate(self) -> JacobianResult:
        elements = self.input_width * self.output_width
        size = elements * self.bytes_per_value
        return JacobianResult(elements=elements, size=size)

    def warnings(self, result: JacobianResult) -> Iterator[Warning]:
        yield from wide_values(bytes_per_value=self.bytes_per_value)


# Operators of the forward pass; the others of the table make up the backward pass.
_FORWARD = ("matmul1", "relu", "matmul2", "loss")


class MlpTrainingStepScenario(Scenario[MlpTrainingStepResult]):
    """What does it cost to train a small two-layer network eagerly, on the device and on the host that launches it?

    Counts what each forward and backward operator of a network with one hidden layer computes and moves, how long that
    takes the device at best, and how long the host needs to issue it. No operator finds anything in cache: operands
    come from memory and results go there. Adding the biases costs nothing beside the matrix multiplies. A network this
    small stays in cache, so the traffic is too high for it, and device and host overlap in practice where this adds
    them up.

    Source: Rumelhart et al. (1986) for the backward pass; Williams et al. (2009) for the two device times; Kingma and
    Ba (2015), algorithm 1, for what an optimizer update reads and writes.

    >>> step = MlpTrainingStepScenario(batch_size=32, input_width=784, hidden_width=128, output_width=10,
    ...     bytes_per_value="4 B", label_bytes="8 B", loss_flops_per_logit=3, optimizer_values_moved=7,
    ...     hardware="H100", dispatch="10 us", launch="5 us").evaluate()
    >>> f"{step.compute_time * 1e6:.2f} us of arithmetic, {step.host.host_time * 1e6:.0f} us of host work"
    '0.20 us of arithmetic, 95 us of host work'
    """

    title = "Launch cost of training a small two-layer network eagerly"
    sources = (RUMELHART_1986, WILLIAMS_2009, KINGMA_2015)
    notes = (
        "memory_time and host leave out the optimizer, whose traffic is reported apart. At small batches it "
        "can be most of the traffic: more than twice total_bytes for an MNIST network at batch 32.",
        "Against the host stands compute plus memory time. If they overlap perfectly the larger one alone "
        "remains, so that sum is not the least the device can take.",
        "Changing forward_ops and backward_ops moves the host side only; the table always has four operators "
        "forward and five backward.",
        "The framework is called once for each forward operator and once for all of backward; launches are one "
        "for every operator, forward and backward.",
        "Name a format that the device lists, or the request is refused. Where FP32 work runs on tensor cores as "
        "TF32, write tf32.",
    )

    batch_size: AtLeastOne[Integer] = Input("how many samples a step takes")
    input_width: AtLeastOne[Integer] = Input("how many values describe a sample")
    hidden_width: AtLeastOne[Integer] = Input("how many units the hidden layer has")
    output_width: AtLeastOne[Integer] = Input("how many classes there are, each with a logit")
    bytes_per_value: Positive[Data] = Input("bytes of a weight, an activation or a gradient, all alike", unit="byte")
    label_bytes: NonNegative[Data] = Input("bytes of the label of a sample", unit="byte")
    loss_flops_per_logit: NonNegative[Integer] = Input(
        "operations that softmax and cross-entropy are counted with, per logit"
    )
    optimizer_values_moved: NonNegative[Integer] = Input(
        "reads and writes of memory that updating one parameter takes (Adam reads weight, gradient and "
        "two moments and writes all but the gradient back: 7)"
    )
    hardware: Annotated[AnyHardware, Needs("memory.bandwidth")] = Input("accelerator that the network is trained on")
    precision: Annotated[Text, OneOf("keys(hardware.compute.rates)")] = Input(
        "format of the arithmetic, charged at its dense rate",
        default="fp32",
        why="what a framework uses unless told otherwise",
    )
    forward_ops: AtLeastOne[Integer] = Input(
        "how many operators go forward", default=4, why="the four of the operator table"
    )
    backward_ops: NonNegative[Integer] = Input(
        "how many operators go backward", default=5, why="the five of the operator table"
    )
    dispatch: NonNegative[Time] = Input("what a call of the framework takes the host", unit="us")
    launch: NonNegative[Time] = Input("what launching a kernel takes the host", unit="us")

    def evaluate(self) -> MlpTrainingStepResult:
        op_flops, op_bytes = self._operations(), self._traffic()
        forward_flops = sum(op_flops[name] for name in _FORWARD)
        backward_flops = sum(work for name, work in op_flops.items() if name not in _FORWARD)
        forward_bytes = sum(op_bytes[name] for name in _FORWARD)
        backward_bytes = sum(moved for name, moved in op_bytes.items() if name not in _FORWARD)
        total_flops = forward_flops + backward_flops
        total_bytes = forward_bytes + backward_bytes

        forward_multiplies = op_flops["matmul1"] + op_flops["matmul2"]
        backward_multiplies = op_flops["grad_w2"] + op_flops["grad_h"] + op_flops["grad_w1"]
        dense_training_ratio = (forward_multiplies + backward_multiplies) / forward_multiplies
        hidden_parameters = self.input_width * self.hidden_width + self.hidden_width
        output_parameters = self.hidden_width * self.output_width + self.output_width
        parameters = hidden_parameters + output_parameters
        optimizer_step_bytes = parameters * self.optimizer_values_moved * self.bytes_per_value

        peak_rate = self.hardware.compute.rates[self.precision]
        compute_time = total_flops / peak_rate
        memory_time = total_bytes / self.hardware.memory.bandwidth
        return MlpTrainingStepResult(
            op_flops=op_flops,
            op_bytes=op_bytes,
            forward_flops=forward_flops,
            backward_flops=backward_flops,
            forward_bytes=forward_bytes,
            backward_bytes=backward_bytes,
            total_flops=total_flops,
            total_bytes=total_bytes,
            dense_training_ratio=dense_training_ratio,
            parameters=parameters,
            optimizer_step_bytes=optimizer_step_bytes,
            peak_rate=peak_rate,
            compute_time=compute_time,
            memory_time=memory_time,
            host=self._host(compute_time + memory_time),
        )

    def _operations(self) -> dict[str, float]:
        """Work of each operator, two operations per multiply-accumulate."""
        hidden_values = self.batch_size * self.hidden_width
        logits = self.batch_size * self.output_width
        multiply1 = 2 * hidden_values * self.input_width
        multiply2 = 2 * hidden_values * self.output_width
        return {
            "matmul1": multiply1,
            "relu": hidden_values,
            "matmul2": multiply2,
            "loss": self.loss_flops_per_logit * logits,
            "grad_w2": multiply2,
            "grad_h": multiply2,
            "grad_w1": multiply1,
            "relu_backward": hidden_values,
            "loss_backward": 2 * logits,
        }

    def _traffic(self) -> dict[str, float]:
        """Bytes each operator reads and writes: its operands and its result, each once."""
        inputs = self.batch_size * self.input_width
        hidden_values = self.batch_size * self.hidden_width
        logits = self.batch_size * self.output_width
        weights1 = self.input_width * self.hidden_width
        weights2 = self.hidden_width * self.output_width
        values = {
            "matmul1": inputs + weights1 + hidden_values,
            "relu": 2 * hidden_values,
            "matmul2": hidden_values + weights2 + logits,
            "loss": 2 * logits,
            "grad_w2": hidden_values + logits + weights2,
            "grad_h": logits + weights2 + hidden_values,
            "grad_w1": inputs + hidden_values + weights1,
            "relu_backward": 2 * hidden_values + hidden_values,  # gradient and kept activation in, gradient out
            "loss_backward": 2 * logits,
        }
        moved = {name: self.bytes_per_value * count for name, count in values.items()}
        moved["loss_backward"] += self.label_bytes * self.batch_size
        return moved

    def _host(self, device_time: float) -> HostDispatchResult:
        """The host's cost of the step: one call per forward operator and one for the backward pass."""
        return HostDispatchScenario.model_construct(
            ops_per_block=self.forward_ops + 1,
            launches_per_block=self.forward_ops + self.backward_ops,
            dispatch=self.dispatch,
            launch=self.launch,
            device_time=device_time,
        ).evaluate()

    def warnings(self, result: MlpTrainingStepResult) -> Iterator[Warning]:
        if any_of(result.host.overhead_ratio > 1):
            yield Warning("overhead_dominated", "the host takes longer to issue the step than the device to run it")
        capacity = self.hardware.memory.capacity
        if capacity is not None and any_of(result.parameters * self.bytes_per_value > capacity):
            yield Warning("weights_exceed_memory", f"the weights do not fit the memory of {self.hardware.label}")
        yield from sparse_peak(self.hardware, self.precision)
        yield from wide_values(bytes_per_value=self.bytes_per_value)


class SelfContainedReplicaScenario(Scenario[SelfContainedReplicaResult]):
    """What is the fewest accelerators on which one complete copy of a model's training state fits?

    Tensor parallelism spans one node and pipeline depth is a power of two; all accelerators hold equal parts of the
    state. Leave some room: activations, buffers and stages of unequal size take memory that is not counted here.

    Source: Narayanan et al. (2021), section 3 (tensor parallelism inside a node, pipelines across nodes); Rajbhandari
    et al. (2020), section 3.1 (16 bytes of training state per parameter).

    >>> replica = SelfContainedReplicaScenario(workload="GPT3", fleet="Training_1K", bytes_per_param="16 B")
    >>> replica.evaluate().replica_gpus
    64
    """

    title = "Smallest unsharded model replica on a cluster"
    sources = (NARAYANAN_2021, RAJBHANDARI_2020)
    notes = (
        "A depth beyond the layers of the model, or a replica beyond the fleet, is answered all the same, with a "
        "warning.",
        "Look at the unit of a device's capacity: 80 GiB are 85.9 GB.",
    )
    rules = (
        Rule(
            "workload.parameters * bytes_per_param "
            "<= 2 ** 63 * fleet.node.accelerators_per_node * fleet.node.accelerator.memory.capacity",
            at="bytes_per_param",
            because="no pipeline is deeper than 2^63 stages",
        ),
    )

    workload: Annotated[AnyWorkload, Needs("parameters")] = Input("model whose training state has to fit")
    fleet: Annotated[AnyFleet, Needs("node.accelerators_per_node", "node.accelerator.memory.capacity")] = Input(
        "cluster to fit it on, of which the size of a node and the memory of an accelerator count"
    )
    bytes_per_param: Positive[Data] = Input(
        "bytes that training keeps for each parameter; Adam in mixed precision keeps 16 (weight 2, "
        "gradient 2, master copy 4, moments 8)",
        unit="byte",
    )

    def evaluate(self) -> SelfContainedReplicaResult:
        node = self.fleet.node
        tensor_parallel = node.accelerators_per_node
        state = self.workload.parameters * self.bytes_per_param
        memory = tensor_parallel * node.accelerator.memory.capacity
        if not np.all(np.isfinite(state)) or not np.all(np.isfinite(memory)):
            raise EvaluationError("the training state is beyond the range of a double for these inputs")
        nodes = state / memory
        depth = power_of_two_at_least(nodes)
        # The quotient may be rounded across a power of two; the products decide.
        depth = select(state > depth * memory, 2 * depth, depth)
        pipeline_depth = select((depth > 1) & (state <= depth // 2 * memory), depth // 2, depth)
        return SelfContainedReplicaResult(
            tensor_parallel=tensor_parallel,
            pipeline_depth=pipeline_depth,
            replica_gpus=tensor_parallel * pipeline_depth,
        )

    def warnings(self, result: SelfContainedReplicaResult) -> Iterator[Warning]:
        layers, count = self.workload.layers, self.fleet.count
        if layers is not None and any_of(result.pipeline_depth > layers):
            yield Warning("pipeline_deeper_than_layers", f"{self.workload.label} has {counted(layers, 'layer')}")
        if count is not None and any_of(result.replica_gpus > count * self.fleet.node.accelerators_per_node):
            yield Warning("replica_exceeds_fleet", f"{self.fleet.label} has {counted(count, 'node')}")
