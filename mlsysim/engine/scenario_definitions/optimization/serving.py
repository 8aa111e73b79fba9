"""Scenarios about serving a model: what has to be read, held and shared."""

from collections.abc import Iterator
from typing import Annotated

from mlsysim.catalog import AnyHardware, AnyWorkload
from mlsysim.engine.bibliography import DEEPSEEK_2024, POPE_2022, SHAZEER_2019
from mlsysim.engine.result_types.optimization.serving import WeightReadResult
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import Warning, any_of
from mlsysim.fields import Data, EnergyPerByte, Integer, Needs, NonNegative, Positive

__all__ = ["WeightReadScenario"]


class WeightReadScenario(Scenario[WeightReadResult]):
    """How long does memory bandwidth alone make a single input take, one image or one generated token?

    Every weight crosses the memory bus once per input. Optionally adds the key-value cache of one sequence, and a
    separate step that unpacks narrow weights before use. Arithmetic and software overhead are ignored, so this is a
    floor; it stops being one where weights stay in cache between inputs.

    Source: Pope et al. (2022), section 2; cache of grouped heads after Shazeer (2019), of compressed latents after
    DeepSeek-AI (2024), section 2.1.

    >>> token = WeightReadScenario(workload="Llama2_7B", hardware="H100", bytes_per_weight="2 B").evaluate()
    >>> f"{token.read_time * 1e3:.2f} ms per token at best"
    '4.18 ms per token at best'
    """

    title = "Time to read every weight once"
    sources = (POPE_2022, SHAZEER_2019, DEEPSEEK_2024)
    notes = (
        "read_power equals energy_per_byte times memory bandwidth for every model and can exceed the device's rated "
        "power; then the full bandwidth cannot be sustained.",
        "A model without attention heads has no cache to size, so a context is an error for it.",
        "A sparse mixture reads only its active experts per token; this floor reads all parameters and is too high "
        "for it.",
        "Weights must fit the memory, and a context longer than the model's context_length makes no sense; neither is "
        "checked.",
        "Four-bit formats store scales besides the codes; 4.5 bits (0.5625 bytes) is closer than 0.5.",
        "read_energy covers the weights only, not the cache.",
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
    hardware: Annotated[AnyHardware, Needs("memory.bandwidth")] = Input("device whose main memory holds the weights")
    bytes_per_weight: Positive[Data] = Input("stored bytes per weight, 0.5 for four bits", unit="byte")
    energy_per_byte: NonNegative[EnergyPerByte] | None = Input(
        "price of reading one byte", unit="pJ/byte", default=None
    )
    context_tokens: NonNegative[Integer] | None = Input("tokens whose keys and values are cached", default=None)
    kv_bytes_per_value: Positive[Data] | None = Input("bytes per cached value", unit="byte", default=None)
    unpacked_bytes_per_weight: Positive[Data] | None = Input(
        "bytes per weight after a separate unpacking step", unit="byte", default=None
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
            yield Warning("context_beyond_model", f"{model.label} takes at most {longest} tokens")
        if model.active_parameters is not None:
            yield Warning("all_experts_counted", f"a token reads only {model.active_parameters:g} parameters")
        if device.memory.capacity is not None and any_of(result.weight_bytes > device.memory.capacity):
            yield Warning("weights_exceed_memory", f"the weights do not fit the memory of {device.label}")
        if result.read_power is not None and device.tdp is not None and any_of(result.read_power > device.tdp):
            yield Warning("power_above_rating", f"{device.label} is rated for {device.tdp:g} W")

    @property
    def _values_per_token(self) -> int:
        """Values cached per token over all layers: keys and values of each head, or one latent with a rotary key."""
        model = self.workload
        layers, heads = model.layers or 0, model.heads or 0
        if model.kv_lora_rank is not None and model.qk_rope_head_dim is not None:
            return layers * (model.kv_lora_rank + model.qk_rope_head_dim)
        head_dim = model.head_dim or (model.hidden_dim or 0) // heads
        return layers * 2 * (model.kv_heads or heads) * head_dim
