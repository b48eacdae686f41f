"""What other programs do to scripts is seen, recorded and undone."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from watched_scripts import SCRIPT, TEXT, WAIT_S, Watched, watching

from mcp_server.watcher import script_looks
from mcp_server.watcher.events import NO_EVENTS
from mcp_server.watcher.git_signs import GitSigns
from mcp_server.watcher.known_texts import FILE, KnownTexts
from mcp_server.watcher.outside_change import NotedTexts, OwnWrite
from mcp_server.watcher.script_looks import ScriptLooks
from mcp_server.watcher.settling import Settling
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError
from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.stores.outside_changes import Maker

NEW = TEXT.replace(b"1", b"22")
TEXTS = f"Library/SnippetEngine/texts/{FILE}"


def applied(engine: SnippetEngine, old: str = "x = 1", new: str = "x = 3") -> str:
    """Replace ``old``; the hash of the script after it."""
    anchor = {"type": "text", "target": old}
    instruction = {"operation": "replace", "anchor": anchor, "newText": new}
    sent = {"path": SCRIPT, "mode": "apply", "instructions": [instruction]}
    done = engine.edit_snippet(sent)
    assert isinstance(done, dict), done
    return str(done["hashAfter"])


def test_an_edit_is_an_entry_and_its_undo_gives_every_byte(watched: Watched) -> None:
    watched.write(SCRIPT, NEW)
    change = watched.change_of(SCRIPT)
    assert (change.before, change.after) == (TEXT, NEW)
    assert watched.changes[0]["source"] == "outside"
    assert change.undo is not None
    watched.undo(change.undo)
    assert (watched.root / SCRIPT).read_bytes() == TEXT


def test_new_and_deleted_scripts(watched: Watched) -> None:
    watched.write("Assets/Deep/er/New.cs", b"class New { }\n")
    made = watched.change_of("Assets/Deep/er/New.cs")
    assert (made.before, made.was_there) == (None, False)
    (watched.root / SCRIPT).unlink()
    gone = watched.change_of(SCRIPT)
    assert gone.after is None
    assert made.undo is not None
    assert gone.undo is not None
    watched.undo(made.undo)
    watched.undo(gone.undo)
    assert (watched.root / SCRIPT).read_bytes() == TEXT
    assert not (watched.root / "Assets/Deep/er/New.cs").exists()


def test_a_folder_that_is_moved_in_and_away(watched: Watched, tmp_path: Path) -> None:
    (tmp_path / "Other").mkdir()
    (tmp_path / "Other/B.cs").write_bytes(b"class B { }\n")
    (tmp_path / "Other").rename(watched.root / "Assets/Other")
    assert watched.change_of("Assets/Other/B.cs").before is None
    (watched.root / "Assets/Other").rename(tmp_path / "Away")
    assert watched.change_of("Assets/Other/B.cs").after is None


def test_watched_folders_that_go_and_come(watched: Watched, tmp_path: Path) -> None:
    (watched.root / "Packages").rmdir()
    watched.write(SCRIPT, NEW)
    assert watched.change_of(SCRIPT).after == NEW
    watched.write("Packages/own/B.cs", b"class B { }\n")
    assert watched.change_of("Packages/own/B.cs").was_there is False
    (watched.root / "Assets").rename(tmp_path / "Assets")
    shutil.copytree(tmp_path / "Assets", watched.root / "Assets")
    watched.write(SCRIPT, TEXT)
    assert watched.change_of(SCRIPT).before == NEW
    shutil.rmtree(watched.root / "Packages")
    # A look may also take up that the other script came, a moment ago.
    gone = [e.path for e in watched.look(None) if e.path != SCRIPT and e.after is None]
    assert gone == [], "a folder that is away deletes nothing"


def test_a_folder_that_cannot_be_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "Assets/Secret").mkdir()
    really = os.scandir

    def scandir(place: str) -> Any:
        if place.endswith("Secret"):
            raise PermissionError(place)
        return really(place)

    monkeypatch.setattr(os, "scandir", scandir)
    with watching(root) as watched:
        watched.write(SCRIPT, NEW)
        assert watched.change_of(SCRIPT).before == TEXT


def test_truncating_renaming_over_and_swapping_are_one_change_each(watched: Watched) -> None:
    place = watched.root / SCRIPT
    with place.open("wb") as file:  # truncates
        file.write(NEW[:10])
        file.flush()
        file.write(NEW[10:])
    assert watched.change_of(SCRIPT).after == NEW
    temporary = place.with_suffix(".tmp")
    temporary.write_bytes(TEXT)
    temporary.replace(place)
    assert watched.change_of(SCRIPT).after == TEXT
    place.rename(place.with_name("A.cs~"))
    temporary.write_bytes(NEW)
    temporary.rename(place)
    assert watched.change_of(SCRIPT).after == NEW
    assert [each["files"][0]["status"] for each in watched.changes] == ["edited"] * 3


def test_own_writes_are_nobody_elses(watched: Watched) -> None:
    """Also those of another process: nothing but the disk tells the watcher of them."""
    left = applied(watched.engine)
    made = watched.engine.edit_scripts(
        {"mode": "apply", "changes": [{"path": "Assets/New.cs", "create": "class New { }\n"}]}
    )
    assert isinstance(made, dict)
    assert watched.look(None) == []
    watched.undo({"path": SCRIPT, "hashAfter": left})
    watched.undo({"changeId": made["changeId"]})
    assert watched.look(None) == []
    assert watched.changes == []
    watched.write(SCRIPT, NEW)
    assert watched.change_of(SCRIPT).before == TEXT


def test_an_own_write_and_then_anothers(watched: Watched) -> None:
    left = applied(watched.engine)
    after = (watched.root / SCRIPT).read_bytes()
    watched.ask(lambda: watched.watcher.wrote([SCRIPT]))
    watched.write(SCRIPT, NEW)
    (change,) = watched.look([SCRIPT])
    assert (change.before, change.after) == (after, NEW)
    watched.undo(change.undo)
    watched.undo({"path": SCRIPT, "hashAfter": left})
    assert (watched.root / SCRIPT).read_bytes() == TEXT


def test_anothers_write_of_what_an_own_one_left_before_many_changes(watched: Watched) -> None:
    """The entry of many changes need not list the file."""
    applied(watched.engine)
    own = (watched.root / SCRIPT).read_bytes()
    watched.ask(lambda: watched.watcher.wrote([SCRIPT]))
    for number in range(25):
        watched.write(f"Assets/Many/F{number}.cs", b"class F { }\n")
    watched.write(SCRIPT, NEW)
    assert len(watched.next_bulk().paths) == 26
    watched.write(SCRIPT, own)
    (change,) = watched.look([SCRIPT])
    assert (change.before, change.after) == (NEW, own)


def test_anothers_save_right_after_an_undo(watched: Watched) -> None:
    """What the undo left is the text from before it, though nobody has seen it."""
    watched.write(SCRIPT, NEW)
    undo = watched.change_of(SCRIPT).undo
    watched.undo(undo)
    other = TEXT.replace(b"1", b"333")
    watched.write(SCRIPT, other)
    (change,) = watched.look([SCRIPT])
    assert (change.before, change.after) == (TEXT, other)
    watched.undo(change.undo)
    assert (watched.root / SCRIPT).read_bytes() == TEXT
    assert watched.look([SCRIPT]) == []


def test_own_writes_and_then_anothers_before_the_watcher_looks(watched: Watched) -> None:
    applied(watched.engine)
    applied(watched.engine, "x = 3", "x = 4")
    watched.write(SCRIPT, NEW)
    (change,) = watched.look([SCRIPT])
    assert change.before is None, "our last text isn't kept, and the one before it isn't meant"
    assert change.undo is None


def test_a_script_that_becomes_a_link_is_gone(watched: Watched, tmp_path: Path) -> None:
    (tmp_path / "Other.cs").write_bytes(b"class Other { }\n")
    (watched.root / SCRIPT).unlink()
    try:
        (watched.root / SCRIPT).symlink_to(tmp_path / "Other.cs")
    except OSError:
        pytest.skip("links can't be made here")
    gone = watched.change_of(SCRIPT)
    assert gone.after is None
    assert isinstance(watched.engine.undo_snippet(dict(gone.undo or {})), SnippetError)
    assert (tmp_path / "Other.cs").read_bytes() == b"class Other { }\n"


def test_an_own_write_on_top_of_a_change_that_nobody_had_seen(watched: Watched) -> None:
    own: list[OwnWrite] = []
    watched.ask(lambda: setattr(watched.watcher._looks, "on_own", own.append))
    watched.write(SCRIPT, NEW)
    left = applied(watched.engine, "x = 22", "x = 3")
    written = (watched.root / SCRIPT).read_bytes()
    (change,) = watched.look([SCRIPT], "outside")
    assert (change.before, change.after) == (TEXT, NEW)
    assert [(each.before, each.after) for each in own] == [(NEW, written)]
    assert [each.get("source") for each in watched.changes] == [None, "outside"]
    watched.undo({"path": SCRIPT, "hashAfter": left})
    assert watched.look([SCRIPT]) == []
    watched.undo(change.undo)
    assert (watched.root / SCRIPT).read_bytes() == TEXT


def test_what_came_between_is_not_said_to_be_known(watched: Watched) -> None:
    """Our write was overwritten before anybody looked."""
    own: list[OwnWrite] = []
    watched.ask(lambda: setattr(watched.watcher._looks, "on_own", own.append))
    left = applied(watched.engine)
    watched.write(SCRIPT, NEW)
    (change,) = watched.look([SCRIPT])
    assert change.undo is None
    listed = watched.changes[0]
    assert listed["files"][0]["hashBefore"] == left
    assert listed["blocked"] == "its text from before is not known"
    assert own == [], "the text that it left isn't known: it deleted nothing"


@pytest.mark.parametrize("is_first", [True, False])
def test_a_hook_that_looks_first_or_comes_soon_after_is_named(
    watched: Watched, is_first: bool
) -> None:
    watched.write(SCRIPT, NEW)
    assert is_first or watched.change_of(SCRIPT).maker.source == "outside"
    (change,) = watched.look([SCRIPT])
    assert (change.before, change.maker.source) == (TEXT, "client/Edit")
    assert watched.look([SCRIPT]) == []
    assert watched.changes[0]["source"] == "client/Edit"
    assert len(watched.changes) == 1
    assert watched.look([SCRIPT], "another/Edit") == []
    watched.undo(change.undo)
    assert (watched.root / SCRIPT).read_bytes() == TEXT


def test_what_changed_while_a_long_command_ran_is_its_change(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script_looks, "ATTRIBUTED_S", 0.0)
    watched.write("Assets/Before.cs", b"class Before { }\n")
    watched.change_of("Assets/Before.cs")
    began_s = watched.ask(watched.watcher.look_around)
    watched.write(SCRIPT, NEW)
    watched.change_of(SCRIPT)
    bash = Maker("client/Bash", "s1")
    found = watched.ask(lambda: watched.watcher.look(None, bash, since_s=began_s))
    assert [(each.path, each.maker) for each in found] == [(SCRIPT, bash)]


def test_what_was_there_before_a_call_is_not_its_change(watched: Watched) -> None:
    watched.write(SCRIPT, NEW)
    assert watched.change_of(SCRIPT).after == NEW
    edit, shell = Maker("client/Edit", "s1"), Maker("client/Bash", "s1")
    noted = {SCRIPT: NEW}
    assert watched.ask(lambda: watched.watcher.look([SCRIPT], edit, noted)) == []
    looked_s = watched.ask(watched.watcher.look_around)
    look = lambda: watched.watcher.look(None, shell, since_s=looked_s)  # noqa: E731
    assert watched.ask(look) == []
    watched.write("Assets/B.cs", b"class B { }\n")
    looked_s = watched.ask(watched.watcher.look_around)
    assert watched.change_of("Assets/B.cs").maker == Maker()
    watched.write("Assets/C.cs", b"class C { }\n")
    assert [each.path for each in watched.ask(look)] == ["Assets/C.cs"]
    assert watched.changes[-1]["source"] == "outside"


def test_parallel_calls_on_one_script_and_anothers_save_before_them(watched: Watched) -> None:
    """Of what was recorded before a later call, a hook takes what came after its own began."""
    watched.write(SCRIPT, NEW)
    watched.ask(lambda: watched.watcher.wrote([SCRIPT]))
    by = Maker("client/Edit", "s1")
    look = watched.watcher.look
    assert watched.ask(lambda: look([SCRIPT], by, {SCRIPT: NEW})) == [], "a save before the call"
    mine = NEW.replace(b"22", b"333")
    watched.write(SCRIPT, mine)
    watched.ask(lambda: watched.watcher.wrote([SCRIPT]))
    (change,) = watched.ask(lambda: look([SCRIPT], by, {SCRIPT: NEW}))
    assert (change.before, change.after, change.maker) == (NEW, mine, by)
    assert [each["source"] for each in watched.changes] == ["client/Edit", "outside"]


def test_many_at_once_are_one_entry(watched: Watched) -> None:
    for number in range(30):
        watched.write(f"Assets/Many/M{number}.cs", b"class M { }\n")
    bulk = watched.next_bulk()
    assert len(bulk.paths) == 30
    (listed,) = watched.changes
    assert listed["fileCount"] == 30
    assert not listed["undoable"]
    assert "use git" in listed["blocked"]
    refused = watched.engine.undo_snippet({"changeId": bulk.change_id})
    assert "use git" in str(refused)
    watched.write("Assets/Many/M7.cs", b"class M7 { }\n")
    change = watched.change_of("Assets/Many/M7.cs")
    assert change.before == b"class M { }\n", "the known texts are up to date"


def test_a_clients_write_is_none_of_many(watched: Watched) -> None:
    watched.ask(lambda: watched.watcher.expect([SCRIPT]))
    for number in range(30):
        watched.write(f"Assets/Many/M{number}.cs", b"class M { }\n")
    watched.write(SCRIPT, NEW)
    seen = watched.seen.get(timeout=WAIT_S)
    assert seen.bulk is not None
    assert (len(seen.bulk.paths), [each.path for each in seen.changes]) == (30, [SCRIPT])
    (change,) = watched.look([SCRIPT])
    assert (change.maker.source, change.before, change.after) == ("client/Edit", TEXT, NEW)


def git(root: Path, *arguments: str) -> None:
    name = ("-c", "user.name=n", "-c", "user.email=e@x")
    subprocess.run(["git", *name, *arguments], cwd=root, check=True, capture_output=True)


def commit(root: Path) -> None:
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "all")


def two_branches(root: Path) -> None:
    """Commit what there is to ``main``, and go on on ``other``."""
    (root / ".gitignore").write_text("Library\n")
    git(root, "init", "-q", "-b", "main")
    commit(root)
    git(root, "checkout", "-q", "-b", "other")


def test_a_git_checkout(root: Path) -> None:
    for number in range(200):
        (root / f"Assets/Scripts/M{number}.cs").write_bytes(b"class M%d { }\n" % number)
    two_branches(root)
    for number in range(200):
        (root / f"Assets/Scripts/M{number}.cs").write_bytes(b"class N%d { }\n" % number)
    commit(root)
    with watching(root) as watched:
        git(root, "checkout", "-q", "main")
        bulk = watched.next_bulk()
        assert "moving from other to main" in bulk.git
        assert len(bulk.paths) == 200
        (listed,) = watched.changes
        assert listed["fileCount"] == 200
        assert "use git" in listed["blocked"]
        text = watched.known_text("Assets/Scripts/M199.cs")
        assert text == b"class M199 { }\n"


def test_a_checkout_of_one_file_with_head_and_a_commit(root: Path) -> None:
    two_branches(root)
    with watching(root) as watched:
        watched.write(SCRIPT, NEW)
        commit(root)
        assert watched.change_of(SCRIPT).after == NEW, "a commit changes no file"
        git(root, "checkout", "-q", "main")
        assert watched.next_bulk().paths == (SCRIPT,)


def test_a_save_beside_a_checkout_is_not_gits(root: Path) -> None:
    (root / "Assets/Gone.cs").write_bytes(b"class Gone { }\n")
    two_branches(root)
    (root / "Assets/B.cs").write_bytes(b"class B { }\n")
    (root / "Assets/Gone.cs").unlink()
    commit(root)
    git(root, "checkout", "-q", "main")
    with watching(root) as watched:
        git(root, "checkout", "-q", "other")
        watched.write(SCRIPT, NEW)
        seen = watched.seen.get(timeout=60)
        assert seen.bulk is not None
        assert seen.bulk.paths == ("Assets/B.cs", "Assets/Gone.cs")
        (change,) = seen.changes or watched.next_changes()
        assert (change.path, change.before) == (SCRIPT, TEXT)
        watched.undo(change.undo)
        assert (root / SCRIPT).read_bytes() == TEXT


def test_a_lock_of_git_with_a_time_to_come(root: Path) -> None:
    git(root, "init", "-q", "-b", "main")
    (root / ".git/index.lock").touch()
    later = time.time() + 1e6
    os.utime(root / ".git/index.lock", (later, later))
    assert not GitSigns(root).is_busy()
    os.utime(root / ".git/index.lock")
    assert GitSigns(root).is_busy()


def test_without_events(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NO_EVENTS, "1")
    with watching(root) as watched:
        assert watched.watcher.why_no_events == f"{NO_EVENTS} is set"
        watched.write(SCRIPT, NEW)
        watched.ask(watched.watcher.check)
        assert watched.change_of(SCRIPT).before == TEXT


def test_what_changed_while_nothing_watched(root: Path) -> None:
    with watching(root):
        pass
    (root / SCRIPT).write_bytes(NEW)
    with watching(root) as watched:
        assert watched.change_of(SCRIPT).before == TEXT
    for number in range(25):
        (root / f"Assets/M{number}.cs").write_bytes(b"class M { }\n")
    with watching(root) as watched:
        assert watched.changes[0]["fileCount"] == 25
        assert len(watched.next_bulk().paths) == 25
        assert watched.look(None) == []


def test_own_writes_of_two_processes_are_nobody_elses(root: Path) -> None:
    """The second write comes before the second process has looked at the scripts."""
    with watching(root) as watched:
        applied(watched.engine)
        assert watched.look([SCRIPT]) == []
    applied(watched.engine, "x = 3", "x = 4")
    texts = KnownTexts(root)
    texts.load()
    project = Project.open(root)
    assert isinstance(project, Project)
    looks = ScriptLooks(project, texts, Settling(), NotedTexts())
    assert (looks.take(SCRIPT), looks.fresh()) == (None, None)
    assert [each.get("source") for each in watched.changes] == [None, None]


@pytest.mark.parametrize("writes", ["an edit on top", "a second undo"])
def test_an_undo_below_other_own_writes_explains_no_later_change(root: Path, writes: str) -> None:
    """Nobody looked between the undo and what came on top of it."""
    with watching(root) as watched:
        pass
    engine = watched.engine
    left = [applied(engine, "x = 1", "x = 2")]
    if writes == "a second undo":
        left.append(applied(engine, "x = 2", "x = 3"))
    for each in reversed(left):
        assert isinstance(engine.undo_snippet({"path": SCRIPT, "hashAfter": each}), dict)
    undone_to, other = TEXT, "x = 2"
    if writes == "an edit on top":
        applied(engine, "x = 1", "x = 3")
    else:
        undone_to = TEXT.replace(b"x = 1", other.encode())
    for mark in (root / TEXTS).parent.glob("*.undone"):  # older than a step of the clock
        os.utime(mark, ns=(mark.stat().st_mtime_ns - 10**9,) * 2)
    with watching(root) as watched:
        assert watched.look([SCRIPT]) == []
        watched.write(SCRIPT, undone_to)
        assert watched.change_of(SCRIPT).after == undone_to
        assert watched.changes[0]["source"] == "outside"


def test_an_undo_below_an_own_edit_is_nobody_elses(root: Path) -> None:
    """Both came before anybody looked."""
    with watching(root) as watched:
        left = applied(watched.engine, "x = 1", "x = 2")
        assert watched.look([SCRIPT]) == []
    watched.undo({"path": SCRIPT, "hashAfter": left})
    applied(watched.engine, "x = 1", "x = 3")
    with watching(root) as watched:
        assert watched.look([SCRIPT]) == []
        assert [each.get("source") for each in watched.changes] == [None]


@pytest.mark.parametrize("ahead_s", [3_600, -3_600])
def test_own_writes_and_a_clock_that_is_set(root: Path, ahead_s: int) -> None:
    """The scripts are first seen with one clock, then written with another; both are tried."""
    own: list[OwnWrite] = []
    seconds, nanoseconds = time.time, time.time_ns

    def moved_s() -> float:
        return seconds() + ahead_s

    def moved_ns() -> int:
        return nanoseconds() + ahead_s * 10**9

    moved = [
        mock.patch("time.time", moved_s),
        mock.patch("time.time_ns", moved_ns),
        mock.patch("mcp_server.watcher.watcher.time", moved_s),
    ]
    with watching(root) as watched:
        watched.ask(lambda: setattr(watched.watcher._looks, "on_own", own.append))
        with ExitStack() as clock:
            for each in moved:
                clock.enter_context(each)
            applied(watched.engine, "x = 1", "x = 2")
            assert watched.look([SCRIPT]) == []
        applied(watched.engine, "x = 2", "x = 3")
        assert watched.look([SCRIPT]) == []
        applied(watched.engine, "x = 3", "x = 4")
        assert watched.look([SCRIPT]) == []
        assert [each.get("source") for each in watched.changes] == [None, None, None]
        assert len(own) == 3
        watched.write(SCRIPT, TEXT)
        assert watched.change_of(SCRIPT).after == TEXT


@pytest.mark.parametrize("damage", ["no database", "emptied", "other tables"])
def test_damaged_texts_are_unknown(root: Path, damage: str) -> None:
    with watching(root):
        pass
    place = root / TEXTS
    if damage == "other tables":
        with sqlite3.connect(place) as db:
            db.execute("DROP TABLE files")
        db.close()
    else:
        place.write_bytes(b"" if damage == "emptied" else os.urandom(5_000))
    (root / SCRIPT).write_bytes(NEW)
    with watching(root) as watched:
        assert watched.changes == []
        watched.write(SCRIPT, TEXT)
        assert watched.change_of(SCRIPT).before == NEW


def test_a_text_that_does_not_have_its_hash_is_unknown(root: Path) -> None:
    with watching(root):
        pass
    with sqlite3.connect(root / TEXTS) as db:
        db.execute("UPDATE texts SET data = zeroblob(5)")
    db.close()
    (root / SCRIPT).write_bytes(NEW)
    with watching(root) as watched:
        change = watched.change_of(SCRIPT)
        assert (change.undo, change.before, change.was_there) == (None, None, True)


def test_texts_that_have_no_room_are_unknown_the_oldest_first(root: Path) -> None:
    sizes = 2_000
    for number in range(20):
        (root / f"Assets/M{number}.cs").write_bytes(os.urandom(sizes).hex().encode())
    with watching(root, max_bytes=10 * sizes) as watched:
        texts = [watched.known_text(f"Assets/M{n}.cs") for n in range(20)]
        kept = [each for each in texts if each is not None]
        assert 5 <= len(kept) < 15
        lost = texts.index(None)
        watched.write(f"Assets/M{lost}.cs", b"class M { }\n")
        change = watched.change_of(f"Assets/M{lost}.cs")
        assert change.undo is None
        assert watched.changes[0]["files"][0]["status"] == "edited"


def test_links_are_not_followed(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "Secret.cs").write_bytes(b"class Secret { }\n")
    (root / "Assets/Link").symlink_to(outside)
    (root / "Assets/File.cs").symlink_to(outside / "Secret.cs")
    with watching(root) as watched:
        assert watched.ask(lambda: len(watched.watcher._texts)) == 1
        (outside / "Secret.cs").write_bytes(b"class Other { }\n")
        assert watched.look(None) == []
    stolen = root / TEXTS
    stolen.unlink()
    target = tmp_path / "target.db"
    stolen.symlink_to(target)
    with watching(root) as watched:
        watched.write(SCRIPT, NEW)
        assert watched.change_of(SCRIPT).before == TEXT
    assert not target.exists()


def test_a_library_that_is_removed(watched: Watched) -> None:
    watched.write(SCRIPT, NEW)
    watched.change_of(SCRIPT)
    shutil.rmtree(watched.root / "Library")
    (watched.root / "Library").mkdir()
    watched.write("Assets/B.cs", b"class B { }\n")
    watched.change_of("Assets/B.cs")
    while watched.known_text(SCRIPT) != NEW:
        pass
    watched.write(SCRIPT, TEXT)
    assert watched.change_of(SCRIPT).before == NEW


def test_an_emptied_script_is_recorded_and_one_that_is_being_written_is_not(
    watched: Watched,
) -> None:
    watched.write(SCRIPT, b"")
    assert watched.look([SCRIPT]) == []
    assert watched.change_of(SCRIPT).after == b""
    watched.write(SCRIPT, TEXT)
    assert watched.change_of(SCRIPT).after == TEXT
    watched.write(SCRIPT, b"")
    edit = Maker("client/Write", "s1")
    look = lambda: watched.watcher.look([SCRIPT], edit, {SCRIPT: TEXT}, are_written=True)  # noqa: E731
    assert [each.after for each in watched.ask(look)] == [b""]


def test_a_clock_that_is_behind(root: Path) -> None:
    later = time.time() + 1e6
    os.utime(root / SCRIPT, (later, later))
    with watching(root) as watched:
        watched.write(SCRIPT, b"")
        os.utime(root / SCRIPT, (later, later))
        assert watched.change_of(SCRIPT).after == b""


def test_a_hook_read_a_script_before_the_watcher_did(watched: Watched) -> None:
    watched.write("Assets/B.cs", b"class B { }\n")
    (change,) = watched.ask(
        lambda: watched.watcher.look([SCRIPT], Maker("client/Edit"), {SCRIPT: NEW})
    )
    assert (change.before, change.after) == (NEW, TEXT)
    again = watched.ask(lambda: watched.watcher.look([SCRIPT], Maker("client/Edit"), {SCRIPT: NEW}))
    assert again == [], "only what was read first may be older than the hook's reading"


def test_a_flood_of_saves_loses_nothing(watched: Watched) -> None:
    for number in range(800):
        watched.write(f"Assets/Flood/F{number % 200}.cs", b"class F { int n = %d; }\n" % number)
    watched.next_bulk()
    watched.look(None)
    for number in range(200):
        path = f"Assets/Flood/F{number}.cs"
        text = watched.known_text(path)
        assert text == (watched.root / path).read_bytes()
    assert len(watched.changes) < 20


def test_definitions_that_change_are_known_until_then(watched: Watched) -> None:
    began_s = time.monotonic()
    place = watched.root / "Assets/Game.asmdef"
    place.write_bytes(b"{}")
    watched.write(SCRIPT, NEW)
    watched.change_of(SCRIPT)
    found = watched.ask(lambda: watched.watcher.settings_since(began_s))
    assert found == ["Assets/Game.asmdef"]
    assert watched.ask(lambda: watched.watcher.settings_since(time.monotonic())) == []


def test_line_endings_that_change_in_many_scripts_are_counted(watched: Watched) -> None:
    paths = [f"Assets/Many{number}.cs" for number in range(25)]
    for each in paths:
        watched.write(each, TEXT)
    watched.next_bulk()
    for each in paths:
        watched.write(each, TEXT.replace(b"\r\n", b"\n") if each != paths[0] else NEW)
    assert watched.next_bulk().reformatted == 24
