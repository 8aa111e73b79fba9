"""The topology of docker-compose.yml as processes: nginx with its real configuration before several replicas."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFIGURATION = ROOT / "deploy" / "nginx"
START_LIMIT = 60.0
# Debian keeps it where only root looks.
NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
# What stands in for limits.conf where one machine plays all clients.
NO_LIMITS = ""


def free_port(host: str = "127.0.0.1") -> int:
    """A port that nothing listens on."""
    with socket.socket() as free:
        free.bind((host, 0))
        port: int = free.getsockname()[1]
        return port


def wait_until_ready(process: subprocess.Popen[bytes], host: str, port: int, status: int, log: Path) -> None:
    """Wait until a process answers /readyz with this status.

    Raises:
        RuntimeError: it ended, or took too long.
    """
    deadline = time.monotonic() + START_LIMIT
    while process.poll() is None and time.monotonic() < deadline:
        with closing(HTTPConnection(host, port, timeout=5)) as connection, suppress(OSError, HTTPException):
            connection.request("GET", "/readyz")
            if connection.getresponse().status == status:
                return
        time.sleep(0.02)
    raise RuntimeError(f"{process.args!r} did not start:\n{log.read_text()}")


class Replica:
    """A process of the service that can be stopped, killed and started again on the same port."""

    def __init__(self, log: Path, host: str = "127.0.0.1", port: int = 0) -> None:
        self.host = host
        self.port = port or free_port(host)
        self.log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The process that runs, or ran last."""
        assert self._process is not None, "the replica was never started"
        return self._process

    def start(self) -> None:
        """Start it and wait until it is ready for requests."""
        self.launch()
        self.wait_until_ready()

    def launch(self) -> None:
        """Start it."""
        settings = {"HOST": self.host, "PORT": str(self.port), "LOG_LEVEL": "warning", "DRAIN_TIME": "1"}
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "service"],
                cwd=ROOT,
                env={**os.environ, **settings},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def wait_until_ready(self) -> None:
        """Wait until it is ready for requests."""
        wait_until_ready(self.process, self.host, self.port, 200, self.log)

    def kill(self) -> None:
        """End it at once, whatever it is doing."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Ask it to end, and wait until it has; its exit status."""
        self.process.terminate()
        return self.process.wait(timeout=60)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """It runs on, and takes connections, but answers nothing until the end of the block."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def memory(self) -> int:
        """Resident memory in bytes."""
        return resident(self.process.pid)


def resident(pid: int) -> int:
    """Resident memory of a process in bytes."""
    fields = Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()
    return int(fields[0]) * 1024


@contextmanager
def running(*among: Replica) -> Iterator[None]:
    """These replicas are ready for requests, and killed at the end."""
    with ExitStack() as stack:
        for replica in among:
            replica.launch()
            stack.callback(replica.kill)
        for replica in among:
            replica.wait_until_ready()
        yield


def static(among: Sequence[Replica]) -> str:
    """What stands in for replicas.conf where no DNS knows the replicas; the rest of the file as it is."""
    real = (CONFIGURATION / "replicas.conf").read_text()
    (resolver,) = re.findall(r"^resolver .*$", real, re.MULTILINE)
    (server,) = re.findall(r"^ *server .*$", real, re.MULTILINE)
    servers = [server.replace("mlsysim:8000 resolve", f"{replica.host}:{replica.port}") for replica in among]
    return real.replace(resolver, "").replace(server, "\n".join(servers))


class Proxy:
    """A running nginx."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.log = log

    def memory(self) -> int:
        """Resident memory of nginx with its workers, in bytes."""
        pid = self.process.pid
        workers = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return resident(pid) + sum(resident(int(worker)) for worker in workers)


@contextmanager
def proxy(upstream: str, limits: str | None = None, ready: int = 200) -> Iterator[Proxy]:
    """nginx with the real configuration.

    Args:
        upstream: what to write into replicas.conf.
        limits: what to write into limits.conf, or None for the real one.
        ready: status of /readyz once all is up.

    Raises:
        RuntimeError: it did not start.
    """
    if NGINX is None:
        raise RuntimeError("nginx is not installed")
    # Below /tmp and not pytest's folder, which only its owner may enter: started by root, nginx leaves root.
    with tempfile.TemporaryDirectory(prefix="mlsysim-nginx-") as folder:
        prefix = Path(folder)
        prefix.chmod(0o755)
        port = free_port()
        shutil.copytree(CONFIGURATION, prefix, dirs_exist_ok=True)
        (prefix / "replicas.conf").write_text(upstream)
        (prefix / "listen.conf").write_text(f"listen 127.0.0.1:{port};")
        if limits is not None:
            (prefix / "limits.conf").write_text(limits)
        log = prefix / "log"
        with log.open("ab") as output:
            process = subprocess.Popen(
                [NGINX, "-p", prefix, "-c", prefix / "nginx.conf", "-e", "stderr"],
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            wait_until_ready(process, "127.0.0.1", port, ready, log)
            yield Proxy(process, port, log)
        finally:
            process.terminate()
            process.wait(timeout=30)
