"""The Python client with pydantic models that openapi-generator generates, used against a running service."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from service.openapi import DOCUMENT
from tests.clients.tools import example, installed, need, run


@pytest.fixture(scope="module")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The generated package, imported."""
    need("java", "default-jre-headless")
    home = tmp_path_factory.mktemp("openapi-generator")
    options = "packageName=mlsysim_sdk,generateSourceCodeOnly=true"
    said = run(
        *(installed("openapi-generator-cli"), "generate", "--generator-name", "python"),
        *("--input-spec", DOCUMENT, "--output", "sdk", "--additional-properties", options),
        cwd=home,
        # A short run gains nothing from the second compiler of Java.
        JAVA_OPTS="-XX:TieredStopAtLevel=1",
    )
    assert "Default to typing.Any" not in said
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(home / "sdk")
        yield import_module("mlsysim_sdk")


@pytest.fixture(scope="module")
def client(sdk: Any, live_server: str) -> Iterator[Any]:
    with sdk.ApiClient(sdk.Configuration(host=live_server)) as client:
        yield client


def test_the_catalog_index(sdk: Any, client: Any) -> None:
    index = sdk.CatalogApi(client).get_catalog(min_bandwidth="3 TB/s", sort="-bandwidth", limit=3)
    assert isinstance(index, sdk.CatalogIndex)
    assert [entry.kind for entry in index.entries] == ["hardware"] * 3


def test_an_entry_has_the_type_of_its_kind(sdk: Any, client: Any) -> None:
    node = sdk.CatalogApi(client).get_node("DGX_H100")
    assert isinstance(node, sdk.Node)
    assert node.accelerators_per_node == 8
    assert node.intra_node_bandwidth.actual_instance == sdk.DataRate(value=450, unit="GB/s")


def test_a_map_of_quantities(sdk: Any, client: Any) -> None:
    stages = {
        "preprocess": sdk.NonNegativeTime("60 ms"),
        "model": sdk.NonNegativeTime(sdk.Time(value=45, unit="ms")),
        "postprocess": sdk.NonNegativeTime("25 ms"),
    }
    answer = sdk.SpeedupApi(client).evaluate_amdahl_scenario(
        sdk.AmdahlScenario(stages=stages, stage="model", speedup=sdk.AmdahlScenarioSpeedup(3))
    )
    assert isinstance(answer, sdk.AmdahlEvaluation)
    assert answer.result.total_time == sdk.Time(value=130, unit="ms")
    assert answer.result.overall_speedup == pytest.approx(1.3)


def test_no_bound_on_a_number(sdk: Any, client: Any) -> None:
    stages = {"model": sdk.NonNegativeTime("45 ms"), "rest": sdk.NonNegativeTime("85 ms")}
    answer = sdk.SpeedupApi(client).evaluate_amdahl_scenario(
        sdk.AmdahlScenario(stages=stages, stage="model", speedup=sdk.AmdahlScenarioSpeedup("inf"))
    )
    assert answer.inputs.speedup.actual_instance == "inf"
    assert answer.result.overall_speedup == pytest.approx(130 / 85)


def test_hardware_of_ones_own(sdk: Any, client: Any) -> None:
    chip = sdk.Hardware(
        name="my chip",
        compute=sdk.Compute(peak=sdk.PositiveOperationRate("17.6 GFLOP/s")),
        memory=sdk.Memory(bandwidth=sdk.PositiveDataRate(sdk.DataRate(value=15, unit="GB/s"))),
    )
    answer = sdk.RooflineApi(client).evaluate_roofline_point_scenario(
        sdk.RooflinePointScenario(hardware=sdk.AnyHardware(chip), intensity=sdk.PositiveIntensity("1 FLOP/byte"))
    )
    assert answer.result.attainable == sdk.OperationRate(value=0.015, unit="TFLOP/s")
    assert answer.inputs.hardware.actual_instance.name == "my chip"


def test_hardware_of_the_catalog_with_changes(sdk: Any, client: Any) -> None:
    faster = sdk.Hardware(ref="H100", memory=sdk.Memory(bandwidth=sdk.PositiveDataRate("4 TB/s")))
    answer = sdk.RooflineApi(client).evaluate_roofline_point_scenario(
        sdk.RooflinePointScenario(hardware=sdk.AnyHardware(faster), intensity=sdk.PositiveIntensity("100 FLOP/byte"))
    )
    assert answer.result.attainable == sdk.OperationRate(value=400, unit="TFLOP/s")


def test_lists_of_numbers(sdk: Any, client: Any) -> None:
    answer = sdk.CompressionApi(client).evaluate_quantization_grid_scenario(
        sdk.QuantizationGridScenario(bits=8, values=[-1, 0, 2])
    )
    assert answer.result.codes == [0, 85, 255]
    assert answer.undefined == {}


def test_a_fleet_in_a_fleet(sdk: Any, client: Any) -> None:
    node = sdk.Node(accelerator=sdk.AnyHardware("H100"), accelerators_per_node=4)
    answer = sdk.TrainingApi(client).evaluate_self_contained_replica_scenario(
        sdk.SelfContainedReplicaScenario(
            workload=sdk.AnyWorkload("GPT3"),
            fleet=sdk.AnyFleet(sdk.Fleet(node=sdk.AnyNode(node), count=64)),
            bytes_per_param=sdk.PositiveData("16 B"),
        )
    )
    assert answer.result.tensor_parallel == 4
    assert answer.inputs.fleet.actual_instance.node.actual_instance.accelerators_per_node == 4


def test_a_choice_defaults_and_undefined_outputs(sdk: Any, client: Any) -> None:
    evaluate = sdk.RooflineApi(client).evaluate_single_node_inference_scenario
    answer = evaluate(
        sdk.SingleNodeInferenceScenario(
            workload=sdk.AnyWorkload("ResNet50"), hardware=sdk.AnyHardware("H100"), precision="int8"
        )
    )
    assert answer.inputs.layer_overhead.actual_instance == sdk.Time(value=10, unit="us")
    assert answer.result.bottleneck == "Memory"
    assert answer.result.offload_spill_bytes is None
    assert answer.undefined.offload_spill_bytes == "the weights fit"
    assert answer.warnings[0].code == "overhead_dominated"
    assert evaluate(answer.inputs) == answer


def test_whole_numbers_keep_all_their_digits(sdk: Any, client: Any) -> None:
    images = sdk.Dataset(image_width=94_906_267, image_height=94_906_267, image_channels=1, validation_examples=50_000)
    answer = sdk.RequirementsApi(client).evaluate_input_space_scenario(
        sdk.InputSpaceScenario(dataset=sdk.AnyDataset(images), levels=2)
    )
    assert answer.result.elements == 94_906_267**2 > 2**53


def test_a_named_configuration_with_a_patch(sdk: Any, client: Any) -> None:
    answer = sdk.ScenariosApi(client).evaluate_configuration("ModelSpeedupRequestPath", {"speedup": 10})
    assert isinstance(answer.actual_instance, sdk.AmdahlEvaluation)
    assert answer.actual_instance.configuration == "ModelSpeedupRequestPath"
    assert answer.actual_instance.result.upgraded_total_time == sdk.Time(value=89.5, unit="ms")


def test_an_invalid_request(sdk: Any, client: Any) -> None:
    body = sdk.AmdahlScenario(
        stages={"model": sdk.NonNegativeTime("45 GB")}, stage="model", speedup=sdk.AmdahlScenarioSpeedup(3)
    )
    with pytest.raises(sdk.ApiException) as raised:
        sdk.SpeedupApi(client).evaluate_amdahl_scenario(body)
    problem = raised.value.data
    assert isinstance(problem, sdk.Problem)
    assert problem.type == "urn:mlsysim:invalid-inputs"
    assert problem.status == raised.value.status == 422
    assert problem.errors[0].pointer == "/stages/model"


def test_a_batch_of_an_answer_and_a_problem(sdk: Any, client: Any) -> None:
    items = [
        sdk.BatchItem(name="ModelSpeedupRequestPath", inputs={"speedup": 10}),
        sdk.BatchItem(name="RooflinePointScenario", inputs={"hardware": "H100", "intensity": "100 GB"}),
    ]
    batch = sdk.ScenariosApi(client).evaluate_batch(sdk.Batch(evaluations=items))
    evaluation, problem = (answer.actual_instance for answer in batch.answers)
    assert evaluation.actual_instance.result.stage_reduction == pytest.approx(0.9)
    assert isinstance(problem, sdk.Problem)
    assert problem.errors[0].pointer == "/intensity"


def test_the_example_in_the_readme(sdk: Any, live_server: str, tmp_path: Path) -> None:
    program, printed = example("mlsysim_sdk", live_server)
    home = Path(sdk.__file__).parents[1]
    assert run(sys.executable, "-c", program, cwd=tmp_path, PYTHONPATH=str(home)) == printed
