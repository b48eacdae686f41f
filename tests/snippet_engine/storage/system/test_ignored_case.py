"""On a real disk that ignores case a script keeps its name and its undo: docs/design/systems.md
"Names"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from answered import success
from exfat import mounted_exfat
from script_changes import changed, create, edit, move, refused
from unity_project import UnityProject, replace

from snippet_engine.errors import ErrorCode
from snippet_engine.storage.system.names import true_names

TEXT = b"class Player\n{\n    int x = 1;\n}\n"
NAMED = "Assets/scripts/PLAYER.cs"
REAL = "Assets/Scripts/Player.cs"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with mounted_exfat(tmp_path) as place:
        yield place


@pytest.fixture
def project(disk: Path) -> UnityProject:
    made = UnityProject(disk / "Game")
    made.write(TEXT, REAL)
    return made


def names(project: UnityProject) -> list[str]:
    return [each for each in project.tree() if each.startswith("Assets/")]


def test_the_names_on_disk(disk: Path) -> None:
    (disk / "Größe").mkdir()
    (disk / "Größe" / "Ähre.cs").write_bytes(b"")
    assert true_names(str(disk), ("gRÖSSE", "ähre.CS")) == ("gRÖSSE", "ähre.CS")  # ß is no SS there
    assert true_names(str(disk), ("gRÖßE", "äHRE.cs")) == ("Größe", "Ähre.cs")
    assert true_names(str(disk), ("größe", "None.cs")) == ("Größe", "None.cs")


def test_an_edit_keeps_the_name_and_each_spelling_undoes_it(project: UnityProject) -> None:
    done = project.done(replace("x = 1", "x = 2"), path=NAMED)
    assert names(project) == [REAL]
    assert b"x = 2" in project.read(REAL)
    success(project.engine.undo_snippet({"path": REAL, "hashAfter": done["hashAfter"]}))
    assert project.read(REAL) == TEXT
    done = project.done(replace("x = 1", "x = 3"), path=REAL)
    success(project.engine.undo_snippet({"path": NAMED, "hashAfter": done["hashAfter"]}))
    assert (names(project), project.read(REAL)) == ([REAL], TEXT)


def test_nothing_is_made_where_another_spelling_is(project: UnityProject) -> None:
    for each in (create(NAMED, "class B { }"), move(REAL, NAMED)):
        error = refused(project, each)
        assert error.code is ErrorCode.PATH_NOT_ALLOWED
        assert "exists already" in error.message
    assert project.read(REAL) == TEXT


def test_two_spellings_in_a_set_are_one_file(project: UnityProject) -> None:
    both = (edit(REAL, replace("x", "y")), edit(NAMED, replace("1", "2")))
    refused(project, *both)
    changed(project, edit(NAMED, replace("x", "y")))
    assert names(project) == [REAL]
