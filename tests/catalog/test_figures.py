"""What holds for every entry of the catalog, and the figures that are most often got wrong."""

from typing import Any, get_args

import pytest

from mlsysim.catalog import KINDS, Entry, Hardware, catalog
from mlsysim.catalog.loader import DIRECTORY, read_yaml
from mlsysim.catalog.types import Constant, Fleet, Grade, Link, Node
from mlsysim.engine.scenario_definitions.optimization import RooflinePointScenario
from mlsysim.fields import QuantityType
from mlsysim.units import DIMENSIONS, Dimension

ENTRIES = [(kind, key) for kind in KINDS for key in catalog().entries(kind)]
CONSTANTS = list(catalog().entries("constants"))


def hardware(key: str) -> Hardware:
    """A device of the catalog."""
    entry = catalog().entry("hardware", key)
    assert isinstance(entry, Hardware)
    return entry


@pytest.mark.parametrize(("kind", "key"), ENTRIES)
def test_every_entry_says_what_it_is_and_where_its_figures_come_from(kind: str, key: str) -> None:
    entry = catalog().entry(kind, key)

    assert isinstance(entry, KINDS[kind])
    assert entry.key == key
    assert entry.name
    assert entry.description
    assert entry.source is not None
    assert entry.source.title
    assert entry.source.grade in get_args(Grade)
    assert entry.source.url is None or entry.source.url.startswith(("https://", "http://"))


def test_names_are_not_used_twice_within_a_kind() -> None:
    for kind in KINDS:
        names = [entry.name for entry in catalog().entries(kind).values()]
        assert len(set(names)) == len(names), kind


def figures_as_printed(raw: Any, document: Any) -> list[tuple[str, Any]]:
    """Every figure that a file gives as a text, beside what the document makes of it."""
    if isinstance(raw, dict):
        return [pair for name in raw for pair in figures_as_printed(raw[name], document[name])]
    if isinstance(raw, list):
        return [pair for item, shown in zip(raw, document, strict=True) for pair in figures_as_printed(item, shown)]
    return [(raw, document)] if isinstance(document, dict) else []


@pytest.mark.parametrize("kind", KINDS)
def test_a_document_prints_every_figure_in_the_unit_of_its_source(kind: str) -> None:
    for _, key, raw in read_yaml(DIRECTORY / kind):
        for text, shown in figures_as_printed(raw, catalog().document(kind, key)):
            number, unit = text.split()
            assert shown == {"value": float(number), "unit": unit}, f"{kind} {key}: {text}"


def test_an_h100_has_80_gib_at_3_35_tb_per_second() -> None:
    memory = catalog().document("hardware", "H100")["memory"]

    assert memory["capacity"] == {"value": 80, "unit": "GiB"}
    assert memory["bandwidth"] == {"value": 3.35, "unit": "TB/s"}
    assert hardware("H100").memory.capacity == 80 * 2**30
    assert hardware("H100").memory.bandwidth == 3.35e12


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind, key in ENTRIES if kind != "constants"])
def test_a_document_posted_back_is_the_same_entry(kind: str, key: str) -> None:
    entry, document = catalog().entry(kind, key), catalog().document(kind, key)

    assert KINDS[kind].model_validate(document).model_dump() == entry.model_dump()


@pytest.mark.parametrize("key", CONSTANTS)
def test_a_constant_posted_back_as_a_quantity_is_the_same_quantity(key: str) -> None:
    entry = catalog().entry("constants", key)
    assert isinstance(entry, Constant)
    value, dimension = entry.value

    assert QuantityType(dimension).read(catalog().document("constants", key)["value"]) == value


@pytest.mark.parametrize("key", CONSTANTS)
@pytest.mark.parametrize("dimension", DIMENSIONS, ids=[dimension.name for dimension in DIMENSIONS])
def test_a_constant_is_of_one_dimension(key: str, dimension: Dimension) -> None:
    entry = catalog().entry("constants", key)
    assert isinstance(entry, Constant)
    value, its_dimension = entry.value

    if dimension is its_dimension:
        assert QuantityType(dimension).read({"ref": key}) == value
    else:
        with pytest.raises(ValueError, match=f"names {key}, which is {its_dimension}, where {dimension} is expected"):
            QuantityType(dimension).read({"ref": key})


CONSTANTS_IN_BASE_UNITS = [
    ("kernel_launch", 5e-6),
    ("python_dispatch", 10e-6),
    ("fleet_gpu_hour", 2 / 3600),
    ("dram_energy_per_byte_45nm", 160e-12),
    ("fp32_add_45nm", 0.9e-12),
]


@pytest.mark.parametrize(("key", "base_units"), CONSTANTS_IN_BASE_UNITS)
def test_a_constant_in_base_units(key: str, base_units: float) -> None:
    entry = catalog().entry("constants", key)
    assert isinstance(entry, Constant)

    assert entry.value[0] == pytest.approx(base_units, rel=1e-15)


def test_every_node_holds_the_accelerator_of_the_catalog() -> None:
    for key, node in catalog().entries("nodes").items():
        assert isinstance(node, Node)
        assert node.accelerator is catalog().entry("hardware", node.accelerator.key or ""), key


def test_every_fleet_holds_the_node_and_the_fabric_of_the_catalog() -> None:
    for key, fleet in catalog().entries("fleets").items():
        assert isinstance(fleet, Fleet)
        assert fleet.node is catalog().entry("nodes", fleet.node.key or ""), key
        assert fleet.fabric is not None
        assert fleet.fabric is catalog().entry("fabrics", fleet.fabric.key or ""), key


# Dense and 2:4-sparse peaks. A vendor prints the sparse one largest; a formula has to see the dense one.


def test_an_h100_computes_989_tflop_per_second_dense_and_1979_sparse() -> None:
    compute = hardware("H100").compute

    assert compute.rates["fp16"] == compute.peak == 989e12
    assert compute.sparse_rates["fp16"] == 1979e12


@pytest.mark.parametrize("precision", [None, "fp16", "bf16"])
def test_a_formula_sees_the_dense_peak(precision: str | None) -> None:
    roofline = RooflinePointScenario(hardware="H100", precision=precision, intensity="10000 FLOP/byte")

    result = roofline.evaluate()

    assert result.peak == result.attainable == 989e12


def test_a_sparse_peak_is_above_the_dense_one_of_the_same_format() -> None:
    for key in catalog().entries("hardware"):
        compute = hardware(key).compute
        for precision in compute.sparse_rates.keys() & compute.rates.keys():
            assert compute.sparse_rates[precision] > 1.3 * compute.rates[precision], f"{key} {precision}"


def test_the_reference_peak_is_the_dense_one_in_16_bit() -> None:
    for key in catalog().entries("hardware"):
        compute = hardware(key).compute
        for precision in {"fp16", "bf16"} & compute.rates.keys():
            assert compute.peak == compute.rates[precision], f"{key} {precision}"


# Links. A vendor prints one direction, or the sum of both; a formula has to see one direction.


def test_the_nvlink_of_an_h100_is_quoted_900_gb_per_second_and_carries_450_each_way() -> None:
    link = hardware("H100").peer_link
    assert link is not None

    assert (link.bandwidth, link.direction) == (900e9, "bidirectional_total")
    assert link.bandwidth_per_direction == 450e9
    assert catalog().document("hardware", "H100")["peer_link"] == {
        "name": "NVLink 4.0",
        "bandwidth": {"value": 900, "unit": "GB/s"},
        "direction": "bidirectional_total",
        "bandwidth_per_direction": {"value": 450, "unit": "GB/s"},
    }


def test_the_pcie_link_of_an_h100_is_quoted_for_one_direction() -> None:
    link = hardware("H100").host_link
    assert link is not None

    assert (link.bandwidth, link.direction, link.bandwidth_per_direction) == (64e9, "per_direction", 64e9)


def links_of(entry: Entry) -> list[Link]:
    """The links that a device states."""
    assert isinstance(entry, Hardware)
    return [link for link in (entry.host_link, entry.peer_link) if link is not None]


def test_one_direction_of_a_link_is_half_of_a_sum_and_all_of_anything_else() -> None:
    for key, entry in catalog().entries("hardware").items():
        for link in links_of(entry):
            parts = 2 if link.direction == "bidirectional_total" else 1
            assert link.bandwidth_per_direction * parts == link.bandwidth, f"{key} {link.name}"


def test_a_node_is_wired_with_the_links_of_its_accelerator() -> None:
    for key, node in catalog().entries("nodes").items():
        assert isinstance(node, Node)
        link = node.accelerator.peer_link
        if link is not None and node.intra_node_bandwidth is not None:
            assert node.intra_node_bandwidth == link.bandwidth_per_direction, key


ACCELERATORS_OF_FLEETS = [("Kempner_H100_384", 384), ("DgxH100SuperPodSU", 256), ("Frontier_8K", 8192)]


@pytest.mark.parametrize(("key", "accelerators"), ACCELERATORS_OF_FLEETS)
def test_a_fleet_has_as_many_accelerators_as_its_name_says(key: str, accelerators: int) -> None:
    fleet = catalog().entry("fleets", key)
    assert isinstance(fleet, Fleet)

    assert fleet.count * fleet.node.accelerators_per_node == accelerators
