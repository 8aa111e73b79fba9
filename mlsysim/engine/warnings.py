"""What a careful engineer would look at twice in a valid answer, by code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from mlsysim.catalog import Hardware, catalog
from mlsysim.units.dimensions import OPERATION_RATE

CODES = {
    "above_peak": "a measured rate or bandwidth is above what the hardware can physically do",
    "all_experts_counted": "a mixture of experts is charged for all its parameters, though a token uses only some",
    "batch_without_gain": "the batch brings hardly more throughput than a single input",
    "context_beyond_model": "the context is longer than the model was built for",
    "deadline_missed": "the time needed is longer than the time there is",
    "does_not_fit": "what is asked to fit is larger than the space there is",
    "host_link_assumed": "the hardware lists no host link, and a fallback stands in for it",
    "no_gain": "the change brings nothing",
    "no_progress": "more time is lost than there is, so that nothing gets done",
    "nothing_tested": "there was nothing to test, which is not a pass",
    "overhead_dominated": "software overhead is longer than arithmetic and memory traffic",
    "pipeline_deeper_than_layers": "the pipeline has more stages than the model has layers",
    "power_above_rating": "the power needed is above what the hardware is rated for",
    "power_unknown": "the hardware lists no rated power, so there is no energy",
    "precision_rate_missing": "the hardware lists no rate for the format, and its reference peak stands in for it",
    "replica_exceeds_fleet": "the replica needs more accelerators than the fleet has",
    "slowdown": "the change makes things slower",
    "sparse_peak": "the peak is a figure with structured sparsity, which dense work does not reach",
    "values_clipped": "values outside the range are stored as its ends",
    "weights_exceed_memory": "the weights do not fit the memory",
}


class Warning(NamedTuple):
    """A doubtful point of one answer: its code, which is one of `CODES`, and what it is about here."""

    code: str
    message: str


def any_of(condition: Any) -> bool:
    """Whether a condition holds, for some element where it is an array."""
    return condition if isinstance(condition, bool) else bool(np.any(condition))


def sparse_peak(hardware: Hardware) -> Warning | None:
    """The warning that a device's reference peak is its own figure with sparsity, if it is."""
    compute = hardware.compute
    for precision, rate in compute.sparse_rates.items():
        dense = compute.rates.get(precision)
        half = precision in ("fp16", "bf16")  # what the reference peak stands for
        if dense == rate or (compute.peak == rate and dense != rate and (half or rate not in compute.rates.values())):
            return Warning("sparse_peak", f"a peak of {hardware.label} is its {precision} figure with sparsity")
    return None


def sparse_rates(**rates: Any) -> Iterator[Warning]:
    """The warning, for each rate by its name, that it is some device's figure with sparsity and no device's dense one.

    A data rate gives none.
    """
    for name, rate in rates.items():
        if getattr(rate, "dimension", OPERATION_RATE) is OPERATION_RATE:
            for sparse, figure in _only_with_sparsity().items():
                if any_of(abs(rate - sparse) <= _ROUNDING * sparse):
                    yield Warning("sparse_peak", f"{name} equals {figure}: a gain on paper, where the work is dense")


# The same figure in another unit may differ in its last bits.
_ROUNDING = 1e-9


@cache
def _only_with_sparsity() -> dict[float, str]:
    """The rates that devices of the catalog reach with 2:4 sparsity and none of them without, with what they are."""
    devices = [entry for entry in catalog().entries("hardware").values() if isinstance(entry, Hardware)]
    dense = {rate for device in devices for rate in (device.compute.peak, *device.compute.rates.values())}
    figures: dict[float, str] = {}
    for device in devices:
        for precision, rate in device.compute.sparse_rates.items():
            if rate not in dense:
                figures.setdefault(rate, f"the {precision} figure of {device.label} with 2:4 sparsity")
    return figures
