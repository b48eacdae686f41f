"""Under which id a line is to be answered that can't be read as JSON.

For docs/design/command-line.md ``mcp``: a request that is answered under no id is waited for until
its client gives up.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from typing import NamedTuple

MAX_ID_BYTES = 256
"""A longer id is not looked for: the answer repeats it."""

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\Z)|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
_LAST_MEMBERS = re.compile(
    rb'[,{]\s*"id"\s*:\s*("[^"\\]*"|-?\d+)\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*)*\}\s*\Z'
)


class LongLine(NamedTuple):
    """A line above the bound: how it begins, and how it ends."""

    head: bytes
    tail: bytes


def id_of(line: bytes | LongLine) -> str | int | None:
    """The id of a request that is no JSON, or only in parts; ``None`` where none can be told."""
    if isinstance(line, bytes):
        return _among_members(line)
    last = _LAST_MEMBERS.search(line.tail)
    found = _among_members(line.head)
    return found if found is not None or last is None else _read(last[1])


def _among_members(text: bytes) -> str | int | None:
    """The id among the members of the object that ``text`` begins with, however it goes on."""
    depth = 0
    found: list[bytes] = []
    before = [b"", b""]
    for match in _TOKEN.finditer(text.removeprefix(BOM_UTF8)):
        token = match[0]
        if token in b"{[":
            depth += 1
        elif token in b"}]":
            depth -= 1
            if not depth:
                break
        elif depth == 1 and before == [b'"id"', b":"]:
            found.append(token)
        elif depth == 1 and token == b":" and before[1] in (b'"result"', b'"error"'):
            return None  # an answer, which is not answered
        elif not depth:
            return None
        before = [before[1], token]
    return _read(found[0]) if len(found) == 1 else None


def _read(token: bytes) -> str | int | None:
    try:
        value = json.loads(token) if len(token) <= MAX_ID_BYTES else None
        json.dumps(value).encode()
    except ValueError:
        return None
    return value if isinstance(value, str) or type(value) is int else None
