"""What arrives on a connection, byte by byte, and how long the service waits for it."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.conftest import Service, serving

BODY = b'{"stages": {"model": "60 ms", "rest": "40 ms"}, "stage": "model", "speedup": 2}'
PATH = b"/scenarios/AmdahlScenario/evaluate"
Reply = tuple[int, dict[str, str], bytes]


def post(*more: bytes, path: bytes = PATH, body: bytes = BODY) -> bytes:
    """A request for an evaluation, with more header lines."""
    lines = [b"Host: here", b"Content-Type: application/json", b"Content-Length: %d" % len(body), *more]
    return b"POST %b HTTP/1.1\r\n%b\r\n\r\n%b" % (path, b"\r\n".join(lines), body)


GET = b"GET /version HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("connections"), REQUEST_TIMEOUT="1", KEEP_ALIVE="2") as service:
        yield service


@pytest.fixture
def connection(service: Service) -> Iterator[socket.socket]:
    with closing(connect(service)) as connected:
        yield connected


def connect(service: Service) -> socket.socket:
    host, _, port = service.url.removeprefix("http://").rpartition(":")
    return socket.create_connection((host, int(port)), timeout=10)


def replies(connection: socket.socket, count: int) -> list[Reply]:
    """So many answers; then nothing more may have come with them."""
    received, found = b"", list[Reply]()
    while len(found) < count:
        head, separator, rest = received.partition(b"\r\n\r\n")
        status, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        length = int(headers.get("content-length", 0))
        if separator and len(rest) >= length:
            found.append((int(status.split()[1]), headers, rest[:length]))
            received = rest[length:]
            continue
        more = connection.recv(100_000)
        assert more, f"closed after {len(found)} answers and {received!r}"
        received += more
    assert received == b""
    return found


def closes(connection: socket.socket) -> bool:
    """Whether the service closes the connection, with nothing more said."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def refused(connection: socket.socket, status: int, type: str) -> None:
    """See that the only answer is this problem, complete with the headers of any other, and the end."""
    ((answered, headers, body),) = replies(connection, 1)
    problem = json.loads(body)
    assert (answered, problem["status"], problem["type"]) == (status, status, f"urn:mlsysim:{type}")
    assert headers["content-type"] == "application/problem+json"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["connection"] == "close"
    assert len(headers["x-request-id"]) == 32
    assert closes(connection)


def test_requests_sent_at_once_are_answered_in_order(connection: socket.socket) -> None:
    two = post(body=BODY.replace(b"2}", b"1}"))
    connection.sendall(post() + GET + two + post(path=PATH + b"?explain=true") + GET + post())
    answers = [json.loads(body) for _, _, body in replies(connection, 6)]
    assert [answer["result"]["overall_speedup"] for answer in answers if "result" in answer] == [
        pytest.approx(value) for value in (1 / 0.7, 1, 1 / 0.7, 1 / 0.7)
    ]
    assert ["catalog_version" in answer or "result" not in answer for answer in answers] == [0, 1, 0, 0, 1, 0]


def test_a_request_may_arrive_byte_by_byte(connection: socket.socket) -> None:
    for byte in post(b"X-Request-ID: bytes"):
        connection.sendall(bytes([byte]))
    ((status, headers, _),) = replies(connection, 1)
    assert (status, headers["x-request-id"]) == (200, "bytes")


def test_what_goes_before_garbage_is_answered(connection: socket.socket) -> None:
    connection.sendall(GET + post() + b"GARBAGE\r\n\r\n")
    assert [status for status, _, _ in replies(connection, 3)] == [200, 200, 400]
    assert closes(connection)


@pytest.mark.parametrize(
    ("status", "type", "request_bytes"),
    [
        (400, "malformed-request", b"GARBAGE\r\n\r\n"),
        (400, "malformed-request", b"\x16\x03\x01\x00\xff\r\n\r\n"),
        (400, "malformed-request", b"GET / HTTP/1.1\r\n\r\n"),
        (400, "malformed-request", b"GET / HTTP/1.1\r\nHost: one\r\nHost: two\r\n\r\n"),
        (400, "malformed-request", b"CONNECT here:443 HTTP/1.1\r\nHost: here\r\n\r\n"),
        (400, "malformed-request", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc"),
        (400, "malformed-request", post(b"Transfer-Encoding: chunked")),
        (400, "malformed-request", b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nz\r\nabc\r\n"),
        (414, "uri-too-long", b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\nHost: here\r\n\r\n"),
        (417, "malformed-request", post(b"Expect: the-impossible")),
        (431, "headers-too-large", post(*[b"X-%d: 1" % number for number in range(100)])),
        (431, "headers-too-large", b"GET / HTTP/1.1\r\nHost: here\r\nX: " + b"a" * 70_000 + b"\r\n\r\n"),
    ],
)
def test_what_is_no_request_to_pass_on_is_a_problem(
    connection: socket.socket, status: int, type: str, request_bytes: bytes
) -> None:
    connection.sendall(request_bytes)
    refused(connection, status, type)


def test_a_head_is_bounded_while_it_arrives(connection: socket.socket) -> None:
    connection.sendall(b"GET / HTTP/1.1\r\nHost: here\r\nX: ")
    sent = 0
    try:
        while sent < 10_000_000:
            sent += connection.send(b"a" * 10_000)
            time.sleep(0.001)
    except (BrokenPipeError, ConnectionResetError):
        pass
    assert sent < 5_000_000


def test_a_long_body_before_a_head_counts_not_as_that_head(connection: socket.socket) -> None:
    long = post(body=BODY.ljust(200_000))
    connection.sendall(long + GET[:-4])
    time.sleep(0.1)
    connection.sendall(GET[-4:])
    assert [status for status, _, _ in replies(connection, 2)] == [200, 200]


@pytest.mark.parametrize("chunk", [10_000, 100])
def test_another_protocol_is_not_taken_up_and_the_request_answered(connection: socket.socket, chunk: int) -> None:
    asked = post(b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABkAARAAAAA") + GET
    for start in range(0, len(asked), chunk):
        connection.sendall(asked[start : start + chunk])
        time.sleep(0.02)
    (first, second) = replies(connection, 2)
    assert (first[0], second[0]) == (200, 200)
    assert "result" in json.loads(first[2])


def test_trailers_are_no_headers(connection: socket.socket) -> None:
    head = (
        b"POST %b HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" % PATH
    )
    connection.sendall(head + b"%x\r\n%b\r\n0\r\nX-Request-ID: trailer\r\n\r\n" % (len(BODY), BODY))
    ((status, headers, _),) = replies(connection, 1)
    assert status == 200
    assert headers["x-request-id"] != "trailer"


def test_the_body_is_asked_for_where_the_client_waits_for_that(connection: socket.socket) -> None:
    head, _, body = post(b"Expect: 100-continue").partition(b"\r\n\r\n")
    connection.sendall(head + b"\r\n\r\n")
    assert replies(connection, 1)[0][0] == 100
    connection.sendall(body)
    assert replies(connection, 1)[0][0] == 200


@pytest.mark.parametrize("asked", [GET, post(), post(path=PATH + b"?explain=true")])
def test_a_client_that_has_closed_its_side_is_answered(connection: socket.socket, asked: bytes) -> None:
    connection.sendall(asked)
    connection.shutdown(socket.SHUT_WR)
    assert replies(connection, 1)[0][0] == 200
    assert closes(connection)


def test_a_client_that_closes_its_side_within_a_request_is_let_go(connection: socket.socket) -> None:
    connection.sendall(post()[:-5])
    connection.shutdown(socket.SHUT_WR)
    assert closes(connection)


def test_a_full_url_is_answered_as_its_path(connection: socket.socket) -> None:
    connection.sendall(post(path=b"http://elsewhere" + PATH))
    assert replies(connection, 1)[0][0] == 200


def test_a_connection_may_be_closed_with_its_answer(connection: socket.socket) -> None:
    connection.sendall(post(b"Connection: close"))
    assert replies(connection, 1)[0][1]["connection"] == "close"
    assert closes(connection)


@pytest.mark.parametrize("before", [b"", GET, post()])
def test_a_head_that_does_not_arrive_in_time_is_no_longer_waited_for(connection: socket.socket, before: bytes) -> None:
    connection.sendall(before + post()[:30])
    if before:
        assert replies(connection, 1)[0][0] == 200
    began = time.monotonic()
    refused(connection, 408, "request-timeout")
    assert 0.5 < time.monotonic() - began < 4


def test_a_body_that_does_not_arrive_in_time_is_no_longer_waited_for(connection: socket.socket) -> None:
    connection.sendall(GET + post()[:-5])
    assert [status for status, _, _ in replies(connection, 2)] == [200, 408]
    assert closes(connection)


def test_a_silent_connection_is_closed(connection: socket.socket) -> None:
    began = time.monotonic()
    assert closes(connection)
    assert 0.5 < time.monotonic() - began < 4


def test_an_idle_connection_is_closed(connection: socket.socket) -> None:
    connection.sendall(post())
    replies(connection, 1)
    began = time.monotonic()
    assert closes(connection)
    assert 1.5 < time.monotonic() - began < 5


def test_a_client_that_takes_no_answer_is_cut_off(service: Service) -> None:
    with closing(socket.socket()) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1_024)
        host, _, port = service.url.removeprefix("http://").rpartition(":")
        deaf.connect((host, int(port)))
        deaf.settimeout(10)
        document = b"GET /openapi.json HTTP/1.1\r\nHost: here\r\n\r\n"
        deaf.sendall(document * 20)
        time.sleep(4)
        with pytest.raises((ConnectionResetError, BrokenPipeError)):  # once all that had arrived is read
            deaf.sendall(document * 100_000)


def test_answers_at_once_are_counted_and_logged_as_any(service: Service, connection: socket.socket) -> None:
    connection.sendall(post(b"X-Request-ID: logged-1") + post(b"X-Request-ID: logged-2", body=b"{}"))
    assert [status for status, _, _ in replies(connection, 2)] == [200, 422]
    logged = [json.loads(line) for line in service.log.read_text().splitlines() if '"logged-' in line]
    assert [(line["request_id"], line["status"], line["scenario"], line["route"]) for line in logged] == [
        ("logged-1", 200, "AmdahlScenario", "/scenarios/{name}/evaluate"),
        ("logged-2", 422, "AmdahlScenario", "/scenarios/{name}/evaluate"),
    ]


def test_a_long_answer_is_compressed(connection: socket.socket) -> None:
    stages = {f"stage {number}": {"value": 1.5, "unit": "ms"} for number in range(500)}
    body = json.dumps({"stages": stages, "stage": "stage 1", "speedup": 2}).encode()
    connection.sendall(post(b"Accept-Encoding: gzip", body=body[:20_000]) + post(b"Accept-Encoding: gzip", body=body))
    first, second = replies(connection, 2)
    assert first[0] == 400
    assert (second[0], second[1]["content-encoding"]) == (200, "gzip")
