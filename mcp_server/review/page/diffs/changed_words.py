"""Find which words differ between removed and added lines.

Implements docs/design/review.md "Diffs". The lines of one change are compared together, so a word
that has moved to the next line is no change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from snippet_engine.answer.line_diff import LineDiff

MAX_WORDS = 4_000
"""Most words of a change that are compared."""

MAX_CHARACTERS = 100_000
"""Most characters of them."""

_LEAST_ALIKE = 0.25
"""Where a smaller share of words is alike, the lines were replaced, and no word is marked."""

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)

Marks = list[list[tuple[int, int]]]
"""For each line, the characters ``[start, end)`` that differ."""


def changed_words(old: Sequence[str], new: Sequence[str], diff: LineDiff) -> tuple[Marks, Marks]:
    """Return the marks of ``old`` and ``new``, compared within the steps of ``diff``."""
    nothing: tuple[Marks, Marks] = [[] for _ in old], [[] for _ in new]
    if not (old and new) or sum(map(len, (*old, *new))) > MAX_CHARACTERS:
        return nothing
    before, after = _WORD.findall("\n".join(old)), _WORD.findall("\n".join(new))
    if len(before) + len(after) > MAX_WORDS:
        return nothing
    changes = list(diff.changes(before, after))
    kept = sum(map(_solid, before)) - sum(
        _solid(each) for change in changes for each in before[change.old_start : change.old_end]
    )
    if kept < _LEAST_ALIKE * max(sum(map(_solid, before)), sum(map(_solid, after))):
        return nothing
    return (
        _by_line(old, before, [(each.old_start, each.old_end) for each in changes]),
        _by_line(new, after, [(each.new_start, each.new_end) for each in changes]),
    )


def _solid(word: str) -> bool:
    return not word.isspace()


def _by_line(
    lines: Sequence[str], words: Sequence[str], changed: Sequence[tuple[int, int]]
) -> Marks:
    """Return ranges of ``words``, which are those of the joined ``lines``, as marks."""
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    marks: Marks = [[] for _ in lines]
    ranges = iter((offsets[start], offsets[end]) for start, end in changed if start < end)
    current = next(ranges, None)
    for number, (start, end) in enumerate(pairwise(starts)):
        while current is not None and current[0] < end:
            first, last = max(current[0], start), min(current[1], end - 1)
            if first < last:
                marks[number].append((first - start, last - start))
            if current[1] > end:
                break
            current = next(ranges, None)
    return marks
