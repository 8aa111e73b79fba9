"""Whether new requests should still come here.

On SIGTERM the service says no at `/readyz` and goes on serving for a while, so that whoever spreads the load sees it
and sends requests elsewhere before the listening socket closes. Then the server stops as it does by itself.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType

from fastapi import FastAPI


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Put the drain before what the server does on SIGTERM; a second signal ends the drain."""
    stop = signal.getsignal(signal.SIGTERM)
    if not callable(stop) or threading.current_thread() is not threading.main_thread():
        yield  # run by something else than our server, which then also stops it
        return
    loop = asyncio.get_running_loop()

    def drain(received: int, frame: FrameType | None) -> None:
        if app.state.draining:
            stop(received, frame)
            return
        app.state.draining = True
        loop.call_soon_threadsafe(loop.call_later, app.state.settings.drain_time, stop, received, None)

    signal.signal(signal.SIGTERM, drain)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, stop)
