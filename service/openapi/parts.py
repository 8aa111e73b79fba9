"""What every part of the document is made of: references, declared problems, the JSON of an answer."""

from __future__ import annotations

from typing import Any

from service import problems

STATUSES = {
    400: "The body is not acceptable JSON.",
    401: "The service asks for an API key, and none that does was sent.",
    404: "Nothing has that name.",
    405: "The path does not answer that method.",
    408: "The request took too long to arrive.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "The inputs or the query are not valid, or the answer does not fit a double.",
    500: "The service failed.",
    503: "The service is about to stop.",
}
# What may be said to any request that has a body.
BODY_STATUSES = (400, 401, 405, 408, 413, 415, 422, 500)


def ref(name: str) -> dict[str, str]:
    """A reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def answer_of(operation: dict[str, Any]) -> dict[str, Any]:
    """The JSON of a successful answer."""
    return operation["responses"]["200"]["content"]["application/json"]  # type: ignore[no-any-return]


def problem_response(status: int) -> dict[str, Any]:
    """The declaration of a problem with that status."""
    return {"description": STATUSES[status], "content": {problems.MEDIA_TYPE: {"schema": ref("Problem")}}}
