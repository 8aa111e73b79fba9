"""Scenarios about training runs: their time, their memory and what scale does to both."""

from collections.abc import Iterator
from typing import Annotated

from mlsysim.catalog import AnyFleet, AnyHardware, AnyWorkload
from mlsysim.engine.arithmetic import power_of_two_at_least
from mlsysim.engine.bibliography import CHOWDHERY_2022, HOFFMANN_2022, KAPLAN_2020, NARAYANAN_2021, RAJBHANDARI_2020
from mlsysim.engine.result_types.optimization.training import ClusterTrainingTimeResult, SelfContainedReplicaResult
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import Warning, any_of, sparse_peak
from mlsysim.fields import AtLeastOne, Data, Integer, MoneyRate, Needs, NonNegative, OneOf, Positive, Share, Text

__all__ = ["ClusterTrainingTimeScenario", "SelfContainedReplicaScenario"]

# Operations per parameter and token of training: 2 forward, 4 backward (Kaplan et al. 2020, section 2.1).
_OPERATIONS_PER_PARAMETER_AND_TOKEN = 6


class ClusterTrainingTimeScenario(Scenario[ClusterTrainingTimeResult]):
    """How long does a training run take at a fixed utilization, and what energy and rent follow?

    The run's operations over the rate that all devices sustain together. Assumes a compute-bound run that scales
    perfectly: communication, stalls and restarts live inside the utilization. 6 operations per parameter and token
    hold for transformers without recomputation; of a mixture of experts only the active parameters count.

    Source: Kaplan et al. (2020), section 2.1, C = 6 N D; Chowdhery et al. (2022), appendix B, for the utilization.

    >>> run = ClusterTrainingTimeScenario(workload="GPT3", hardware="A100", n_devices=1024, efficiency=0.45).evaluate()
    >>> f"{run.training_time / 86400:.1f} days"
    '25.3 days'
    """

    title = "Training time, energy and rent of a run at a fixed utilization"
    sources = (KAPLAN_2020, HOFFMANN_2022, CHOWDHERY_2022)
    notes = (
        "efficiency is a share: 45 percent is 0.45. Utilization measured on one node is too high for a large cluster.",
        "Use dense peaks. A peak with sparsity halves the predicted time of a dense run. A format the hardware lists "
        "no rate for is an error; there is no fallback.",
        "One price of a node or a pod is not a device price; divide it first.",
        "The energy leaves out hosts, network and cooling, and real draw is often below TDP.",
        "Utilization held equal across formats or cluster sizes is an assumption, not a result.",
    )

    workload: Annotated[AnyWorkload, Needs("training_flops", "parameters")] = Input(
        "the model and the operations of its training run"
    )
    hardware: Annotated[AnyHardware, Needs("compute.peak")] = Input("the device")
    n_devices: AtLeastOne[Integer] = Input("number of devices")
    efficiency: Positive[Share] = Input("achieved share of peak over the whole run (MFU)")
    tokens_per_step: AtLeastOne[Integer] | None = Input("tokens in one optimizer step over all devices", default=None)
    hourly_price: NonNegative[MoneyRate] | None = Input("rent of one device", unit="USD/h", default=None)
    peak_precision: Annotated[Text, OneOf("keys(hardware.compute.rates)")] | None = Input(
        "number format whose dense peak is used; absent means the dense FP16 reference peak", default=None
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
        if self.peak_precision is None and (sparse := sparse_peak(self.hardware)) is not None:
            yield sparse
        if self.hardware.tdp is None:
            yield Warning("power_unknown", f"{self.hardware.label} lists no rated power, so there is no energy")


class SelfContainedReplicaScenario(Scenario[SelfContainedReplicaResult]):
    """What is the fewest accelerators on which one complete copy of a model's training state fits?

    Tensor parallelism spans one node and pipeline depth is a power of two; the state is split evenly. Activations,
    buffers and uneven stages need room too, so a replica that just fits here will not fit in practice.

    Source: Narayanan et al. (2021), section 3 (tensor parallelism inside a node, pipelines across nodes); Rajbhandari
    et al. (2020), section 3.1 (16 bytes of training state per parameter).

    >>> replica = SelfContainedReplicaScenario(workload="GPT3", fleet="Training_1K", bytes_per_param="16 B")
    >>> replica.evaluate().replica_gpus
    64
    """

    title = "Smallest unsharded model replica on a cluster"
    sources = (NARAYANAN_2021, RAJBHANDARI_2020)
    notes = (
        "Neither the number of layers nor the size of the fleet limits the depth; compare pipeline_depth with "
        "workload.layers and replica_gpus with fleet.count x accelerators_per_node yourself.",
        "Capacity is in bytes: an 80 GiB device has 85.9 GB.",
    )
    rules = (
        Rule(
            "workload.parameters * bytes_per_param "
            "<= 2 ** 63 * fleet.node.accelerators_per_node * fleet.node.accelerator.memory.capacity",
            at="bytes_per_param",
            because="no pipeline is deeper than 2^63 stages",
        ),
    )

    workload: Annotated[AnyWorkload, Needs("parameters")] = Input("model to train")
    fleet: Annotated[AnyFleet, Needs("node.accelerators_per_node", "node.accelerator.memory.capacity")] = Input(
        "cluster, for its node size and accelerator memory"
    )
    bytes_per_param: Positive[Data] = Input(
        "training state per parameter (16 for mixed precision with Adam: 2 weight, 2 gradient, 4 master copy, "
        "8 moments)",
        unit="byte",
    )

    def evaluate(self) -> SelfContainedReplicaResult:
        node = self.fleet.node
        tensor_parallel = node.accelerators_per_node
        state = self.workload.parameters * self.bytes_per_param
        nodes = state / (tensor_parallel * node.accelerator.memory.capacity)
        pipeline_depth = power_of_two_at_least(nodes)
        return SelfContainedReplicaResult(
            tensor_parallel=tensor_parallel,
            pipeline_depth=pipeline_depth,
            replica_gpus=tensor_parallel * pipeline_depth,
        )

    def warnings(self, result: SelfContainedReplicaResult) -> Iterator[Warning]:
        layers, count = self.workload.layers, self.fleet.count
        if layers is not None and any_of(result.pipeline_depth > layers):
            yield Warning("pipeline_deeper_than_layers", f"{self.workload.label} has {layers} layers")
        if count is not None and any_of(result.replica_gpus > count * self.fleet.node.accelerators_per_node):
            yield Warning("replica_exceeds_fleet", f"{self.fleet.label} has {count} nodes")
