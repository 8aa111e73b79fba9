"""What can go wrong, in one tree. None of it knows HTTP.

MlsysimError
├── UnitError (a ValueError)       a quantity that cannot be read: no unit, an unknown one, one of the wrong dimension
├── UnknownName (a LookupError)    no scenario, configuration or catalog entry of that name
├── CatalogError (a ValueError)    a catalog file that cannot be trusted: no source, unknown field, dangling reference
└── EvaluationError (an ArithmeticError)  valid inputs whose answer does not fit a double

Building a scenario from inputs that break a rule raises pydantic's own ``ValidationError``; `input_errors` explains it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from pydantic import ValidationError

__all__ = [
    "CatalogError",
    "EvaluationError",
    "InputError",
    "InvalidInputs",
    "MlsysimError",
    "UnitError",
    "UnknownName",
    "input_errors",
]

_LONGEST_RECEIVED = 100


class MlsysimError(Exception):
    """Anything this package raises on purpose."""


class UnitError(MlsysimError, ValueError):
    """A quantity that cannot be read."""


class UnknownName(MlsysimError, LookupError):
    """A name that stands for nothing, with the names it may have meant."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.closest = closest(name, known)
        super().__init__(f'there is no {what} "{shorten(name)}"{did_you_mean(self.closest)}')


class InvalidInputs(MlsysimError, ValueError):
    """Inputs that will not do.

    Attributes:
        errors: what is wrong with them, at most 20 things.
        count: how many things are wrong.
    """

    def __init__(self, errors: list[InputError], count: int) -> None:
        self.errors = errors
        self.count = count
        more = f" (and {count - 1} more)" if count > 1 else ""
        super().__init__(f"{errors[0].message}{more}")


class CatalogError(MlsysimError):
    """A catalog file that breaks the catalog's rules."""


class EvaluationError(MlsysimError, ArithmeticError):
    """Valid inputs whose result is too large or too small for a double.

    Attributes:
        errors: the inputs that drive it, where they were looked for.
    """

    def __init__(self, message: str, errors: Iterable[InputError] = ()) -> None:
        super().__init__(message)
        self.errors = list(errors)


class InputError(NamedTuple):
    """One thing wrong with the inputs.

    Attributes:
        pointer: JSON pointer (RFC 6901) to the offending value.
        message: what is wrong and what would do.
        received: the offending value as JSON, at most 100 characters; None where nothing was given.
    """

    pointer: str
    message: str
    received: str | None


def closest(name: str, known: Iterable[str]) -> list[str]:
    """Up to three of the known names that look like `name`, regardless of case."""
    import difflib  # only an error pays for it

    by_folded = {candidate.casefold(): candidate for candidate in known}
    matches = difflib.get_close_matches(name[:_LONGEST_RECEIVED].casefold(), by_folded, n=3, cutoff=0.5)
    return [by_folded[match] for match in matches]


def did_you_mean(names: list[str]) -> str:
    """``; did you mean A, B or C?``, or nothing where there is nothing to suggest."""
    if not names:
        return ""
    return f"; did you mean {one_of(names)}?"


def one_of(names: Iterable[object]) -> str:
    """``A``, ``A or B``, ``A, B or C``."""
    *others, last = map(str, names)
    return f"{', '.join(others)} or {last}" if others else last


def counted(number: Any, noun: str) -> str:
    """``1 node``, ``3 nodes``."""
    one = isinstance(number, (int, float)) and number == 1
    return f"{number} {noun}" if one else f"{number} {noun}s"


def shorten(value: object, limit: int = _LONGEST_RECEIVED, quoted: bool = False) -> str:
    """The value as JSON, cut to `limit` characters; a text as it is, unless it is to be quoted."""
    if isinstance(value, str):
        value = value[: limit + 1]
    if isinstance(value, str) and not quoted:
        text = value
    else:
        try:
            text = json.dumps(_beginning(value), default=str, ensure_ascii=False)
        except (ValueError, RecursionError):
            text = type(value).__name__
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _beginning(value: object, depth: int = 4) -> object:
    """The part of a value that is shown when it is cut."""
    if depth == 0 and isinstance(value, (list, dict)):
        return "…"
    if isinstance(value, str):
        return value[: _LONGEST_RECEIVED + 1]
    if isinstance(value, list):
        return [_beginning(item, depth - 1) for item in value[:_LONGEST_RECEIVED]]
    if isinstance(value, dict):
        shown = islice(value.items(), _LONGEST_RECEIVED)
        return {str(key)[:_LONGEST_RECEIVED]: _beginning(item, depth - 1) for key, item in shown}
    return value


def input_errors(error: ValidationError, known: Mapping[str, object] | None = None, most: int = 20) -> list[InputError]:
    """The first complaints of a pydantic validation, each with what would do.

    Args:
        error: what pydantic raised.
        known: the fields that may stand at the top level by name, to suggest one for an unknown key.
        most: how many complaints to explain; `error.error_count()` says how many there are.
    """
    return [explain(detail, known) for detail in error.errors(include_url=False)[:most]]


def explain(detail: Mapping[str, Any], known: Mapping[str, object] | None = None, quoted: bool = True) -> InputError:
    """One complaint in pydantic's form as a JSON pointer, a message that says what would do, and the value.

    Args:
        detail: the complaint.
        known: the fields that may stand at the top level by name, to suggest one for an unknown key.
        quoted: show a text as JSON shows it; false where all values are text, as in a query.
    """
    path = [str(part) for part in detail["loc"]]
    if path[-1:] == ["[key]"] and len(path) > 1 and detail["input"] == path[-2]:
        path.pop()
    too_long = next((index for index, part in enumerate(path) if len(part) > _LONGEST_NAME), len(path))
    pointer = "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path[:too_long])
    name = shorten(".".join(path)) or "the body"
    kind = detail["type"]
    if kind == "missing":
        return InputError(pointer, f"{name} is missing", None)
    if kind == "not_stated":
        return InputError(pointer, f"{name} {detail['msg']}", None)
    received = shorten(detail["input"], quoted=quoted)
    if kind == "unacceptable_parameter":
        return InputError(pointer, f"{name} {detail['msg']}", received)
    if kind == "extra_forbidden":
        guesses = closest(path[-1], _known_beside(path, known or {}))
        return InputError(pointer, f"{name} is not known here{did_you_mean(guesses)}", received)
    context = detail.get("ctx", {})
    if kind in _LENGTHS:
        side, limit, noun = _LENGTHS[kind]
        reason = f"must have {side} {counted(context[limit], noun)}"
    else:
        reason = _SAID[kind].format(**context) if kind in _SAID else detail["msg"]
    return InputError(pointer, f"{name} = {shorten(detail['input'], 60, quoted=quoted)} {reason}", received)


def _known_beside(path: list[str], known: Mapping[str, Any]) -> Mapping[str, Any]:
    """The names that may stand where the last of the path does, with the fields they name."""
    from mlsysim.fields import Shape, shape_of

    shape: Shape | None = None
    for part in path[:-1]:
        shape = shape.item if shape and shape.item else shape_of(known[part]) if part in known else None
        fields = shape.model.model_fields if shape and shape.model else {}
        known = {info.alias or name: info for name, info in fields.items()}
    return known


_LONGEST_NAME = 200
_LENGTHS = {
    "string_too_short": ("at least", "min_length", "character"),
    "string_too_long": ("at most", "max_length", "character"),
    "too_short": ("at least", "min_length", "item"),
    "too_long": ("at most", "max_length", "item"),
}
_SAID = {
    "string_type": "must be a text",
    "string_pattern_mismatch": "must match {pattern}",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "finite_number": "must be a finite number",
    "float_parsing": "must be a number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a whole number of reasonable size",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "literal_error": "must be {expected}",
}
