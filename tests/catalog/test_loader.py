"""What the catalog's loader refuses, and how it says so: naming the file, the key and the field.

Each test writes a small catalog of its own, breaks one thing in it, and loads it.
"""

import re
from pathlib import Path

import pytest

from mlsysim.catalog import Catalog
from mlsysim.catalog.loader import DIRECTORY
from mlsysim.engine.scenario_catalog.named import load_configurations
from mlsysim.errors import CatalogError, UnknownName

SOURCE = """\
  source:
    grade: datasheet
    title: a datasheet
    url: https://example.org/datasheet
"""
ACCELERATOR = f"""\
SmallChip:
  name: a small chip
  description: An accelerator for the tests.
  class: edge
  compute: {{peak: 4 TFLOP/s}}
  memory: {{capacity: 8 GiB, bandwidth: 0.1 TB/s}}
  tdp: 15 W
{SOURCE}"""
NODE = f"""\
SmallNode:
  name: a small node
  description: A server for the tests.
  accelerator: SmallChip
  accelerators_per_node: 4
{SOURCE}"""
FABRIC = f"""\
Ethernet:
  name: Ethernet
  description: A network for the tests.
  bandwidth: 100 Gbit/s
{SOURCE}"""
FLEET = f"""\
SmallFleet:
  name: a small fleet
  description: A cluster for the tests.
  node: SmallNode
  count: 2
  fabric: Ethernet
{SOURCE}"""
CONSTANT = f"""\
launch:
  name: Kernel launch
  description: A constant for the tests.
  value: 5 us
{SOURCE}"""
FILES = {
    "hardware.yaml": ACCELERATOR,
    "nodes.yaml": NODE,
    "fabrics.yaml": FABRIC,
    "fleets.yaml": FLEET,
    "constants.yaml": CONSTANT,
}


def write(directory: Path, **changed: tuple[str, str]) -> Path:
    """A catalog of a few entries in that directory; of a kind named, with the first text replaced by the second."""
    for file, content in FILES.items():
        old, new = changed.get(file.removesuffix(".yaml"), ("", ""))
        assert old in content
        (directory / file).write_text(content.replace(old, new, 1) if old else content)
    return directory


def refusal(catalog: Catalog, kind: str) -> str:
    """The message that the kind is refused with."""
    with pytest.raises(CatalogError) as refused:
        catalog.entries(kind)
    return str(refused.value)


def test_the_small_catalog_is_loaded_when_nothing_is_broken(tmp_path: Path) -> None:
    catalog = Catalog(write(tmp_path))

    assert catalog.entries("fleets").keys() == {"SmallFleet"}
    assert catalog.entry("hardware", "SmallChip").memory.bandwidth == 0.1e12  # type: ignore[attr-defined]


def test_the_catalog_that_comes_with_the_package_has_every_kind() -> None:
    assert all(count > 0 for count in Catalog(DIRECTORY).check().values())


BROKEN_ENTRIES = [
    # No figure without a source, no entry without a name
    ("no source", "hardware", SOURCE, "", "hardware.yaml: SmallChip states no source"),
    ("no grade", "hardware", "    grade: datasheet\n", "", "hardware.yaml: SmallChip states no source.grade"),
    ("no title", "hardware", "    title: a datasheet\n", "", "hardware.yaml: SmallChip: source.title is missing"),
    (
        "an unknown grade",
        "hardware",
        "grade: datasheet",
        "grade: hearsay",
        "hardware.yaml: SmallChip: source.grade = \"hearsay\" must be 'datasheet', ",
    ),
    (
        "a link that is none",
        "hardware",
        "https://example.org/datasheet",
        "www.example.org",
        'hardware.yaml: SmallChip: source.url = "www.example.org"',
    ),
    ("no name", "hardware", "  name: a small chip\n", "", "hardware.yaml: SmallChip states no name"),
    (
        "no description",
        "hardware",
        "  description: An accelerator for the tests.\n",
        "",
        "hardware.yaml: SmallChip states no description",
    ),
    ("no class", "hardware", "  class: edge\n", "", "hardware.yaml: SmallChip states no device_class"),
    ("no peak", "hardware", "peak: 4 TFLOP/s", "", "hardware.yaml: SmallChip states no compute.peak"),
    ("no fabric", "fleets", "  fabric: Ethernet\n", "", "fleets.yaml: SmallFleet states no fabric"),
    # Figures
    (
        "a capacity that is a bandwidth",
        "hardware",
        "8 GiB",
        "8 GiB/s",
        'hardware.yaml: SmallChip: memory.capacity = "8 GiB/s" is a data rate, where an amount of data is expected',
    ),
    (
        "a bare number",
        "hardware",
        "8 GiB",
        "8",
        "hardware.yaml: SmallChip: memory.capacity = 8 is a bare number, where an amount of data needs its unit",
    ),
    (
        "half a unit",
        "hardware",
        "8 GiB",
        "8 G",
        'hardware.yaml: SmallChip: memory.capacity = "8 G" has no known unit "G"; did you mean GB or GiB?',
    ),
    ("no power at all", "hardware", "15 W", "0 W", 'hardware.yaml: SmallChip: tdp = "0 W" must be greater than 0'),
    (
        "a fraction of an accelerator",
        "nodes",
        "accelerators_per_node: 4",
        "accelerators_per_node: 4.5",
        "nodes.yaml: SmallNode: accelerators_per_node = 4.5 must be a whole number",
    ),
    (
        "a count in quotes",
        "fleets",
        "count: 2",
        'count: "2"',
        'fleets.yaml: SmallFleet: count = "2" must be a number',
    ),
    (
        "an infinite count",
        "fleets",
        "count: 2",
        "count: .inf",
        "fleets.yaml: SmallFleet: count = Infinity must be a finite number",
    ),
    ("a constant without a unit", "constants", "5 us", "5", "constants.yaml: launch: value = 5 must be a quantity"),
    (
        "a constant of no known unit",
        "constants",
        "5 us",
        "5 usec",
        'constants.yaml: launch: value = "5 usec" has no known unit "usec"',
    ),
    # Fields
    (
        "a misspelled field",
        "hardware",
        "tdp: 15 W",
        "tpd: 15 W",
        "hardware.yaml: SmallChip: tpd is not known here",
    ),
    (
        "a misspelled field of a group",
        "hardware",
        "capacity: 8 GiB",
        "capacty: 8 GiB",
        "hardware.yaml: SmallChip: memory.capacty is not known here",
    ),
    # References
    (
        "a node of an unknown accelerator",
        "nodes",
        "accelerator: SmallChip",
        "accelerator: SmalChip",
        'nodes.yaml: SmallNode: accelerator = "SmalChip" names no entry of the catalog: '
        'there is no entry of hardware in the catalog named "SmalChip"; did you mean SmallChip?',
    ),
    (
        "a fleet of an unknown node",
        "fleets",
        "node: SmallNode",
        "node: LargeNode",
        'fleets.yaml: SmallFleet: node = "LargeNode" names no entry of the catalog: '
        'there is no entry of nodes in the catalog named "LargeNode"',
    ),
    (
        "a fleet on an unknown fabric",
        "fleets",
        "fabric: Ethernet",
        "fabric: Token Ring",
        'fleets.yaml: SmallFleet: fabric = "Token Ring" names no entry of the catalog',
    ),
    # Links: a vendor prints one direction, or both added up, and formulas see one
    (
        "a link of no bandwidth",
        "hardware",
        "  tdp: 15 W\n",
        "  host_link: {name: PCIe}\n",
        'hardware.yaml: SmallChip: host_link = {"name": "PCIe"} states no bandwidth',
    ),
    (
        "both directions taken for one",
        "hardware",
        "  tdp: 15 W\n",
        "  host_link: {bandwidth: 64 GB/s, direction: bidirectional_total, bandwidth_per_direction: 64 GB/s}\n",
        'hardware.yaml: SmallChip: host_link = {"bandwidth": "64 GB/s", "direction": "bidirectional_total"… '
        "has a bandwidth_per_direction that does not follow from bandwidth and direction",
    ),
    (
        "a direction that is none",
        "hardware",
        "  tdp: 15 W\n",
        "  peer_link: {bandwidth: 64 GB/s, direction: both}\n",
        'hardware.yaml: SmallChip: peer_link.direction = "both" must be ',
    ),
    # A source of a single figure is one of a figure that is stated, and says how firm it is
    (
        "a source of a figure that is not there",
        "hardware",
        "  tdp: 15 W\n",
        "  figure_sources: {tdp: {title: a guess, grade: estimate}}\n",
        "hardware.yaml: SmallChip gives tdp a source, which must state a grade, and is of a stated figure",
    ),
    (
        "a source of a figure without a grade",
        "hardware",
        "  tdp: 15 W\n",
        "  tdp: 15 W\n  figure_sources: {tdp: {title: a guess}}\n",
        "hardware.yaml: SmallChip gives tdp a source, which must state a grade, and is of a stated figure",
    ),
    # The form of a file
    ("an entry of nothing", "constants", CONSTANT, "launch:\n", "constants.yaml: launch must be a mapping"),
    ("an entry that is a list", "constants", CONSTANT, "launch: [5 us]\n", "constants.yaml: launch must be a mapping"),
    ("a list of entries", "constants", CONSTANT, "- launch\n", "constants.yaml: must map keys to entries"),
    ("an empty file", "constants", CONSTANT, "", "constants.yaml: must map keys to entries"),
    ("no YAML", "constants", CONSTANT, "launch: {value: 5 us", "constants.yaml: "),
    (
        "a Python object",
        "constants",
        CONSTANT,
        "launch: !!python/object/apply:os.getcwd []\n",
        "constants.yaml: line 1: could not determine a constructor for the tag",
    ),
]


@pytest.mark.parametrize(
    ("kind", "stated", "broken", "message"), [row[1:] for row in BROKEN_ENTRIES], ids=[row[0] for row in BROKEN_ENTRIES]
)
def test_a_broken_entry_is_refused(tmp_path: Path, kind: str, stated: str, broken: str, message: str) -> None:
    catalog = Catalog(write(tmp_path, **{kind: (stated, broken)}))

    assert refusal(catalog, kind).startswith(message)


def test_every_mistake_of_an_entry_is_named(tmp_path: Path) -> None:
    catalog = Catalog(write(tmp_path, hardware=("memory: {capacity: 8 GiB", "vendr: x\n  memory: {capacity: 8")))

    message = refusal(catalog, "hardware")

    assert "memory.capacity = 8 is a bare number" in message
    assert "vendr is not known here" in message


@pytest.mark.parametrize(
    ("stated", "doubled", "key"),
    [
        ("  tdp: 15 W\n", "  tdp: 15 W\n  tdp: 20 W\n", "tdp"),
        ("capacity: 8 GiB", "capacity: 8 GiB, capacity: 16 GiB", "capacity"),
        (ACCELERATOR, ACCELERATOR * 2, "SmallChip"),
    ],
    ids=["in an entry", "in a group", "in the file"],
)
def test_a_key_that_stands_twice_in_a_file_is_refused(tmp_path: Path, stated: str, doubled: str, key: str) -> None:
    catalog = Catalog(write(tmp_path, hardware=(stated, doubled)))

    assert re.match(rf"hardware\.yaml: .*\b{key} stands twice", refusal(catalog, "hardware"))


def test_a_key_that_stands_in_two_files_of_a_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hardware").mkdir()
    (tmp_path / "hardware" / "edge.yaml").write_text(ACCELERATOR)
    (tmp_path / "hardware" / "mobile.yaml").write_text(ACCELERATOR)

    assert refusal(Catalog(tmp_path), "hardware") == "mobile.yaml: SmallChip stands twice"


def test_an_entry_cannot_state_another_key_than_its_own(tmp_path: Path) -> None:
    catalog = Catalog(write(tmp_path, hardware=("  name: a small chip\n", "  name: a small chip\n  key: H100\n")))

    assert re.match(r"hardware\.yaml: SmallChip\b.*\bkey\b", refusal(catalog, "hardware"))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert refusal(Catalog(tmp_path), "pods").startswith("pods.yaml: ")


def test_a_broken_entry_is_blamed_and_not_the_one_that_refers_to_it(tmp_path: Path) -> None:
    catalog = Catalog(write(tmp_path, hardware=("8 GiB", "8")))

    assert refusal(catalog, "nodes").startswith("hardware.yaml: SmallChip: memory.capacity = 8 is a bare number")


def test_one_broken_kind_does_not_keep_the_others_from_loading(tmp_path: Path) -> None:
    catalog = Catalog(write(tmp_path, hardware=("8 GiB", "8")))

    assert catalog.entries("constants").keys() == {"launch"}
    with pytest.raises(CatalogError):
        catalog.check()


def test_an_unknown_kind_is_no_error_of_the_catalog(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r'^there is no kind of catalog entry "hardwares"; did you mean hardware\?$'):
        Catalog(tmp_path).entries("hardwares")


CONFIGURATION = """\
FasterModel:
  title: A model that gets twice as fast
  description: A configuration for the tests.
  inputs:
    stages: {model: 60 ms, rest: 40 ms}
    stage: model
    speedup: 2
  why:
    speedup: A round number.
    stages: They add up to 100 ms.
    stage: It is what an accelerator changes.
"""


def write_configurations(directory: Path, content: str, file: str = "speedup/AmdahlScenario.yaml") -> Path:
    """A catalog of named configurations in that directory."""
    path = directory / "scenarios" / "optimization" / file
    path.parent.mkdir(parents=True)
    path.write_text(content)
    return directory


def test_a_configuration_is_loaded_when_nothing_is_broken(tmp_path: Path) -> None:
    configuration = load_configurations(write_configurations(tmp_path, CONFIGURATION))["FasterModel"]

    assert configuration.evaluate().total_time == 0.1  # type: ignore[attr-defined]
    assert configuration.inputs["stages"]["model"] == {"value": 60, "unit": "ms"}


def test_an_input_that_is_a_figure_of_the_catalog_says_which(tmp_path: Path) -> None:
    content = CONFIGURATION.replace("speedup: 2", "speedup: {ref: models.GPT2.layers}")
    configuration = load_configurations(write_configurations(tmp_path, content))["FasterModel"]

    assert configuration.inputs["speedup"] == 48
    assert (configuration.origin("speedup"), configuration.origin("stage")) == ("catalog", "assumption")
    assert configuration.link("speedup") == "/catalog/models/GPT2"
    assert configuration.figures["speedup"].figure == "layers"


BROKEN_CONFIGURATIONS = [
    ("a value without a reason", "    speedup: A round number.\n", "", r"FasterModel: .*speedup"),
    ("a blank reason", "speedup: A round number.", 'speedup: ""', r"FasterModel: .*speedup"),
    ("a reason without a value", "  why:\n", "  why:\n    sped: A typo.\n", r"FasterModel: .*sped"),
    ("no title", "  title: A model that gets twice as fast\n", "", "FasterModel: title is missing"),
    ("no description", "  description: A configuration for the tests.\n", "", "FasterModel: description is missing"),
    ("no mapping", CONFIGURATION, "FasterModel: [1, 2]\n", "FasterModel: "),
    ("the name of a class", "FasterModel:", "AmdahlScenario:", "AmdahlScenario: the name is taken"),
    ("the same name twice", CONFIGURATION, CONFIGURATION * 2, "line 1: FasterModel stands twice"),
    ("a broken bound", "speedup: 2", "speedup: 0", "FasterModel: speedup = 0 must be greater than 0"),
    ("a broken rule", "stage: model", "stage: modle", 'FasterModel: stage = "modle" must be one of .*: model'),
    ("another dimension", "60 ms", "60 MB", r'FasterModel: stages\.model = .* is an amount of data'),
    ("a figure of no entry", "speedup: 2", "speedup: {ref: models.GPT9.layers}", 'FasterModel: .*"GPT9"; did you mean'),
    (
        "a figure the entry does not state",
        "speedup: 2",
        "speedup: {ref: models.GPT2.experts}",
        "FasterModel: GPT2 of models states no figure experts",
    ),
    (
        "a figure of another dimension",
        "speedup: 2",
        "speedup: {ref: hardware.H100.tdp}",
        "FasterModel: speedup = .* must be a number",
    ),
    ("a bare number", "60 ms", "60", r"FasterModel: stages\.model = 60 is a bare number"),
    (
        "a required input that is not stated",
        "    speedup: 2\n  why:\n    speedup: A round number.\n",
        "  why:\n",
        "FasterModel: speedup is missing",
    ),
    (
        "an input that the class does not have",
        "    speedup: 2\n  why:\n",
        "    speedup: 2\n    sped: 2\n  why:\n    sped: A typo.\n",
        "FasterModel: sped is not known here",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("stated", "broken", "message"),
    [row[1:] for row in BROKEN_CONFIGURATIONS],
    ids=[row[0] for row in BROKEN_CONFIGURATIONS],
)
def test_a_broken_configuration_is_refused(tmp_path: Path, stated: str, broken: str, message: str) -> None:
    assert stated in CONFIGURATION
    write_configurations(tmp_path, CONFIGURATION.replace(stated, broken, 1))

    with pytest.raises(CatalogError, match=rf"^AmdahlScenario\.yaml: {message}"):
        load_configurations(tmp_path)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("speedup/AmdalScenario.yaml", r'AmdalScenario\.yaml: .* "AmdalScenario"; did you mean AmdahlScenario'),
        ("speedups/AmdahlScenario.yaml", r"AmdahlScenario\.yaml: .*speedups"),
        ("host/AmdahlScenario.yaml", r"AmdahlScenario\.yaml: "),
    ],
    ids=["no class", "no theme", "the class of another theme"],
)
def test_a_file_is_named_after_its_theme_and_class(tmp_path: Path, file: str, message: str) -> None:
    write_configurations(tmp_path, CONFIGURATION, file)

    with pytest.raises(CatalogError, match=f"^{message}"):
        load_configurations(tmp_path)


def test_a_name_that_stands_in_two_files_is_refused(tmp_path: Path) -> None:
    write_configurations(tmp_path, CONFIGURATION)
    write_configurations(
        tmp_path,
        """\
FasterModel:
  title: A chain of four operations
  description: Another configuration for the tests.
  inputs: {chain_length: 4, dispatch: 10 us, launch: 5 us}
  why: {chain_length: assumed, dispatch: assumed, launch: assumed}
""",
        "kernels/KernelFusionScenario.yaml",
    )

    with pytest.raises(CatalogError, match=r"\.yaml: FasterModel: the name is taken$"):
        load_configurations(tmp_path)
