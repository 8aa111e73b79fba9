"""Scenarios about the energy of arithmetic and of the data it needs."""

from collections.abc import Iterator

from mlsysim.engine.bibliography import HOROWITZ_2014, JOUPPI_2017, KUNG_1982
from mlsysim.engine.result_types.optimization.energy import (
    MemoryRoundTripResult,
    OperationEnergyComparisonResult,
    SystolicReuseEnergyResult,
)
from mlsysim.engine.scenario import Input, Scenario
from mlsysim.engine.warnings import Warning, any_of, bytes_or_words
from mlsysim.fields import AtLeastOne, Data, Energy, EnergyPerByte, EnergyPerOperation, Integer, NonNegative, Positive

__all__ = ["MemoryRoundTripScenario", "OperationEnergyComparisonScenario", "SystolicReuseEnergyScenario"]


class MemoryRoundTripScenario(Scenario[MemoryRoundTripResult]):
    """What energy does it take to move one tensor across a memory interface, there or there and back?

    Size times price per byte times crossings. Assumes a flat price, the same for reads and writes and for any access
    pattern; a DRAM row opened for a few bytes costs more per byte, and idle and refresh power are not in it.

    Source: Horowitz (2014), for the price of a DRAM access against that of arithmetic.

    >>> spill = MemoryRoundTripScenario(tensor_bytes="1 MB", energy_per_byte="160 pJ/byte").evaluate()
    >>> f"{spill.energy * 1e6:.0f} uJ"
    '320 uJ'
    """

    title = "Energy of moving one tensor to and from memory"
    sources = (HOROWITZ_2014,)
    notes = (
        "Check whether a table's figure is per word: 640 pJ for 32 bits are 160 pJ per byte, and confusing them "
        "makes the result four times too high.",
        "Each trip goes one way, so a value that is spilled and reloaded makes 2 trips and one that is only read "
        "makes 1.",
    )

    tensor_bytes: NonNegative[Data] = Input("bytes that are moved on each trip", unit="MB")
    energy_per_byte: NonNegative[EnergyPerByte] = Input(
        "energy that each byte costs at the memory interface", unit="pJ/byte"
    )
    trips: AtLeastOne[Integer] = Input(
        "how often the tensor crosses the interface; out and back again are 2",
        default=2,
        why="a tensor that leaves the chip is usually needed again",
    )

    def evaluate(self) -> MemoryRoundTripResult:
        energy = self.trips * self.tensor_bytes * self.energy_per_byte
        return MemoryRoundTripResult(energy=energy)

    def warnings(self, result: MemoryRoundTripResult) -> Iterator[Warning]:
        yield from bytes_or_words(self.energy_per_byte)


class OperationEnergyComparisonScenario(Scenario[OperationEnergyComparisonResult]):
    """What energy does arithmetic in a narrow number format save, and how many operations is a memory read worth?

    Sets additions, multiplications and multiply-accumulates of two formats against each other, and a read of memory
    against narrow multiply-accumulates. Prices arithmetic units and the read alone: instructions, registers and caches,
    which cost more than the arithmetic on a general-purpose processor, are left out. All figures belong to one process
    and voltage.

    Source: Horowitz (2014), energy of operations at 45 nm.

    >>> int8 = OperationEnergyComparisonScenario(
    ...     wide_add="0.9 pJ/FLOP", wide_mul="3.7 pJ/FLOP", narrow_add="0.03 pJ/OP", narrow_mul="0.2 pJ/OP",
    ...     accumulate_add="0.1 pJ/OP", memory_read="640 pJ").evaluate()
    >>> round(int8.add_ratio), round(int8.mac_ratio, 1)
    (30, 15.3)
    """

    title = "Arithmetic energy of a wide and a narrow number format"
    sources = (HOROWITZ_2014,)
    notes = (
        "A multiply-accumulate, for which wide_mac and narrow_mac stand, counts as two operations. Halve a FLOP "
        "count before multiplying it with them.",
        "INT8 products need a sum of 32 bits, which keeps mac_ratio far below add_ratio; the ratio of additions "
        "overstates the gain.",
        "State how wide the memory_read is: 32 bits from DRAM bring four INT8 operands at once, so that the "
        "comparison per operand is a fourth of this.",
    )

    wide_add: Positive[EnergyPerOperation] = Input("energy to add two numbers of the wide format", unit="pJ/OP")
    wide_mul: Positive[EnergyPerOperation] = Input("energy to multiply two numbers of the wide format", unit="pJ/OP")
    narrow_add: Positive[EnergyPerOperation] = Input("energy to add two numbers of the narrow format", unit="pJ/OP")
    narrow_mul: Positive[EnergyPerOperation] = Input(
        "energy to multiply two numbers of the narrow format", unit="pJ/OP"
    )
    accumulate_add: Positive[EnergyPerOperation] = Input(
        "energy to add a narrow product to its running sum, which is wider", unit="pJ/OP"
    )
    memory_read: NonNegative[Energy] = Input("energy to read memory once", unit="pJ")

    def evaluate(self) -> OperationEnergyComparisonResult:
        wide_mac = self.wide_mul + self.wide_add
        narrow_mac = self.narrow_mul + self.accumulate_add
        add_ratio = self.wide_add / self.narrow_add
        mul_ratio = self.wide_mul / self.narrow_mul
        mac_ratio = wide_mac / narrow_mac
        read_over_narrow_mac = self.memory_read / narrow_mac
        return OperationEnergyComparisonResult(
            wide_mac=wide_mac,
            narrow_mac=narrow_mac,
            add_ratio=add_ratio,
            mul_ratio=mul_ratio,
            mac_ratio=mac_ratio,
            read_over_narrow_mac=read_over_narrow_mac,
        )

    def warnings(self, result: OperationEnergyComparisonResult) -> Iterator[Warning]:
        if any_of(result.mac_ratio <= 1):
            yield Warning(
                "no_gain", "a multiply-accumulate takes no less energy in the narrow format than in the wide one"
            )


class SystolicReuseEnergyScenario(Scenario[SystolicReuseEnergyResult]):
    """What energy does a systolic array save by using each operand many times once it is fetched?

    What a multiply-accumulate costs where all its operands are brought in from off the chip, and where cells of an
    array pass each operand on along their row or column. Assumes a full array; handing operands from cell to cell is
    free, and there is no cache or on-chip buffer on either side.

    Source: Kung (1982) for the principle, many uses of each input; Jouppi et al. (2017), section 2, for the array of a
    TPU; Horowitz (2014) for the energies.

    >>> array = SystolicReuseEnergyScenario(
    ...     access_energy="640 pJ", mac_energy="1 pJ", naive_accesses=4, edge_loads=2, array_dim=128).evaluate()
    >>> round(array.ratio, 1)
    232.8
    """

    title = "Operand reuse in a systolic array"
    sources = (KUNG_1982, JOUPPI_2017, HOROWITZ_2014)
    notes = (
        "The baseline reuses nothing, which is worse than any real processor. Read the ratio as the most that "
        "reuse can save; with any cache or register reuse it is less.",
        "A matrix narrower than array_dim reuses each operand only as often as it has rows or columns, so state "
        "its side in place of the array's.",
        "access_energy is for one operand: multiply a figure per byte by the operand's width.",
    )

    access_energy: NonNegative[Energy] = Input("energy to bring one operand in from outside the chip", unit="pJ")
    mac_energy: Positive[Energy] = Input("one multiply-accumulate", unit="pJ")
    naive_accesses: NonNegative[Integer] = Input(
        "accesses beyond the chip that a multiply-accumulate makes if nothing is reused: 4 with two "
        "operands and a sum read and written"
    )
    edge_loads: NonNegative[Integer] = Input(
        "operands that enter at the edge for one multiply-accumulate in every cell of a line"
    )
    array_dim: AtLeastOne[Integer] = Input("cells along one side, which is how often each fetched operand is used")

    def evaluate(self) -> SystolicReuseEnergyResult:
        naive_energy = self.naive_accesses * self.access_energy + self.mac_energy
        systolic_accesses = self.edge_loads / self.array_dim
        systolic_energy = systolic_accesses * self.access_energy + self.mac_energy
        ratio = naive_energy / systolic_energy
        return SystolicReuseEnergyResult(
            naive_energy=naive_energy,
            systolic_accesses=systolic_accesses,
            systolic_energy=systolic_energy,
            ratio=ratio,
        )

    def warnings(self, result: SystolicReuseEnergyResult) -> Iterator[Warning]:
        if any_of(result.ratio <= 1):
            yield Warning("no_gain", "the array takes no less energy than fetching every operand anew")
