"""Swagger UI at `/docs`, from the files in `static/`: nothing is fetched from elsewhere, nothing is inline."""

from pathlib import Path

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

_FILES = StaticFiles(directory=Path(__file__).parent / "static")
# Only what is listed is served, so a request can't name any other file.
_ASSETS = {
    "docs.js": "docs.js",
    "favicon-32x32.png": "swagger-ui/favicon-32x32.png",
    "swagger-ui.css": "swagger-ui/swagger-ui.css",
    "swagger-ui-bundle.js": "swagger-ui/swagger-ui-bundle.js",
}

router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def docs_page(request: Request) -> Response:
    return await _FILES.get_response("docs.html", request.scope)


@router.get("/docs/{asset}")
async def docs_asset(asset: str, request: Request) -> Response:
    if asset not in _ASSETS:
        raise HTTPException(404)
    return await _FILES.get_response(_ASSETS[asset], request.scope)
