"""When two answers are the same: numbers to 1e-9, everything else exactly."""

from __future__ import annotations

import math
from typing import Any

from mlsysim.engine.result import Result


def same(first: Any, second: Any, tolerance: float = 1e-9) -> bool:
    """Whether two values agree, through lists and maps; a result within another is a map of its outputs."""
    first, second = (value.__dict__ if isinstance(value, Result) else value for value in (first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key], tolerance) for key in first)
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    if _is_number(first) and _is_number(second):
        return math.isclose(first, second, rel_tol=tolerance, abs_tol=1e-300)
    return bool(first == second)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
