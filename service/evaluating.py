"""Evaluations as the interface answers them: counted, and in a thread where they may take long.

``POST /scenarios/{name}/evaluate`` is served here, below FastAPI, whose own path (matching routes, solving
dependencies, validating what it injects) costs several times what an evaluation does. Whatever this endpoint does not
know, such as a query parameter with a typo, FastAPI's route of the same path answers.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from mlsysim.engine.evaluation import evaluate, resolve
from mlsysim.engine.scenario import Scenario
from mlsysim.errors import EvaluationError, InvalidInputs, UnknownName
from service import metrics
from service.aside import aside
from service.body import JSON, MERGE_PATCH, check_head, parse, read_body
from service.edge import observe_route, observe_scenario
from service.problems import RequestProblem, answer_error
from service.protocol import Answer

ROUTE = "/scenarios/{name}/evaluate"
_PREFIX, _SUFFIX = ROUTE.split("{name}")

# Of the queries in use: whether they ask for base units, and for the explanation.
_QUERIES = {
    b"": (False, False),
    b"units=display": (False, False),
    b"units=si": (True, False),
    b"explain=true": (False, True),
    b"units=si&explain=true": (True, True),
    b"explain=true&units=si": (True, True),
}

_REFUSED = (UnknownName, InvalidInputs, EvaluationError, RequestProblem)

# A body of this many bytes may take longer to evaluate than others should wait.
_LONG_BODY = 20_000


def uncounted(name: str, inputs: Any, si: bool, explain: bool) -> bytes:
    """As `answer`, for no client."""
    return evaluate(name, inputs).dump(si, explain).encode()


def answer(name: str, inputs: Any, si: bool, explain: bool) -> bytes:
    """The answer to one evaluation as JSON, which is counted.

    Raises:
        UnknownName: neither a class nor a configuration has that name.
        InvalidInputs: the inputs are not valid.
        EvaluationError: an output does not fit a double.
    """
    try:
        evaluation = evaluate(name, inputs)
        answered = evaluation.dump(si, explain).encode()
    except InvalidInputs as error:
        scenario, _ = resolve(name)
        metrics.observe_invalid(scenario.__name__, scenario.model_fields, (found.pointer for found in error.errors))
        raise
    metrics.observe_evaluation(type(evaluation.scenario).__name__)
    return answered


def may_take_long(scenario: type[Scenario[Any]], size: int) -> bool:
    """Whether an evaluation of the class with a body of that many bytes belongs into a thread."""
    return size > _LONG_BODY or scenario.long_running


async def respond(name: str, scope: Scope, receive: Receive, si: bool, explain: bool) -> bytes:
    """The answer to the evaluation that a request asks for, as JSON.

    Raises:
        UnknownName, InvalidInputs, EvaluationError: as `answer`.
        RequestProblem: the body cannot be read.
    """
    scenario, stated = resolve(name)
    observe_scenario(scope, scenario.__name__)
    body = await (read_body(scope, receive) if stated is None else read_body(scope, receive, MERGE_PATCH))
    if may_take_long(scenario, len(body)):
        return await aside(lambda: answer(name, parse(body), si, explain))
    return answer(name, parse(body), si, explain)


class EvaluateEndpoint:
    """Answers evaluations and passes all else on."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    def at_once(self, scope: Scope, body: bytes) -> Answer | None:
        """The answer to a request with that body, if it is for an evaluation that takes no time."""
        name = _asked_for(scope)
        if name is None:
            return None
        observe_route(scope, ROUTE)
        si, explain = _QUERIES[scope["query_string"]]
        try:
            scenario, stated = resolve(name)
            if explain or may_take_long(scenario, len(body)):
                return None
            observe_scenario(scope, scenario.__name__)
            check_head(scope, JSON if stated is None else MERGE_PATCH)
            return _json(answer(name, parse(body), si, explain))
        except _REFUSED as error:
            return _refusal(scope, error)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = _asked_for(scope) if scope["type"] == "http" else None
        if name is None:
            await self.app(scope, receive, send)
            return
        answered: Answer | None = scope.pop("answer", None)
        if answered is None:
            observe_route(scope, ROUTE)
            try:
                answered = _json(await respond(name, scope, receive, *_QUERIES[scope["query_string"]]))
            except _REFUSED as error:
                answered = _refusal(scope, error)
        await send({"type": "http.response.start", "status": answered.status, "headers": answered.headers})
        await send({"type": "http.response.body", "body": answered.body})


def _json(body: bytes) -> Answer:
    return Answer(200, [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))], body)


def _refusal(scope: Scope, error: Exception) -> Answer:
    response = answer_error(Request(scope), error)
    return Answer(response.status_code, response.raw_headers, bytes(response.body))


def _asked_for(scope: Scope) -> str | None:
    """The name of what is to be evaluated, if a request is for that and its query is one of those in use."""
    if scope["method"] != "POST":
        return None
    path: str = scope["path"].removeprefix(scope["root_path"])
    if not path.startswith(_PREFIX) or not path.endswith(_SUFFIX) or scope["query_string"] not in _QUERIES:
        return None
    name = path[len(_PREFIX) : -len(_SUFFIX)]
    return None if not name or "/" in name else name
