"""Running the programs that generate and build clients, which a machine may lack."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

README = Path(__file__).parents[2] / "clients" / "README.md"


def need(program: str, package: str) -> str:
    """The path of a program. Without it the test is skipped, or fails where everything has to run."""
    path = shutil.which(program)
    if path is None:
        skip(f"{program} is not installed (on Debian: apt-get install {package})")
    return path


def skip(reason: str) -> NoReturn:
    """Skip the test, or fail where everything has to run."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason}, and CI has to run the tests of the clients")
    pytest.skip(reason)


def installed(script: str) -> str:
    """The path of a script that a Python package of the development group installs."""
    return str(Path(sys.executable).with_name(script))


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """What a command prints; it has to succeed."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def example(package: str, url: str) -> tuple[str, str]:
    """The program in clients/README.md that uses a package, for a service at `url`; and the line it prints."""
    programs = re.findall(r"```(?:python|ts)\n(.*?)```", README.read_text(), re.DOTALL)
    (program,) = (program for program in programs if package in program)
    return program.replace("http://localhost:8000", url), re.split(" (?:#|//) ", program)[-1]
