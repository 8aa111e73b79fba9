"""Dimensions, the unit vocabulary, and how quantities are read and written."""

from mlsysim.units.dimensions import DIMENSIONS, Dimension
from mlsysim.units.vocabulary import Unit, in_si, patterns, read, unit

__all__ = ["DIMENSIONS", "Dimension", "Unit", "in_si", "patterns", "read", "unit"]
