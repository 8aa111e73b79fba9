"""What every answer gets on its way out: the catalog's version, and under GET what makes polling cheap."""

from __future__ import annotations

import gzip
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mlsysim.catalog import catalog

CATALOG_VERSION = "Catalog-Version"

# Below this size compressing costs more than it saves.
_WORTH_COMPRESSING = 8_000
_CACHE_CONTROL = "public, max-age=60"
_NEVER_CACHED = ("/healthz", "/readyz", "/metrics")


class CachingMiddleware:
    """Adds the catalog's version to every answer and compresses large ones.

    Under GET it also adds a strong ETag and Cache-Control, answers If-None-Match with 304, and answers HEAD.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.version = catalog().version

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start: dict[str, Any] = {}
        body: list[bytes] = []

        async def collect(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            body.append(message.get("body", b""))
            if not message.get("more_body", False):
                await self._finish(scope, start, b"".join(body), send)

        inner = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        await self.app(inner, receive, collect)

    async def _finish(self, scope: Scope, start: dict[str, Any], body: bytes, send: Send) -> None:
        request = Headers(scope=scope)
        headers = MutableHeaders(raw=list(start["headers"]))
        headers[CATALOG_VERSION] = self.version
        reading = scope["method"] in ("GET", "HEAD") and start["status"] == 200
        if len(body) >= _WORTH_COMPRESSING:
            headers.add_vary_header("Accept-Encoding")
            if _accepts_gzip(request.get("accept-encoding", "")):
                headers["Content-Encoding"] = "gzip"
                body = _compressed(body)
        if reading:
            headers["ETag"] = etag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
            headers["Cache-Control"] = "no-store" if scope["path"] in _NEVER_CACHED else _CACHE_CONTROL
            if _matches(request.get("if-none-match", ""), etag):
                start["status"], body = 304, b""
                for name in ("Content-Type", "Content-Encoding", "Content-Length"):
                    del headers[name]
        if start["status"] != 304:
            headers["Content-Length"] = str(len(body))
        await send({**start, "headers": headers.raw})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


@lru_cache(maxsize=64)
def _compressed(body: bytes) -> bytes:
    return gzip.compress(body, compresslevel=6, mtime=0)  # no time, so that the same body gives the same ETag


def _accepts_gzip(header: str) -> bool:
    for offer in header.lower().split(","):
        coding, _, parameters = offer.strip().partition(";")
        if coding.strip() in ("gzip", "*"):
            return parameters.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _matches(header: str, etag: str) -> bool:
    offered = [offer.strip().removeprefix("W/") for offer in header.split(",")]
    return etag in offered or "*" in offered
