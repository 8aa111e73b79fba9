"""What every request passes on its way in, and every answer on its way out: one ASGI class around the application.

It gives each request an id and a time to arrive in, and each answer the headers that all have; it counts and logs them;
it answers HEAD, and whatever goes wrong unforeseen.
"""

from __future__ import annotations

import asyncio
import re
from logging import DEBUG, ERROR, INFO
from random import getrandbits
from time import perf_counter
from typing import Any
from urllib.parse import unquote_to_bytes

from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mlsysim.catalog import catalog
from service.caching import WORTH_COMPRESSING, compressed, conditional
from service.headers import header, header_list, path_as_sent
from service.logs import logger
from service.metrics import ELSEWHERE, add_in_flight, observe_request
from service.problems import RequestProblem, internal_error, request_problem
from service.protocol import Answer, AnswerAtOnce, Direct, Header, line
from service.settings import Settings

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_PROBES = ("/healthz", "/readyz", "/metrics")
_LONGEST_PATH = 200

# Swagger UI at /docs lives with these too: scripts, styles and images come from here, but for what it makes up itself.
_SECURITY = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
]
_CLOSE = (b"connection", b"close")


def observe_scenario(scope: Scope, scenario: str) -> None:
    """Have the log say which scenario class a request was about."""
    scope.setdefault("observed", {})["scenario"] = scenario


def observe_route(scope: Scope, route: str) -> None:
    """Have metrics and logs know the template of the path, where no router says it."""
    scope.setdefault("observed", {})["route"] = route


class Edge:
    """The outermost layer of the application.

    Where the layer below has an `at_once` as well, requests that it answers need nothing of ASGI.
    """

    def __init__(self, app: ASGIApp, settings: Settings, application: FastAPI) -> None:
        self.app = app
        self.answer_at_once: AnswerAtOnce | None = getattr(app, "at_once", None)
        self.application = application
        self.headers: list[Header] = [*_SECURITY, (b"catalog-version", catalog().version.encode())]
        self.head = b"".join(map(line, self.headers))
        self.root_path = settings.root_path
        self.body_limit = settings.body_limit
        self.request_timeout = settings.request_timeout
        self.log = logger()
        self.cacheable_by = "private" if settings.api_keys else "public"

    def at_once(self, scope: Scope, direct: Direct) -> bool:
        """Answer a request for which nothing is to be waited; False where it is still to be answered."""
        body = direct.body()
        if self.answer_at_once is None or body is None or self.application.state.draining:
            return False
        self._add_to(scope)
        request = _Request(self, scope)
        try:
            answer = self.answer_at_once(scope, body)
        except Exception:
            return False  # it will fail again within the application, which answers for that
        if answer is None:
            return False
        status, headers, body = answer
        if len(body) < WORTH_COMPRESSING and direct.takes_an_answer() and _CLOSE not in headers:
            request.observe(status, len(body))
            direct.write(status, [*headers, (b"x-request-id", request.id)], self.head, body)
            return True
        scope["request"], scope["answer"] = request, answer
        return False

    def refusal(self, url: bytes, problem: RequestProblem) -> Answer:
        """The answer to what is not fit to be passed on, counted and logged as any, of no method and no route."""
        raw_path = url.partition(b"?")[0]
        path = unquote_to_bytes(raw_path).decode("latin-1")
        scope = {"method": ELSEWHERE, "path": path, "raw_path": raw_path, "headers": []}
        request = _Request(self, scope)
        answer = request_problem(scope, problem)
        request.observe(answer.status_code, len(answer.body))
        headers = [*answer.raw_headers, (b"x-request-id", request.id), *self.headers]
        return Answer(answer.status_code, [header for header in headers if header != _CLOSE], bytes(answer.body))

    def _add_to(self, scope: Scope) -> None:
        """Put into the scope what the application looks for there."""
        scope["app"] = self.application
        scope["body_limit"] = self.body_limit
        # Routes match whether the proxy has left its own part of the path or not.
        scope["root_path"] = self.root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._add_to(scope)
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = _Exchange(scope.pop("request", None) or _Request(self, scope), scope, receive, send)
        add_in_flight(1)
        try:
            await self.app(exchange.scope, exchange.receive, exchange.send)
        except Exception as error:
            await exchange.fail(error)
        finally:
            add_in_flight(-1)


class _Request:
    """A request as it is counted and logged."""

    __slots__ = ("_began", "_observed", "edge", "id", "method", "scope")

    def __init__(self, edge: Edge, scope: Scope) -> None:
        self._began = perf_counter()
        self._observed: dict[str, Any] = {}
        self.edge = edge
        self.method: str = scope["method"]
        self.scope = scope
        given = header(scope, b"x-request-id")
        self.id = given if _REQUEST_ID.fullmatch(given) else b"%032x" % getrandbits(128)
        scope["observed"] = self._observed

    @property
    def seconds(self) -> float:
        """How long ago it was that it began."""
        return perf_counter() - self._began

    @property
    def route(self) -> str | None:
        """The template of its path, once that is known."""
        return self._observed.get("route") or getattr(self.scope.get("route"), "path", None)

    def observe(self, status: int, size: int) -> None:
        """Count and log the answer, before it is sent, so that whoever has it finds it counted."""
        seconds, route, log = self.seconds, self.route, self.edge.log
        observe_request(self.method, route, status, seconds)
        level = DEBUG if route in _PROBES else INFO if status < 500 else ERROR
        if not log.is_enabled_for(level):
            return
        self._observed |= {
            "method": self.method,
            "route": route,
            "path": path_as_sent(self.scope, _LONGEST_PATH),
            "status": status,
            "duration_ms": round(seconds * 1000, 3),
            "bytes": size,
            "request_id": self.id.decode(),
        }
        log.log(level, "request", **self._observed)


class _Exchange:
    """A request and its answer, as ASGI has them come and go."""

    __slots__ = ("_answered", "_arrived", "_body", "_direct", "_receive", "_request", "_send", "_start", "scope")

    def __init__(self, request: _Request, scope: Scope, receive: Receive, send: Send) -> None:
        self._request = request
        self._receive = receive
        self._send = send
        self._answered = False
        self._start: Message | None = None
        self._body: list[bytes] = []
        self._direct: Direct | None = scope.pop("direct", None)  # or it and the scope would hold each other
        self.scope = {**scope, "method": "GET"} if request.method == "HEAD" else scope
        request.scope = self.scope  # where the router leaves the route
        self._arrived = request.method in ("GET", "HEAD")  # which have no body to wait for

    async def receive(self) -> Message:
        """The next part of the body.

        Raises:
            RequestProblem: the body is not complete within the time that a request has.
        """
        if self._arrived:
            return await self._receive()
        if self._direct is not None and (request := self._direct.request()):
            self._arrived = True
            return request
        task: asyncio.Task[None] = asyncio.current_task()  # type: ignore[assignment]
        expired = False

        def expire() -> None:
            nonlocal expired
            expired = True
            task.cancel()

        allowed = self._request.edge.request_timeout
        left = allowed - self._request.seconds
        timer = asyncio.get_running_loop().call_later(left, expire)  # as asyncio.timeout does, with less around it
        try:
            message = await self._receive()
        except asyncio.CancelledError:
            if not expired:
                raise
            task.uncancel()
            detail = f"the body was not complete within {allowed:g} s; sending it faster would do"
            raise RequestProblem("urn:mlsysim:request-timeout", 408, detail) from None
        finally:
            timer.cancel()
        self._arrived = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Take a part of the answer, and send the answer when it is complete."""
        if message["type"] == "http.response.start":
            self._start = message
            return
        body: bytes = message.get("body", b"")
        if message.get("more_body", False):
            self._body.append(body)
            return
        assert self._start is not None
        await self._finish(self._start, b"".join([*self._body, body]) if self._body else body)

    async def _finish(self, start: Message, body: bytes) -> None:
        request, scope, status = self._request, self.scope, start["status"]
        edge = request.edge
        headers = [*start["headers"], (b"x-request-id", request.id)]
        if edge.application.state.draining:
            headers.append(_CLOSE)
        reading = status == 200 and request.method in ("GET", "HEAD")
        if reading or len(body) >= WORTH_COMPRESSING:
            mutable = MutableHeaders(raw=headers)
            body = await compressed(body, mutable, header_list(scope, b"accept-encoding"), reading)
            known = header_list(scope, b"if-none-match")
            if reading and conditional(body, mutable, request.route, known, edge.cacheable_by):
                status, body = 304, b""
        size = 0 if request.method == "HEAD" else len(body)
        request.observe(status, size)
        self._answered = True
        body = body if size else b""
        if self._direct is None or not self._direct.answer(status, headers, edge.head, body):
            headers += edge.headers
            await self._send({"type": "http.response.start", "status": status, "headers": headers})
            await self._send({"type": "http.response.body", "body": body})

    async def fail(self, error: Exception) -> None:
        """Log what was not foreseen, and answer that it was, unless that has been done."""
        self._request.edge.log.log(ERROR, "unhandled error", request_id=self._request.id.decode(), exc_info=error)
        if not self._answered:
            self._start, self._body = None, []
            await internal_error(self.scope)(self.scope, self._receive, self.send)
