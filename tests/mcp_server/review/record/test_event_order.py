"""Events in the order of their texts, and summed up by file."""

from __future__ import annotations

import pytest

from mcp_server.review.record.event_order import LATE_S, NetFile, in_order, net_difference
from mcp_server.review.record.events import Event, EventFile, Outcome
from mcp_server.review.take_back.steps import steps_of

A = "Assets/A.cs"


def event(
    number: int,
    before: str | None,
    after: str | None,
    outcome: Outcome = Outcome.CHANGED,
    *,
    time_s: float = 0.0,
    more: tuple[EventFile, ...] = (),
) -> Event:
    files = (EventFile(A, None, before, after), *more)
    return Event(number, time_s, None, None, "", outcome, files)


def numbers(*events: Event) -> list[int]:
    found = [each.number for each in in_order(events)]
    assert list(steps_of(events)) == found
    return found


def test_a_change_that_was_seen_after_the_write_on_top_of_it() -> None:
    edit = event(1, "11", "12", Outcome.APPLIED)
    assert numbers(edit, event(2, "10", "11")) == [2, 1]
    (net,) = net_difference([edit, event(2, "10", "11")])
    assert (net.file.before, net.file.after, net.has_gap) == ("10", "12", False)


def test_two_writes_on_top_and_what_came_before_and_after() -> None:
    others = (EventFile("Assets/B.cs", None, "b", "c"),)
    events = [
        event(1, "9", "10", Outcome.APPLIED),
        event(2, "11", "12", Outcome.APPLIED, more=others),
        event(3, "12", "13", Outcome.APPLIED),
        event(4, "10", "11"),
        event(5, "13", "14"),
    ]
    assert numbers(*events) == [1, 4, 2, 3, 5]


def test_a_write_by_another_process_that_is_recorded_late() -> None:
    assert numbers(event(1, "b", "c"), event(2, "a", "b"), event(3, "c", "d")) == [2, 1, 3]


def test_what_came_in_between_was_not_recorded() -> None:
    edit = event(2, "13", "14", Outcome.APPLIED)
    assert numbers(event(1, "9", "10"), edit, event(3, "10", "11")) == [1, 3, 2]
    assert numbers(event(1, "8", "9"), edit, event(3, "10", "13")) == [1, 3, 2]


def test_a_late_entry_goes_by_its_time_where_the_texts_leave_both() -> None:
    seen = [event(1, "c", "e", time_s=9), event(2, "d", "c", time_s=9)]
    late = [event(3, "a", "c", time_s=6), event(4, "c", "d", time_s=8)]
    assert numbers(*seen, *late) == [3, 4, 2, 1]
    seen = [event(1, "z", "a"), event(2, "a", "b", time_s=2), event(3, "b", "d", time_s=3)]
    there_and_back = [event(4, "b", "c", time_s=1.9), event(5, "c", "b", time_s=3)]
    assert numbers(*seen, *there_and_back) == [1, 2, 4, 5, 3]


def test_a_save_right_after_an_undo_by_a_command_that_is_recorded_late() -> None:
    edit = event(2, "10", "21", Outcome.APPLIED, time_s=1)
    saved, undone = event(3, "10", "31", time_s=5), event(4, "21", "10", time_s=5)
    assert numbers(event(1, "9", "10"), edit, saved, undone) == [1, 2, 4, 3]


@pytest.mark.parametrize(
    "events",
    [
        [event(1, "b", "a"), event(2, "a", "b")],
        [event(1, "11", "12"), event(2, "10", "11", time_s=LATE_S + 1)],
        [event(1, "11", "12"), event(2, "10", "11", Outcome.APPLIED)],
        [event(1, "11", "12"), event(2, "10", "13")],
    ],
)
def test_else_the_order_is_that_of_the_numbers(events: list[Event]) -> None:
    assert numbers(*reversed(events)) == [each.number for each in events]


def entry(number: int, *files: EventFile, outcome: Outcome = Outcome.APPLIED) -> Event:
    return Event(number, 0.0, None, None, "", outcome, files)


def edited(path: str, before: str | None, after: str | None, to: str | None = None) -> EventFile:
    return EventFile(path, to, before, after)


Net = list[NetFile]
A_NEW, A_GONE = edited("A", None, "1"), edited("A", "1", None)
A_TO_B = edited("A", "1", "1", "B")

SUMS: dict[str, tuple[list[Event], Net]] = {
    "edits, in any order": (
        [entry(2, edited("A", "2", "3")), entry(1, edited("A", "1", "2"))],
        [NetFile(edited("A", "1", "3"), (1, 2))],
    ),
    "as before": (
        [entry(1, edited("A", "1", "2")), entry(2, edited("A", "2", "1"))],
        [],
    ),
    "came, moved and went": (
        [
            entry(1, A_NEW),
            entry(2, edited("A", "1", "2", "B")),
            entry(3, edited("B", "2", None)),
        ],
        [],
    ),
    "deleted and created again": (
        [entry(1, A_GONE), entry(2, edited("A", None, "2"))],
        [NetFile(edited("A", "1", "2"), (1, 2))],
    ),
    "moved, edited and moved": (
        [
            entry(1, A_TO_B),
            entry(2, edited("B", "1", "2")),
            entry(3, edited("B", "2", "2", "C")),
        ],
        [NetFile(edited("A", "1", "2", "C"), (1, 2, 3))],
    ),
    "there and back": ([entry(1, A_TO_B), entry(4, edited("B", "1", "1", "A"))], []),
    "created and moved: new where it is": (
        [entry(1, A_NEW), entry(2, A_TO_B)],
        [NetFile(edited("B", None, "1"), (1, 2))],
    ),
    "moved and deleted: gone from where it was": (
        [entry(1, A_TO_B), entry(2, edited("B", "1", None))],
        [NetFile(A_GONE, (1, 2))],
    ),
    "two that change places": (
        [entry(1, edited("A", "a", "a", "B"), edited("B", "b", "b", "A"))],
        [NetFile(edited("A", "a", "a", "B"), (1,)), NetFile(edited("B", "b", "b", "A"), (1,))],
    ),
    "to the place of a deleted one": (
        [entry(1, A_GONE), entry(2, edited("B", "b", "b", "A"))],
        [NetFile(A_GONE, (1,)), NetFile(edited("B", "b", "b", "A"), (2,))],
    ),
    "a gap": (
        [entry(1, edited("A", "1", "2")), entry(3, edited("A", "x", "3"))],
        [NetFile(edited("A", "1", "3"), (1, 3), has_gap=True)],
    ),
    "what changed nothing does not count": (
        [
            entry(1, edited("A", "1", "2"), outcome=Outcome.PREVIEWED),
            entry(2, edited("A", "1", "3"), outcome=Outcome.REFUSED),
            entry(3, edited("B", "1", "3"), outcome=Outcome.CHANGED),
        ],
        [NetFile(edited("B", "1", "3"), (3,))],
    ),
}


@pytest.mark.parametrize(("events", "net"), SUMS.values(), ids=SUMS)
def test_the_sum_of_events(events: list[Event], net: Net) -> None:
    assert net_difference(events) == net


def test_only_the_first_and_the_last_text_must_be_known() -> None:
    unseen = EventFile("A", is_unknown=True)
    known = entry(1, edited("A", "1", "2")), entry(3, edited("A", "3", "4"))
    assert net_difference([known[0], entry(2, unseen), known[1]]) == [
        NetFile(edited("A", "1", "4"), (1, 2, 3))
    ]
    (last,) = net_difference([known[0], entry(2, unseen)])
    assert (last.file.before, last.file.after, last.file.is_unknown) == ("1", None, True)
    (first,) = net_difference([entry(2, unseen), known[1]])
    assert (first.file.before, first.file.after, first.file.is_unknown) == (None, "4", True)
