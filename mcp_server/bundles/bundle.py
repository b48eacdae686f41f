"""One bundle file: its requests, or why it can't be read.

Implements docs/design/command-line.md ``lint``: a bundle is a JSON file with one request, or an
array of them. Reading one can neither block (FIFOs, devices) nor fill the memory.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mcp_server.bundles.findings import (
    FILE_START,
    INVALID_JSON,
    REPEATED_KEY,
    UNREADABLE,
    Finding,
    Region,
)
from mcp_server.calls.json_input import not_utf8
from mcp_server.json_text import JsonLayout, Member, Span, why_not_json
from snippet_engine.errors import ErrorCode
from snippet_engine.schemas.checked_params import render_path
from snippet_engine.schemas.schema_findings import JsonPath, quoted
from snippet_engine.source_text import utf16_length
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.plain_file import NotARegularFileError, read_plain

MAX_BYTES = 4 * 1024 * 1024
"""Largest bundle that is read, in bytes: the same as for a call's parameters."""


@dataclass(frozen=True, slots=True)
class BundleFile:
    """A bundle file, by its path."""

    path: Path
    shown: str
    """The path as messages name it, with ``/`` between segments."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle's text, its requests with their JSON paths, and the faults of the file."""

    file: BundleFile
    text: JsonText
    requests: tuple[tuple[JsonPath, Any], ...]
    faults: tuple[Finding, ...]


_HOLDS = "a request of edit_snippet or edit_scripts, or an array of them"


def read_bundle(file: BundleFile) -> Bundle | Finding:
    """Read and parse a bundle. If that fails, its finding says why."""

    def fault(code: str, message: str, region: Region = FILE_START) -> Finding:
        return Finding(file.shown, "$", region, code, message)

    data = _read(file.path)
    if isinstance(data, str):
        return fault(UNREADABLE, data)
    wrong = not_utf8(data)
    if wrong is not None:
        return fault(
            INVALID_JSON,
            f"{wrong.clause}. Save it as UTF-8",
            _at(data[: wrong.at].decode("utf-8-sig")),
        )
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


_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]++|\\.)*+"|NaN|-?Infinity')


@dataclass(frozen=True, slots=True)
class JsonProblem:
    """Why a text is not valid JSON, or is ambiguous, and at which place."""

    message: str
    region: Region
    steps: JsonPath = ()


class JsonText:
    """A JSON document. Make one with :func:`parse_json`."""

    def __init__(self, text: str, value: Any, *, repeats_keys: bool) -> None:
        self.value = value
        self._repeats_keys = repeats_keys
        self._text = text
        self._layout = JsonLayout(text)
        self._inner: dict[JsonPath, dict[str | int, Member]] = {}

    def region(self, steps: JsonPath, *, key: bool = False) -> Region:
        """Return the place of the value at ``steps``, or of its parent if it is missing.

        With ``key``, return the place of its key instead.
        """
        for length in range(len(steps), 0, -1):
            member = self._member(steps[:length])
            if member is not None:
                of_key = key and length == len(steps) and member.key is not None
                return self._region(member.key if of_key and member.key else member.value)
        return self._region(self._layout.root)

    def repeated_keys(self) -> Iterator[JsonProblem]:
        """Yield each value whose key appeared before in the same object."""
        todo: list[tuple[JsonPath, Span]] = [((), self._layout.root)] if self._repeats_keys else []
        while todo:
            steps, container = todo.pop()
            seen: set[str | int] = set()
            for member in self._layout.members(container):
                if member.name in seen and member.key is not None:
                    message = f"gives {quoted(member.name)} more than once"
                    yield JsonProblem(message, self._region(member.key), steps)
                seen.add(member.name)
                todo.append(((*steps, member.name), member.value))

    def _member(self, steps: JsonPath) -> Member | None:
        """Return the member at ``steps``. If its key is repeated, return the last one."""
        parent, step = steps[:-1], steps[-1]
        if parent not in self._inner:
            holder = self._member(parent) if parent else None
            if parent and holder is None:
                return None
            inside = self._layout.root if holder is None else holder.value
            self._inner[parent] = {each.name: each for each in self._layout.members(inside)}
        return self._inner[parent].get(step)

    def _region(self, span: Span) -> Region:
        return Region(*self._place(span.start), *self._place(span.end))

    def _place(self, offset: int) -> tuple[int, int]:
        """Return the line and the UTF-16 column, both from one, of a code point offset."""
        line = bisect_right(self._line_starts, offset)
        before = self._text[self._line_starts[line - 1] : offset]
        return line, utf16_length(before) + 1

    @cached_property
    def _line_starts(self) -> list[int]:
        # A document may have as many repeated keys as lines.
        return [0, *(match.end() for match in re.finditer("\n", self._text))]


def parse_json(text: str) -> JsonText | JsonProblem:
    """Parse ``text`` as one JSON value, or return the first problem."""
    constants: list[str] = []
    repeats: list[str] = []

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            repeats.append("a key")
        return result

    try:
        value = json.loads(text, parse_constant=constants.append, object_pairs_hook=made)
    except json.JSONDecodeError as error:
        return JsonProblem(f"is not JSON: {why_not_json(error)}", _at(text, error.pos))
    except ValueError as error:  # a number with more digits than Python reads
        why = str(error).partition(";")[0]
        return JsonProblem(f"can't be read as JSON: {why}", FILE_START)
    except RecursionError:
        return JsonProblem("is nested too deeply", FILE_START)
    if constants:
        matches = _STRING_OR_CONSTANT.finditer(text)
        offset = next(match.start() for match in matches if not match[0].startswith('"'))
        return JsonProblem(f"is not JSON: {constants[0]} is no JSON value", _at(text, offset))
    return JsonText(text, value, repeats_keys=bool(repeats))


def _at(text: str, offset: int | None = None) -> Region:
    """Return the place of the character at ``offset``; by default, the end of ``text``."""
    offset = len(text) if offset is None else offset
    line = text.count("\n", 0, offset) + 1
    column = utf16_length(text[text.rfind("\n", 0, offset) + 1 : offset]) + 1
    width = utf16_length(text[offset : offset + 1].strip("\r\n"))
    return Region(line, column, line, column + width)
