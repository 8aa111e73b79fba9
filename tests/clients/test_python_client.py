"""The client that openapi-python-client generates, used against a running service."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from service.openapi import DOCUMENT
from tests.clients.tools import example, installed, run


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The generated package, importable."""
    home = tmp_path_factory.mktemp("python")
    generator = installed("openapi-python-client")
    # It formats what it wrote with ruff, which it looks for on the path.
    path = os.pathsep.join([str(Path(generator).parent), os.environ["PATH"]])
    run(generator, "generate", "--path", DOCUMENT, "--output-path", "client", "--fail-on-warning", cwd=home, PATH=path)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(home / "client")
        patch.setenv("NO_PROXY", "127.0.0.1")
        yield import_module("mlsysim_client")


@pytest.fixture(scope="module")
def client(package: Any, live_server: str) -> Iterator[Any]:
    with package.Client(live_server) as client:
        yield client


@pytest.fixture(scope="module")
def models(package: Any) -> Any:
    return import_module("mlsysim_client.models")


def operation(name: str) -> Any:
    """The module of an operation: its tag and its name, as in ``catalog.get_catalog``."""
    return import_module(f"mlsysim_client.api.{name}")


def test_the_catalog_index(client: Any, models: Any) -> None:
    index = operation("catalog.get_catalog").sync(
        client=client, min_bandwidth="3 TB/s", sort=models.GetCatalogSort.BANDWIDTH_DESCENDING, limit=3
    )
    assert isinstance(index, models.CatalogIndex)
    assert len(index.entries) == 3
    assert {entry.kind for entry in index.entries} == {"hardware"}


def test_an_entry_has_the_type_of_its_kind(client: Any, models: Any) -> None:
    node = operation("catalog.get_node").sync("DGX_H100", client=client)
    assert isinstance(node, models.Node)
    assert (node.accelerator, node.accelerators_per_node) == ("H100", 8)
    assert node.intra_node_bandwidth == models.DataRate(450, "GB/s")


def test_a_map_of_quantities(client: Any, models: Any) -> None:
    stages = {"preprocess": "60 ms", "model": {"value": 45, "unit": "ms"}, "postprocess": "25 ms"}
    answer = operation("speedup.evaluate_amdahl_scenario").sync(
        client=client,
        body=models.AmdahlScenario(stages=models.AmdahlScenarioStages.from_dict(stages), stage="model", speedup=3),
    )
    assert isinstance(answer, models.AmdahlEvaluation)
    assert answer.result.total_time == models.Time(130, "ms")
    assert answer.result.overall_speedup == pytest.approx(1.3)


def test_no_bound_on_a_number(client: Any, models: Any) -> None:
    body = models.AmdahlScenario(
        stages=models.AmdahlScenarioStages.from_dict({"model": "45 ms", "rest": "85 ms"}),
        stage="model",
        speedup=models.AmdahlScenarioSpeedupType1.INF,
    )
    answer = operation("speedup.evaluate_amdahl_scenario").sync(client=client, body=body)
    assert answer.inputs.speedup == "inf"
    assert answer.result.overall_speedup == pytest.approx(130 / 85)


def test_hardware_of_ones_own(client: Any, models: Any) -> None:
    chip = models.Hardware(
        name="my chip",
        compute=models.Compute(peak="17.6 GFLOP/s"),
        memory=models.Memory(bandwidth=models.DataRate(15, "GB/s")),
    )
    answer = operation("roofline.evaluate_roofline_point_scenario").sync(
        client=client, body=models.RooflinePointScenario(hardware=chip, intensity="1 FLOP/byte")
    )
    assert answer.result.attainable == models.OperationRate(0.015, "TFLOP/s")
    assert answer.inputs.hardware.name == "my chip"


def test_hardware_of_the_catalog_with_changes(client: Any, models: Any) -> None:
    faster = models.Hardware(ref="H100", memory=models.Memory(bandwidth="4 TB/s"))
    answer = operation("roofline.evaluate_roofline_point_scenario").sync(
        client=client, body=models.RooflinePointScenario(hardware=faster, intensity=models.Intensity(100, "FLOP/byte"))
    )
    assert answer.result.attainable == models.OperationRate(400, "TFLOP/s")


def test_lists_of_numbers(client: Any, models: Any) -> None:
    answer = operation("compression.evaluate_quantization_grid_scenario").sync(
        client=client, body=models.QuantizationGridScenario(bits=8, values=[-1, 0, 2])
    )
    assert answer.result.codes == [0, 85, 255]
    assert answer.undefined.to_dict() == {}


def test_a_fleet_in_a_fleet(client: Any, models: Any) -> None:
    fleet = models.Fleet(node=models.Node(accelerator="H100", accelerators_per_node=4), count=64)
    answer = operation("training.evaluate_self_contained_replica_scenario").sync(
        client=client, body=models.SelfContainedReplicaScenario(workload="GPT3", fleet=fleet, bytes_per_param="16 B")
    )
    assert answer.result.tensor_parallel == 4
    assert answer.inputs.fleet.node.accelerators_per_node == 4


def test_a_choice_defaults_and_undefined_outputs(client: Any, models: Any) -> None:
    answer = operation("roofline.evaluate_single_node_inference_scenario").sync(
        client=client,
        body=models.SingleNodeInferenceScenario(
            workload="ResNet50", hardware="H100", precision=models.SingleNodeInferenceScenarioPrecision.INT8
        ),
    )
    assert answer.inputs.layer_overhead == models.Time(10, "us")
    assert answer.result.bottleneck is models.SingleNodeInferenceResultBottleneck.MEMORY
    assert answer.result.offload_spill_bytes is None
    assert answer.undefined.offload_spill_bytes == "the weights fit"
    assert answer.warnings[0].code == "overhead_dominated"


def test_the_inputs_of_an_answer_can_be_posted_back(client: Any, models: Any) -> None:
    evaluate = operation("roofline.evaluate_single_node_inference_scenario").sync
    first = evaluate(client=client, body=models.SingleNodeInferenceScenario(workload="ResNet50", hardware="H100"))
    assert evaluate(client=client, body=first.inputs) == first


def test_whole_numbers_keep_all_their_digits(client: Any, models: Any) -> None:
    images = models.Dataset(
        image_width=94_906_267, image_height=94_906_267, image_channels=1, validation_examples=50_000
    )
    answer = operation("requirements.evaluate_input_space_scenario").sync(
        client=client, body=models.InputSpaceScenario(dataset=images, levels=2)
    )
    assert answer.result.elements == 94_906_267**2 > 2**53


def test_a_named_configuration_with_a_patch(client: Any, models: Any) -> None:
    answer = operation("scenarios.evaluate_configuration").sync(
        "ModelSpeedupRequestPath", client=client, body=models.ConfigurationPatch.from_dict({"speedup": 10})
    )
    assert isinstance(answer, models.AmdahlEvaluation)
    assert answer.configuration == "ModelSpeedupRequestPath"
    assert answer.result.upgraded_total_time == models.Time(89.5, "ms")


def test_an_explanation(client: Any, models: Any) -> None:
    answer = operation("scenarios.evaluate_configuration").sync(
        "ModelSpeedupRequestPath", client=client, body=models.ConfigurationPatch(), explain=True
    )
    assert isinstance(answer.derivation, models.Derivation)


def test_an_invalid_request(client: Any, models: Any) -> None:
    body = models.AmdahlScenario(
        stages=models.AmdahlScenarioStages.from_dict({"model": "45 GB"}), stage="model", speedup=3
    )
    response = operation("speedup.evaluate_amdahl_scenario").sync_detailed(client=client, body=body)
    problem = response.parsed
    assert isinstance(problem, models.Problem)
    assert problem.type_ == "urn:mlsysim:invalid-inputs"
    assert problem.status == response.status_code == 422
    assert problem.errors[0].pointer == "/stages/model"
    assert problem.errors[0].received == '"45 GB"'


def test_an_unknown_name(client: Any, models: Any) -> None:
    problem = operation("catalog.get_hardware").sync("H1000", client=client)
    assert isinstance(problem, models.Problem)
    assert "H100" in problem.closest


def test_a_batch_of_an_answer_and_a_problem(client: Any, models: Any) -> None:
    items = [
        models.BatchItem("ModelSpeedupRequestPath", models.BatchItemInputs.from_dict({"speedup": 10})),
        models.BatchItem(
            "RooflinePointScenario",
            models.BatchItemInputs.from_dict(
                models.RooflinePointScenario(hardware="H100", intensity="100 GB").to_dict()
            ),
        ),
    ]
    batch = operation("scenarios.evaluate_batch").sync(client=client, body=models.Batch(items))
    answer, problem = batch.answers
    assert isinstance(answer, models.AmdahlEvaluation)
    assert answer.result.stage_reduction == pytest.approx(0.9)
    assert isinstance(problem, models.Problem)
    assert problem.errors[0].pointer == "/intensity"


def test_the_example_in_the_readme(package: Any, live_server: str, tmp_path: Path) -> None:
    program, printed = example("mlsysim_client", live_server)
    home = Path(package.__file__).parents[1]
    assert run(sys.executable, "-c", program, cwd=tmp_path, PYTHONPATH=str(home)) == printed
