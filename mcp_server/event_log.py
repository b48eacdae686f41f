"""Structured logs: one event a line on stderr, as text or as JSON.

Implements docs/design/server-and-bridge.md §9. Events carry fields (``request_id``, ``tool``,
``duration_ms``, an ``ERR_*`` code), never source text. The libraries' warnings have the same form.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import sys
import time
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO

from mcp_server.terminal_text import safe_text


class LogFormat(StrEnum):
    """The format of log lines: for people, or for machines."""

    TEXT = "text"
    JSON = "json"


_logger = logging.getLogger("mcp_server")

_PLAIN = re.compile(r"""[^\s"'=]+""")
"""A value that needs no quotes."""


def log_event(event: str, *, level: int = logging.INFO, **fields: object) -> None:
    """Log ``event`` with its fields. Fields that are ``None`` are left out."""
    if _logger.isEnabledFor(level):
        present = {name: value for name, value in fields.items() if value is not None}
        _logger.handle(_Event(event, level, present))


_RECORD_ATTRIBUTES = vars(
    logging.LogRecord(_logger.name, 0, __file__, 0, "", None, None)
) | dict.fromkeys(("thread", "threadName", "process", "processName"))
"""The other attributes of an event's record, which some handlers need."""


class _Event(logging.LogRecord):
    """The log record of an event, without thread, process and line of code.

    Looking those up takes longer than writing the line, and a call to the Editor logs five events.
    """

    def __init__(self, event: str, level: int, fields: dict[str, object]) -> None:
        vars(self).update(_RECORD_ATTRIBUTES)
        self.msg = event
        self.levelno = level
        self.levelname = logging.getLevelName(level)
        self.created = time.time()
        self.msecs = self.created % 1 * 1000
        self.fields = fields


MAX_LOG_BYTES = 1024 * 1024
"""The largest log file, in bytes. A larger one is put aside, and a new one begun."""


class _RotatingStderr(logging.StreamHandler[TextIO]):
    """Writes to stderr, which is a file, and keeps that file small.

    The process writes everything to stderr, tracebacks of the interpreter included. So the file is
    copied and emptied, not renamed: the descriptor stays valid.
    """

    def __init__(self, file: Path) -> None:
        super().__init__(sys.stderr)
        self._file = file

    def emit(self, record: logging.LogRecord) -> None:
        super().emit(record)
        try:
            if os.fstat(sys.stderr.fileno()).st_size > MAX_LOG_BYTES:
                put_aside(self._file)
                os.ftruncate(sys.stderr.fileno(), 0)
                os.lseek(sys.stderr.fileno(), 0, os.SEEK_SET)
        except OSError:  # a long log is better than none
            self.handleError(record)


def put_aside(log: Path) -> None:
    """Copy a log next to itself, readable by its user alone. Raises ``OSError``."""
    aside = log.with_name(f"{log.name}.1")
    aside.unlink(missing_ok=True)
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as target, log.open("rb") as source:
        shutil.copyfileobj(source, target)


def configure_logging(
    log_format: LogFormat,
    rotated: Path | None = None,
    *,
    quiet: bool = False,
    verbose: bool = True,
) -> None:
    """Send this package's events, and the warnings of libraries, to stderr.

    ``rotated`` is the file that stderr goes to, which is kept short. ``quiet`` logs warnings and
    errors only. Without ``verbose``, the log has sentences for people, unless it is JSON or
    ``rotated``.
    """
    handler = logging.StreamHandler(sys.stderr) if rotated is None else _RotatingStderr(rotated)
    handler.setFormatter(_JsonLines() if log_format is LogFormat.JSON else _TextLines())
    if not verbose and rotated is None and log_format is LogFormat.TEXT:
        handler.setFormatter(_PlainLines())
        handler.addFilter(_is_for_people)
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    _logger.setLevel(logging.WARNING if quiet else logging.INFO)
    logging.getLogger("uvicorn.error").addFilter(_is_no_cancellation)


def _is_no_cancellation(record: logging.LogRecord) -> bool:
    """Return whether to log a record: not if the shutdown cancelled the request."""
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
        message = safe_text(record.getMessage().replace("\n", " "))
        words = [_time(record), f"{record.levelname:<7}", message]
        words += [f"{name}={_word(value)}" for name, value in fields.items()]
        return " ".join(words) + (f"\n{safe_text(traceback)}" if traceback else "")


_SENTENCES = {
    "clients_gone": "The last client has gone.",
    "told_to_stop": "unity-cli stop has ended this server.",
    "recovered": "Ended what an earlier process left behind: {what}.",
    "job_accepted": "The Editor runs {tool} (job {job_id}).",
    "server_state waiting_editor": "No Unity Editor is connected: script tools work without one.",
    "server_state ready": "The Unity Editor is connected.",
    "server_state stopping": "Stopping.",
}
"""The events that people see on a terminal, as sentences."""


def _sentence(record: logging.LogRecord) -> str | None:
    fields, event = _fields(record), record.getMessage()
    named = f"{event} {fields['state']}" if event == "server_state" else event
    return _SENTENCES[named].format_map(fields) if named in _SENTENCES else None


def _is_for_people(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING or _sentence(record) is not None


class _PlainLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        said = _sentence(record)
        if said is None:
            fields = _fields(record)
            traceback = fields.pop("traceback", None)
            listed = "; ".join(
                f"{name.replace('_', ' ')}: {value}" for name, value in fields.items()
            )
            event = record.getMessage().replace("\n", " ")
            event = event if " " in event else event.replace("_", " ")
            said = f"{record.levelname.lower()}: {event}"
            said += (f" ({listed})" if listed else "") + (f"\n{traceback}" if traceback else "")
        return f"{time.strftime('%H:%M:%S', time.localtime(record.created))} {said}"


def _word(value: object) -> str:
    text = str(value)
    return text if _PLAIN.fullmatch(text) and text.isprintable() else json.dumps(text)
