"""Temporary files of which no record is left: named, as each may have the only copy of a text."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import jsonschema
import pytest
from answered import refusal, success
from change_sets import AFTER_EVERYTHING, FILES, Scene, contents
from meddling import dying_at
from unity_project import replace

from mcp_server.doctor.unity_project import check_project
from snippet_engine.answer.text_form import text_form
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode
from snippet_engine.storage.change_sets.change_journal import ChangeJournal
from snippet_engine.storage.change_sets.change_slots import OpenSlot
from snippet_engine.storage.change_sets.open_change import Stopped
from snippet_engine.storage.recovery.unfinished import NotKept

CONTRACTS = Path(__file__).parents[4] / "contracts/tools"


def cut_short(scene: Scene) -> None:
    """A set whose writer died after its last step: what it deleted has a temporary name alone."""
    with dying_at((ChangeJournal, "finish"), (ChangeJournal, "settle")):
        scene.store.apply(scene.everything(), client=None)


def told(scene: Scene) -> list[str]:
    (scene.root / "ProjectSettings").mkdir(exist_ok=True)
    checks = [each for each in check_project(scene.root) if each.name == "temporary files"]
    return [path for each in checks for path in each.details]


def test_doctor_names_them_once_their_record_is_gone(scene: Scene) -> None:
    cut_short(scene)
    assert scene.store.orphaned_temporary_files() == []
    assert told(scene) == []
    shutil.rmtree(scene.root / "Library")
    lone = scene.store.orphaned_temporary_files()
    assert set(told(scene)) <= set(lone)
    assert told(scene) != []
    (old,) = [path for path in lone if path.startswith("Assets/.Old.cs.") and "meta" not in path]
    # What it says is the way back.
    (scene.root / old).rename(scene.root / "Assets/Old.cs")
    assert scene.bytes_of("Assets/Old.cs") == FILES["Assets/Old.cs"]
    assert old not in scene.store.orphaned_temporary_files()


def test_nothing_is_told_where_nothing_is(scene: Scene) -> None:
    (scene.root / "Assets/.Other.tmp").write_bytes(b"somebody else's")
    assert scene.store.orphaned_temporary_files() == []
    assert told(scene) == []


def left_behind(engine: SnippetEngine, **about: str) -> list[str]:
    result = success(engine.get_history(about))
    jsonschema.validate(result, json.loads((CONTRACTS / "get_history.output.json").read_bytes()))
    left = result.get("leftBehind")
    if left is None:
        return []
    text = text_form("get_history", result)
    assert "NAME is gone, rename it back" in left["message"]
    assert left["message"] in text
    assert left["temporaryFiles"][0] in text
    return list(left["temporaryFiles"])


def test_whoever_asks_what_was_done_is_told(scene: Scene) -> None:
    cut_short(scene)
    engine = scene.engine()
    shutil.rmtree(scene.root / "Library")
    lone = scene.store.orphaned_temporary_files()
    assert len(lone) > 3
    assert left_behind(engine) == lone
    of_player = [each for each in lone if each.startswith("Assets/.Player.cs.")]
    assert left_behind(engine, path="Assets/Player.cs") == of_player != []
    assert left_behind(engine, path="Assets/Health/Health.cs") == []
    of_old = [each for each in lone if each.startswith("Assets/.Old.cs.")]
    assert left_behind(engine, path="Assets/Old.cs") == of_old != []


@pytest.mark.parametrize("tool", ["edit_snippet", "edit_scripts"])
def test_who_edits_a_script_that_is_gone_is_told_where_its_text_is(scene: Scene, tool: str) -> None:
    cut_short(scene)
    shutil.rmtree(scene.root / "Library")
    edit = {"path": "Assets/Old.cs", "instructions": [replace("class Old", "class New")]}
    params = {"mode": "preview", **(edit if tool == "edit_snippet" else {"changes": [edit]})}
    refused = refusal(getattr(scene.engine(), tool)(params), ErrorCode.FILE_NOT_FOUND)
    assert len(refused.message) <= 200
    (own,) = [each for each in refused.details["temporaryFiles"] if ".meta." not in each]
    assert own.rpartition("/")[2] in refused.message
    # What it says is the way back.
    (scene.root / own).rename(scene.root / "Assets/Old.cs")
    assert getattr(scene.engine(), tool)(params)["status"] == "previewed"


def test_nothing_is_left_where_library_goes_in_the_middle_of_a_set(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was replaced is no lone text: without a record nobody would look for it."""
    forward = ChangeJournal.forward

    def without_library(self: ChangeJournal, slots: Sequence[OpenSlot]) -> Stopped | None:
        shutil.rmtree(scene.root / "Library")
        return forward(self, slots)

    monkeypatch.setattr(ChangeJournal, "forward", without_library)
    lost: list[NotKept] = []
    scene.applied(*scene.everything(), on_lost=lost.append)
    assert len(lost) == 1
    assert contents(scene.root) == AFTER_EVERYTHING


def test_a_set_of_such_a_script_warns(scene: Scene) -> None:
    cut_short(scene)
    moved = {"path": "Assets/Player.cs", "moveTo": "Assets/Hero.cs"}
    made = {"path": "Assets/Old.cs", "create": "class Old { }\n"}
    params = {"mode": "preview", "changes": [moved, made]}

    def warned() -> list[tuple[int, str]]:
        result = success(scene.engine().edit_scripts(params))
        found = [each for each in result["warnings"] if each["code"] == "left_behind"]
        assert all(len(each["message"]) <= 200 for each in found)
        return [(each["file"], each["message"].split(" holds ")[0]) for each in found]

    assert warned() == []  # Its record tells of it.
    shutil.rmtree(scene.root / "Library")
    lone = scene.store.orphaned_temporary_files()
    of = {each: [path for path in lone if f".{each}.cs." in path] for each in ("Player", "Old")}
    assert warned() == [*((0, path) for path in of["Player"]), *((1, path) for path in of["Old"])]
    assert warned() != []
    for number in range(50):
        copy = (scene.root / of["Player"][0]).with_name(f".Player.cs.{number:016x}.tmp")
        copy.write_bytes(b"")
    told = [what for file, what in warned() if file == 0]
    assert len(told) == 2
    assert told[1].endswith(" (+49 more)")
