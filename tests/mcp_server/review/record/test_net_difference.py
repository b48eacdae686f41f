"""Events are summed up by file: before the first, after the last, whatever was in between."""

from __future__ import annotations

from mcp_server.review.record.event_order import NetFile, net_difference
from mcp_server.review.record.events import Event, EventFile, Outcome


def event(number: int, *files: EventFile, outcome: Outcome = Outcome.APPLIED) -> Event:
    return Event(number, 0.0, None, None, "", outcome, files)


def edited(path: str, before: str | None, after: str | None, to: str | None = None) -> EventFile:
    return EventFile(path, to, before, after)


def test_edits_of_one_file_in_any_order() -> None:
    events = [event(2, edited("A", "2", "3")), event(1, edited("A", "1", "2"))]
    assert net_difference(events) == [NetFile(edited("A", "1", "3"), (1, 2))]


def test_what_is_as_before_is_left_out() -> None:
    events = [event(1, edited("A", "1", "2")), event(2, edited("A", "2", "1"))]
    assert net_difference(events) == []


def test_what_came_and_went_is_left_out() -> None:
    events = [
        event(1, edited("A", None, "1")),
        event(2, edited("A", "1", "2", "B")),
        event(3, edited("B", "2", None)),
    ]
    assert net_difference(events) == []


def test_what_was_deleted_and_created_again_is_edited() -> None:
    events = [event(1, edited("A", "1", None)), event(2, edited("A", None, "2"))]
    assert net_difference(events) == [NetFile(edited("A", "1", "2"), (1, 2))]


def test_moves_are_followed() -> None:
    events = [
        event(1, edited("A", "1", "1", "B")),
        event(2, edited("B", "1", "2")),
        event(3, edited("B", "2", "2", "C")),
    ]
    assert net_difference(events) == [NetFile(edited("A", "1", "2", "C"), (1, 2, 3))]
    there_and_back = [*events[:1], event(4, edited("B", "1", "1", "A"))]
    assert net_difference(there_and_back) == []


def test_a_file_that_was_created_and_moved_is_new_where_it_is() -> None:
    events = [event(1, edited("A", None, "1")), event(2, edited("A", "1", "1", "B"))]
    assert net_difference(events) == [NetFile(edited("B", None, "1"), (1, 2))]


def test_a_file_that_was_moved_and_deleted_is_gone_from_where_it_was() -> None:
    events = [event(1, edited("A", "1", "1", "B")), event(2, edited("B", "1", None))]
    assert net_difference(events) == [NetFile(edited("A", "1", None), (1, 2))]


def test_files_that_change_places() -> None:
    events = [event(1, edited("A", "a", "a", "B"), edited("B", "b", "b", "A"))]
    assert net_difference(events) == [
        NetFile(edited("A", "a", "a", "B"), (1,)),
        NetFile(edited("B", "b", "b", "A"), (1,)),
    ]


def test_one_that_comes_to_the_place_of_a_deleted_one() -> None:
    events = [event(1, edited("A", "a", None)), event(2, edited("B", "b", "b", "A"))]
    assert net_difference(events) == [
        NetFile(edited("A", "a", None), (1,)),
        NetFile(edited("B", "b", "b", "A"), (2,)),
    ]


def test_a_gap_is_told() -> None:
    events = [event(1, edited("A", "1", "2")), event(3, edited("A", "x", "3"))]
    assert net_difference(events) == [NetFile(edited("A", "1", "3"), (1, 3), has_gap=True)]


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


def test_what_changed_nothing_does_not_count() -> None:
    events = [
        event(1, edited("A", "1", "2"), outcome=Outcome.PREVIEWED),
        event(2, edited("A", "1", "3"), outcome=Outcome.REFUSED),
        event(3, edited("B", "1", "3"), outcome=Outcome.CHANGED),
    ]
    assert net_difference(events) == [NetFile(edited("B", "1", "3"), (3,))]
