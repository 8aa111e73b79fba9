"""Reading and writing quantities: ``"60 ms"`` becomes 0.06, and 0.13 is shown as 130 ms.

A unit is a name of the vocabulary or a ratio of two of them. Its exact factor to the base units is found once, by pint
from ``definitions.txt``, and remembered; those in common use are remembered ahead of time in ``remembered.json``
(written by ``python -m mlsysim.units``), so that a process that meets no others never pays for importing pint.
Numbers never go through pint.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mlsysim.errors import UnitError, closest, did_you_mean, shorten
from mlsysim.units.dimensions import BY_EXPONENTS, BY_NAME, DIMENSIONS, Dimension

if TYPE_CHECKING:
    import pint

_HERE = Path(__file__).parent
REMEMBERED = _HERE / "remembered.json"

# Python and ECMA 262 mean different characters by \s; these are white space to both.
_SPACE = r"[\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
_S = f"{_SPACE}*"
_QUANTITY = re.compile(rf"{_S}([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?){_S}(.*?){_S}", re.DOTALL)
_NEEDLESS_SPACE = re.compile(rf"^{_SPACE}+|{_S}(/){_S}|{_SPACE}+$")
HOUR = 3600  # seconds
DAY = 24 * HOUR
YEAR = 31_557_600  # 365.25 days
BILLING_YEAR = 8760 * HOUR  # over which an hourly price is added up
_COMMON_BOTTOMS = ("s", "h", "B", "byte", "FLOP", "OP")
_BITS = {"b": "bit", "kb": "kbit", "Kb": "kbit", "Mb": "Mbit", "Gb": "Gbit", "Tb": "Tbit"}
_OTHER_SPELLINGS = _BITS | {
    "sec": "s", "second": "s", "msec": "ms", "millisecond": "ms", "usec": "us", "microsecond": "us", "nanosecond": "ns",
    "minute": "min", "hr": "h", "hour": "h", "d": "day", "yr": "year", "bytes": "byte", "bits": "bit", "watt": "W",
    "joule": "J", "$": "USD", "dollar": "USD", "day": "day", "week": "week", "month": "month", "year": "year",
}  # fmt: skip
LONGEST_TEXT = 100  # of a quantity, or of a unit
_LONGEST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measurement with its exact factor to the base units, `numerator` / `denominator`.

    Attributes:
        shift: how many decimal places one of it is away from the base unit; None where the factor is no power of ten.
    """

    name: str
    dimension: Dimension
    numerator: int
    denominator: int
    shift: int | None = field(init=False)
    _direct: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        shift = _SHIFTS.get((self.numerator, self.denominator))
        object.__setattr__(self, "shift", shift)
        object.__setattr__(self, "_direct", shift is None or abs(shift) <= _EXACT)

    def read(self, value: float) -> float:
        """A number in this unit, in base units, rounded once: 4.1 GFLOP is 4.1e9 FLOP and not the double below it."""
        if self.shift is None or (self._direct and -_SURE < value < _SURE and value == int(value)):
            # As to_si; from two exact doubles the nearest one, as much as by moving the point.
            return value * self.numerator / self.denominator
        return _shifted(value, self.shift)

    def to_si(self, value: float) -> float:
        """A number in this unit (or an array of them), in base units."""
        return value * self.numerator / self.denominator

    def from_si(self, value: float) -> float:
        """A number in base units (or an array of them), in this unit."""
        return value * self.denominator / self.numerator

    def exactly(self, value: float) -> float:
        """A number in base units, in this unit, such that `read` gives the same number again, if any does."""
        shown = value * self.denominator / self.numerator
        exact = self._direct and -_SURE < shown < _SURE and shown == int(shown)
        if exact and shown * self.numerator / self.denominator == value:  # as `read` of it
            return shown  # of so few digits there is no other decimal number that reads so
        if self.shift is not None:
            shown = _shifted(value, -self.shift)
        for candidate in (shown, math.nextafter(shown, math.inf), math.nextafter(shown, -math.inf)):
            if self.read(candidate) == value:
                return candidate
        return shown


_SURE = 1e15  # a double holds every decimal number of up to 15 digits apart from every other
_EXACT = 22  # 10**22 is the largest power of ten that is a double
_SHIFTS = {(10**places, 1): places for places in range(25)} | {(1, 10**places): -places for places in range(25)}


def _shifted(value: float, places: int) -> float:
    """The number with its decimal point moved."""
    if not math.isfinite(value):
        return value
    digits, _, exponent = repr(float(value)).partition("e")
    return float(f"{digits}e{int(exponent or 0) + places}")


def simple_names() -> set[str]:
    """Every unit name of the vocabulary that may stand alone or as one side of a ratio."""
    return {
        name
        for dimension in DIMENSIONS
        for names in (dimension.names, dimension.numerators, dimension.denominators)
        for name in names
    } - {"1"}


_SIMPLE_NAMES = simple_names()


@cache
def remembered() -> dict[str, Unit]:
    """The units in common use, by name."""
    table: dict[str, tuple[str, int, int]] = json.loads(REMEMBERED.read_text())
    return {name: Unit(name, BY_NAME[kind], top, bottom) for name, (kind, top, bottom) in table.items()}


def unit(name: str, expected: Dimension | None = None) -> Unit:
    """The unit of that name.

    Args:
        name: a unit name or a ratio of two, such as ``ms``, ``GB/s``, ``GB / s``, ``TOPS`` or ``1/day``.
        expected: the dimension it should have, if that is known.

    Raises:
        UnitError: the name is not in the vocabulary, or the unit is of another dimension than expected.
    """
    known = remembered().get(name) or _resolve(name)
    if known is None:
        names = [*expected.names, *expected.common] if expected else sorted(_SIMPLE_NAMES)
        guesses = _meant(name, expected) or closest(name, names)
        would_do = did_you_mean(guesses) or (f"; {', '.join(expected.common)} would do" if expected else "")
        raise UnitError(f'has no known unit "{shorten(name, _LONGEST_SHOWN)}"{would_do}')
    if expected is not None and known.dimension is not expected:
        raise UnitError(f"is {known.dimension}, where {expected} is expected: {', '.join(expected.common)} would do")
    return known


def _meant(name: str, expected: Dimension | None) -> list[str]:
    """The unit that a name in another spelling stands for; for Gb, which is mixed up with GB, both."""
    parts = [part.strip() for part in name.split("/")]
    words = [_OTHER_SPELLINGS.get(part) or _OTHER_SPELLINGS.get(part.removesuffix("s"), part) for part in parts]
    both = dict.fromkeys(["/".join(words), "/".join(part[:-1] + "B" if part in _BITS else part for part in parts)])
    found = {candidate: _resolve(candidate) for candidate in both}
    return [candidate for candidate, unit in found.items() if unit and expected in (None, unit.dimension)]


@lru_cache(maxsize=4096)
def _resolve(name: str) -> Unit | None:
    if len(name) > LONGEST_TEXT:
        return None
    plain = _NEEDLESS_SPACE.sub(r"\1", name).replace("µ", "u").replace("μ", "u")
    plain = re.sub(r"FLOPs(?=/|$)", "FLOP", plain)
    if plain in remembered():
        return replace(remembered()[plain], name=name)
    top, slash, bottom = plain.partition("/")
    if not slash or not any(top in each.numerators and bottom in each.denominators for each in DIMENSIONS):
        return None
    compiled = compile_unit(plain)
    return compiled and replace(compiled, name=name)


def compile_unit(name: str) -> Unit | None:
    """The unit of that name as pint works it out; None if it measures nothing we know. `name` is in plain spelling."""
    top, _, bottom = name.partition("/")
    registry = _registry()
    one = registry.Quantity(Fraction(1), registry.parse_units(f"{top}/{bottom}" if bottom else top))
    in_base_units = one.to_base_units()
    powers = in_base_units.dimensionality
    exponents = [powers.get(base, 0) for base in ("[time]", "[data]", "[operations]", "[energy]", "[money]")]
    dimension = BY_EXPONENTS.get(tuple(map(int, exponents)))  # type: ignore[arg-type]
    if dimension is None:
        return None
    factor = Fraction(in_base_units.magnitude)
    return Unit(name, dimension, factor.numerator, factor.denominator)


@cache
def _registry() -> pint.UnitRegistry[Fraction]:
    import pint  # 0.2 s, which only a unit that is not remembered should cost

    registry: pint.UnitRegistry[Fraction] = pint.UnitRegistry(None, non_int_type=Fraction, cache_folder=None)
    lines = (_HERE / "definitions.txt").read_text().splitlines()
    registry.load_definitions([line for line in lines if line and not line.startswith("#")])
    return registry


def read(text: str, expected: Dimension) -> float:
    """A quantity written as text, in base units: ``read("60 ms", TIME)`` is 0.06.

    Raises:
        UnitError: no number, no unit, an unknown unit, one of another dimension, or a value beyond a double.
    """
    match = _QUANTITY.fullmatch(text) if len(text) <= LONGEST_TEXT else None
    if match is None:
        raise UnitError(f'must be {expected} such as "10 {expected.common[0]}"')
    number, name = match.groups()
    if not name:
        raise UnitError(f"needs a unit: {', '.join(expected.common)} would do")
    value = float(number)
    if value == 0 and re.search("[1-9]", number.lower().partition("e")[0]):
        raise UnitError("is too small for a double")
    return in_si(value, name, expected)


def in_si(value: float, name: str, expected: Dimension) -> float:
    """A number of that unit in base units, refusing what a double cannot hold.

    Raises:
        UnitError: the unit is unknown or of another dimension, or the value in base units is not finite.
    """
    converted = unit(name, expected).read(value)
    if not math.isfinite(converted):
        raise UnitError("is too large for a double")
    if converted == 0 and value != 0:
        raise UnitError("is too small for a double")
    return converted


def split(text: str) -> tuple[float, str] | None:
    """The number and the unit name of a quantity as written, or None if the text has no such form."""
    match = _QUANTITY.fullmatch(text)
    if match is None:
        return None
    number = float(match[1])
    return (int(number) if number.is_integer() and abs(number) < 2**53 else number), match[2]


def patterns(sign: str = "") -> dict[str, str]:
    """For each dimension a regular expression (ECMA 262) of the texts that `read` accepts.

    Args:
        sign: ``Positive`` or ``NonNegative`` where only such numbers may be written.
    """
    signs = {"": "[+-]?", "NonNegative": r"(\+?|-(?=[0.]+([^0-9.]|$)))", "Positive": r"\+?(?=[0-9.]*[1-9])"}
    number = signs[sign] + r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
    found = {}
    for dimension in DIMENSIONS:
        names, ratios = _names(dimension)
        if dimension.numerators == ("1",):  # a space before it, or 5 1/s would read as 51/s
            unit_names = rf"({_S}({names})|{_SPACE}+{ratios})"
        else:
            unit_names = rf"{_S}({'|'.join(filter(None, (names, ratios)))})"
        found[dimension.name] = rf"^{_S}{number}{unit_names}{_S}$"
    return found


def unit_patterns() -> dict[str, str]:
    """For each dimension a regular expression (ECMA 262) of the unit names that `unit` accepts."""
    return {dimension.name: rf"^{_S}({'|'.join(filter(None, _names(dimension)))}){_S}$" for dimension in DIMENSIONS}


def _names(dimension: Dimension) -> tuple[str, str]:
    """What matches the names of units, and their ratios."""
    tops, bottoms = ("|".join(_spellings(side)) for side in (dimension.numerators, dimension.denominators))
    ratios = rf"({tops}){_S}/{_S}({bottoms})" if tops else ""
    return "|".join(_spellings(dimension.names)), ratios.replace("(1)", "1")


def _spellings(names: tuple[str, ...]) -> list[str]:
    spelled = list(names)
    for name in names:
        if name.endswith("FLOP"):
            spelled.append(name + "s")
        if name in ("us", "uJ", "uW"):
            spelled += ["µ" + name[1:], "μ" + name[1:]]
    return spelled


def remember() -> dict[str, tuple[str, int, int]]:
    """The table of ``remembered.json``: the vocabulary and the ratios in common use, each with its exact factor."""
    names = list(_SIMPLE_NAMES)
    for dimension in DIMENSIONS:
        for top in dimension.numerators:
            whole = top in ("1", "USD")
            names += [f"{top}/{bottom}" for bottom in dimension.denominators if whole or bottom in _COMMON_BOTTOMS]
    table = {}
    for name in sorted(names):
        compiled = compile_unit(name)
        if compiled is None:
            raise UnitError(f"{name} measures nothing we know")
        table[name] = (compiled.dimension.name, compiled.numerator, compiled.denominator)
    return table


__all__ = [
    "BILLING_YEAR",
    "DAY",
    "HOUR",
    "LONGEST_TEXT",
    "YEAR",
    "Unit",
    "in_si",
    "patterns",
    "read",
    "remember",
    "remembered",
    "split",
    "unit",
    "unit_patterns",
]
