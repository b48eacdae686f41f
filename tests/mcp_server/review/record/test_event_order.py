"""Events are ordered by the texts where a change was recorded after what was written on top."""

from __future__ import annotations

import pytest

from mcp_server.review.record.event_order import LATE_S, in_order, net_difference
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
