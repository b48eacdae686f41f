"""Line endings and byte order mark that a tool changed by accident. Pure."""

from __future__ import annotations

import json
from collections import Counter

from mcp_server.guard.watched import OutsideChange
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import SourceText, decode

_NAMES = {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}


def format_change(change: OutsideChange) -> str | None:
    """Return how a script's line endings or byte order mark changed; ``None`` if they didn't.

    A script that had several line endings before has no rule that could be broken.
    """
    if change.before is None or change.after is None:
        return None
    before, after = decode(change.before), decode(change.after)
    if isinstance(before, SnippetError) or isinstance(after, SnippetError):
        return None
    found = list(filter(None, (_endings(before, after), _mark(before, after))))
    if not found:
        return None
    said = f"{change.path}: its {', and its '.join(found)}."
    if change.undo is None:
        return said
    repair = json.dumps({**change.undo, "part": "format"}, separators=(",", ":"))
    return f"{said} To repair only that: undo_snippet {repair}"


def _endings(before: SourceText, after: SourceText) -> str | None:
    old, new = _counts(before), _counts(after)
    if len(old) != 1:
        return None
    (usual,) = old
    others = {each: count for each, count in new.items() if each != usual}
    if not others:
        return None
    told = " and ".join(f"{_NAMES[each]} in {count}" for each, count in others.items())
    return f"line endings changed from {_NAMES[usual]} to {told} of {new.total()} lines"


def _counts(source: SourceText) -> Counter[str]:
    return Counter(source.line_endings)


def _mark(before: SourceText, after: SourceText) -> str | None:
    if before.encoding == after.encoding:
        return None
    if before.encoding.codec != after.encoding.codec:
        return f"encoding changed from {before.encoding.codec} to {after.encoding.codec}"
    return f"byte order mark is {'gone' if before.encoding.bom else 'new'}"
