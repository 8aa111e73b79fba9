"""The unit vocabulary: what may be written for a quantity, what it comes to in base units, and what is refused.

Base units are second, byte, FLOP, joule and US dollar. Expected values are exact, factors as fractions and quantities
as doubles.
"""

import json
import re
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mlsysim.errors import UnitError
from mlsysim.fields import QuantityType
from mlsysim.units import DIMENSIONS, Dimension, in_si, patterns, read, unit, unit_patterns
from mlsysim.units.dimensions import (
    DATA,
    DATA_RATE,
    ENERGY,
    ENERGY_PER_BYTE,
    ENERGY_PER_OPERATION,
    FREQUENCY,
    INTENSITY,
    MONEY,
    MONEY_RATE,
    OPERATION_RATE,
    OPERATIONS,
    POWER,
    TIME,
)
from mlsysim.units.vocabulary import REMEMBERED, compile_unit, remember, simple_names

GOLDEN = [
    ("60 ms", TIME, 0.06),
    ("0.06 s", TIME, 0.06),
    ("15 us", TIME, 15e-6),
    ("1.5 h", TIME, 5400.0),
    ("1 day", TIME, 86_400.0),
    ("2 week", TIME, 1_209_600.0),
    ("1 year", TIME, 365.25 * 86_400),
    ("1 month", TIME, 365.25 * 86_400 / 12),
    ("80 GB", DATA, 80e9),
    ("80 GiB", DATA, 85_899_345_920.0),
    ("40 MiB", DATA, 41_943_040.0),
    ("8 bit", DATA, 1.0),
    ("4 kbit", DATA, 500.0),
    ("100 Mbit/s", DATA_RATE, 12.5e6),
    ("12.5 MB/s", DATA_RATE, 12.5e6),
    ("400 Gbps", DATA_RATE, 50e9),
    ("3.35 TB/s", DATA_RATE, 3.35e12),
    ("17.6 GFLOP/s", OPERATION_RATE, 17.6e9),
    ("989 TFLOP/s", OPERATION_RATE, 989e12),
    ("1979 TOPS", OPERATION_RATE, 1979e12),
    ("1979 TOP/s", OPERATION_RATE, 1979e12),
    ("7.5 GFLOP", OPERATIONS, 7.5e9),
    ("295 FLOP/byte", INTENSITY, 295.0),
    ("295 FLOP/B", INTENSITY, 295.0),
    ("640 pJ", ENERGY, 640e-12),
    ("160 pJ/B", ENERGY_PER_BYTE, 160e-12),
    ("0.9 pJ/FLOP", ENERGY_PER_OPERATION, 0.9e-12),
    ("1 kWh", ENERGY, 3.6e6),
    ("700 W", POWER, 700.0),
    ("14.3 kW", POWER, 14_300.0),
    ("3600 J/h", POWER, 1.0),
    ("16 kHz", FREQUENCY, 16_000.0),
    ("1 1/day", FREQUENCY, 1 / 86_400),
    ("20 USD", MONEY, 20.0),
    ("3.6 USD/h", MONEY_RATE, 0.001),
    ("8766 USD/year", MONEY_RATE, 1 / 3600),
]


@pytest.mark.parametrize(("text", "dimension", "base_units"), GOLDEN, ids=[row[0] for row in GOLDEN])
def test_text_in_base_units(text: str, dimension: Dimension, base_units: float) -> None:
    assert read(text, dimension) == base_units


@pytest.mark.parametrize("written", ["60 ms", "0.06 s", {"value": 60, "unit": "ms"}, {"value": 0.06, "unit": "s"}])
def test_one_time_written_several_ways(written: object) -> None:
    assert QuantityType(TIME).read(written) == 0.06


def test_a_decimal_and_a_binary_gigabyte_differ_by_seven_percent() -> None:
    assert read("80 GiB", DATA) / read("80 GB", DATA) == pytest.approx(1.074, abs=0.0005)


# The whole vocabulary, each name with its exact factor to the base unit of its dimension.
VOCABULARY = {
    TIME: {
        "ns": "1e-9", "us": "1e-6", "ms": "1e-3", "s": "1", "min": "60", "h": "3600",
        "day": "86400", "week": "604800", "month": "2629800", "year": "31557600",
    },
    DATA: {
        "B": "1", "byte": "1", "kB": "1e3", "KB": "1e3", "MB": "1e6", "GB": "1e9", "TB": "1e12", "PB": "1e15",
        "KiB": f"{2**10}", "MiB": f"{2**20}", "GiB": f"{2**30}", "TiB": f"{2**40}", "PiB": f"{2**50}",
        "bit": "1/8", "kbit": "125", "Mbit": "125e3", "Gbit": "125e6", "Tbit": "125e9",
    },
    DATA_RATE: {
        "bps": "1/8", "kbps": "125", "Mbps": "125e3", "Gbps": "125e6", "Tbps": "125e9",
        "B/s": "1", "byte/s": "1", "kB/s": "1e3", "MB/s": "1e6", "GB/s": "1e9", "TB/s": "1e12",
        "MiB/s": f"{2**20}", "GiB/s": f"{2**30}", "bit/s": "1/8", "Mbit/s": "125e3", "Gbit/s": "125e6",
        "TB/day": "1000000000000/86400", "B/ns": "1e9",
    },
    OPERATIONS: {
        "FLOP": "1", "kFLOP": "1e3", "MFLOP": "1e6", "GFLOP": "1e9", "TFLOP": "1e12", "PFLOP": "1e15", "EFLOP": "1e18",
        "FLOPs": "1", "TFLOPs": "1e12",
        "OP": "1", "kOP": "1e3", "MOP": "1e6", "GOP": "1e9", "TOP": "1e12", "POP": "1e15", "EOP": "1e18",
    },
    OPERATION_RATE: {
        "FLOP/s": "1", "kFLOP/s": "1e3", "MFLOP/s": "1e6", "GFLOP/s": "1e9", "TFLOP/s": "1e12", "PFLOP/s": "1e15",
        "EFLOP/s": "1e18", "FLOPs/s": "1", "GFLOPs/s": "1e9", "TFLOPs/s": "1e12", "PFLOPs/s": "1e15",
        "OP/s": "1", "GOP/s": "1e9", "TOP/s": "1e12", "POP/s": "1e15",
        "OPS": "1", "kOPS": "1e3", "MOPS": "1e6", "GOPS": "1e9", "TOPS": "1e12", "POPS": "1e15", "EOPS": "1e18",
        "PFLOP/day": "1000000000000000/86400",
    },
    INTENSITY: {"FLOP/byte": "1", "FLOP/B": "1", "OP/byte": "1", "FLOP/bit": "8", "GFLOP/GB": "1", "TFLOPs/GB": "1e3"},
    ENERGY: {
        "pJ": "1e-12", "nJ": "1e-9", "uJ": "1e-6", "mJ": "1e-3", "J": "1", "kJ": "1e3", "MJ": "1e6",
        "Wh": "3600", "kWh": "3600e3", "MWh": "3600e6",
    },
    ENERGY_PER_BYTE: {"pJ/byte": "1e-12", "pJ/B": "1e-12", "nJ/byte": "1e-9", "J/byte": "1", "pJ/bit": "8e-12"},
    ENERGY_PER_OPERATION: {"pJ/FLOP": "1e-12", "pJ/OP": "1e-12", "J/FLOP": "1", "J/TFLOP": "1e-12"},
    POWER: {"uW": "1e-6", "mW": "1e-3", "W": "1", "kW": "1e3", "MW": "1e6", "J/s": "1", "kWh/h": "1000"},
    FREQUENCY: {
        "Hz": "1", "kHz": "1e3", "MHz": "1e6", "GHz": "1e9", "1/s": "1", "1/ms": "1000", "1/h": "1/3600",
        "1/day": "1/86400", "1/year": "1/31557600",
    },
    MONEY: {"USD": "1"},
    # A year is 365.25 days in a price as well; the 8 760 h of a billing year stand in the formulas that add one up.
    MONEY_RATE: {
        "USD/s": "1", "USD/h": "1/3600", "USD/day": "1/86400", "USD/month": "1/2629800", "USD/year": "1/31557600",
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("dimension", "name", "factor"),
    [(dimension, name, factor) for dimension, names in VOCABULARY.items() for name, factor in names.items()],
    ids=[f"{dimension.name} {name}" for dimension, names in VOCABULARY.items() for name in names],
)
def test_factor_of_every_unit(dimension: Dimension, name: str, factor: str) -> None:
    known = unit(name, dimension)

    assert Fraction(known.numerator, known.denominator) == Fraction(factor)
    assert known.name == name


def test_the_table_above_leaves_no_simple_unit_out() -> None:
    listed = {name for names in VOCABULARY.values() for name in names}

    assert simple_names() - listed == set()
    assert set(VOCABULARY) == set(DIMENSIONS)


def test_a_price_per_year_is_that_of_8766_hours() -> None:
    assert read("8766 USD/year", MONEY_RATE) == pytest.approx(read("1 USD/h", MONEY_RATE))
    assert read("730.5 USD/month", MONEY_RATE) == pytest.approx(read("1 USD/h", MONEY_RATE))


@pytest.mark.parametrize(
    "text",
    [
        "60ms",
        "60  ms",
        "  60 ms  ",
        "60\tms\n",
        "60\u00a0ms",
        "+60 ms",
        "60. ms",
        "60.0 ms",
        "6e1 ms",
        "6E+1 ms",
        "060 ms",
    ],
)
def test_spaces_and_number_formats_do_not_matter(text: str) -> None:
    assert read(text, TIME) == 0.06


@pytest.mark.parametrize(
    ("text", "dimension", "plain"),
    [
        ("5 GB / s", DATA_RATE, "5 GB/s"),
        ("5 GB/ s", DATA_RATE, "5 GB/s"),
        ("5 GB /\ts", DATA_RATE, "5 GB/s"),
        ("5 TFLOPs / s", OPERATION_RATE, "5 TFLOP/s"),
        ("5 TFLOPs", OPERATIONS, "5 TFLOP"),
        ("5 FLOPs/byte", INTENSITY, "5 FLOP/byte"),
        ("5 1 / day", FREQUENCY, "5 1/day"),
        ("5 \N{MICRO SIGN}s", TIME, "5 us"),
        ("5 \N{GREEK SMALL LETTER MU}s", TIME, "5 us"),
        ("5 \N{MICRO SIGN}J", ENERGY, "5 uJ"),
        ("5 \N{GREEK SMALL LETTER MU}W", POWER, "5 uW"),
        ("5 FLOP/\N{MICRO SIGN}s", OPERATION_RATE, "5 FLOP/us"),
    ],
)
def test_other_spellings_of_a_unit(text: str, dimension: Dimension, plain: str) -> None:
    assert read(text, dimension) == read(plain, dimension)


@pytest.mark.parametrize(
    ("text", "dimension", "message"),
    [
        # A unit that is none, with those it may have been
        ("80 G", DATA, 'has no known unit "G"; did you mean GB or GiB?'),
        ("5 sec", TIME, 'has no known unit "sec"; did you mean s?'),
        ("5 furlong", TIME, 'has no known unit "furlong"; us, ms, s, min, h, day would do'),
        ("5 TFLOPS", OPERATION_RATE, 'has no known unit "TFLOPS"; did you mean TFLOP/s, TOPS or PFLOP/s?'),
        ("5 GB/s/s", DATA_RATE, 'has no known unit "GB/s/s"; did you mean GB/s'),
        ("5 GB*s", DATA_RATE, 'has no known unit "GB*s"'),
        ("5 $", MONEY, 'has no known unit "$"; did you mean USD?'),
        ("51/s", FREQUENCY, 'has no known unit "/s"; did you mean 1/s?'),
        ("5 W/Hz", ENERGY, 'has no known unit "W/Hz"; did you mean Wh'),
        ("1,000 ms", TIME, 'has no known unit ",000 ms"'),
        ("1_000 ms", TIME, 'has no known unit "_000 ms"'),
        ("0x10 ms", TIME, 'has no known unit "x10 ms"'),
        # Case tells milli from mega and bits from bytes
        ("80 gb", DATA, 'has no known unit "gb"; did you mean GB'),
        ("80 Gb/s", DATA_RATE, 'has no known unit "Gb/s"; did you mean Gbit/s or GB/s?'),
        ("1 Mb", DATA, 'has no known unit "Mb"; did you mean Mbit or MB?'),
        ("1 hours", TIME, 'has no known unit "hours"; did you mean h?'),
        ("3 days", TIME, 'has no known unit "days"; did you mean day?'),
        ("5 $/hour", MONEY_RATE, 'has no known unit "$/hour"; did you mean USD/h?'),
        ("1 hours", DATA, 'has no known unit "hours"; B, kB, MB, GB, KiB, MiB, GiB would do'),
        ("5 MS", TIME, 'has no known unit "MS"; did you mean ms'),
        ("5 KW", POWER, 'has no known unit "KW"; did you mean kW'),
        ("5 HZ", FREQUENCY, 'has no known unit "HZ"; did you mean Hz'),
        ("5 usd", MONEY, 'has no known unit "usd"; did you mean USD?'),
        # A unit of another dimension
        ("60 MB", TIME, "is an amount of data, where a time is expected: us, ms, s, min, h, day would do"),
        ("60 GB", DATA_RATE, "is an amount of data, where a data rate is expected: MB/s, GB/s"),
        ("60 TFLOPs", OPERATION_RATE, "is a number of operations, where an operation rate is expected: GFLOP/s"),
        ("60 W", ENERGY, "is a power, where an energy is expected: pJ, uJ, mJ, J, Wh, kWh would do"),
        ("60 Hz", TIME, "is a frequency, where a time is expected"),
        ("60 USD", MONEY_RATE, "is an amount of money, where a price per time is expected: USD/h, USD/year would do"),
        # No unit, no number
        ("60", TIME, "needs a unit: us, ms, s, min, h, day would do"),
        ("ms", TIME, 'must be a time such as "10 us"'),
        ("", TIME, 'must be a time such as "10 us"'),
        ("sixty ms", TIME, 'must be a time such as "10 us"'),
        ("--60 ms", TIME, 'must be a time such as "10 us"'),
        (". ms", TIME, 'must be a time such as "10 us"'),
        ("inf ms", TIME, 'must be a time such as "10 us"'),
        ("NaN ms", TIME, 'must be a time such as "10 us"'),
        ("\N{ARABIC-INDIC DIGIT THREE} ms", TIME, 'must be a time such as "10 us"'),
        # Beyond a double, in the unit as written or in base units
        ("1e400 s", TIME, "is too large for a double"),
        ("-1e400 s", TIME, "is too large for a double"),
        ("1e308 year", TIME, "is too large for a double"),
        ("1e300 EFLOP", OPERATIONS, "is too large for a double"),
    ],
)  # fmt: skip
def test_refused_with_what_would_do(text: str, dimension: Dimension, message: str) -> None:
    with pytest.raises(UnitError, match=f"^{re.escape(message)}"):
        read(text, dimension)


@pytest.mark.parametrize("text", ["60 " + "m" * 10_000, "6" * 10_000 + " ms", "60" + " " * 10_000 + "ms", "60 ms" * 50])
def test_an_absurdly_long_text_is_refused_with_a_short_message(text: str) -> None:
    with pytest.raises(UnitError) as refused:
        read(text, TIME)
    assert str(refused.value) == 'must be a time such as "10 us"'


def test_an_absurdly_long_unit_is_shortened_in_the_message() -> None:
    with pytest.raises(UnitError) as refused:
        in_si(60, "x" * 10_000, TIME)
    assert str(refused.value) == f'has no known unit "{"x" * 39}…"; us, ms, s, min, h, day would do'


@pytest.mark.parametrize(
    ("text", "dimension"), [("10 byte", OPERATIONS), ("10 FLOP", DATA), ("10 GB/s", OPERATION_RATE), ("10 J", MONEY)]
)
def test_a_byte_is_not_a_flop(text: str, dimension: Dimension) -> None:
    with pytest.raises(UnitError, match=f"where {dimension.title} is expected"):
        read(text, dimension)


def test_no_unit_has_two_dimensions() -> None:
    for dimension in DIMENSIONS:
        for name in (*dimension.names, *dimension.common, dimension.si):
            assert unit(name).dimension is dimension, name


REMEMBERED_TABLE: dict[str, list[object]] = json.loads(REMEMBERED.read_text())


@pytest.mark.parametrize("name", REMEMBERED_TABLE)
def test_pint_agrees_with_the_remembered_factor(name: str) -> None:
    compiled = compile_unit(name)

    assert compiled is not None
    assert [compiled.dimension.name, compiled.numerator, compiled.denominator] == REMEMBERED_TABLE[name]


def test_the_remembered_table_is_what_the_definitions_give() -> None:
    assert {name: list(row) for name, row in remember().items()} == REMEMBERED_TABLE, "run python -m mlsysim.units"


RATIOS = [
    (dimension, top, bottom)
    for dimension in DIMENSIONS
    for top in dimension.numerators
    for bottom in dimension.denominators
]


@given(st.sampled_from(RATIOS))
@settings(deadline=None, max_examples=300)
def test_a_ratio_is_the_quotient_of_its_sides(ratio: tuple[Dimension, str, str]) -> None:
    dimension, top, bottom = ratio

    known, over = unit(f"{top}/{bottom}", dimension), unit(bottom)
    numerator = Fraction(1) if top == "1" else Fraction(unit(top).numerator, unit(top).denominator)

    assert Fraction(known.numerator, known.denominator) == numerator / Fraction(over.numerator, over.denominator)


UNITS = [*sorted(simple_names()), *(f"{top}/{bottom}" for _, top, bottom in RATIOS)]
NUMBERS = st.floats(1e-150, 1e150) | st.floats(-1e150, -1e-150) | st.just(0.0)


@given(st.sampled_from(UNITS), NUMBERS)
@settings(deadline=None, max_examples=1000)
def test_what_is_shown_in_a_unit_reads_back_as_the_same_double(name: str, number: float) -> None:
    known = unit(name)
    held = known.read(number)

    assert known.read(known.exactly(held)) == held


def reads(text: str, dimension: Dimension) -> bool:
    """Whether the text is a quantity of that dimension, be it too large or too small for a double."""
    try:
        read(text, dimension)
    except UnitError as error:
        return "for a double" in str(error)
    return True


def texts_of_pattern(dimension: Dimension) -> st.SearchStrategy[tuple[Dimension, str]]:
    """Texts that the dimension's pattern allows, of a length that somebody may write."""
    texts = st.from_regex(patterns()[dimension.name], fullmatch=True, alphabet=st.characters(codec="utf-8"))
    return texts.filter(lambda text: len(text) <= 40).map(lambda text: (dimension, text))


@given(st.one_of([texts_of_pattern(dimension) for dimension in DIMENSIONS]))
@example((FREQUENCY, "5 1/s"))
@settings(deadline=None, max_examples=100)
def test_every_text_that_the_pattern_allows_is_read(allowed: tuple[Dimension, str]) -> None:
    dimension, text = allowed

    assert reads(text, dimension)


def ecma(pattern: str) -> str:
    r"""The pattern with \s as ECMA 262 means it, which is not as Python does."""
    return pattern.replace(r"\s", r"[\t-\r \xa0\ufeff\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


SPACES = sorted({*filter(str.isspace, map(chr, range(0x10000))), "\ufeff", "\u180e", "\u200b"})


@pytest.mark.parametrize("space", SPACES, ids=ascii)
def test_the_pattern_means_the_same_white_space_to_every_validator_and_to_the_reader(space: str) -> None:
    for text in (f"{space}1 GB/s", f"1{space}GB/s", f"1 GB{space}/ s", f"1 GB/{space}s", f"1 GB/s{space}"):
        pattern = patterns()[DATA_RATE.name]
        assert bool(re.search(pattern, text)) == bool(re.search(ecma(pattern), text)) == reads(text, DATA_RATE), text
    for name in (f"{space}GB/s", f"GB{space}/s", f"GB/s{space}"):
        assert bool(re.search(unit_patterns()[DATA_RATE.name], name)) == reads(f"1 {name}", DATA_RATE), name


SPACE = st.text(" \t", max_size=2)
DIGITS = st.text("0123456789.eE+-", max_size=6)


@given(SPACE, DIGITS, SPACE, st.sampled_from(UNITS), SPACE)
@settings(deadline=None, max_examples=1000)
def test_the_pattern_and_the_reader_agree_on_numbers_and_spaces(
    before: str, number: str, between: str, name: str, after: str
) -> None:
    dimension = unit(name).dimension
    text = before + number + between + name.replace("/", between + "/" + after) + after

    assert bool(re.fullmatch(patterns()[dimension.name], text)) == reads(text, dimension)


def test_the_pattern_and_the_reader_agree_on_every_pair_of_units() -> None:
    names = sorted(simple_names())
    compiled = {dimension: re.compile(patterns()[dimension.name]) for dimension in DIMENSIONS}

    disagreed = []
    for name in [*names, *(f"{top}/{bottom}" for top in ["1", *names] for bottom in names)]:
        allowed_as = {dimension for dimension, pattern in compiled.items() if pattern.fullmatch(f"5 {name}")}
        try:
            read_as = {unit(name).dimension}
        except UnitError:
            read_as = set()
        if allowed_as != read_as:
            disagreed.append(f"{name} is read as {[*map(str, read_as)]} and allowed as {[*map(str, allowed_as)]}")

    assert disagreed == []
