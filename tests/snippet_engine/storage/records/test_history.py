"""Before-images are bounded, and never wrong: docs/design/engine.md §5 "Undo"."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from answered import refusal, success
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.records import history_entry, write_record
from snippet_engine.storage.records.history import History
from snippet_engine.storage.records.history_entry import HistoryEntry, parse_entry
from snippet_engine.storage.records.write_record import WriteRecord
from snippet_engine.storage.recovery.pending_writes import PendingWrites
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.stores.change_list import ChangeList
from snippet_engine.storage.stores.script_store import ScriptStore, Undone


def entries(root: Path) -> list[Path]:
    """The history's files, oldest first."""
    return sorted((root / "Library/SnippetEngine/history").iterdir())


def apply_all(store: ScriptStore, script: ScriptPath, contents: list[bytes]) -> None:
    for content in contents:
        assert store.apply(script, script.real.read_bytes(), content) is None


HOUR_NS = 3600 * 10**9


def set_clock(monkeypatch: pytest.MonkeyPatch, time_ns: int) -> None:
    """Let the clock stand at that time; all that ask for it are told the same."""
    clock = SimpleNamespace(time_ns=lambda: time_ns, time=lambda: time_ns / 1e9)
    monkeypatch.setattr(history_entry, "time", clock)
    monkeypatch.setattr(write_record, "time", clock)


def test_bounded_by_count(project: Project, player: ScriptPath, root: Path) -> None:
    store = ScriptStore(project, history_entries=3)
    apply_all(store, player, [b"1", b"2", b"3", b"4", b"5"])
    assert len(entries(root)) == 3
    for content in (b"5", b"4", b"3"):
        assert isinstance(store.undo(player, content_hash(content)), Undone)
    assert player.real.read_bytes() == b"2"
    refusal(store.undo(player, content_hash(b"2")), ErrorCode.INVALID_REQUEST)


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
    hashes = content_hash(image), content_hash(b"")
    whole = WriteRecord("Assets/A.cs", "0" * 16, *hashes, image, time_s=1.5)
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
    set_clock(monkeypatch, 5_000)
    start = player.real.read_bytes()
    contents = [b"%d" % number for number in range(8)]
    apply_all(store, player, contents)
    answer = refusal(store.undo(player, content_hash(contents[0])))
    newest_first = [content_hash(content) for content in reversed(contents)]
    assert answer.details["undoable"] == newest_first
    for content, before in zip(contents[::-1], [*contents[-2::-1], start], strict=True):
        assert store.undo(player, content_hash(content)) == Undone(content, before)


def test_of_several_ways_to_a_content_the_latest_counts_while_the_clock_stands_still(
    store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, 5_000)
    ways = [b"%d" % number for number in range(8)]
    for way in ways:
        player.real.write_bytes(way)
        apply_all(store, player, [b"C"])
    for way in reversed(ways):
        player.real.write_bytes(b"C")
        assert store.undo(player, content_hash(b"C")) == Undone(b"C", way)


def scripts_of(project: Project, count: int) -> list[ScriptPath]:
    found = []
    for number in range(count):
        path = f"Assets/Scripts/N{number}.cs"
        (project.root / path).write_bytes(b"old")
        script = success(project.locate(path, for_writing=True))
        found.append(script)
    return found


def test_a_clock_that_is_set_back_changes_no_order(
    project: Project, store: ScriptStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last change is the one that was made last; the time that is told is the clock's."""
    scripts = scripts_of(project, 4)
    for hours, script in zip((9, 5, 5, 7), scripts, strict=True):
        set_clock(monkeypatch, hours * HOUR_NS)
        apply_all(store, script, [b"new"])
    history = History(StateFolder(project.root), max_bytes=1 << 20, max_entries=200)
    listed = list(ChangeList(project, history).newest_first(None))
    assert [entry.files[0].path for entry in listed] == [
        script.canonical for script in reversed(scripts)
    ]
    assert [entry.time_s / 3600 for entry in listed] == [7, 5, 5, 9]


def test_a_clock_that_is_set_back_prunes_nothing_new(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ScriptStore(project, history_entries=20)
    scripts = scripts_of(project, 30)
    set_clock(monkeypatch, 9 * HOUR_NS)
    for script in scripts[:19]:
        apply_all(store, script, [b"new"])
    set_clock(monkeypatch, 5 * HOUR_NS)
    for script in scripts[19:]:
        apply_all(store, script, [b"new"])
    for script in reversed(scripts[19:]):
        assert store.undo(script, content_hash(b"new")) == Undone(b"new", b"old")


def test_the_copy_of_a_meta_comes_after_what_there_is(
    project: Project, store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is dropped when its turn comes, not at once."""
    set_clock(monkeypatch, 9 * HOUR_NS)
    apply_all(store, player, [b"new"])
    set_clock(monkeypatch, 5 * HOUR_NS)
    history = History(StateFolder(project.root), max_bytes=1 << 20, max_entries=200)
    history.keep_meta("0" * 16, 0, b"guid: 1")
    assert entries(project.root)[-1].name.endswith(".0.meta")


def test_a_clock_before_its_own_beginning_loses_no_write(
    store: ScriptStore, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = player.real.read_bytes()
    set_clock(monkeypatch, -HOUR_NS)
    apply_all(store, player, [b"new"])
    assert store.undo(player, content_hash(b"new")) == Undone(b"new", old)


def test_an_entry_with_the_last_number_is_no_end(
    store: ScriptStore, player: ScriptPath, root: Path
) -> None:
    """Its name may come from anyone; those of later entries still are names."""
    apply_all(store, player, [b"new"])
    made = entries(root)[0]
    (made.parent / f"{'9' * 20}-1-{'0' * 16}.1.back").write_bytes(b"x")
    apply_all(store, player, [b"newer"])
    assert store.undo(player, content_hash(b"newer")) == Undone(b"newer", b"new")


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
