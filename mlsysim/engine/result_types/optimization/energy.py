"""Results of the scenarios about energy."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Energy, Real

__all__ = ["MemoryRoundTripResult", "OperationEnergyComparisonResult", "SystolicReuseEnergyResult"]


class MemoryRoundTripResult(Result):
    """Energy of moving one tensor to and from memory."""

    energy: Energy = Output("what all trips cost together", unit="uJ", formula="trips * tensor_bytes * energy_per_byte")


class OperationEnergyComparisonResult(Result):
    """Arithmetic energy of a wide and a narrow number format."""

    wide_mac: Energy = Output(
        "energy of a multiply-accumulate that is wide throughout", unit="pJ", formula="wide_mul + wide_add"
    )
    narrow_mac: Energy = Output(
        "energy of a multiply-accumulate that multiplies narrow and sums wider",
        unit="pJ",
        formula="narrow_mul + accumulate_add",
    )
    add_ratio: Real = Output("how many narrow additions a wide one is worth", formula="wide_add / narrow_add")
    mul_ratio: Real = Output("how many narrow multiplications a wide one is worth", formula="wide_mul / narrow_mul")
    mac_ratio: Real = Output(
        "how many narrow multiply-accumulates a wide one is worth", formula="wide_mac / narrow_mac"
    )
    read_over_narrow_mac: Real = Output(
        "how many narrow multiply-accumulates one read of memory is worth", formula="memory_read / narrow_mac"
    )


class SystolicReuseEnergyResult(Result):
    """Operand reuse in a systolic array."""

    naive_energy: Energy = Output(
        "what a multiply-accumulate costs if each operand comes from off the chip",
        unit="pJ",
        formula="naive_accesses * access_energy + mac_energy",
    )
    systolic_accesses: Real = Output(
        "operands per multiply-accumulate that the array brings in from outside the chip",
        formula="edge_loads / array_dim",
    )
    systolic_energy: Energy = Output(
        "what a multiply-accumulate costs with operands shared along the array",
        unit="pJ",
        formula="systolic_accesses * access_energy + mac_energy",
    )
    ratio: Real = Output("energy without reuse over energy in the array", formula="naive_energy / systolic_energy")
