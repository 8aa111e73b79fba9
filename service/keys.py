"""API keys: where the operator has set some, a request has to bring one."""

from __future__ import annotations

from hashlib import sha256
from hmac import compare_digest

from pydantic import SecretStr
from starlette.types import Receive, Scope, Send

from service.evaluating import EvaluateEndpoint
from service.problems import RequestProblem, request_problem
from service.protocol import Answer

# What probes, scrapers and a reader of the documentation ask for before they have a key.
OPEN = ("/healthz", "/readyz", "/metrics", "/docs", "/openapi.json")


class ApiKeys:
    """Answers 401 to a request without ``Authorization: Bearer <one of the keys>``, but for the open paths."""

    def __init__(self, app: EvaluateEndpoint, keys: tuple[SecretStr, ...]) -> None:
        self.app = app
        self.digests = [sha256(key.get_secret_value().encode()).digest() for key in keys]

    def at_once(self, scope: Scope, body: bytes) -> Answer | None:
        """What the layer below has to answer at once to a request that may."""
        return self.app.at_once(scope, body) if self._may(scope) else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._may(scope):
            await self.app(scope, receive, send)
            return
        detail = "this needs an API key that the operator gave out; Authorization: Bearer <key> would do"
        answer = request_problem(scope, RequestProblem("urn:mlsysim:unauthorized", 401, detail))
        answer.headers["WWW-Authenticate"] = 'Bearer realm="mlsysim"'
        await answer(scope, receive, send)

    def _may(self, scope: Scope) -> bool:
        path = scope["path"].removeprefix(scope["root_path"])
        if path in OPEN or path.startswith("/docs/"):
            return True
        given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        scheme, _, key = given.partition(b" ")
        digest = sha256(key.strip()).digest()  # of one length for any key, so that comparing takes one time
        known = [compare_digest(digest, one) for one in self.digests]  # all of them, for the same reason
        return scheme.lower() == b"bearer" and any(known)
