"""Evaluations per second over HTTP on one worker, against an empty FastAPI route and against bare JSON.

The yardsticks are in `yardsticks.py`. All are served by uvicorn with the same loop, parser and headers of its own, each
by a process of its own, and take turns under the same load: wrk with one thread and eight connections. Each runs with a
line in the log for each request, which is how the service and uvicorn run unless told otherwise, and without. CPU time
is that of the process, so it depends less on what else the machine does than requests per second do.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROUNDS, SECONDS = 7, 1
FIRST_PORT = 18_450
OURS = "/scenarios/AmdahlScenario/evaluate"
UVICORN = ["-m", "uvicorn", "--app-dir", str(HERE), "--no-proxy-headers", "--no-server-header", "--port", "{port}"]
QUIET = ["--no-access-log", "--log-level", "warning"]

# Name: the path asked, the arguments of the process, its log level.
SERVERS = {
    "service": (OURS, ["-m", "service"], "info"),
    "empty route": ("/", [*UVICORN, "yardsticks:empty_route"], "info"),
    "bare JSON": ("/", [*UVICORN, "yardsticks:bare_json"], "info"),
    "service, no log": (OURS, ["-m", "service"], "warning"),
    "empty route, no log": ("/", [*UVICORN, *QUIET, "yardsticks:empty_route"], "warning"),
    "bare JSON, no log": ("/", [*UVICORN, *QUIET, "yardsticks:bare_json"], "warning"),
}

PAIRS = [
    ("service", "empty route"),
    ("service", "bare JSON"),
    ("service, no log", "empty route, no log"),
    ("service, no log", "bare JSON, no log"),
    ("service", "empty route, no log"),
    ("service", "bare JSON, no log"),
]


def start(name: str, port: int) -> subprocess.Popen[bytes]:
    """The server as a process, once it listens."""
    _, arguments, level = SERVERS[name]
    process = subprocess.Popen(
        [sys.executable, *(argument.format(port=port) for argument in arguments)],
        env={**os.environ, "PORT": str(port), "WORKERS": "1", "LOG_LEVEL": level},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=HERE.parent,
    )
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except ConnectionRefusedError:
            time.sleep(0.1)
        else:
            return process
    process.kill()
    sys.exit(f"{name} does not listen")


class Measured(NamedTuple):
    """Requests in a second, and in a second of CPU time of the process."""

    per_second: float
    per_cpu_second: float


def measure(pid: int, url: str, bodies: str) -> Measured:
    """How many requests the process answers, every one with success."""
    before = cpu_seconds(pid)
    command = ["wrk", "-t1", "-c8", f"-d{SECONDS}s", "-s", str(HERE / "amdahl.lua"), url, "--", bodies]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    requests, microseconds, failed = map(int, printed.splitlines()[-1].split())
    if failed:
        sys.exit(f"{failed} of {requests} requests to {url} failed")
    return Measured(requests / microseconds * 1e6, requests / (cpu_seconds(pid) - before))


def cpu_seconds(pid: int) -> float:
    """CPU time that a process has used, user and system."""
    used = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")


def spread(ratios: list[float]) -> str:
    """Median of sorted ratios, and the least and the largest."""
    return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"


def resident(pid: int) -> float:
    """Resident memory of a process, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024 / 1e6


def main() -> None:
    """Print medians and spread of requests per second, the ratios of the service to the yardsticks, and memory."""
    with ExitStack() as running:
        processes, urls = {}, {}
        for port, name in enumerate(SERVERS, FIRST_PORT):
            processes[name] = running.enter_context(start(name, port))
            running.callback(processes[name].terminate)
            urls[name] = f"http://127.0.0.1:{port}{SERVERS[name][0]}"
        for bodies in ("same", "differing"):
            rows = [
                {name: measure(processes[name].pid, url, bodies) for name, url in urls.items()} for _ in range(ROUNDS)
            ]
            print(f"{bodies} bodies, {ROUNDS} rounds of {SECONDS} s each; load average {os.getloadavg()[0]:.1f}")
            for name in SERVERS:
                rates = [row[name].per_second for row in rows]
                cpu = 1e6 / statistics.median(row[name].per_cpu_second for row in rows)
                print(
                    f"  {name:20} {statistics.median(rates):6.0f}/s ({min(rates):.0f} to {max(rates):.0f})"
                    f" {cpu:5.0f} µs of CPU time"
                )
            for ours, theirs in PAIRS:
                wall, cpu_time = (
                    sorted(row[ours][kind] / row[theirs][kind] for row in rows) for kind in range(len(Measured._fields))
                )
                print(f"  {ours} / {theirs}: x{spread(wall)}, by CPU time x{spread(cpu_time)}")
        print("resident: " + ", ".join(f"{name} {resident(process.pid):.0f} MB" for name, process in processes.items()))


if __name__ == "__main__":
    main()
