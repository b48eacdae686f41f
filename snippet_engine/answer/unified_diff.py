"""Make the unified diff of an edit set from its edits (docs/design/engine.md §7)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, takewhile

from snippet_engine.answer.diff_text import shortened_lines
from snippet_engine.answer.line_diff import LineDiff, hunks
from snippet_engine.edits import EditSet
from snippet_engine.source_text import LineNumbers

CONTEXT_LINES = 3
MAX_DIFF_LENGTH = 4000


@dataclass(slots=True)
class _Change:
    """Lines ``[old_start, old_end)`` become ``[new_start, new_end)``."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int
    is_sure: bool = False
    """Whether one edit changes exactly one line, which then surely differs."""


class _Lines:
    """The lines of a view, each read only when needed, because a long view needs few."""

    def __init__(self, view: str, breaks: int) -> None:
        self._view = view
        self.last = breaks
        """The number of the last line, which is empty if the text ends in a line break."""
        is_empty = not view or view.endswith("\n")
        self.count = self.last + (0 if is_empty else 1)
        """Number of lines; the empty piece after a final line break doesn't count."""
        self._marked, self._offsets = [0], [0]
        self._last_read = 0, 0

    def mark(self, line: int, offset: int) -> None:
        """Note that line ``line`` holds the view offset; lines must be marked in ascending
        order.
        """
        if line > self._marked[-1]:
            self._marked.append(line)
            self._offsets.append(self._view.rfind("\n", 0, offset) + 1)

    def between(self, start: int, end: int) -> list[str]:
        """Return the lines ``[start, end)`` without their breaks, or as many of them as exist."""
        end = min(end, self.last + 1)
        if start >= end:
            return []
        first = self._start_of(start)
        last = first
        for _ in range(end - start - 1):
            last = self._view.index("\n", last) + 1
        last = self._view.find("\n", last)
        return self._view[first : last if last >= 0 else len(self._view)].split("\n")

    def ended(self, lines: list[str], start: int) -> list[str]:
        """Return the ``lines`` from ``start`` on with their breaks; the last one has none."""
        return [
            line + "\n" if index < self.last else line
            for index, line in enumerate(lines[: self.count - start], start)
        ]

    def is_last(self, end: int) -> bool:
        """Return whether the lines up to ``end`` include the last one, which has no line break."""
        return end > self.last

    def _start_of(self, line: int) -> int:
        """Return the offset of a line, found from the nearest known line."""
        index = bisect_right(self._marked, line)
        known, offset = self._last_read
        for mark in range(index - 1, min(index + 1, len(self._marked))):
            if abs(self._marked[mark] - line) < abs(known - line):
                known, offset = self._marked[mark], self._offsets[mark]
        for _ in range(line - known):
            offset = self._view.index("\n", offset) + 1
        for _ in range(known - line):
            offset = self._view.rfind("\n", 0, offset - 1) + 1
        self._last_read = line, offset
        return offset


@dataclass(frozen=True, slots=True)
class Diff:
    """The first lines of a diff, as many as are ever shown, and the number of all lines."""

    lines: tuple[str, ...]
    count: int

    def shown(self, limit: int = MAX_DIFF_LENGTH) -> str:
        """Return the diff as text of at most ``limit`` code points, with a note if it was cut."""
        text = "\n".join(self.lines)
        if len(text) <= limit and len(self.lines) == self.count:
            return text
        kept: list[str] = []
        length = 0
        room = limit - len("… (99999 more lines cut)")
        for line in self.lines:
            if length + len(line) + 1 > room:
                break
            kept.append(line)
            length += len(line) + 1
        if not kept:
            kept = [self.lines[0][:room]]
        return "\n".join([*kept, f"… ({self.count - len(kept)} more lines cut)"])


def unified_diff(
    before: str, after: str, edits: EditSet, numbers: LineNumbers | None = None
) -> Diff:
    """Return the hunks that turn the view ``before`` into ``after``, its text after ``edits``.

    Line endings aren't shown; a last line without one is marked as git does. ``numbers`` are the
    line numbers of ``before``, if known.
    """
    if before == after:
        return Diff((), 0)
    numbers = numbers if numbers is not None else LineNumbers(before)
    breaks = numbers.number(len(before))
    added = sum(e.new_text.count("\n") - before.count("\n", e.start, e.end) for e in edits)
    old, new = _Lines(before, breaks), _Lines(after, breaks + added)
    lines: list[str] = []
    for hunk in hunks(_changes(before, edits, numbers, old, new), CONTEXT_LINES):
        lines += _render(hunk, old, new)
    if sum(map(len, lines)) + len(lines) <= MAX_DIFF_LENGTH + 1:
        return Diff(tuple(lines), len(lines))
    lines = shortened_lines(lines)
    lengths = accumulate(len(line) + 1 for line in lines)
    fitting = sum(1 for _ in takewhile(lambda length: length <= MAX_DIFF_LENGTH + 1, lengths))
    return Diff(tuple(lines[: fitting + 1]), len(lines))


def _changes(
    before: str, edits: EditSet, numbers: LineNumbers, old: _Lines, new: _Lines
) -> Iterator[_Change]:
    """Yield the lines that each edit changes."""
    merged: list[_Change] = []
    # Trimmed, since an anchor may span the whole file for a change of one character.
    small = edits.trimmed(before)
    added = moved = 0
    for edit in small:
        first, removed = numbers.number(edit.start), before.count("\n", edit.start, edit.end)
        line = first + removed
        shift, added = added, added + edit.new_text.count("\n") - removed
        old.mark(first, edit.start)
        new.mark(first + shift, edit.start + moved)
        moved += len(edit.new_text) - (edit.end - edit.start)
        is_sure = not removed and added == shift and edit.size > 0
        change = _Change(first, line + 1, first + shift, line + added + 1, is_sure)
        if merged and change.old_start < merged[-1].old_end:
            merged[-1].old_end = max(change.old_end, merged[-1].old_end)
            merged[-1].new_end = max(change.new_end, merged[-1].new_end)
            merged[-1].is_sure = False
        else:
            merged.append(change)
    compared = LineDiff()
    for change in merged:
        if change.is_sure:
            yield change
            continue
        left = old.between(change.old_start, change.old_end)
        right = new.between(change.new_start, change.new_end)
        if change.old_end > old.last or change.new_end > new.last:
            # A last line without its break differs from one with it.
            left, right = old.ended(left, change.old_start), new.ended(right, change.new_start)
        if len(left) == len(right) == 1:
            if left != right:
                yield change
            continue
        for a, b, c, d in compared.changes(left, right):
            yield _Change(
                change.old_start + a,
                change.old_start + b,
                change.new_start + c,
                change.new_start + d,
            )


def _render(hunk: list[_Change], old: _Lines, new: _Lines) -> list[str]:
    first = max(hunk[0].old_start - CONTEXT_LINES, 0)
    last = min(hunk[-1].old_end + CONTEXT_LINES, old.count)
    new_first = hunk[0].new_start - (hunk[0].old_start - first)
    standing = old.between(first, last)
    body: list[str] = []
    done, added = first, len(standing)
    for change in hunk:
        start, end = change.old_start, min(change.old_end, last)
        removed = standing[start - first : end - first]
        new_end = min(change.new_end, new.count)
        inserted = new.between(change.new_start, new_end)
        body += _marked(" ", standing[done - first : start - first], old.is_last(start))
        body += _marked("-", removed, old.is_last(end))
        body += _marked("+", inserted, new.is_last(new_end))
        added += len(inserted) - len(removed)
        done = end
    body += _marked(" ", standing[done - first :], old.is_last(last))
    return [f"@@ -{_span(first, len(standing))} +{_span(new_first, added)} @@", *body]


def _span(first: int, count: int) -> str:
    """Return ``start,count`` in the unified format, in which an empty range names the line
    before.
    """
    return f"{first + 1 if count else first},{count}"


def _marked(mark: str, lines: list[str], is_last: bool) -> list[str]:
    """Return the diff's lines for ``lines``; with ``is_last``, the last of them has no line
    break.
    """
    marked = [mark + line for line in lines]
    return [*marked, "\\ No newline at end of file"] if is_last and marked else marked
