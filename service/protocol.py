"""HTTP/1.1 as uvicorn speaks it, to clients that send their headers in time."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class OneWrite:
    """A transport that sends what is written in one turn of the loop, headers and body, with one system call."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send the data before the loop's next turn."""
        if not self._held:
            self._loop.call_soon(self._flush)
        self._held.append(data)

    def close(self) -> None:
        """Close once everything is sent."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._held:
            self._transport.write(b"".join(self._held))
            self._held.clear()


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
        super().connection_made(OneWrite(transport, self.loop))  # type: ignore[arg-type]
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
