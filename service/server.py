"""Serving: one process, or a parent that keeps several workers alive; both finish what they have begun."""

from __future__ import annotations

import fcntl
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from shutil import rmtree
from socket import AF_INET, AF_INET6, SO_REUSEADDR, SOL_SOCKET, socket
from tempfile import TemporaryDirectory, gettempdir
from threading import Thread

import uvicorn
from prometheus_client.multiprocess import mark_process_dead
from pydantic import ValidationError
from starlette.types import ASGIApp
from uvicorn.supervisors import Multiprocess

from mlsysim.catalog import catalog
from mlsysim.engine.scenario_catalog import configurations
from mlsysim.errors import CatalogError
from service import logs
from service.protocol import StrictProtocol
from service.settings import Settings, complaints

_MEMORY = "/dev/shm"  # writable even where the file system is not
_METRICS = "mlsysim-metrics-"


def main() -> None:
    """Serve until stopped; exit with a message if a setting or the catalog will not do."""
    try:
        settings = Settings()
    except ValidationError as error:
        sys.exit(f"mlsysim: {complaints(error)}")
    try:
        catalog().check()
        configurations()
    except CatalogError as error:
        sys.exit(f"mlsysim: the catalog will not do: {error}")
    # Uvicorn raises the signal that stopped it once more when it is done; a stop that was asked for is no failure.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    logs.configure(settings)
    config = _config(settings)
    listening = _bound(settings.host, settings.port)
    if settings.workers > 1:
        with _shared_metrics() as directory:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = directory
            Supervisor(config, [listening]).run()
        return
    server = uvicorn.Server(config)
    try:
        server.run([listening])
    except KeyboardInterrupt:
        sys.exit(0)
    if not server.started:
        sys.exit("mlsysim: could not start")


@contextmanager
def _shared_metrics() -> Iterator[str]:
    """A directory in which the workers count, locked for as long as this process lives; unlocked ones are removed."""
    memory = _MEMORY if os.path.isdir(_MEMORY) else gettempdir()
    for left_behind in Path(memory).glob(f"{_METRICS}*"):
        with suppress(OSError), _locked(left_behind):
            rmtree(left_behind, ignore_errors=True)
    with TemporaryDirectory(prefix=_METRICS, dir=memory) as directory, _locked(directory):
        yield directory


@contextmanager
def _locked(directory: str | Path) -> Iterator[None]:
    """Hold a directory as nobody else does.

    Raises:
        OSError: somebody else holds it, or it cannot be read.
    """
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _bound(host: str, port: int) -> socket:
    """A socket that is bound, and listens once the application is ready."""
    bound = socket(AF_INET6 if ":" in host else AF_INET)
    bound.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        would_do = "an address of this machine and a free port would"
        sys.exit(f"mlsysim: HOST and PORT will not do: {error.strerror} ({host}, {port}); {would_do}")
    bound.set_inheritable(True)
    shown = f"[{host}]" if ":" in host else host
    logging.getLogger("uvicorn.error").info(
        "Uvicorn running on http://%s:%d (Press CTRL+C to quit)", shown, bound.getsockname()[1]
    )
    return bound


def application() -> ASGIApp:
    """The application as a worker runs it: from its edge on, without FastAPI's own way in, which has nothing to add."""
    from service.app import create_app

    if parent := parent_process():
        Thread(target=_follow, args=(parent,), daemon=True).start()
    settings = Settings()
    logs.configure(settings)
    app = create_app(settings)
    assert app.middleware_stack is not None
    return app.middleware_stack


def _follow(parent: BaseProcess) -> None:
    """Stop this worker when its parent is gone, or it would hold on to the port."""
    parent.join()
    signal.raise_signal(signal.SIGTERM)


def _config(settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        "service.server:application",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        http=partial(StrictProtocol, settings.request_timeout),  # type: ignore[arg-type]
        timeout_keep_alive=settings.keep_alive,
        timeout_graceful_shutdown=settings.shutdown_timeout,
        proxy_headers=False,  # nothing here depends on who the client is
        server_header=False,
        ws="none",
        log_config=None,
        access_log=False,
    )


class Supervisor(Multiprocess):
    """Uvicorn's parent of several workers, which replaces one that dies."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket]) -> None:
        super().__init__(config, sockets)
        self._counting: set[int | None] = set()

    def keep_subprocess_alive(self) -> None:
        """Replace workers that died, and leave them out of the sums over those that live."""
        super().keep_subprocess_alive()
        alive = {process.pid for process in self.processes}
        for pid in self._counting - alive:
            mark_process_dead(pid)  # type: ignore[no-untyped-call]
        self._counting = alive

    def join_all(self) -> None:
        """Wait for the workers, passing on further signals: a second one ends their drain."""
        self.signal_queue.clear()
        while any(process.process.is_alive() for process in self.processes):
            while self.signal_queue:
                received = self.signal_queue.pop()
                for process in self.processes:
                    if process.process.is_alive() and process.pid is not None:
                        os.kill(process.pid, received)
            self.processes[0].process.join(0.1)
