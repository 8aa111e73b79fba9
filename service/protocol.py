"""HTTP/1.1 as uvicorn speaks it, to clients that send their headers in time, with answers that leave at once."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import Message
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

Header = tuple[bytes, bytes]

line = b"%b: %b\r\n".__mod__  # of a header


class Direct:
    """What this server offers an application beside ASGI, as ``scope["direct"]``, for the usual request.

    Uvicorn itself looks at an answer header by header, and sends the body with a system call of its own.
    """

    __slots__ = ("_cycle",)

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle

    def request(self) -> Message | None:
        """The body of the request, if all of it is here and the client as well."""
        cycle = self._cycle
        if cycle.more_body or cycle.disconnected or cycle.response_complete:
            return None
        cycle.message_event.clear()
        body, cycle.body = bytes(cycle.body), bytearray()
        return {"type": "http.request", "body": body, "more_body": False}

    def answer(self, status: int, headers: list[Header], more: bytes, body: bytes) -> bool:
        """Send a whole answer with one system call; False, with nothing sent, where uvicorn has more to look after.

        Args:
            status, headers, body: the answer.
            more: more headers, as lines.
        """
        cycle, names = self._cycle, dict(headers)
        if b"content-length" not in names or b"connection" in names:
            return False
        if not cycle.keep_alive or cycle.disconnected or cycle.flow.write_paused:
            return False
        lines = b"".join(map(line, [*cycle.default_headers, *headers]))
        if len(lines.splitlines()) != len(cycle.default_headers) + len(headers):  # a value would end its line
            return False
        cycle.transport.write(b"".join((STATUS_LINE[status], lines, more, b"\r\n", body)))
        cycle.response_started = cycle.response_complete = True
        cycle.message_event.set()
        cycle.on_response()
        return True


class PromptProtocol(HttpToolsProtocol):
    """Closes a connection whose first request, or any request once begun, has not all its headers within `seconds`.

    Uvicorn has no limit of its own before the first answer; between requests its keep-alive time holds.
    """

    def __init__(self, seconds: float, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None
        self._within_headers = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._headers_are_there()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self._within_headers = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._headers_are_there()
        super().on_headers_complete()
        self.scope["direct"] = Direct(self.cycle)  # type: ignore[typeddict-unknown-key]

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._within_headers and self._timer is None:
            self._await_headers()

    def _await_headers(self) -> None:
        self._timer = self.loop.call_later(self._seconds, self.transport.close)

    def _headers_are_there(self) -> None:
        self._within_headers = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
