"""Values as JSON text."""

from __future__ import annotations

import json
from json.encoder import encode_basestring as quoted  # a text as JSON
from typing import Any

import orjson

__all__ = ["quoted", "to_bytes", "to_text"]


def to_bytes(content: Any) -> bytes:
    """The content as JSON, with integers of any size written out in full.

    Raises:
        ValueError: it holds NaN or an infinity, which JSON does not know.
    """
    try:
        return orjson.dumps(content)
    except TypeError:  # an integer beyond 64 bits, which orjson does not write
        return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def to_text(content: Any) -> str:
    """As `to_bytes`, as text."""
    return to_bytes(content).decode()
