"""A scenario added at run time shows up everywhere with nothing else touched; what it takes is in CONTRIBUTING.md."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mlsysim.engine import registry
from service.app import create_app

# Under a name of its own, so that whoever follows the page to the letter has both.
CONTRIBUTING = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text().replace("GradientAllReduce", "WorkedExample")


@pytest.fixture
def client() -> Iterator[TestClient]:
    """A service that knows the scenario of CONTRIBUTING.md, exactly as it stands there."""
    result, definition = re.findall(r"```python\n(.*?)```", CONTRIBUTING, re.DOTALL)[:2]
    module = ModuleType("mlsysim.engine.scenario_definitions.optimization.training_worked_example")
    module.__doc__ = "A theme of its own."
    sys.modules[module.__name__] = module
    exec(result, module.__dict__)
    exec(re.sub(r"^from mlsysim.engine.result_types.*\n", "", definition, flags=re.MULTILINE), module.__dict__)
    yield TestClient(create_app())
    registry.unregister("WorkedExampleScenario")
    del sys.modules[module.__name__]


BODY: dict[str, Any] = {"workload": "Llama3_8B", "n_devices": 64, "bytes_per_gradient": "2 B", "link": "50 GB/s"}


def test_it_is_listed_and_described(client: TestClient) -> None:
    names = [entry["name"] for entry in client.get("/scenarios").json()["scenarios"]]
    assert names[-1] == "WorkedExampleScenario"
    described = client.get("/scenarios/WorkedExampleScenario").json()
    assert described["question"].endswith("?")
    assert [output["name"] for output in described["outputs"]] == ["gradient_bytes", "sent_bytes", "transfer_time"]
    assert described["outputs"][1]["latex"]
    assert described["sources"][0]["url"]


def test_it_answers_and_explains(client: TestClient) -> None:
    answer = client.post("/scenarios/WorkedExampleScenario/evaluate?explain=true", json=BODY).json()
    expected = 2 * 63 / 64 * 8.03e9 * 2 / 50e9
    assert answer["result"]["transfer_time"] == {"value": pytest.approx(expected * 1e3), "unit": "ms"}
    step = next(output for output in answer["derivation"]["outputs"] if output["name"] == "transfer_time")
    assert step["with_numbers"].endswith("/ (50 GB/s)")
    wrong = client.post("/scenarios/WorkedExampleScenario/evaluate", json=BODY | {"link": "50 GB"}).json()
    assert wrong["errors"][0]["pointer"] == "/link"


def test_it_has_its_own_typed_operation(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    operation = document["paths"]["/scenarios/WorkedExampleScenario/evaluate"]["post"]
    assert operation["operationId"] == "evaluateWorkedExampleScenario"
    for component in ("WorkedExampleScenario", "WorkedExampleResult", "WorkedExampleEvaluation"):
        assert component in document["components"]["schemas"]


def test_the_docs_page_reads_the_document_it_is_in(client: TestClient) -> None:
    assert client.get("/docs").status_code == 200
    assert "openapi.json" in client.get("/docs/docs.js").text
