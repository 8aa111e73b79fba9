"""What holds for every request and every answer: ids, headers, counts with bounded labels, keys, origins."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient

from mlsysim.engine.registry import scenario_classes
from service import metrics
from service.app import create_app
from service.edge import Edge
from service.settings import Settings

AMDAHL = "/scenarios/AmdahlScenario/evaluate"
VALID = {"stages": {"model": "60 ms", "rest": "40 ms"}, "stage": "model", "speedup": 2}
KEYS = ("a-key-of-many-characters", "another-key-of-many-characters")


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(create_app())


@pytest.fixture(scope="module")
def guarded() -> TestClient:
    return TestClient(create_app(Settings.model_validate({"api_keys": KEYS, "cors_origins": ("https://a.example",)})))


def failing() -> TestClient:
    """The service with a route that fails unforeseen."""
    app = create_app()

    @app.get("/failing")
    async def fail() -> None:
        raise RuntimeError("this happened in /a/file.py")

    return TestClient(app)


ANSWERS: dict[str, Callable[[TestClient], httpx2.Response]] = {
    "200": lambda client: client.get("/version"),
    "200 to HEAD": lambda client: client.head("/version"),
    "200 of a file": lambda client: client.get("/docs/docs.js"),
    "200 of an evaluation": lambda client: client.post(AMDAHL, json=VALID),
    "304": lambda client: client.get("/version", headers={"If-None-Match": "*"}),
    "400": lambda client: client.post(AMDAHL, content="{", headers={"Content-Type": "application/json"}),
    "404": lambda client: client.get("/nothing"),
    "405": lambda client: client.delete("/version"),
    "413": lambda client: client.post(AMDAHL, json=" " * 2_000_000),
    "415": lambda client: client.post(AMDAHL, content="{}"),
    "422": lambda client: client.post(AMDAHL, json={}),
    "500": lambda client: failing().get("/failing"),
}


@pytest.mark.parametrize("ask", ANSWERS.values(), ids=ANSWERS)
def test_every_answer_has_an_id_and_the_headers_that_guard_a_browser(
    client: TestClient, ask: Callable[[TestClient], httpx2.Response]
) -> None:
    answer = ask(client)
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["x-request-id"])
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "catalog-version" in answer.headers
    assert "server" not in answer.headers


def test_what_was_not_foreseen_is_a_problem_that_shows_nothing_of_the_inside() -> None:
    answer = failing().get("/failing")
    assert answer.status_code == 500
    assert answer.json()["type"] == "urn:mlsysim:internal-error"
    assert "file.py" not in answer.text


@pytest.mark.parametrize(
    ("given", "taken"),
    [("abc-1.2_X", True), ("x" * 64, True), ("x" * 65, False), ("", False), ("a b", False), ("a\u00e9", False)],
)
def test_a_request_id_is_taken_if_it_is_short_and_safe(client: TestClient, given: str, taken: bool) -> None:
    answer = client.get("/version", headers={b"X-Request-ID": given.encode("latin-1")})
    assert (answer.headers["x-request-id"] == given) is taken


def series() -> dict[str, float]:
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
        for line in metrics.render().decode().splitlines()
        if not line.startswith("#")
    }


def test_no_client_can_make_up_a_label(client: TestClient) -> None:
    before = series()
    for index in range(20):
        client.get(f"/made/up/{index}")
        client.request(f"MADEUP{index}", "/version")
        client.post(AMDAHL, json={f"made up {index}": 1})
        client.post(f"/scenarios/MadeUp{index}/evaluate", json={})
    after = series()
    assert sum(after.values()) > sum(before.values())
    new = {name for name in after if name not in before and "_bucket" not in name and "_created" not in name}
    assert len(new) <= 20
    assert not [name for name in new if re.search("made|up", name, re.IGNORECASE)]


def test_a_refused_evaluation_counts_each_input_at_fault_once(client: TestClient) -> None:
    def count(field: str) -> float:
        name = f'mlsysim_invalid_inputs_total{{field="{field}",scenario="AmdahlScenario"}}'
        return series().get(name, 0)

    fields = ("stages", "speedup", "stage", "(none)")
    before = [count(field) for field in fields]
    inputs = {"stages": {"a": 1, "b": 2}, "speedup": -1, "stage": "a", "other": 1}
    client.post(AMDAHL, json=inputs)
    client.post("/batch", json={"evaluations": [{"name": "AmdahlScenario", "inputs": inputs}]})
    assert [count(field) - old for field, old in zip(fields, before, strict=True)] == [2, 2, 0, 2]


def test_evaluations_count_by_class_also_within_a_batch(client: TestClient) -> None:
    name = 'mlsysim_evaluations_total{scenario="AmdahlScenario"}'
    before = series().get(name, 0)
    client.post(AMDAHL, json=VALID)
    client.post("/scenarios/ModelSpeedupRequestPath/evaluate", json={})
    client.post("/batch", json={"evaluations": [{"name": "AmdahlScenario", "inputs": VALID}] * 3})
    client.get("/openapi.json")  # which shows evaluations that nobody asked for
    assert series()[name] - before == 5


def test_metrics_are_text_for_prometheus(client: TestClient) -> None:
    answer = client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert "# TYPE mlsysim_http_request_duration_seconds histogram" in answer.text


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer wrong", f"Basic {KEYS[0]}", KEYS[0]])
def test_without_a_key_nothing_is_answered_but_what_is_open(guarded: TestClient, authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    answer = guarded.post(AMDAHL, json=VALID, headers=headers)
    assert answer.status_code == 401
    assert answer.json()["type"] == "urn:mlsysim:unauthorized"
    assert answer.headers["www-authenticate"] == 'Bearer realm="mlsysim"'
    for path in ("/catalog", "/scenarios", "/nothing", "/docsX", "/version"):
        assert guarded.get(path, headers=headers).status_code == 401
    for path in ("/healthz", "/readyz", "/metrics", "/docs", "/docs/docs.js", "/openapi.json"):
        assert guarded.get(path, headers=headers).status_code == 200


@pytest.mark.parametrize("key", KEYS)
def test_any_of_the_keys_will_do_and_no_shared_cache_keeps_the_answer(guarded: TestClient, key: str) -> None:
    answer = guarded.get("/version", headers={"Authorization": f"bearer {key}"})
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "private, max-age=60"


def test_pages_of_the_origins_set_may_call_and_read_errors(guarded: TestClient) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    for origin, status in (("https://a.example", 200), ("https://b.example", 400)):
        assert guarded.options(AMDAHL, headers={"Origin": origin, **asked}).status_code == status
    refused = guarded.post(AMDAHL, json=VALID, headers={"Origin": "https://a.example"})
    assert refused.status_code == 401
    assert refused.headers["access-control-allow-origin"] == "https://a.example"
    assert "X-Request-ID" in refused.headers["access-control-expose-headers"]


def test_without_origins_set_no_other_page_may_call(client: TestClient) -> None:
    answer = client.get("/version", headers={"Origin": "https://a.example"})
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("prefix", ["", "/behind/a/proxy"], ids=["the proxy takes the path away", "it leaves it"])
def test_behind_a_proxy(prefix: str) -> None:
    app = create_app(Settings(root_path="/behind/a/proxy", api_keys=()))
    client = TestClient(app)
    assert client.get(f"{prefix}/healthz").headers["cache-control"] == "no-store"
    assert client.post(f"{prefix}{AMDAHL}", json=VALID).status_code == 200
    assert client.get(f"{prefix}/openapi.json").json()["servers"] == [{"url": "/behind/a/proxy"}]


def test_the_edge_is_outside_of_all_else() -> None:
    app = create_app(Settings.model_validate({"api_keys": KEYS, "cors_origins": ("*",)}))
    assert isinstance(app.middleware_stack, Edge)


def test_few_scenarios_say_that_they_take_long() -> None:
    long: list[Any] = [name for name, scenario in scenario_classes().items() if scenario.long_running]
    assert long == ["DominantShareScenario"]
