"""Whether a target stands close by exactly as it was sent, with the line before it.

Part of docs/design/engine.md §8. Of braces in a row, a place has the right ones around it, however
they are indented, where another has the indentation, and lacks a line: either may be meant.
"""

from __future__ import annotations

from snippet_engine.csharp.document import Document
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

_NEAR = 2
"""Lines between two places that one context may be around."""


def as_indented_near(document: Document, anchor: Anchor, place: TextRange) -> int | None:
    """The one-based line close to ``place`` at which the target stands with the line before it, or
    the one behind it, and both are indented as they were sent, while they aren't at ``place``.

    ``None`` where there is none.
    """
    target = anchor.target or ""
    *more, above, own = ["", *anchor.before.split("\n")][-3:]
    if not more or own.strip() or not target.strip():
        return None
    rest, *below = anchor.after.split("\n")[:2]
    behind = f"{rest}\n{below[0]}" if below and below[0].strip() and not rest.strip() else ""
    ways = ((f"\n{above}", ""), ("", behind))
    found = (
        _near(document, place, f"{before}\n{own}", target, after)
        for before, after in ways
        if (before + after).strip()
    )
    return next((each for each in found if each is not None), None)


def _near(document: Document, place: TextRange, before: str, target: str, after: str) -> int | None:
    """The one-based line close to ``place`` at which the target stands between these, if it doesn't
    there."""
    view, starts = document.source.view, document.source.line_starts
    text = f"{before}{target}{after}"
    start = place.start - len(before)
    if start >= 0 and view.startswith(text, start):
        return None
    first, last = map(document.source.line_number, place)
    # Where the line before it begins, with its line break.
    top = max(0, starts[max(0, first - _NEAR - 1)] - 1)
    end = last + _NEAR + after.count("\n") + 1
    bottom = starts[end] if end < len(starts) else len(view)
    at = view.find(text, top, bottom)
    return None if at < 0 else document.source.line_number(at + len(before) + len(target) - 1) + 1
