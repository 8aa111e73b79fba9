"""The dimensions a quantity can have, and the unit names that may be written for each."""

from typing import NamedTuple


class Dimension(NamedTuple):
    """A physical dimension of the model: what a quantity measures.

    Attributes:
        name: the identifier used in schemas, such as ``data_rate``.
        title: how a sentence says it, with its article: ``a data rate``.
        si: the base unit that numbers of this dimension are held in.
        numerators, denominators: the simple unit names a ratio may be made of; a simple dimension has no denominators.
        names: further whole unit names, such as ``Gbps`` or ``W``.
        exponents: powers of (time, data, operations, energy, money).
        common: the units to suggest in a message, most common first.
    """

    name: str
    title: str
    si: str
    exponents: tuple[int, int, int, int, int]
    names: tuple[str, ...] = ()
    numerators: tuple[str, ...] = ()
    denominators: tuple[str, ...] = ()
    common: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.title


_TIME = ("s", "ns", "us", "ms", "min", "h", "day", "week", "month", "year")
_BYTES = ("B", "byte", "kB", "KB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB", "PiB")
_BITS = ("bit", "kbit", "Mbit", "Gbit", "Tbit")
_DATA = _BYTES + _BITS
_FLOP = ("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP")
_OP = ("OP", "kOP", "MOP", "GOP", "TOP", "POP", "EOP")
_OPERATIONS = _FLOP + _OP
_ENERGY = ("J", "pJ", "nJ", "uJ", "mJ", "kJ", "MJ", "Wh", "kWh", "MWh")

TIME = Dimension("time", "a time", "s", (1, 0, 0, 0, 0), names=_TIME, common=("us", "ms", "s", "min", "h", "day"))
DATA = Dimension(
    "data",
    "an amount of data",
    "byte",
    (0, 1, 0, 0, 0),
    names=_DATA,
    common=("B", "kB", "MB", "GB", "KiB", "MiB", "GiB"),
)
DATA_RATE = Dimension(
    "data_rate",
    "a data rate",
    "byte/s",
    (-1, 1, 0, 0, 0),
    names=("bps", "kbps", "Mbps", "Gbps", "Tbps"),
    numerators=_DATA,
    denominators=_TIME,
    common=("MB/s", "GB/s", "TB/s", "Mbit/s", "Gbit/s"),
)
OPERATIONS = Dimension(
    "operations",
    "a number of operations",
    "FLOP",
    (0, 0, 1, 0, 0),
    names=_OPERATIONS,
    common=("FLOP", "MFLOP", "GFLOP", "TFLOP"),
)
OPERATION_RATE = Dimension(
    "operation_rate",
    "an operation rate",
    "FLOP/s",
    (-1, 0, 1, 0, 0),
    names=("OPS", "kOPS", "MOPS", "GOPS", "TOPS", "POPS", "EOPS"),
    numerators=_OPERATIONS,
    denominators=_TIME,
    common=("GFLOP/s", "TFLOP/s", "PFLOP/s", "TOP/s"),
)
INTENSITY = Dimension(
    "intensity",
    "an arithmetic intensity",
    "FLOP/byte",
    (0, -1, 1, 0, 0),
    numerators=_OPERATIONS,
    denominators=_DATA,
    common=("FLOP/byte", "OP/byte"),
)
ENERGY = Dimension(
    "energy", "an energy", "J", (0, 0, 0, 1, 0), names=_ENERGY, common=("pJ", "uJ", "mJ", "J", "Wh", "kWh")
)
ENERGY_PER_BYTE = Dimension(
    "energy_per_byte",
    "an energy per byte",
    "J/byte",
    (0, -1, 0, 1, 0),
    numerators=_ENERGY,
    denominators=_DATA,
    common=("pJ/byte", "nJ/byte", "J/byte"),
)
ENERGY_PER_OPERATION = Dimension(
    "energy_per_operation",
    "an energy per operation",
    "J/FLOP",
    (0, 0, -1, 1, 0),
    numerators=_ENERGY,
    denominators=_OPERATIONS,
    common=("pJ/FLOP", "pJ/OP", "J/FLOP"),
)
POWER = Dimension(
    "power",
    "a power",
    "W",
    (-1, 0, 0, 1, 0),
    names=("W", "uW", "mW", "kW", "MW"),
    numerators=_ENERGY,
    denominators=_TIME,
    common=("mW", "W", "kW"),
)
FREQUENCY = Dimension(
    "frequency",
    "a frequency",
    "1/s",
    (-1, 0, 0, 0, 0),
    names=("Hz", "kHz", "MHz", "GHz"),
    numerators=("1",),
    denominators=_TIME,
    common=("1/s", "1/h", "1/day", "Hz", "kHz"),
)
MONEY = Dimension("money", "an amount of money", "USD", (0, 0, 0, 0, 1), names=("USD",), common=("USD",))
MONEY_RATE = Dimension(
    "money_rate",
    "a price per time",
    "USD/s",
    (-1, 0, 0, 0, 1),
    numerators=("USD",),
    denominators=_TIME,
    common=("USD/h", "USD/year"),
)

DIMENSIONS = (
    TIME,
    DATA,
    DATA_RATE,
    OPERATIONS,
    OPERATION_RATE,
    INTENSITY,
    ENERGY,
    ENERGY_PER_BYTE,
    ENERGY_PER_OPERATION,
    POWER,
    FREQUENCY,
    MONEY,
    MONEY_RATE,
)
BY_NAME = {dimension.name: dimension for dimension in DIMENSIONS}
BY_EXPONENTS = {dimension.exponents: dimension for dimension in DIMENSIONS}
