"""Events are summed up by file: before the first, after the last, whatever was in between."""

from __future__ import annotations

import pytest

from mcp_server.review.record.event_order import NetFile, net_difference
from mcp_server.review.record.events import Event, EventFile, Outcome


def event(number: int, *files: EventFile, outcome: Outcome = Outcome.APPLIED) -> Event:
    return Event(number, 0.0, None, None, "", outcome, files)


def edited(path: str, before: str | None, after: str | None, to: str | None = None) -> EventFile:
    return EventFile(path, to, before, after)


Net = list[NetFile]
A_NEW, A_GONE = edited("A", None, "1"), edited("A", "1", None)
A_TO_B = edited("A", "1", "1", "B")

SUMS: dict[str, tuple[list[Event], Net]] = {
    "edits, in any order": (
        [event(2, edited("A", "2", "3")), event(1, edited("A", "1", "2"))],
        [NetFile(edited("A", "1", "3"), (1, 2))],
    ),
    "as before": ([event(1, edited("A", "1", "2")), event(2, edited("A", "2", "1"))], []),
    "came, moved and went": (
        [event(1, A_NEW), event(2, edited("A", "1", "2", "B")), event(3, edited("B", "2", None))],
        [],
    ),
    "deleted and created again": (
        [event(1, A_GONE), event(2, edited("A", None, "2"))],
        [NetFile(edited("A", "1", "2"), (1, 2))],
    ),
    "moved, edited and moved": (
        [event(1, A_TO_B), event(2, edited("B", "1", "2")), event(3, edited("B", "2", "2", "C"))],
        [NetFile(edited("A", "1", "2", "C"), (1, 2, 3))],
    ),
    "there and back": ([event(1, A_TO_B), event(4, edited("B", "1", "1", "A"))], []),
    "created and moved: new where it is": (
        [event(1, A_NEW), event(2, A_TO_B)],
        [NetFile(edited("B", None, "1"), (1, 2))],
    ),
    "moved and deleted: gone from where it was": (
        [event(1, A_TO_B), event(2, edited("B", "1", None))],
        [NetFile(A_GONE, (1, 2))],
    ),
    "two that change places": (
        [event(1, edited("A", "a", "a", "B"), edited("B", "b", "b", "A"))],
        [NetFile(edited("A", "a", "a", "B"), (1,)), NetFile(edited("B", "b", "b", "A"), (1,))],
    ),
    "to the place of a deleted one": (
        [event(1, A_GONE), event(2, edited("B", "b", "b", "A"))],
        [NetFile(A_GONE, (1,)), NetFile(edited("B", "b", "b", "A"), (2,))],
    ),
    "a gap": (
        [event(1, edited("A", "1", "2")), event(3, edited("A", "x", "3"))],
        [NetFile(edited("A", "1", "3"), (1, 3), has_gap=True)],
    ),
    "what changed nothing does not count": (
        [
            event(1, edited("A", "1", "2"), outcome=Outcome.PREVIEWED),
            event(2, edited("A", "1", "3"), outcome=Outcome.REFUSED),
            event(3, edited("B", "1", "3"), outcome=Outcome.CHANGED),
        ],
        [NetFile(edited("B", "1", "3"), (3,))],
    ),
}


@pytest.mark.parametrize(("events", "net"), SUMS.values(), ids=SUMS)
def test_the_sum_of_events(events: list[Event], net: Net) -> None:
    assert net_difference(events) == net


def test_only_the_first_and_the_last_text_must_be_known() -> None:
    unseen = EventFile("A", is_unknown=True)
    known = event(1, edited("A", "1", "2")), event(3, edited("A", "3", "4"))
    assert net_difference([known[0], event(2, unseen), known[1]]) == [
        NetFile(edited("A", "1", "4"), (1, 2, 3))
    ]
    (last,) = net_difference([known[0], event(2, unseen)])
    assert (last.file.before, last.file.after, last.file.is_unknown) == ("1", None, True)
    (first,) = net_difference([event(2, unseen), known[1]])
    assert (first.file.before, first.file.after, first.file.is_unknown) == (None, "4", True)
