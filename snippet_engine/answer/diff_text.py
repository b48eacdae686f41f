"""Cut diffs to the room of a text, shared among the files (docs/design/engine.md §7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, takewhile

_CUT = re.compile(r"… \(([\d]+) more lines cut\)")
"""The note on a diff that the result itself contains only in part."""

_ROOM_FOR_NOTE = 110


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The ``diff`` of a file in a result (may be empty), and the line above it."""

    heading: str
    diff: str


def diff_lines(files: Sequence[FileDiff], room: int) -> list[str]:
    """Return the diffs in at most ``room`` code points, and a line that says how much is omitted.

    Small diffs are whole, and the others share the rest; a cut one shows its changed lines first.
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
    """Return the lines of ``file`` that fit, and the number of omitted changed lines."""
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
    where = "whole in structuredContent" if is_whole else "for all, preview fewer files"
    return [f"… ({count}{among}: {where})"]


MAX_LINE = 120
"""Longest line that is not shortened, in code points."""

_AROUND = 30
"""How much of a shortened line is kept on either side of the difference."""

_MARKS = ("-", "+")


def shortened_lines(lines: Sequence[str]) -> list[str]:
    """Return a diff's lines, long ones cut to their beginning or to the difference."""
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
