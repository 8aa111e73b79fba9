"""Swagger UI at `/docs`, from the files in `static/`: nothing is fetched from elsewhere, nothing is inline."""

from functools import cache
from mimetypes import guess_type
from pathlib import Path

from fastapi import APIRouter, Response
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

_STATIC = Path(__file__).parent / "static"
# Only what is listed is served, so a request can't name any other file.
_ASSETS = {
    "docs.js": "docs.js",
    "favicon-32x32.png": "swagger-ui/favicon-32x32.png",
    "swagger-ui.css": "swagger-ui/swagger-ui.css",
    "swagger-ui-bundle.js": "swagger-ui/swagger-ui-bundle.js",
}

router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def docs_page() -> Response:
    return _response("docs.html")


@router.get("/docs/")
async def docs_with_slash() -> Response:
    return RedirectResponse("../docs", 308)  # relative, so that it holds behind a proxy with a prefix


@router.get("/docs/{asset}")
async def docs_asset(asset: str) -> Response:
    if asset not in _ASSETS:
        raise HTTPException(404)
    return _response(_ASSETS[asset])


def _response(file: str) -> Response:
    return Response(_content(file), media_type=guess_type(file)[0])


@cache
def _content(file: str) -> bytes:
    return (_STATIC / file).read_bytes()
