"""Events of what is no call: which writes of this product are told by a call's own event."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_server.review.record import other_events
from mcp_server.review.record.event_store import EventStore
from mcp_server.review.record.events import Event, FileTexts, NewEvent, Outcome
from mcp_server.review.record.other_events import OtherEvents
from mcp_server.watcher.outside_change import OwnWrite

LONG_S = 60.0
NOW_S = 1_000.0
TEXTS = FileTexts("Assets/A.cs", b"old", b"new")
WRITE = OwnWrite("Assets/A.cs", b"old", b"new", is_unknown=False)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EventStore]:
    monkeypatch.setattr(other_events, "OWN_S", 0.0)
    store = EventStore(tmp_path / "review")
    store.start()
    yield store
    store.stop(LONG_S)


def call(outcome: Outcome, time_s: float = NOW_S) -> NewEvent:
    return NewEvent(Event(0, time_s, "Claude", None, "edit_snippet", outcome), (TEXTS,))


def added_for(store: EventStore) -> list[Event]:
    """The events that a write of this product adds."""
    assert store.settle(LONG_S)
    before = store.last_number
    OtherEvents(store, lambda: NOW_S).own(WRITE)
    for _ in range(3):  # it is looked for, then added
        assert store.settle(LONG_S)
    return store.events()[: store.last_number - before]


@pytest.mark.parametrize("outcome", [Outcome.APPLIED, Outcome.UNDONE, Outcome.CHANGED])
def test_a_write_that_an_event_tells_of_is_not_told_again(
    store: EventStore, outcome: Outcome
) -> None:
    store.add(call(outcome))
    assert added_for(store) == []


@pytest.mark.parametrize("outcome", [Outcome.PREVIEWED, Outcome.REFUSED, Outcome.FAILED])
def test_what_only_would_have_been_written_hides_no_write(
    store: EventStore, outcome: Outcome
) -> None:
    store.add(call(outcome))
    (event,) = added_for(store)
    assert event.outcome is Outcome.CHANGED
    assert event.line == "by unity-snippet, outside of a recorded call: old → new"
    assert [store.text(event.files[0].after or ""), event.client] == [b"new", None]


def test_an_old_write_of_the_same_text_hides_none(store: EventStore) -> None:
    store.add(call(Outcome.APPLIED, NOW_S - other_events.RECENT_S - 1))
    assert len(added_for(store)) == 1
