"""``python -m mlsysim.catalog`` loads and checks every file of the catalog and counts what it holds."""

import sys

from mlsysim.catalog import catalog
from mlsysim.engine.scenario_catalog import configurations
from mlsysim.errors import CatalogError


def main() -> int:
    """Print the count of each kind, or what is wrong; the exit code says which."""
    try:
        counts = {**catalog().check(), "configurations": len(configurations())}
    except CatalogError as error:
        print(f"catalog: {error}", file=sys.stderr)
        return 1
    print("catalog: " + ", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
