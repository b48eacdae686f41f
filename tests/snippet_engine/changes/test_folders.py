"""Folders that a set names, or leaves empty: they are told, and never moved or removed."""

from __future__ import annotations

import pytest
from answered import refusal, success
from script_changes import change, changed, create, delete_file, edit, move, previewed, refused
from unity_project import UnityProject, replace

from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import ErrorCode


def enemies(project: UnityProject, count: int) -> None:
    for number in range(count):
        below = "Boss/" * (number % 2)
        path = f"Assets/Enemy/{below}E{number}.cs"
        project.write(f"class E{number} {{ int a; }}\n", path)
        project.write(f"guid: {number}\n", f"{path}.meta")


def test_a_folder_that_is_to_move_is_offered_script_by_script(project: UnityProject) -> None:
    enemies(project, 3)
    error = refused(project, move("Assets/Enemy", "Assets/Enemies"))
    assert error.code is ErrorCode.PATH_NOT_ALLOWED
    assert error.message == (
        "Assets/Enemy is a folder. A folder can't be moved as a whole: send a change with moveTo "
        "for each of its 3 scripts. Other files stay."
    )
    (offer,) = error.offers
    assert '"moveTo": "Assets/Enemies/Boss/E1.cs"' in text_form("edit_scripts", error)
    success(project.engine.edit_scripts({**offer.arguments, "mode": "apply"}))
    assert project.read("Assets/Enemies/Boss/E1.cs.meta") == b"guid: 1\n"
    assert not (project.root / "Assets/Enemy/E0.cs").exists()


def test_what_else_is_in_the_set_stays_in_the_offer(project: UnityProject) -> None:
    enemies(project, 2)
    new = create("Assets/New.cs", "class New { }\n")
    error = refusal(change(project, new, move("Assets/Enemy/", "Assets/Enemies/")))
    (offer,) = error.offers
    assert offer.arguments["mode"] == "apply"
    assert offer.arguments["changes"][0] == new
    assert len(offer.arguments["changes"]) == 3


@pytest.mark.parametrize("count", [0, 1, 21])
def test_it_says_how_many_scripts_there_are(project: UnityProject, count: int) -> None:
    enemies(project, count)
    (project.root / "Assets/Enemy").mkdir(exist_ok=True)
    error = refused(project, move("Assets/Enemy", "Assets/Enemies"))
    told = {0: "It contains no script", 1: "its one script", 21: "each of its 21 scripts, 20 a set"}
    assert told[count] in error.message
    assert len(error.offers) == (count == 1)


def test_a_script_in_the_way_is_offered_nothing(project: UnityProject) -> None:
    enemies(project, 2)
    project.write("class E0 { }\n", "Assets/Enemies/E0.cs")
    assert not refused(project, move("Assets/Enemy", "Assets/Enemies")).offers
    assert not refused(project, move("Assets/Enemy", "Assets/Enemy/Old")).offers


def test_a_folder_is_not_deleted_or_edited_either(project: UnityProject) -> None:
    enemies(project, 2)
    gone = {"path": "Assets/Enemy", "delete": True, "expectedHash": "sha256:" + "0" * 64}
    assert "send delete and expectedHash for each of its 2" in refused(project, gone).message
    error = refused(project, edit("Assets/Enemy", replace("a", "b")))
    assert error.message == "Assets/Enemy is a folder. Send a change for each of its 2 scripts."


def test_a_folder_outside_is_not_looked_into(project: UnityProject) -> None:
    (project.root / "Assets/Link").symlink_to(project.root.parent, target_is_directory=True)
    for path in ("Assets/Link", "Library", "Assets/../.."):
        outcome = refusal(change(project, move(path, "Assets/Enemies")))
        assert "is a folder" not in outcome.message


def warned_of_folders(result: dict[str, object]) -> list[str]:
    told = result["warnings"]
    assert isinstance(told, list)
    return [each["message"] for each in told if each["code"] == "empty_folder"]


def test_a_folder_that_the_last_script_leaves_is_told(project: UnityProject) -> None:
    project.write("class A { }\n", "Assets/Old/A.cs")
    project.write("guid: 1\n", "Assets/Old/A.cs.meta")
    project.write("class B { }\n", "Assets/Old/B.cs")
    project.write("guid: 3\n", "Assets/Old.meta")
    both = [move(f"Assets/Old/{name}.cs", f"Assets/New/{name}.cs") for name in "AB"]
    (told,) = warned_of_folders(previewed(project, *both))
    assert told.startswith("Assets/Old will be empty, and stays with its .meta")
    assert warned_of_folders(previewed(project, both[0])) == []
    assert len(warned_of_folders(changed(project, *both))) == 1


def test_a_folder_that_something_is_in_is_not_told(project: UnityProject) -> None:
    project.write("class A { }\n", "Assets/Old/A.cs")
    gone = delete_file(project, "Assets/Old/A.cs")
    assert warned_of_folders(previewed(project, gone)) == []  # git, too, forgets it
    project.write("guid: 3\n", "Assets/Old.meta")
    assert len(warned_of_folders(previewed(project, gone))) == 1
    new = create("Assets/Old/Sub/B.cs", "class B { }\n")
    assert warned_of_folders(previewed(project, gone, new)) == []
    project.write("{}", "Assets/Old/Data.json")
    assert warned_of_folders(previewed(project, gone)) == []


@pytest.mark.parametrize("deep", ["New", "New/Deep/Deeper"])
def test_an_undo_takes_new_folders_along(project: UnityProject, deep: str) -> None:
    enemies(project, 2)
    moved = changed(
        project,
        move("Assets/Enemy/E0.cs", f"Assets/{deep}/E0.cs"),
        move("Assets/Enemy/Boss/E1.cs", f"Assets/{deep}/Boss/E1.cs"),
    )
    success(project.engine.undo_snippet({"changeId": moved["changeId"]}))
    assert not (project.root / "Assets/New").exists()
