"""The application: routes, errors and the document that describes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

import mlsysim
from mlsysim.catalog import catalog as catalog_entries
from mlsysim.engine.scenario_catalog import configurations
from mlsysim.errors import closest, did_you_mean
from service import batch, catalog, docs, problems, scenarios, status
from service.edge import Edge
from service.evaluating import EvaluateEndpoint
from service.keys import ApiKeys
from service.openapi import DESCRIPTION, serve_document
from service.readiness import lifespan
from service.settings import Settings

_CORS: dict[str, Any] = {
    "allow_methods": ("GET", "HEAD", "POST"),
    "allow_headers": ("Authorization", "Content-Type", "If-None-Match", "X-Request-ID"),
    "expose_headers": ("Catalog-Version", "ETag", "X-Request-ID"),
}


def create_app(settings: Settings | None = None) -> FastAPI:
    """An application of its own, with the catalog of this installation.

    Raises:
        CatalogError: a file of the catalog breaks its rules.
    """
    catalog_entries().check()
    configurations()
    settings = settings or Settings()
    app = FastAPI(
        title="mlsysim",
        version=mlsysim.__version__,
        summary=mlsysim.__doc__.splitlines()[0] if mlsysim.__doc__ else None,
        description=DESCRIPTION,
        license_info={"name": "MIT", "identifier": "MIT"},
        servers=[{"url": settings.root_path or "/"}],
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(_known_query)],
        telemetry={"tracing": False, "metrics": False, "logs": False},
        lifespan=lifespan,
    )
    app.state.settings = settings
    app.state.draining = False
    for part in (catalog, scenarios, batch, status, docs):
        app.include_router(part.router)
    serve_document(app)
    problems.install(app)
    # Around all that FastAPI stacks up, which an evaluation need not pass.
    endpoint = EvaluateEndpoint(app.build_middleware_stack())
    stack: ASGIApp = ApiKeys(endpoint, settings.api_keys) if settings.api_keys else endpoint
    if settings.cors_origins:
        stack = CORSMiddleware(stack, settings.cors_origins, **_CORS)
    app.middleware_stack = Edge(stack, settings, app)
    return app


async def _known_query(request: Request) -> None:
    """Refuse a query parameter that the route does not know or that is given twice; neither should pass in silence."""
    route: Any = request.scope["route"]
    known = set(_query_names(route.dependant))
    given = Counter(name for name, _ in request.query_params.multi_items())
    errors = [
        {"type": "unacceptable_parameter", "loc": ("query", name), "msg": reason, "input": request.query_params[name]}
        for name, times in given.items()
        if (reason := _wrong_with(name, times, known))
    ]
    if errors:
        raise RequestValidationError(errors)


def _wrong_with(name: str, times: int, known: set[str]) -> str | None:
    if name not in known:
        return f"is no query parameter here{did_you_mean(closest(name, known)) or _would_do(known)}"
    return f"is given {times} times; once would do" if times > 1 else None


def _query_names(dependant: Any) -> Iterator[str]:
    """The query parameters that a route or one of its dependencies declares."""
    yield from (parameter.alias for parameter in dependant.query_params)
    for dependency in dependant.dependencies:
        yield from _query_names(dependency)


def _would_do(known: set[str]) -> str:
    return f"; {', '.join(sorted(known))} would do" if known else "; there are none"
