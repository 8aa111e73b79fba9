"""Load, faults and hostile clients, on the topology of docker-compose.yml: nginx before three replicas, as processes.

Needs nginx and wrk on the path (Debian: apt-get install nginx wrk). Every request is one of a mix: all named
configurations, batches, the catalog with and without ETag, and bodies that will not do; each answer is held against the
one the service gave before. Prints a line for each phase.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

from tests.deploy.calls import Call, Tally, ask, clients, mixed_calls
from tests.deploy.topology import NO_LIMITS, Proxy, Replica, proxy, running, static

CONNECTIONS = 64
MB = 1_000_000
ATTACKER = ("127.0.0.66", 0)


def say(phase: str, **figures: object) -> None:
    """Print the figures of a phase."""
    print(
        f"{phase:22}", *(f"{name.replace('_', ' ')} {figure}" for name, figure in figures.items()), sep="  ", flush=True
    )


def wrk(port: int, calls: Path, seconds: int) -> dict[str, float]:
    """What wrk measures with the mix."""
    script = Path(__file__).with_name("mixed.lua")
    command = [
        "wrk",
        "-t2",
        f"-c{CONNECTIONS}",
        f"-d{seconds}s",
        "--timeout",
        "30s",
        "-s",
        str(script),
        f"http://127.0.0.1:{port}",
    ]
    done = subprocess.run(command, env={**os.environ, "CALLS": str(calls)}, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def written_for_wrk(calls: Sequence[Call]) -> str:
    """The calls as a Lua table. All texts in it are ASCII, where JSON's escapes are Lua's."""

    def table(call: Call) -> str:
        headers = ", ".join(f"[{json.dumps(name)}] = {json.dumps(value)}" for name, value in call.headers.items())
        body = "nil" if call.body is None else json.dumps(call.body)
        where = f"method = {json.dumps(call.method)}, path = {json.dumps(call.path)}"
        return f"{{{where}, body = {body}, headers = {{{headers}}}, status = {call.status}}}"

    return "return {\n" + ",\n".join(map(table, calls)) + "\n}\n"


def memory(replicas: Sequence[Replica]) -> str:
    """Resident memory of the replicas."""
    return " + ".join(f"{replica.memory() / MB:.1f}" for replica in replicas) + " MB"


def load(nginx: Proxy, replicas: Sequence[Replica], calls: Sequence[Call], seconds: int, requests: int) -> None:
    """64 connections for a minute; and memory after many requests against memory after a tenth of them."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(written_for_wrk(calls))
        file.flush()
        made = 0.0
        while made < requests / 10:
            made += wrk(nginx.port, Path(file.name), 5)["requests"]
        first = [replica.memory() for replica in replicas]
        say("memory", requests=f"{made:,.0f}", replicas=memory(replicas))
        figures = wrk(nginx.port, Path(file.name), seconds)
        made += figures["requests"]
        say(f"{CONNECTIONS} connections", seconds=seconds, **figures)
        while made < requests:
            made += wrk(nginx.port, Path(file.name), 10)["requests"]
        growth = max(replica.memory() / before - 1 for replica, before in zip(replicas, first, strict=True))
        say("memory", requests=f"{made:,.0f}", replicas=memory(replicas), growth=f"{growth:.1%}")


def milliseconds(tally: Tally) -> dict[str, str]:
    """How long clients waited."""
    return {name: f"{tally.quantile(share) * 1e3:.1f} ms" for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1))}


def show(tally: Tally) -> None:
    """Print some failures, where there are any."""
    for failure in tally.failures[:5]:
        print("   ", failure)


def faults(phase: str, nginx: Proxy, calls: Sequence[Call], seconds: int, break_one: Callable[[], None]) -> None:
    """Clients call while something is broken again and again."""
    times = 0
    with clients(16, nginx.port, calls, pause=0.01) as tally:
        over = time.monotonic() + seconds
        while time.monotonic() < over:
            break_one()
            times += 1
    say(phase, times=times, requests=len(tally.seconds), failed=len(tally.failures), **milliseconds(tally))
    show(tally)


@contextmanager
def connections(port: int, count: int, first: bytes, then: bytes = b"") -> Iterator[None]:
    """So many connections that send something at once, and a byte of something else each second."""
    over = threading.Event()
    with ExitStack() as stack:
        opened = [
            stack.enter_context(closing(socket.create_connection(("127.0.0.1", port), 10, ATTACKER)))
            for _ in range(count)
        ]

        def send() -> None:
            for connection in opened:
                with suppress(OSError):
                    connection.sendall(first)
            position = 0
            while not over.wait(1):
                for connection in opened:
                    with suppress(OSError):
                        connection.sendall(then[position % len(then) :][:1] if then else b"")
                position += 1

        thread = threading.Thread(target=send)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def slow_headers(port: int) -> None:
    """500 clients whose headers never end."""
    with connections(port, 500, b"GET /units HTTP/1.1\r\nHost: slow\r\n", b"X-Slow: a\r\n"):
        time.sleep(12)


def slow_bodies(port: int) -> None:
    """500 clients whose bodies never end."""
    head = b"POST /batch HTTP/1.1\r\nHost: slow\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n"
    with connections(port, 500, head, b" "):
        time.sleep(12)


def silent(port: int) -> None:
    """2000 connections that never say anything."""
    with connections(port, 2000, b""):
        time.sleep(12)


def never_reading(port: int) -> None:
    """200 clients that ask for the largest answer 20 times and never read."""
    with connections(port, 200, b"GET /openapi.json HTTP/1.1\r\nHost: slow\r\n\r\n" * 20):
        time.sleep(12)


def send_each(port: int, messages: Iterator[bytes]) -> None:
    """Each message on a connection of its own, of whose reply the first bytes are read."""
    for message in messages:
        with closing(socket.create_connection(("127.0.0.1", port), 10, ATTACKER)) as connection, suppress(OSError):
            connection.sendall(message)
            connection.recv(65536)


def huge(port: int) -> None:
    """Headers of 1 MB, bodies of 20 MB, declared and in chunks."""
    post = b"POST /batch HTTP/1.1\r\nHost: huge\r\nContent-Type: application/json\r\n"
    messages = (
        b"GET / HTTP/1.1\r\nHost: huge\r\n" + b"X: a\r\n" * 200_000,
        b"GET /" + b"a" * MB + b" HTTP/1.1\r\nHost: huge\r\n\r\n",
        post + b"Content-Length: 20000000\r\n\r\n" + b" " * 20 * MB,
        post + b"Transfer-Encoding: chunked\r\n\r\n" + b"100000\r\n" + b" " * 2**20 + b"\r\n",
    )
    send_each(port, (message for _ in range(20) for message in messages))


def garbage(port: int) -> None:
    """A good request and then noise, 2000 times."""
    good = b"GET /healthz HTTP/1.1\r\nHost: noise\r\n\r\n"
    send_each(port, (good * 3 + os.urandom(2000) + good for _ in range(2000)))


def unknown_paths(port: int) -> None:
    """10 000 paths that do not exist."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=10, source_address=ATTACKER)) as connection:
        for number in range(10_000):
            ask(connection, "GET", f"/catalog/hardware/none-{number}" if number % 2 else f"/none/{number}")


def series(replica: Replica) -> int:
    """How many lines the metrics of a replica have."""
    with closing(HTTPConnection(replica.host, replica.port, timeout=10)) as connection:
        return len(ask(connection, "GET", "/metrics")[1].splitlines())


def hostile(replicas: Sequence[Replica], calls: Sequence[Call]) -> None:
    """One well-behaved client and another address that is not, with the real limits.

    What the first one waits, and what memory the second one leaves behind.
    """
    with proxy(static(replicas)) as nginx:
        for attack in (undisturbed, slow_headers, slow_bodies, silent, never_reading, huge, garbage, unknown_paths):
            disturbed(nginx, replicas, calls, attack)


def undisturbed(port: int) -> None:
    """No attack, for comparison."""
    time.sleep(12)


def disturbed(nginx: Proxy, replicas: Sequence[Replica], calls: Sequence[Call], attack: Callable[[int], None]) -> None:
    """Figures of the well-behaved client during an attack."""

    def used() -> list[int]:
        return [nginx.memory(), *(replica.memory() for replica in replicas)]

    before = used()
    lines = series(replicas[0])
    with clients(1, nginx.port, calls, pause=0.02) as tally:
        attack(nginx.port)
    nginx_grown, *grown = (now - then for now, then in zip(used(), before, strict=True))
    say(
        attack.__name__.replace("_", " "),
        requests=len(tally.seconds),
        failed=len(tally.failures),
        **milliseconds(tally),
        nginx=f"{nginx_grown / MB:+.1f} MB",
        replicas=f"{max(grown) / MB:+.1f} MB",
        metrics=f"{series(replicas[0]) - lines:+d} lines",
    )
    show(tally)


def main() -> None:
    """Run all phases, or those named."""
    phases = ("load", "kill", "restart", "hang", "hostile")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("phases", nargs="*", default=phases, help=f"of {', '.join(phases)}; all by default")
    parser.add_argument("--seconds", type=int, default=60, help="length of a phase of load")
    parser.add_argument("--requests", type=int, default=200_000, help="mixed requests between the figures of memory")
    options = parser.parse_args()
    with ExitStack() as stack:
        log = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "log"
        replicas = [Replica(log) for _ in range(3)]
        stack.enter_context(running(*replicas))
        nginx = stack.enter_context(proxy(static(replicas), NO_LIMITS))
        calls = mixed_calls(nginx.port)
        turn = itertools.cycle(replicas)

        def kill_one() -> None:
            replica = next(turn)
            replica.kill()
            replica.start()
            time.sleep(2)

        def restart_one() -> None:
            replica = next(turn)
            replica.stop()
            replica.start()

        def hang_one() -> None:
            with next(turn).paused():
                time.sleep(15)
            time.sleep(2)

        for phase in options.phases:
            match phase:
                case "load":
                    load(nginx, replicas, calls, options.seconds, options.requests)
                case "kill":
                    faults("replicas killed", nginx, calls, options.seconds, kill_one)
                case "restart":
                    faults("rolling restart", nginx, calls, options.seconds, restart_one)
                case "hang":
                    faults("a replica hangs", nginx, calls, options.seconds // 2, hang_one)
                case "hostile":
                    hostile(replicas, calls)
                case _:
                    parser.error(f"{phase} is no phase; {', '.join(phases)} would do")


if __name__ == "__main__":
    main()
