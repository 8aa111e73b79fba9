"""What makes answers cheap to ask for again and to send: strong ETags, 304, gzip."""

from __future__ import annotations

import gzip
import re
from functools import lru_cache
from hashlib import blake2b

from starlette.datastructures import MutableHeaders

from service.aside import aside

# Below the first size compressing costs more than it saves, above the second it would keep others waiting.
WORTH_COMPRESSING = 8_000
_LONG_TO_COMPRESS = 200_000
_NEVER_CACHED = ("/healthz", "/readyz", "/metrics")


async def compressed(body: bytes, headers: MutableHeaders, accepted: bytes, reading: bool) -> bytes:
    """The body as it is sent, with headers that say how. What is read is compressed once and remembered."""
    if len(body) < WORTH_COMPRESSING:
        return body
    headers.add_vary_header("Accept-Encoding")
    if not _accepts_gzip(accepted.decode("latin-1")):
        return body
    headers["Content-Encoding"] = "gzip"
    if reading:
        body = _remembered(body)
    elif len(body) < _LONG_TO_COMPRESS:
        body = _gzip(body)
    else:
        body = await aside(_gzip, body)
    headers["Content-Length"] = str(len(body))
    return body


def conditional(body: bytes, headers: MutableHeaders, route: str | None, asked: bytes, scope: str) -> bool:
    """Add ETag and Cache-Control to an answer under GET; true if the client has it already, for a 304.

    Args:
        body, headers: of the answer, as it is sent.
        route: template of the path.
        asked: If-None-Match of the request.
        scope: who may cache it, ``public`` or ``private``.
    """
    headers["ETag"] = etag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    headers["Cache-Control"] = "no-store" if route in _NEVER_CACHED else f"{scope}, max-age=60"
    if not _matches(asked.decode("latin-1"), etag):
        return False
    for name in ("Content-Type", "Content-Encoding", "Content-Length"):
        del headers[name]
    return True


def _gzip(body: bytes) -> bytes:
    return gzip.compress(body, compresslevel=6, mtime=0)  # no time, so that the same body gives the same ETag


_remembered = lru_cache(maxsize=64)(_gzip)


def _accepts_gzip(header: str) -> bool:
    offers = (offer.partition(";q=") for offer in "".join(header.lower().split()).split(","))
    weights = {coding: weight for coding, _, weight in offers}
    return re.fullmatch(r"0(\.0*)?", weights.get("gzip", weights.get("*", "0"))) is None


def _matches(header: str, etag: str) -> bool:
    offered = [offer.strip().removeprefix("W/") for offer in header.split(",")]
    return etag in offered or "*" in offered
