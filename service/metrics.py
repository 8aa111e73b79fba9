"""What is counted, for Prometheus. Every label is bounded: by the routes, the scenario classes and their inputs.

With several workers each keeps its counts in files of a directory, and whichever is asked adds them all up. Their
parent makes that directory and names it in the environment before this module is imported.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.multiprocess import MultiProcessCollector

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"
ELSEWHERE = "(none)"
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_BUCKETS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)

_REGISTRY = CollectorRegistry()
_DURATION = Histogram(
    "mlsysim_http_request_duration_seconds",
    "Time from the headers of a request to its answer; its count is that of the requests answered.",
    ("method", "route", "status"),
    registry=_REGISTRY,
    buckets=_BUCKETS,
)
_EVALUATIONS = Counter(
    "mlsysim_evaluations", "Evaluations that gave an answer, also within a batch.", ("scenario",), registry=_REGISTRY
)
_INVALID = Counter(
    "mlsysim_invalid_inputs",
    "Evaluations refused for an input, also within a batch; (none) where it is none of the scenario's.",
    ("scenario", "field"),
    registry=_REGISTRY,
)
_IN_FLIGHT = Gauge(
    "mlsysim_http_requests_in_flight", "Requests being answered.", registry=_REGISTRY, multiprocess_mode="livesum"
)


def _unchecked(series: Counter | Gauge) -> Callable[[float], None]:
    """`inc` of a series without the checks it makes with every call, which cost more than to count."""
    return series._value.inc  # type: ignore[no-any-return]


add_in_flight = _unchecked(_IN_FLIGHT)


def observe_request(method: str, route: str | None, status: int, seconds: float) -> None:
    """Count an answer. `route` is the template of its path, None where no route has that path."""
    _durations(method if method in _METHODS else ELSEWHERE, route or ELSEWHERE, status).observe(seconds)


@cache
def _durations(method: str, route: str, status: int) -> Histogram:
    return _DURATION.labels(method, route, str(status))


@cache
def _evaluations(scenario: str) -> Callable[[float], None]:
    return _unchecked(_EVALUATIONS.labels(scenario))


def observe_evaluation(scenario: str) -> None:
    """Count an evaluation of a scenario class."""
    _evaluations(scenario)(1)


def observe_invalid(scenario: str, known: Iterable[str], pointers: Iterable[str]) -> None:
    """Count an evaluation of a scenario class that was refused, once for each of its inputs that was at fault.

    Args:
        scenario: the class.
        known: the names of its inputs.
        pointers: JSON pointers to what was wrong.
    """
    names = {pointer.split("/", 2)[1] if pointer else "" for pointer in pointers}
    for field in {name if name in known else ELSEWHERE for name in names}:
        _INVALID.labels(scenario, field).inc()


def render() -> bytes:
    """All counts of all workers, as Prometheus reads them."""
    if DIRECTORY not in os.environ:
        return generate_latest(_REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
