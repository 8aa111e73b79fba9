"""Dimensions, the unit vocabulary, and how quantities are read and written."""

from mlsysim.units.dimensions import DIMENSIONS, Dimension
from mlsysim.units.vocabulary import LONGEST_TEXT, Unit, in_si, patterns, read, unit, unit_patterns

__all__ = [
    "DIMENSIONS",
    "LONGEST_TEXT",
    "Dimension",
    "Unit",
    "in_si",
    "patterns",
    "read",
    "unit",
    "unit_patterns",
]
