"""Every error as ``application/problem+json`` (RFC 9457), made in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Literal, get_args

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.types import Scope

from mlsysim.errors import EvaluationError, InvalidInputs, UnknownName, explain, shorten
from service.answers import Answer
from service.headers import path_as_sent

MEDIA_TYPE = "application/problem+json"
_MOST_ERRORS = 20
_LONGEST_INSTANCE = 1000

ProblemType = Literal[
    "urn:mlsysim:malformed-body",
    "urn:mlsysim:unknown-name",
    "urn:mlsysim:not-found",
    "urn:mlsysim:method-not-allowed",
    "urn:mlsysim:body-too-large",
    "urn:mlsysim:unsupported-media-type",
    "urn:mlsysim:invalid-inputs",
    "urn:mlsysim:invalid-query",
    "urn:mlsysim:out-of-range",
    "urn:mlsysim:unauthorized",
    "urn:mlsysim:request-timeout",
    "urn:mlsysim:malformed-request",
    "urn:mlsysim:uri-too-long",
    "urn:mlsysim:headers-too-large",
    "urn:mlsysim:not-ready",
    "urn:mlsysim:internal-error",
]

# What only the proxy before the service says, in deploy/nginx/nginx.conf.
_OF_THE_PROXY = (
    "urn:mlsysim:too-many-requests",
    "urn:mlsysim:not-implemented",
    "urn:mlsysim:unavailable",
    "urn:mlsysim:proxy-error",
)

_TITLES: dict[ProblemType, str] = {
    "urn:mlsysim:malformed-body": "The body is not acceptable JSON",
    "urn:mlsysim:unknown-name": "Nothing has that name",
    "urn:mlsysim:not-found": "There is nothing at this path",
    "urn:mlsysim:method-not-allowed": "This path does not answer that method",
    "urn:mlsysim:body-too-large": "The body is too large",
    "urn:mlsysim:unsupported-media-type": "The body is not JSON",
    "urn:mlsysim:invalid-inputs": "The inputs are not valid",
    "urn:mlsysim:invalid-query": "The query parameters are not valid",
    "urn:mlsysim:out-of-range": "The answer does not fit a double",
    "urn:mlsysim:unauthorized": "An API key is needed",
    "urn:mlsysim:request-timeout": "The request took too long to arrive",
    "urn:mlsysim:malformed-request": "The request is not HTTP",
    "urn:mlsysim:uri-too-long": "The path or query is too long",
    "urn:mlsysim:headers-too-large": "The headers are too large",
    "urn:mlsysim:not-ready": "The service takes no new requests",
    "urn:mlsysim:internal-error": "The service failed",
}


class ProblemError(BaseModel):
    """One thing wrong with the request."""

    pointer: str = Field(description="JSON pointer (RFC 6901) to the offending value in the body; empty for all of it")
    parameter: str | None = Field(default=None, description="the query parameter, where the error is in the query")
    message: str = Field(description="what is wrong and what would do")
    received: str | None = Field(description="the offending value, at most 100 characters; null where there was none")


class Problem(BaseModel):
    """An error (RFC 9457)."""

    type: str = Field(
        description="which kind of problem; there may be new ones. From the proxy before the service alone come "
        + ", ".join(type.rpartition(":")[2] for type in _OF_THE_PROXY),
        json_schema_extra={"x-extensible-enum": [*get_args(ProblemType), *_OF_THE_PROXY]},
    )
    title: str = Field(description="the kind of problem in words")
    status: int = Field(description="HTTP status")
    detail: str = Field(description="what is wrong with this request and what would do")
    instance: str = Field(description="path of the request")
    closest: list[str] | None = Field(default=None, description="names that may have been meant")
    errors: list[ProblemError] | None = Field(default=None, description="each thing wrong, at most 20")


class RequestProblem(Exception):
    """A request that cannot be answered.

    Attributes:
        type: the kind of problem.
        status: the HTTP status.
        detail: what is wrong and what would do.
        headers: those of the answer that say what would do.
    """

    def __init__(
        self, type: ProblemType, status: int, detail: str, headers: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        super().__init__(detail)
        self.type: ProblemType = type
        self.status = status
        self.detail = detail
        self.headers = headers


def _instance(scope: Scope) -> str:
    return path_as_sent(scope, _LONGEST_INSTANCE)


def problem(path: str, type: ProblemType, status: int, detail: str, **more: Any) -> dict[str, Any]:
    """A problem with a request, whose encoded path is given, as JSON."""
    return {
        "type": type,
        "title": _TITLES[type],
        "status": status,
        "detail": detail,
        "instance": path,
        **more,
    }


def engine_problem(path: str, error: Exception) -> dict[str, Any]:
    """What the engine raised, as a problem; the one place that says which error is which status."""
    if isinstance(error, InvalidInputs):
        errors = [found._asdict() for found in error.errors]
        return _with_errors(path, "urn:mlsysim:invalid-inputs", errors, error.count)
    if isinstance(error, UnknownName):
        return problem(path, "urn:mlsysim:unknown-name", 404, str(error), closest=error.closest)
    errors = [found._asdict() for found in error.errors] if isinstance(error, EvaluationError) else []
    return problem(path, "urn:mlsysim:out-of-range", 422, str(error), errors=errors)


def _with_errors(path: str, type: ProblemType, errors: list[dict[str, Any]], count: int) -> dict[str, Any]:
    left_out = f" (the first {len(errors)} are listed)" if count > len(errors) else ""
    first = errors[0]["message"]
    detail = first if count == 1 else f"{count} things are wrong{left_out}: {first}; …"
    return problem(path, type, 422, detail, errors=errors)


def _answer(found: dict[str, Any]) -> Answer:
    return Answer(found, status_code=found["status"], headers={"Cache-Control": "no-store"}, media_type=MEDIA_TYPE)


def _engine_error(request: Request, error: Exception) -> Answer:
    return _answer(engine_problem(_instance(request.scope), error))


def _invalid_query(request: Request, error: Exception) -> Answer:
    assert isinstance(error, RequestValidationError)
    errors = [
        {**explain({**detail, "loc": detail["loc"][1:]}, quoted=False)._asdict(), "pointer": "", "parameter": name}
        for detail in error.errors()[:_MOST_ERRORS]
        for name in [shorten(str(detail["loc"][-1]))]
    ]
    return _answer(_with_errors(_instance(request.scope), "urn:mlsysim:invalid-query", errors, len(error.errors())))


def request_problem(scope: Scope, error: RequestProblem) -> Answer:
    """The answer to a request that cannot be answered."""
    answer = _answer(problem(_instance(scope), error.type, error.status, error.detail))
    answer.headers.update(error.headers)
    if error.status in (408, 413):
        answer.headers["Connection"] = "close"  # or the rest of the body would still be waited for
    return answer


def _request_problem(request: Request, error: Exception) -> Answer:
    assert isinstance(error, RequestProblem)
    return request_problem(request.scope, error)


def _http_exception(request: Request, error: Exception) -> Answer:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "").replace("GET", "GET, HEAD")
        detail = f"{request.method} is not answered here; {allowed} would do"
        answer = _answer(problem(_instance(request.scope), "urn:mlsysim:method-not-allowed", 405, detail))
        answer.headers["Allow"] = allowed
        return answer
    if error.status_code == 404:
        detail = "there is nothing at this path; GET /openapi.json lists all there is"
        return _answer(problem(_instance(request.scope), "urn:mlsysim:not-found", 404, detail))
    detail = HTTPStatus(error.status_code).phrase
    return _answer(problem(_instance(request.scope), "urn:mlsysim:malformed-body", error.status_code, detail))


def internal_error(scope: Scope) -> Answer:
    """The answer where the service itself is at fault."""
    detail = "the service failed on this request; the request is not at fault"
    return _answer(problem(_instance(scope), "urn:mlsysim:internal-error", 500, detail))


def _internal_error(request: Request, error: Exception) -> Answer:
    return internal_error(request.scope)


_HANDLERS: dict[type[Exception], Callable[[Request, Exception], Answer]] = {
    InvalidInputs: _engine_error,
    UnknownName: _engine_error,
    EvaluationError: _engine_error,
    RequestValidationError: _invalid_query,
    RequestProblem: _request_problem,
    HTTPException: _http_exception,
    Exception: _internal_error,
}


def install(app: FastAPI) -> None:
    """Answer every error of `app` as a problem."""
    for error, handler in _HANDLERS.items():
        app.add_exception_handler(error, handler)


def answer_error(request: Request, error: Exception) -> Answer:
    """The problem that an error is answered by."""
    return _HANDLERS[type(error)](request, error)
