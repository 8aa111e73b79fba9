"""The image without a container engine: each step of the Dockerfile is run, with a folder as the root of a stage."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from tests.deploy.topology import ROOT, START_LIMIT, free_port, wait_until_ready

# The host's accounts are left alone; that the image runs as nobody in particular is checked by USER.
NOT_RUN = "useradd "


class Stage:
    """What a stage of the Dockerfile has built so far."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root
        python = root / "usr/local/bin/python"
        python.parent.mkdir(parents=True)
        python.symlink_to(getattr(sys, "_base_executable"))  # noqa: B009  (mypy does not know it)
        (root / "tmp").mkdir()
        kept = {name: value for name, value in os.environ.items() if re.match("HOME$|PIP_|(?i:.*_proxy)$", name)}
        self.environment = {**kept, "PATH": f"{python.parent}:/usr/bin:/bin"}
        self.user = "root"
        self.health: list[str] = []
        self.command: list[str] = []

    def below(self, text: str) -> str:
        """A text with the absolute paths in it put below the root."""
        return re.sub(r"(?<![\w.:/])/(?=(?:opt|tmp|app)\b)", f"{self.root}/", text)

    def copy(self, source: Path, target: str, *without: str) -> None:
        """COPY of one file, or of one folder without what some patterns match."""
        to = Path(self.below(target)) if target.startswith("/") else self.folder / target
        if source.is_dir():
            shutil.copytree(source, to, symlinks=True, ignore=shutil.ignore_patterns(*without))
        else:
            shutil.copy(source, to / source.name if target.endswith("/") else to)

    def run(self, command: str) -> None:
        """RUN of a command."""
        if not command.startswith(NOT_RUN):
            subprocess.run(self.below(command), shell=True, check=True, cwd=self.folder, env=self.environment)

    def files(self) -> dict[Path, int]:
        """Every file with the time of its last change."""
        return {path: path.lstat().st_mtime_ns for path in self.root.rglob("*")}


def build(folder: Path) -> Stage:
    """The last stage of the Dockerfile, built."""
    stages: dict[str, Stage] = {}
    lines = re.sub(r"\\\n", "", (ROOT / "Dockerfile").read_text()).splitlines()
    for line in lines:
        step, _, rest = line.partition(" ")
        match step:
            case "" | "#" | "EXPOSE":
                continue
            case "FROM":
                name = rest.partition(" AS ")[2] or "last"
                stage = stages[name] = Stage(folder / name)
            case "COPY":
                options, (source, target) = rest.split()[:-2], rest.split()[-2:]
                if options:
                    origin = stages[options[0].removeprefix("--from=")]
                    stage.copy(Path(origin.below(source)), target)
                else:
                    assert f"!{source}" in (ROOT / ".dockerignore").read_text().splitlines()
                    stage.copy(ROOT / source, target, "__pycache__")
            case "RUN":
                stage.run(rest)
            case "WORKDIR":
                stage.folder = Path(stage.below(rest))
                stage.folder.mkdir()
            case "ENV":
                for assignment in shlex.split(rest):
                    variable, _, value = assignment.partition("=")
                    stage.environment[variable] = stage.below(value).replace("$PATH", stage.environment["PATH"])
            case "USER":
                stage.user = rest
            case "HEALTHCHECK":
                stage.health = json.loads(rest.partition(" CMD ")[2])
            case "CMD":
                stage.command = json.loads(rest)
            case _:
                raise AssertionError(f"{step} is a step this test does not know")
    return stages["last"]


def test_every_step_works_and_the_result_serves_writing_nothing(tmp_path: Path) -> None:
    image = build(tmp_path)
    assert int(image.user) > 0
    port = free_port()
    scratch, log = tmp_path / "scratch", tmp_path / "log"
    scratch.mkdir()
    environment = {
        **image.environment,
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "TMPDIR": str(scratch),
        "DRAIN_TIME": "0",
    }
    before = image.files()
    with log.open("ab") as output:
        server = subprocess.Popen(
            [shutil.which(image.command[0], path=environment["PATH"]) or "", *image.command[1:]],
            cwd=image.folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until_ready(server, "127.0.0.1", port, 200, log)
        health = [shutil.which(image.health[0], path=environment["PATH"]) or "", *image.health[1:]]
        assert subprocess.run(health, env=environment, cwd=image.folder).returncode == 0
        server.terminate()
        assert server.wait(timeout=START_LIMIT) == 0
        assert subprocess.run(health, env=environment, cwd=image.folder, stderr=subprocess.DEVNULL).returncode != 0
    finally:
        server.kill()
    assert image.files() == before
