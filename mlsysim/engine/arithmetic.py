"""The few operations that have to be written once for a number and for an array of numbers.

``+ - * / **`` and comparisons already do both. What branches or rounds comes from here, in scenarios and in formulas
alike, so that one line gives a single value in microseconds and a sweep of a million points.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from decimal import Context
from typing import Any

import numpy as np

from mlsysim.errors import EvaluationError

__all__ = [
    "ceil",
    "defined",
    "digits_of_power",
    "floor",
    "log2",
    "log10",
    "maximum",
    "minimum",
    "nearest",
    "power_of_two_at_least",
    "select",
    "sqrt",
]

_Array = np.ndarray
_ALL_WHOLE = 2**53  # up to here a double holds every whole number


def select(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then` where the condition holds, `otherwise` where it does not."""
    if isinstance(condition, _Array):
        return np.where(condition, then, otherwise)
    return then if condition else otherwise


def defined(condition: Any, value: Callable[[], Any]) -> Any:
    """``value()`` where the condition holds. Elsewhere it is not defined: None, or NaN in an array."""
    if isinstance(condition, _Array):
        with np.errstate(all="ignore"):
            return np.where(condition, value(), np.nan)
    return value() if condition else None


def minimum(first: Any, *others: Any) -> Any:
    """The smallest of the arguments, or of the items of a single one."""
    values = (first, *others) if others else tuple(first)
    if any(isinstance(value, _Array) for value in values):
        return functools.reduce(np.minimum, values)
    return min(values)


def maximum(first: Any, *others: Any) -> Any:
    """The largest of the arguments, or of the items of a single one."""
    values = (first, *others) if others else tuple(first)
    if any(isinstance(value, _Array) for value in values):
        return functools.reduce(np.maximum, values)
    return max(values)


def nearest(value: Any) -> Any:
    """The nearest whole number; a tie goes to the even one (IEEE 754 roundTiesToEven)."""
    return np.rint(value) if isinstance(value, _Array) else round(_certain(value))


def ceil(value: Any) -> Any:
    """The smallest whole number that is not below the value."""
    return np.ceil(value) if isinstance(value, _Array) else math.ceil(_certain(value))


def floor(value: Any) -> Any:
    """The largest whole number that is not above the value."""
    return np.floor(value) if isinstance(value, _Array) else math.floor(_certain(value))


def _certain(value: Any) -> Any:
    """The value itself, if the whole numbers beside it are known.

    Raises:
        EvaluationError: it is a double so large that it was rounded to some whole number already.
    """
    if isinstance(value, float) and abs(value) > _ALL_WHOLE:
        raise EvaluationError("a whole number beyond 2^53 would be a rounded one for these inputs")
    return value


def digits_of_power(base: Any, exponent: Any) -> Any:
    """How many decimal digits ``base ** exponent`` has, for whole numbers; exact however many there are."""
    if isinstance(base, _Array) or isinstance(exponent, _Array):
        return np.floor(exponent * np.log10(base)) + 1
    enough = Context(prec=len(str(base)) + len(str(exponent)) + 20)
    return int(enough.multiply(enough.log10(base), exponent)) + 1


def sqrt(value: Any) -> Any:
    """The square root."""
    return np.sqrt(value) if isinstance(value, _Array) else math.sqrt(value)


def log2(value: Any) -> Any:
    """The logarithm to base 2."""
    return np.log2(value) if isinstance(value, _Array) else math.log2(value)


def log10(value: Any) -> Any:
    """The logarithm to base 10."""
    return np.log10(value) if isinstance(value, _Array) else math.log10(value)


def power_of_two_at_least(value: Any) -> Any:
    """The smallest power of two, 1 or larger, that is not below the value."""
    if isinstance(value, _Array):
        mantissas, exponents = np.frexp(np.maximum(value, 1))
        return np.exp2(exponents - (mantissas == 0.5))
    mantissa, exponent = math.frexp(max(value, 1))
    return 2 ** (exponent - (mantissa == 0.5))
