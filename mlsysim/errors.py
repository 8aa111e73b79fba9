"""What can go wrong, in one tree. None of it knows HTTP.

MlsysimError
├── UnitError (a ValueError)       a quantity that cannot be read: no unit, an unknown one, one of the wrong dimension
├── UnknownName (a LookupError)    no scenario, configuration or catalog entry of that name
├── CatalogError (a ValueError)    a catalog file that cannot be trusted: no source, unknown field, dangling reference
└── EvaluationError (an ArithmeticError)  valid inputs whose answer does not fit a double

Inputs that break a rule raise pydantic's own ``ValidationError``; `input_errors` says of each what would do.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from pydantic import ValidationError

__all__ = ["CatalogError", "EvaluationError", "InputError", "MlsysimError", "UnitError", "UnknownName", "input_errors"]

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


class CatalogError(MlsysimError, ValueError):
    """A catalog file that breaks the catalog's rules."""


class EvaluationError(MlsysimError, ArithmeticError):
    """Valid inputs whose result is too large or too small for a double."""


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


def shorten(value: object, limit: int = _LONGEST_RECEIVED) -> str:
    """The value as JSON (text as it is), cut to `limit` characters."""
    if isinstance(value, str):
        text = value[: limit + 1]
    else:
        try:
            text = json.dumps(value, default=str, ensure_ascii=False)
        except (ValueError, RecursionError):
            text = str(type(value).__name__)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def input_errors(error: ValidationError) -> list[InputError]:
    """Each complaint of a pydantic validation as a JSON pointer, a message that says what would do, and the value."""
    return [_input_error(detail, error.title) for detail in error.errors(include_url=False)]


def _input_error(detail: Any, title: str) -> InputError:
    path = [str(part) for part in detail["loc"] if part != "[key]"]
    pointer = "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path)
    name = ".".join(path) or "the body"
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "missing":
        return InputError(pointer, f"{name} is missing", None)
    received = shorten(detail["input"]) if not isinstance(detail["input"], str) else shorten(f'"{detail["input"]}"')
    if kind == "extra_forbidden":
        return InputError(pointer, f"{name} is not known here", received)
    said = _SAID.get(kind)
    reason = said.format(**context) if said else detail["msg"]
    return InputError(pointer, f"{name} = {shorten(received, 60)} {reason}", received)


_SAID = {
    "string_type": "must be a text",
    "string_pattern_mismatch": "must match {pattern}",
    "string_too_long": "must have at most {max_length} characters",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "too_short": "must have at least {min_length} item(s)",
    "too_long": "must have at most {max_length} item(s)",
    "literal_error": "must be {expected}",
}
