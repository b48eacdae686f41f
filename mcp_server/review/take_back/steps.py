"""The events of each file in order, each with the texts before and after it as far as known.

Implements docs/design/review.md "Take back". Pure; texts are named by their hashes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mcp_server.review.record.event_order import in_order
from mcp_server.review.record.events import Event, EventFile, Outcome


@dataclass(frozen=True, slots=True)
class Step:
    """What one event did to one file."""

    number: int
    path: str
    moved_to: str | None
    before: str | None
    """The hash before; ``None`` for no file."""
    after: str | None
    """The hash afterwards; ``None`` for no file."""
    is_before_known: bool = True
    is_after_known: bool = True
    is_seen: bool = True
    """Whether somebody saw the texts. An unseen text is unknown, unless the events around it have
    it; then the step is everything that changed between them.
    """
    is_undo: bool = False

    @property
    def place(self) -> str:
        """Return the file's path after the step, or its last path."""
        return self.moved_to or self.path


def steps_of(events: Iterable[Event]) -> dict[int, tuple[Step, ...]]:
    """Return the steps of the events that changed files, by their number, the first one first."""
    written = in_order(events)
    steps: dict[int, list[Step]] = {each.number: [] for each in written}
    last: dict[str, tuple[int, int]] = {}  # by path, where the last step of what is there stands
    for event in written:
        for file in event.files:
            step = _step(event, file)
            known = last.pop(file.path, None)
            if known is not None:
                number, index = known
                steps[number][index], step = _joined(steps[number][index], step)
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


def _joined(earlier: Step, later: Step) -> tuple[Step, Step]:
    """Return both steps; a text between them that only one of them knows is now known to both."""
    if not later.is_before_known and earlier.is_after_known:
        later = replace(later, before=earlier.after, is_before_known=True)
    elif later.is_before_known and not earlier.is_after_known:
        earlier = replace(earlier, after=later.before, is_after_known=True)
    return earlier, later
