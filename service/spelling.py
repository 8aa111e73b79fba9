"""Numbers and truth values of a query as JSON spells them; pydantic would take ``1_000``, `` 5`` and ``on``."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator
from pydantic_core import PydanticKnownError


def _spelled(pattern: str, otherwise: Literal["int_parsing", "float_parsing", "bool_parsing"]) -> BeforeValidator:
    matches = re.compile(pattern, re.ASCII).fullmatch

    def check(value: object) -> object:
        if isinstance(value, str) and not matches(value):
            raise PydanticKnownError(otherwise)
        return value

    return BeforeValidator(check)


AS_WHOLE = _spelled(r"-?\d+", "int_parsing")  # stands after a bound, which else the document would not say
Whole = Annotated[int, AS_WHOLE]
Number = Annotated[float, _spelled(r"-?\d+(\.\d+)?([eE][+-]?\d+)?", "float_parsing")]
Truth = Annotated[bool, _spelled("[Tt]rue|[Ff]alse", "bool_parsing")]  # True is what a client in Python may send
