"""Read a tool call's parameters from an argument, a file, or standard input.

Implements docs/design/command-line.md ``tool call`` and ``batch``. An error names the input that
can't be read or isn't JSON, and the place.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from mcp_server.calls.json_input import NotJson, not_utf8, parsed
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from snippet_engine.storage.system.plain_file import UnwrittenPipeError, read_given

MAX_BYTES = 4 * 1024 * 1024
"""The largest parameters that are read, in bytes: the same as over HTTP."""

PIPED_S = 3.0
"""How long to wait for data on standard input that ``-`` didn't ask for, in seconds."""

ARGUMENT = "--json"
STDIN = "standard input"


def from_argument(text: str) -> Any | ToolError:
    """Return the JSON value of ``--json``."""
    try:
        # Python decodes an argument's bytes that aren't UTF-8 as halves of surrogate pairs.
        decoded = _decode(text.encode("utf-8", "surrogateescape"), ARGUMENT, MAX_BYTES)
    except UnicodeEncodeError:  # another half: the check of the parameters reports it
        decoded = text
    return _parse(decoded, ARGUMENT)


def from_file(path: Path) -> Any | ToolError:
    """Return the text of ``--params-file``."""
    name = f"--params-file {path}"
    return _parse(text_of_file(path, name, MAX_BYTES), name)


def from_stdin() -> Any | ToolError:
    """Return all text on standard input."""
    return _parse(text_of_stdin(MAX_BYTES), STDIN)


def piped_in(within_s: float = PIPED_S) -> Any | ToolError | None:
    """Return the text piped in without a ``-``; ``None`` if nothing comes in time.

    Read on a thread: a pipe that was only inherited may stay open for ever.
    """
    if sys.stdin is None or sys.stdin.isatty():
        return None
    parts: list[bytes] = []
    reader = Thread(target=_read_parts, args=(parts,), name="standard input", daemon=True)
    reader.start()
    reader.join(within_s)
    data = b"".join(parts)
    if not data.strip():
        return None
    if reader.is_alive():
        return _unreadable(STDIN, f"did not end within {within_s:g} s. To wait for it, give -")
    return _parse(_decode(data, STDIN, MAX_BYTES), STDIN)


def something_waits() -> bool:
    """Return whether standard input has unread data, as far as can be seen. Reads nothing."""
    if sys.stdin is None:
        return False
    with suppress(OSError, ValueError, ImportError):
        number = sys.stdin.fileno()
        status = os.fstat(number)
        if stat.S_ISREG(status.st_mode):
            return status.st_size > os.lseek(number, 0, os.SEEK_CUR)
        if stat.S_ISFIFO(status.st_mode):
            from fcntl import ioctl  # noqa: PLC0415 - POSIX only, and a pipe is rare here
            from termios import FIONREAD  # noqa: PLC0415

            return int.from_bytes(ioctl(number, FIONREAD, bytes(4)), sys.byteorder) > 0
    return False


def _read_parts(parts: list[bytes]) -> None:
    """Read standard input in parts.

    Not through ``sys.stdin.buffer``, whose lock would keep the process from ending.
    """
    size = 0
    with suppress(OSError, ValueError):
        number = sys.stdin.fileno()
        while size <= MAX_BYTES and (part := os.read(number, 65536)):
            parts.append(part)
            size += len(part)


def text_of_file(path: Path, name: str, limit: int) -> str | ToolError:
    """Return the UTF-8 text of a file of at most ``limit`` bytes. Messages call it ``name``.

    A pipe that is open for writing (``<(…)`` of a shell) is read to its end; any other pipe is an
    error.
    """
    try:
        data, _ = read_given(path, limit + 1)
    except UnwrittenPipeError:
        return _unreadable(name, "is a pipe without a writer")
    except OSError as error:
        if os.path.isdir(path):  # Windows denies to open a folder
            return _unreadable(name, "is a folder")
        from snippet_engine.storage.os_failure import reason_of  # noqa: PLC0415 - only for failures

        return _unreadable(name, f"can't be read: {reason_of(error)}")
    except ValueError as error:  # a NUL in the path
        return _unreadable(name.partition(" ")[0], f"can't be read: {error}")
    return _decode(data, name, limit)


def text_of_stdin(limit: int) -> str | ToolError:
    """Return the UTF-8 text on standard input, at most ``limit`` bytes."""
    if sys.stdin is None:
        return _unreadable(STDIN, "is closed")
    return _decode(sys.stdin.buffer.read(limit + 1), STDIN, limit)


def not_json(name: str, found: NotJson) -> ToolError:
    """Return ``ERR_INVALID_PARAMS`` for the input ``name``, which is not usable JSON."""
    message = f"{name} {found.what}: {found.why}."
    return tool_error(ToolErrorCode.INVALID_PARAMS, message, text=message)


def _decode(data: bytes, name: str, limit: int) -> str | ToolError:
    if len(data) > limit:
        return _unreadable(name, f"has more than {limit:,} bytes")
    wrong = not_utf8(data)
    if wrong is not None:
        return _unreadable(name, f"{wrong.clause}. Save it as UTF-8")
    return data.decode("utf-8-sig")


def _parse(text: str | ToolError, name: str) -> Any | ToolError:
    if isinstance(text, ToolError):
        return text
    if not text.strip():
        return not_json(name, NotJson("it is empty. Send a JSON object"))
    value = parsed(text)
    if not isinstance(value, NotJson):
        return value
    names_file = "\n" not in text and (text.startswith("@") or text.strip().endswith(".json"))
    if name == ARGUMENT and names_file:
        file = text.strip().lstrip("@")
        return not_json(name, NotJson(f"it looks like a file name. Use --params-file {file}"))
    return not_json(name, value)


def _unreadable(name: str, why: str) -> ToolError:
    message = f"{name} {why}."
    return tool_error(ToolErrorCode.INVALID_REQUEST, message, text=message)
