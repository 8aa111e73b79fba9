"""`docker compose up --scale`: replicas come and go in the DNS, and nginx follows without being told."""

from __future__ import annotations

import re
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.deploy.calls import ask
from tests.deploy.topology import CONFIGURATION, NGINX, NO_LIMITS, Proxy, Replica, free_port, proxy, running


@contextmanager
def dns(addresses: list[str]) -> Iterator[int]:
    """The port of a name server that answers every question with these addresses, which may change meanwhile."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as server:
        server.bind(("127.0.0.1", 0))
        over = threading.Event()

        def answer() -> None:
            while True:
                query, client = server.recvfrom(512)
                if over.is_set():
                    return
                question = query[12 : query.index(0, 12) + 5]
                header = query[:2] + struct.pack("!HHHHH", 0x8180, 1, len(addresses), 0, 0)
                records = [struct.pack("!HHHIH4s", 0xC00C, 1, 1, 1, 4, socket.inet_aton(it)) for it in addresses]
                server.sendto(header + question + b"".join(records), client)

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            over.set()
            server.sendto(b"", server.getsockname())
            thread.join()


def asked_by(nginx: Proxy, path: str) -> set[str]:
    """The hosts of the replicas that answer some calls, none of which may fail."""
    with closing(HTTPConnection("127.0.0.1", nginx.port, timeout=10)) as connection:
        assert {ask(connection, "GET", path)[0] for _ in range(20)} == {200}
    deadline = time.monotonic() + 10
    while len(found := re.findall(rf'"GET {path} .*"replicas":"([^:"]+):', nginx.log.read_text())) < 20:
        assert time.monotonic() < deadline, "the calls are not in the log"
        time.sleep(0.1)
    return set(found)


def test_a_replica_is_used_once_it_is_in_the_dns_and_no_more_once_it_is_gone(tmp_path: Path) -> None:
    version = subprocess.run([NGINX or "true", "-v"], capture_output=True, text=True, check=True).stderr
    if tuple(map(int, re.findall(r"\d+", version)[:3])) < (1, 27, 3):
        pytest.skip(f"{version.strip() or 'no nginx'}: upstreams follow the DNS from 1.27.3 on, as in the image")
    port = free_port()
    first, second = Replica(tmp_path / "1", "127.0.0.2", port), Replica(tmp_path / "2", "127.0.0.3", port)
    addresses = [first.host]
    with running(first, second), dns(addresses) as resolver:
        upstream = (CONFIGURATION / "replicas.conf").read_text()
        assert "resolver 127.0.0.11 " in upstream
        assert "server mlsysim:8000 " in upstream
        upstream = upstream.replace("127.0.0.11", f"127.0.0.1:{resolver}").replace(":8000", f":{port}")
        with proxy(upstream, NO_LIMITS) as nginx:
            assert asked_by(nginx, "/healthz") == {first.host}
            addresses.append(second.host)
            time.sleep(3)
            assert asked_by(nginx, "/version") == {first.host, second.host}
            addresses.remove(first.host)
            time.sleep(3)
            assert asked_by(nginx, "/units") == {second.host}
