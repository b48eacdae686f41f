"""The text of a refusal: the place, the error, the lines around it, and one ready request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from mcp_server.guard.events import factor
from mcp_server.guard.reports import NAMELESS, compact
from snippet_engine.changes.between import NotMade, ScriptChange, change_between
from snippet_engine.errors import ErrorCode, SnippetError, shortened
from snippet_engine.source_text import decode
from snippet_engine.tools.tool_bounds import bounded

if TYPE_CHECKING:
    from mcp_server.guard.before import Broken
    from snippet_engine.engine import SnippetEngine

MAX_CHARACTERS = 1_500
CORRECTED = "<your corrected text>"
_TEXTS = ("newText", "content", "text")

_MAX_LINE = 160
_MAX_NAMED = 3
_OFFER_MS = 100
_AGAIN = "If you send the same text again, it passes. Its errors are then reported, with an undo."


def text(engine: SnippetEngine, broken: Sequence[Broken], until: float) -> str:
    """Return the refusal. It contains a ready request if one is found by ``until``.

    ``until`` is a time of ``time.monotonic``.
    """
    first = broken[0]
    error = first.errors[0]
    place = f"{first.path}:{error.position.line + 1}:{error.position.character + 1}"
    code = "" if error.id in NAMELESS else f" ({error.id})"
    parts = [
        f"{place}: {shortened(error.message, 200)}{code}. "
        "With this text the file would not parse, so the edit was not made."
    ]
    parts += _lines_around(first.after, error.position.line)
    others = sum(len(each.errors) for each in broken) - 1
    if others:
        files = ", ".join(each.path for each in broken[:_MAX_NAMED])
        errors = "error" if others == 1 else "errors"
        parts.append(f"{others} more syntax {errors}, in: {shortened(files, 300)}")
    parts.append(_AGAIN)
    said = shortened("\n".join(parts), MAX_CHARACTERS)
    left_ms = round(min(_OFFER_MS * factor(), (until - monotonic()) * 1000))
    request = None
    if left_ms > 0:
        request = bounded(lambda: _ready_request(engine, broken), left_ms)
    if isinstance(request, str) and len(said) + 1 + len(request) <= MAX_CHARACTERS:
        said = f"{said}\n{request}"
    return said


def _lines_around(after: bytes, line: int) -> list[str]:
    """Return the line with the error and its neighbours that aren't blank, with numbers."""
    source = decode(after)
    if isinstance(source, SnippetError):
        return []
    lines = source.view.split("\n")
    shown = [each for each, text in enumerate(lines) if text.strip() or each == line]
    start = max(0, min(shown.index(line) - 1, len(shown) - 3)) if line in shown else 0
    return [
        f"{'>' if number == line else ' '} {number + 1} | "
        + (shortened(lines[number], _MAX_LINE) or "(the end of the file)")
        for number in shown[start : start + 3]
    ]


def _ready_request(engine: SnippetEngine, broken: Sequence[Broken]) -> str | None:
    """Return a request for our tools with the same change, corrected if a correction parses."""
    changes = []
    for each in broken:
        after = _with_endings_of(each.before, each.after)
        change = change_between(ScriptChange(each.path, each.before, after))
        if change is None or isinstance(change, NotMade):
            return None
        changes.append(change.to_json())
    if len(changes) == 1 and "instructions" in changes[0]:
        params = {**changes[0], "mode": "preview"}
        asked = engine.edit_snippet({**params, "validation": "embedded"})
        if isinstance(asked, SnippetError) and asked.code is ErrorCode.SYNTAX_ERROR:
            return _request_line("edit_snippet", params, asked)
    params = {"mode": "preview", "changes": changes}
    asked = engine.edit_scripts({**params, "validation": "embedded"})
    return _request_line("edit_scripts", params, asked) if isinstance(asked, SnippetError) else None


def _with_endings_of(before: bytes | None, after: bytes) -> bytes:
    """Return ``after`` with the line endings of ``before``, which our tools keep."""
    if before is None or b"\r\n" not in before or b"\0" in before:
        return after
    return after.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _request_line(tool: str, params: dict[str, Any], refused: SnippetError) -> str:
    left_out = ("validation", "timeout_ms")
    offers = (each for each in refused.offers if not each.lacks)
    offer = next((each for each in offers if not _changes_nothing(each.arguments)), None)
    if offer is not None:
        corrected = {key: each for key, each in offer.arguments.items() if key not in left_out}
        request = compact({**corrected, "mode": "apply"})
        return f"Ready request, which parses ({shortened(offer.what, 120)}): {tool} {request}"
    request = compact(_without_texts({**params, "mode": "apply"}))
    return f"Or send your corrected text with our tool: {tool} {request}"


def _changes_nothing(arguments: Mapping[str, Any]) -> bool:
    """Return whether a request only restores the old text."""
    instructions = arguments.get("instructions")
    return isinstance(instructions, list) and all(
        str(each.get("newText")).strip() == str(each.get("anchor", {}).get("target")).strip()
        for each in instructions
    )


def _without_texts(value: Any) -> Any:
    """Return a request without the refused texts, because they would be refused again."""
    if isinstance(value, list):
        return [_without_texts(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: CORRECTED if key in _TEXTS else _without_texts(each) for key, each in value.items()
    }
