"""Cut large answers to a size that every client accepts, by each tool's own rules.

Implements docs/design/server-and-bridge.md §7. Common clients refuse a message above 1 MiB, and an
answer contains both its text and its structure. ``truncated`` reports the cut. ``read_console`` can
continue from its cursor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic_core import to_json

from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.editor.unity_answers import editor_text, finished_text

MAX_ANSWER_BYTES = 1_000_000
FRAMING_BYTES = 4_096
"""Bytes reserved for the message around text and structure."""

LARGE_BYTES = 16 * 1024
"""The JSON of a larger result is kept, so that it is made only once."""

LONGEST_TEXT = 50_000
"""If not even one entry fits, each of its texts is cut to this many code points."""

_LISTS: Mapping[str, Sequence[str]] = {
    "read_console": ("entries",),
    "get_job_status": ("result", "failed_tests"),
    "run_tests": ("failed_tests",),
    "get_symbols": ("symbols",),
    "validate_script": ("validation", "diagnostics"),
    "edit_snippet": ("validation", "diagnostics"),
    "edit_scripts": ("files",),
    "get_history": ("changes",),
    "find_references": ("references",),
    "rename_symbol": ("files",),
}
"""The path to the list in each tool's result that may be large."""


def within_bounds(tool: str, arguments: Mapping[str, Any], outcome: Outcome) -> Outcome:
    """Return ``outcome``, cut to the limits. A large one keeps its JSON for later use."""
    if isinstance(outcome, ToolResult) and outcome.encoded is not None:
        return outcome
    encoded = to_json(outcome.to_json())
    room = MAX_ANSWER_BYTES - FRAMING_BYTES - _size(outcome.text) - len(encoded)
    if room > 0:
        if isinstance(outcome, ToolError) or len(encoded) <= LARGE_BYTES:
            return outcome
        return replace(outcome, encoded=encoded)
    if isinstance(outcome, ToolError):
        guarantee = {"execution_guarantee": outcome.details["execution_guarantee"]}
        return replace(outcome, details={**guarantee, "truncated": True})
    path = _LISTS.get(tool, ())
    if not isinstance(_at(outcome.structured, path), list):
        return outcome
    structured = _shortened(tool, arguments, outcome.structured, path)
    return ToolResult(structured, _text(tool, structured, outcome.text), to_json(structured))


def _shortened(
    tool: str, arguments: Mapping[str, Any], result: dict[str, Any], path: Sequence[str]
) -> dict[str, Any]:
    """Return the result with as many entries of its list as fit."""
    entries: list[Any] = _at(result, path)
    # The answer's text repeats some of the entries, within its own limit.
    room = MAX_ANSWER_BYTES - FRAMING_BYTES - _size(_with(result, path, [])) - _MAX_TEXT_BYTES
    newest_first = tool == "read_console" and "since" not in arguments
    kept: list[Any] = []
    for entry in reversed(entries) if newest_first else entries:
        room -= _size(entry) + 1
        if room < 0:
            break
        kept.append(entry)
    if not kept and entries:
        kept = [_with_short_texts(entries[-1 if newest_first else 0])]
    if newest_first:
        kept.reverse()
    shortened = _with(result, path, kept)
    if tool == "read_console":
        shortened |= {"count": len(kept), "truncated": True, **_cursor(arguments, result, kept)}
    elif tool == "get_job_status":
        shortened["result"]["truncated"] = True
    else:
        shortened["truncated"] = True
    return shortened


_MAX_TEXT_BYTES = 50_000


def _cursor(
    arguments: Mapping[str, Any], result: Mapping[str, Any], kept: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the cursor after the last kept entry.

    Only with ``since``, because then the oldest entries come first.
    """
    cursor = result.get("next_cursor")
    if "since" not in arguments or cursor is None or "id" not in kept[-1]:
        return {}
    run, dash, _ = cursor.rpartition("-")
    return {"next_cursor": f"{run}{dash}{kept[-1]['id']}"}


def _text(tool: str, structured: Mapping[str, Any], text: str) -> str:
    """Return the text for the shortened result: an Editor tool's text contains all entries."""
    if tool == "run_tests":
        text = finished_text(tool, structured)
    elif tool in ("read_console", "get_job_status"):
        text = editor_text(tool, structured)
    return text if _size(text) <= _MAX_TEXT_BYTES else text[: _MAX_TEXT_BYTES // 8] + " …"


def _at(value: Any, path: Sequence[str]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _with(value: Mapping[str, Any], path: Sequence[str], entries: list[Any]) -> dict[str, Any]:
    first, *rest = path
    inner = value[first]
    return {**value, first: _with(inner, rest, entries) if rest else entries}


def _with_short_texts(entry: Any) -> Any:
    if not isinstance(entry, Mapping):
        return entry
    return {
        key: f"{value[:LONGEST_TEXT]}… [{len(value) - LONGEST_TEXT} more characters]"
        if isinstance(value, str) and len(value) > LONGEST_TEXT
        else value
        for key, value in entry.items()
    }


def _size(value: Any) -> int:
    return len(to_json(value))
