"""The OpenAPI 3.1 document: FastAPI's for the plain routes, and one typed operation for each scenario class."""

from __future__ import annotations

from pathlib import Path

from service.openapi.document import DESCRIPTION, build, serve_document

__all__ = ["DESCRIPTION", "DOCUMENT", "build", "serve_document"]

DOCUMENT = Path(__file__).parents[2] / "openapi" / "openapi.json"
