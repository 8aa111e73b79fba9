"""Results of the scenarios about compression."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Integer, Real

__all__ = ["QuantizationGridResult"]


class QuantizationGridResult(Result):
    """Values on an integer quantization grid."""

    lo: Real = Output(
        ("lower end of the range used; a range taken from the values is widened to hold zero on an affine grid"),
        formula="alpha if alpha is not None else min(values) if symmetric else min(values + [0])",
    )
    hi: Real = Output(
        "upper end of the range used, widened in the same way",
        formula="beta if beta is not None else max(values) if symmetric else max(values + [0])",
    )
    qmin: Integer = Output(
        "lowest code", formula="-(2 ** (bits - 1) - 1) if symmetric else -(2 ** (bits - 1)) if signed else 0"
    )
    qmax: Integer = Output("highest code", formula="2 ** (bits - 1) - 1 if symmetric or signed else 2 ** bits - 1")
    steps: Integer = Output("gaps between the lowest and the highest code", formula="qmax - qmin")
    scale: Real = Output(
        "real-valued distance between neighboring codes",
        formula=(
            "1.0 if max(abs(lo), abs(hi)) < 1e-30 else max(abs(lo), abs(hi)) / qmax if symmetric else (hi - lo) / steps"
        ),
    )
    zero_point_exact: Real = Output(
        "steps from the lower end to zero, before rounding and before the shift by qmin",
        formula="0 if symmetric else -lo / scale",
    )
    zero_point: Integer = Output(
        "code that stands for zero", formula="0 if symmetric else qmin + round(zero_point_exact)"
    )
    codes: list[Integer] = Output(
        "stored code of each value", formula="[max(qmin, min(qmax, round(x / scale) + zero_point)) for x in values]"
    )
    readback: list[Real] = Output(
        "real value each code stands for", formula="[scale * (q - zero_point) for q in codes]"
    )
    errors: list[Real] = Output(
        "distance between each value and its read-back",
        formula="[abs(readback[i] - values[i]) for i in range(len(values))]",
    )
    max_rounding_error: Real = Output("largest error of a value inside the range", formula="scale / 2")
