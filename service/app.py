"""The application: routes, errors and the document that describes them."""

from __future__ import annotations

from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError

import mlsysim
from service import catalog, docs, problems, scenarios, status
from service.openapi import DESCRIPTION, serve_document
from service.settings import Settings


def create_app(settings: Settings | None = None) -> FastAPI:
    """An application of its own, with the catalog of this installation."""
    app = FastAPI(
        title="mlsysim",
        version=mlsysim.__version__,
        summary=mlsysim.__doc__.splitlines()[0] if mlsysim.__doc__ else None,
        description=DESCRIPTION,
        license_info={"name": "MIT", "identifier": "MIT"},
        servers=[{"url": "/"}],
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(_known_query)],
    )
    app.state.settings = settings or Settings()
    for part in (catalog, scenarios, status, docs):
        app.include_router(part.router)
    serve_document(app)
    problems.install(app)
    return app


def _known_query(request: Request) -> None:
    """Refuse a query parameter that the route does not know, so that a typo does not pass in silence."""
    route: Any = request.scope["route"]
    known = {parameter.alias for parameter in route.dependant.query_params}
    errors = [
        {
            "type": "unknown_parameter",
            "loc": ("query", name),
            "msg": f"is no query parameter here; {would_do}",
            "input": value,
        }
        for name, value in request.query_params.items()
        if name not in known
        for would_do in [f"{', '.join(sorted(known))} would do" if known else "there are none"]
    ]
    if errors:
        raise RequestValidationError(errors)
