"""Reading the head of a request."""

from urllib.parse import quote

from starlette.types import Scope

_IN_A_PATH = "/%:@!$&'()*+,;="  # RFC 3986, 3.3, and what is encoded already


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


def path_as_sent(scope: Scope, longest: int) -> str:
    """The path as it was sent, still encoded, so that it can end no line of a log; its beginning, if it is long."""
    raw: bytes | None = scope.get("raw_path")
    return (quote(scope["path"]) if raw is None else quote(raw, safe=_IN_A_PATH))[:longest]
