"""HTTP/1.1 as uvicorn speaks it, to clients that send their headers in time, with answers that leave at once.

An application that has an `at_once` is asked first whether it can answer a request without waiting for anything, as
soon as all of the request is here. That takes neither a task nor a turn of the event loop, which cost as much as an
evaluation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from starlette.types import Message, Scope
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

Header = tuple[bytes, bytes]


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


class PromptProtocol(HttpToolsProtocol):
    """Closes a connection whose first request, or any request once begun, has not all its headers within `seconds`.

    Uvicorn has no limit of its own before the first answer; between requests its keep-alive time holds.
    """

    def __init__(self, seconds: float, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None
        self._within_headers = False
        self._answered_at_once = getattr(self.app, "at_once", None)
        self._due: tuple[RequestResponseCycle, ASGI3Application] | None = None
        self._posted: list[bytes] = []

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._headers_are_there()
        self._posted.clear()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self._within_headers = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._headers_are_there()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        if self._due is not None:
            cycle = self._due[0]
            if self._answered_at_once is not None and self._answered_at_once(cycle.scope, Direct(cycle, self._post)):
                self._due = None
            self._start_what_is_due()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Wait for the rest of what has arrived: with its body, a request may be answered at once."""
        self._due = cycle, app
        if not cycle.more_body:
            self._start_what_is_due()

    def _start_what_is_due(self) -> None:
        if self._due is not None:
            (cycle, app), self._due = self._due, None
            cycle.scope["direct"] = Direct(cycle, self._post)  # type: ignore[typeddict-unknown-key]
            super()._start_asgi_task(cycle, app)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._start_what_is_due()
        if self._within_headers and self._timer is None:
            self._await_headers()

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

    def send_400_response(self, msg: str) -> None:
        self._send_posted()
        super().send_400_response(msg)

    def shutdown(self) -> None:
        self._send_posted()
        super().shutdown()

    def _await_headers(self) -> None:
        self._timer = self.loop.call_later(self._seconds, self.transport.close)

    def _headers_are_there(self) -> None:
        self._within_headers = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
