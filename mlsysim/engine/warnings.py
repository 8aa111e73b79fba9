"""What a careful engineer would look at twice in a valid answer, by code."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from mlsysim.catalog import Hardware, Workload, catalog
from mlsysim.fields import counts_integers
from mlsysim.units.dimensions import ENERGY_PER_BYTE, OPERATION_RATE

CODES = {
    "above_peak": "a rate or bandwidth is above what the hardware can physically do",
    "all_experts_counted": "a mixture of experts is charged for all its parameters, though a token uses only some",
    "approximation_rough": "the model is used where what it neglects counts",
    "batch_without_gain": "the batch brings hardly more throughput than a single input",
    "bytes_or_words": "an energy per byte is as high as those published for a whole word",
    "context_beyond_model": "the context is longer than the model was built for",
    "deadline_missed": "the time needed is longer than the time there is",
    "does_not_fit": "what is asked to fit is larger than the space there is",
    "figures_disagree": "two stated figures that should be the same are not",
    "formats_differ": "a peak is in another number format than the peak or the work it is set against",
    "gain_falls_short": "techniques together bring no more than the best of them is said to bring alone",
    "gain_unexplained": "the gain is larger than the change behind it accounts for",
    "host_link_assumed": "the hardware lists no host link, and a fallback stands in for it",
    "levels_or_bits": "a number of levels looks like a number of bits, or like that of a whole pixel",
    "near_peak": "arithmetic is charged at a share of peak that software does not sustain",
    "no_gain": "the change brings nothing, or next to nothing",
    "no_progress": "more time is lost than there is, so that nothing gets done",
    "nothing_tested": "there was nothing to test, which is not a pass",
    "overhead_dominated": "software overhead is longer than the work itself",
    "percent_or_share": "a figure looks like a share where percent is asked for, or the other way around",
    "pipeline_deeper_than_layers": "the pipeline has more stages than the model has layers",
    "power_above_rating": "the power needed is above what the hardware is rated for",
    "power_unknown": "the hardware lists no rated power, so that what follows from it is missing",
    "precision_rate_missing": "the hardware lists no rate for the format, and its reference peak stands in for it",
    "replica_exceeds_fleet": "the replica needs more accelerators than the fleet has",
    "slowdown": "the change makes things slower",
    "sparse_peak": "a rate is a figure with sparsity, which dense work does not reach",
    "values_clipped": "values outside the range are stored as its ends",
    "weights_exceed_memory": "the weights do not fit the memory",
    "wide_values": "a stored value is wider than any number format",
}


class Warning(NamedTuple):
    """A doubtful point of one answer: its code, which is one of `CODES`, and what it is about here."""

    code: str
    message: str


def any_of(condition: Any) -> bool:
    """Whether a condition holds, for some element where it is an array."""
    return condition if isinstance(condition, bool) else bool(np.any(condition))


def sparse_peak(hardware: Hardware, precision: str | None = None) -> Iterator[Warning]:
    """The warning that the rate a scenario takes from a device is that device's figure with sparsity.

    Args:
        hardware: the device.
        precision: the number format whose rate is taken; None, or one without a rate, for the reference peak.
    """
    compute = hardware.compute
    if precision in compute.rates:
        rate, what, suspects = compute.rates[precision], f"{precision} rate", [precision]
    else:  # stands for half precision, and is nobody's dense rate if it is none of those listed
        listed = any(_equal(compute.peak, dense) for dense in compute.rates.values())
        rate, what, suspects = compute.peak, "peak", [*_HALF] if listed else [*_HALF, *compute.sparse_rates]
    figures = compute.sparse_rates
    sparse = next((each for each in suspects if each in figures and _equal(rate, figures[each])), None)
    if sparse is not None:
        yield Warning("sparse_peak", f"the {what} of {hardware.label} is its {sparse} figure with sparsity")


def sparse_rates(**rates: Any) -> Iterator[Warning]:
    """The warning, for each rate by its name, that it is some device's figure with sparsity.

    A data rate gives none, and neither does a figure that is also a dense rate of the formats it may be meant for.
    """
    for name, rate in rates.items():
        if getattr(rate, "dimension", OPERATION_RATE) is OPERATION_RATE:
            figures = _sparse_figures(getattr(rate, "integer", False))
            for figure in figures if isinstance(rate, np.ndarray) else _closest(figures, rate):
                if _equal(rate, figure, _PRINTING):
                    yield Warning("sparse_peak", f"{name} equals {figures[figure]}")


def _closest(figures: dict[float, str], rate: float) -> list[float]:
    """The figures just below and above a rate, of figures in ascending order."""
    ascending = list(figures)
    place = bisect_left(ascending, rate)
    return ascending[max(place - 1, 0) : place + 1]


def mixed_formats(*devices: Hardware) -> Iterator[Warning]:
    """The warning that reference peaks are compared of which some are in another format than half precision."""
    formats = {device.label: _format_of_peak(device) for device in devices}
    if len({_INTEGERS if name in _INTEGER else name for name in formats.values()}) > 1:
        others = " and ".join(f"that of {label} is in {name}" for label, name in formats.items() if name is not None)
        yield Warning("formats_differ", f"the peaks are not of one number format: {others}")


def other_format(device: Hardware) -> Iterator[Warning]:
    """The warning that a reference peak stands for half precision, and is in another format."""
    name = _format_of_peak(device)
    if name is not None:
        yield Warning("formats_differ", f"the reference peak of {device.label} is in {name}, not in half precision")


def _format_of_peak(device: Hardware) -> str | None:
    """The format of a reference peak that is not of half precision, as far as the listed rates and its unit tell."""
    rates, peak = device.compute.rates, device.compute.peak
    if peak is None or any(half in rates for half in _HALF):
        return None
    listed = next((name for name, rate in rates.items() if _equal(peak, rate)), None)
    return listed or (_INTEGERS if counts_integers(device.as_written("compute", "peak")) else None)


def all_experts(model: Workload, counted: str) -> Iterator[Warning]:
    """The warning that a mixture of experts is charged for more parameters than a token uses.

    Args:
        model: the model.
        counted: what counts all its parameters, in words.
    """
    active = model.active_parameters
    if active is not None and any_of(active < model.parameters):
        yield Warning("all_experts_counted", f"{counted} all parameters, of which a token uses only {active:g}")
    elif active is None and model.kind == "moe_transformer":
        yield Warning("all_experts_counted", f"{counted} all parameters, for {model.label} states no active ones")


def near_peak(share: Any) -> Iterator[Warning]:
    """The warning that a share of peak is above what software sustains."""
    if any_of(share > _SUSTAINED):
        yield Warning("near_peak", f"software does not sustain more than {_SUSTAINED:.0%} of peak; this is a bound")


def bytes_or_words(price: Any) -> Iterator[Warning]:
    """The warning that the energy of moving a byte is above what DRAM took for one in a technology long outdated."""
    if price is not None and any_of(price > _DEAR * _dram_byte()):
        yield Warning(
            "bytes_or_words", f"energy_per_byte is more than {_DEAR} times that of DRAM at 45 nm; is it for a word?"
        )


@cache
def _dram_byte() -> float:
    return catalog().constant("dram_energy_per_byte_45nm", ENERGY_PER_BYTE)


def wide_values(**widths: Any) -> Iterator[Warning]:
    """The warning, for each width of a stored value by its name, that it is wider than any number format."""
    for name, width in widths.items():
        if width is not None and any_of(width > _WIDEST):
            yield Warning("wide_values", f"{name} is more than 8 bytes; was it meant in bits?")


_SUSTAINED = 0.9  # large matrix products come close to it; whole models stay far below
_HALF = ("fp16", "bf16")
_WIDEST = 8  # bytes of a double
_DEAR = 2  # times the energy of a byte; the figure for a 32-bit word is 4 times
_ROUNDING = 1e-9  # the same figure in another unit may differ in its last bits
_PRINTING = 1e-4  # 1978.9 in a white paper is 1979 in the datasheet


def _equal(rate: Any, figure: float, within: float = _ROUNDING) -> bool:
    return any_of(abs(rate - figure) <= within * figure)


@cache
def _sparse_figures(integer: bool) -> dict[float, str]:
    """The rates that devices of the catalog reach with sparsity only, in ascending order, each with what it is.

    Args:
        integer: of integer formats. Otherwise of all formats, for FLOP is also written where OP is meant; a figure that
            is also a dense rate of a narrow format alone is one of them then, for it may be meant for a wider format.
    """
    devices = [entry for entry in catalog().entries("hardware").values() if isinstance(entry, Hardware)]
    dense: dict[float, set[str]] = defaultdict(set)
    for device in devices:
        dense[device.compute.peak].add("peak")
        for precision, rate in device.compute.rates.items():
            dense[rate].add(precision)
    figures: dict[float, str] = {}
    for device in devices:
        for precision, rate in device.compute.sparse_rates.items():
            narrow = sorted(dense[rate] if integer else dense[rate] & NARROW)
            meant = not integer or precision in _INTEGER
            if meant and not dense[rate] - (_FLOATING if integer else NARROW) and not _is_round(rate):
                unless = f"unless the work is {' or '.join(narrow)}" if narrow else "where the work is dense"
                figures.setdefault(
                    rate, f"the {precision} figure of {device.label} with sparsity: a gain on paper, {unless}"
                )
    return dict(sorted(figures.items()))


_INTEGER = {"int8", "int4"}
_INTEGERS = "an integer format"
_FLOATING = {"fp32", "tf32", "fp16", "bf16", "fp8", "fp4"}
NARROW = {"fp8", "fp4"} | _INTEGER


def _is_round(rate: float) -> bool:
    """Whether a rate is a power of ten, or has a single digit and is small.

    Whoever writes 1 PFLOP/s rarely means the one device that is that fast with sparsity; 9 PFLOP/s are no estimate.
    """
    digits = f"{rate:.6e}".partition("e")[0].rstrip("0").rstrip(".")
    return digits == "1" or (len(digits) == 1 and rate < 1e15)
