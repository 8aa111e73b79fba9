"""Writes LICENSES.md: what the service runs with, under which licences; ``--check`` fails where the file differs.

Names and versions are those of requirements.lock, licences those that the installed packages state.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE = ROOT / "LICENSES.md"
HEAD = """\
# Licences of what the service runs with

Written by `make licenses` from requirements.lock and what the packages state. Swagger UI, in
`service/static/swagger-ui`, is Apache-2.0. The service itself is MIT.

| package | version | licence |
|---|---|---|
"""


def main() -> int:
    """Write the file, or compare it."""
    pinned = re.findall(r"^([\w.-]+)==([^ ;]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    text = HEAD + "".join(f"| {name} | {version} | {licence(name)} |\n" for name, version in pinned)
    if "--check" not in sys.argv[1:]:
        FILE.write_text(text)
        return 0
    if FILE.exists() and FILE.read_text() == text:
        return 0
    print("LICENSES.md is not what is installed; `make licenses` writes it anew", file=sys.stderr)
    return 1


def licence(name: str) -> str:
    """What an installed package states."""
    stated = metadata(name)
    classified = [entry.rpartition(" :: ")[2] for entry in stated.get_all("Classifier", []) if "License ::" in entry]
    found: str | None = stated["License-Expression"] or " or ".join(classified) or stated["License"]
    if not found or "\n" in found:
        raise SystemExit(f"{name} does not state its licence in a line")
    return found


if __name__ == "__main__":
    sys.exit(main())
