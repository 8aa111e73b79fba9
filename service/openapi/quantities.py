"""Components of quantities: as they are shown, and as they may be written."""

from __future__ import annotations

from typing import Any

from mlsysim.units import DIMENSIONS, LONGEST_TEXT, Dimension, patterns, unit_patterns
from service.openapi.parts import ref


def component(dimension: Dimension) -> str:
    """The name of the component of a dimension: ``DataRate``."""
    return "".join(word.capitalize() for word in dimension.name.split("_"))


def quantity_schemas() -> dict[str, Any]:
    """For each dimension the quantity as it is shown, and as it may be written; and the reference to a constant."""
    found: dict[str, Any] = {
        "ConstantReference": {
            "type": "object",
            "description": "A constant of the catalog, by its key.",
            "properties": {"ref": {"type": "string", "examples": ["kernel_launch"]}},
            "required": ["ref"],
            "additionalProperties": False,
        },
        "Quantity": _quantity("A quantity of any dimension.", None),
    }
    for dimension in DIMENSIONS:
        found[component(dimension)] = _quantity(f"{_sentence(dimension)} with its unit.", dimension)
        for sign, refused in (("", {}), ("NonNegative", {"exclusiveMaximum": 0}), ("Positive", {"maximum": 0})):
            found[f"{sign or 'Any'}{component(dimension)}"] = _written(dimension, sign, refused)
    return found


def _written(dimension: Dimension, sign: str, refused: dict[str, Any]) -> dict[str, Any]:
    """A quantity as it may be written: as text, as value and unit, or as a constant.

    Value and unit are the component that answers have, so that a generated client has one type for both; the bound
    stands beside the reference, as what the value may not be, because generators make a second type of anything else.
    """
    limit = {"": "", "NonNegative": ", not negative", "Positive": ", greater than 0"}[sign]
    return {
        "description": f"{_sentence(dimension)}{limit}: text with its unit, value and unit, or a catalog constant.",
        "x-dimension": dimension.name,
        "anyOf": [
            {
                "type": "string",
                "pattern": patterns(sign)[dimension.name],
                "maxLength": LONGEST_TEXT,
                "examples": [f"10 {unit}" for unit in dimension.common[:3]],
            },
            {**ref(component(dimension)), **({"not": {"properties": {"value": refused}}} if refused else {})},
            ref("ConstantReference"),
        ],
    }


def _sentence(dimension: Dimension) -> str:
    return dimension.title[0].upper() + dimension.title[1:]


def _quantity(description: str, dimension: Dimension | None) -> dict[str, Any]:
    unit: dict[str, Any] = {"type": "string", "description": "unit of the value", "maxLength": LONGEST_TEXT}
    if dimension:
        unit["pattern"] = unit_patterns()[dimension.name]
        unit["examples"] = list(dict.fromkeys([*dimension.common, dimension.si]))
    return {
        "type": "object",
        "description": description,
        **({"x-dimension": dimension.name} if dimension else {}),
        "properties": {"value": {"type": "number"}, "unit": unit},
        "required": ["value", "unit"],
        "additionalProperties": False,
    }
