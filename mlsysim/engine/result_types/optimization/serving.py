"""Results of the scenarios about serving."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Data, Energy, Frequency, Integer, Money, Power, Real, Time

__all__ = ["ExpertWeightTrafficResult", "ServingConsolidationResult", "WeightReadResult"]


class ExpertWeightTrafficResult(Result):
    """Weights held and weights read by a mixture-of-experts model."""

    resident_bytes: Data = Output(
        "weights that memory has to hold", unit="GB", formula="workload.parameters * bytes_per_param"
    )
    active_bytes: Data = Output(
        "weights that one token has to read", unit="GB", formula="workload.active_parameters * bytes_per_param"
    )
    dense_bytes: Data = Output(
        "weights that the dense model holds, and reads for each token",
        unit="GB",
        formula="dense_parameters * bytes_per_param",
    )
    resident_to_active: Real = Output("how many times more is held than read", formula="resident_bytes / active_bytes")
    dense_to_active: Real = Output("how many times more the dense model reads", formula="dense_bytes / active_bytes")


class ServingConsolidationResult(Result):
    """Sharing GPUs between small serving models."""

    exclusive_unused: Real = Output(
        "share of a device's memory that is idle when a small model has it to itself",
        formula="(device_memory - small_footprint) / device_memory",
    )
    shared_footprint: Data = Output(
        "memory taken where a device is shared in full", unit="GB", formula="tenants * small_footprint"
    )
    shared_unused: Real = Output(
        "share of a shared device's memory that is idle",
        formula="(device_memory - shared_footprint) / device_memory",
    )
    partition_unused: Real | None = Output(
        "share of the partition's memory that is idle with one small model; negative where it is too small",
        formula="(partition_memory - small_footprint) / partition_memory",
        defined_if="partition_memory is not None",
        undefined="no partition is given",
    )
    large_weights: Data = Output(
        "bytes of the large model's weights", unit="GB", formula="large_model.parameters * bytes_per_param"
    )
    min_devices_large: Integer = Output(
        "fewest devices whose memory holds the large model's weights", formula="ceil(large_weights / device_memory)"
    )
    large_gpus: Integer = Output("devices set aside for all large models", formula="n_large * gpus_per_large")
    exclusive_gpus: Integer = Output("devices if every small model has its own", formula="n_small + large_gpus")
    shared_small_gpus: Integer = Output(
        "devices that the small models take when they share; the last may have room left",
        formula="-(-n_small // tenants)",
    )
    shared_gpus: Integer = Output("devices if small models share", formula="shared_small_gpus + large_gpus")
    saved_gpus: Integer = Output("devices that sharing saves", formula="exclusive_gpus - shared_gpus")
    saved_share: Real = Output(
        "devices that sharing saves, as a share of those without sharing", formula="saved_gpus / exclusive_gpus"
    )
    exclusive_utilization: Real = Output(
        "share of a device's memory in use when a small model has it to itself",
        formula="small_footprint / device_memory",
    )
    shared_utilization: Real = Output(
        "share of a shared device's memory in use", formula="shared_footprint / device_memory"
    )
    annual_value: Money = Output(
        "what the saved devices would cost in 8,760 hours",
        unit="USD",
        formula="saved_gpus * device_hour_rate * 31536000",
    )


class WeightReadResult(Result):
    """Time to read every weight once."""

    weight_bytes: Data = Output(
        "bytes of all weights as stored", unit="GB", formula="workload.parameters * bytes_per_weight"
    )
    read_time: Time = Output(
        "what reading all weights takes at full bandwidth",
        unit="ms",
        formula="weight_bytes / hardware.memory.bandwidth",
    )
    read_energy: Energy | None = Output(
        "what reading all weights costs in energy",
        unit="J",
        formula="weight_bytes * energy_per_byte",
        defined_if="energy_per_byte is not None",
        undefined="what a byte costs is not known",
    )
    read_power: Power | None = Output(
        "power drawn while weights are read that fast",
        unit="W",
        formula="read_energy / read_time",
        defined_if="energy_per_byte is not None",
        undefined="what a byte costs is not known",
    )
    kv_cache_bytes: Data | None = Output(
        (
            "what one sequence keeps in the cache: for each layer a key and a value of every key-value head "
            "or, in a model with a compressed cache, one latent with its rotary key"
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
        "weights and cache, all of which a new token reads",
        unit="GB",
        formula="weight_bytes + kv_cache_bytes",
        defined_if="context_tokens is not None",
        undefined="no context is given",
    )
    token_time: Time | None = Output(
        "what a token takes at full bandwidth",
        unit="ms",
        formula="token_bytes / hardware.memory.bandwidth",
        defined_if="context_tokens is not None",
        undefined="no context is given",
    )
    token_rate: Frequency | None = Output(
        "tokens per second that a single sequence can have at most",
        unit="1/s",
        formula="1 / token_time",
        defined_if="context_tokens is not None",
        undefined="no context is given",
    )
    separate_unpack_bytes: Data | None = Output(
        "what a token moves if weights are unpacked to memory first and read again from there",
        unit="GB",
        formula="weight_bytes + 2 * workload.parameters * unpacked_bytes_per_weight + kv_cache_bytes",
        defined_if="context_tokens is not None and unpacked_bytes_per_weight is not None",
        undefined={
            "context_tokens is None": "no context is given",
            "unpacked_bytes_per_weight is None": "no unpacked width is given",
        },
    )
    separate_unpack_time: Time | None = Output(
        "what a token takes at full bandwidth if unpacked weights go through memory",
        unit="ms",
        formula="separate_unpack_bytes / hardware.memory.bandwidth",
        defined_if="context_tokens is not None and unpacked_bytes_per_weight is not None",
        undefined={
            "context_tokens is None": "no context is given",
            "unpacked_bytes_per_weight is None": "no unpacked width is given",
        },
    )
