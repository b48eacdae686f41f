"""Structured logs: one event a line on stderr, as text or as JSON.

Implements docs/design/server-and-bridge.md §9. Events carry fields (``request_id``, ``tool``,
``duration_ms``, an ``ERR_*`` code), never source text. Warnings of the libraries come out in
the same form.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any


class LogFormat(StrEnum):
    """How a line is written: for people, or for machines."""

    TEXT = "text"
    JSON = "json"


_logger = logging.getLogger("mcp_server")


def log_event(event: str, *, level: int = logging.INFO, **fields: object) -> None:
    """Log ``event`` with its fields; those that are ``None`` are left out."""
    present = {name: value for name, value in fields.items() if value is not None}
    _logger.log(level, event, extra={"fields": present})


def configure_logging(log_format: LogFormat) -> None:
    """Send this package's events, and the libraries' warnings, to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines() if log_format is LogFormat.JSON else _TextLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    _logger.setLevel(logging.INFO)
    logging.getLogger("uvicorn.error").addFilter(_is_no_cancellation)


def _is_no_cancellation(record: logging.LogRecord) -> bool:
    """Whether a record tells of anything but a request that was cut short by the shutdown."""
    from asyncio import CancelledError  # noqa: PLC0415 - loaded already where it matters

    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or not issubclass(kind, CancelledError)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = dict(getattr(record, "fields", {}))
    if record.exc_info:
        fields["traceback"] = logging.Formatter().formatException(record.exc_info)
    return fields


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **_fields(record),
        }
        return json.dumps(line, default=str)


class _TextLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = _fields(record)
        traceback = fields.pop("traceback", None)
        words = [_time(record), f"{record.levelname:<7}", record.getMessage().replace("\n", " ")]
        words += [f"{name}={_word(value)}" for name, value in fields.items()]
        return " ".join(words) + (f"\n{traceback}" if traceback else "")


def _word(value: object) -> str:
    """A value that stays one word on its line."""
    text = str(value)
    plain = text and not any(mark.isspace() or mark in "\"='" for mark in text)
    return text if plain and text.isprintable() else json.dumps(text)
