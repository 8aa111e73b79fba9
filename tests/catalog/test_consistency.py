"""The catalog checked against itself and against what is known: a wrong figure shows as an odd ratio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mlsysim.catalog import KINDS, Hardware, Workload, catalog
from mlsysim.catalog.types import Fleet, Node, Pod
from mlsysim.engine.scenario_catalog import configurations
from mlsysim.units import unit as unit_of

GIB = 2**30
HARDWARE: dict[str, Hardware] = dict(catalog().entries("hardware"))  # type: ignore[arg-type]
MODELS: dict[str, Workload] = dict(catalog().entries("models"))  # type: ignore[arg-type]
NODES: dict[str, Node] = dict(catalog().entries("nodes"))  # type: ignore[arg-type]
FLEETS: dict[str, Fleet] = dict(catalog().entries("fleets"))  # type: ignore[arg-type]
PODS: dict[str, Pod] = dict(catalog().entries("pods"))  # type: ignore[arg-type]

every_device = pytest.mark.parametrize("key", list(HARDWARE))
every_model = pytest.mark.parametrize("key", list(MODELS))


@every_device
def test_the_reference_peak_is_the_half_precision_rate_where_one_is_listed(key: str) -> None:
    compute = HARDWARE[key].compute
    for precision in ("fp16", "bf16"):
        assert compute.rates.get(precision, compute.peak) == compute.peak


# Vendors round each figure on its own: 1979 is twice 989.5, and 989 is printed.
TWICE = pytest.approx(2, rel=0.01)

# Figures that vendors print although they are not twice the dense rate.
NOT_TWICE = {
    ("B300", "fp4"): 18 / 13.5,  # Blackwell Ultra raised the dense rate alone
    ("GB300_GPU", "fp4"): 20 / 15,
    ("L40S", "fp16"): 733 / 362.05,  # printed as 362.05 | 733
    ("L40S", "bf16"): 733 / 362.05,
    ("Trainium2", "fp16"): 2563 / 667,  # 4:1 and other ratios besides 2:4
    ("Trainium2", "bf16"): 2563 / 667,
    ("Trainium2", "fp8"): 2563 / 1299,
    ("Trainium3", "fp16"): 2517 / 671,
    ("Trainium3", "bf16"): 2517 / 671,
    ("Trainium3", "tf32"): 2517 / 671,
}


@pytest.mark.parametrize(
    ("key", "precision"),
    [
        (key, precision)
        for key, device in HARDWARE.items()
        for precision in device.compute.sparse_rates
        if precision in device.compute.rates
    ],
)
def test_a_sparse_peak_is_twice_the_dense_one_unless_the_vendor_prints_otherwise(key: str, precision: str) -> None:
    compute = HARDWARE[key].compute
    ratio = compute.sparse_rates[precision] / compute.rates[precision]
    assert ratio == NOT_TWICE.get((key, precision), TWICE)


@every_device
def test_a_narrower_format_of_the_same_kind_is_never_slower(key: str) -> None:
    rates = HARDWARE[key].compute.rates
    floats = [rates[precision] for precision in ("fp32", "tf32", "fp16", "fp8", "fp4") if precision in rates]
    assert floats == sorted(floats)


@every_device
def test_the_ridge_point_is_where_such_a_device_can_have_it(key: str) -> None:
    device = HARDWARE[key]
    ridge = device.compute.peak / device.memory.bandwidth
    on_chip = key in ("Graphcore_GC200", "Groq_LPU")  # all memory is SRAM, so bandwidth is no limit
    low, high = (2, 10) if on_chip else (0.2, 3000)
    assert low < ridge < high


# What their makers print, to a digit after the point and sometimes cut off rather than rounded.
@pytest.mark.parametrize(
    ("older", "newer", "peak", "bandwidth"),
    [
        pytest.param("V100", "A100_40GB", 2.5, 1.7, id="NVIDIA, A100 product page and Ampere whitepaper (2020)"),
        pytest.param("H100", "H200", 1.0, 1.4, id="NVIDIA, H200 product page (2023)"),
        pytest.param("MI250X", "MI300X", 3.4, 1.6, id="AMD, MI300X at Hot Chips (2024)"),
    ],
)
def test_generations_grow_as_their_makers_say(older: str, newer: str, peak: float, bandwidth: float) -> None:
    before, after = HARDWARE[older], HARDWARE[newer]
    assert after.compute.peak / before.compute.peak == pytest.approx(peak, abs=0.1)
    assert after.memory.bandwidth / before.memory.bandwidth == pytest.approx(bandwidth, abs=0.1)
    assert (after.release_year or 0) >= (before.release_year or 0)


@pytest.mark.parametrize(
    ("key", "links", "one_way"),
    [("V100", 6, 25e9), ("A100", 12, 25e9), ("H100", 18, 25e9), ("H200", 18, 25e9), ("B200", 18, 50e9)],
)
def test_nvlink_per_direction_is_its_links_times_what_one_carries(key: str, links: int, one_way: float) -> None:
    link = HARDWARE[key].peer_link
    assert link is not None
    assert link.direction == "bidirectional_total"
    assert link.bandwidth_per_direction == links * one_way == link.bandwidth / 2


@pytest.mark.parametrize("key", [key for key, node in NODES.items() if node.accelerator.peer_link])
def test_a_node_is_no_faster_inside_than_its_accelerators_links(key: str) -> None:
    node = NODES[key]
    link = node.accelerator.peer_link
    assert link is not None
    assert node.intra_node_bandwidth == link.bandwidth_per_direction


@pytest.mark.parametrize("key", [key for key, node in NODES.items() if node.max_power and node.accelerator.tdp])
def test_a_node_can_power_all_its_accelerators(key: str) -> None:
    node = NODES[key]
    assert node.max_power is not None
    assert node.accelerator.tdp is not None
    assert node.max_power > node.accelerators_per_node * node.accelerator.tdp


@every_device
def test_the_rated_power_lies_in_the_power_range(key: str) -> None:
    device = HARDWARE[key]
    if device.tdp is not None:
        assert (device.tdp_min or 0) <= device.tdp <= (device.tdp_max or device.tdp)


@every_device
def test_memory_gets_faster_towards_the_chip(key: str) -> None:
    memory = HARDWARE[key].memory
    if memory.sram_bandwidth is not None:
        assert memory.sram_bandwidth > memory.bandwidth
    if memory.flash_bandwidth is not None:
        assert memory.flash_bandwidth <= memory.bandwidth


@pytest.mark.parametrize("key", [key for key, device in HARDWARE.items() if device.partitions])
def test_partitions_fit_the_device(key: str) -> None:
    device = HARDWARE[key]
    for partition in device.partitions or []:
        assert partition.memory <= device.memory.capacity
        assert device.compute.sm_count is None or partition.sm_count <= device.compute.sm_count


# Image models count a whole image, encoders a whole sequence, diffusion a whole step; a decoder counts a token.
DECODERS = [
    key
    for key, model in MODELS.items()
    if model.family in ("language", "statespace") and "BERT" not in key and model.inference_flops is not None
]


@pytest.mark.parametrize("key", DECODERS)
def test_a_token_of_a_decoder_takes_two_operations_for_each_parameter_it_uses(key: str) -> None:
    model = MODELS[key]
    assert model.inference_flops == pytest.approx(2 * (model.active_parameters or model.parameters), rel=0.01)


@every_model
def test_the_shape_of_a_model_adds_up(key: str) -> None:
    model = MODELS[key]
    if model.heads is not None and model.hidden_dim is not None and model.head_dim is None:
        assert model.hidden_dim % model.heads == 0
    if model.kv_heads is not None and model.heads is not None:
        assert model.heads % model.kv_heads == 0
    if model.active_parameters is not None:
        assert model.active_parameters < model.parameters
    assert (model.experts is None) == (model.kind != "moe_transformer")


@pytest.mark.parametrize(
    "key",
    [
        key
        for key, model in MODELS.items()
        if model.kind == "transformer" and model.layers and model.hidden_dim and "BERT" not in key and "ViT" not in key
    ],
)
def test_a_dense_transformer_has_about_twelve_parameters_for_each_layer_and_squared_width(key: str) -> None:
    # Kaplan et al. (2020), table 1: N = 12 n_layer d_model^2 without embeddings; gated feed-forward layers, grouped
    # heads and large vocabularies move it, hence the wide bounds.
    model = MODELS[key]
    assert model.layers is not None
    assert model.hidden_dim is not None
    assert 0.6 < model.parameters / (12 * model.layers * model.hidden_dim**2) < 1.6


@pytest.mark.parametrize("key", [key for key, model in MODELS.items() if model.training_flops is not None])
def test_training_takes_six_operations_for_each_parameter_and_token(key: str) -> None:
    model = MODELS[key]
    if model.training_tokens is not None:
        assert model.training_flops == pytest.approx(6 * model.parameters * model.training_tokens, rel=0.01)


@pytest.mark.parametrize(
    ("model", "bytes_per_weight", "device", "fits"),
    [
        ("Llama2_7B", 2, "H100", True),
        ("Llama2_70B", 2, "H100", False),  # 140 GB
        ("Llama2_70B", 2, "MI300X", True),
        ("GPT3", 2, "B300", False),  # 350 GB
        ("Llama2_7B", 2, "iPhone15Pro", False),  # 14 GB
        ("ResNet50", 1, "STM32F4", False),
        ("WakeVision", 1, "ESP32_S3", True),
    ],
)
def test_weights_fit_where_they_are_known_to_fit(model: str, bytes_per_weight: int, device: str, fits: bool) -> None:
    assert (MODELS[model].parameters * bytes_per_weight <= HARDWARE[device].memory.capacity) == fits


@pytest.mark.parametrize(("pod", "chip"), [("TPUv4_4096", "TPUv4"), ("TPUv5p_8960", "TPUv5p")])
def test_the_memory_of_a_pod_is_that_of_its_chips(pod: str, chip: str) -> None:
    assert PODS[pod].memory == PODS[pod].chips * HARDWARE[chip].memory.capacity


@pytest.mark.parametrize(
    ("fleet", "accelerators"),
    [("Training_1K", 1024), ("Meta_Llama3_16K_H100", 16384), ("Meta_RSC_A100_16K", 16000), ("Kempner_H100_384", 384)],
)
def test_a_fleet_has_as_many_accelerators_as_its_name_says(fleet: str, accelerators: int) -> None:
    assert FLEETS[fleet].count * FLEETS[fleet].node.accelerators_per_node == accelerators


def test_constants_that_follow_from_others_do() -> None:
    value = {key: constant.value[0] for key, constant in catalog().entries("constants").items()}  # type: ignore[attr-defined]
    assert value["dram_energy_per_byte_45nm"] * 4 == pytest.approx(value["dram_access_32bit_45nm"])
    assert value["training_state_bytes_per_parameter"] - value["checkpoint_bytes_per_parameter"] == 2  # gradients
    assert value["gpu_mttf"] == pytest.approx(16384 * 54 * 86400 / 419, rel=0.02)
    assert value["fp32_add_45nm"] > value["fp16_add_45nm"] > value["int8_add_45nm"]
    assert value["resnet50_h100_int8_offline"] == 715_761 / 8


def figures(document: Any) -> Iterator[tuple[float, str]]:
    """Every quantity of a JSON document in base units, with its dimension."""
    if isinstance(document, dict) and document.keys() == {"value", "unit"}:
        unit = unit_of(document["unit"])
        yield float(f"{unit.to_si(document['value']):.12e}"), unit.dimension.name
    elif isinstance(document, (dict, list)):
        for part in document.values() if isinstance(document, dict) else document:
            yield from figures(part)


# An amount that many have: a millisecond, two bytes, a round bandwidth that is said to be illustrative.
COINCIDENCES = {"time": {1e-6, 1e-4, 5e-4, 1e-3, 1.5e-3, 1.0}, "data": {2.0}, "data_rate": {100e9}}


@pytest.mark.parametrize("name", list(configurations()))
def test_no_figure_of_the_catalog_is_called_an_assumption(name: str) -> None:
    """An input that is one refers to it, so that it follows the catalog and carries its source."""
    named = configurations()[name]
    assumed = {given: value for given, value in named.inputs.items() if named.origin(given) == "assumption"}
    for given, value in assumed.items():
        copied = {(number, kind) for number, kind in figures(value) if number not in COINCIDENCES.get(kind, ())}
        assert not copied & FIGURES, given


FIGURES = {
    figure for kind in KINDS for key in catalog().entries(kind) for figure in figures(catalog().document(kind, key))
}


def test_no_process_needs_pint_to_load_the_catalog() -> None:
    # Importing pint costs 0.2 s; every unit of the catalog is remembered ahead of time.
    import subprocess
    import sys

    program = (
        "import sys, mlsysim.catalog, mlsysim.engine.scenario_catalog\n"
        "mlsysim.catalog.catalog().check(), mlsysim.engine.scenario_catalog.configurations()\n"
        "print('pint' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
