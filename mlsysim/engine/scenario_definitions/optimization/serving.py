"""Scenarios about serving a model: what has to be read, held and shared."""

from collections.abc import Iterator
from typing import Annotated

from mlsysim.catalog import AnyHardware, AnyWorkload
from mlsysim.engine.arithmetic import ceil
from mlsysim.engine.bibliography import (
    DEEPSEEK_2024,
    DEEPSEEK_V3,
    MIG_GUIDE,
    POPE_2022,
    SHAZEER_2017,
    SHAZEER_2019,
    SHEN_2019,
)
from mlsysim.engine.result_types.optimization.serving import (
    ExpertWeightTrafficResult,
    ServingConsolidationResult,
    WeightReadResult,
)
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import Warning, all_experts, any_of, bytes_or_words, wide_values
from mlsysim.errors import counted
from mlsysim.fields import AtLeastOne, Data, EnergyPerByte, Integer, MoneyRate, Needs, NonNegative, Positive, Real
from mlsysim.units.vocabulary import BILLING_YEAR

__all__ = ["ExpertWeightTrafficScenario", "ServingConsolidationScenario", "WeightReadScenario"]


class ExpertWeightTrafficScenario(Scenario[ExpertWeightTrafficResult]):
    """How many weights does a mixture-of-experts model hold in memory, and how many does one token read?

    Counts bytes, beside those of a dense model that reads all it holds, and no times. It counts them for one token:
    tokens of a batch pick different experts, so that a step of many tokens reads up to everything the model holds, and
    the advantage shrinks.

    Source: Shazeer et al. (2017), section 2, for experts of which a token uses few; DeepSeek-AI (2024), DeepSeek-V3.

    >>> traffic = ExpertWeightTrafficScenario(workload="DeepSeek_V3", dense_parameters=400e9, bytes_per_param="2 B")
    >>> round(traffic.evaluate().resident_to_active, 1), round(traffic.evaluate().dense_to_active, 1)
    (18.1, 10.8)
    """

    title = "Weights held and weights read by a mixture-of-experts model"
    sources = (SHAZEER_2017, DEEPSEEK_V3)
    notes = (
        "One token reads active_bytes. In a batch each token has experts of its own, and together they may read "
        "all of resident_bytes.",
        "Only weights are counted, not the key-value cache and not activations.",
        "Convert bits to bytes for bytes_per_param: 2 for FP16, 1 for FP8, 0.5 for INT4.",
        "Only a mixture of experts will do, because a dense model does not state active parameters.",
    )
    rules = (
        Rule(
            "workload.active_parameters <= workload.parameters",
            at="workload",
            because="a token cannot use more parameters than there are",
        ),
    )

    workload: Annotated[AnyWorkload, Needs("parameters", "active_parameters")] = Input("mixture-of-experts model")
    dense_parameters: Positive[Real] = Input("size of a dense model to compare with, in parameters")
    bytes_per_param: Positive[Data] = Input("width of a weight in either model", unit="byte")

    def evaluate(self) -> ExpertWeightTrafficResult:
        active_parameters = self.workload.active_parameters
        assert active_parameters is not None
        resident_bytes = self.workload.parameters * self.bytes_per_param
        active_bytes = active_parameters * self.bytes_per_param
        dense_bytes = self.dense_parameters * self.bytes_per_param
        resident_to_active = resident_bytes / active_bytes
        dense_to_active = dense_bytes / active_bytes
        return ExpertWeightTrafficResult(
            resident_bytes=resident_bytes,
            active_bytes=active_bytes,
            dense_bytes=dense_bytes,
            resident_to_active=resident_to_active,
            dense_to_active=dense_to_active,
        )

    def warnings(self, result: ExpertWeightTrafficResult) -> Iterator[Warning]:
        if any_of(result.resident_to_active == 1):
            yield Warning("no_gain", f"a token of {self.workload.label} reads all its parameters")
        if any_of(result.dense_to_active <= 1):
            yield Warning("no_gain", f"the dense model reads no more per token than {self.workload.label}")
        yield from wide_values(bytes_per_param=self.bytes_per_param)


class ServingConsolidationScenario(Scenario[ServingConsolidationResult]):
    """How many devices, and how much money, does it save when small models share devices instead of holding one each?

    Small models are packed a fixed number to a device, next to large models that keep their own devices. Memory alone
    decides what fits: the load is assumed to allow the sharing, which stops being so where tenants are busy at the same
    time and wait for each other.

    Source: Shen et al. (2019) for packing models onto shared GPUs; the MIG user guide for partitions of a device.

    >>> serving = ServingConsolidationScenario(device_memory="80 GB", small_footprint="26 GB", tenants=2, n_small=101,
    ...     large_model="GPT3", n_large=10, gpus_per_large=8, bytes_per_param="2 B", device_hour_rate="2 USD/h")
    >>> serving.evaluate().shared_small_gpus, serving.evaluate().saved_gpus
    (51, 50)
    """

    title = "Sharing GPUs between small serving models"
    sources = (SHEN_2019, MIG_GUIDE)
    notes = (
        "The last device may be shared by fewer models than the others: 101 models, two to a device, take 51.",
        "What has no room is refused: tenants beyond the memory of their device, a large model beyond that of its"
        " devices. A partition is only compared with, so one that is too small has an idle share below zero.",
        "Decide between GB and GiB for device_memory and stay with it: 80 GB are 80e9 bytes, 80 GiB are 85.9e9.",
        "Every utilization is a share of memory and says nothing of how busy the device computes.",
    )
    rules = (
        Rule(
            "tenants * small_footprint <= device_memory",
            at="tenants",
            because="all tenants of a device have to fit its memory",
        ),
        Rule(
            "large_model.parameters * bytes_per_param <= gpus_per_large * device_memory",
            at="gpus_per_large",
            because="a large model's weights must fit the devices it holds",
        ),
    )

    device_memory: Positive[Data] = Input("memory that models may take on a device", unit="GB")
    partition_memory: Positive[Data] | None = Input(
        "size of a hardware partition, to see what it would leave idle", unit="GB", default=None
    )
    small_model: AnyWorkload | None = Input("small model; recorded only, its size is small_footprint", default=None)
    small_footprint: Positive[Data] = Input("what a small model takes with weights, cache and activations", unit="GB")
    tenants: AtLeastOne[Integer] = Input("how many small models go on one device")
    n_small: AtLeastOne[Integer] = Input("how many small models there are")
    large_model: Annotated[AnyWorkload, Needs("parameters")] = Input(
        "model that needs several devices; its parameters give its weights"
    )
    n_large: NonNegative[Integer] = Input("how many large models there are")
    gpus_per_large: AtLeastOne[Integer] = Input("devices set aside for each large model")
    bytes_per_param: Positive[Data] = Input("width of a weight of the large model", unit="byte")
    device_hour_rate: NonNegative[MoneyRate] = Input("price of one device", unit="USD/h")

    def evaluate(self) -> ServingConsolidationResult:
        device_memory, small_footprint = self.device_memory, self.small_footprint
        exclusive_unused = (device_memory - small_footprint) / device_memory
        shared_footprint = self.tenants * small_footprint
        shared_unused = (device_memory - shared_footprint) / device_memory
        partition_unused = None
        if self.partition_memory is not None:
            partition_unused = (self.partition_memory - small_footprint) / self.partition_memory

        large_weights = self.large_model.parameters * self.bytes_per_param
        min_devices_large = ceil(large_weights / device_memory)
        large_gpus = self.n_large * self.gpus_per_large
        exclusive_gpus = self.n_small + large_gpus
        shared_small_gpus = -(-self.n_small // self.tenants)
        shared_gpus = shared_small_gpus + large_gpus
        saved_gpus = exclusive_gpus - shared_gpus
        saved_share = saved_gpus / exclusive_gpus

        exclusive_utilization = small_footprint / device_memory
        shared_utilization = shared_footprint / device_memory
        annual_value = saved_gpus * self.device_hour_rate * BILLING_YEAR
        return ServingConsolidationResult(
            exclusive_unused=exclusive_unused,
            shared_footprint=shared_footprint,
            shared_unused=shared_unused,
            partition_unused=partition_unused,
            large_weights=large_weights,
            min_devices_large=min_devices_large,
            large_gpus=large_gpus,
            exclusive_gpus=exclusive_gpus,
            shared_small_gpus=shared_small_gpus,
            shared_gpus=shared_gpus,
            saved_gpus=saved_gpus,
            saved_share=saved_share,
            exclusive_utilization=exclusive_utilization,
            shared_utilization=shared_utilization,
            annual_value=annual_value,
        )

    def warnings(self, result: ServingConsolidationResult) -> Iterator[Warning]:
        if any_of(result.saved_gpus == 0):
            yield Warning("no_gain", "sharing sets no device free")
        if result.partition_unused is not None and any_of(result.partition_unused < 0):
            yield Warning("does_not_fit", "the small model does not fit the partition")
        yield from wide_values(bytes_per_param=self.bytes_per_param)


class WeightReadScenario(Scenario[WeightReadResult]):
    """How long does memory bandwidth alone make a single input take, one image or one generated token?

    Every weight crosses the memory bus once per input. Given a context, the keys and values cached for it are read as
    well, and narrow weights can be unpacked in a step of their own. With neither arithmetic nor software overhead in
    it, the time is a floor; it stops being one where weights stay in cache between inputs.

    Source: Pope et al. (2022), section 2; cache of grouped heads after Shazeer (2019), of compressed latents after
    DeepSeek-AI (2024), section 2.1.

    >>> token = WeightReadScenario(workload="Llama2_7B", hardware="H100", bytes_per_weight="2 B").evaluate()
    >>> f"{token.read_time * 1e3:.2f} ms per token at best"
    '4.18 ms per token at best'
    """

    title = "Time to read every weight once"
    sources = (POPE_2022, SHAZEER_2019, DEEPSEEK_2024)
    notes = (
        "The model makes no difference to read_power, which is energy_per_byte times the memory bandwidth. If "
        "that is more than the device's rated power, it cannot read at full bandwidth for long.",
        "Give no context for a model that has no attention heads; without a cache to size, it is refused.",
        "All parameters are read here. A mixture of experts reads fewer per token, so its floor is lower than "
        "this one.",
        "Weights that do not fit the memory, and a context beyond the model's context_length, give a warning.",
        "With 4-bit weights count the scales too, and write 4.5 bits, or 0.5625 bytes, rather than 0.5.",
        "The cache costs energy as well, which read_energy leaves out.",
    )
    rules = (
        Rule(
            "(context_tokens is None) == (kv_bytes_per_value is None)",
            at="context_tokens",
            because="a cache needs both its length and the width of its values",
        ),
        Rule(
            "unpacked_bytes_per_weight is None or unpacked_bytes_per_weight >= bytes_per_weight",
            at="unpacked_bytes_per_weight",
        ),
        Rule(
            "context_tokens is None or workload.layers is not None and workload.layers >= 1",
            at="workload",
            because="a cache is kept per layer",
        ),
        Rule(
            "context_tokens is None or workload.kv_lora_rank is not None and workload.qk_rope_head_dim is not None "
            "or workload.heads is not None and (workload.head_dim or workload.hidden_dim) is not None",
            at="workload",
            because="a cache is kept per attention head, or as a compressed latent",
        ),
    )

    workload: Annotated[AnyWorkload, Needs("parameters")] = Input("model")
    hardware: Annotated[AnyHardware, Needs("memory.bandwidth")] = Input(
        "device that reads the weights from its main memory"
    )
    bytes_per_weight: Positive[Data] = Input("width of a stored weight; four bits are 0.5", unit="byte")
    energy_per_byte: NonNegative[EnergyPerByte] | None = Input(
        "energy that reading a byte costs", unit="pJ/byte", default=None
    )
    context_tokens: NonNegative[Integer] | None = Input("how many tokens the cache holds", default=None)
    kv_bytes_per_value: Positive[Data] | None = Input("width of a key or value in the cache", unit="byte", default=None)
    unpacked_bytes_per_weight: Positive[Data] | None = Input(
        "width of a weight once a step of its own has unpacked it", unit="byte", default=None
    )

    def evaluate(self) -> WeightReadResult:
        bandwidth = self.hardware.memory.bandwidth
        weight_bytes = self.workload.parameters * self.bytes_per_weight
        read_time = weight_bytes / bandwidth
        read_energy = None if self.energy_per_byte is None else weight_bytes * self.energy_per_byte
        read_power = None if read_energy is None else read_energy / read_time

        kv_cache_bytes = token_bytes = token_time = token_rate = None
        separate_unpack_bytes = separate_unpack_time = None
        if self.context_tokens is not None and self.kv_bytes_per_value is not None:
            kv_cache_bytes = self.context_tokens * self._values_per_token * self.kv_bytes_per_value
            token_bytes = weight_bytes + kv_cache_bytes
            token_time = token_bytes / bandwidth
            token_rate = 1 / token_time
            if self.unpacked_bytes_per_weight is not None:
                unpacked_bytes = self.workload.parameters * self.unpacked_bytes_per_weight
                separate_unpack_bytes = weight_bytes + 2 * unpacked_bytes + kv_cache_bytes
                separate_unpack_time = separate_unpack_bytes / bandwidth
        return WeightReadResult(
            weight_bytes=weight_bytes,
            read_time=read_time,
            read_energy=read_energy,
            read_power=read_power,
            kv_cache_bytes=kv_cache_bytes,
            token_bytes=token_bytes,
            token_time=token_time,
            token_rate=token_rate,
            separate_unpack_bytes=separate_unpack_bytes,
            separate_unpack_time=separate_unpack_time,
        )

    def warnings(self, result: WeightReadResult) -> Iterator[Warning]:
        model, device = self.workload, self.hardware
        longest = model.context_length
        if self.context_tokens is not None and longest is not None and any_of(self.context_tokens > longest):
            yield Warning("context_beyond_model", f"{model.label} takes at most {counted(longest, 'token')}")
        yield from all_experts(model, "the time counts")
        capacity = device.memory.capacity
        if capacity is not None and any_of(result.weight_bytes > capacity):
            yield Warning("weights_exceed_memory", f"the weights do not fit the memory of {device.label}")
        elif capacity is not None and result.token_bytes is not None and any_of(result.token_bytes > capacity):
            yield Warning("does_not_fit", f"weights and cache together do not fit the memory of {device.label}")
        if result.read_power is not None and device.tdp is not None and any_of(result.read_power > device.tdp):
            yield Warning(
                "power_above_rating",
                f"reading at full bandwidth takes more than the {device.tdp:g} W of {device.label}",
            )
        yield from bytes_or_words(self.energy_per_byte)
        if self.unpacked_bytes_per_weight is not None and any_of(
            self.unpacked_bytes_per_weight == self.bytes_per_weight
        ):
            yield Warning("no_gain", "the weights are stored as wide as they are unpacked")
        yield from wide_values(bytes_per_weight=self.bytes_per_weight, kv_bytes_per_value=self.kv_bytes_per_value)

    @property
    def _values_per_token(self) -> int:
        """Values cached per token over all layers: keys and values of each head, or one latent with a rotary key."""
        model = self.workload
        layers, heads = model.layers or 0, model.heads or 0
        if model.kv_lora_rank is not None and model.qk_rope_head_dim is not None:
            return layers * (model.kv_lora_rank + model.qk_rope_head_dim)
        head_dim = model.head_dim or (model.hidden_dim or 0) // heads
        return layers * 2 * (model.kv_heads or heads) * head_dim
