"""What dead processes left is ended before a write reads its files, and told with its answer."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from answered import refusal
from change_sets import ENEMY, OLD, PLAYER, UTIL, Scene, new_project
from paused import Paused

from snippet_engine.answer.text_form import text_form
from snippet_engine.budget import Stop, StoppedError
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.change_sets import change_journal
from snippet_engine.storage.change_sets.open_change import OpenChange
from snippet_engine.storage.system import file_lock

MORE = b"class More { }\n"
TICKET = "0123456789abcdef"
NOTE = f"An earlier, unfinished change was completed first: 2 files (changeId {TICKET})."


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """A set that is in place, and whose writer has died after its last step."""
    scene = Scene.of(new_project(tmp_path / "Game"))
    changes = [
        scene.edit("Assets/Player.cs", PLAYER + MORE),
        scene.edit("Assets/Enemies/Enemy.cs", ENEMY + MORE),
    ]
    scene.died(changes, TICKET)
    return scene


def replaced(path: str, target: str, new: str) -> dict[str, Any]:
    instruction = {
        "operation": "replace",
        "anchor": {"type": "text", "target": target},
        "newText": new,
    }
    return {"mode": "apply", "path": path, "instructions": [instruction]}


def messages(outcome: dict[str, Any] | SnippetError) -> list[str]:
    assert not isinstance(outcome, SnippetError), outcome
    return [each["message"] for each in outcome["warnings"] if each["code"] == "completed_first"]


def torn(scene: Scene) -> None:
    """Take back the name of one of its files: the killed writer had still to change it."""
    (temporary,) = (scene.root / "Assets").glob(".Player.cs.*")
    player, held = scene.root / "Assets/Player.cs", temporary.read_bytes()
    temporary.write_bytes(player.read_bytes())
    player.write_bytes(held)


def test_a_write_of_another_script_tells_it_once(scene: Scene) -> None:
    engine = scene.engine()
    assert messages(engine.edit_snippet(replaced("Assets/Old.cs", "Old", "Older"))) == [NOTE]
    assert messages(engine.edit_snippet(replaced("Assets/Old.cs", "Older", "Old"))) == []


def test_a_server_ends_what_dies_after_its_start(tmp_path: Path) -> None:
    scene = Scene.of(new_project(tmp_path / "Game"))
    engine = scene.engine()
    assert engine.recover() == []
    changes = [
        scene.edit("Assets/Player.cs", PLAYER + MORE),
        scene.edit("Assets/Enemies/Enemy.cs", ENEMY + MORE),
    ]
    scene.died(changes, TICKET)
    torn(scene)
    outcome = engine.edit_snippet(replaced("Assets/Player.cs", "class More", "class Most"))
    assert messages(outcome) == [NOTE]


def test_a_refusal_tells_it_where_its_message_has_no_room_as_well(scene: Scene) -> None:
    error = refusal(scene.engine().edit_snippet(replaced("Assets/Old.cs", "nowhere at all", "x")))
    assert error.details["completedFirst"] == [NOTE]
    assert len(error.message) <= 200


def test_an_undo_of_it_tells_that_it_was_completed(scene: Scene) -> None:
    torn(scene)
    assert messages(scene.engine().undo_snippet({"changeId": TICKET})) == [NOTE]
    assert (scene.root / "Assets/Player.cs").read_bytes() == PLAYER


def test_a_stop_waits_for_its_end_and_for_nothing_else(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    torn(scene)
    stop, answers = Stop(), []
    sync = OpenChange.sync

    def stopped(change: Any) -> None:
        answers.append(stop.stop())
        sync(change)

    monkeypatch.setattr(OpenChange, "sync", stopped)
    engine = scene.engine()
    outcome = refusal(stop.run(engine.edit_snippet, replaced("Assets/Old.cs", "Old", "Older")))
    assert "its own change was not written" in outcome.message
    assert answers == [False]
    assert (stop.has_ended, list(stop.notes), stop.stop()) == (True, [NOTE], True)
    assert (scene.root / "Assets/Player.cs").read_bytes() == PLAYER + MORE
    assert (scene.root / "Assets/Old.cs").read_bytes() == OLD


def test_who_is_stopped_already_ends_nothing(scene: Scene) -> None:
    torn(scene)
    stop = Stop()
    assert stop.stop()
    with pytest.raises(StoppedError):
        stop.run(scene.store.recover)
    assert not stop.notes
    assert (scene.root / "Assets/Player.cs").read_bytes() == PLAYER


def test_who_comes_while_another_ends_it_reads_what_that_has_written(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    torn(scene)
    # Before the first name is changed: the anchor isn't there yet.
    paused = Paused(change_journal.ChangeJournal._went_forward)

    def went_forward(*given: object) -> object:
        return paused(*given)

    monkeypatch.setattr(change_journal.ChangeJournal, "_went_forward", went_forward)
    sleep = file_lock.sleep
    waits = threading.Event()

    def waiting(seconds: float) -> None:
        waits.set()
        sleep(seconds)

    monkeypatch.setattr(file_lock, "sleep", waiting)
    recovering = threading.Thread(target=scene.store.recover)
    recovering.start()
    assert paused.is_there.wait(60)
    outcomes: list[Any] = []
    engine, request = scene.engine(), replaced("Assets/Player.cs", "class More", "class Most")
    writing = threading.Thread(target=lambda: outcomes.append(engine.edit_snippet(request)))
    writing.start()
    # One that is about another script needs to wait for nothing.
    other = scene.engine().edit_snippet(replaced("Assets/Util.cs", "Util", "Utils"))
    assert messages(other) == []
    assert waits.wait(60)
    paused.go_on.set()
    recovering.join()
    writing.join()
    (outcome,) = outcomes
    assert messages(outcome) == []
    assert (scene.root / "Assets/Player.cs").read_bytes() == PLAYER + MORE.replace(b"More", b"Most")
    assert (scene.root / "Assets/Util.cs").read_bytes() == UTIL.replace(b"Util", b"Utils")


def test_every_write_warns_of_what_waits_until_it_has_ended(scene: Scene, tmp_path: Path) -> None:
    away = tmp_path / "away"
    (scene.root / "Assets/Enemies").rename(away)
    engine = scene.engine()

    def unfinished(outcome: dict[str, Any] | SnippetError) -> list[str]:
        assert not isinstance(outcome, SnippetError), outcome
        warned = [each["message"] for each in outcome["warnings"] if each["code"] == "unfinished"]
        assert all(each in text_form("undo_snippet", outcome) for each in warned)
        return warned

    change = {"path": "Assets/New.cs", "create": "class New { }\n"}
    made = engine.edit_scripts({"mode": "apply", "changes": [change]})
    (told,) = unfinished(made)
    assert TICKET in told
    assert "it waits for Assets/Enemies" in told
    request = {**replaced("Assets/Old.cs", "Old", "Older"), "client_request_id": "one"}
    assert unfinished(engine.edit_snippet(request)) == [told]
    assert not isinstance(made, SnippetError)
    assert unfinished(engine.undo_snippet({"changeId": made["changeId"]})) == [told]
    away.rename(scene.root / "Assets/Enemies")
    ended = engine.edit_snippet(replaced("Assets/Old.cs", "Older", "Old"))
    assert (unfinished(ended), messages(ended)) == ([], [NOTE])
    again = engine.edit_snippet(request)
    assert unfinished(again) == []
    assert not isinstance(again, SnippetError)
    assert again["replayed"]


def test_who_looks_tells_it_and_writes_nothing(scene: Scene) -> None:
    torn(scene)
    before = {each: each.read_bytes() for each in scene.root.rglob("*") if each.is_file()}
    (pending,) = scene.store.look().waiting
    assert (pending.change_id, len(pending.files)) == (TICKET, 2)
    assert pending.refusal().code is ErrorCode.WRITE_FAILED
    assert {each: each.read_bytes() for each in scene.root.rglob("*") if each.is_file()} == before
