"""Results of the scenarios about energy."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Energy, Real

__all__ = ["MemoryRoundTripResult", "OperationEnergyComparisonResult", "SystolicReuseEnergyResult"]


class MemoryRoundTripResult(Result):
    """Energy of moving one tensor to and from memory."""

    energy: Energy = Output("energy of all crossings", unit="uJ", formula="trips * tensor_bytes * energy_per_byte")


class OperationEnergyComparisonResult(Result):
    """Arithmetic energy of a wide and a narrow number format."""

    wide_mac: Energy = Output("one multiply-accumulate, all wide", unit="pJ", formula="wide_mul + wide_add")
    narrow_mac: Energy = Output(
        "one multiply-accumulate with a narrow product and a wider sum",
        unit="pJ",
        formula="narrow_mul + accumulate_add",
    )
    add_ratio: Real = Output("wide over narrow addition", formula="wide_add / narrow_add")
    mul_ratio: Real = Output("wide over narrow multiplication", formula="wide_mul / narrow_mul")
    mac_ratio: Real = Output("wide over narrow multiply-accumulate", formula="wide_mac / narrow_mac")
    read_over_narrow_mac: Real = Output(
        "narrow multiply-accumulates that one memory access could pay for", formula="memory_read / narrow_mac"
    )


class SystolicReuseEnergyResult(Result):
    """Operand reuse in a systolic array."""

    naive_energy: Energy = Output(
        "energy of a multiply-accumulate without reuse",
        unit="pJ",
        formula="naive_accesses * access_energy + mac_energy",
    )
    systolic_accesses: Real = Output(
        "off-chip accesses per multiply-accumulate in the array", formula="edge_loads / array_dim"
    )
    systolic_energy: Energy = Output(
        "energy of a multiply-accumulate in the array",
        unit="pJ",
        formula="systolic_accesses * access_energy + mac_energy",
    )
    ratio: Real = Output("how many times less energy the array uses", formula="naive_energy / systolic_energy")
