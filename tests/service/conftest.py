import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def live_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of the service, started as an operator starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    log = tmp_path_factory.mktemp("service") / "log"
    environment = {**os.environ, "HOST": "127.0.0.1", "PORT": str(port)}
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
