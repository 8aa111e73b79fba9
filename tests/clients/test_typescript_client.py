"""The types that openapi-typescript generates, compiled strictly and used with openapi-fetch against a running service.

What is called and expected is in typescript/client.test.ts.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from service.openapi import DOCUMENT
from tests.clients.tools import example, need, run, skip

PROGRAM = Path(__file__).parent / "typescript"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory, live_server: str) -> Path:
    """The program, the example in the readme and the generated types, compiled."""
    need("node", "nodejs")
    npm = need("npm", "npm")
    home = tmp_path_factory.mktemp("typescript")
    shutil.copytree(PROGRAM, home, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
    (home / "readme.ts").write_text(example("openapi-fetch", live_server)[0])
    try:
        run(npm, "ci", "--prefer-offline", "--no-audit", "--no-fund", cwd=home)
    except AssertionError as failure:
        skip(f"npm could not install what the client needs: {failure}")
    tools = home / "node_modules" / ".bin"
    run(tools / "openapi-typescript", DOCUMENT, "--default-non-nullable=false", "--output", "mlsysim.ts", cwd=home)
    run(tools / "tsc", cwd=home)
    return home


def test_the_program_runs(compiled: Path, live_server: str) -> None:
    run(need("node", "nodejs"), "client.test.js", cwd=compiled, MLSYSIM_URL=live_server)


def test_the_example_in_the_readme(compiled: Path, live_server: str) -> None:
    assert run(need("node", "nodejs"), "readme.js", cwd=compiled) == example("openapi-fetch", live_server)[1]


def test_no_object_loses_its_type(compiled: Path) -> None:
    """An object schema without properties becomes an object that can have none."""
    types = (compiled / "mlsysim.ts").read_text()
    empty = [line for line in types.splitlines() if "Record<string, never>" in line]
    assert empty == ["export type webhooks = Record<string, never>;", "export type $defs = Record<string, never>;"]


def test_the_lock_names_no_registry() -> None:
    assert '"resolved"' not in (PROGRAM / "package-lock.json").read_text()
