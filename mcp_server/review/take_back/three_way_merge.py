"""Merge two changes of one text, line by line, where they don't overlap.

Implements docs/design/review.md "Take back". Pure. Changes of neighbouring lines don't overlap;
lines added at one place, or next to changed lines, do: nothing says which come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from snippet_engine.answer.line_diff import ChangedLines, LineDiff


@dataclass(frozen=True, slots=True)
class Overlap:
    """Lines ``[start, end)`` of the base that both sides change."""

    start: int
    end: int
    ours_start: int
    """The beginning of our lines there."""
    ours_end: int
    """The end of our lines there."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The lines with both changes, or where these overlap."""

    lines: tuple[str, ...]
    overlaps: tuple[Overlap, ...]


def three_way_merge(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Merged:
    """Return ``base`` with what ``ours`` and ``theirs`` change in it."""
    lines: list[str] = []
    overlaps: list[Overlap] = []
    done = 0
    for part in _parts(base, ours, theirs):
        lines += base[done : part.start]
        ours_part = ours[part.ours_start : part.ours_end]
        theirs_part = theirs[part.theirs_start : part.theirs_end]
        if part.is_theirs and part.is_ours and ours_part != theirs_part:
            overlaps.append(Overlap(part.start, part.end, part.ours_start, part.ours_end))
        lines += theirs_part if part.is_theirs else ours_part
        done = part.end
    return Merged((*lines, *base[done:]), tuple(overlaps))


@dataclass(slots=True)
class _Part:
    """Changes that overlap: lines ``[start, end)`` of the base, and their lines in the
    other texts.
    """

    start: int
    end: int
    is_ours: bool
    is_theirs: bool
    ours_start: int = 0
    ours_end: int = 0
    theirs_start: int = 0
    theirs_end: int = 0


def _parts(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Iterator[_Part]:
    left = list(LineDiff().changes(base, ours))
    right = list(LineDiff().changes(base, theirs))
    changes = sorted(
        [(each, True) for each in left] + [(each, False) for each in right],
        key=lambda each: (each[0].old_start, each[0].old_end),
    )
    parts: list[_Part] = []
    for change, is_ours in changes:
        last = parts[-1] if parts else None
        if last is not None and _overlap(last, change):
            last.end = max(last.end, change.old_end)
            last.is_ours |= is_ours
            last.is_theirs |= not is_ours
        else:
            parts.append(_Part(change.old_start, change.old_end, is_ours, not is_ours))
    sides = zip(parts, _there(parts, left), _there(parts, right), strict=True)
    for part, in_ours, in_theirs in sides:
        part.ours_start, part.ours_end = in_ours
        part.theirs_start, part.theirs_end = in_theirs
        yield part


def _overlap(part: _Part, change: ChangedLines) -> bool:
    is_added = part.start == part.end or change.old_start == change.old_end
    return change.old_start < part.end or (is_added and change.old_start == part.end)


def _there(parts: Sequence[_Part], changes: Sequence[ChangedLines]) -> Iterator[tuple[int, int]]:
    """Yield the lines of each part in the text that the changes lead to."""
    at = shift = 0
    for part in parts:
        start = part.start + shift
        while at < len(changes) and changes[at].old_end <= part.end:
            each = changes[at]
            shift += (each.new_end - each.new_start) - (each.old_end - each.old_start)
            at += 1
        yield start, part.end + shift
