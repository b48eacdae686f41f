"""Events of what is no call: this product's other writes, and the history from before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from running_server import SCRIPT, SOURCE, edit, make_project

from mcp_server.review.record import other_events
from mcp_server.review.record.event_store import EventStore
from mcp_server.review.record.events import Event, FileTexts, NewEvent, Outcome
from mcp_server.review.record.other_events import OtherEvents
from mcp_server.review.record.recorder import UNDONE_BY_COMPILE
from mcp_server.review.review import Review
from mcp_server.watcher.outside_change import OwnWrite
from snippet_engine.call_context import as_client
from snippet_engine.engine import SnippetEngine

LONG_S = 60.0
NOW_S = 1_000.0
TEXTS = FileTexts("Assets/A.cs", b"old", b"new")
WRITE = OwnWrite("Assets/A.cs", b"old", b"new", is_unknown=False, since_s=NOW_S - 10)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EventStore]:
    monkeypatch.setattr(other_events, "OWN_S", 0.0)
    store = EventStore(tmp_path / "review")
    store.start()
    yield store
    store.stop(LONG_S)


def call(outcome: Outcome, time_s: float = NOW_S) -> NewEvent:
    return NewEvent(Event(0, time_s, "Claude", None, "edit_snippet", outcome), (TEXTS,))


def added_for(store: EventStore, write: OwnWrite = WRITE) -> list[Event]:
    """The events that a write of this product adds."""
    assert store.settle(LONG_S)
    before = store.last_number
    OtherEvents(store, lambda: NOW_S).own(write)
    for _ in range(3):  # it is looked for, then added
        assert store.settle(LONG_S)
    return store.events()[: store.last_number - before]


@pytest.mark.parametrize("outcome", [Outcome.APPLIED, Outcome.UNDONE])
def test_a_write_that_an_event_tells_of_is_not_told_again(
    store: EventStore, outcome: Outcome
) -> None:
    store.add(call(outcome))
    assert added_for(store) == []
    OtherEvents(store, lambda: NOW_S).own(replace(WRITE, after=b"newer"))
    assert store.settle(LONG_S)
    assert added_for(store, replace(WRITE, after=b"newer")) == []


def test_a_change_by_others_to_the_same_text_tells_of_no_write(store: EventStore) -> None:
    store.add(call(Outcome.CHANGED))
    assert len(added_for(store)) == 1


@pytest.mark.parametrize("outcome", [Outcome.PREVIEWED, Outcome.REFUSED, Outcome.FAILED])
def test_what_only_would_have_been_written_hides_no_write(
    store: EventStore, outcome: Outcome
) -> None:
    store.add(call(outcome))
    (event,) = added_for(store)
    assert event.outcome is Outcome.CHANGED
    assert event.line == "by unity-snippet, outside of a recorded call: old → new"
    assert [store.text(event.files[0].after or ""), event.client] == [b"new", None]


@pytest.mark.parametrize(
    ("written_s", "since_s"),
    [(NOW_S - other_events.RECENT_S - 1, 0.0), (NOW_S - 11, NOW_S - 10)],
)
def test_an_old_write_of_the_same_text_hides_none(
    store: EventStore, written_s: float, since_s: float
) -> None:
    store.add(call(Outcome.APPLIED, written_s))
    assert len(added_for(store, replace(WRITE, since_s=since_s))) == 1


def test_a_clock_that_was_set_back_tells_nothing_twice(store: EventStore) -> None:
    store.add(call(Outcome.APPLIED))
    assert added_for(store, replace(WRITE, since_s=NOW_S + 3_600)) == []


def test_a_write_of_a_call_that_still_runs_waits_for_its_event(store: EventStore) -> None:
    runs = [True, True, False]

    def still_runs(_: float) -> bool:
        if len(runs) == 1:
            store.add(call(Outcome.APPLIED))  # its event is added before it ends
        return runs.pop(0)

    OtherEvents(store, lambda: NOW_S, still_runs).own(WRITE)
    while runs:
        assert store.settle(LONG_S)
    for _ in range(3):
        assert store.settle(LONG_S)
    assert [each.outcome for each in store.events()] == [Outcome.APPLIED]


@pytest.mark.parametrize(("before", "after"), [(b"old", b"new"), (b"new", b"old"), (b"new", None)])
def test_an_edit_that_was_undone_by_its_own_call_tells_of_both_writes(
    store: EventStore, before: bytes, after: bytes | None
) -> None:
    undone = Event(
        *(0, NOW_S, "Claude", None, "edit_snippet", Outcome.REFUSED), code=UNDONE_BY_COMPILE
    )
    store.add(NewEvent(undone, (TEXTS,)))
    assert added_for(store, replace(WRITE, before=before, after=after)) == []


PAGE = "http://127.0.0.1:48091/"
NEW = SOURCE.replace(b"speed > 10", b"speed > 20")


def a_project(tmp_path: Path) -> tuple[Path, SnippetEngine]:
    root = make_project(tmp_path / "Game")
    engine = SnippetEngine.open(root)
    assert isinstance(engine, SnippetEngine)
    return root, engine


def test_the_history_is_taken_over_once(tmp_path: Path) -> None:
    root, engine = a_project(tmp_path)
    with as_client("unity-cli"):
        engine.edit_snippet(edit("apply"))
        change = {"path": "Assets/New.cs", "create": "class New { }\n"}
        engine.edit_scripts({"mode": "apply", "changes": [change]})
    for _ in range(2):
        review = Review(tmp_path / "kept", PAGE)
        review.start(root)
        assert review.store.settle(LONG_S)
        made, edited = review.store.events()
        assert [made.number, edited.number] == [2, 1]
        assert (edited.client, edited.outcome) == ("unity-cli", Outcome.APPLIED)
        assert edited.line == "if (speed > 10) → if (speed > 20)"
        assert edited.undo == {"path": SCRIPT, "hashAfter": edited.files[0].after}
        assert made.line == "created"
        assert made.undo is not None
        texts = [
            None if digest is None else review.store.text(digest)
            for event in (edited, made)
            for digest in (event.files[0].before, event.files[0].after)
        ]
        assert texts == [SOURCE, NEW, None, (root / "Assets/New.cs").read_bytes()]
        review.stop(LONG_S)
    undone = engine.undo_snippet(dict(edited.undo))
    assert isinstance(undone, dict), undone
    assert (root / SCRIPT).read_bytes() == SOURCE


def test_where_there_is_no_history_there_are_no_events(tmp_path: Path) -> None:
    root, _ = a_project(tmp_path)
    for project in (root, tmp_path / "gone", None):
        review = Review(tmp_path / "kept", PAGE)
        review.start(project)
        assert review.store.settle(LONG_S)
        assert review.store.events() == []
        review.stop(LONG_S)
