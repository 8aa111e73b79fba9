"""An output that is not defined says which of the reasons holds, and no other."""

from __future__ import annotations

from typing import Any

import pytest

from mlsysim.engine.evaluation import evaluate
from mlsysim.engine.registry import scenario_classes

COMPILE: dict[str, Any] = {"eager_rate": "1 1/s", "compiled_rate": "2 1/s", "compile_time": "1 s"}
READ: dict[str, Any] = {"workload": "GPT2", "hardware": "H100", "bytes_per_weight": "2 B"}
CACHE: dict[str, Any] = {"context_tokens": 1, "kv_bytes_per_value": "2 B"}
RUN: dict[str, Any] = {"workload": "GPT3", "n_devices": 8, "efficiency": 0.5}
PATH: dict[str, Any] = {"stages": {"model": "0 s", "feed": "0 s", "rest": "1 s"}, "accelerated": "model"}


@pytest.mark.parametrize(
    ("scenario", "inputs", "output", "reason"),
    [
        (
            "CompileBreakevenScenario",
            COMPILE | {"recompiles": 1},
            "experiment_slowdown",
            "no experiment_items are given",
        ),
        (
            "CompileBreakevenScenario",
            COMPILE | {"experiment_items": 1},
            "experiment_slowdown",
            "no recompiles are given",
        ),
        (
            "CompileBreakevenScenario",
            COMPILE,
            "experiment_compiled_total",
            "no experiment_items are given and no recompiles are given",
        ),
        (
            "AcceleratorComparison",
            {"baseline": "TPUv6", "candidate": "H100"},
            "tdp_ratio",
            "the baseline lists no rated power",
        ),
        (
            "AcceleratorComparison",
            {"baseline": "H100", "candidate": "TPUv6"},
            "efficiency_ratio",
            "the candidate lists no rated power",
        ),
        ("WeightReadScenario", READ | CACHE, "separate_unpack_time", "no unpacked width is given"),
        (
            "WeightReadScenario",
            READ | {"unpacked_bytes_per_weight": "2 B"},
            "separate_unpack_bytes",
            "no context is given",
        ),
        ("PipelineSpeedupScenario", PATH, "overlapped_share", "no feeders are given"),
        (
            "PipelineSpeedupScenario",
            PATH | {"feeders": ["feed"]},
            "overlapped_share",
            "the stage and its feeders all take no time",
        ),
        ("ClusterTrainingTimeScenario", RUN | {"hardware": "H100"}, "step_energy", "no tokens_per_step is given"),
        (
            "ClusterTrainingTimeScenario",
            RUN | {"hardware": "TPUv6", "tokens_per_step": 1},
            "step_energy",
            "no rated power is known of the device",
        ),
        (
            "AmdahlScenario",
            {"stages": {"model": "1 s"}, "stage": "model", "speedup": "inf"},
            "overall_speedup",
            "an infinite speedup leaves no time, where there is no other stage that takes any",
        ),
        (
            "AmdahlScenario",
            {"stages": {"model": "1e-200 s"}, "stage": "model", "speedup": 1e200},
            "overall_speedup",
            "the new path takes less time than a double can hold",
        ),
    ],
)
def test_the_reason_that_holds_is_given(scenario: str, inputs: dict[str, Any], output: str, reason: str) -> None:
    answer = evaluate(scenario, inputs).to_json(explain=True)
    assert answer["result"][output] is None
    assert answer["undefined"][output] == reason
    explained = {derived["name"]: derived["undefined"] for derived in answer["derivation"]["outputs"]}
    assert explained[output] == reason


def test_the_page_and_a_result_alone_name_all_reasons() -> None:
    outputs = scenario_classes()["CompileBreakevenScenario"].result_type.outputs()
    both = "no experiment_items are given or no recompiles are given"
    assert outputs["experiment_slowdown"].undefined == both
    assert evaluate("CompileBreakevenScenario", COMPILE).result.undefined()["experiment_slowdown"] == both
