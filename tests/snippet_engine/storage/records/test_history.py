"""Before-images are bounded, and never wrong: docs/design/engine.md §5 "Undo"."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.records import history as history_module
from snippet_engine.storage.records.history import History, HistoryEntry, parse_entry
from snippet_engine.storage.records.write_record import WriteRecord
from snippet_engine.storage.recovery.leftovers import PendingWrites
from snippet_engine.storage.script_store import ScriptStore, Undone
from snippet_engine.storage.state_folder import StateFolder


def entries(root: Path) -> list[Path]:
    """The history's files, oldest first."""
    return sorted((root / "Library/SnippetEngine/history").iterdir())


def apply_all(store: ScriptStore, script: ScriptPath, contents: list[bytes]) -> None:
    for content in contents:
        assert store.apply(script, script.real.read_bytes(), content) is None


def test_bounded_by_count(project: Project, player: ScriptPath, root: Path) -> None:
    store = ScriptStore(project, history_entries=3)
    apply_all(store, player, [b"1", b"2", b"3", b"4", b"5"])
    assert len(entries(root)) == 3
    for content in (b"5", b"4", b"3"):
        assert isinstance(store.undo(player, content_hash(content)), Undone)
    assert player.real.read_bytes() == b"2"
    answer = store.undo(player, content_hash(b"2"))
    assert isinstance(answer, SnippetError)
    assert answer.code is ErrorCode.INVALID_REQUEST


def test_the_default_bound(store: ScriptStore, player: ScriptPath, root: Path) -> None:
    for number in range(210):
        apply_all(store, player, [b"%d" % number])
        assert min(number + 1, 180) <= len(entries(root)) <= 200
    assert isinstance(store.undo(player, content_hash(b"209")), Undone)


def test_bounded_by_bytes(project: Project, player: ScriptPath, root: Path) -> None:
    store = ScriptStore(project, history_bytes=10_000)
    for number in range(10):
        apply_all(store, player, [bytes([65 + number]) * 3000])
        sizes = [path.stat().st_size for path in entries(root)]
        assert sum(sizes) <= 10_000
        assert len(sizes) >= min(number + 1, 2)


def test_the_newest_entry_stays_whatever_its_size(
    project: Project, player: ScriptPath, root: Path
) -> None:
    store = ScriptStore(project, history_bytes=1)
    apply_all(store, player, [b"x" * 3000, b"y"])
    assert len(entries(root)) == 1
    assert isinstance(store.undo(player, content_hash(b"y")), Undone)


def test_foreign_files_are_left_alone(project: Project, player: ScriptPath, root: Path) -> None:
    store = ScriptStore(project, history_entries=1)
    apply_all(store, player, [b"1"])
    note = root / "Library/SnippetEngine/history/note.txt"
    note.write_bytes(b"mine")
    apply_all(store, player, [b"2", b"3"])
    assert note.read_bytes() == b"mine"
    assert len(entries(root)) == 2


def test_order_holds_when_the_clock_goes_back(
    store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([5_000, 4_000, 4_000, 1])
    monkeypatch.setattr(history_module.time, "time_ns", lambda: next(times))
    a = player.real.read_bytes()
    apply_all(store, player, [b"B", b"C"])
    player.real.write_bytes(b"D")
    apply_all(store, player, [b"C"])  # The later way to C.
    assert store.undo(player, content_hash(b"C")) == Undone(b"C", b"D")
    player.real.write_bytes(b"C")
    assert store.undo(player, content_hash(b"C")) == Undone(b"C", b"B")
    assert store.undo(player, content_hash(b"B")) == Undone(b"B", a)


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "zeros", "gone", "folder"])
def test_a_damaged_before_image_is_never_restored(
    store: ScriptStore, player: ScriptPath, root: Path, damage: str
) -> None:
    """Nor is an older one of the same hash taken in its place."""
    apply_all(store, player, [b"B"])
    player.real.write_bytes(b"an earlier text")
    apply_all(store, player, [b"B"])
    latest = entries(root)[-1]
    data = latest.read_bytes()
    latest.unlink()
    if damage == "folder":
        latest.mkdir()
    elif damage != "gone":
        damaged = {
            "flip": data[:-1] + bytes([data[-1] ^ 1]),
            "cut": data[: len(data) // 2],
            "empty": b"",
            "zeros": bytes(len(data)),
        }
        latest.write_bytes(damaged[damage])
    answer = store.undo(player, content_hash(b"B"))
    if damage == "gone":
        assert isinstance(answer, Undone)  # The entry before it is all that is known now.
    else:
        assert isinstance(answer, SnippetError)
        assert answer.code is ErrorCode.INVALID_REQUEST
        assert "damaged" in answer.message
        assert player.real.read_bytes() == b"B"


def test_an_entry_under_another_files_name_is_not_restored(
    store: ScriptStore, player: ScriptPath, root: Path
) -> None:
    apply_all(store, player, [b"B"])
    entry = entries(root)[-1]
    line, _, image = entry.read_bytes().partition(b"\n")
    header = json.loads(line) | {"path": "Assets/Other.cs"}
    entry.write_bytes(json.dumps(header).encode() + b"\n" + image)
    assert isinstance(store.undo(player, content_hash(b"B")), SnippetError)


@given(
    st.integers(0, 2**63),
    st.text("0123456789abcdef", min_size=32, max_size=32),
    st.binary(),
    st.integers(0, 10**9),
)
def test_entries_are_told_by_their_names(seq: int, key: str, content: bytes, size: int) -> None:
    entry = HistoryEntry(seq, key, content_hash(content), size, key[:16])
    assert parse_entry(entry.name) == entry
    assert len(entry.name) < 200


@given(st.text(), st.binary(), st.booleans())
def test_records_come_back_as_they_were(path: str, image: bytes, undo: bool) -> None:
    before = content_hash(image)
    record = WriteRecord(
        path, "0" * 16, before, content_hash(b""), None if undo else image, "x" if undo else None
    )
    assert WriteRecord.decode(record.encode()) == record


@given(st.binary(min_size=1), st.data())
def test_damaged_records_are_recognised(image: bytes, data: st.DataObject) -> None:
    whole = WriteRecord("Assets/A.cs", "0" * 16, content_hash(image), content_hash(b""), image)
    encoded = whole.encode()
    cut = encoded[: data.draw(st.integers(0, len(encoded) - 1))]
    assert WriteRecord.decode(cut) is None
    place = data.draw(st.integers(encoded.index(b"\n") + 1, len(encoded) - 1))
    flipped = bytearray(encoded)
    flipped[place] ^= data.draw(st.integers(1, 255))
    assert WriteRecord.decode(bytes(flipped)) is None


@given(st.binary() | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps))
def test_no_bytes_make_decoding_fail(junk: bytes | str) -> None:
    data = junk if isinstance(junk, bytes) else junk.encode() + b"\n"
    assert WriteRecord.decode(data) is None


def test_order_holds_while_the_clock_stands_still(
    store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Newest first, in the list of what can be undone and on the way back."""
    monkeypatch.setattr(history_module.time, "time_ns", lambda: 5_000)
    start = player.real.read_bytes()
    contents = [b"%d" % number for number in range(8)]
    apply_all(store, player, contents)
    answer = store.undo(player, content_hash(contents[0]))
    assert isinstance(answer, SnippetError)
    newest_first = [content_hash(content) for content in reversed(contents)]
    assert answer.details["undoable"] == newest_first
    for content, before in zip(contents[::-1], [*contents[-2::-1], start], strict=True):
        assert store.undo(player, content_hash(content)) == Undone(content, before)


def test_of_several_ways_to_a_content_the_latest_counts_while_the_clock_stands_still(
    store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_module.time, "time_ns", lambda: 5_000)
    ways = [b"%d" % number for number in range(8)]
    for way in ways:
        player.real.write_bytes(way)
        apply_all(store, player, [b"C"])
    for way in reversed(ways):
        player.real.write_bytes(b"C")
        assert store.undo(player, content_hash(b"C")) == Undone(b"C", way)


def test_files_have_an_order_of_their_own(
    project: Project, store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock may run ahead for one file; the others' entries keep the time that it is."""
    (player.real.parent / "Enemy.cs").write_bytes(b"0")
    enemy = project.locate("Assets/Scripts/Enemy.cs", for_writing=True)
    assert isinstance(enemy, ScriptPath)
    times = iter([9_000, 5_000])
    monkeypatch.setattr(history_module.time, "time_ns", lambda: next(times))
    apply_all(store, player, [b"P"])
    apply_all(store, enemy, [b"E"])
    names = [path.name for path in entries(project.root)]
    sequences = {entry.after: entry.sequence for name in names if (entry := parse_entry(name))}
    assert sequences == {content_hash(b"P"): 9_000, content_hash(b"E"): 5_000}


def test_the_largest_script_can_be_had_back(store: ScriptStore, player: ScriptPath) -> None:
    largest = b" " * MAX_FILE_BYTES
    player.real.write_bytes(largest)
    apply_all(store, player, [b"small"])
    assert store.undo(player, content_hash(b"small")) == Undone(b"small", largest)


def test_what_another_process_has_removed_already_is_no_failure(
    project: Project, store: ScriptStore, player: ScriptPath, root: Path
) -> None:
    apply_all(store, player, [b"B"])
    state = StateFolder(project.root)
    history = History(state, max_bytes=1, max_entries=1)
    (entry,) = entries(root)
    for _ in range(2):
        history.remove(entry.name)
        PendingWrites(project, state, history).abandon("0" * 32 + "-" + "0" * 16)
    assert entries(root) == []
