"""What an item of a full batch costs against a call of its own, over HTTP on one connection that stays open.

Both go through the same items, named configurations and classes in turn, and run in turn against one server process.
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import subprocess
import sys
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from mlsysim.engine.scenario_catalog import configurations

ROUNDS, ITEMS = 7, 1000
PORT = 18766
HEADERS = {"content-type": "application/json"}


def connected() -> http.client.HTTPConnection:
    """A connection to the service, as soon as it is up."""
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", PORT)
        try:
            connection.connect()
            return connection
        except ConnectionRefusedError:
            time.sleep(0.1)


def post(connection: http.client.HTTPConnection, path: str, body: bytes) -> bytes:
    connection.request("POST", path, body, HEADERS)
    response = connection.getresponse()
    content = response.read()
    if response.status != 200:
        sys.exit(f"{path}: {response.status} {content.decode()}")
    return content


def items() -> list[dict[str, Any]]:
    """Each configuration by its name, and its class with the same inputs, over and over."""
    both = [
        item
        for name, each in configurations().items()
        for item in ({"name": name, "inputs": {}}, {"name": type(each.scenario).__name__, "inputs": each.inputs})
    ]
    return list(islice(cycle(both), ITEMS))


def main() -> None:
    """Print medians in microseconds for each item."""
    batch = json.dumps({"evaluations": items()}).encode()
    singles = [(f"/scenarios/{each['name']}/evaluate", json.dumps(each["inputs"]).encode()) for each in items()]
    with subprocess.Popen(
        [sys.executable, "-m", "service"],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PORT": str(PORT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            connection = connected()
            rows = []
            for _ in range(ROUNDS):
                start = time.perf_counter()
                answers = json.loads(post(connection, "/batch", batch))["answers"]
                middle = time.perf_counter()
                for path, body in singles:
                    json.loads(post(connection, path, body))
                rows.append(((middle - start) / ITEMS * 1e6, (time.perf_counter() - middle) / ITEMS * 1e6))
                if any("status" in answer for answer in answers):
                    sys.exit("an item of the batch failed")
        finally:
            server.terminate()
    together, single = (statistics.median(column) for column in zip(*rows, strict=True))
    ratio = statistics.median(together / single for together, single in rows)
    print(f"in a batch of {ITEMS}: {together:.0f} us an item; on its own: {single:.0f} us; ratio {ratio:.2f}")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
