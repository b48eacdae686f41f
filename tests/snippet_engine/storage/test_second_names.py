"""What undo needs outlives ``Library``: each entry of the history has a second name beside it."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from answered import success
from unity_project import SCRIPT, UnityProject

TEXT = "class Player\n{\n    int speed = 10;\n}\n"
FIRST, SECOND = "Library/SnippetEngine/history", ".unity-snippet/history"


@pytest.fixture
def game(tmp_path: Path) -> UnityProject:
    project = UnityProject(tmp_path / "game")
    project.write(TEXT)
    return project


def faster(game: UnityProject, speed: int) -> dict[str, Any]:
    anchor = {"type": "text", "target": "int speed", "position": "before"}
    instruction = {"operation": "insert", "anchor": anchor, "newText": f"/* {speed} */ "}
    return game.done(instruction)


def a_set(game: UnityProject) -> dict[str, Any]:
    made = {"path": "Assets/Made.cs", "create": "class Made { }\n"}
    return success(game.engine.edit_scripts({"mode": "apply", "changes": [made]}))


def names(game: UnityProject, folder: str) -> list[str]:
    return sorted(each.name for each in (game.root / folder).glob("*"))


def listed(game: UnityProject) -> list[dict[str, Any]]:
    answer = success(game.engine.get_history({}))
    changes: list[dict[str, Any]] = answer["changes"]
    return changes


@pytest.mark.parametrize("reopened", [True, False])
def test_a_deleted_library_leaves_undo(game: UnityProject, reopened: bool) -> None:
    first, made = faster(game, 1), a_set(game)
    assert names(game, FIRST) == names(game, SECOND)
    told = listed(game)
    shutil.rmtree(game.root / "Library")
    if reopened:
        game.reopen()
    assert listed(game) == told
    assert not (game.root / "Library").exists()  # reading makes nothing

    faster(game, 2)  # and what is written goes on from there
    assert names(game, FIRST) == names(game, SECOND)
    assert len(names(game, FIRST)) == 3
    shutil.rmtree(game.root / "Library")
    for undo in ({"changeId": made["changeId"]}, listed(game)[0]["undo"]):
        success(game.engine.undo_snippet(undo))
    success(game.engine.undo_snippet({"path": SCRIPT, "hashAfter": first["hashAfter"]}))
    assert game.read() == TEXT.encode()
    assert names(game, FIRST) == names(game, SECOND) == []


def test_what_was_undone_doesnt_come_back(game: UnityProject) -> None:
    once = faster(game, 1)
    game.engine.undo_snippet({"path": SCRIPT, "hashAfter": once["hashAfter"]})
    shutil.rmtree(game.root / "Library")
    game.reopen()
    assert listed(game) == []


def test_entries_of_a_version_before_get_one_and_those_it_removed_lose_it(
    game: UnityProject,
) -> None:
    """As of a server of that version beside this one: nothing that it has done is lost."""
    faster(game, 1)
    faster(game, 2)
    first, second = names(game, FIRST)
    (game.root / SECOND / first).unlink()  # never had one
    (game.root / FIRST / second).unlink()  # undone there
    game.reopen()
    faster(game, 3)
    assert names(game, FIRST) == names(game, SECOND)
    assert first in names(game, FIRST)
    assert second not in names(game, SECOND)


def test_a_version_before_that_makes_the_folder_anew_loses_nothing(game: UnityProject) -> None:
    once = faster(game, 1)
    shutil.rmtree(game.root / "Library")
    (game.root / FIRST).mkdir(parents=True)  # as its next write does
    game.reopen()
    faster(game, 2)
    assert len(names(game, FIRST)) == 2
    assert names(game, FIRST) == names(game, SECOND)
    assert once["hashAfter"] in str(listed(game)[1]["undo"])


def test_git_sees_nothing_of_it(game: UnityProject) -> None:
    faster(game, 1)
    subprocess.run(["git", "init", "-q", str(game.root)], check=True)
    status = ["git", "-C", str(game.root), "status", "--porcelain", "--untracked-files=all"]
    seen = subprocess.run(status, capture_output=True, text=True, check=True).stdout
    assert ".unity-snippet" not in seen
    assert SCRIPT in seen


def test_where_there_can_be_no_second_name_all_works_with_one(
    game: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **_more: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    once = faster(game, 1)
    assert names(game, SECOND) == []
    assert len(names(game, FIRST)) == 1
    success(game.engine.undo_snippet({"path": SCRIPT, "hashAfter": once["hashAfter"]}))


@pytest.mark.parametrize("place", [".unity-snippet", SECOND])
def test_a_link_in_its_place_is_not_followed(
    game: UnityProject, tmp_path: Path, place: str
) -> None:
    outside = tmp_path / "outside"
    (outside / "history").mkdir(parents=True)
    link = game.root / place
    link.parent.mkdir(exist_ok=True)
    try:
        link.symlink_to(outside, target_is_directory=True)
    except OSError:
        pytest.skip("this user may make no links")
    faster(game, 1)
    assert [path.name for path in outside.rglob("*")] == ["history"]
    shutil.rmtree(game.root / "Library")
    game.reopen()
    assert listed(game) == []
