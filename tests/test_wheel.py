"""The wheel holds all it needs: it answers in a folder of its own, far from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_wheel_answers_elsewhere(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("mlsysim_service-*.whl")
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    program = (
        "import mlsysim, service.app\n"
        "from fastapi.testclient import TestClient\n"
        "client = TestClient(service.app.create_app())\n"
        "answer = client.post('/scenarios/ModelSpeedupRequestPath/evaluate', json={}).json()\n"
        "print(mlsysim.__file__, answer['result']['overall_speedup'], client.get('/docs').status_code)\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(installed)},
        check=True,
        capture_output=True,
        text=True,
    )
    file, speedup, docs = run.stdout.splitlines()[-1].split()
    assert Path(file).is_relative_to(installed)
    assert (speedup, docs) == ("1.3", "200")
