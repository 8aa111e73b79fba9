"""Answers as JSON."""

from __future__ import annotations

import json
from typing import Any

import orjson
from starlette.responses import Response


def to_bytes(content: Any) -> bytes:
    """The content as JSON, with integers of any size written out in full.

    Raises:
        ValueError: it holds NaN or an infinity, which JSON does not know.
    """
    try:
        return orjson.dumps(content)
    except TypeError:  # an integer beyond 64 bits, which orjson does not write
        return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


class Answer(Response):
    """A JSON response."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The body of the response."""
        return to_bytes(content)
