"""What the layer around the application costs a request: an application that answers at once, with and without it."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace

import uvloop
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service import logs
from service.edge import Edge, observe_route
from service.settings import Settings

ROUNDS, REQUESTS = 20, 2000
BODY = b"{" + b" " * 1000 + b"}"
STATE = SimpleNamespace(state=SimpleNamespace(draining=False))
SCOPE = {
    "type": "http",
    "method": "POST",
    "path": "/scenarios/AmdahlScenario/evaluate",
    "raw_path": b"/scenarios/AmdahlScenario/evaluate",
    "root_path": "",
    "query_string": b"",
    "headers": [
        (b"host", b"localhost:8000"),
        (b"user-agent", b"benchmark"),
        (b"accept", b"*/*"),
        (b"accept-encoding", b"gzip"),
        (b"content-type", b"application/json"),
        (b"content-length", b"1002"),
    ],
}


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Read the body and answer with as much."""
    observe_route(scope, "/scenarios/{name}/evaluate")
    message = await receive()
    headers = [(b"content-length", b"1002"), (b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": message["body"]})


async def receive() -> Message:
    return {"type": "http.request", "body": BODY, "more_body": False}


async def send(message: Message) -> None:
    pass


async def microseconds(app: ASGIApp) -> float:
    """Of one request."""
    start = time.process_time()
    for _ in range(REQUESTS):
        await app(dict(SCOPE), receive, send)
    return (time.process_time() - start) / REQUESTS * 1e6


def main() -> None:
    # Where a server's log goes, with the figures on standard error instead.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    settings = Settings()
    logs.configure(settings)
    edge = Edge(answer, settings, STATE)  # type: ignore[arg-type]
    pairs = [(uvloop.run(microseconds(answer)), uvloop.run(microseconds(edge))) for _ in range(ROUNDS)]
    bare, with_edge = (min(column) for column in zip(*pairs, strict=True))
    os.write(2, f"without {bare:.1f} µs, with {with_edge:.1f} µs, {with_edge - bare:.1f} µs more\n".encode())


if __name__ == "__main__":
    main()
