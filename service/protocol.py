"""HTTP/1.1 as uvicorn speaks it, but stricter, never waiting for long, and with answers that leave at once.

An application that has an `at_once` is asked first whether it can answer a request without waiting for anything, as
soon as all of the request is here. That takes neither a task nor a turn of the event loop, which cost as much as an
evaluation.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import httptools
from starlette.types import Message, Scope
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from service.problems import RequestProblem

Header = tuple[bytes, bytes]

LONGEST_URL = 8_192
LARGEST_HEAD = 65_536
MOST_FIELDS = 100
_SWEEP = 0.5  # seconds between two looks for connections that are overdue


class Answer(NamedTuple):
    """A whole answer, with its length among the headers."""

    status: int
    headers: list[Header]
    body: bytes


# Of a request in its scope, and its body; None where the answer has to be waited for.
AnswerAtOnce = Callable[[Scope, bytes], Answer | None]

line = b"%b: %b\r\n".__mod__  # of a header


class Direct:
    """What this server offers an application beside ASGI, as ``scope["direct"]``, for the usual request.

    Uvicorn itself looks at an answer header by header, and sends the body with a system call of its own.
    """

    __slots__ = ("_cycle", "_post")

    def __init__(self, cycle: RequestResponseCycle, post: Callable[[bytes], None]) -> None:
        self._cycle = cycle
        self._post = post

    def body(self) -> bytes | None:
        """The body of the request, if all of it is here and the client as well."""
        cycle = self._cycle
        return None if cycle.more_body or cycle.disconnected or cycle.response_complete else bytes(cycle.body)

    def request(self) -> Message | None:
        """The body as the message that it is in ASGI, and no longer kept here."""
        body = self.body()
        if body is None:
            return None
        self._cycle.message_event.clear()
        self._cycle.body = bytearray()
        return {"type": "http.request", "body": body, "more_body": False}

    def answer(self, status: int, headers: list[Header], more: bytes, body: bytes) -> bool:
        """Send a whole answer with one system call; False, with nothing sent, where uvicorn has more to look after.

        Args:
            status, headers, body: the answer.
            more: more headers, as lines.
        """
        names = [name for name, _ in headers]
        if b"content-length" not in names or b"connection" in names or not self.takes_an_answer():
            return False
        if any(b"\n" in value or b"\r" in value for _, value in headers):  # which would end its line
            return False
        self.write(status, headers, more, body)
        return True

    def takes_an_answer(self) -> bool:
        """Whether the connection is one to write to, and to keep afterwards."""
        cycle = self._cycle
        return cycle.keep_alive and not cycle.disconnected and not cycle.flow.write_paused

    def write(self, status: int, headers: list[Header], more: bytes, body: bytes) -> None:
        """As `answer`, where it is known that the connection takes an answer and that the headers are well formed."""
        cycle = self._cycle
        lines = b"".join(map(line, [*cycle.default_headers, *headers]))
        self._post(b"".join((STATUS_LINE[status], lines, more, b"\r\n", body)))
        cycle.response_started = cycle.response_complete = True
        cycle.message_event.set()
        cycle.on_response()


class Application(Protocol):
    """What the protocol asks of an application beside ASGI."""

    def at_once(self, scope: Scope, direct: Direct) -> bool:
        """Whether it has answered a request that is all here, without waiting for anything."""

    def refusal(self, url: bytes, problem: RequestProblem) -> Answer:
        """The answer to what is not fit to be passed on as a request."""


class StrictProtocol(HttpToolsProtocol):
    """A connection on which heads are bounded, and nothing is waited for longer than `seconds`.

    That holds for the head of a request, for a client to take its answer, and for a connection to end once it is
    closed; between requests uvicorn's keep-alive time holds. The application limits the time of a body.
    """

    def __init__(self, seconds: float, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._application: Application = self.app
        self._seconds = seconds
        self._since = 0.0  # when what the connection waits for began
        self._within_head = self._reading = False
        self._head_size = self._fields = self._hosts = 0
        self._due: tuple[RequestResponseCycle, ASGI3Application] | None = None
        self._answering: RequestResponseCycle | None = None
        self._posted: list[bytes] = []
        self._refused: RequestProblem | None = None

    # The connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self.loop.time()
        if id(self.connections) not in _swept:
            _swept.add(id(self.connections))
            self.loop.call_later(_SWEEP, _sweep, self.loop, self.connections)

    def connection_lost(self, exc: Exception | None) -> None:
        self._posted.clear()
        super().connection_lost(exc)

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Answer a client that has closed its side after its request; then close, as without a request at once."""
        self._send_posted()
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body or self._within_head:
            return None
        self.cycle.keep_alive = False
        return True

    def pause_writing(self) -> None:
        self._since = self.loop.time()
        super().pause_writing()

    def shutdown(self) -> None:
        self._send_posted()
        super().shutdown()

    def close_if_overdue(self, now: float) -> None:
        """End the connection if what it waits for has not come in time."""
        stuck = self.transport.is_closing() or self.flow.write_paused
        idle = not stuck and not self._within_head and (self.cycle is None or self.cycle.response_complete)
        allowed = self.timeout_keep_alive if idle and self.cycle is not None else self._seconds
        if now - self._since <= allowed:
            return
        if stuck:
            self.transport.abort()
        elif idle:
            self._since = now
            self.transport.close()
        elif self._within_head:
            self._refuse(_problem("request-timeout", 408, f"the head was not complete within {self._seconds:g} s"))

    # What arrives

    def data_received(self, data: bytes) -> None:
        if self._refused is not None:
            return
        within_head, self._reading = self._within_head, True
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._read_on_without_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError as error:
            found = error.__context__
            self._refuse(found if isinstance(found, RequestProblem) else _problem("malformed-request", 400, _MALFORMED))
        else:
            if within_head and self._within_head:
                self._head_size += len(data)
                if self._head_size > LARGEST_HEAD:
                    self._refuse(_head_too_large())
        self._reading = False
        self._start_what_is_due()

    def on_message_begin(self) -> None:
        self._within_head = True
        self._head_size = self._fields = self._hosts = 0
        self._since = self.loop.time()
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > LONGEST_URL:
            raise _problem("uri-too-long", 414, f"the URL is longer than {LONGEST_URL:,} bytes; inputs go into a body")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._fields += 1
        if self._fields > MOST_FIELDS:
            raise _head_too_large()
        if not self._within_head:
            return  # a trailer, which is no header
        name = name.lower()
        if name == b"host":
            self._hosts += 1
        elif name == b"expect":
            if value.lower() != b"100-continue":
                raise _problem("malformed-request", 417, "the request expects what is not known here; leave Expect out")
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        if sum(len(name) + len(value) for name, value in self.headers) > LARGEST_HEAD:
            raise _head_too_large()
        if self._hosts != 1 and (self._hosts or self.parser.get_http_version() == "1.1"):
            raise _problem("malformed-request", 400, f"the request has {self._hosts} Host headers; one would do")
        if self.parser.should_upgrade():
            return
        self._within_head = False
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self.parser.should_upgrade():
            super().on_body(body)

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        super().on_message_complete()
        if self._due is not None:
            cycle = self._due[0]
            if self._application.at_once(cycle.scope, Direct(cycle, self._post)):  # type: ignore[arg-type]
                self._due = None
            self._start_what_is_due()

    def _read_on_without_upgrade(self, rest: bytes) -> None:
        """Read a request that asks for another protocol as one that does not, as any server may (RFC 9110, 7.8)."""
        method = self.parser.get_method()
        if method == b"CONNECT":
            self._refuse(_problem("malformed-request", 400, "CONNECT is for proxies, and this is none"))
            return
        kept = [(name, value) for name, value in self.headers if name not in (b"upgrade", b"connection")]
        if any(name == b"connection" and b"close" in value.lower() for name, value in self.headers):
            kept.append((b"connection", b"close"))
        head = b"%b %b HTTP/1.1\r\n%b\r\n" % (method, self.url, b"".join(map(line, kept)))
        self.parser = httptools.HttpRequestParser(self)
        self.data_received(head + rest)

    # What is answered

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Wait for the rest of what has arrived: with its body, a request may be answered at once."""
        self._answering = cycle
        self._due = cycle, app
        if not (self._reading and cycle.more_body):
            self._start_what_is_due()

    def _start_what_is_due(self) -> None:
        if self._due is not None:
            (cycle, app), self._due = self._due, None
            cycle.scope["direct"] = Direct(cycle, self._post)  # type: ignore[typeddict-unknown-key]
            super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        """As uvicorn does, without a timer of its own for each answer."""
        self.server_state.total_requests += 1
        self._answering = None
        self._since = self.loop.time()
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self._refused is not None:
            self._send_refusal(self._refused)

    def _post(self, answer: bytes) -> None:
        """Send an answer once the other connections that have something to read have been read.

        Sent at once, each would wake its client, and wait for that; in a row, the first wakes all that there are.
        """
        if not self._posted:
            self.loop.call_soon(self._send_posted)
        self._posted.append(answer)

    def _send_posted(self) -> None:
        if self._posted:
            self.transport.write(b"".join(self._posted))
            self._posted.clear()

    def _refuse(self, problem: RequestProblem) -> None:
        """Answer what came before, then this, and close."""
        self._refused = problem
        self._within_head = False
        broken = self.cycle
        if broken is not None and broken.more_body and not broken.response_complete:  # it will never be whole
            broken.disconnected = True
            broken.message_event.set()
            self.pipeline = deque(waiting for waiting in self.pipeline if waiting[0] is not broken)
            if self._answering is broken:
                self._answering = self._due = None
        if self._answering is None:
            self._send_refusal(problem)

    def _send_refusal(self, problem: RequestProblem) -> None:
        self._send_posted()
        status, headers, body = self._application.refusal(self.url, problem)
        lines = b"".join(map(line, [*self.server_state.default_headers, *headers, (b"connection", b"close")]))
        self.transport.write(b"".join((STATUS_LINE[status], lines, b"\r\n", body)))
        self.transport.close()


_swept: set[int] = set()  # which sets of connections are looked at, one for each event loop


def _sweep(loop: asyncio.AbstractEventLoop, connections: set[Any]) -> None:
    """Look at all connections again and again, for as long as there are some."""
    now = loop.time()
    for connection in list(connections):
        connection.close_if_overdue(now)
    if connections:
        loop.call_later(_SWEEP, _sweep, loop, connections)
    else:
        _swept.discard(id(connections))


def _problem(type: str, status: int, detail: str) -> RequestProblem:
    return RequestProblem(f"urn:mlsysim:{type}", status, detail)  # type: ignore[arg-type]


_MALFORMED = "the request could not be read as HTTP/1.1; check its request line, its headers and the length of its body"


def _head_too_large() -> RequestProblem:
    detail = f"the request has more than {MOST_FIELDS} headers or {LARGEST_HEAD:,} bytes of them; fewer would do"
    return _problem("headers-too-large", 431, detail)
