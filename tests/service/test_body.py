"""The fast way to read a body gives what the careful one does, value or complaint."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from service.body import _parse_slowly, parse
from service.problems import RequestProblem

TOKENS = (
    "{", "}", "[", "]", ",", ":", '"a"', '"b:"', '"\\ud800"', "1", "0", "-0", "1.5", "-0.0", "1e30", "1e400", "1e-400",
    "9007199254740993", "9007199254740993.0", "18446744073709551616", "true", "null", "NaN", " ", "\\", "\ufeff",
)  # fmt: skip
DEEP = [opened * depth + inner + closed * depth for depth in (30, 31, 32, 33, 2000) for inner in ("", "1")
        for opened, closed in (("[", "]"), ('{"a":[', "]}"))]  # fmt: skip
TWICE = ['{"a": 1, "a": 2}', '{"x": {"b": 1, "\\u0062": 1}}', '{"a:": 1, "a:": 2}']
WIDE = [json.dumps({str(index): index for index in range(members)}) for members in (1000, 1001)]


def outcome(read: Callable[[bytes], Any], text: str) -> str:
    try:
        return repr(read(text.encode()))
    except RequestProblem as problem:
        return problem.detail


def some_value(random: Random, depth: int = 0) -> Any:
    if depth < 4 and random.random() < 0.6:
        items = [some_value(random, depth + 1) for _ in range(random.randint(0, 4))]
        return items if random.random() < 0.4 else {random.choice("abcdef"): item for item in items}
    whole, real = 10 ** random.randint(0, 40), random.uniform(-9, 9) * 10.0 ** random.randint(-320, 300)
    return random.choice([0, 0.0, 1.5, whole, real, "x:y", "é", None, True])


def test_both_ways_to_read_a_body_agree() -> None:
    random = Random(0)
    texts = [*TOKENS, *DEEP, *TWICE, *WIDE, ""]
    texts += ["".join(random.choices(TOKENS, k=random.randint(2, 9))) for _ in range(20_000)]
    texts += [json.dumps(some_value(random), ensure_ascii=random.random() < 0.5) for _ in range(3000)]
    apart = [text for text in texts if outcome(parse, text) != outcome(_parse_slowly, text)]
    assert not apart
