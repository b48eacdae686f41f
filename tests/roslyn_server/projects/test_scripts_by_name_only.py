"""Scripts and folders that are there by their names only: links that lead nowhere, pipes, devices.

What was meant to be there nobody can tell, so they are named, and nothing is claimed of what they
concern."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from built_project import BuiltProject
from this_system import needs_posix

from roslyn_server.projects.build import Composition, Unknown
from roslyn_server.projects.project_builds import ProjectBuilds

pytestmark = needs_posix


@pytest.fixture
def project(tmp_path: Path) -> BuiltProject:
    """Two assemblies that don't know each other, as built."""
    made = BuiltProject(tmp_path / "game")
    made.write("Assets/Core/Core.asmdef", {"name": "Core"})
    made.write("Assets/Core/Clock.cs", "class Clock { }")
    made.write("Assets/Other/Other.asmdef", {"name": "Other"})
    made.write("Assets/Other/Other.cs", "class Other { }")
    made.built("Core", '"Assets/Core/Clock.cs"')
    made.built("Other", '"Assets/Other/Other.cs"')
    assert (made.changes(), made.unknown()) == ([], {})
    return made


def _link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


_NOWHERE = _link_to("../../../gone/X.cs")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (_NOWHERE, "its link leads nowhere"),
        (_link_to("Clock.cs/X.cs"), "its link leads nowhere"),
        (os.mkfifo, "it is no plain file"),
        (_link_to("/dev/zero"), "it is no plain file"),
    ],
)
@pytest.mark.parametrize("is_listed", [False, True])
def test_a_script(
    project: BuiltProject, make: Callable[[Path], None], why: str, *, is_listed: bool
) -> None:
    if is_listed:
        project.built("Core", '"Assets/Core/Clock.cs"', '"Assets/Core/X.cs"')
    make(project.root / "Assets/Core/X.cs")
    told = f"Not everything was checked: Assets/Core/X.cs can't be read ({why})."
    assert project.changes() == [told]
    assert project.unknown() == {"Core": told}


@pytest.mark.parametrize("target", ["../../gone", "Clock.cs/Inner"])
@pytest.mark.parametrize("meta", [None, "guid: 0\nfolderAsset: yes\n"])
def test_a_folder(project: BuiltProject, target: str, meta: str | None) -> None:
    (project.root / "Assets/Core/Shared").symlink_to(target)
    if meta is not None:
        project.write("Assets/Core/Shared.meta", meta)
    (told,) = project.changes()
    assert "Assets/Core/Shared can't be looked into (its link leads nowhere)" in told
    assert project.unknown() == {"Core": told}


@pytest.mark.parametrize("root", ["Assets", "Packages"])
def test_a_root_of_scripts(tmp_path: Path, root: str) -> None:
    made = BuiltProject(tmp_path)
    made.built("Core", '"Assets/Core/Clock.cs"')
    (tmp_path / root).symlink_to("gone")
    assert any(f"{root} can't be looked into (its link" in each for each in made.changes())


@pytest.mark.parametrize("name", ["Samples~/X.cs", ".hidden/X.cs", ".#Clock.cs", "Shared~"])
def test_below_what_unity_passes_over_it_is_nothing(project: BuiltProject, name: str) -> None:
    link = project.root / "Assets/Core" / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to("gone")
    assert (project.changes(), project.unknown()) == ([], {})


def test_nor_is_a_picture_that_was_not_fetched(project: BuiltProject) -> None:
    (project.root / "Assets/Core/Sky.png").symlink_to("gone")
    project.write("Assets/Core/Sky.png.meta", "guid: 0\nTextureImporter:\n")
    os.mkfifo(project.root / "Assets/Core/Pipe")
    assert (project.changes(), project.unknown()) == ([], {})


@pytest.mark.parametrize("name", ["X.cs", "Shared", "csc.rsp"])
def test_what_a_link_leads_to_goes_and_comes_back(
    project: BuiltProject, tmp_path: Path, name: str
) -> None:
    """The folder that has the link doesn't change then."""
    away, there = tmp_path / "away", tmp_path / "there"
    if name == "Shared":
        there.mkdir()
    else:
        there.write_text("")
    (project.root / "Assets/Core" / name).symlink_to(there)
    for each in (there, project.root / "Assets", project.root / "Assets/Core"):
        os.utime(each, (1, 1))  # long ago, so that nothing is read again for its time
    asking = project.asking()
    for _ in range(2):
        assert isinstance(_known(asking)["Core"], Composition)
        there.rename(away)
        gone = _known(asking)
        assert isinstance(gone["Core"], Unknown)
        assert "its link leads nowhere" in gone["Core"].message
        assert isinstance(gone["Other"], Composition)
        away.rename(there)
    assert isinstance(_known(asking)["Core"], Composition)
    assert asking.changes() == ()


def _known(asking: ProjectBuilds) -> dict[str, Composition | Unknown]:
    found = asking.compositions()
    assert not isinstance(found, Unknown)
    return dict(found)


def test_options_for_all(project: BuiltProject) -> None:
    asking = project.asking()
    assert asking.changes() == ()
    (project.root / "Assets/csc.rsp").symlink_to("gone")
    (told,) = asking.changes()
    assert (
        "by the settings in Assets/csc.rsp: it can't be read (its link leads nowhere)"
        in told.message
    )
    assert all(isinstance(each, Unknown) for each in _known(asking).values())
