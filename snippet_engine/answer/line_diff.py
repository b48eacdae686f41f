"""Find which lines of two texts differ, in bounded work.

``difflib`` takes cubic time if many lines are alike. Above a bound, lines that occur once in each
text divide both into parts (a *patience diff*); a part that is still too large is replaced as a
whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from snippet_engine import budget
from snippet_engine.longest_chain import longest_chain

MAX_STEPS = 20_000_000
"""Most steps for the comparisons of a whole request; a step takes some ten nanoseconds at worst."""


class ChangedLines(NamedTuple):
    """Lines ``[old_start, old_end)`` become ``[new_start, new_end)``."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    def moved(self, old: int, new: int) -> ChangedLines:
        """Return the change in texts with so many more lines before these."""
        start, end, new_start, new_end = self
        return ChangedLines(start + old, end + old, new_start + new, new_end + new)


_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def lines_of(view: str) -> list[str]:
    r"""Return the lines of a view, each with its ``\n`` if it has one."""
    return _LINE.findall(view)


class LineDiff:
    """Compares texts within the steps that a request may take for diffs."""

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
        """Return whether enough steps are left to compare the lines, and take them if so."""
        needed = _most_steps(old, new)
        if needed > self._left:
            return False
        self._left -= needed
        return True


def hunks(changes: Iterable[ChangedLines], context: int) -> Iterator[list[ChangedLines]]:
    """Yield the changes in groups; changes whose context lines meet are in one group."""
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
    """Return an upper bound of ``difflib``'s steps: every line and pair, for each equal run."""
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
