"""Find the lines in which two texts differ, in bounded work, and make a unified diff.

Implements a part of docs/design/engine.md §7. ``difflib`` takes cubic time if many lines are equal.
Above a bound, lines that occur once in each text divide both texts into parts (a *patience diff*).
A part that is still too large is replaced as a whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, takewhile
from typing import NamedTuple

from snippet_engine import budget
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.longest_chain import longest_chain
from snippet_engine.source_text import LineNumbers

CONTEXT_LINES = 3
MAX_DIFF_LENGTH = 4000


@dataclass(frozen=True, slots=True)
class Diff:
    """The first lines of a diff, as many as can ever be shown, and the total number of lines."""

    lines: tuple[str, ...]
    count: int

    def shown(self, limit: int = MAX_DIFF_LENGTH) -> str:
        """Return the diff in at most ``limit`` code points, with a note if it was cut."""
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
    """Return the hunks that turn ``before`` into ``after``, the text after ``edits``.

    Line endings aren't shown. If the last line has no ending, it is marked as in git. ``numbers``
    are the line numbers of ``before``, if known.
    """
    if before == after:
        return Diff((), 0)
    numbers = numbers or LineNumbers(before)
    compared = LineDiff()
    lines: list[str] = []
    moved = moved_lines = 0
    for start, end, group in _windows(before, edits):
        grown = sum(len(edit.new_text) - (edit.end - edit.start) for edit in group)
        old = lines_of(before[start:end])
        new = lines_of(after[start + moved : end + moved + grown])
        line = numbers.number(start)
        changed = [(numbers.number(edit.start) - line, edit) for edit in group]
        changes = _changes(before, changed, old, new, compared)
        for hunk in hunks(changes, CONTEXT_LINES):
            lines += _render(hunk, old, new, line, line + moved_lines)
        moved, moved_lines = moved + grown, moved_lines + len(new) - len(old)
    if sum(map(len, lines)) + len(lines) <= MAX_DIFF_LENGTH + 1:
        return Diff(tuple(lines), len(lines))
    lines = shortened_lines(lines)
    lengths = accumulate(len(line) + 1 for line in lines)
    fitting = sum(1 for _ in takewhile(lambda length: length <= MAX_DIFF_LENGTH + 1, lengths))
    return Diff(tuple(lines[: fitting + 1]), len(lines))


def _windows(view: str, edits: EditSet) -> Iterator[tuple[int, int, list[TextEdit]]]:
    """Yield the edits in groups, each with the range of its lines and their context.

    Only these lines are read, because they are a small part of a long text.
    """
    group: list[TextEdit] = []
    start = end = 0
    # Trim the edits: an anchor may span the whole file for a change of one character.
    for edit in edits.trimmed(view):
        first = view.rfind("\n", 0, edit.start) + 1
        for _ in range(CONTEXT_LINES if first else 0):
            first = view.rfind("\n", 0, max(first - 1, 0)) + 1
        if group and first > end:
            yield start, end, group
            group = []
        start = start if group else first
        group.append(edit)
        end = edit.end
        for _ in range(CONTEXT_LINES + 1):
            end = view.find("\n", end) + 1 or len(view)
    yield start, end, group


def _changes(
    before: str,
    edits: Sequence[tuple[int, TextEdit]],
    old: list[str],
    new: list[str],
    compared: LineDiff,
) -> Iterator[ChangedLines]:
    """Yield the lines that differ. Each edit comes with the line in ``old`` where it begins."""
    merged: list[ChangedLines] = []
    added = 0
    for first, edit in edits:
        removed = before.count("\n", edit.start, edit.end)
        start, end = first, first + removed + 1
        new_start = first + added
        added += edit.new_text.count("\n") - removed
        new_end = end + added
        if merged and start < merged[-1].old_end:
            above = merged.pop()
            start, new_start = above.old_start, above.new_start
            end, new_end = max(end, above.old_end), max(new_end, above.new_end)
        merged.append(ChangedLines(start, end, new_start, new_end))
    for change in merged:
        left = old[change.old_start : change.old_end]
        right = new[change.new_start : change.new_end]
        if len(left) != 1 or len(right) != 1:
            found = compared.changes(left, right)
            yield from (each.moved(change.old_start, change.new_start) for each in found)
        elif left != right:
            yield change


def _render(
    hunk: list[ChangedLines], old: list[str], new: list[str], line: int, new_line: int
) -> list[str]:
    """Return a hunk as lines of text.

    ``line`` and ``new_line`` are the zero-based numbers of ``old[0]`` and ``new[0]``.
    """
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
    spans = _span(line + first, last - first), _span(new_line + new_first, count)
    return [f"@@ -{spans[0]} +{spans[1]} @@", *body]


def _span(first: int, count: int) -> str:
    """Return ``start,count`` of a hunk header. For an empty range, ``start`` is the line before."""
    return f"{first + 1 if count else first},{count}"


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line.removesuffix("\n")
    if lines and not lines[-1].endswith("\n"):
        yield "\\ No newline at end of file"


MAX_STEPS = 20_000_000
"""Most steps for the comparisons of a request; a step takes at most some ten nanoseconds."""


class ChangedLines(NamedTuple):
    """Lines ``[old_start, old_end)`` are replaced by ``[new_start, new_end)``."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    def moved(self, old: int, new: int) -> ChangedLines:
        """Return the change for texts with ``old`` and ``new`` more lines before it."""
        start, end, new_start, new_end = self
        return ChangedLines(start + old, end + old, new_start + new, new_end + new)


_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def lines_of(view: str) -> list[str]:
    r"""Return the lines of a view, each with its ``\n`` if it has one."""
    return _LINE.findall(view)


class LineDiff:
    """Compares texts within the steps that a request may use for diffs."""

    def __init__(self) -> None:
        self._left = budget.part_of(MAX_STEPS)

    def changes(self, old: Sequence[str], new: Sequence[str]) -> Iterator[ChangedLines]:
        """Yield, in order, what to replace in the lines ``old`` to get ``new``."""
        shorter = min(len(old), len(new))
        first = next((at for at in range(shorter) if old[at] != new[at]), shorter)
        most = shorter - first
        last = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
        old, new = old[first : len(old) - last], new[first : len(new) - last]
        whole = ChangedLines(0, len(old), 0, len(new))
        for part in [whole] if self._has_steps(old, new) else _between_landmarks(old, new):
            left, right = old[part.old_start : part.old_end], new[part.new_start : part.new_end]
            is_compared = part is whole or self._has_steps(left, right)
            for each in _compared(part, left, right) if is_compared else [part]:
                yield each.moved(first, first)

    def _has_steps(self, old: Sequence[str], new: Sequence[str]) -> bool:
        needed = _most_steps(old, new)
        if needed > self._left:
            return False
        self._left -= needed
        return True


def hunks(changes: Iterable[ChangedLines], context: int) -> Iterator[list[ChangedLines]]:
    """Yield the changes in groups. Changes whose context lines meet are in one group."""
    group: list[ChangedLines] = []
    for change in changes:
        if group and change.old_start - group[-1].old_end > 2 * context:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _compared(part: ChangedLines, old: Sequence[str], new: Sequence[str]) -> Iterator[ChangedLines]:
    from difflib import SequenceMatcher  # noqa: PLC0415 - of most edits, each changes one line

    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, *lines in matcher.get_opcodes():
        if tag != "equal":
            yield ChangedLines(*lines).moved(part.old_start, part.new_start)


def _most_steps(old: Sequence[str], new: Sequence[str]) -> int:
    """Return an upper bound of ``difflib``'s steps: every line and pair for each equal run."""
    counts = Counter(new)
    pairs = sum(counts[line] * count for line, count in Counter(old).items())
    return (len(old) + pairs) * min(len(old), len(new))


def _between_landmarks(old: Sequence[str], new: Sequence[str]) -> Iterator[ChangedLines]:
    done = new_done = 0
    for line, new_line in (*_landmarks(old, new), (len(old), len(new))):
        if (done, new_done) != (line, new_line):
            yield ChangedLines(done, line, new_done, new_line)
        done, new_done = line + 1, new_line + 1


def _landmarks(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return most pairs of line numbers whose line occurs once in each text, in the same order."""
    once, new_once = Counter(old), Counter(new)
    places = {line: index for index, line in enumerate(new) if new_once[line] == 1}
    pairs = [
        (index, places[line])
        for index, line in enumerate(old)
        if once[line] == 1 and line in places
    ]
    return longest_chain(pairs)


_CUT = re.compile(r"… \(([\d]+) more lines cut\)")
"""The note of a diff that is already cut in the result."""

_ROOM_FOR_NOTE = 110


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The ``diff`` of a file in a result, which may be empty, and the line above it."""

    heading: str
    diff: str


def diff_lines(files: Sequence[FileDiff], room: int) -> list[str]:
    """Return the diffs in at most ``room`` code points; a last line says how much is omitted.

    Small diffs are complete. Larger ones share the remaining room, and show changed lines first.
    """
    files = [each for each in files if each.diff]
    every = [line for each in files for line in (*_heading(each), each.diff)]
    if sum(len(line) + 1 for line in every) <= room:
        return every
    room -= _ROOM_FOR_NOTE
    shown: dict[int, list[str]] = {}
    left_lines = left_files = 0
    is_cut_in_result = False
    by_length = sorted(range(len(files)), key=lambda index: len(files[index].diff))
    for place, index in enumerate(by_length):
        found, left = _fitting(files[index], room // (len(files) - place))
        is_cut_in_result |= _CUT.search(files[index].diff) is not None
        left_lines += left
        left_files += not found
        shown[index] = found
        room -= sum(len(line) + 1 for line in found)
    lines = [line for index in sorted(shown) for line in shown[index]]
    note = _note(left_lines, left_files if len(files) > 1 else 0, is_whole=not is_cut_in_result)
    return [*lines, *note] if room + _ROOM_FOR_NOTE > 0 else lines


def _heading(file: FileDiff) -> list[str]:
    return [file.heading] if file.heading else []


def _fitting(file: FileDiff, room: int) -> tuple[list[str], int]:
    """Return the lines of ``file`` that fit, and how many changed lines are omitted."""
    lines = file.diff.split("\n")
    cut = _CUT.fullmatch(lines[-1])
    if cut is None and sum(len(line) + 1 for line in (*_heading(file), *lines)) <= room:
        return [*_heading(file), *lines], 0
    if cut is not None:
        lines.pop()
    lines = [line for line in shortened_lines(lines) if not line.startswith(" ")]
    found = _heading(file)
    room -= sum(len(line) + 1 for line in found)
    ends = accumulate(len(line) + 1 for line in lines)
    number = sum(1 for _ in takewhile(lambda end: end <= room, ends))
    shown = lines[:number]
    if shown and shown[-1].startswith("@@"):  # a heading without any of its lines
        shown.pop()
    left = sum(not line.startswith("@@") for line in lines[number:])
    left += int(cut[1]) if cut is not None else 0
    return ([*found, *shown] if shown else []), left


def _note(lines: int, files: int, *, is_whole: bool) -> list[str]:
    if not lines:
        return []
    count = f"{lines:,} more changed line{'s' * (lines != 1)}"
    among = f", {files} file{'s' * (files != 1)} not shown at all" if files else ""
    where = "whole in structuredContent" if is_whole else "to see all, preview fewer files"
    return [f"… ({count}{among}: {where})"]


MAX_LINE = 120
"""Longest line that isn't shortened, in code points."""

_AROUND = 30
"""How much of a shortened line is kept on each side of the difference, in code points."""

_MARKS = ("-", "+")


def shortened_lines(lines: Sequence[str]) -> list[str]:
    """Return a diff's lines; long ones are cut to their beginning or to the difference."""
    shown: list[str] = []
    runs = [(mark, list(run)) for mark, run in groupby(lines, lambda line: line[:1])]
    for index, (mark, run) in enumerate(runs):
        other = "+" if mark == "-" else "-"
        beside = index + 1 if mark == "-" else index - 1
        is_pair = mark in _MARKS and 0 <= beside < len(runs) and runs[beside][0] == other
        others = runs[beside][1] if is_pair else []
        shown += _shorten_run(run, others)
    return shown


def _shorten_run(run: list[str], others: list[str]) -> Iterator[str]:
    for number, line in enumerate(run):
        if len(line) <= MAX_LINE:
            yield line
        elif number < len(others):
            yield _around_difference(line, others[number])
        else:
            yield _beginning(line)


def _beginning(line: str) -> str:
    return f"{line[:MAX_LINE]}… ({len(line) - MAX_LINE:,} more characters)"


def _around_difference(line: str, other: str) -> str:
    pairs = enumerate(zip(line[1:], other[1:], strict=False), 1)
    same = next((at for at, (mine, its) in pairs if mine != its), min(len(line), len(other)))
    start = max(1, same - _AROUND)
    if start == 1:
        return _beginning(line)
    end = min(len(line), start + MAX_LINE)
    left = len(line) - end
    more = f"… ({left:,} more characters)" if left else ""
    return f"{line[0]}({start - 1:,} characters) …{line[start:end]}{more}"
