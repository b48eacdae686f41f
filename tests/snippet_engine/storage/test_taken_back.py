"""Change sets that went back, as others had changed a file of them: told, and what was is kept."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import jsonschema
import pytest
from answered import success
from change_sets import FILES, PLAYER, Scene, contents, state_files
from meddling import before_each_exchange, dying_at
from this_system import needs_exchange

from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import ErrorCode
from snippet_engine.storage.change_sets.change_journal import ChangeJournal
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.records.history import History
from snippet_engine.storage.stores.script_store import ScriptStore
from snippet_engine.storage.system import folder

CHANGE = "0123456789abcdef"
THEIRS = b"// saved by somebody else\n"
CONTRACT = Path(__file__).parents[3] / "contracts/tools/get_history.output.json"


def died_after_its_last_step(scene: Scene, changes: Sequence[FileChange] = ()) -> None:
    """A set, by default of every kind, is in place; its record says that it is committed."""
    scene.died(changes or scene.everything(), CHANGE, client="an agent")


def save_over(scene: Scene, path: str = "Assets/Player.cs") -> None:
    (scene.root / path).write_bytes(THEIRS)


def test_whoever_asks_next_is_told(scene: Scene) -> None:
    died_after_its_last_step(scene)
    save_over(scene)
    engine = scene.engine()
    result = success(engine.get_history({}))
    assert [each["changeId"] for each in result["unfinished"]] == [CHANGE]
    engine.recover(again=True)
    result = success(engine.get_history({}))
    jsonschema.validate(result, json.loads(CONTRACT.read_bytes()))
    assert "unfinished" not in result
    (told,) = result["changes"]
    assert (told["undoable"], told["undo"], told["client"]) == (False, {}, "an agent")
    assert [file["path"] for file in told["files"]] == ["Assets/Player.cs"]
    assert told["takenBack"].startswith(
        f"Change {CHANGE} was taken back: during the write others changed"
    )
    assert CHANGE in text_form("get_history", result)
    # Where it says, there is what the file held before.
    (kept,) = scene.root.glob(told["takenBack"].rpartition(" ")[2])
    assert PLAYER in kept.read_bytes()
    assert contents(scene.root) == {**FILES, "Assets/Player.cs": THEIRS}
    assert engine.get_history({"path": "Assets/Player.cs"}) == result
    assert engine.get_history({"path": "Assets/Util.cs"}) == {"changes": []}


def test_what_was_there_before_can_be_had_and_nothing_of_it_undone(scene: Scene) -> None:
    died_after_its_last_step(scene)
    save_over(scene)
    (settled,) = scene.store.recover().settled
    assert settled.left_alone == ("Assets/Player.cs",)
    assert "left as others have since changed it: Assets/Player.cs." in settled.note
    assert f"first: {settled.files - 1} file" in settled.note
    scripts = ScriptStore(scene.project)
    assert list(scripts.earlier(scene.there("Assets/Player.cs"))) == [PLAYER]
    refused = scene.not_undone(CHANGE, ErrorCode.INVALID_REQUEST)
    assert "was rolled back, except for Assets/Player.cs" in refused.message
    assert len(refused.message) <= 200
    landed = scripts.have_landed({scene.there("Assets/Player.cs"): None}, CHANGE)
    assert landed is False
    # It stands in the way of no other undo.
    done = scene.applied(scene.edit("Assets/Player.cs", b"// mine\n"))
    scene.undone(done)
    assert scene.bytes_of("Assets/Player.cs") == THEIRS


@pytest.mark.parametrize(
    "name", ["Assets/Old.cs", "Assets/Core/Deep/Util.cs", "Assets/Enemies/Enemy.cs"]
)
def test_whatever_the_set_did_to_the_file(scene: Scene, name: str) -> None:
    died_after_its_last_step(scene)
    save_over(scene, name)
    scene.store.recover()
    (entry,) = scene.store.history(None, 9)
    assert name in entry.files[0].paths
    assert entry.taken_back is not None
    (kept,) = scene.root.glob(entry.taken_back)
    for path, text in FILES.items():
        if path in entry.files[0].paths:
            assert text in kept.read_bytes()
    assert scene.bytes_of(name) == THEIRS


def test_a_death_before_it_was_kept_loses_nothing(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are back then; which were left alone is seen again."""
    died_after_its_last_step(scene)
    save_over(scene)

    def fails(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(History, "adopt_change", fails)
        assert scene.store.recover().settled == []
    assert state_files(scene.root) != []
    (settled,) = scene.store.recover().settled
    assert settled.left_alone == ("Assets/Player.cs",)
    assert len(scene.store.history(None, 9)) == 1
    assert state_files(scene.root) == []


@needs_exchange
def test_a_writer_that_lives_keeps_what_it_had_replaced(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody saves one file before the set comes to it, and one that it has written already."""
    changes = [
        scene.edit("Assets/Enemies/Enemy.cs", b"// new\n"),
        scene.edit("Assets/Player.cs", b"// new\n"),
    ]

    def save_both() -> None:
        save_over(scene)
        save_over(scene, "Assets/Enemies/Enemy.cs")

    with monkeypatch.context() as patch:
        before_each_exchange(patch, None, save_both)
        refused = scene.refused(*changes, code=ErrorCode.STALE_FILE)
    assert refused.details["leftAlone"] == ["Assets/Enemies/Enemy.cs"]
    (entry,) = scene.store.history(None, 9)
    assert [file.path for file in entry.files] == ["Assets/Enemies/Enemy.cs"]
    enemy = scene.there("Assets/Enemies/Enemy.cs")
    assert list(ScriptStore(scene.project).earlier(enemy)) == [FILES["Assets/Enemies/Enemy.cs"]]


@needs_exchange
def test_a_save_that_only_came_first_makes_no_entry(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = [scene.edit("Assets/Player.cs", b"// new\n"), scene.delete("Assets/Old.cs")]
    with monkeypatch.context() as patch:
        before_each_exchange(patch, partial(save_over, scene))
        refused = scene.refused(*changes)
    assert "leftAlone" not in refused.details
    assert scene.store.history(None, 9) == []


def test_an_end_that_the_system_refuses_is_told(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a folder that may not be written any more."""
    died_after_its_last_step(scene)
    remove = folder.Folder.remove

    def refused(self: folder.Folder, name: str) -> None:
        if name.startswith(".Enemy.cs"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        remove(self, name)

    with monkeypatch.context() as patch:
        patch.setattr(folder.Folder, "remove", refused)
        # All its names are changed; what it replaced can't be removed.
        assert [each.went_forward for each in scene.store.recover().settled] == [True]
        (waiting,) = scene.store.recover().waiting
        assert (waiting.change_id, "Assets/Enemies/Enemy.cs" in waiting.files) == (CHANGE, True)
        assert "finishing it failed (Permission denied)" in str(waiting)
        told = scene.refused(scene.edit("Assets/Player.cs", b"// mine\n"))
        assert told.details["changeId"] == CHANGE
        assert "Permission denied" in told.message
    assert scene.store.recover().waiting == []
    assert state_files(scene.root) == []


def test_an_undo_that_went_back_is_told_as_that(scene: Scene) -> None:
    """By the id of the change that is still in place; nobody has seen the undo's own."""
    made = scene.applied(*scene.everything())
    interrupted_undo(scene, made)
    save_over(scene)
    engine = scene.engine()
    (found,) = engine.recover(again=True)
    assert found.startswith(f"the undo of change {made} didn't happen, and that change is still")
    result = success(engine.get_history({}))
    undo, change = result["changes"]
    undone = f"change {made}"
    assert undo["takenBack"].startswith(f"The undo of {undone} didn't happen, and {undone} is")
    assert change["undo"] == {"changeId": made}
    refused = scene.not_undone(CHANGE)
    assert f"didn't happen: {undone} is still in place, except for" in refused.message
    assert len(refused.message) <= 200


def test_what_was_given_up_with_its_folder_is_not_said_to_be_back(scene: Scene) -> None:
    """The folder was moved away, half written, and made anew: its files are elsewhere."""
    died_after_its_last_step(scene)
    folder = scene.root / "Assets/Enemies"
    folder.rename(scene.root / "Assets/Moved")
    folder.mkdir()
    scene.store.recover()
    engine = scene.engine()
    (told,) = engine.get_history({})["changes"]  # type: ignore[index]
    assert "or moved their folder" in told["takenBack"]
    assert [file["path"] for file in told["files"]] == ["Assets/Enemies/Enemy.cs"]
    (kept,) = scene.root.glob(told["takenBack"].rpartition(" ")[2])
    assert FILES["Assets/Enemies/Enemy.cs"] in kept.read_bytes()
    # What is left of it in the folder that was moved is still told.
    (lone,) = scene.store.orphaned_temporary_files()
    assert lone.startswith("Assets/Moved/.Enemy.cs.")


@pytest.mark.parametrize("also_made", [False, True])
def test_a_set_of_which_nothing_is_back_is_not_said_to_be(scene: Scene, also_made: bool) -> None:
    """Its only folder was moved away, and made anew: what it changed and made is there."""
    changes = [scene.edit("Assets/Enemies/Enemy.cs", THEIRS)]
    if also_made:
        changes.append(scene.create("Assets/Enemies/Boss.cs", b"class Boss { }\n"))
    died_after_its_last_step(scene, changes)
    folder = scene.root / "Assets/Enemies"
    folder.rename(scene.root / "Assets/Moved")
    folder.mkdir()
    engine = scene.engine()
    (found,) = engine.recover(again=True)
    assert found.startswith(f"change {CHANGE} was given up; changed by others")
    (told,) = engine.get_history({})["changes"]  # type: ignore[index]
    assert told["takenBack"].startswith(
        f"Change {CHANGE} was given up: during the write others changed these"
    )
    assert [file["path"] for file in told["files"]] == [each.place.canonical for each in changes]
    refused = scene.not_undone(CHANGE)
    assert f"Change {CHANGE} was given up: others changed or moved" in refused.message
    assert len(refused.message) <= 200


def interrupted_undo(scene: Scene, made: str) -> None:
    """The undo of the change is written to its last step; its writer died before it was done."""
    with dying_at((ChangeJournal, "finish"), (ChangeJournal, "settle")):
        scene.store.undo(made, ticket=CHANGE)
