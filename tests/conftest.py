"""What all tests share: a running service, and Hypothesis without deadlines.

Machines are noisy, and speed is measured in benchmarks/.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

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


@pytest.fixture(scope="session")
def live_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of the service, started as an operator starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    log = tmp_path_factory.mktemp("service") / "log"
    environment = {**os.environ, "HOST": "127.0.0.1", "PORT": str(port), "DRAIN_TIME": "0"}
    with (
        log.open("w") as output,
        subprocess.Popen(
            [sys.executable, "-m", "service"], cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        ) as server,
    ):
        try:
            deadline = time.monotonic() + 30
            while not _healthy(url):
                if server.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"the service did not start:\n{log.read_text()}")
                time.sleep(0.05)
            yield url
        finally:
            server.terminate()
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()


def _healthy(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/healthz", trust_env=False).is_success
    except httpx2.TransportError:
        return False
