"""What all tests share: a running service, and Hypothesis without deadlines.

Machines are noisy, and speed is measured in benchmarks/.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, settings

from service import logs
from service.settings import Settings

ROOT = Path(__file__).parents[1]

settings.register_profile(
    "default",
    deadline=None,
    max_examples=100,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("default")

logs.configure(Settings(log_level="error"))


@dataclass
class Service:
    """The service as an operator starts it."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def lines(self) -> list[dict[str, Any]]:
        """What it has logged."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextmanager
def serving(directory: Path, **settings: str) -> Iterator[Service]:
    """The service with these settings, on a free port, until the end of the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    service_url, log = f"http://127.0.0.1:{port}", directory / "log"
    environment = {**os.environ, "HOST": "127.0.0.1", "PORT": str(port), "DRAIN_TIME": "0", **settings}
    with (
        log.open("w") as output,
        subprocess.Popen(
            [sys.executable, "-m", "service"], cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            deadline = time.monotonic() + 60
            while not _healthy(service_url):
                if process.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"the service did not start:\n{log.read_text()}")
                time.sleep(0.05)
            yield Service(service_url, process, log)
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture(scope="session")
def live_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of the service with its default settings."""
    with serving(tmp_path_factory.mktemp("service")) as service:
        yield service.url


def _healthy(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/healthz", trust_env=False).is_success
    except httpx2.TransportError:
        return False
