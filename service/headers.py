"""Reading the headers of a request."""

from starlette.types import Scope


def header(scope: Scope, name: bytes) -> bytes:
    """The first header of that name, in lower case; empty if there is none."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    for key, value in headers:
        if key == name:
            return value
    return b""
