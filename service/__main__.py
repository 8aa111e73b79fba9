"""``python -m service`` serves on HOST and PORT."""

import sys

import uvicorn
from pydantic import ValidationError

from mlsysim.errors import CatalogError
from service.app import create_app
from service.settings import Settings


def main() -> None:
    """Serve until stopped; exit with a message if a setting would not do."""
    try:
        settings = Settings()
    except ValidationError as error:
        reasons = "; ".join(f"{str(found['loc'][0]).upper()}: {found['msg']}" for found in error.errors())
        sys.exit(f"mlsysim: a setting would not do: {reasons}")
    try:
        app = create_app(settings)
    except CatalogError as error:
        sys.exit(f"mlsysim: the catalog will not do: {error}")
    uvicorn.run(app, host=settings.host, port=settings.port, server_header=False)


if __name__ == "__main__":
    main()
