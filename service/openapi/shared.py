"""Components that are no schemas: the problems of each status, headers, parameters of many operations."""

from __future__ import annotations

from typing import Any

from mlsysim.engine.evaluation import evaluate
from mlsysim.errors import MlsysimError
from service import problems
from service.openapi.parts import ref

# Of each status the name of its component, and what it says.
PROBLEMS = {
    400: ("MalformedBody", "The body is not acceptable JSON."),
    401: ("Unauthorized", "The service asks for an API key, and none that does was sent."),
    404: ("UnknownName", "Nothing has that name."),
    405: ("MethodNotAllowed", "The path does not answer that method."),
    408: ("RequestTimeout", "The request took too long to arrive."),
    413: ("BodyTooLarge", "The body is too large."),
    415: ("UnsupportedMediaType", "The body is not JSON."),
    422: ("Invalid", "The inputs or the query are not valid, or the answer does not fit a double."),
    500: ("InternalError", "The service failed."),
    503: ("NotReady", "The service is about to stop."),
}
# An example of those that are no errors of the engine: path, type, and what is wrong.
_EVALUATE = "/scenarios/AmdahlScenario/evaluate"
_EXAMPLES: dict[int, tuple[str, problems.ProblemType, str]] = {
    400: (
        _EVALUATE,
        "urn:mlsysim:malformed-body",
        "the body is not JSON: Expecting property name enclosed in double quotes at line 1, column 2",
    ),
    401: (
        _EVALUATE,
        "urn:mlsysim:unauthorized",
        "this needs an API key that the operator gave out; Authorization: Bearer <key> would do",
    ),
    405: (_EVALUATE, "urn:mlsysim:method-not-allowed", "GET is not answered here; POST would do"),
    408: (
        _EVALUATE,
        "urn:mlsysim:request-timeout",
        "the body was not complete within 30 s; sending it faster would do",
    ),
    413: (_EVALUATE, "urn:mlsysim:body-too-large", "the body is larger than the limit of 1,000,000 bytes"),
    415: (
        _EVALUATE,
        "urn:mlsysim:unsupported-media-type",
        'the request has content type "text/plain"; application/json would do',
    ),
    500: (
        _EVALUATE,
        "urn:mlsysim:internal-error",
        "the service failed on this request; the request is not at fault",
    ),
    503: ("/readyz", "urn:mlsysim:not-ready", "the service is about to stop; another one would do"),
}
_IN_ANOTHER_UNIT = {"stages": {"model": "10 GB", "rest": "85 ms"}, "stage": "model", "speedup": 3}
# What may be said to any request that has a body.
BODY_STATUSES = (400, 401, 405, 408, 413, 415, 422, 500)

_HEADERS = {
    "ETag": ("ETag", "changes with the answer; strong"),
    "Cache-Control": ("CacheControl", "a minute where the answer may be kept, no-store where not"),
    "Catalog-Version": ("CatalogVersion", "version of the catalog that was used"),
    "X-Request-ID": ("RequestId", "the id that was sent in this header, or one made up; it is in the log"),
    "Allow": ("Allow", "the methods that the path does answer"),
    "WWW-Authenticate": ("Authenticate", "how to send an API key"),
    "Accept-Encoding": ("AcceptEncoding", "where the body was encoded, the encoding that would do"),
}
ALWAYS = ("Catalog-Version", "X-Request-ID")
OF_GET = ("ETag", "Cache-Control", *ALWAYS)
_OF_PROBLEMS = {401: ("WWW-Authenticate",), 405: ("Allow",), 415: ("Accept-Encoding",)}

PARAMETERS: dict[str, dict[str, Any]] = {
    "Units": {
        "name": "units",
        "in": "query",
        "required": False,
        "description": "units of the answer: those of the scenario's contract, or SI base units",
        "schema": {"type": "string", "enum": ["display", "si"], "default": "display"},
        "example": "display",
    },
    "Explain": {
        "name": "explain",
        "in": "query",
        "required": False,
        "description": "add the derivation: each output's formula with this call's numbers in it, each input's origin",
        "schema": {"type": "boolean", "default": False},
        "example": False,
    },
    "IfNoneMatch": {
        "name": "If-None-Match",
        "in": "header",
        "required": False,
        "description": "the ETag of an answer that the client has; where it is still the present one, 304 says so",
        "schema": {"type": "string"},
        "example": '"4f0c7a1e9d3b5826c1f7a0e2"',
    },
}


def headers(names: tuple[str, ...]) -> dict[str, Any]:
    """The declaration of headers of an answer."""
    return {name: ref(_HEADERS[name][0], "headers") for name in names}


def problem_responses(*statuses: int) -> dict[str, Any]:
    """The declaration of the problems with these statuses."""
    return {str(status): ref(PROBLEMS[status][0], "responses") for status in sorted(statuses)}


def shared() -> dict[str, Any]:
    """The components that are no schemas."""
    return {
        "responses": {name: _problem_response(status, text) for status, (name, text) in PROBLEMS.items()}
        | {"NotModified": {"description": "The client has it already.", "headers": headers(OF_GET)}},
        "headers": {name: {"description": text, "schema": {"type": "string"}} for name, text in _HEADERS.values()},
        "parameters": PARAMETERS,
    }


def _problem_response(status: int, description: str) -> dict[str, Any]:
    names = _OF_PROBLEMS.get(status, ())
    return {
        "description": description,
        **({"headers": headers(names)} if names else {}),
        "content": {problems.MEDIA_TYPE: {"schema": ref("Problem"), "example": _example(status)}},
    }


def _example(status: int) -> dict[str, Any]:
    if status in _EXAMPLES:
        path, type, detail = _EXAMPLES[status]
        return problems.problem(path, type, status, detail)
    name = "AmdalScenario" if status == 404 else "AmdahlScenario"
    try:
        evaluate(name, _IN_ANOTHER_UNIT)
    except MlsysimError as error:
        return problems.engine_problem(f"/scenarios/{name}/evaluate", error)
    raise RuntimeError("an example of a problem has none")
