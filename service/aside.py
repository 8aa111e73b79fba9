"""Long work in a thread, so that everyone else is still answered meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# Two, so that one long calculation does not keep the next waiting; more would only take turns on the interpreter.
_THREADS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="aside")


async def aside(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `work` returns, done in a thread; of more than two the others wait their turn."""
    return await asyncio.get_running_loop().run_in_executor(_THREADS, lambda: work(*args, **kwargs))
