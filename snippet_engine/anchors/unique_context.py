"""Find the shortest context that makes a place unique.

Implements docs/design/engine.md §8 and law 7 of §10: each candidate in an error carries a whole
anchor, ready to send, that resolves to exactly its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

MAX_CONTEXT = 4000
"""Longest context on either side of an offered anchor, in code points."""

# Trying a window searches the whole file, so only few windows are tried.
_EXACT_LINES = 8
"""Up to this many context lines, every split between before and after is tried."""


def with_unique_context(
    view: str, anchor: Anchor, place: TextRange, fits_elsewhere: Callable[[str, str], bool]
) -> Anchor | None:
    """Return ``anchor`` with the shortest context that matches only at ``place``.

    ``fits_elsewhere`` says whether a ``before`` and ``after`` match another place, too. Return
    ``None`` if no context of at most ``MAX_CONTEXT`` is enough. White space next to a target never
    counts, so one blank can't be distinguished from the next.
    """
    # Within a symbol, or among comments, the target alone can be enough.
    if not fits_elsewhere("", ""):
        return replace(anchor, before="", after="")
    for start, end in _windows(view, place):
        # White space next to the target never matters, so it isn't offered.
        before = view[start : place.start].rstrip()
        after = view[place.end : end].lstrip()
        if not fits_elsewhere(before, after):
            return replace(anchor, before=before, after=after)
    return None


def _windows(view: str, place: TextRange) -> Iterator[tuple[int, int]]:
    starts = list(islice(_starts(view, place.start), _EXACT_LINES + 1))
    ends = list(islice(_ends(view, place.end), _EXACT_LINES + 1))
    # Fewest lines first; with equally few, more lines above first. So the answer is the shortest,
    # and always the same.
    for total in range(1, _EXACT_LINES + 1):
        for above in range(total, -1, -1):
            if above < len(starts) and total - above < len(ends):
                yield starts[above], ends[total - above]
    # Places that share so many lines are copies of each other. Doubling the lines gives at most
    # twice the needed context. Adding one line at a time would search the file hundreds of times.
    starts, ends = list(_starts(view, place.start)), list(_ends(view, place.end))
    lines = _EXACT_LINES
    while lines < max(len(starts), len(ends)):
        lines *= 2
        start = starts[min(lines, len(starts) - 1)]
        end = ends[min(lines, len(ends) - 1)]
        yield from ((start, place.end), (place.start, end), (start, end))


def _starts(view: str, offset: int) -> Iterator[int]:
    """Yield ``offset``, then the starts of the lines with text above it, nearest first."""
    floor = offset - MAX_CONTEXT
    yield offset
    while offset > max(floor, 0):
        line_start = view.rfind("\n", 0, offset) + 1
        text = view[line_start:offset]
        start = offset - len(text.lstrip())
        # A line that is too long isn't cut: half a line identifies little.
        if start < floor:
            return
        if text.strip():
            yield start
        offset = line_start - 1


def _ends(view: str, offset: int) -> Iterator[int]:
    """Yield ``offset``, then the ends of the lines with text below it, nearest first."""
    ceiling = offset + MAX_CONTEXT
    yield offset
    while offset < min(ceiling, len(view)):
        line_end = view.find("\n", offset)
        if line_end < 0:
            line_end = len(view)
        text = view[offset:line_end]
        end = offset + len(text.rstrip())
        if end > ceiling:
            return
        if text.strip():
            yield end
        offset = line_end + 1
