"""A path whose script a change has moved or deleted: every tool says so, and where it is now."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answered import refusal, success
from script_changes import change, changed, create, delete_file, edit, move
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine.errors import ErrorCode, SnippetError

OTHER, THIRD = "Assets/Core/Hero.cs", "Assets/Core/Old/Hero.cs"
TEXT = "class Player { int a; }\n"
EDIT = replace("int a", "int b")

Asked = Callable[[UnityProject], Any]
ASKED: dict[str, Asked] = {
    "edit_snippet": lambda project: project.edit(EDIT, mode="preview"),
    "edit_scripts": lambda project: change(project, edit(SCRIPT, EDIT), mode="preview"),
    "move": lambda project: change(project, move(SCRIPT, "Assets/New.cs"), mode="preview"),
    "get_symbols": lambda project: project.engine.get_symbols({"path": SCRIPT}),
    "validate_script": lambda project: project.engine.validate_script({"path": SCRIPT}),
    "undo_snippet": lambda project: project.engine.undo_snippet(
        {"path": SCRIPT, "hashAfter": "sha256:" + 64 * "0"}
    ),
}


@pytest.fixture
def project(tmp_path: Path) -> UnityProject:
    made = UnityProject(tmp_path)
    made.write(TEXT)
    return made


def missing(outcome: object) -> SnippetError:
    assert isinstance(outcome, SnippetError)
    assert outcome.code is ErrorCode.FILE_NOT_FOUND
    assert len(outcome.message) <= 200
    return outcome


@pytest.mark.parametrize("tool", ASKED)
def test_a_moved_script_is_told_with_its_place(project: UnityProject, tool: str) -> None:
    change_id = changed(project, move(SCRIPT, OTHER))["changeId"]
    error = missing(ASKED[tool](project))
    assert error.message == f"{SCRIPT} was moved to {OTHER} by change {change_id}. Send that path."
    assert error.details["movedTo"] == OTHER
    assert error.details["movedBy"] == change_id
    assert error.details["nearest"][0] == OTHER


@pytest.mark.parametrize("tool", ASKED)
def test_a_deleted_script_is_told_with_its_change(project: UnityProject, tool: str) -> None:
    change_id = changed(project, delete_file(project, SCRIPT))["changeId"]
    error = missing(ASKED[tool](project))
    assert error.message == f"{SCRIPT} was deleted by change {change_id}."
    assert error.details["deletedBy"] == change_id
    assert "movedTo" not in error.details


def test_a_small_edit_is_offered_for_the_new_place(project: UnityProject) -> None:
    changed(project, move(SCRIPT, OTHER))
    (offer,) = missing(project.edit(EDIT, mode="preview")).offers
    assert offer.arguments["path"] == OTHER
    assert not isinstance(project.engine.edit_snippet(offer.arguments), SnippetError)


def test_a_deletion_is_offered_as_one_for_the_new_place(project: UnityProject) -> None:
    deletion = delete_file(project, SCRIPT)
    changed(project, move(SCRIPT, OTHER))
    (offer,) = missing(change(project, deletion, mode="preview")).offers
    (offered,) = offer.arguments["changes"]
    assert offered == {**deletion, "path": OTHER}


def test_moves_are_followed_to_the_last_place(project: UnityProject) -> None:
    changed(project, move(SCRIPT, OTHER))
    last = changed(project, move(OTHER, THIRD, EDIT))["changeId"]
    error = missing(project.edit(EDIT))
    assert (error.details["movedTo"], error.details["movedBy"]) == (THIRD, last)
    again = missing(change(project, move(SCRIPT, OTHER), mode="apply"))
    assert again.details["movedTo"] == THIRD
    assert again.offers == (), "it would take back the last move"
    gone = changed(project, delete_file(project, THIRD))["changeId"]
    error = missing(project.edit(EDIT))
    assert error.details["deletedBy"] == gone
    assert error.message == f"{SCRIPT} was moved to {THIRD}, then deleted by change {gone}."


def test_long_paths_are_shortened(project: UnityProject) -> None:
    path, to = (f"Assets/{folder * 60}/Player.cs" for folder in "AB")
    project.write(TEXT, path)
    changed(project, move(path, to))
    assert missing(project.edit(EDIT, path=path)).details["movedTo"] == to
    missing(change(project, move(path, to)))
    changed(project, delete_file(project, to))
    missing(project.edit(EDIT, path=path))


def test_what_others_did_since_is_not_told_as_a_change(project: UnityProject) -> None:
    change_id = changed(project, move(SCRIPT, OTHER))["changeId"]
    (project.root / OTHER).rename(project.root / "Assets/Elsewhere.cs")
    error = missing(project.edit(EDIT))
    told = f"{SCRIPT} was moved to {OTHER} by change {change_id}, and is gone."
    assert error.message == told
    assert OTHER not in error.details["nearest"]
    # There again, and removed by somebody else: no change did that.
    changed(project, create(SCRIPT, TEXT))
    (project.root / SCRIPT).unlink()
    assert "movedTo" not in missing(project.edit(EDIT)).details


def test_an_edit_of_the_path_since_says_that_it_was_there_again(project: UnityProject) -> None:
    changed(project, move(SCRIPT, OTHER))
    project.write(TEXT)
    project.done(EDIT)
    (project.root / SCRIPT).unlink()
    assert "movedTo" not in missing(project.edit(EDIT)).details


def test_an_undone_move_has_moved_nothing(project: UnityProject) -> None:
    change_id = changed(project, move(SCRIPT, OTHER))["changeId"]
    success(project.engine.undo_snippet({"changeId": change_id}))
    (project.root / SCRIPT).unlink()
    assert "movedTo" not in missing(project.edit(EDIT)).details


@pytest.mark.parametrize("mode", ["preview", "apply"])
def test_a_move_that_is_sent_again_was_done_already(project: UnityProject, mode: str) -> None:
    change_id = changed(project, move(SCRIPT, OTHER))["changeId"]
    before = project.tree()
    error = missing(change(project, move(SCRIPT, OTHER), mode=mode))
    assert error.message == f"{SCRIPT} was moved to {OTHER} already, by change {change_id}."
    assert project.tree() == before
    # To another place, or of another script, it wasn't.
    project.write(TEXT, "Assets/Second.cs")
    refusal(change(project, move("Assets/Second.cs", OTHER), mode=mode), ErrorCode.PATH_NOT_ALLOWED)


@pytest.mark.parametrize("mode", ["preview", "apply"])
def test_a_deletion_that_is_sent_again_was_done_already(project: UnityProject, mode: str) -> None:
    gone = delete_file(project, SCRIPT)
    change_id = changed(project, gone)["changeId"]
    error = missing(change(project, gone, mode=mode))
    assert error.message == f"{SCRIPT} was deleted already, by change {change_id}."


def test_another_script_at_the_new_place_is_not_taken_for_it(project: UnityProject) -> None:
    change_id = changed(project, move(SCRIPT, OTHER))["changeId"]
    project.write("class Stranger { int a; }\n", OTHER)
    error = missing(project.edit(EDIT))
    assert error.message.startswith(f"{SCRIPT} was moved to {OTHER} by change {change_id}, which")
    assert error.details["nearest"][0] == OTHER
    assert [each.unless for each in error.offers] == ["another script has taken that path"]


def test_another_script_that_a_change_puts_there_is_not_taken_for_it(project: UnityProject) -> None:
    changed(project, move(SCRIPT, OTHER))
    (project.root / OTHER).unlink()
    changed(project, create(OTHER, TEXT))
    assert missing(project.edit(EDIT)).details["changedSince"] is True


def test_its_own_edits_at_the_new_place_leave_it_the_same(project: UnityProject) -> None:
    changed(project, move(SCRIPT, OTHER))
    project.done(EDIT, path=OTHER)
    assert "changedSince" not in missing(project.edit(replace("int b", "int c"))).details
    changed(project, edit(OTHER, replace("int b", "int c")))
    error = missing(project.edit(replace("int c", "int d")))
    assert error.message.endswith("Send that path.")
    assert [each.unless for each in error.offers] == [""]


def test_a_folder_that_was_renamed_since_is_found_by_the_script(project: UnityProject) -> None:
    changed(project, move(SCRIPT, OTHER))
    (project.root / "Assets/Core").rename(project.root / "Assets/Kernel")
    error = missing(project.edit(EDIT))
    assert error.message.endswith("and is gone. Assets/Kernel/Hero.cs has its name.")
    assert error.details["nearest"][0] == "Assets/Kernel/Hero.cs"
    assert error.offers == ()


def test_a_move_is_followed_from_another_spelling_of_the_path(project: UnityProject) -> None:
    change_id = changed(project, move(SCRIPT, OTHER))["changeId"]
    error = missing(project.edit(EDIT, path=SCRIPT.replace("Player", "player")))
    assert error.message == f"{SCRIPT} was moved to {OTHER} by change {change_id}. Send that path."
    assert [each.arguments["path"] for each in error.offers] == [OTHER]


def test_a_request_is_offered_for_the_new_path_only_if_it_fits_there(project: UnityProject) -> None:
    changed(project, move(SCRIPT, OTHER))
    (offer,) = missing(project.edit(EDIT)).offers
    assert (offer.arguments["path"], offer.unless) == (OTHER, "")
    assert missing(project.edit(replace("int c", "int d"))).offers == ()
    project.done(EDIT, path=OTHER)
    assert missing(project.edit(EDIT)).offers == ()
