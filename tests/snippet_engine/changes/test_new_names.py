"""The names that a change set makes: docs/design/change-sets.md §1."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answered import refusal, success
from file_rights import binds_rights, closed
from script_changes import changed, create, delete_file, edit, move, previewed, refused
from this_system import needs_posix
from unity_project import UnityProject, replace

from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.single_edit.versions import Drafts

A = "Assets/Scripts/A.cs"
B = "Assets/Scripts/B.cs"
TEXT = "class C { }\n"


@pytest.fixture
def two(project: UnityProject) -> UnityProject:
    project.write("class A { int x = 1; }\n", A)
    project.write("class B { }\n", B)
    for path in (A, B):
        (project.root / f"{path}.meta").write_text(f"guid: {path}\n")
    return project


@pytest.fixture
def case_counts(two: UnityProject) -> None:
    if (two.root / "assets").exists():
        pytest.skip("this file system ignores letter case, so nothing has two spellings on it")


def told(project: UnityProject, *changes: dict[str, Any]) -> SnippetError:
    error = refused(project, *changes)
    assert error.code is ErrorCode.PATH_NOT_ALLOWED
    return error


# -- beside what is there ----------------------------------------------------------------------


@pytest.mark.usefixtures("case_counts")
@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("Assets/Scripts/a.cs", A),
        ("Assets/scripts/New.cs", "Assets/Scripts/New.cs"),
        ("Assets/SCRIPTS/Deep/New.cs", "Assets/Scripts/Deep/New.cs"),
    ],
)
@pytest.mark.parametrize("make", [lambda path: create(path, TEXT), lambda path: move(B, path)])
def test_another_spelling_of_what_is_there_is_told(
    two: UnityProject, make: Callable[[str], dict[str, Any]], path: str, meant: str
) -> None:
    error = told(two, make(path))
    assert "on Windows and macOS names" in error.message
    assert error.details["suggestion"] == meant
    assert meant in error.message


@pytest.mark.usefixtures("case_counts")
def test_nothing_is_advised_below_a_script_that_is_no_folder(two: UnityProject) -> None:
    error = told(two, create(f"{B.replace('B.cs', 'b.cs')}/New.cs", TEXT))
    assert f"{B} is a file" in error.message
    assert "on Windows and macOS names" in error.message
    assert "suggestion" not in error.details
    assert "New.cs" not in error.message


@pytest.mark.usefixtures("case_counts")
def test_another_composition_is_another_spelling(two: UnityProject) -> None:
    composed = "Assets/Scripts/Caf\u00e9.cs"
    two.write(TEXT, composed)
    error = told(two, create(unicodedata.normalize("NFD", composed), TEXT))
    assert error.details["suggestion"] == composed


@pytest.mark.usefixtures("case_counts")
def test_what_is_there_in_that_spelling_has_no_twin(two: UnityProject) -> None:
    two.write(TEXT, "Assets/scripts/A.cs")  # a project of a system that tells them apart
    changed(two, create("Assets/scripts/New.cs", TEXT), edit(A, replace("x = 1", "x = 2")))
    assert (two.root / "Assets/scripts/New.cs").exists()


@binds_rights
@needs_posix
@pytest.mark.parametrize("kind", ["create", "moveTo"])
def test_a_folder_that_cant_be_entered_is_not_taken_for_a_file_there(
    tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "Assets" / "Closed"
    folder.mkdir(parents=True)
    (tmp_path / "Assets" / "A.cs").write_text("class A { }\n")
    engine = success(SnippetEngine.open(tmp_path))
    change = {"path": "Assets/Closed/New.cs", "create": "class New { }\n"}
    if kind == "moveTo":
        change = {"path": "Assets/A.cs", "moveTo": "Assets/Closed/A.cs"}
    with closed(folder):
        error = refusal(engine.edit_scripts({"mode": "preview", "changes": [change]}))
    assert "can't be reached: permission denied. Check the rights" in error.message
    assert error.code is ErrorCode.PATH_NOT_ALLOWED


def test_letters_that_are_not_one_letter_are_two_names(two: UnityProject) -> None:
    two.write(TEXT, "Assets/Scripts/Strasse.cs")
    previewed(two, create("Assets/Scripts/Straße.cs", TEXT))


@pytest.mark.usefixtures("case_counts")
def test_a_script_may_change_its_spelling(two: UnityProject) -> None:
    changed(two, move(A, "Assets/Scripts/a.cs"))
    assert (two.root / "Assets/Scripts/a.cs.meta").read_text() == f"guid: {A}\n"


@pytest.mark.usefixtures("case_counts")
@pytest.mark.parametrize("moved", [(A,), (A, B)])
def test_a_folder_does_not_by_moves_of_its_scripts(
    two: UnityProject, moved: tuple[str, ...]
) -> None:
    """It would still be there, beside the other one."""
    error = told(two, *(move(each, each.replace("Scripts", "scripts")) for each in moved))
    assert "Assets/Scripts already exists" in error.message
    assert "rename the folder itself" in error.message
    assert "suggestion" not in error.details
    assert not (two.root / "Assets/scripts").exists()


@pytest.mark.usefixtures("case_counts")
def test_a_name_that_the_set_frees_may_be_taken_in_another_spelling(two: UnityProject) -> None:
    changed(two, delete_file(two, A), create("Assets/Scripts/a.cs", TEXT))
    assert not (two.root / A).exists()


def test_a_new_spelling_where_letter_case_is_ignored_goes_by_a_third_name(
    two: UnityProject,
) -> None:
    respelled = "Assets/Scripts/a.cs"
    if not (two.root / respelled).exists():
        (two.root / respelled).hardlink_to(two.root / A)  # one file by both names, as there
    error = told(two, move(A, respelled))
    assert f"is {A} itself on this system" in error.message
    assert "third name" in error.message


@pytest.mark.usefixtures("case_counts")
def test_in_a_bundle_what_an_earlier_item_took_away_is_no_twin(two: UnityProject) -> None:
    gone = {"mode": "apply", "changes": [delete_file(two, A)]}
    drafted = success(two.engine.draft_scripts(gone, Drafts()))
    made = {"mode": "apply", "changes": [create("Assets/Scripts/a.cs", TEXT)]}
    assert not isinstance(two.engine.draft_scripts(made, drafted[1]), SnippetError)


# -- beside each other -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Assets/q.cs", "Assets/Q.cs"),
        ("Assets/new/q.cs", "Assets/New/r.cs"),
        ("Assets/Caf\u00e9.cs", "Assets/Cafe\u0301.cs"),
    ],
)
def test_two_new_names_that_are_one_elsewhere(two: UnityProject, one: str, other: str) -> None:
    error = told(two, create(one, TEXT), create(other, TEXT))
    assert error.file == 1
    assert "on Windows and macOS names" in error.message
    assert told(two, create(one, TEXT), move(B, other)).file == 1


@pytest.mark.parametrize("turned", [False, True])
def test_a_file_is_no_folder_of_another(two: UnityProject, turned: bool) -> None:
    changes = [create("Assets/N.cs", TEXT), create("Assets/N.cs/X.cs", TEXT)]
    error = told(two, *(reversed(changes) if turned else changes))
    assert "makes Assets/N.cs a file, so" in error.message
    assert error.file == (0 if turned else 1)


# -- paths that are left and taken -------------------------------------------------------------


@pytest.mark.parametrize("kind", ["swap", "chain", "onto a deleted one"])
def test_what_has_an_order_is_told_to_be_sent_in_order(two: UnityProject, kind: str) -> None:
    second = {
        "swap": move(B, A),
        "chain": move(B, "Assets/Scripts/C.cs"),
        "onto a deleted one": delete_file(two, B),
    }[kind]
    for changes in ([move(A, B), second], [second, move(A, B)]):
        error = refused(two, *changes)
        assert error.code is ErrorCode.INVALID_REQUEST
        assert "Send a set that frees it, then one that uses it" in error.message


# -- a .meta that is something else ------------------------------------------------------------


@pytest.mark.parametrize("kind", ["a link", "a FIFO", "a folder"])
def test_a_meta_that_is_no_file_is_said_to_be_what_it_is(two: UnityProject, kind: str) -> None:
    meta = two.root / f"{A}.meta"
    meta.unlink()
    if kind == "a link":
        meta.symlink_to(two.root / f"{B}.meta")
    elif kind == "a FIFO":
        if not hasattr(os, "mkfifo"):
            pytest.skip("this system has no FIFO")
        os.mkfifo(meta)
    else:
        meta.mkdir()
    for each in (move(A, "Assets/Core/A.cs"), delete_file(two, A)):
        assert f"{A}.meta is {kind}" in told(two, each).message
