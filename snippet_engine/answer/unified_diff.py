"""Make the unified diff of an edit set from its edits (docs/design/engine.md §7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, takewhile

from snippet_engine.answer.diff_text import shortened_lines
from snippet_engine.answer.line_diff import ChangedLines, LineDiff, hunks, lines_of
from snippet_engine.edits import EditSet
from snippet_engine.source_text import LineNumbers

CONTEXT_LINES = 3
MAX_DIFF_LENGTH = 4000


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

    A last line without line break is marked as git does. ``numbers`` are those of ``before``.
    """
    if before == after:
        return Diff((), 0)
    old, new = lines_of(before), lines_of(after)
    lines: list[str] = []
    changes = _changes(before, edits, numbers or LineNumbers(before), old, new)
    for hunk in hunks(changes, CONTEXT_LINES):
        lines += _render(hunk, old, new)
    if sum(map(len, lines)) + len(lines) <= MAX_DIFF_LENGTH + 1:
        return Diff(tuple(lines), len(lines))
    lines = shortened_lines(lines)
    lengths = accumulate(len(line) + 1 for line in lines)
    fitting = sum(1 for _ in takewhile(lambda length: length <= MAX_DIFF_LENGTH + 1, lengths))
    return Diff(tuple(lines[: fitting + 1]), len(lines))


def _changes(
    before: str, edits: EditSet, numbers: LineNumbers, old: list[str], new: list[str]
) -> Iterator[ChangedLines]:
    merged: list[ChangedLines] = []
    added = 0
    # Trimmed, since an anchor may span the whole file for a change of one character.
    for edit in edits.trimmed(before):
        first, removed = numbers.number(edit.start), before.count("\n", edit.start, edit.end)
        start, end = first, first + removed + 1
        new_start = first + added
        added += edit.new_text.count("\n") - removed
        new_end = end + added
        if merged and start < merged[-1].old_end:
            above = merged.pop()
            start, new_start = above.old_start, above.new_start
            end, new_end = max(end, above.old_end), max(new_end, above.new_end)
        merged.append(ChangedLines(start, end, new_start, new_end))
    compared = LineDiff()
    for change in merged:
        left = old[change.old_start : change.old_end]
        right = new[change.new_start : change.new_end]
        if len(left) != 1 or len(right) != 1:
            found = compared.changes(left, right)
            yield from (each.moved(change.old_start, change.new_start) for each in found)
        elif left != right:
            yield change


def _render(hunk: list[ChangedLines], old: list[str], new: list[str]) -> list[str]:
    first = max(hunk[0].old_start - CONTEXT_LINES, 0)
    last = min(hunk[-1].old_end + CONTEXT_LINES, len(old))
    new_first = hunk[0].new_start - (hunk[0].old_start - first)
    body: list[str] = []
    done, count = first, last - first
    for change in hunk:
        removed = old[change.old_start : change.old_end]
        inserted = new[change.new_start : change.new_end]
        body += _marked(" ", old[done : change.old_start])
        body += _marked("-", removed)
        body += _marked("+", inserted)
        count += len(inserted) - len(removed)
        done = change.old_start + len(removed)
    body += _marked(" ", old[done:last])
    return [f"@@ -{_span(first, last - first)} +{_span(new_first, count)} @@", *body]


def _span(first: int, count: int) -> str:
    """Return ``start,count`` as the format has it: an empty range names the line before."""
    return f"{first + 1 if count else first},{count}"


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line.removesuffix("\n")
    if lines and not lines[-1].endswith("\n"):
        yield "\\ No newline at end of file"
