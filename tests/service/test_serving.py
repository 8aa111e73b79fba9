"""The service as processes: several workers, their counts, the end of one, time limits, logs, a long calculation."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conftest import Service, serving

AMDAHL = "/scenarios/AmdahlScenario/evaluate"
CONFIGURATION = "/scenarios/ModelSpeedupRequestPath/evaluate"
VALID = {"stages": {"model": "60 ms", "rest": "40 ms"}, "stage": "model", "speedup": 2}
KEY = "a-key-of-many-characters"
# A connection for each request, so that any worker may answer.
CLIENT = httpx2.Client(
    trust_env=False,
    timeout=60,
    headers={"Authorization": f"Bearer {KEY}"},
    limits=httpx2.Limits(max_keepalive_connections=0),
)


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("workers"), WORKERS="3") as service:
        until(lambda: started(service) == 3)
        yield service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("one"), REQUEST_TIMEOUT="0.5", API_KEYS=KEY, LOG_LEVEL="debug") as service:
        yield service


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def started(service: Service) -> int:
    return service.log.read_text().count("Started server process")


def ask(service: Service, path: str, body: Any = None) -> httpx2.Response:
    return CLIENT.get(service.url + path) if body is None else CLIENT.post(service.url + path, json=body)


def counted(service: Service, series: str) -> float:
    found = re.search(rf"^{re.escape(series)} (\S+)$", ask(service, "/metrics").text, re.MULTILINE)
    return float(found[1]) if found else 0


def shared_metrics() -> set[Path]:
    return set(Path("/dev/shm").glob("mlsysim-metrics-*"))


def listens(service: Service) -> bool:
    try:
        connect(service).close()
    except ConnectionRefusedError:
        return False
    return True


def connect(service: Service) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", int(service.url.rpartition(":")[2])))
    connection.settimeout(30)
    return connection


def received(connection: socket.socket) -> bytes:
    """All that is answered until the connection is closed."""
    answer = b""
    while part := connection.recv(65536):
        answer += part
    return answer


def test_counts_of_three_workers_are_exact_whichever_is_asked(workers: Service) -> None:
    evaluations = 'mlsysim_evaluations_total{scenario="AmdahlScenario"}'
    refused = 'mlsysim_invalid_inputs_total{field="speedup",scenario="AmdahlScenario"}'
    requests = (
        'mlsysim_http_request_duration_seconds_count{method="POST",route="/scenarios/{name}/evaluate",status="200"}'
    )
    before = [counted(workers, series) for series in (evaluations, refused, requests)]
    with ThreadPoolExecutor(8) as clients:
        answers = clients.map(
            lambda index: ask(workers, AMDAHL, VALID | {"speedup": index % 4}).status_code, range(400)
        )
        assert list(answers) == [422, 200, 200, 200] * 100
    for _ in range(30):
        after = [counted(workers, series) for series in (evaluations, refused, requests)]
        assert [now - then for now, then in zip(after, before, strict=True)] == [300, 100, 300]


def test_a_worker_that_is_killed_is_replaced_and_what_it_counted_stays(workers: Service) -> None:
    series = 'mlsysim_http_request_duration_seconds_count{method="GET",route="/version",status="200"}'
    for _ in range(30):
        assert ask(workers, "/version").status_code == 200
    children = Path(f"/proc/{workers.process.pid}/task/{workers.process.pid}/children").read_text().split()
    victim = next(int(pid) for pid in children if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text())
    os.kill(victim, signal.SIGKILL)
    until(lambda: started(workers) == 4)
    assert counted(workers, series) == 30
    assert counted(workers, "mlsysim_http_requests_in_flight") == 1


def test_workers_stop_when_their_parent_is_killed_and_the_next_one_removes_their_counts(
    workers: Service, tmp_path: Path
) -> None:
    others = shared_metrics()
    with serving(tmp_path, WORKERS="2", DRAIN_TIME="0") as service:
        until(lambda: started(service) == 2)
        service.process.kill()
        until(lambda: not listens(service))
    (left_behind,) = shared_metrics() - others
    with serving(tmp_path, WORKERS="2"):
        assert left_behind not in shared_metrics()
    assert counted(workers, "mlsysim_http_requests_in_flight") == 1


def test_a_stop_is_announced_then_everything_begun_is_finished(tmp_path: Path) -> None:
    body = b'{"speedup": 10}'
    head = f"POST {CONFIGURATION} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 15\r\n\r\n"
    with serving(tmp_path, DRAIN_TIME="3") as service, connect(service) as slow:
        slow.sendall(head.encode())
        assert ask(service, "/readyz").json() == {"status": "ready"}
        service.process.send_signal(signal.SIGTERM)
        until(lambda: ask(service, "/readyz").status_code == 503)
        problem = ask(service, "/readyz")
        assert problem.json()["type"] == "urn:mlsysim:not-ready"
        assert problem.headers["connection"] == "close"
        assert ask(service, AMDAHL, VALID).status_code == 200
        until(lambda: "Shutting down" in service.log.read_text())
        with pytest.raises(httpx2.ConnectError):
            ask(service, "/healthz")
        slow.sendall(body)
        assert received(slow).startswith(b"HTTP/1.1 200")
        assert service.process.wait(timeout=30) == 0


def test_a_second_signal_ends_the_drain(tmp_path: Path) -> None:
    with serving(tmp_path, DRAIN_TIME="600", WORKERS="2") as service:
        until(lambda: started(service) == 2)
        service.process.send_signal(signal.SIGTERM)
        until(lambda: ask(service, "/readyz").status_code == 503)
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(timeout=30) == 0


def test_a_body_that_does_not_arrive_in_time(service: Service) -> None:
    with connect(service) as slow:
        slow.sendall(
            b"POST /scenarios/AmdahlScenario/evaluate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            b"authorization: Bearer %b\r\ncontent-length: 100\r\n\r\n{" % KEY.encode()
        )
        answer = received(slow)
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"connection: close" in answer
    assert b"urn:mlsysim:request-timeout" in answer


def test_requests_in_one_packet_are_answered_in_order_and_the_last_closes(service: Service) -> None:
    body = b'{"speedup": %d}'
    head = b"POST %b HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nauthorization: Bearer %b\r\n"
    head %= CONFIGURATION.encode(), KEY.encode()
    with connect(service) as connection:
        connection.sendall(
            head
            + b"content-length: 14\r\n\r\n"
            + body % 2
            + head
            + b"content-length: 14\r\nconnection: close\r\n\r\n"
            + body % 4
        )
        answers = received(connection).split(b"HTTP/1.1 200 OK\r\n")[1:]
    assert [json.loads(answer.partition(b"\r\n\r\n")[2])["inputs"]["speedup"] for answer in answers] == [2, 4]
    assert [b"connection: close" in answer for answer in answers] == [False, True]
    for answer in answers:
        assert answer.count(b"x-request-id: ") == answer.count(b"catalog-version: ") == 1


HALF = b"GET /healthz HTTP/1.1\r\nhost: x\r\n"


@pytest.mark.parametrize(
    ("sent", "answers"), [(b"", 0), (HALF, 0), (HALF + b"\r\n" + HALF, 1)], ids=["none", "half", "half of the second"]
)
def test_headers_that_do_not_arrive_in_time(service: Service, sent: bytes, answers: int) -> None:
    with connect(service) as slow:
        slow.sendall(sent)
        start = time.monotonic()
        assert received(slow).count(b"HTTP/1.1 200") == answers
        assert time.monotonic() - start < 10


def test_a_log_is_one_json_object_a_line_and_shows_neither_bodies_nor_keys(service: Service) -> None:
    answer = ask(service, AMDAHL, VALID | {"stage": "a secret stage"})
    assert answer.status_code == 422
    assert CLIENT.get(f"{service.url}/version", headers={"Authorization": "Bearer another-secret"}).status_code == 401
    ask(service, "/units?secret=1")
    lines = service.lines()
    (line,) = (line for line in lines if line.get("status") == 422 and line.get("scenario"))
    assert line.pop("duration_ms") > 0
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "event": "request",
        "method": "POST",
        "route": "/scenarios/{name}/evaluate",
        "path": AMDAHL,
        "status": 422,
        "bytes": len(answer.content),
        "request_id": answer.headers["x-request-id"],
        "scenario": "AmdahlScenario",
    }
    assert {"uvicorn.error"} == {line["logger"] for line in lines if "logger" in line}
    assert any(line["event"].startswith("Uvicorn running on") for line in lines)
    text = service.log.read_text()
    assert "secret" not in text
    assert KEY not in text


def test_others_are_answered_during_a_long_calculation(service: Service) -> None:
    resources = [f"resource {index}" for index in range(10)]
    bundles = {
        tenant: {resource: 1e-5 if resource == tenant else 0.0 for resource in resources} for tenant in resources
    }
    grants = {"capacity": dict.fromkeys(resources, 1.0), "bundles": bundles}
    batch = {"evaluations": [{"name": "DominantShareScenario", "inputs": grants}] * 3}
    with ThreadPoolExecutor(1) as client:
        long = client.submit(ask, service, "/batch", batch)
        waits = []
        while not long.done():
            start = time.monotonic()
            assert ask(service, "/healthz").status_code == 200
            waits.append(time.monotonic() - start)
    assert long.result().json()["answers"][0]["scenario"] == "DominantShareScenario"
    assert len(waits) > 10  # done in the way of others, there would be one or two
