"""Calls of every kind with the replies they must get, and clients that make them and count what fails."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException

from mlsysim.engine.scenario_catalog import configurations

POLLED = ("/catalog/hardware", "/catalog/hardware/H100", "/catalog?limit=20", "/scenarios", "/units")
WRONG = ('{"speedup": "10 GB"}', '{"speedup": -1}', '{"sped": 1}', "{", "")


@dataclass(frozen=True)
class Call:
    """A request, and what it has to be answered with."""

    method: str
    path: str
    body: str | None
    headers: dict[str, str]
    status: int
    answer: bytes


def mixed_calls(port: int) -> list[Call]:
    """Every named configuration, the catalog with and without ETag, batches, and bodies that will not do.

    What they are answered with is what they are answered with now, before anything is made to fail.
    """
    names = list(configurations())
    posts = [(f"/scenarios/{name}/evaluate", "{}") for name in names]
    posts += [("/scenarios/ModelSpeedupRequestPath/evaluate", body) for body in WRONG]
    for first in range(0, len(names), 10):
        evaluations = [{"name": name, "inputs": {}} for name in names[first : first + 10]]
        posts.append(("/batch", json.dumps({"evaluations": evaluations})))
    with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        calls = [_answered(connection, "POST", *post, {"Content-Type": "application/json"}) for post in posts]
        for path in POLLED:
            calls.append(_answered(connection, "GET", path, None, {}))
            calls += [_answered(connection, "GET", path, None, {"If-None-Match": _etag(connection, path)})] * 3
    return calls


def ask(
    connection: HTTPConnection, method: str, path: str, body: str | None = None, **headers: str
) -> tuple[int, bytes]:
    """Status and body of a reply."""
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    return reply.status, reply.read()


def _answered(connection: HTTPConnection, method: str, path: str, body: str | None, headers: dict[str, str]) -> Call:
    return Call(method, path, body, headers, *ask(connection, method, path, body, **headers))


def _etag(connection: HTTPConnection, path: str) -> str:
    connection.request("HEAD", path)
    reply = connection.getresponse()
    reply.read()
    return reply.headers["ETag"]


@dataclass
class Tally:
    """What clients have seen."""

    seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def quantile(self, share: float) -> float:
        """The time in seconds within which this share of the requests was answered."""
        return sorted(self.seconds)[int(share * (len(self.seconds) - 1))]


@contextmanager
def clients(count: int, port: int, calls: Sequence[Call], pause: float = 0) -> Iterator[Tally]:
    """So many clients, each with one kept-alive connection, that call until the end of the block.

    A failure is any reply that differs from the one expected in status or in a byte, and any broken connection; nothing
    is tried again. Between two calls a client waits `pause` seconds.
    """
    tally = Tally()
    over = threading.Event()

    def run(number: int) -> None:
        at = number * len(calls) // count
        with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            while not over.wait(pause):
                call = calls[at % len(calls)]
                at += 1
                start = time.perf_counter()
                try:
                    status, answer = ask(connection, call.method, call.path, call.body, **call.headers)
                except (OSError, HTTPException) as error:
                    connection.close()
                    tally.failures.append(f"{call.method} {call.path}: {error!r}")
                    continue
                tally.seconds.append(time.perf_counter() - start)
                if (status, answer) != (call.status, call.answer):
                    tally.failures.append(f"{call.method} {call.path}: {status} {answer[:200]!r}")

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield tally
    finally:
        over.set()
        for thread in threads:
            thread.join()
