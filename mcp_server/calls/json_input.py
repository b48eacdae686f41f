"""Parse JSON that a person typed; say what is wrong with it."""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from typing import Any

from mcp_server.json_text import why_not_json
from snippet_engine.schemas.schema_findings import quoted

_JSON_BEGINS = b'{[" \t\r\n'


@dataclass(frozen=True, slots=True)
class NotJson:
    """Why a text is not JSON, or is ambiguous."""

    why: str
    what: str = "is not JSON"
    """What is wrong, as a predicate: "is not JSON"."""


@dataclass(frozen=True, slots=True)
class NotUtf8:
    """Why bytes are not UTF-8 text."""

    clause: str
    at: int = 0


def not_utf8(data: bytes) -> NotUtf8 | None:
    """Return why bytes are not UTF-8 text; ``None`` if they are.

    UTF-16, which Windows' own programs write, gets a reason of its own.
    """
    begun = data[:2].replace(b"\0", b"")
    unmarked = len(begun) == 1 < len(data) and begun in _JSON_BEGINS
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or unmarked:
        return NotUtf8("is not UTF-8 text (it is UTF-16)")
    try:
        data.decode()  # "utf-8-sig" would count from after the mark
    except UnicodeDecodeError as error:
        why = f"byte {error.start}: 0x{data[error.start]:02x}"
        return NotUtf8(f"is not UTF-8 text ({why})", error.start)
    return None


def parsed(text: str, first_line: int = 1) -> Any | NotJson:
    """Return the JSON value of ``text``, or what is wrong with it.

    In the reason, columns start at one and lines at ``first_line``.
    """
    repeats: list[int] = []

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            repeats.append(len(pairs))
        return result

    try:
        value = json.loads(text, object_pairs_hook=made)
        return _repeated(text, first_line) if repeats else value
    except json.JSONDecodeError as error:
        line = error.lineno - 1 + first_line
        return NotJson(f"line {line}, column {error.colno}: {why_not_json(error)}")
    except ValueError as error:  # a number with more digits than Python reads
        return NotJson(str(error).partition(";")[0])
    except RecursionError:
        return NotJson("it is nested too deeply")


def _repeated(text: str, first_line: int) -> NotJson:
    """Return the first key of the JSON ``text`` that appears twice in one object."""
    from mcp_server.json_text import JsonLayout  # noqa: PLC0415 - only where it is wrong

    layout = JsonLayout(text)
    todo, found = [layout.root], []
    while todo:
        seen: set[str | int] = set()
        for member in layout.members(todo.pop()):
            if member.name in seen and member.key is not None:
                found.append((member.key.start, member.name))
            seen.add(member.name)
            todo.append(member.value)
    start, name = min(found)
    line, column = text.count("\n", 0, start) + first_line, start - text.rfind("\n", 0, start)
    return NotJson(f"line {line}, column {column}: {quoted(name)}", "gives a key twice")


def with_timeout(params: Any, timeout_s: float | None, longest_ms: int) -> Any:
    """Return ``params`` with ``--timeout`` as their ``timeout_ms``, if they have none.

    It is cut to ``longest_ms``, the tool's maximum.
    """
    if timeout_s is None or not isinstance(params, dict):
        return params
    return {"timeout_ms": min(max(1, round(timeout_s * 1000)), longest_ms), **params}
