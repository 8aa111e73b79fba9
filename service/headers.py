"""Reading the headers of a request."""

from starlette.types import Scope


def header(scope: Scope, name: bytes) -> bytes:
    """The first header of that name, in lower case; empty if there is none."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    for key, value in headers:
        if key == name:
            return value
    return b""


def header_list(scope: Scope, name: bytes) -> bytes:
    """All headers of that name as the one list that they are together (RFC 9110, 5.3); empty if there is none."""
    return b", ".join([value for key, value in scope["headers"] if key == name])
