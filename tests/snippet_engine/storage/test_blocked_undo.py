"""What is in the way of an undo whose files are as the set left them: told before, and by it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from answered import refusal, success
from change_sets import FILES, OLD, Scene, contents, state_files
from meddling import dying_at

from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.change_sets import change_slots
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.stores import change_store
from snippet_engine.storage.stores.script_store import ScriptStore

CONTRACT = Path(__file__).parents[3] / "contracts/tools/get_history.output.json"


def writes(name: str) -> Callable[[Path], object]:
    return lambda root: (root / name).write_bytes(b"// new\n")


BLOCKS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "the moved file's old place": (writes("Assets/Util.cs"), "Assets/Util.cs", "Move it away"),
    "that of its .meta": (writes("Assets/Util.cs.meta"), "Assets/Util.cs.meta", "Move it away"),
    "a deleted one's .meta": (writes("Assets/Old.cs.meta"), "Assets/Old.cs.meta", "Move it away"),
    "a script that is read-only": (
        lambda root: (root / "Assets/Player.cs").chmod(0o444),
        "Assets/Player.cs",
        "make it writable",
    ),
}


@pytest.mark.parametrize("what", BLOCKS)
def test_what_is_in_the_way_is_told_as_the_undo_tells_it(scene: Scene, what: str) -> None:
    block, path, advice = BLOCKS[what]
    made = scene.applied(*scene.everything())
    block(scene.root)
    engine = scene.engine()
    result = success(engine.get_history({}))
    jsonschema.validate(result, json.loads(CONTRACT.read_bytes()))
    (entry,) = result["changes"]
    assert entry["undoable"] is False
    assert entry["undo"] == {"changeId": made}
    before = contents(scene.root)
    refused = scene.not_undone(made)
    assert entry["blocked"] == refused.message
    assert path in refused.message
    assert advice in refused.message
    assert "edit it" not in refused.message
    assert len(refused.message) <= 200
    assert refused.message in text_form("get_history", result)
    assert contents(scene.root) == before
    # What it says is the way.
    (scene.root / path).chmod(0o644) if "writable" in advice else (scene.root / path).unlink()
    assert engine.get_history({})["changes"][0]["undoable"] is True  # type: ignore[index]
    scene.undone(made)
    assert contents(scene.root) == FILES


def test_a_read_only_script_of_one_write(scene: Scene) -> None:
    engine = scene.engine()
    old = scene.there("Assets/Old.cs")
    assert ScriptStore(scene.project).apply(old, FILES["Assets/Old.cs"], b"// new\n") is None
    (scene.root / "Assets/Old.cs").chmod(0o444)
    (entry,) = engine.get_history({})["changes"]  # type: ignore[index]
    assert entry["undoable"] is False
    refused = refusal(engine.undo_snippet(entry["undo"]))
    assert entry["blocked"] == refused.message


def test_files_that_are_gone_are_to_be_put_back(scene: Scene) -> None:
    made = scene.applied(*scene.everything())
    there = scene.root / "Assets/Core/Deep/Util.cs"
    text = there.read_bytes()
    there.unlink()
    refused = scene.not_undone(made)
    assert refused.message == (
        "Deleted since, but not by an apply: Assets/Core/Deep/Util.cs. Nothing was undone. "
        "Restore it (version control, trash), then undo again."
    )
    there.write_bytes(text)
    scene.undone(made)
    assert contents(scene.root) == FILES


def test_a_folder_that_is_a_link_now_is_told_as_that(scene: Scene, tmp_path: Path) -> None:
    made = scene.applied(*scene.everything())
    folder = scene.root / "Assets/Core"
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    refused = scene.not_undone(made, ErrorCode.PATH_NOT_ALLOWED)
    assert "Assets/Core is a link now. Put the folder itself back." in refused.message


def test_what_is_quicker_than_the_undo_is_told_in_words_of_it(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = scene.applied(*scene.everything())
    give_name = change_slots.give_name

    def overtaken(script: object, folder: object, temporary: str) -> object:
        (scene.root / "Assets/Old.cs").write_bytes(b"// somebody else's\n")
        return give_name(script, folder, temporary)  # type: ignore[arg-type]

    monkeypatch.setattr(change_slots, "give_name", overtaken)
    refused = scene.not_undone(made, ErrorCode.STALE_FILE)
    assert refused.message.startswith("Assets/Old.cs was changed during the undo, or")


def a_file(path: Path) -> None:
    path.write_bytes(b"x\n")


def a_link(path: Path) -> None:
    (path.parent / "Elsewhere").mkdir()
    path.symlink_to(path.parent / "Elsewhere")


@pytest.mark.parametrize(("put", "named"), [(a_file, "a file"), (a_link, "a link")])
@pytest.mark.parametrize("change", ["delete", "move"])
def test_what_is_in_the_place_of_a_folder_is_seen_before(
    scene: Scene, change: str, put: Callable[[Path], None], named: str
) -> None:
    enemy, folder = "Assets/Enemies/Enemy.cs", scene.root / "Assets/Enemies"
    changed = scene.delete(enemy) if change == "delete" else scene.move(enemy, "Assets/Enemy.cs")
    made = scene.applied(changed)
    shutil.rmtree(folder)
    put(folder)
    engine = scene.engine()
    refused = scene.not_undone(made, ErrorCode.PATH_NOT_ALLOWED)
    assert refused.message == (
        f"Assets/Enemies is {named}, but {enemy} needs a folder there: nothing was undone. Move "
        "it away, then undo again."
    )
    assert refused.details == {"path": "Assets/Enemies"}
    history = success(engine.get_history({}))
    assert history["changes"][0]["blocked"] == refused.message
    assert "unfinished" not in history
    assert state_files(scene.root) == []
    folder.unlink()
    scene.undone(made)
    assert contents(scene.root) == FILES


def test_a_folder_that_goes_while_the_set_is_prepared_leaves_nothing_to_wait_for(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = scene.applied(scene.delete("Assets/Enemies/Enemy.cs"))
    make_folders = change_store.make_folders

    def overtaken(*given: object) -> None:
        make_folders(*given)  # type: ignore[arg-type]
        (scene.root / "Assets/Enemies").rmdir()
        a_file(scene.root / "Assets/Enemies")

    monkeypatch.setattr(change_store, "make_folders", overtaken)
    refused = scene.store.undo(made)
    monkeypatch.undo()
    assert isinstance(refused, SnippetError)
    assert refused.code is ErrorCode.WRITE_FAILED
    assert refused.details["path"] == "Assets/Enemies"
    assert "Assets/Enemies: it is not a folder; move it away" in refused.message
    assert state_files(scene.root) == []
    (scene.root / "Assets/Enemies").unlink()
    scene.undone(made)
    assert contents(scene.root) == FILES


def undo_died(scene: Scene, change: FileChange) -> str:
    """The id of a set of that change, whose undo was begun by a process that has died."""
    made = scene.applied(change)
    with dying_at((change_store, "_staged"), (change_store.ChangeStore, "_settled")):
        scene.store.undo(made)
    return made


def test_a_set_whose_writer_died_before_its_first_step_says_that_nothing_was_changed(
    scene: Scene, tmp_path: Path
) -> None:
    made = undo_died(scene, scene.edit("Assets/Enemies/Enemy.cs", OLD))
    (scene.root / "Assets/Enemies").rename(tmp_path / "away")
    refused = scene.not_undone(made)
    advice = "Put it back, or create it empty: no script was changed yet."
    assert refused.message.endswith(advice)
    (tmp_path / "away").rename(scene.root / "Assets/Enemies")
    scene.undone(made)
    assert contents(scene.root) == FILES


def test_a_folder_that_is_gone_with_what_such_a_set_was_to_bring_is_not_waited_for(
    scene: Scene,
) -> None:
    made = undo_died(scene, scene.delete("Assets/Enemies/Enemy.cs"))
    shutil.rmtree(scene.root / "Assets/Enemies")
    scene.undone(made)
    assert contents(scene.root) == FILES
