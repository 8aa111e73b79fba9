"""What a careful engineer looks at twice: each doubt is raised where it is one, and not just beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlsysim.catalog import catalog
from mlsysim.engine.evaluation import evaluate
from mlsysim.engine.scenario_catalog import configurations
from mlsysim.engine.warnings import CODES

FLAT: dict[str, Any] = {"dispatch": "10 us", "launch": "5 us"}
DISPATCH = FLAT | {"ops_per_block": 1}
TILE: dict[str, Any] = dict.fromkeys(("m", "n", "k"), 64) | dict.fromkeys(("tile_m", "tile_n", "tile_k"), 16)
TILE |= {"operand_bytes": "2 B", "accumulator_bytes": "4 B"}
ONE: dict[str, Any] = {"workload": "ResNet50", "hardware": "A100", "layer_overhead": "0 us", "batch_size": 64}
RUN: dict[str, Any] = {"workload": "GPT3", "hardware": "A100", "n_devices": 1024, "efficiency": 0.45}
TOKEN: dict[str, Any] = {"workload": "GPT2", "hardware": "H100", "bytes_per_weight": "2 B"}
CACHE: dict[str, Any] = {"context_tokens": 1024, "kv_bytes_per_value": "2 B"}
PATH: dict[str, Any] = {"stages": {"model": "45 ms", "rest": "85 ms"}, "stage": "model"}
PIPELINE: dict[str, Any] = {"stages": PATH["stages"], "accelerated": "model"}
MOVE: dict[str, Any] = {"fraction": 0.8, "baseline_rate": "1 TFLOP/s"}
PEAKS: dict[str, Any] = {"baseline_low": "1 TFLOP/s", "baseline_high": "2 TFLOP/s"}
KERNEL: dict[str, Any] = {"intensity": "1 FLOP/byte"}
POD: dict[str, Any] = {"pod": "TPUv4_4096"}
PROFILE: dict[str, Any] = {
    "workload": "ResNet50",
    "hardware": "T4",
    "float_latency": "4 ms",
    "int_latency": "1.6 ms",
    "float_throughput": "1000 1/s",
    "int_throughput": "5000 1/s",
    "float_bytes": "4 B",
    "int_bytes": "1 B",
    "float_top1_pct": 76.1,
    "int_top1_pct": 75.8,
    "float_calibration_error_pct": 2.1,
    "int_calibration_error_pct": 3.4,
    "top1_limit_pct": 75.5,
    "calibration_error_limit_pct": 3.0,
}
EXPANSION: dict[str, Any] = {"write_time": "2 s", "component_mtbf": "1000 s", "n_devices": 2, "factor": 2}
ELASTIC: dict[str, Any] = {
    "window": "24 h",
    "queue_wait": "4 h",
    "rescale_overhead": "10 min",
    "small_gpus": 128,
    "step_up_gpus": 256,
    "full_gpus": 512,
    "small_throughput": 1.0,
    "step_up_throughput": 2.0,
    "full_throughput": 3.2,
}
TENANTS: dict[str, Any] = {"capacity": {"gpu": 8}, "bundles": {"small": {"gpu": 1}, "large": {"gpu": 8}}}
RACE: dict[str, Any] = {
    "window": "26 week",
    "slow_cycle": "1 week",
    "slow_start": 0.95,
    "slow_gain": 0.0015,
    "fast_cycle": "1 h",
    "fast_start": 0.9,
    "fast_gain": 0.001,
    "fast_effective_runs": 100,
}
SPILL: dict[str, Any] = {"tensor_bytes": "1 MB"}
SCREENER: dict[str, Any] = {
    "sensitivity_floor": 0.9,
    "specificity_floor": 0.8,
    "memory_budget": "500 MB",
    "slice_sensitivity": {"all": 0.95},
}
CAMERA: dict[str, Any] = {
    "full": "MobileNetV2",
    "pruned": "MobileNetV2_Alpha0_75",
    "frame_rate": "30 1/s",
    "accelerator_rate": "35 1/s",
    "float_bytes": "4 B",
    "int_bytes": "1 B",
}
GROWTH: dict[str, Any] = {"compute_doubling_period": "18 month", "horizon": "10 year"}


def h100(**compute: Any) -> dict[str, Any]:
    """An H100 with figures of its compute part changed."""
    return {"ref": "H100", "compute": compute}


def codes_of(scenario: str, inputs: dict[str, Any]) -> list[str]:
    return [warning.code for warning in _warnings(scenario, inputs)]


def _warnings(scenario: str, inputs: dict[str, Any]) -> list[Any]:
    evaluation = evaluate(scenario, inputs)
    return list(evaluation.scenario.warnings(evaluation.result))


@pytest.mark.parametrize(
    ("scenario", "inputs", "codes"),
    [
        pytest.param("HostDispatchScenario", DISPATCH | {"device_time": "16 us"}, [], id="the device is slower"),
        pytest.param(
            "HostDispatchScenario", DISPATCH | {"device_time": "14 us"}, ["overhead_dominated"], id="the host is slower"
        ),
        pytest.param("KernelFusionScenario", FLAT | {"chain_length": 2}, [], id="a pair to fuse"),
        pytest.param("KernelFusionScenario", FLAT | {"chain_length": 1}, ["no_gain"], id="nothing to fuse with"),
        pytest.param("MatmulTileScenario", TILE, [], id="no space stated"),
        pytest.param("MatmulTileScenario", TILE | {"capacity": "2 KiB"}, [], id="tiles that just fit"),
        pytest.param("MatmulTileScenario", TILE | {"capacity": "2047 B"}, ["does_not_fit"], id="tiles that do not"),
        pytest.param("MatmulTileScenario", TILE | {"tile_m": 1, "tile_n": 1}, ["no_gain"], id="no reuse"),
        pytest.param("SingleNodeInferenceScenario", ONE, [], id="a dense model"),
        pytest.param("SingleNodeInferenceScenario", ONE | {"efficiency": 0.9}, [], id="a good kernel"),
        pytest.param("SingleNodeInferenceScenario", ONE | {"efficiency": 1}, ["near_peak"], id="all of the peak"),
        pytest.param(
            "SingleNodeInferenceScenario",
            {"workload": "Mixtral_8x7B", "hardware": "B200", "layer_overhead": "0 us"},
            ["all_experts_counted"],
            id="a mixture of experts",
        ),
        pytest.param("ClusterTrainingTimeScenario", RUN, [], id="a training run"),
        pytest.param(
            "ClusterTrainingTimeScenario",
            RUN | {"workload": {"ref": "GPT3", "active_parameters": 1e9}},
            [],
            id="experts of which the active ones are counted",
        ),
        pytest.param(
            "ClusterTrainingTimeScenario",
            RUN | {"workload": {"ref": "GPT3", "kind": "moe_transformer"}},
            ["all_experts_counted"],
            id="experts of which nobody knows how many are active",
        ),
        pytest.param("ClusterTrainingTimeScenario", RUN | {"efficiency": 1}, ["near_peak"], id="a run at peak"),
        pytest.param("ClusterTrainingTimeScenario", RUN | {"n_devices": 5}, [], id="weights fit, 350 GB in 429 GB"),
        pytest.param(
            "ClusterTrainingTimeScenario", RUN | {"n_devices": 4}, ["weights_exceed_memory"], id="weights do not fit"
        ),
        pytest.param(
            "ClusterTrainingTimeScenario",
            RUN | {"n_devices": 4, "peak_precision": "int8"},
            [],
            id="they would at a byte each",
        ),
        pytest.param(
            "ClusterTrainingTimeScenario",
            RUN | {"tokens_per_step": 10**15},
            ["does_not_fit"],
            id="a step of all tokens",
        ),
        pytest.param("WeightReadScenario", TOKEN | CACHE, [], id="weights and cache fit"),
        pytest.param(
            "WeightReadScenario",
            TOKEN | CACHE | {"hardware": {"ref": "H100", "memory": {"capacity": "3.1 GB"}}},
            ["does_not_fit"],
            id="weights fit, the cache does not",
        ),
        pytest.param(
            "WeightReadScenario",
            TOKEN | CACHE | {"hardware": {"ref": "H100", "memory": {"capacity": "2.9 GB"}}},
            ["weights_exceed_memory"],
            id="not even the weights fit",
        ),
        pytest.param(
            "WeightReadScenario", TOKEN | CACHE | {"context_tokens": 1025}, ["context_beyond_model"], id="too long"
        ),
        pytest.param("WeightReadScenario", TOKEN | {"bytes_per_weight": "16 B"}, ["wide_values"], id="bits for bytes"),
        pytest.param(
            "WeightReadScenario",
            TOKEN | CACHE | {"unpacked_bytes_per_weight": "2 B"},
            ["no_gain"],
            id="nothing to unpack",
        ),
        pytest.param("AmdahlScenario", PATH | {"speedup": 2}, [], id="a faster stage"),
        pytest.param("AmdahlScenario", PATH | {"speedup": 1}, ["no_gain"], id="a stage as fast as before"),
        pytest.param("AmdahlScenario", PATH | {"speedup": 0.5}, ["slowdown"], id="a slower stage"),
        pytest.param("PipelineSpeedupScenario", PIPELINE, [], id="the path as it stands is what is asked for"),
        pytest.param(
            "AcceleratedFractionScenario", MOVE | {"accelerated_rate": "1 TFLOP/s"}, ["no_gain"], id="as fast"
        ),
        pytest.param("PeakRatioRangeScenario", PEAKS | {"rate": "2 TFLOP/s"}, ["no_gain"], id="no higher"),
        pytest.param(
            "SpeedupCompositionScenario", {"factors": {"a": 2, "b": 3}, "measured": 6}, [], id="all that was promised"
        ),
        pytest.param(
            "SpeedupCompositionScenario",
            {"factors": {"a": 2, "b": 3}, "measured": 7},
            ["gain_unexplained"],
            id="more than was promised",
        ),
        pytest.param(
            "WorkLatencyGapScenario",
            {"work_reduction": 0.4, "latency_reduction": 0.5},
            ["gain_unexplained"],
            id="more latency gone than work",
        ),
        pytest.param("ClusterExpansionScenario", EXPANSION | {"step_speedup": 2}, [], id="twice on twice the devices"),
        pytest.param(
            "ClusterExpansionScenario",
            EXPANSION | {"step_speedup": 2.1},
            ["gain_unexplained"],
            id="more than twice on twice the devices",
        ),
        pytest.param("ElasticResizeScenario", ELASTIC, [], id="at most linear"),
        pytest.param(
            "ElasticResizeScenario", ELASTIC | {"full_throughput": 4.1}, ["gain_unexplained"], id="more than linear"
        ),
        pytest.param("DominantShareScenario", TENANTS, ["does_not_fit"], id="a tenant that never gets its turn"),
        pytest.param(
            "DominantShareScenario", TENANTS | {"bundles": {"small": {"gpu": 1}, "large": {"gpu": 4}}}, [], id="both do"
        ),
        pytest.param("AcceleratorPodScenario", POD | {"accelerator": "TPUv4"}, [], id="the pod's own chip"),
        pytest.param(
            "AcceleratorPodScenario", POD | {"accelerator": "H100"}, ["figures_disagree"], id="a chip of another pod"
        ),
        pytest.param("AcceleratorComparison", {"baseline": "V100", "candidate": "A100"}, [], id="both in FP16"),
        pytest.param(
            "AcceleratorComparison", {"baseline": "K80", "candidate": "A100"}, ["formats_differ"], id="FP32 and FP16"
        ),
        pytest.param(
            "AcceleratorComparison",
            {"baseline": "K80", "candidate": "A100", "precision": "fp32"},
            [],
            id="FP32 on both",
        ),
        pytest.param(
            "AcceleratorComparison",
            {"baseline": "V100", "candidate": "iPhone15Pro"},
            ["formats_differ", "slowdown"],
            id="FP16 and operations of integers",
        ),
        pytest.param(
            "AcceleratorComparison",
            {"baseline": "V100", "candidate": {"ref": "iPhone15Pro", "compute": {"peak": "17 TFLOP/s"}}},
            ["slowdown"],
            id="FP16 and an operation rate of one's own",
        ),
        pytest.param(
            "AcceleratorComparison",
            {"baseline": "V100", "candidate": {"compute": {"peak": "500 TOP/s"}, "tdp": "100 W"}},
            ["formats_differ"],
            id="FP16 and integers of one's own",
        ),
        pytest.param(
            "AcceleratorComparison",
            {"baseline": "TPUv1", "candidate": "Snapdragon8Gen3"},
            ["slowdown"],
            id="integers twice",
        ),
        pytest.param(
            "SingleNodeInferenceScenario",
            ONE | {"hardware": "K80", "batch_size": 1},
            ["formats_differ"],
            id="FP16 at an FP32 peak",
        ),
        pytest.param(
            "SingleNodeInferenceScenario",
            ONE | {"hardware": "K80", "batch_size": 1, "precision": "fp32"},
            [],
            id="FP32 at its own rate",
        ),
        pytest.param(
            "ClusterTrainingTimeScenario", RUN | {"hardware": "TPUv1"}, ["formats_differ"], id="integers for training"
        ),
        pytest.param(
            "SpeedupCompositionScenario",
            {"factors": {"a": 2, "b": 4}, "measured": 4.5},
            [],
            id="more than the best of them",
        ),
        pytest.param(
            "SpeedupCompositionScenario",
            {"factors": {"a": 2, "b": 4}, "measured": 4},
            ["gain_falls_short"],
            id="no more than the best of them",
        ),
        pytest.param(
            "SpeedupCompositionScenario",
            {"factors": {"a": 2, "b": 4}, "measured": 1},
            ["no_gain"],
            id="as fast as before",
        ),
        pytest.param("ClusterExpansionScenario", EXPANSION | {"write_time": "11.2 s"}, [], id="29.9 percent lost"),
        pytest.param(
            "ClusterExpansionScenario",
            EXPANSION | {"write_time": "11.3 s"},
            ["approximation_rough"],
            id="30.1 percent lost, at twice the size",
        ),
        pytest.param("InputSpaceScenario", {"dataset": "ImageNet", "levels": 256}, [], id="eight bits"),
        pytest.param(
            "InputSpaceScenario", {"dataset": "ImageNet", "levels": 8}, ["levels_or_bits"], id="bits for levels"
        ),
        pytest.param("InputSpaceScenario", {"dataset": "ImageNet", "levels": 65536}, [], id="sixteen bits"),
        pytest.param(
            "InputSpaceScenario",
            {"dataset": "ImageNet", "levels": 2**24},
            ["levels_or_bits"],
            id="the colors of a pixel",
        ),
        pytest.param("MemoryRoundTripScenario", SPILL | {"energy_per_byte": "320 pJ/B"}, [], id="a dear memory"),
        pytest.param(
            "MemoryRoundTripScenario",
            SPILL | {"energy_per_byte": "640 pJ/B"},
            ["bytes_or_words"],
            id="a word for a byte",
        ),
        pytest.param(
            "WeightReadScenario",
            TOKEN | {"hardware": {"ref": "H100", "tdp": "10 kW"}, "energy_per_byte": "640 pJ/B"},
            ["bytes_or_words"],
            id="a word for a byte of weights",
        ),
        pytest.param(
            "ScreeningRequirementsScenario", SCREENER | {"device": "JetsonOrinNano"}, [], id="a range of power"
        ),
        pytest.param(
            "ScreeningRequirementsScenario", SCREENER | {"device": "T4"}, ["power_unknown"], id="no range of power"
        ),
        pytest.param(
            "ScreeningRequirementsScenario",
            SCREENER | {"device": "JetsonOrinNano", "memory_budget": "9 GB"},
            ["does_not_fit"],
            id="a budget beyond the device",
        ),
        pytest.param("FrameCompressionScenario", CAMERA | {"cpu_rate": "31 1/s"}, [], id="in time everywhere"),
        pytest.param(
            "FrameCompressionScenario",
            CAMERA | {"cpu_rate": "29 1/s"},
            ["deadline_missed"],
            id="in time once it is pruned",
        ),
        pytest.param(
            "FrameCompressionScenario",
            CAMERA | {"cpu_rate": "8 1/s", "accelerator_rate": "9 1/s"},
            ["deadline_missed", "deadline_missed"],
            id="late everywhere",
        ),
        pytest.param(
            "QuantizedDeploymentProfileScenario",
            PROFILE | {"float_calibration_error_pct": 0.021, "int_calibration_error_pct": 0.034},
            ["percent_or_share"],
            id="calibration errors as shares",
        ),
        pytest.param(
            "QuantizedDeploymentProfileScenario",
            PROFILE | {"float_calibration_error_pct": 0},
            [],
            id="perfect calibration",
        ),
        pytest.param(
            "QuantizedDeploymentProfileScenario",
            PROFILE | {"top1_limit_pct": 0.755},
            ["percent_or_share"],
            id="a limit as a share",
        ),
        pytest.param(
            "IronLawScenario",
            {"overhead": "0 s", "memory_time_stated": "1 s", "operations": "1 PFLOP", "effective_rate": "1979 TFLOP/s"},
            ["sparse_peak"],
            id="a sparse peak as a sustained rate",
        ),
        pytest.param(
            "ElasticResizeScenario", ELASTIC | {"step_up_throughput": 1}, ["slowdown"], id="a pause for nothing"
        ),
        pytest.param(
            "ElasticResizeScenario",
            ELASTIC | {"step_up_throughput": 1, "rescale_overhead": "0 s"},
            ["no_gain"],
            id="no faster",
        ),
        pytest.param("AcceleratorComparison", {"baseline": "K80", "candidate": "K80"}, ["no_gain"], id="FP32 twice"),
        pytest.param(
            "AcceleratorGenerationsScenario", {"accelerators": ["TPUv1", "TPUv4"]}, ["formats_differ"], id="INT8 first"
        ),
        pytest.param("QuantizedDeploymentProfileScenario", PROFILE, [], id="measurements a T4 can show"),
        pytest.param(
            "QuantizedDeploymentProfileScenario",
            PROFILE | {"int_throughput": "40000 1/s"},
            ["above_peak"],
            id="328 TOP/s on a device of 130",
        ),
        pytest.param(
            "QuantizedDeploymentProfileScenario",
            PROFILE | {"float_throughput": "9000 1/s", "int_throughput": "10000 1/s"},
            ["above_peak"],
            id="74 TFLOP/s on a device of 65 in floating point",
        ),
        pytest.param(
            "QuantizedDeploymentProfileScenario",
            PROFILE | {"float_throughput": "200 1/s"},
            ["batch_without_gain"],
            id="250 inputs a second one by one",
        ),
        pytest.param(
            "QuantizedDeploymentProfileScenario",
            PROFILE | {"float_top1_pct": 0.761, "int_top1_pct": 0.758},
            ["percent_or_share"],
            id="accuracies as shares",
        ),
        pytest.param(
            "QuantizedDeploymentProfileScenario",
            PROFILE | {"int_top1_pct": 0.758},
            ["percent_or_share"],
            id="one accuracy as a share",
        ),
        pytest.param(
            "QuantizedDeploymentProfileScenario",
            PROFILE | {"workload": {"parameters": 5e9}},
            ["weights_exceed_memory"],
            id="20 GB of floats on 16 GiB",
        ),
        pytest.param(
            "IterationBudgetScenario", RACE | {"ceiling": 0.99}, ["percent_or_share"], id="accuracies as shares of one"
        ),
        pytest.param("GrowthGapScenario", GROWTH | {"bandwidth_growth": 0.2}, [], id="20 percent a year"),
        pytest.param("GrowthGapScenario", GROWTH | {"bandwidth_growth": 20}, ["percent_or_share"], id="20 for 0.2"),
    ],
)
def test_a_doubt_is_raised_where_it_is_one(scenario: str, inputs: dict[str, Any], codes: list[str]) -> None:
    assert codes_of(scenario, inputs) == codes


class TestSparsePeaks:
    """A figure with sparsity is doubtful for the format in which the device reaches it only with sparsity."""

    @pytest.mark.parametrize(
        ("hardware", "precision", "codes"),
        [
            pytest.param("H100", None, [], id="the reference peak"),
            pytest.param("H100", "fp16", [], id="a listed dense rate"),
            pytest.param("H100", "fp8", [], id="a dense rate that is the sparse one of a wider format"),
            pytest.param(h100(peak="1979 TFLOP/s"), None, ["sparse_peak"], id="a peak that is the sparse FP16 figure"),
            pytest.param(h100(peak="1979 TFLOP/s"), "fp16", [], id="that peak, where it is not the rate taken"),
            pytest.param(h100(peak="3958 TFLOP/s"), None, ["sparse_peak"], id="a peak that is no dense rate at all"),
            pytest.param(
                h100(rates={"fp16": "1979 TFLOP/s"}), "fp16", ["sparse_peak"], id="a rate at its sparse figure"
            ),
            pytest.param(h100(rates={"fp16": "1979 TFLOP/s"}), "fp8", [], id="that rate, where another is taken"),
            pytest.param(h100(rates={"fp16": "1200 TFLOP/s"}), "fp16", [], id="a rate of one's own"),
        ],
    )
    def test_of_a_device(self, hardware: Any, precision: str | None, codes: list[str]) -> None:
        inputs = {"hardware": hardware} | ({"precision": precision} if precision else {})
        assert codes_of("RooflinePointScenario", KERNEL | inputs) == codes

    @pytest.mark.parametrize(
        ("rate", "codes"),
        [
            pytest.param("989 TFLOP/s", [], id="dense FP16 of an H100, and its sparse TF32"),
            pytest.param("1979 TFLOP/s", ["sparse_peak"], id="sparse FP16 of an H100, or its dense FP8"),
            pytest.param("1979 TOP/s", [], id="dense INT8 of an H100"),
            pytest.param("624 TFLOP/s", ["sparse_peak"], id="sparse FP16 of an A100"),
            pytest.param("624 TOP/s", [], id="dense INT8 of an A100"),
            pytest.param("1248 TOP/s", ["sparse_peak"], id="sparse INT8 of an A100"),
            pytest.param("2563 TFLOP/s", ["sparse_peak"], id="sparse FP16 of a Trainium 2, four times the dense one"),
            pytest.param("1978.9 TFLOP/s", ["sparse_peak"], id="sparse FP16 of an H100 to another digit"),
            pytest.param("9 PFLOP/s", ["sparse_peak"], id="sparse FP8 of a B200"),
            pytest.param("40 TOP/s", [], id="a round number that is also sparse INT8 of a small module"),
            pytest.param("1 PFLOP/s", [], id="a round number that is also sparse FP4 of a small computer"),
        ],
    )
    def test_of_a_rate_alone(self, rate: str, codes: list[str]) -> None:
        assert codes_of("AcceleratedFractionScenario", MOVE | {"accelerated_rate": rate}) == codes

    def test_the_message_says_for_which_work_it_is_no_doubt(self) -> None:
        (warning,) = _warnings("PeakRatioRangeScenario", PEAKS | {"rate": "1979 TFLOP/s"})
        assert warning.message == (
            "rate equals the fp16 figure of NVIDIA H100 with sparsity: a gain on paper, unless the work is fp8 or int8"
        )

    def test_a_rate_keeps_how_its_operations_are_written(self) -> None:
        """Or the inputs of an answer, posted back, would be warned of where the answer was not."""
        for si, unit in ((False, "TOP/s"), (True, "OP/s")):
            answer = evaluate("Gpt2DecodeH100OverServerCpu", {}).to_json(si)
            assert answer["inputs"]["accelerated_rate"]["unit"] == unit
            assert evaluate(answer["scenario"], answer["inputs"]).to_json(si)["warnings"] == answer["warnings"] == []

    @pytest.mark.parametrize("key", list(catalog().entries("hardware")))
    def test_no_entry_of_the_catalog_is_in_doubt(self, key: str) -> None:
        entry: Any = catalog().entry("hardware", key)
        for precision in (None, *entry.compute.rates):
            body = KERNEL | {"hardware": key} | ({"precision": precision} if precision else {})
            assert codes_of("RooflinePointScenario", body) == []


def test_in_an_array_one_doubtful_element_is_enough() -> None:
    widths = {"value": np.array([2.0, 16.0]), "unit": "B"}
    assert codes_of("WeightReadScenario", TOKEN | {"bytes_per_weight": widths}) == [
        "wide_values",
    ]


def test_the_named_configurations_that_are_worth_a_second_look() -> None:
    """Regression: a warning that comes to many of these is one that says nothing."""
    doubtful = {name: codes for name in configurations() if (codes := codes_of(name, {}))}
    assert doubtful == {
        "MobileNetV2BlurPipelinePhone": ["deadline_missed"],
        "WearableMobileNetV2SparseFlash": ["does_not_fit"],
        "Drone4KObstacleOffload": ["deadline_missed"],
        "Gpt2XlEagerDecodeDispatch": ["overhead_dominated"],
        "SmallKernelDispatch": ["overhead_dominated"],
        "SmallMlpDispatch": ["overhead_dominated"],
        "ImageNetBatch64HostFeed": ["deadline_missed"],
        "ResNet50CompileBreakeven": ["slowdown"],
        "RetinopathyScreenerLateMemoryLimit": ["does_not_fit"],
        "MobileNetV2PhoneBatch1": ["formats_differ", "overhead_dominated"],
        "ResNet50A100Batch1": ["overhead_dominated", "near_peak"],
        "ResNet50Batch1H100Fp16PeakRate": ["overhead_dominated", "near_peak"],
        "ResNet50Batch1H100Int8PeakRate": ["overhead_dominated", "near_peak"],
        "ResNet50PhoneNpuBatch1": ["precision_rate_missing", "overhead_dominated", "near_peak"],
        "Llama2_7BTokenOnFlagshipPhone": ["weights_exceed_memory", "power_above_rating"],
        "PrunedInt8PaperVsMeasured": ["gain_falls_short"],
        "MnistTwoLayerTrainingStepOnH100": ["overhead_dominated"],
    }


def test_the_codes_stand_in_alphabetical_order_and_explain_themselves() -> None:
    assert list(CODES) == sorted(CODES)
    assert all(meaning[0].islower() and not meaning.endswith(".") for meaning in CODES.values())


SPILLING: dict[str, Any] = ONE | {"hardware": {"ref": "A100", "memory": {"capacity": "1 MB"}}}
REPLICA: dict[str, Any] = {"workload": "GPT3", "fleet": "Training_1K", "bytes_per_param": "16 B"}

# For each code a scenario, inputs in which it is raised, and the change that takes the doubt away.
PAIRS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "above_peak": (
        "RooflinePointScenario",
        {"hardware": "H100", "achieved_rate": "990 TFLOP/s", "achieved_bandwidth": "3 TB/s"},
        {"achieved_rate": "988 TFLOP/s"},
    ),
    "all_experts_counted": ("WeightReadScenario", TOKEN | {"workload": "Mixtral_8x7B"}, {"workload": "Llama2_7B"}),
    "approximation_rough": ("ClusterExpansionScenario", EXPANSION | {"write_time": "11.3 s"}, {"write_time": "11.2 s"}),
    "batch_without_gain": (
        "SingleNodeInferenceScenario",
        ONE | {"activation_fraction": 1000},
        {"activation_fraction": 0.1},
    ),
    "bytes_or_words": (
        "MemoryRoundTripScenario",
        SPILL | {"energy_per_byte": "640 pJ/B"},
        {"energy_per_byte": "160 pJ/B"},
    ),
    "context_beyond_model": ("WeightReadScenario", TOKEN | CACHE | {"context_tokens": 1025}, {"context_tokens": 1024}),
    "deadline_missed": ("FrameCompressionScenario", CAMERA | {"cpu_rate": "29 1/s"}, {"cpu_rate": "30 1/s"}),
    "does_not_fit": ("MatmulTileScenario", TILE | {"capacity": "2047 B"}, {"capacity": "2048 B"}),
    "figures_disagree": ("AcceleratorPodScenario", POD | {"accelerator": "H100"}, {"accelerator": "TPUv4"}),
    "formats_differ": (
        "AcceleratorComparison",
        {"baseline": "V100", "candidate": "iPhone15Pro"},
        {"candidate": "A100"},
    ),
    "gain_falls_short": ("SpeedupCompositionScenario", {"factors": {"a": 2, "b": 4}, "measured": 4}, {"measured": 4.1}),
    "gain_unexplained": ("SpeedupCompositionScenario", {"factors": {"a": 2}, "measured": 2.1}, {"measured": 2}),
    "host_link_assumed": (
        "SingleNodeInferenceScenario",
        SPILLING | {"hardware": "TPUv6", "workload": "GPT3"},
        {"hardware": "A100"},
    ),
    "levels_or_bits": ("InputSpaceScenario", {"dataset": "ImageNet", "levels": 8}, {"levels": 7}),
    "near_peak": ("ClusterTrainingTimeScenario", RUN | {"efficiency": 0.91}, {"efficiency": 0.9}),
    "no_gain": ("AmdahlScenario", PATH | {"speedup": 1}, {"speedup": 1.01}),
    "no_progress": (
        "PreemptionTaxScenario",
        {
            "n_devices": 1,
            "checkpoint_bytes": "0 B",
            "lost_work": "55 min",
            "preemption_rate": "1 1/h",
            "recovery": "fleet_default",
            "device_hour_rate": "2 USD/h",
        },
        {"lost_work": "54 min"},
    ),
    "nothing_tested": (
        "ScreeningRequirementsScenario",
        SCREENER | {"device": "JetsonOrinNano", "slice_sensitivity": {}},
        {"slice_sensitivity": {"all": 0.5}},
    ),
    "overhead_dominated": ("HostDispatchScenario", DISPATCH | {"device_time": "14 us"}, {"device_time": "16 us"}),
    "percent_or_share": ("GrowthGapScenario", GROWTH | {"bandwidth_growth": 1.1}, {"bandwidth_growth": 1}),
    "pipeline_deeper_than_layers": (
        "SelfContainedReplicaScenario",
        REPLICA | {"workload": {"ref": "GPT3", "layers": 7}},
        {"workload": {"ref": "GPT3", "layers": 8}},
    ),
    "power_above_rating": (
        "WeightReadScenario",
        TOKEN | {"energy_per_byte": "210 pJ/B"},
        {"energy_per_byte": "208 pJ/B"},
    ),
    "power_unknown": ("SingleNodeInferenceScenario", ONE | {"hardware": "TPUv6"}, {"hardware": "TPUv4"}),
    "precision_rate_missing": ("SingleNodeInferenceScenario", ONE | {"precision": "fp8"}, {"precision": "int8"}),
    "replica_exceeds_fleet": (
        "SelfContainedReplicaScenario",
        REPLICA | {"fleet": {"ref": "Training_1K", "count": 7}},
        {"fleet": {"ref": "Training_1K", "count": 8}},
    ),
    "slowdown": ("AmdahlScenario", PATH | {"speedup": 0.99}, {"speedup": 1.01}),
    "sparse_peak": ("PeakRatioRangeScenario", PEAKS | {"rate": "1979 TFLOP/s"}, {"rate": "989 TFLOP/s"}),
    "values_clipped": ("QuantizationGridScenario", {"values": [0.0, 1.1], "bits": 8, "beta": 1.0}, {"beta": 1.1}),
    "weights_exceed_memory": ("WeightReadScenario", TOKEN | {"workload": "Llama2_70B"}, {"bytes_per_weight": "1 B"}),
    "wide_values": ("WeightReadScenario", TOKEN | {"bytes_per_weight": "9 B"}, {"bytes_per_weight": "8 B"}),
}


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_raised_by_an_input_and_not_by_one_beside_it(code: str) -> None:
    scenario, doubtful, change = PAIRS[code]
    assert code in codes_of(scenario, doubtful)
    assert code not in codes_of(scenario, doubtful | change)


def test_a_fleet_of_one_node_has_one_node() -> None:
    (warning,) = _warnings("SelfContainedReplicaScenario", REPLICA | {"fleet": {"ref": "Training_1K", "count": 1}})
    assert warning.message == "Training Cluster (1024 GPUs) has 1 node"
