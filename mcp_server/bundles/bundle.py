"""One bundle file: its requests, or why it can't be read.

Implements docs/design/command-line.md ``lint``: a bundle is a JSON file with one request, or an
array of them. Reading one can neither block (FIFOs, devices) nor fill the memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp_server.bundles.findings import FILE_START, Finding, Region
from mcp_server.bundles.json_text import JsonProblem, JsonText, parse_json
from mcp_server.bundles.rules import INVALID_JSON, REPEATED_KEY, UNREADABLE
from mcp_server.calls.json_input import not_utf8
from snippet_engine.errors import ErrorCode
from snippet_engine.schemas.schema_check import render_path
from snippet_engine.schemas.schema_findings import JsonPath
from snippet_engine.schemas.schema_messages import quoted
from snippet_engine.source_text import utf16_length
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.plain_file import NotARegularFileError, read_plain

MAX_BYTES = 4 * 1024 * 1024
"""Largest bundle that is read, in bytes: the same as for a call's parameters."""


@dataclass(frozen=True, slots=True)
class BundleFile:
    """Where a bundle is, and how messages name it (with ``/`` between segments)."""

    path: Path
    shown: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle's text, its requests with their JSON paths, and its own faults."""

    file: BundleFile
    text: JsonText
    requests: tuple[tuple[JsonPath, Any], ...]
    faults: tuple[Finding, ...]


_HOLDS = "a request of edit_snippet or edit_scripts, or an array of them"


def read_bundle(file: BundleFile) -> Bundle | Finding:
    """Read and parse the bundle; a finding says why that can't be done."""

    def fault(code: str, message: str, region: Region = FILE_START) -> Finding:
        return Finding(file.shown, "$", region, code, message)

    data = _read(file.path)
    if isinstance(data, str):
        return fault(UNREADABLE, data)
    wrong = not_utf8(data)
    if wrong is not None:
        return fault(INVALID_JSON, f"{wrong.clause}. Save it as UTF-8", _after(data[: wrong.at]))
    text = data.decode("utf-8-sig")
    if not text.strip():
        return fault(INVALID_JSON, f"is empty; a bundle holds {_HOLDS}")
    parsed = parse_json(text)
    if isinstance(parsed, JsonProblem):
        return fault(INVALID_JSON, parsed.message, parsed.region)
    repeated = [
        Finding(file.shown, render_path(each.steps), each.region, REPEATED_KEY, each.message)
        for each in parsed.repeated_keys()
    ]
    value = parsed.value
    if isinstance(value, list):
        if not value:
            message = "is an empty array, without any request"
            return fault(ErrorCode.INVALID_REQUEST, message, parsed.region(()))
        requests = tuple(((index,), each) for index, each in enumerate(value))
        return Bundle(file, parsed, requests, tuple(repeated))
    if not isinstance(value, dict):
        message = f"must be {_HOLDS} (got {quoted(value)})"
        return fault(ErrorCode.INVALID_REQUEST, message, parsed.region(()))
    return Bundle(file, parsed, (((), value),), tuple(repeated))


def _read(path: Path) -> bytes | str:
    """Return the file's bytes, or why they can't be read."""
    try:
        data = read_plain(path, MAX_BYTES + 1)
    except IsADirectoryError:
        return "is a folder"
    except NotARegularFileError:
        return "is not a regular file"
    except OSError as error:
        return f"can't be read: {reason_of(error)}"
    if len(data) > MAX_BYTES:
        return f"has more than {MAX_BYTES:,} bytes, the limit; split it"
    return data


def _after(before: bytes) -> Region:
    """Return the place right after ``before``, which is UTF-8."""
    line_start = before.rfind(b"\n") + 1
    line = before.count(b"\n") + 1
    shown = before[line_start:].decode("utf-8-sig" if line_start == 0 else "utf-8")
    column = utf16_length(shown) + 1
    return Region(line, column, line, column)
