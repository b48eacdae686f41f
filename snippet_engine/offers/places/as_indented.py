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
    """The one-based line close to ``place`` at which the target stands with the line before it, and
    both are indented as they were sent, while they aren't at ``place``.

    ``None`` where there is none.
    """
    view, target = document.source.view, anchor.target or ""
    *more, line, own = ["", *anchor.before.split("\n")][-3:]
    if not more or not line.strip() or own.strip() or not target.strip():
        return None
    text = f"\n{line}\n{own}{target}"
    start = place.start - len(text) + len(target)
    if start >= 0 and view.startswith(text, start):
        return None
    first, last = map(document.source.line_number, place)
    starts = document.source.line_starts
    # Where the line before it begins, with its line break.
    top = max(0, starts[max(0, first - _NEAR - 1)] - 1)
    bottom = starts[last + _NEAR + 1] if last + _NEAR + 1 < len(starts) else len(view)
    at = view.find(text, top, bottom)
    return None if at < 0 else document.source.line_number(at + len(text) - 1) + 1
