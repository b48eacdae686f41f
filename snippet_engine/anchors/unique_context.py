"""The shortest context that tells one place from its look-alikes.

Implements spec 01-snippet-engine §8: every error's candidates carry a whole anchor, ready to
send, that resolves to exactly the place it is offered for (law 7 of §10).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from snippet_engine.anchors.context import Context
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

_EXACT_LINES = 8
"""Up to this many context lines in all, every split between before and after is tried."""


def with_unique_context(
    view: str, anchor: Anchor, place: TextRange, places: Sequence[TextRange]
) -> Anchor:
    """``anchor`` with the least context under which, of ``places``, only ``place`` fits."""
    others = [other for other in places if other != place]
    if not others:
        return replace(anchor, before="", after="")
    for start, end in _windows(view, place):
        # White space next to the target never matters, so it isn't offered.
        before = view[start : place.start].rstrip()
        after = view[place.end : end].lstrip()
        context = Context(before, after)
        if not any(context.fits(view, other) for other in others):
            return replace(anchor, before=before, after=after)
    return replace(anchor, before=view[: place.start], after=view[place.end :])


def _windows(view: str, place: TextRange) -> Iterator[tuple[int, int]]:
    """Ever larger windows around ``place``, cut where a line with text starts or ends."""
    starts = list(islice(_starts(view, place.start), _EXACT_LINES + 1))
    ends = list(islice(_ends(view, place.end), _EXACT_LINES + 1))
    for total in range(1, _EXACT_LINES + 1):
        for above in range(total, -1, -1):
            if above < len(starts) and total - above < len(ends):
                yield starts[above], ends[total - above]
    starts, ends = list(_starts(view, place.start)), list(_ends(view, place.end))
    lines = _EXACT_LINES
    while lines < max(len(starts), len(ends)):
        lines *= 2
        start = starts[min(lines, len(starts) - 1)]
        end = ends[min(lines, len(ends) - 1)]
        yield from ((start, place.end), (place.start, end), (start, end))


def _starts(view: str, offset: int) -> Iterator[int]:
    """``offset``, then the starts of the lines with text above it, nearest first."""
    yield offset
    while offset > 0:
        line_start = view.rfind("\n", 0, offset) + 1
        text = view[line_start:offset]
        if text.strip():
            yield offset - len(text.lstrip())
        offset = line_start - 1


def _ends(view: str, offset: int) -> Iterator[int]:
    """``offset``, then the ends of the lines with text below it, nearest first."""
    yield offset
    while offset < len(view):
        line_end = view.find("\n", offset)
        if line_end < 0:
            line_end = len(view)
        text = view[offset:line_end]
        if text.strip():
            yield offset + len(text.rstrip())
        offset = line_end + 1
