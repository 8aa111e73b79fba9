"""What it costs to start: a new process of the service until its first answer, of the library until its first result.

The yardstick is a new process that imports numpy, pydantic, fastapi and yaml and does nothing. All run in turn. Then
the memory of each process of a service with workers.
"""

from __future__ import annotations

import http.client
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROUNDS, WORKERS = 11, 3
CONFIGURATION = "ModelSpeedupRequestPath"
IMPORTS = "import numpy, pydantic, fastapi, yaml"
LIBRARY = f"from mlsysim import Scenarios; Scenarios.{CONFIGURATION}.evaluate()"
ROOT = Path(__file__).parents[1]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def serve(port: int, workers: int = 1) -> subprocess.Popen[bytes]:
    """A new process of the service."""
    environment = {**os.environ, "PORT": str(port), "WORKERS": str(workers), "LOG_LEVEL": "warning"}
    return subprocess.Popen([sys.executable, "-m", "service"], env=environment, cwd=ROOT)


def first_answer(port: int) -> None:
    """Ask for an evaluation until there is an answer."""
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        try:
            headers = {"Content-Type": "application/json"}
            connection.request("POST", f"/scenarios/{CONFIGURATION}/evaluate", "{}", headers)
            answer = connection.getresponse()
        except ConnectionRefusedError:
            time.sleep(0.002)
            continue
        finally:
            connection.close()
        if answer.status != 200:
            sys.exit(f"the service answers {answer.status}")
        return


def service() -> float:
    """Wall time from starting a process of the service until it has answered."""
    port = free_port()
    start = time.perf_counter()
    with serve(port) as process:
        first_answer(port)
        taken = time.perf_counter() - start
        process.terminate()
    return taken


def program(text: str) -> float:
    """Wall time of a new process that runs the program."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", text], check=True, cwd=ROOT)
    return time.perf_counter() - start


def memory(pid: int) -> str:
    """Resident memory of a process, and its share of it where pages are shared."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    resident, share = (int(lines[name].split()[0]) * 1024 / 1e6 for name in ("Rss", "Pss"))
    return f"{resident:.0f} MB resident, {share:.0f} MB with what it shares divided"


def main() -> None:
    """Print the median of each start and of its ratio to the yardstick, and memory."""
    starts: dict[str, Callable[[], float]] = {
        "bare imports": lambda: program(IMPORTS),
        "service, first answer": service,
        "library, first result": lambda: program(LIBRARY),
    }
    times: dict[str, list[float]] = {name: [] for name in starts}
    for turn in range(ROUNDS + 1):
        for name, start in starts.items():
            taken = start()
            if turn:  # the first round pays for cold files
                times[name].append(taken)
    for name, measured in times.items():
        ratios = [mine / bare for mine, bare in zip(measured, times["bare imports"], strict=True)]
        print(
            f"{name:22} {statistics.median(measured) * 1e3:6.0f} ms   x{statistics.median(ratios):.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f})"
        )
    port = free_port()
    with serve(port, WORKERS) as parent:
        first_answer(port)
        time.sleep(5)  # until the others are up
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
        print(f"parent: {memory(parent.pid)}")
        for pid in children:
            name = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            print(f"{'worker' if 'spawn_main' in name else 'helper'}: {memory(int(pid))}")
        parent.terminate()


if __name__ == "__main__":
    main()
