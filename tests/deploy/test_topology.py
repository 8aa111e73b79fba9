"""Replicas behind the proxy of docker-compose.yml: what its configuration promises, seen from a client."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPMessage, HTTPResponse

import pytest

from tests.deploy.calls import Call, Tally, ask, clients, mixed_calls
from tests.deploy.topology import NGINX, NO_LIMITS, Proxy, Replica, proxy, running, static

FIELDS = {"type", "title", "status", "detail", "instance"}


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Replica]]:
    if NGINX is None and os.environ.get("CI") != "true":
        pytest.skip("nginx is not installed (on Debian: apt-get install nginx)")
    log = tmp_path_factory.mktemp("replicas") / "log"
    started = [Replica(log) for _ in range(3)]
    with running(*started):
        yield started


@pytest.fixture(scope="module")
def nginx(three: list[Replica]) -> Iterator[Proxy]:
    with proxy(static(three), NO_LIMITS) as started:
        yield started


@pytest.fixture(scope="module")
def calls(nginx: Proxy) -> list[Call]:
    return mixed_calls(nginx.port)


def assert_none_failed(tally: Tally) -> None:
    assert tally.failures == []
    assert len(tally.seconds) > 100


def exchange(port: int, request: bytes) -> tuple[int, HTTPMessage, bytes]:
    """Status, headers and body of the reply to some bytes."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=10)) as connection:
        connection.sendall(request)
        reply = HTTPResponse(connection)
        reply.begin()
        return reply.status, reply.headers, reply.read()


def test_replies_are_those_of_the_service(three: list[Replica], calls: list[Call]) -> None:
    assert calls == mixed_calls(three[0].port)
    assert {call.status for call in calls} == {200, 304, 400, 422}


def test_no_request_fails_while_replicas_are_killed(nginx: Proxy, three: list[Replica], calls: list[Call]) -> None:
    with clients(4, nginx.port, calls, pause=0.02) as tally:
        for replica in three:
            time.sleep(1)  # for which the proxy leaves out the one before
            replica.kill()
            time.sleep(0.3)
            replica.start()
    assert_none_failed(tally)


def test_no_request_fails_during_a_rolling_restart(nginx: Proxy, three: list[Replica], calls: list[Call]) -> None:
    with clients(4, nginx.port, calls, pause=0.02) as tally:
        for replica in three:
            time.sleep(0.3)
            replica.stop()
            replica.start()
    assert_none_failed(tally)


def test_without_a_replica_the_problem_says_so(three: list[Replica]) -> None:
    with proxy(static([Replica(three[0].log)]), ready=502) as alone:
        status, headers, body = exchange(
            alone.port, b"POST /batch HTTP/1.1\r\nHost: here\r\nX-Request-ID: mine-1\r\n\r\n"
        )
    assert status == 502
    assert headers["content-type"] == "application/problem+json"
    assert headers["x-request-id"] == "mine-1"
    assert headers["retry-after"] == "2"
    assert json.loads(body) == {
        "type": "urn:mlsysim:unavailable",
        "title": "No replica answers",
        "status": 502,
        "detail": "no replica of the service could be reached; try again in a few seconds",
        "instance": "/batch",
    }


@pytest.mark.parametrize(
    ("status", "request_bytes"),
    [
        (400, b"GARBAGE\r\n\r\n"),
        (400, b"\x16\x03\x01\x00\xff\r\n\r\n"),
        (400, b"GET / HTTP/1.1\r\n\r\n"),
        (400, b'GET /"\\%% HTTP/1.1\r\nHost: here\r\n\r\n'),
        (404, b"GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n"),
        (404, b'GET /metrics?a="\\ HTTP/1.1\r\nHost: here\r\n\r\n'),
        (405, b"TRACE / HTTP/1.1\r\nHost: here\r\n\r\n"),
        (413, b"POST /batch HTTP/1.1\r\nHost: here\r\nContent-Length: 1000001\r\n\r\n"),
        (414, b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: here\r\n\r\n"),
        (431, b"GET / HTTP/1.1\r\nHost: here\r\nX: " + b"a" * 9000 + b"\r\n\r\n"),
        (501, b"POST /batch HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: gzip\r\n\r\n"),
        (505, b"GET / HTTP/9.9\r\nHost: here\r\n\r\n"),
    ],
)
def test_what_the_proxy_refuses_itself_is_a_problem_as_well(nginx: Proxy, status: int, request_bytes: bytes) -> None:
    answered, headers, body = exchange(nginx.port, request_bytes)
    problem = json.loads(body)
    assert (answered, problem["status"]) == (status, status)
    assert headers["content-type"] == "application/problem+json"
    assert headers["cache-control"] == "no-store"
    assert set(problem) == FIELDS
    assert problem["type"].startswith("urn:mlsysim:")
    assert len(headers["x-request-id"]) == 32


def test_the_limits_of_the_body_are_the_same(nginx: Proxy, three: list[Replica]) -> None:
    for size, expected in ((1_000_000, 200), (1_000_001, 413)):
        body = json.dumps({"evaluations": [{"name": "ModelSpeedupRequestPath", "inputs": {}}]}).ljust(size)
        for port in (nginx.port, three[0].port):
            with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
                status, _ = ask(connection, "POST", "/batch", body, **{"Content-Type": "application/json"})
            assert status == expected


def test_one_client_is_limited_and_others_are_not(three: list[Replica]) -> None:
    with proxy(static(three)) as limited:
        with closing(HTTPConnection("127.0.0.1", limited.port, source_address=("127.0.0.9", 0))) as greedy:
            replies = [ask(greedy, "GET", "/healthz") for _ in range(600)]
        with closing(HTTPConnection("127.0.0.1", limited.port)) as modest:
            assert ask(modest, "GET", "/healthz")[0] == 200
    refused = [json.loads(body) for status, body in replies if status == 429]
    assert 200 <= len(replies) - len(refused) < 600
    assert {problem["type"] for problem in refused} == {"urn:mlsysim:too-many-requests"}
    assert "POST /batch" in refused[0]["detail"]
