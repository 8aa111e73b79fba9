"""What it costs to start: import mlsysim with its whole catalog and evaluate one configuration, in a new process.

The yardstick is a new process that imports numpy, pydantic and yaml and does nothing. Both run in turn.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 15
YARDSTICK = "import numpy, pydantic, yaml"
PROGRAMS = {
    "one configuration": "from mlsysim import Scenarios; Scenarios.ModelSpeedupRequestPath.evaluate()",
    "whole catalog": (
        "from mlsysim import Scenarios; from mlsysim.catalog import catalog; catalog().check(); "
        "Scenarios.ModelSpeedupRequestPath.evaluate()"
    ),
}


def seconds(program: str) -> float:
    """Wall time of a new process that runs the program."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[1])
    return time.perf_counter() - start


def main() -> None:
    """Print the median of each program and of its ratio to the yardstick."""
    times: dict[str, list[float]] = {name: [] for name in ("bare imports", *PROGRAMS)}
    for program in (YARDSTICK, *PROGRAMS.values()):
        seconds(program)  # the first run pays for cold files
    for _ in range(ROUNDS):
        for name, program in (("bare imports", YARDSTICK), *PROGRAMS.items()):
            times[name].append(seconds(program))
    for name, measured in times.items():
        ratios = [mine / bare for mine, bare in zip(measured, times["bare imports"], strict=True)]
        print(
            f"{name:18} {statistics.median(measured) * 1e3:6.0f} ms   x{statistics.median(ratios):.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f})"
        )


if __name__ == "__main__":
    main()
