"""Dimensions, the unit vocabulary, and how quantities are read and written."""

from mlsysim.units.dimensions import DIMENSIONS, Dimension
from mlsysim.units.vocabulary import LONGEST_QUANTITY, LONGEST_UNIT, Unit, in_si, patterns, read, unit, unit_patterns

__all__ = [
    "DIMENSIONS",
    "LONGEST_QUANTITY",
    "LONGEST_UNIT",
    "Dimension",
    "Unit",
    "in_si",
    "patterns",
    "read",
    "unit",
    "unit_patterns",
]
