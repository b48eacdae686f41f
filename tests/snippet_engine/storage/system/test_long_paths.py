"""Paths beyond 260 characters: docs/design/systems.md "Names"."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from answered import refusal, success
from this_system import ON_WINE
from unity_project import UnityProject, replace

from snippet_engine.storage.system.names import real_path, within_reach

LONG = "x" * 300


@pytest.fixture
def project(tmp_path: Path) -> UnityProject:
    return UnityProject(tmp_path / "Game")


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        ("C:\\Game\\A.cs", "C:\\Game\\A.cs"),
        (f"C:\\{LONG}\\A.cs", f"\\\\?\\C:\\{LONG}\\A.cs"),
        (f"\\\\server\\share\\{LONG}", f"\\\\?\\UNC\\server\\share\\{LONG}"),
        (f"\\\\?\\C:\\{LONG}", f"\\\\?\\C:\\{LONG}"),
        (LONG, LONG),  # not absolute: it can't be taken as it is
    ],
)
def test_what_windows_is_given(path: str, taken: str) -> None:
    assert within_reach(path, windows=True) == taken
    assert within_reach(path, windows=False) == path


@pytest.mark.parametrize("path", [f"C:\\{LONG}\\A.cs", f"\\\\server\\share\\{LONG}", "C:\\A.cs"])
def test_a_real_path_is_as_people_write_it(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(os.path, "realpath", lambda each: asked.append(each) or each)
    assert real_path(path, windows=True) == path
    assert asked == [within_reach(path, windows=True)]


@pytest.mark.skipif(ON_WINE, reason="Wine 8 tells no real path of over 260 characters")
def test_a_script_deep_down_is_edited_and_undone(project: UnityProject) -> None:
    deep = "/".join(["Assets", *(f"{n}{'f' * 60}" for n in range(5)), "Player.cs"])
    file = Path(within_reach(project.root.joinpath(*deep.split("/"))))
    for folder in reversed(file.parents):
        if len(str(folder)) > len(str(project.root)):
            Path(within_reach(folder)).mkdir(exist_ok=True)
    file.write_bytes(b"class Player { int x = 1; }\n")
    done = project.done(replace("x = 1", "x = 2"), path=deep)
    assert done["path"] == deep
    assert file.read_bytes() == b"class Player { int x = 2; }\n"
    assert len(os.listdir(file.parent)) == 1  # noqa: PTH208 - nothing was left beside it
    success(project.engine.undo_snippet({"path": deep, "hashAfter": done["hashAfter"]}))
    assert file.read_bytes() == b"class Player { int x = 1; }\n"


def test_what_the_system_can_t_look_up_is_refused(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: str) -> str:
        raise OSError(36, "File name too long")

    monkeypatch.setattr(os.path, "realpath", refused)
    error = refusal(project.edit(replace("x", "y"), path="Assets/Player.cs"))
    assert "Assets/Player.cs can't be looked up: " in error.message
