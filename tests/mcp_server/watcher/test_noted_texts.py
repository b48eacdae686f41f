"""Looks that come after several writes: what was read in between tells them apart."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from watched_scripts import SCRIPT, TEXT, Watched

from mcp_server.watcher import outside_change as noted_texts
from mcp_server.watcher.known_texts import KnownTexts
from mcp_server.watcher.outside_change import NotedTexts
from mcp_server.watcher.read_texts import ReadTexts, ScriptFiles
from snippet_engine.errors import SnippetError
from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.stores.outside_changes import Maker, OutsideChanges

NEW = "Assets/New.cs"
TEXTS = [TEXT.replace(b"1", b"%d" % number) for number in range(10)]


class Call:
    """A tool's call with its hooks, whose look comes when the test says so."""

    def __init__(self, watched: Watched, *paths: str) -> None:
        self._watched = watched
        self._paths = list(paths)
        self._call_s = time.time()
        places = {each: watched.root / each for each in paths}
        self._noted = {
            path: place.read_bytes() if place.exists() else None for path, place in places.items()
        }
        watched.watcher.note(self._noted, self._call_s)

    def look(self, source: str = "client/Edit") -> Any:
        """Look after the call."""
        watcher, maker = self._watched.watcher, Maker(source, "s1")
        return self._watched.ask(
            lambda: watcher.look(
                self._paths, maker, self._noted, call_s=self._call_s, are_written=True
            )
        )


def texts_of(changes: Any) -> list[tuple[bytes | None, bytes | None]]:
    return [(each.before, each.after) for each in changes]


@pytest.fixture
def quiet(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> Watched:
    """A watcher that only looks when it is asked to."""
    monkeypatch.setattr(watched.watcher, "_take_up", lambda *_: None)
    return watched


def test_a_new_script_and_the_write_after_it(quiet: Watched) -> None:
    quiet.write(NEW, TEXTS[1])
    call = Call(quiet, NEW)
    quiet.write(NEW, TEXTS[2])
    (change,) = call.look()
    assert texts_of([change]) == [(TEXTS[1], TEXTS[2])]
    (others,) = quiet.next_changes()
    assert texts_of([others]) == [(None, TEXTS[1])]
    assert [each["source"] for each in quiet.changes] == ["client/Edit", "outside"]
    quiet.undo(change.undo)
    assert (quiet.root / NEW).read_bytes() == TEXTS[1]
    quiet.undo(others.undo)
    assert not (quiet.root / NEW).exists()


@pytest.mark.parametrize("looks_between", [False, True])
def test_the_look_of_the_hook_before_comes_late(quiet: Watched, looks_between: bool) -> None:
    """Whatever it finds is the call's, as it began with what was noted."""
    call = Call(quiet, SCRIPT)
    quiet.write(SCRIPT, TEXTS[2])
    quiet.ask(lambda: quiet.watcher.expect([SCRIPT]))
    if looks_between:
        quiet.ask(quiet.watcher.look_around)
    assert texts_of(call.look()) == [(TEXT, TEXTS[2])]


def test_two_calls_whose_looks_come_late(quiet: Watched) -> None:
    first = Call(quiet, SCRIPT)
    quiet.write(SCRIPT, TEXTS[2])
    second = Call(quiet, SCRIPT)
    quiet.write(SCRIPT, TEXTS[3])
    (one,) = first.look("one/Edit")
    (two,) = second.look("two/Edit")
    assert texts_of([one, two]) == [(TEXT, TEXTS[2]), (TEXTS[2], TEXTS[3])]
    assert [each["source"] for each in quiet.changes] == ["two/Edit", "one/Edit"]
    quiet.undo(two.undo)
    assert (quiet.root / SCRIPT).read_bytes() == TEXTS[2]
    quiet.undo(one.undo)
    assert (quiet.root / SCRIPT).read_bytes() == TEXT


def test_there_and_back_again(quiet: Watched) -> None:
    calls = []
    for text in (TEXTS[2], TEXT, TEXTS[2]):
        calls.append(Call(quiet, SCRIPT))
        quiet.write(SCRIPT, text)
    quiet.ask(quiet.watcher.look_around)
    assert [texts_of(each.look()) for each in calls] == [
        [(TEXT, TEXTS[2])],
        [(TEXTS[2], TEXT)],
        [(TEXT, TEXTS[2])],
    ]


def test_calls_at_the_same_time(quiet: Watched) -> None:
    first, second = Call(quiet, SCRIPT), Call(quiet, SCRIPT)
    quiet.write(SCRIPT, TEXTS[2])
    assert texts_of(first.look()) == [(TEXT, TEXTS[2])]
    quiet.write(SCRIPT, TEXTS[3])
    assert texts_of(second.look()) == [(TEXTS[2], TEXTS[3])]


def test_a_script_that_moves_and_one_that_is_deleted(quiet: Watched) -> None:
    quiet.write(SCRIPT, TEXTS[2])
    call = Call(quiet, SCRIPT, NEW)
    (quiet.root / SCRIPT).rename(quiet.root / NEW)
    gone, made = call.look()
    assert texts_of([gone, made]) == [(TEXTS[2], None), (None, TEXTS[2])]
    again = Call(quiet, NEW)
    (quiet.root / NEW).unlink()
    third = Call(quiet, NEW)
    quiet.write(NEW, TEXTS[3])
    (deleted,) = again.look()
    (new,) = third.look()
    assert texts_of([deleted, new]) == [(TEXTS[2], None), (None, TEXTS[3])]
    for each in (new, deleted, made, gone):
        quiet.undo(each.undo)
    assert (quiet.root / SCRIPT).read_bytes() == TEXTS[2]
    assert not (quiet.root / NEW).exists()


def test_a_call_that_never_ends(quiet: Watched) -> None:
    quiet.write(SCRIPT, TEXTS[2])
    Call(quiet, SCRIPT)
    quiet.write(SCRIPT, TEXTS[3])
    quiet.ask(quiet.watcher.look_around)
    assert texts_of(quiet.next_changes()) == [(TEXT, TEXTS[2]), (TEXTS[2], TEXTS[3])]
    call = Call(quiet, SCRIPT)
    quiet.write(SCRIPT, TEXTS[4])
    assert texts_of(call.look()) == [(TEXTS[3], TEXTS[4])]


def test_a_command_gets_no_write_of_another_call(quiet: Watched) -> None:
    began_s = quiet.ask(quiet.watcher.look_around)
    call = Call(quiet, SCRIPT)
    quiet.write(SCRIPT, TEXTS[2])
    quiet.write(NEW, TEXTS[3])
    shell = Maker("client/Bash", "s2")
    found = quiet.ask(lambda: quiet.watcher.look(None, shell, since_s=began_s))
    assert [each.path for each in found] == [NEW]
    assert texts_of(call.look()) == [(TEXT, TEXTS[2])]


def test_an_own_write_after_what_was_noted(quiet: Watched) -> None:
    """The history has what was there; a step of its own would be on top of the write."""
    quiet.write(SCRIPT, TEXTS[2])
    Call(quiet, SCRIPT)
    anchor = {"type": "text", "target": "x = 2"}
    instruction = {"operation": "replace", "anchor": anchor, "newText": "x = 3"}
    sent = {"path": SCRIPT, "mode": "apply", "instructions": [instruction]}
    done = quiet.engine.edit_snippet(sent)
    assert isinstance(done, dict)
    assert quiet.look([SCRIPT])[0].after == TEXTS[2]
    assert [each.get("source") for each in quiet.changes] == [None, "client/Edit"]
    quiet.undo({"path": SCRIPT, "hashAfter": done["hashAfter"]})
    assert (quiet.root / SCRIPT).read_bytes() == TEXTS[2]


def test_texts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noted_texts, "MAX_NOTED", 3)
    monkeypatch.setattr(noted_texts, "MAX_BYTES", 10)
    noted = NotedTexts()
    for number in range(5):
        noted.add({"A.cs": b"x"}, float(number))
    assert [each.call_s for each in noted.of("A.cs")] == [2.0, 3.0, 4.0]
    noted.add({"B.cs": b"12345678"}, 5.0)
    assert [each.call_s for each in noted.of("A.cs")] == [3.0, 4.0]
    assert [each.call_s for each in noted.take("A.cs", 3.0)] == [3.0]
    noted.add({"C.cs": b"x" * 11}, 6.0)
    assert not any(path in noted for path in ("A.cs", "B.cs", "C.cs"))


@pytest.fixture
def texts(root: Path) -> KnownTexts:
    return KnownTexts(root)


@pytest.fixture
def read(root: Path, texts: KnownTexts) -> ReadTexts:
    project = Project.open(root)
    assert not isinstance(project, SnippetError)
    return ReadTexts(project, texts, ScriptFiles(project.root), OutsideChanges(project))


def test_a_hook_that_read_a_script_first_has_its_text(read: ReadTexts, texts: KnownTexts) -> None:
    before_s = time.time() - 10
    read.read_first(SCRIPT)
    read.learn_noted(SCRIPT, TEXTS[2], time.time() + 10)
    assert texts.text(SCRIPT) == TEXT, "the hook read it later"
    read.learn_noted(SCRIPT, TEXTS[2], before_s)
    assert texts.text(SCRIPT) == TEXTS[2]
    assert read.differs(SCRIPT)


def test_a_script_that_has_changed_since_is_not_what_a_hook_read(
    read: ReadTexts, texts: KnownTexts
) -> None:
    before_s = time.time() - 10
    read.read_first(SCRIPT)
    read.no_longer_first(SCRIPT)
    read.learn_noted(SCRIPT, TEXTS[2], before_s)
    assert texts.text(SCRIPT) == TEXT


def test_a_script_that_is_gone_is_forgotten(root: Path, read: ReadTexts, texts: KnownTexts) -> None:
    read.read_first(SCRIPT)
    (root / SCRIPT).unlink()
    assert read.differs(SCRIPT)
    read.forget(SCRIPT, 5.0)
    assert (texts.get(SCRIPT), read.seen_at(SCRIPT)) == (None, 5.0)
    assert not read.differs(SCRIPT)
