"""The store of events: order, filters, what is kept, what is damaged, what is full."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_server.review.record import event_files, event_store
from mcp_server.review.record.event_files import document_line
from mcp_server.review.record.event_store import EventStore
from mcp_server.review.record.events import (
    Event,
    EventFilter,
    FileTexts,
    LateError,
    NewEvent,
    Outcome,
)

LONG_S = 60.0


def an_event(
    line: str = "line", outcome: Outcome = Outcome.APPLIED, client: str | None = "Claude"
) -> Event:
    return Event(0, 1_000.0, client, "s1", "edit_snippet", outcome, line=line)


def added(store: EventStore, *events: NewEvent) -> None:
    for each in events:
        store.add(each)
    assert store.settle(LONG_S)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "review"


@pytest.fixture
def store(folder: Path) -> Iterator[EventStore]:
    store = EventStore(folder)
    store.start()
    yield store
    store.stop(LONG_S)


def again(folder: Path) -> EventStore:
    store = EventStore(folder)
    store.start()
    assert store.settle(LONG_S)
    return store


def test_events_come_newest_first_with_texts_and_detail(store: EventStore) -> None:
    texts = FileTexts("Assets/A.cs", b"old", b"new\r\n")
    added(store, NewEvent(an_event("one"), (texts,), {"arguments": {"path": "Assets/A.cs"}}))
    added(store, NewEvent(an_event("two")))
    newest, oldest = store.events()
    assert [newest.line, oldest.line] == ["two", "one"]
    assert [newest.number, oldest.number, store.last_number] == [2, 1, 2]
    file = oldest.files[0]
    assert file.before is not None
    assert file.after is not None
    assert [store.text(file.before), store.text(file.after)] == [b"old", b"new\r\n"]
    assert store.detail(1) == {"arguments": {"path": "Assets/A.cs"}}
    assert store.detail(2) is None
    assert store.event(1) == oldest
    assert store.event(3) is None
    assert store.events(before_number=2) == [oldest]
    assert store.events(limit=1) == [newest]


def test_everything_is_there_again_after_a_restart(store: EventStore, folder: Path) -> None:
    texts = FileTexts("Assets/A.cs", None, b"new", "Assets/B.cs")
    added(store, NewEvent(an_event("one"), (texts,), {"result": {"applied": True}}))
    store.add_late(lambda event: event.line == "one", [LateError("Assets/A.cs", 3, "CS0103", "x")])
    store.set_mark(1)
    store.stop(LONG_S)
    kept = again(folder)
    assert kept.events() == store.events()
    assert kept.detail(1) == {"result": {"applied": True}}
    assert kept.text(kept.events()[0].files[0].after or "") == b"new"
    assert kept.late(1) == [LateError("Assets/A.cs", 3, "CS0103", "x")]
    assert kept.mark == 1
    added(kept, NewEvent(an_event("two")))
    assert kept.last_number == 2
    kept.stop(LONG_S)


@pytest.mark.parametrize("cut", [0, 9])
def test_however_many_servers_come_and_go_nothing_is_dropped(folder: Path, cut: int) -> None:
    texts = FileTexts("Assets/A.cs", b"old", b"new")
    for number in range(2 * event_files.MAX_SEGMENTS):
        store = again(folder)
        added(store, NewEvent(an_event(f"event {number}"), (texts,), {"arguments": {}}))
        store.set_mark(number)
        store.stop(LONG_S)
        file = max(folder.glob("events-*.jsonl"))
        file.write_bytes(file.read_bytes()[: -cut or None])  # the mark's line, if one is cut
    kept = again(folder)
    numbers = list(range(2 * event_files.MAX_SEGMENTS, 0, -1))
    assert [each.number for each in kept.events()] == numbers
    assert [kept.detail(each) for each in numbers] == [{"arguments": {}}] * len(numbers)
    assert kept.text(kept.events()[-1].files[0].before or "") == b"old"
    assert len(list(folder.glob("events-*.jsonl"))) == 1
    kept.stop(LONG_S)


@pytest.mark.parametrize("cut", [1, 2, 30, 60])
def test_a_torn_last_line_costs_only_itself(store: EventStore, folder: Path, cut: int) -> None:
    added(store, NewEvent(an_event("one")), NewEvent(an_event("two")))
    store.stop(LONG_S)
    file = next(folder.glob("events-*.jsonl"))
    file.write_bytes(file.read_bytes()[:-cut])
    kept = again(folder)
    assert [each.line for each in kept.events()] == ["one"]
    added(kept, NewEvent(an_event("three")))
    kept.stop(LONG_S)
    last = again(folder)
    assert [each.line for each in last.events()] == ["three", "one"]
    last.stop(LONG_S)


def test_lines_that_are_nothing_are_passed_over(store: EventStore, folder: Path) -> None:
    added(store, NewEvent(an_event("one")))
    store.stop(LONG_S)
    file = next(folder.glob("events-*.jsonl"))
    junk = [b"\xff\x00}\n", b"[" * 100_000 + b"}\n", b'{"event": {"number": "x"}}\n', b"{}\n"]
    junk += [b'{"event": {"number": 9, "time_s": 1, "outcome": "guessed"}}\n', b'{"late": 1}\n']
    file.write_bytes(b"".join(junk) + file.read_bytes())
    kept = again(folder)
    assert [each.line for each in kept.events()] == ["one"]
    kept.stop(LONG_S)


@pytest.mark.parametrize(
    "wrong",
    [
        {"number": 2.5},
        {"number": True},
        {"number": 10**15},
        {"number": -1},
        {"time_s": "x"},
        {"time_s": 1e20},
        {"time_s": float("nan")},
        {"client": ["x"]},
        {"errors": "many"},
        {"files": [{"path": 7}]},
        {"files": [{"path": "A.cs", "before": 5}]},
        {"files": ["A.cs"]},
    ],
)
def test_an_event_with_values_of_another_kind_is_passed_over(
    store: EventStore, folder: Path, wrong: dict[str, object]
) -> None:
    added(store, NewEvent(an_event("one")))
    store.stop(LONG_S)
    file = next(folder.glob("events-*.jsonl"))
    with file.open("ab") as lines:
        lines.write(document_line({"event": {**an_event().to_json(), "number": 2, **wrong}}))
    kept = again(folder)
    added(kept, NewEvent(an_event("two")))
    kept.stop(LONG_S)
    last = again(folder)
    assert [each.line for each in last.events()] == ["two", "one"]
    last.stop(LONG_S)


def test_events_of_a_newer_version_keep_their_numbers(store: EventStore, folder: Path) -> None:
    added(store, NewEvent(an_event("one"), (FileTexts("A.cs", b"a", b"b"),)))
    store.stop(LONG_S)
    newer = {**store.events()[0].to_json(), "number": 2, "line": "two", "mood": "good"}
    newer["files"][0]["mode"] = 0o644
    unknown = {**newer, "number": 3, "outcome": "dreamt"}
    with next(folder.glob("events-*.jsonl")).open("ab") as lines:
        lines.writelines(document_line({"event": each}) for each in (newer, unknown))
        lines.write(document_line({"mark": 10**18}))
    kept = again(folder)
    added(kept, NewEvent(an_event("four")))
    shown = [(each.number, each.line, len(each.files)) for each in kept.events()]
    assert shown == [(4, "four", 0), (2, "two", 1), (1, "one", 1)]
    assert kept.mark == 3
    kept.stop(LONG_S)


def test_what_follows_a_write_that_failed_half_way_is_kept(store: EventStore, folder: Path) -> None:
    added(store, NewEvent(an_event("one")))
    with next(folder.glob("events-*.jsonl")).open("ab") as lines:
        lines.write(b'{"event": {"number": 2, "ti')  # as on a full disk
    added(store, NewEvent(an_event("two"), (), {"arguments": {}}), NewEvent(an_event("three")))
    assert store.detail(2) == {"arguments": {}}
    store.stop(LONG_S)
    kept = again(folder)
    assert [each.line for each in kept.events()] == ["three", "two", "one"]
    assert kept.detail(2) == {"arguments": {}}
    kept.stop(LONG_S)


def test_old_segments_go_with_their_texts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_files, "MAX_SEGMENT_EVENTS", 4)
    monkeypatch.setattr(event_files, "MAX_SEGMENTS", 2)
    monkeypatch.setattr(event_store, "MAX_EVENTS", 8)
    store = EventStore(folder)
    store.start()
    texts = FileTexts("Assets/A.cs", b"always", b"same")
    for number in range(20):
        store.add(NewEvent(an_event(f"event {number}"), (texts,), {"arguments": {}}))
    assert store.settle(LONG_S)
    assert len(list(folder.glob("events-*.jsonl"))) == 2
    kept = again(folder)
    assert [each.number for each in kept.events()] == [20, 19, 18, 17, 16, 15, 14, 13]
    # A text that came first in a segment that is gone is in a later one, too.
    assert kept.text(kept.events()[0].files[0].before or "") == b"always"
    kept.stop(LONG_S)
    store.stop(LONG_S)


def test_where_nothing_can_be_written_events_of_this_process_are_there(folder: Path) -> None:
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("no folder")
    store = EventStore(folder)
    store.start()
    added(store, NewEvent(an_event("one"), (FileTexts("A.cs", b"a", b"b"),), {"arguments": {}}))
    assert [each.line for each in store.events()] == ["one"]
    assert store.detail(1) == {"arguments": {}}
    assert store.text(store.events()[0].files[0].after or "") is None
    assert store.problem is not None
    folder.unlink()
    added(store, NewEvent(an_event("two")))
    assert store.problem is None
    store.stop(LONG_S)


def test_filters(store: EventStore) -> None:
    added(
        store,
        NewEvent(an_event("speed"), (FileTexts("Assets/Player.cs", b"a", b"b"),)),
        NewEvent(an_event("jump", Outcome.REFUSED, None)),
        NewEvent(an_event("speed", Outcome.PREVIEWED)),
    )

    def lines(**chosen: object) -> list[int]:
        return [each.number for each in store.events(EventFilter(**chosen))]  # type: ignore[arg-type]

    assert lines(file="player") == [1]
    assert lines(client="Claude") == [3, 1]
    assert lines(outcome=Outcome.REFUSED) == [2]
    assert lines(text="SPEED") == [3, 1]
    assert lines(text="player.cs") == [1]
    assert lines(after=2) == [3]
    assert lines(is_written=True) == [1]


def test_a_large_detail_and_a_large_text_are_bounded(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_store, "MAX_TEXT_BYTES", 1000)
    large = {"arguments": {"newText": "x" * 1_000_000, "all": ["y" * 5000] * 100}}
    added(store, NewEvent(an_event(), (FileTexts("A.unity", b"a" * 1001, b"b"),), large))
    detail = store.detail(1)
    assert detail is not None
    assert detail["arguments"]["newText"].endswith("(998000 more characters are not kept)")
    assert detail["arguments"]["all"][-1] == "… (92 more are not kept)"
    file = store.events()[0].files[0]
    assert file.before is not None
    assert store.text(file.before) is None
    assert store.text(file.after or "") == b"b"


def test_texts_that_wait_are_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_store, "MAX_WAITING_BYTES", 10)
    store = EventStore(folder)  # not started, so everything waits
    store.add(NewEvent(an_event("one"), (FileTexts("A.cs", b"12345", b"6789"),)))
    store.add(NewEvent(an_event("two"), (FileTexts("A.cs", b"1", b"2"),)))
    store.start()
    assert store.settle(LONG_S)
    two, one = store.events()
    assert one.files[0].after is not None
    assert two.files[0].is_unknown
    added(store, NewEvent(an_event("three"), (FileTexts("A.cs", b"1", b"2"),)))
    assert not store.events()[0].files[0].is_unknown
    store.stop(LONG_S)


def test_listeners_get_each_event_once_it_can_be_read(store: EventStore) -> None:
    got = []
    store.on_added.append(lambda event: got.append(store.event(event.number)))
    added(store, NewEvent(an_event("one")), NewEvent(an_event("two")))
    assert [each.line for each in got if each is not None] == ["one", "two"]
    store.add_late(lambda _: True, [LateError("A.cs", 1, "CS1", "m")])
    assert store.settle(LONG_S)
    assert len(got) == 3
    store.add_late(lambda _: True, [LateError("A.cs", 1, "CS1", "m")])  # nothing new
    assert store.settle(LONG_S)
    assert len(got) == 3


def test_a_listener_that_fails_stops_nothing(store: EventStore) -> None:
    def fails(event: Event) -> None:
        raise ValueError(event.line)

    store.on_added.append(fails)
    added(store, NewEvent(an_event("one")), NewEvent(an_event("two")))
    assert len(store.events()) == 2
