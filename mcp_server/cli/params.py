"""Where a tool call's parameters come from: an argument, a file, or standard input.

Implements spec 03-command-line ``tool call``. What can't be read or isn't JSON is an error
that says where, never a traceback.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from mcp_server.errors import ToolError, ToolErrorCode, tool_error

MAX_BYTES = 4 * 1024 * 1024
"""Largest parameters that are read, in bytes: the same as over HTTP."""


def from_argument(text: str) -> Any | ToolError:
    """The value of ``--json``."""
    return _parse(text, "--json")


def from_file(path: Path) -> Any | ToolError:
    """The content of ``--params-file``."""
    name = f"--params-file {path}"
    try:
        if path.is_dir():
            return _unreadable(name, "is a folder")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        return _unreadable(name, f"can't be read: {os.strerror(error.errno or 0)}")
    except ValueError as error:  # a NUL in the path
        return _unreadable("--params-file", f"can't be read: {error}")
    return _decode(data, name)


def from_stdin() -> Any | ToolError:
    """Everything on standard input."""
    return _decode(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")


def _decode(data: bytes, name: str) -> Any | ToolError:
    if len(data) > MAX_BYTES:
        return _unreadable(name, f"has more than {MAX_BYTES:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _unreadable(
            name, f"is not UTF-8 text (byte {error.start}: 0x{data[error.start]:02x})"
        )
    return _parse(text, name)


def _parse(text: str, name: str) -> Any | ToolError:
    if not text.strip():
        return _not_json(name, "it is empty. Send a JSON object")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        return _not_json(name, f"line {error.lineno}, column {error.colno}: {error.msg}")
    except ValueError as error:  # a number with more digits than Python reads
        return _not_json(name, str(error).partition(";")[0])
    except RecursionError:
        return _not_json(name, "it is nested too deeply")


def _unreadable(name: str, why: str) -> ToolError:
    message = f"{name} {why}."
    return tool_error(ToolErrorCode.INVALID_REQUEST, message, text=message)


def _not_json(name: str, why: str) -> ToolError:
    message = f"{name} is not JSON: {why}."
    return tool_error(ToolErrorCode.INVALID_PARAMS, message, text=message)
