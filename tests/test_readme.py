"""What the README promises is what the service answers."""

from __future__ import annotations

import json
import re
from pathlib import Path

from fastapi.testclient import TestClient

from mlsysim import Scenarios
from mlsysim.engine.scenario_definitions.optimization import RooflinePointScenario
from service.app import create_app

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_the_first_curl_gives_the_answer_below_it() -> None:
    call = re.search(r"localhost:8000(\S+) -H 'content-type: (\S+)' -d '(.*)'", README)
    answer = re.search(r"```json\n(.*?)```", README, re.DOTALL)
    assert call is not None
    assert answer is not None
    response = TestClient(create_app()).post(call[1], content=call[3], headers={"content-type": call[2]})
    assert response.json() == json.loads(answer[1])


def test_the_error_shown_is_the_error_given() -> None:
    shown = re.search(r'^{"pointer": .*}$', README, re.MULTILINE)
    assert shown is not None
    path = "/scenarios/ModelSpeedupRequestPath/evaluate"
    response = TestClient(create_app()).post(path, json={"stages": {"model": "10 GB"}})
    assert response.json()["errors"] == [json.loads(shown[0])]


def test_the_python_examples_give_the_numbers_beside_them() -> None:
    assert "# 1.4525139664804469" in README
    assert Scenarios.ModelSpeedupRequestPath.variant(speedup=10).evaluate().overall_speedup == 1.4525139664804469
    assert "# 335000000000000.0 FLOP/s" in README
    point = RooflinePointScenario(hardware="H100", intensity="100 FLOP/byte")
    assert point.evaluate().attainable == 335e12
