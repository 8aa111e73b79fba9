"""Results of the scenarios about serving."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Data, Energy, Frequency, Power, Time

__all__ = ["WeightReadResult"]


class WeightReadResult(Result):
    """Time to read every weight once."""

    weight_bytes: Data = Output(
        "stored size of the weights", unit="GB", formula="workload.parameters * bytes_per_weight"
    )
    read_time: Time = Output("least time to read them", unit="ms", formula="weight_bytes / hardware.memory.bandwidth")
    read_energy: Energy | None = Output(
        "energy to read them",
        unit="J",
        formula="weight_bytes * energy_per_byte",
        defined_if="energy_per_byte is not None",
        undefined="no energy per byte is given",
    )
    read_power: Power | None = Output(
        "power of reading at full bandwidth",
        unit="W",
        formula="read_energy / read_time",
        defined_if="energy_per_byte is not None",
        undefined="no energy per byte is given",
    )
    kv_cache_bytes: Data | None = Output(
        (
            "cache of one sequence: a key and a value per key-value head and layer, or one latent plus "
            "rotary key per layer when the model compresses its cache"
        ),
        unit="MB",
        formula=(
            "context_tokens * workload.layers * kv_bytes_per_value * (workload.kv_lora_rank + "
            "workload.qk_rope_head_dim if workload.kv_lora_rank is not None and workload.qk_rope_head_dim"
            " is not None else 2 * (workload.kv_heads or workload.heads) * (workload.head_dim or "
            "workload.hidden_dim // workload.heads))"
        ),
        defined_if="context_tokens is not None",
        undefined="no context is given",
    )
    token_bytes: Data | None = Output(
        "bytes read per generated token",
        unit="GB",
        formula="weight_bytes + kv_cache_bytes",
        defined_if="context_tokens is not None",
        undefined="no context is given",
    )
    token_time: Time | None = Output(
        "least time per generated token",
        unit="ms",
        formula="token_bytes / hardware.memory.bandwidth",
        defined_if="context_tokens is not None",
        undefined="no context is given",
    )
    token_rate: Frequency | None = Output(
        "most tokens per second for one sequence",
        unit="1/s",
        formula="1 / token_time",
        defined_if="context_tokens is not None",
        undefined="no context is given",
    )
    separate_unpack_bytes: Data | None = Output(
        "bytes per token when unpacked weights are written out and read back",
        unit="GB",
        formula="weight_bytes + 2 * workload.parameters * unpacked_bytes_per_weight + kv_cache_bytes",
        defined_if="context_tokens is not None and unpacked_bytes_per_weight is not None",
        undefined="no context or no unpacked width is given",
    )
    separate_unpack_time: Time | None = Output(
        "least time per token in that case",
        unit="ms",
        formula="separate_unpack_bytes / hardware.memory.bandwidth",
        defined_if="context_tokens is not None and unpacked_bytes_per_weight is not None",
        undefined="no context or no unpacked width is given",
    )
