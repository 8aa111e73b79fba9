"""Scenarios about smaller models: fewer bits, fewer weights, and what either delivers."""

from collections.abc import Iterator
from typing import Annotated

from mlsysim.engine.bibliography import IEEE_754, JACOB_2018, NAGEL_2021, ONNX_QUANTIZE
from mlsysim.engine.result_types.optimization.compression import QuantizationGridResult
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import Warning
from mlsysim.fields import Bound, Flag, Integer, Real

__all__ = ["QuantizationGridScenario"]

Value = Annotated[Real, Bound(ge=-1e30, le=1e30)]

# A range narrower than this holds nothing but zeros, for which any scale would do.
_ALL_ZERO = 1e-30


class QuantizationGridScenario(Scenario[QuantizationGridResult]):
    """Which integer grid do numbers land on, and how far off are they when read back?

    Scale, zero-point, codes and read-back values of a list of numbers at a given number of bits. An affine grid spans
    [lo, hi] and holds zero exactly, so that padding and ReLU zeros have a code of their own; a symmetric grid is
    centered on zero. Rounds to nearest with ties to even, adds the zero-point afterwards, and clips at the ends of the
    code range: a value outside [lo, hi] may be off by more than half a step.

    Source: Jacob et al. (2018), equation 1, r = S (q - Z); ONNX QuantizeLinear for the order of rounding and shifting.

    >>> grid = QuantizationGridScenario(values=[-1.0, 0.0, 3.0], bits=8).evaluate()
    >>> grid.zero_point, grid.codes
    (64, [0, 64, 255])
    """

    title = "Values on an integer quantization grid"
    sources = (JACOB_2018, NAGEL_2021, ONNX_QUANTIZE, IEEE_754)
    notes = (
        "The quotient is rounded first and the zero-point added afterwards, as ONNX defines it.",
        "A range taken from the values is widened to hold zero on an affine grid (as ONNX DynamicQuantizeLinear does); "
        "a stated range without zero is an error.",
        "All values zero: the scale is 1 and every code is the zero-point.",
        "Values outside the range are clipped, and their error may exceed max_rounding_error.",
        "At bits = 8 a symmetric grid leaves code -128 unused.",
    )
    rules = (
        Rule(
            "len(values) >= 1 or (alpha is not None and beta is not None)",
            at="values",
            because="a grid needs values to span, or both ends of its range",
        ),
        Rule(
            "bits >= 2 or not symmetric and not signed",
            at="bits",
            because="signed codes need a bit for the sign",
        ),
        Rule("symmetric or alpha is None or alpha <= 0", at="alpha", because="an affine range must hold zero"),
        Rule("symmetric or beta is None or beta >= 0", at="beta", because="an affine range must hold zero"),
        Rule("alpha is None or beta is None or alpha <= beta", at="beta"),
        Rule(
            "alpha is None or beta is not None or symmetric or alpha <= max(values + [0])",
            at="alpha",
            because="the range must not end before it begins",
        ),
    )

    values: list[Value] = Input("numbers to store", default=[], why="the grid can be asked for without values")
    bits: Annotated[Integer, Bound(ge=1, le=32)] = Input("bits per code")
    alpha: Value | None = Input("lower end of the clipping range; the smallest value when absent", default=None)
    beta: Value | None = Input("upper end of the clipping range; the largest value when absent", default=None)
    symmetric: Flag = Input(
        "grid centered on zero, signed codes, zero-point 0",
        default=False,
        why="an affine grid spends no codes on an unused side",
    )
    signed: Flag = Input(
        "affine codes around zero instead of from 0 up; no effect on a symmetric grid",
        default=False,
        why="unsigned codes are what most affine formats store",
    )

    def evaluate(self) -> QuantizationGridResult:
        spanned = self.values if self.symmetric else [*self.values, 0.0]
        lo = self.alpha if self.alpha is not None else min(spanned)
        hi = self.beta if self.beta is not None else max(spanned)
        largest = max(abs(lo), abs(hi))

        levels = 2 ** (self.bits - 1)
        if self.symmetric:
            qmin, qmax = -(levels - 1), levels - 1
        elif self.signed:
            qmin, qmax = -levels, levels - 1
        else:
            qmin, qmax = 0, 2 * levels - 1
        steps = qmax - qmin

        step = largest / qmax if self.symmetric else (hi - lo) / steps
        scale = 1.0 if largest < _ALL_ZERO else step
        zero_point_exact = 0.0 if self.symmetric else -lo / scale
        zero_point = 0 if self.symmetric else qmin + round(zero_point_exact)
        codes = [max(qmin, min(qmax, round(value / scale) + zero_point)) for value in self.values]
        readback = [scale * (code - zero_point) for code in codes]
        errors = [abs(back - value) for back, value in zip(readback, self.values, strict=True)]
        return QuantizationGridResult(
            lo=lo,
            hi=hi,
            qmin=qmin,
            qmax=qmax,
            steps=steps,
            scale=scale,
            zero_point_exact=zero_point_exact,
            zero_point=zero_point,
            codes=codes,
            readback=readback,
            errors=errors,
            max_rounding_error=scale / 2,
        )

    def warnings(self, result: QuantizationGridResult) -> Iterator[Warning]:
        reach = [result.scale * (code - result.zero_point) for code in (result.qmin, result.qmax)]
        slack = result.max_rounding_error
        clipped = [value for value in self.values if not reach[0] - slack <= value <= reach[1] + slack]
        if clipped:
            yield Warning("values_clipped", f"{len(clipped)} of {len(self.values)} values lie outside the range")
