"""Whether one side of a context stands elsewhere in the file, beside what is like the target.

Part of docs/design/engine.md §8. A target that stands once, with one side of its context, looks
like the place. But where the other side stands elsewhere, beside a line that is nearly the target,
that one may have been meant, and have been changed since.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snippet_engine import work
from snippet_engine.anchors.closest_lines import similarity
from snippet_engine.csharp.document import Document
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
    sides = [
        _side([*reversed(anchor.before.split("\n")[:-1])], -1, first, own[0].strip(), lines),
        _side(anchor.after.split("\n")[1:], 1, last, own[-1].strip(), lines),
    ]
    told = [each for each in sides if each is not None]
    # Where both sides are others, what stands there is hardly those lines, changed or sent wrongly.
    is_neither = len(told) > 1 and not any(each.fits for each in told)
    for side in told:
        if side.fits or not 1 <= len(side.rows) <= _MOST_PLACES:
            continue
        if not is_neither and side.is_nearly:
            continue
        for row in side.rows:
            for other in _beside(lines, row, -side.step, side.between)[-1:]:
                if not first <= other <= last and similarity(lines[other], side.line) >= _ALIKE:
                    return other + 1
    return None


class _Side(NamedTuple):
    """One side of a context: its line that tells most nearly to the target where it stands.

    ``between`` are the lines that were sent between both, ``line`` the target's own there, and
    ``rows`` where the side's line stands. ``fits`` tells whether it does at the place, and
    ``is_nearly`` whether one like it does.
    """

    step: int
    between: int
    line: str
    rows: list[int]
    fits: bool
    is_nearly: bool


def _side(
    sent: Sequence[str], step: int, edge: int, line: str, lines: Sequence[str]
) -> _Side | None:
    full = [each.strip() for each in sent if each.strip()]
    between = next((at for at, each in enumerate(full) if _tells(each)), None)
    if between is None:
        return None
    text = full[between]
    rows = [row for row, each in enumerate(lines) if _is_line(each, text, step)]
    near = _beside(lines, edge, step, between + _MORE_BESIDE)
    fits = any(row in near for row in rows)
    is_nearly = any(similarity(lines[row], text) >= _ALIKE for row in near[between : between + 1])
    return _Side(step, between, line, rows, fits, is_nearly)


def _tells(text: str) -> bool:
    return len(tokens_of(text)) - 1 >= _LEAST


def _is_line(standing: str, text: str, step: int) -> bool:
    """Whether a line is the one that was sent, of which the end away from the target may lack."""
    return standing.endswith(text) if step < 0 else standing.startswith(text)


def _beside(lines: Sequence[str], row: int, step: int, more: int) -> list[int]:
    """The nearest line to ``row`` on one side that isn't blank, and so many more."""
    found: list[int] = []
    row += step
    while 0 <= row < len(lines) and len(found) <= more:
        if lines[row]:
            found.append(row)
        row += step
    return found
