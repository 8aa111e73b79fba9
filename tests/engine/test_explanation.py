"""How an answer came about: the numbers shown do give the value, and every input says where it comes from."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from types import NoneType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsysim import Scenarios
from mlsysim.catalog import Entry
from mlsysim.catalog.types import Figures
from mlsysim.engine.description import named_configurations
from mlsysim.engine.evaluation import evaluate
from mlsysim.engine.explanation import Derivation, derive
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.rendering import latex
from mlsysim.engine.result import Result
from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_catalog import configuration, configurations
from mlsysim.fields import QuantityType, Shape, TextType
from mlsysim.units import unit as unit_of
from tests.agreement import same
from tests.strategies import scenarios

every_class = pytest.mark.parametrize(
    "scenario", list(scenario_classes().values()), ids=lambda scenario: scenario.__name__
)
QUANTITY = re.compile(r"(?<![\w.])((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?) (1|[A-Za-z]+)(/[A-Za-z]+)?(?![\w/])")
WORDS = {"or", "and", "is", "not", "in", "mod"}
FUNCTIONS = {name: getattr(math, name) for name in ("ceil", "floor", "sqrt", "log2", "log10")} | {
    "abs": abs, "round": round, "sum": sum, "len": len,
    "min": lambda *values: min(values[0] if len(values) == 1 else values),
    "max": lambda *values: max(values[0] if len(values) == 1 else values),
}  # fmt: skip
SI = (1, 1, 1, 1, 1)
OTHER_UNITS = (2, 3, 5, 7, 11)  # how many of some other base units go into a second, a byte, a FLOP, a joule, a USD


def computed(line: str, base: tuple[int, ...] = SI) -> Any:
    """What a line gives, calculated from nothing but its text, in a system of base units."""

    def size(unit: str) -> str:
        known = unit_of(unit)
        return repr(known.to_si(1) * measure(known.dimension.exponents, base))

    def in_base_units(match: re.Match[str]) -> str:
        number, unit, per = match.groups()
        if unit in WORDS:
            return match[0]
        if per is None:
            return f"({number} * {size(unit)})"
        return f"{number} * {unit if unit == '1' else size(unit)} / {size(per[1:])}"  # as it stands there

    text = QUANTITY.sub(in_base_units, re.sub(r", … \d+ more", "", line))
    text = text.replace("×", "*").replace("^", "**").replace(" mod ", " % ")
    return eval(text, {"__builtins__": {}, "inf": math.inf}, FUNCTIONS)


def measure(exponents: tuple[int, ...], base: tuple[int, ...]) -> float:
    """By what a number of that dimension grows in a system of base units."""
    return math.prod(float(unit) ** power for unit, power in zip(base, exponents, strict=True))


def parts(line: str, value: Any, shape: Shape) -> Iterator[tuple[str, Any, Shape]]:
    """The lines of the members of a map, each with its value; a line itself if it has no members."""
    if not isinstance(value, (dict, Result)):
        yield line, value, shape
        return
    members = value if isinstance(value, dict) else value.__dict__
    starts = [(line.index(f"{key}: "), key) for key in members if f"{key}: " in line]
    for (start, key), (end, _) in zip(starts, [*starts[1:], (len(line) + 1, "")], strict=True):
        inner = value.outputs()[key].shape if isinstance(value, Result) else shape.item
        yield from parts(line[start + len(key) + 2 : end - 2], members[key], inner or shape)


@every_class
@settings(max_examples=50)
@given(data=st.data())
def test_the_numbers_shown_give_the_value(scenario: type[Scenario[Any]], data: st.DataObject) -> None:
    """To six digits, in whatever units: so a number that lacks its unit, or its parentheses, shows."""
    drawn = data.draw(scenarios(scenario))
    result = drawn.evaluate()
    for output in derive(drawn, result, si=data.draw(st.booleans())).outputs:
        shape = scenario.result_type.outputs()[output.name].shape
        line, _, reasons = (output.with_numbers or "").partition(", since ")
        for each in reasons.split(" and ") if re.search(r"\d", reasons) else ():
            if re.fullmatch(r".*\d.* (<|<=|>|>=) .*\d.*", each):
                assert all(computed(each, base) for base in (SI, OTHER_UNITS)), (output.name, each)
        for part, value, kind in parts(line, getattr(result, output.name), shape):
            if not part or value is None or isinstance(kind.leaf.type, (TextType, NoneType)) or "+ …" in part:
                continue
            dimension = kind.leaf.type.dimension.exponents if isinstance(kind.leaf.type, QuantityType) else (0,) * 5
            for base in (SI, OTHER_UNITS):
                found, expected = computed(part, base), value
                if not isinstance(value, list):
                    found, expected = [found], [value]
                expected = [each if isinstance(each, bool) else each * measure(dimension, base) for each in expected]
                assert found == pytest.approx(expected[: len(found)], rel=1.01e-5, abs=0), (output.name, part, base)


def figures_of(part: Figures, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every number an entry states."""
    for name in type(part).model_fields:
        value = getattr(part, name)
        if isinstance(value, Figures):
            yield from figures_of(value, (*path, name))
        elif isinstance(value, dict):
            yield from ((*path, name, key) for key, item in value.items() if isinstance(item, float))
        elif isinstance(value, (int, float)):
            yield (*path, name)


def doubled(part: Any, path: tuple[str, ...]) -> Any:
    """The entry, or the group of figures, with the figure at the path twice as large."""
    name, *deeper = path
    if isinstance(part, dict):
        return {**part, name: 2 * part[name]}
    value = getattr(part, name)
    return part.model_copy(update={name: doubled(value, tuple(deeper)) if deeper else 2 * value})


@every_class
@settings(max_examples=20)
@given(data=st.data())
def test_a_figure_that_is_not_listed_as_used_has_no_influence(
    scenario: type[Scenario[Any]], data: st.DataObject
) -> None:
    drawn = data.draw(scenarios(scenario))
    result = drawn.evaluate()
    for stated in derive(drawn, result).inputs:
        entry = getattr(drawn, stated.name)
        if isinstance(entry, Entry):
            used = {figure.figure for figure in stated.figures}
            for path in figures_of(entry):
                if ".".join(path) not in used:
                    other = drawn.model_copy(update={stated.name: doubled(entry, path)})
                    assert same(other.evaluate(), result), (stated.name, path)


def test_an_output_without_a_formula_reads_no_catalog_entry() -> None:
    """For the figures that are listed as used are those that formulas read."""
    for scenario in scenario_classes().values():
        entries = any(isinstance(spec.shape.leaf.model, type(Entry)) for spec in scenario.inputs().values())
        assert not entries or all(spec.formula for spec in scenario.result_type.outputs().values())


@every_class
@given(data=st.data())
def test_the_derivation_names_everything_in_order(scenario: type[Scenario[Any]], data: st.DataObject) -> None:
    drawn = data.draw(scenarios(scenario))
    result = drawn.evaluate()
    derivation = derive(drawn, result)
    assert [given.name for given in derivation.inputs] == list(scenario.inputs())
    assert [output.name for output in derivation.outputs] == list(scenario.result_type.outputs())
    shown = result.to_json()
    for output in derivation.outputs:
        assert output.value == shown[output.name]
        assert bool(output.undefined) == (output.value is None)
        assert bool(output.formula) != bool(output.algorithm)
    for stated in derivation.inputs:
        assert stated.origin != "default" or stated.why


@every_class
def test_every_formula_has_balanced_latex_with_and_without_numbers(scenario: type[Scenario[Any]]) -> None:
    examples = [named.scenario.explain() for named in named_configurations(scenario)]
    formulas = [latex(output.formula) for output in scenario.result_type.outputs().values() if output.formula]
    lines = [output.latex_with_numbers for example in examples for output in example.outputs]
    for text in formulas + lines:
        if text is not None:
            plain = text.replace(r"\{", "").replace(r"\}", "")
            assert plain.count("{") == plain.count("}")
            assert len(re.findall(r"\\left(?![a-z])", text)) == len(re.findall(r"\\right(?![a-z])", text))
            assert not re.search(r"_\{[^{}]*\}_", text), "a double subscript is no LaTeX"


@pytest.mark.parametrize("name", list(configurations()))
def test_a_named_configuration_explains_itself_as_text_and_latex(name: str) -> None:
    derivation = configuration(name).explain()
    text = str(derivation)
    assert all(output.name in text for output in derivation.outputs)
    assert derivation.latex().startswith("\\begin{align*}")
    for stated in derivation.inputs:
        assert stated.why or stated.source or stated.figures, stated.name


class TestOrigins:
    def derivation(self, name: str, body: dict[str, Any]) -> Derivation:
        answer = evaluate(name, body).to_json(explain=True)
        return Derivation.model_validate(answer["derivation"])

    def inputs(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        return {stated.name: stated for stated in self.derivation(name, body).inputs}

    def test_a_constant_names_its_source_and_grade(self) -> None:
        dispatch = self.inputs("ElementwisePairFusion", {})["dispatch"]
        assert dispatch.origin == "constant"
        assert dispatch.link == "/catalog/constants/python_dispatch"
        assert dispatch.source.grade == "convention"

    def test_a_figure_of_the_catalog_names_its_entry_and_source_until_it_is_changed(self) -> None:
        bandwidth = self.inputs("ImageNetBatch64HostFeed", {"batch_size": 32})["device_memory"]
        assert (bandwidth.origin, bandwidth.value) == ("catalog", {"value": 3350.0, "unit": "GB/s"})
        assert (bandwidth.link, bandwidth.figure) == ("/catalog/hardware/H100", "memory.bandwidth")
        assert (bandwidth.source.grade, bandwidth.why) == ("datasheet", "Memory bandwidth of the H100 that is fed.")
        changed = self.inputs("ImageNetBatch64HostFeed", {"device_memory": "4 TB/s"})["device_memory"]
        assert (changed.origin, changed.link, changed.figure, changed.source) == ("given", None, None, None)

    def test_a_default_says_why(self) -> None:
        batch = self.inputs("SingleNodeInferenceScenario", {"workload": "ResNet50", "hardware": "A100"})["batch_size"]
        assert (batch.origin, batch.value) == ("default", 1)
        assert "one input" in batch.why

    def test_a_catalog_entry_lists_the_figures_that_were_used_and_no_others(self) -> None:
        hardware = self.inputs("RooflinePointScenario", {"hardware": "H100", "intensity": "1 FLOP/byte"})["hardware"]
        assert hardware.origin == "catalog"
        assert hardware.link == "/catalog/hardware/H100"
        assert {used.figure: used.value for used in hardware.figures} == {
            "memory.bandwidth": {"value": 3.35, "unit": "TB/s"},
            "compute.peak": {"value": 989, "unit": "TFLOP/s"},
        }
        assert all(used.source == hardware.source and not used.given for used in hardware.figures)

    def test_a_changed_figure_is_given_and_the_others_are_the_catalogs(self) -> None:
        faster = {"ref": "H100", "memory": {"bandwidth": "4 TB/s"}}
        hardware = self.inputs("RooflinePointScenario", {"hardware": faster, "intensity": "1 FLOP/byte"})["hardware"]
        used = {figure.figure: figure for figure in hardware.figures}
        assert hardware.origin == "given"
        assert used["memory.bandwidth"].given
        assert used["memory.bandwidth"].source is None
        assert used["compute.peak"].link == "/catalog/hardware/H100"

    def test_a_figure_that_only_another_input_would_need_is_not_listed(self) -> None:
        """Weights that fit need no host link, and a listed rate needs no reference peak."""
        fits = self.inputs("SingleNodeInferenceScenario", {"workload": "ResNet50", "hardware": "A100"})["hardware"]
        spills = self.inputs("SingleNodeInferenceScenario", {"workload": "GPT3", "hardware": "A100"})["hardware"]
        read = {figure.figure for figure in fits.figures}
        assert read == {
            "memory.capacity",
            "memory.bandwidth",
            "compute.rates.fp16",
            "dispatch_overhead",
            "tdp",
        }
        assert {figure.figure for figure in spills.figures} - read == {"host_link.bandwidth_per_direction"}

    def test_a_figure_that_follows_from_one_that_was_given_is_given(self) -> None:
        hardware = {"ref": "A100", "host_link": {"bandwidth": "1 GB/s"}}
        inputs = self.inputs("SingleNodeInferenceScenario", {"workload": "GPT3", "hardware": hardware})
        (link,) = [used for used in inputs["hardware"].figures if used.figure.startswith("host_link")]
        assert (link.value, link.given, link.source) == ({"value": 1.0, "unit": "GB/s"}, True, None)

    @pytest.mark.parametrize(
        ("hardware", "bandwidth"),
        [
            pytest.param({"memory": {"bandwidth": "4 TB/s"}}, {"value": 4, "unit": "TB/s"}, id="of one's own"),
            pytest.param(
                {"ref": "H100", "memory": {"bandwidth": {"value": 32, "unit": "Tbit/s"}}},
                {"value": 32, "unit": "Tbit/s"},
                id="a change",
            ),
            pytest.param(
                {"memory": {"bandwidth": {"ref": "checkpoint_bandwidth"}}},
                {"value": 100.0, "unit": "GB/s"},
                id="a constant",
            ),
        ],
    )
    def test_a_figure_that_was_given_stands_as_it_was_given(self, hardware: Any, bandwidth: Any) -> None:
        body = {"hardware": {"compute": {"peak": "1 PFLOP/s"}} | hardware, "intensity": "1 FLOP/byte"}
        (used,) = [
            used
            for used in self.inputs("RooflinePointScenario", body)["hardware"].figures
            if used.figure == "memory.bandwidth"
        ]
        assert (used.value, used.given) == (bandwidth, True)

    @pytest.mark.parametrize(
        ("si", "capacity"), [(False, {"value": 80, "unit": "GB"}), (True, {"value": 80e9, "unit": "byte"})]
    )
    def test_a_figure_deep_in_an_object_of_ones_own_is_in_the_units_asked_for(self, si: bool, capacity: Any) -> None:
        node = {"accelerators_per_node": 4, "accelerator": {"memory": {"capacity": "80 GB"}}}
        body = {"workload": "GPT3", "fleet": {"node": node}, "bytes_per_param": "16 B"}
        answer = evaluate("SelfContainedReplicaScenario", body).to_json(si, explain=True)
        fleet = Derivation.model_validate(answer["derivation"]).inputs[1]
        assert {used.figure: used.value for used in fleet.figures} == {
            "node.accelerators_per_node": 4,
            "node.accelerator.memory.capacity": capacity,
        }

    def test_a_figure_has_the_grade_of_its_own_source_where_there_is_one(self) -> None:
        body = {"workload": "GPT2", "hardware": "H100", "n_devices": 1, "efficiency": 0.5}
        inputs = self.inputs("ClusterTrainingTimeScenario", body)
        grades = {used.figure: used.source.grade for used in inputs["workload"].figures}
        assert grades == {"training_flops": "estimate", "parameters": "literature"}
        hardware = self.inputs("SingleNodeInferenceScenario", {"workload": "GPT2", "hardware": "H100"})["hardware"]
        grades = {used.figure: used.source.grade for used in hardware.figures}
        assert grades["dispatch_overhead"] == "estimate"
        assert grades["memory.bandwidth"] == "datasheet"

    def test_a_source_of_ones_own_is_not_that_of_the_catalogs_figures(self) -> None:
        mine = {"ref": "H100", "memory": {"bandwidth": "3 TB/s"}, "source": {"title": "a measurement"}}
        hardware = self.inputs("RooflinePointScenario", {"hardware": mine, "intensity": "1 FLOP/byte"})["hardware"]
        sources = {used.figure: used.source and used.source.grade for used in hardware.figures}
        assert sources == {"memory.bandwidth": None, "compute.peak": "datasheet"}

    def test_a_variant_keeps_why_the_other_inputs_are_what_they_are(self) -> None:
        named = Scenarios.Gpt2XlEagerDecodeDispatch
        for variant in (named.variant(blocks=24), named.scenario.variant(blocks=24), named.variant(blocks=1)):
            inputs = {stated.name: stated for stated in variant.explain().inputs}
            assert (inputs["blocks"].origin, inputs["blocks"].why) == ("given", None)
            assert (inputs["dispatch"].origin, inputs["dispatch"].why) == ("constant", named.why["dispatch"])
            assert (inputs["ops_per_block"].origin, inputs["launches_per_block"].origin) == ("assumption", "default")
        assert named.explain().inputs[1].figure == "layers"

    def test_figures_deep_in_a_fleet_carry_the_source_of_their_own_entry(self) -> None:
        body = {"workload": "GPT3", "fleet": "Training_1K", "bytes_per_param": "16 B"}
        fleet = self.inputs("SelfContainedReplicaScenario", body)["fleet"]
        used = {figure.figure: figure.link for figure in fleet.figures}
        assert used["node.accelerators_per_node"] == "/catalog/nodes/DGX_H100"
        assert used["node.accelerator.memory.capacity"] == "/catalog/hardware/H100"

    def test_an_input_changed_by_a_patch_is_given_without_the_configurations_reason(self) -> None:
        inputs = self.inputs("ModelSpeedupRequestPath", {"speedup": 10})
        assert (inputs["speedup"].origin, inputs["speedup"].why) == ("given", None)
        assert inputs["stage"].why == Scenarios.ModelSpeedupRequestPath.why["stage"]

    @pytest.mark.parametrize(
        ("name", "changes", "member"),
        [
            ("ModelSpeedupRequestPath", {"stages": {"model": "30 ms"}}, ("stages", "model")),
            ("DrfTwoTenantExample", {"bundles": {"A": {"cpu_cores": 5}}}, ("bundles", "A.cpu_cores")),
        ],
    )
    def test_of_a_map_that_was_changed_in_part_the_rest_is_the_configurations(
        self, name: str, changes: dict[str, Any], member: tuple[str, str]
    ) -> None:
        variant = getattr(Scenarios, name).variant(**changes)
        again = variant.variant(**{name: value for name, value in variant.to_json().items() if name != member[0]})
        for derivation in (self.derivation(name, changes), variant.explain(), again.explain()):
            (stated,) = [each for each in derivation.inputs if each.name == member[0]]
            assert (stated.origin, stated.why) == ("given", getattr(Scenarios, name).why[member[0]])
            assert [each.figure for each in stated.figures if each.given] == [member[1]]
            assert len(stated.figures) > 1
            assert "[given in part: " in str(derivation)

    def test_a_constant_in_a_map_names_its_source(self) -> None:
        stages = {"launch": {"ref": "kernel_launch"}, "run": "1 ms"}
        inputs = self.inputs("AmdahlScenario", {"stages": stages, "stage": "run", "speedup": 2})
        launch, run = inputs["stages"].figures
        assert (launch.link, launch.given, run.link, run.given) == (
            "/catalog/constants/kernel_launch",
            False,
            None,
            True,
        )
        assert launch.source.grade

    def test_of_a_map_that_was_replaced_nothing_is_the_configurations(self) -> None:
        stages = {"preprocess": "1 ms", "model": "2 ms", "postprocess": "3 ms"}
        replaced = self.inputs("ModelSpeedupRequestPath", {"stages": stages})["stages"]
        assert (replaced.origin, replaced.why, replaced.figures) == ("given", None, [])


def test_the_formula_with_numbers_reads_like_a_calculation() -> None:
    derivation = Scenarios.ModelSpeedupRequestPath.explain()
    steps = {output.name: (output.with_numbers, output.latex) for output in derivation.outputs}
    assert steps["untouched_time"][0] == "60 ms + 25 ms"
    assert steps["overall_speedup"] == (
        "130 ms / 100 ms",
        r"\frac{\mathrm{total\_time}}{\mathrm{upgraded\_total\_time}}",
    )
    assert same(computed("130 ms / 100 ms"), 1.3)


@pytest.mark.parametrize(
    ("output", "inputs", "expected"),
    [
        pytest.param(
            "bottleneck",
            {},
            "Compute, since 0.027575 ms <= 0.0525641 ms",
            id="a comparison that failed, turned round",
        ),
        pytest.param(
            "peak_flops_actual",
            {"precision": "int4"},
            "0.5 × 312 TFLOP/s, since int4 not in [fp32, tf32, int8, fp16, bf16]",
            id="the reference peak for a rate that is missing",
        ),
        pytest.param(
            "latency_overhead",
            {"workload": {"parameters": 1e6, "inference_flops": "1 GFLOP"}},
            "15 us + 10 us × 1, since workload.layers is not stated",
            id="a stand-in",
        ),
    ],
)
def test_the_numbers_say_what_decided(output: str, inputs: dict[str, Any], expected: str) -> None:
    answer = evaluate("SingleNodeInferenceScenario", {"workload": "ResNet50", "hardware": "A100"} | inputs)
    (shown,) = [each for each in derive(answer.scenario, answer.result).outputs if each.name == output]
    assert shown.with_numbers == expected


def test_a_rounding_division_keeps_its_parentheses() -> None:
    model = {"parameters": 1e6, "layers": 2, "heads": 3, "hidden_dim": 100}
    body = {"workload": model, "hardware": "H100", "bytes_per_weight": "2 B"}
    answer = evaluate("WeightReadScenario", body | {"context_tokens": 5, "kv_bytes_per_value": "2 B"})
    (cache,) = [each for each in derive(answer.scenario, answer.result).outputs if each.name == "kv_cache_bytes"]
    assert cache.with_numbers is not None
    assert cache.with_numbers.startswith("5 × 2 × 2 byte × 2 × 3 × (100 // 3)")
    assert computed(cache.with_numbers.partition(", since ")[0]) == answer.result.__dict__["kv_cache_bytes"]


def line(derivation: Derivation, name: str) -> str | None:
    return next(output.with_numbers for output in derivation.outputs if output.name == name)


@pytest.mark.parametrize(
    ("configuration", "output", "expected"),
    [
        ("ResNet50CompileBreakeven", "eager_item_time", "1 / (1450 1/s)"),
        ("RuralClinicRetinalUpload", "upload_time", "2 GB / (2 Mbit/s)"),
        ("RetinopathyScreenerLateMemoryLimit", "work_discarded", "(153 - 1) × 86400 s"),
        ("IllustrativeMemoryWall", "compute_annual_factor", "2^(31557600 s / 1.5 year)"),
        ("Matmul4096Fp16Tile128", "flops", "2 FLOP × 68719476736"),
        ("Matmul4096Fp16Tile128", "tile_intensity", "4.194304 MFLOP / 65.536 kB"),
        ("Matmul4096Fp16Tile128", "unblocked_intensity", "1 FLOP / 2 byte"),
        ("Gpt2XlSoftmaxPrefill", "flops", "209715200 × 3 FLOP"),
        ("Int8VsFp32OperationEnergy45nm", "wide_mac", "(3.7 pJ/OP + 0.9 pJ/OP) × 1 OP"),
        ("DiurnalServingLending1K", "annual_value", "133 × 2 USD/h × 31536000 s"),
    ],
)
def test_a_line_has_every_unit_it_takes(configuration: str, output: str, expected: str) -> None:
    assert line(getattr(Scenarios, configuration).explain(), output) == expected


def test_a_difference_shows_the_digits_that_are_left_of_it() -> None:
    barely = Scenarios.ModelSpeedupRequestPath.variant(speedup=1.0000001).explain()
    assert line(barely, "upgraded_stage_time") == "45 ms / 1.0000001"
    assert line(barely, "end_to_end_reduction") == "1 - 129.9999955 ms / 130 ms"


def test_two_sides_of_a_comparison_are_told_apart() -> None:
    fits = Scenarios.WearableMobileNetV2SparseFlash.variant(flash_budget="2999999.9999 B").explain()
    assert line(fits, "fits") == "3 MB <= 2.9999999999 MB"


def test_of_a_long_list_the_item_that_decides_is_shown() -> None:
    values = [*range(20), 99, *range(30)]
    inputs = {"values": values, "bits": 8, "signed": False, "symmetric": True}
    grid = evaluate("QuantizationGridScenario", inputs).scenario.explain()
    assert line(grid, "hi") == "max([0, 1, 2, 3, 4, 5, 6, … 13 more, 99, … 30 more]), since beta is not stated and " + (
        "symmetric is true"
    )


def test_a_step_that_only_the_code_can_take_is_still_shown() -> None:
    """The code clips the value before it rounds; no whole number beside 1e30 is known."""
    inputs = {"values": [1e30], "bits": 8, "signed": False, "symmetric": False, "alpha": -1, "beta": 3}
    grid = evaluate("QuantizationGridScenario", inputs).scenario.explain()
    assert line(grid, "codes") == "[max(0, min(255, round(1e+30 / 0.01568627450980392) + 64))]"


def test_the_lines_are_there_as_latex() -> None:
    derivation = Scenarios.ResNet50CompileBreakeven.explain()
    assert derivation.outputs[3].latex_with_numbers == r"\frac{30\,\mathrm{s}}{0.224539\,\mathrm{ms}}"
    assert derivation.outputs[3].latex_with_numbers in derivation.latex()


def test_a_number_is_shown_as_written_where_it_is_short() -> None:
    """To six digits both sides of this comparison would be 0.94, and the line false."""
    floor = Scenarios.RetinopathyScreenerRequirements.variant(sensitivity_floor=0.9400001)
    assert "0.9400001" in str(floor.explain())
