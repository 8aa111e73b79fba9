"""Evaluations per second over HTTP on one worker, against an empty FastAPI route and against bare JSON.

The yardsticks are in `yardsticks.py`. All are served by uvicorn with the same loop and parser, each by a process of its
own, and take turns under the same load: wrk with one thread and eight connections.
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

HERE = Path(__file__).parent
ROUNDS, SECONDS = 5, 2
FIRST_PORT = 18_450
OURS = "/scenarios/AmdahlScenario/evaluate"
UVICORN = ["-m", "uvicorn", "--app-dir", str(HERE), "--no-access-log", "--log-level", "warning", "--port"]

# Name: the path asked, the arguments of the process up to its port, its log level.
SERVERS = {
    "service": (OURS, ["-m", "service"], "info"),
    "service, no log": (OURS, ["-m", "service"], "warning"),
    "empty route": ("/", [*UVICORN, "{port}", "yardsticks:empty_route"], "warning"),
    "bare JSON": ("/", [*UVICORN, "{port}", "yardsticks:bare_json"], "warning"),
}
YARDSTICKS = ("empty route", "bare JSON")


def start(name: str, port: int) -> subprocess.Popen[bytes]:
    """The server as a process, once it listens."""
    _, arguments, level = SERVERS[name]
    process = subprocess.Popen(
        [sys.executable, *(argument.format(port=port) for argument in arguments)],
        env={**os.environ, "PORT": str(port), "WORKERS": "1", "LOG_LEVEL": level},
        stdout=subprocess.DEVNULL,
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


def per_second(url: str, bodies: str) -> float:
    """Requests answered in a second, every one with success."""
    command = ["wrk", "-t1", "-c8", f"-d{SECONDS}s", "-s", str(HERE / "amdahl.lua"), url, "--", bodies]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    requests, microseconds, failed = map(int, printed.splitlines()[-1].split())
    if failed:
        sys.exit(f"{failed} of {requests} requests to {url} failed")
    return requests / microseconds * 1e6


def resident(pid: int) -> float:
    """Resident memory of a process, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024 / 1e6


def main() -> None:
    """Print medians and spread of requests per second, the ratios to the yardsticks, and memory."""
    with ExitStack() as running:
        processes, urls = {}, {}
        for port, name in enumerate(SERVERS, FIRST_PORT):
            processes[name] = running.enter_context(start(name, port))
            running.callback(processes[name].terminate)
            urls[name] = f"http://127.0.0.1:{port}{SERVERS[name][0]}"
        for bodies in ("same", "differing"):
            rows = [{name: per_second(url, bodies) for name, url in urls.items()} for _ in range(ROUNDS)]
            print(f"{bodies} bodies, {ROUNDS} rounds of {SECONDS} s each; load average {os.getloadavg()[0]:.1f}")
            for name in SERVERS:
                rates = [row[name] for row in rows]
                ratios = [statistics.median(row[name] / row[other] for row in rows) for other in YARDSTICKS]
                print(
                    f"  {name:16} {statistics.median(rates):6.0f}/s ({min(rates):.0f} to {max(rates):.0f})   "
                    + "   ".join(f"x{ratio:.2f} {other}" for ratio, other in zip(ratios, YARDSTICKS, strict=True))
                )
        print("resident: " + ", ".join(f"{name} {resident(process.pid):.0f} MB" for name, process in processes.items()))


if __name__ == "__main__":
    main()
