"""What came after an event and stands against taking it back.

Implements docs/design/review.md "Take back". Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from mcp_server.review.take_back.file_tree import TextOf
from mcp_server.review.take_back.steps import Step
from mcp_server.review.take_back.text_lines import TextLines
from mcp_server.review.take_back.three_way_merge import Overlap
from snippet_engine.answer.line_diff import LineDiff


class Standing:
    """The later steps that stay, as they are about the file of one step."""

    def __init__(self, step: Step, later: Sequence[Step]) -> None:
        self._step = step
        self._later = later

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The later steps of the same file, oldest first."""
        place, found = self._step.place, []
        for each in self._later:
            if each.path == place:
                found.append(each)
                place = each.place
                if each.after is None and each.is_after_known:
                    break
        return tuple(found)

    @property
    def place(self) -> str:
        """Where the file is by what is known."""
        return self.steps[-1].place if self.steps else self._step.place

    @property
    def deletion(self) -> tuple[int, ...]:
        """The number of the event that deleted it."""
        last = self.steps[-1:]
        return tuple(each.number for each in last if each.after is None and each.is_after_known)

    @property
    def moves(self) -> tuple[int, ...]:
        """The numbers of the events that moved it."""
        return tuple(each.number for each in self.steps if each.moved_to is not None)

    def touching(self, path: str) -> tuple[int, ...]:
        """Return the numbers of the events that changed what is at a path."""
        found = (each.number for each in self._later if path in (each.path, each.moved_to))
        return tuple(dict.fromkeys(found))

    def has_gap(self, now: str) -> bool:
        """Return whether something changed the file of which no event tells."""
        ends = [self._step.after, *(each.after for each in self.steps)]
        begins = [*(each.before for each in self.steps), now]
        return ends != begins


def standing_against(
    overlap: Overlap, base: bytes, now: bytes, steps: Sequence[Step], text: TextOf
) -> tuple[int, ...]:
    """Return the numbers of the steps that changed the overlapping lines on the way to ``now``.

    None, if only something did of which no event tells. From a text on that is not kept, all count:
    nothing excludes them.
    """
    start, end = overlap.start, overlap.end
    found: list[int | None] = []
    for at, (number, before, after) in enumerate(_way(base, now, steps, text)):
        if before is None or after is None:
            found += [each.number for each in steps[at // 2 :]]
            break
        start, end, is_hit = _followed(start, end, before, after)
        if is_hit:
            found.append(number)
    # Where a comparison step by step divides the lines otherwise, all count, too.
    numbers = found or [each.number for each in steps]
    return tuple(dict.fromkeys(each for each in numbers if each is not None))


def _way(
    base: bytes, now: bytes, steps: Sequence[Step], text: TextOf
) -> Iterator[tuple[int | None, bytes | None, bytes | None]]:
    """Yield each change from ``base`` to ``now``, with the number of its event, if it has one."""
    last: bytes | None = base
    for step in steps:
        before, after = text(step.before), text(step.after)
        yield None, last, before
        yield step.number, before, after
        last = after
    yield None, last, now


def _followed(start: int, end: int, before: bytes, after: bytes) -> tuple[int, int, bool]:
    """Return where lines of ``before`` are in ``after``, and whether they changed there."""
    if before == after:
        return start, end, False
    old, new = TextLines.of(before).lines, TextLines.of(after).lines
    new_start, new_end, is_hit = start, end, False
    for each in LineDiff().changes(old, new):
        grown = (each.new_end - each.new_start) - (each.old_end - each.old_start)
        is_added = start == end or each.old_start == each.old_end
        touches = each.old_start <= end and start <= each.old_end
        if (each.old_start < end and start < each.old_end) or (is_added and touches):
            new_start, new_end, is_hit = min(new_start, each.new_start), new_end + grown, True
        elif each.old_end <= start:
            new_start, new_end = new_start + grown, new_end + grown
    return new_start, max(new_end, new_start), is_hit
