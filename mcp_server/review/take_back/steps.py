"""Each file's events in order, with the hashes before and after as far as known.

Implements docs/design/review.md "Take back". Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from mcp_server.review.record.event_order import in_order
from mcp_server.review.record.events import Event, EventFile, Outcome
from mcp_server.review.take_back.file_tree import TextOf
from mcp_server.review.take_back.text_lines import Overlap, TextLines
from snippet_engine.answer.unified_diff import ChangedLines, LineDiff


@dataclass(frozen=True, slots=True)
class Step:
    """What one event did to one file."""

    number: int
    path: str
    moved_to: str | None
    before: str | None
    """The hash before; ``None`` if there was no file."""
    after: str | None
    """The hash after; ``None`` if there is no file."""
    is_before_known: bool = True
    is_after_known: bool = True
    is_seen: bool = True
    """Whether somebody saw the texts.

    An unseen text gets its hash from the neighbouring events, if they have it. Then the step
    includes every change between those events.
    """
    is_undo: bool = False

    @property
    def place(self) -> str:
        """Return the file's path after the step. For a deleted file, return its last path."""
        return self.moved_to or self.path


def steps_of(events: Iterable[Event]) -> dict[int, tuple[Step, ...]]:
    """Return the steps of the events that changed files, by the event's number, oldest first."""
    written = in_order(events)
    steps: dict[int, list[Step]] = {each.number: [] for each in written}
    # By path, the number and index of the last step of the file there.
    last: dict[str, tuple[int, int]] = {}
    for event in written:
        for file in event.files:
            step = _step(event, file)
            known = last.pop(file.path, None)
            if known is not None:
                number, index = known
                steps[number][index], step = _share_hash(steps[number][index], step)
            last[step.place] = (event.number, len(steps[event.number]))
            steps[event.number].append(step)
    return {number: tuple(each) for number, each in steps.items()}


def _step(event: Event, file: EventFile) -> Step:
    return Step(
        event.number,
        file.path,
        file.moved_to,
        file.before,
        file.after,
        not (file.is_unknown and file.before is None),
        not (file.is_unknown and file.after is None),
        not file.is_unknown,
        event.outcome is Outcome.UNDONE,
    )


def _share_hash(earlier: Step, later: Step) -> tuple[Step, Step]:
    """Copy the hash between two neighbouring steps of a file to the step that doesn't have it.

    Return both steps.
    """
    if not later.is_before_known and earlier.is_after_known:
        later = replace(later, before=earlier.after, is_before_known=True)
    elif later.is_before_known and not earlier.is_after_known:
        earlier = replace(earlier, after=later.before, is_after_known=True)
    return earlier, later


MAX_FOLLOWED = 200


class LaterSteps:
    """The later steps of a file that stay when an earlier step is taken back."""

    def __init__(self, step: Step, later: Sequence[Step]) -> None:
        self._step = step
        self._later = later

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The later steps of the same file, followed over moves, oldest first.

        They end when the file is deleted.
        """
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
        """The file's path after these steps."""
        return self.steps[-1].place if self.steps else self._step.place

    @property
    def deletion(self) -> tuple[int, ...]:
        """The number of the event that deleted the file, if one did."""
        last = self.steps[-1:]
        return tuple(each.number for each in last if each.after is None and each.is_after_known)

    @property
    def moves(self) -> tuple[int, ...]:
        """The numbers of the events that moved the file."""
        return tuple(each.number for each in self.steps if each.moved_to is not None)

    def touching(self, path: str) -> tuple[int, ...]:
        """Return the numbers of all later events that changed or moved a file at ``path``."""
        found = (each.number for each in self._later if path in (each.path, each.moved_to))
        return tuple(dict.fromkeys(found))

    def has_gap(self, now: str) -> bool:
        """Return whether an unrecorded change lies between the steps, or after them.

        ``now`` is the present hash.
        """
        ends = [self._step.after, *(each.after for each in self.steps)]
        begins = [*(each.before for each in self.steps), now]
        return ends != begins


def changed_by(
    overlaps: Sequence[Overlap], base: bytes, now: bytes, steps: Sequence[Step], text: TextOf
) -> list[tuple[int, ...]]:
    """Return, for each overlap, the numbers of the events that changed its lines.

    An overlap has no numbers if only unrecorded changes changed its lines. After a text that isn't
    stored, or :data:`MAX_FOLLOWED` steps, all further steps count. If no step can be singled out,
    all steps count.
    """
    lines = [_Lines(each.start, each.end) for each in overlaps]
    diff = LineDiff()
    for at, (number, before, after) in enumerate(_text_changes(base, now, steps, text)):
        if before is None or after is None or at > 2 * MAX_FOLLOWED:
            for each in lines:
                each.changed_by += [step.number for step in steps[at // 2 :]]
            break
        changes = []
        if before != after:
            old, new = TextLines.of(before).lines, TextLines.of(after).lines
            changes = list(diff.changes(old, new))
        for each in lines:
            each.follow(changes, number)
    # A comparison step by step may divide the lines differently, and find no step. Then all count.
    every = [step.number for step in steps]
    return [_numbers(each.changed_by or every) for each in lines]


def _numbers(found: Iterable[int | None]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(each for each in found if each is not None))


def _text_changes(
    base: bytes, now: bytes, steps: Sequence[Step], text: TextOf
) -> Iterator[tuple[int | None, bytes | None, bytes | None]]:
    """Yield each change from ``base`` to ``now``: the step's number, the text before and after.

    The number is ``None`` for an unrecorded change. A text is ``None`` if it isn't stored.
    """
    last: bytes | None = base
    for step in steps:
        before, after = text(step.before), text(step.after)
        yield None, last, before
        yield step.number, before, after
        last = after
    yield None, last, now


@dataclass(slots=True)
class _Lines:
    """Lines ``[start, end)`` of a text, and the events that changed them so far."""

    start: int
    end: int
    changed_by: list[int | None] = field(default_factory=list)

    def follow(self, changes: Sequence[ChangedLines], number: int | None) -> None:
        """Update the range and the events for the next text, which ``changes`` lead to."""
        start, end = self.start, self.end
        for each in changes:
            grown = (each.new_end - each.new_start) - (each.old_end - each.old_start)
            is_added = self.start == self.end or each.old_start == each.old_end
            is_inside = each.old_start < self.end and self.start < each.old_end
            is_next = each.old_start <= self.end and self.start <= each.old_end
            if is_inside or (is_added and is_next):
                start, end = min(start, each.new_start), end + grown
                self.changed_by.append(number)
            elif each.old_end <= self.start:
                start, end = start + grown, end + grown
        self.start, self.end = start, max(start, end)
