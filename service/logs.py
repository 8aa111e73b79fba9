"""Logs: one JSON object a line on standard output, or lines for people; uvicorn's own go the same way."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import orjson
import structlog
from structlog.typing import EventDict

from service.settings import Settings

Render = Callable[[str, EventDict], bytes]

_NAMES = {level: logging.getLevelName(level).lower() for level in (10, 20, 30, 40, 50)}
_level = logging.INFO


def configure(settings: Settings) -> None:
    """Log as the settings say, from here on and for the whole process."""
    global _level, _render
    _level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    _render = _to_json if settings.log_format == "json" else _to_text()
    logging.basicConfig(handlers=[_Handler()], level=_level, force=True)


class Logger:
    """Writes each event as a line on standard output, and does little else, for every request has one."""

    def __init__(self, level: int, render: Render) -> None:
        self._level = level
        self._render = render
        self._output = sys.stdout.buffer

    def is_enabled_for(self, level: int) -> bool:
        """Whether events of that level are written."""
        return level >= self._level

    def log(self, level: int, event: str, **facts: Any) -> None:
        """Write an event, if its level is."""
        if level >= self._level:
            facts["event"] = event
            with suppress(OSError, ValueError):  # a full disk or a closed pipe is no reason to answer no one
                self._output.write(self._render(_NAMES.get(level, str(level)), facts) + b"\n")
                self._output.flush()


def logger() -> Logger:
    """A logger as configured now."""
    return Logger(_level, _render)


def _to_json(level: str, event: EventDict) -> bytes:
    if "exc_info" in event:
        event = structlog.processors.format_exc_info(None, level, event)
    return orjson.dumps({"time": datetime.now(UTC), "level": level, **event}, default=str, option=orjson.OPT_UTC_Z)


def _to_text() -> Render:
    stamp = structlog.processors.TimeStamper("%H:%M:%S", utc=False)
    render = structlog.dev.ConsoleRenderer(colors=sys.stdout.isatty())
    return lambda level, event: str(render(None, level, stamp(None, level, {**event, "level": level}))).encode(
        errors="replace"
    )


_render: Render = _to_json


class _Handler(logging.Handler):
    """Passes on what libraries log with the standard library."""

    def __init__(self) -> None:
        super().__init__()
        self.log = logger()

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record as an event of ours."""
        self.log.log(record.levelno, record.getMessage().strip(), logger=record.name, exc_info=record.exc_info)
