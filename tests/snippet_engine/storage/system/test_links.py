"""Links and junctions: docs/design/systems.md "Names"."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from answered import refusal
from this_system import needs_posix, only_windows
from unity_project import UnityProject, replace

from snippet_engine.errors import ErrorCode
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.system.names import is_link, leads_elsewhere

MOUNT_POINT = 0xA0000003
SYMLINK = 0xA000000C
CLOUD = 0x9000001A
"""Tags of reparse points, from ``winnt.h``: a junction, a link, a file of OneDrive's."""


@pytest.fixture
def project(tmp_path: Path) -> UnityProject:
    return UnityProject(tmp_path / "Game")


@pytest.mark.parametrize(
    ("tag", "elsewhere"), [(0, False), (MOUNT_POINT, True), (SYMLINK, True), (CLOUD, False)]
)
def test_what_windows_says_of_a_folder(tmp_path: Path, tag: int, elsewhere: bool) -> None:
    status: Any = SimpleNamespace(st_mode=tmp_path.stat().st_mode, st_reparse_tag=tag)
    assert leads_elsewhere(status) is elsewhere


@needs_posix
def test_links_of_posix(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "astray").symlink_to(tmp_path / "nothing")
    assert [is_link(tmp_path / each) for each in ("link", "astray", "nothing", ".")] == [
        *(True, True),
        *(False, False),
    ]


def test_a_junction_below_library_is_not_followed(
    project: UnityProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen through what Windows would say of it."""
    base = project.root / "Library" / "SnippetEngine"
    base.mkdir(parents=True)
    told = os.lstat

    def lstat(path: Any, **more: Any) -> Any:
        status = told(path, **more)
        if Path(path) != base:
            return status
        return SimpleNamespace(st_mode=status.st_mode, st_reparse_tag=MOUNT_POINT)

    state = StateFolder(project.root)
    state.ensure("locks")
    monkeypatch.setattr(os, "lstat", lstat)
    with pytest.raises(NotADirectoryError):
        state.ensure("history")
    assert sorted(each.name for each in base.iterdir()) == ["locks"]


def junction(place: Path, target: Path) -> None:
    target.mkdir()
    done = subprocess.run(
        ["cmd", "/c", "mklink", "/J", str(place), str(target)], capture_output=True, check=False
    )
    if done.returncode or not place.exists():
        pytest.skip("no junctions here; Wine's mklink makes none")


@only_windows
@pytest.mark.parametrize("part", ["Library/SnippetEngine", "Library/SnippetEngine/history"])
def test_a_real_junction_below_library(project: UnityProject, tmp_path: Path, part: str) -> None:
    project.write("class Player { int x = 1; }\n")
    place = project.root.joinpath(*part.split("/"))
    place.parent.mkdir(parents=True, exist_ok=True)
    junction(place, tmp_path / "elsewhere")
    refusal(project.edit(replace("x = 1", "x = 2")), ErrorCode.WRITE_FAILED)
    assert not list((tmp_path / "elsewhere").iterdir())


@only_windows
def test_a_real_junction_out_of_assets(project: UnityProject, tmp_path: Path) -> None:
    junction(project.root / "Assets" / "Out", tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "A.cs").write_bytes(b"class A { int x = 1; }\n")
    refusal(
        project.edit(replace("x = 1", "x = 2"), path="Assets/Out/A.cs"), ErrorCode.PATH_NOT_ALLOWED
    )
