"""Answers as JSON."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from mlsysim.text import to_bytes


class Answer(Response):
    """A JSON response."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The body of the response."""
        return to_bytes(content)
