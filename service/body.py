"""Reading a request body: JSON as RFC 8259 means it, bounded before it is read, with nothing lost in silence."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any

import orjson
from starlette.types import Receive, Scope

from service.headers import header, header_list
from service.problems import ProblemType, RequestProblem

_DEEPEST = 32
_LONGEST_NUMBER = 400
_MOST_MEMBERS = 1000
_ALL_WHOLE = 2**53  # up to here a double holds every whole number
JSON = (b"application/json",)
MERGE_PATCH = (*JSON, b"application/merge-patch+json")
_MALFORMED: ProblemType = "urn:mlsysim:malformed-body"


def check_head(scope: Scope, media_types: tuple[bytes, ...]) -> None:
    """See that a request says its body is JSON, in one of the media types, and not too large.

    Raises:
        RequestProblem: it says something else.
    """
    content_type = header(scope, b"content-type")
    if content_type not in media_types and content_type.partition(b";")[0].strip().lower() not in media_types:
        media_type = content_type.partition(b";")[0].strip().lower().decode("latin-1")[:100]
        received = f'content type "{media_type}"' if media_type else "no content type"
        raise RequestProblem(
            "urn:mlsysim:unsupported-media-type", 415, f"the request has {received}; application/json would do"
        )
    coding = header_list(scope, b"content-encoding").strip().lower()
    if coding not in (b"", b"identity"):
        shown = coding.decode("latin-1")[:100]
        detail = f'the body has content encoding "{shown}"; sending it as it is would do'
        raise RequestProblem("urn:mlsysim:unsupported-media-type", 415, detail, headers={"Accept-Encoding": "identity"})
    declared = header(scope, b"content-length")
    if declared.isdigit() and int(declared[:20]) > scope["body_limit"]:
        raise _too_large(scope["body_limit"])


async def read_body(scope: Scope, receive: Receive, media_types: tuple[bytes, ...] = JSON) -> bytes:
    """The body of a request that says it is JSON, in one of the media types.

    Raises:
        RequestProblem: it says something else, or is too large, or does not arrive.
    """
    check_head(scope, media_types)
    limit: int = scope["body_limit"]
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _malformed("the connection was closed before the body was complete")
        chunk = message.get("body", b"")
        body = body + chunk if body else chunk
        if len(body) > limit:
            raise _too_large(limit)
        more = message.get("more_body", False)
    return body


def parse(body: bytes) -> Any:
    """The JSON value of some bytes.

    Raises:
        RequestProblem: they are no UTF-8 or no JSON; or they hold a key twice, NaN, an infinity, a number beyond a
            double, a lone surrogate, or nesting beyond what any input has.
    """
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _parse_slowly(body)  # which says what is wrong
    return value if _has_lost_nothing(body, value) else _parse_slowly(body)


def _has_lost_nothing(body: bytes, value: Any) -> bool:
    """Whether orjson, which would drop a key given twice and round a large number, has surely read all there is."""
    members, depth, level = 0, 0, [value]
    while level and depth < _DEEPEST:
        depth += 1
        within: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is dict:
                if len(item) > _MOST_MEMBERS:
                    return False
                members += len(item)
                within += item.values()
            elif kind is list:
                within += item
            elif kind is float and not (0 < item < _ALL_WHOLE or -_ALL_WHOLE < item < 0):
                return False  # as an integer beyond 64 bits becomes, or a number too small for a double
        level = within
    return not level and members == body.count(b":")  # were there more colons, a key might be there twice


def _parse_slowly(body: bytes) -> Any:
    """As `parse`, with every key and number looked at."""
    try:
        text = body.decode()
        if text.startswith("\ufeff"):
            raise _malformed("the body begins with a byte-order mark, which is no JSON; leave it out")
        if not text.strip():
            raise _malformed("the body is empty; send at least {}")
        value = _decode(text)
        _limit_depth(body, value)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # fails on a lone surrogate
    except UnicodeDecodeError as error:
        raise _malformed(f"the body is not UTF-8: byte {error.start} is none of it") from None
    except UnicodeEncodeError:
        raise _malformed("the body has a lone surrogate, which is no text") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _malformed(f"the body is not JSON: {error.msg.removesuffix(' at')} at {where}") from None
    except RecursionError:
        raise _too_deep() from None
    return value


def _malformed(detail: str) -> RequestProblem:
    return RequestProblem(_MALFORMED, 400, detail)


def _too_large(limit: int) -> RequestProblem:
    return RequestProblem("urn:mlsysim:body-too-large", 413, f"the body is larger than the limit of {limit:,} bytes")


def _too_deep() -> RequestProblem:
    return _malformed(f"the body is nested more than {_DEEPEST} levels deep; no input is")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > _MOST_MEMBERS:
        raise _malformed(f"the body has an object of {len(pairs):,} members; no input has more than {_MOST_MEMBERS:,}")
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _malformed(f'the body has the key "{twice[:100]}" twice in one object')
    return value


def _constant(name: str) -> Any:
    raise _malformed(f"the body has {name}, which is no JSON number")


def _float(text: str) -> float | int:
    value = float(text)
    if math.isinf(value):
        raise _malformed(f"the body has the number {text[:40]}, which is too large for a double")
    if value == 0 and re.search("[1-9]", text.lower().partition("e")[0]):
        raise _malformed(f"the body has the number {text[:40]}, which is too small for a double")
    if abs(value) >= _ALL_WHOLE:
        exact = Decimal(text)
        if exact != exact.to_integral_value():
            raise _malformed(
                f"the body has the number {text[:40]}, whose fraction no double keeps; a whole number would do"
            )
        return int(exact)  # 1e23 is a whole number, and the double beside it another one
    return value


def _int(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        raise _malformed(f"the body has a whole number of {len(text)} digits, which is too large for a double")
    return int(text)


_decode = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, parse_int=_int
).decode


def _limit_depth(body: bytes, value: Any) -> None:
    if body.count(b"{") + body.count(b"[") <= _DEEPEST:
        return
    level, depth = [value], 0
    while level := [held for held in level if isinstance(held, (dict, list))]:
        depth += 1
        if depth > _DEEPEST:
            raise _too_deep()
        level = [item for held in level for item in (held.values() if isinstance(held, dict) else held)]
