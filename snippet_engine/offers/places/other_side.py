"""Whether one side of a context stands elsewhere in the file, beside what is like the target.

Part of docs/design/engine.md §8. A target that stands once, with one side of its context, looks
like the place. But where the other side stands elsewhere, beside a line that is nearly the target,
that one may have been meant, and have been changed since.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippet_engine import work
from snippet_engine.csharp.document import Document
from snippet_engine.explain.closest_lines import similarity
from snippet_engine.offers.places.tokens import tokens_of
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

_LEAST = 3
"""Tokens of a target, and of a line beside it, that tell where they stand."""
_MORE_BESIDE = 2
"""Lines that may be between the target and its context."""
_MOST_PLACES = 3
"""Lines that are one side of a context; more tell nothing."""
_ALIKE = 0.75
"""From which similarity on, a line may be the target's, changed since."""


def meant_beside(document: Document, anchor: Anchor, place: TextRange) -> int | None:
    """The one-based line that may be meant rather than ``place``: it is like the target, and beside
    it stands the side of the context that doesn't stand at ``place``.

    ``None`` where there is none.
    """
    target = (anchor.target or "").strip()
    if not _tells(target):
        return None
    work.spend_reading(len(document.source.view))
    lines = [each.strip() for each in document.source.view.split("\n")]
    first, last = map(document.source.line_number, place)
    own = target.split("\n")
    sides = (
        (anchor.before.split("\n")[-2::-1], -1, first, own[0].strip()),
        (anchor.after.split("\n")[1:], 1, last, own[-1].strip()),
    )
    for sent, step, edge, line in sides:
        text = next((each.strip() for each in sent if each.strip()), "")
        if not _tells(text):
            continue
        rows = [row for row, each in enumerate(lines) if _is_line(each, text, step)]
        near = _beside(lines, edge, step)
        if not 1 <= len(rows) <= _MOST_PLACES or any(row in near for row in rows):
            continue
        # What stands at the place is that very line, perhaps, and was changed or sent wrongly.
        if any(similarity(lines[row], text) >= _ALIKE for row in near[:1]):
            continue
        for row in rows:
            for other in _beside(lines, row, -step)[:1]:
                if not first <= other <= last and similarity(lines[other], line) >= _ALIKE:
                    return other + 1
    return None


def _tells(text: str) -> bool:
    return len(tokens_of(text)) - 1 >= _LEAST


def _is_line(standing: str, text: str, step: int) -> bool:
    """Whether a line is the one that was sent, of which the end away from the target may lack."""
    return standing.endswith(text) if step < 0 else standing.startswith(text)


def _beside(lines: Sequence[str], row: int, step: int) -> list[int]:
    """The nearest lines to ``row`` on one side that aren't blank."""
    found: list[int] = []
    row += step
    while 0 <= row < len(lines) and len(found) <= _MORE_BESIDE:
        if lines[row]:
            found.append(row)
        row += step
    return found
