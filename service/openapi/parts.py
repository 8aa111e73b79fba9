"""What every part of the document is made of: references, and the JSON of an answer."""

from __future__ import annotations

from typing import Any


def ref(name: str, kind: str = "schemas") -> dict[str, str]:
    """A reference to a component."""
    return {"$ref": f"#/components/{kind}/{name}"}


def answer_of(operation: dict[str, Any]) -> dict[str, Any]:
    """The JSON of a successful answer."""
    return operation["responses"]["200"]["content"]["application/json"]  # type: ignore[no-any-return]
