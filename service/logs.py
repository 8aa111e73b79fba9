"""Logs: one JSON object a line on standard output, or lines for people; uvicorn's own go the same way."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import Any

import orjson
import structlog
from structlog.typing import EventDict, Processor

from service.settings import Settings


def configure(settings: Settings) -> None:
    """Log as the settings say, from here on and for the whole process."""
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    structlog.configure(
        processors=_json() if settings.log_format == "json" else _console(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.BytesLoggerFactory(),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(handlers=[_Handler()], level=level, force=True)


def logger() -> structlog.typing.FilteringBoundLogger:
    """A logger as configured now."""
    return structlog.get_logger().bind()  # type: ignore[no-any-return]


def _json() -> list[Processor]:
    return [structlog.processors.format_exc_info, _to_json]


def _console() -> list[Processor]:
    render = structlog.dev.ConsoleRenderer(colors=sys.stdout.isatty())
    return [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper("%H:%M:%S", utc=False),
        lambda log, method, event: str(render(log, method, event)).encode(errors="replace"),
    ]


def _to_json(log: Any, method: str, event: EventDict) -> bytes:
    return orjson.dumps({"time": datetime.now(UTC), "level": method, **event}, default=str, option=orjson.OPT_UTC_Z)


class _Handler(logging.Handler):
    """Passes on what libraries log with the standard library."""

    def __init__(self) -> None:
        super().__init__()
        self.log = logger()

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record as an event of ours."""
        self.log.log(record.levelno, record.getMessage().strip(), logger=record.name, exc_info=record.exc_info)
