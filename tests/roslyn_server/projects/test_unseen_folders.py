"""Folders of scripts that can't be looked into are named, and nothing is claimed of what they
concern; files that say how scripts are compiled, likewise."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from built_project import ARTIFACTS, BuiltProject
from file_rights import binds_rights, bound_by_rights, closed
from this_system import needs_posix

from roslyn_server.projects.build import Composition, Unknown
from roslyn_server.projects.project_builds import ProjectBuilds
from roslyn_server.projects.scripts import project_scripts

pytestmark = [needs_posix, binds_rights]

_FAR = "/".join(["Assets", *["Far"] * 70, "Deep.cs"])


@pytest.fixture
def project(tmp_path: Path) -> BuiltProject:
    """Two assemblies and a third that has no definition, all as built."""
    made = BuiltProject(tmp_path)
    made.write("Assets/Player.cs", "class Player { }")
    made.write("Assets/Core/Core.asmdef", {"name": "Core"})
    made.write("Assets/Core/Clock.cs", "class Clock { }")
    made.write("Assets/Core/Secret/Hidden.cs", "class Hidden { }")
    made.write("Assets/Other/Other.asmdef", {"name": "Other"})
    made.write("Assets/Other/Other.cs", "class Other { }")
    made.write("Packages/com.own/package.json", {"name": "com.own", "version": "1.0.0"})
    made.write("Packages/com.own/Own.asmdef", {"name": "Own"})
    made.write("Packages/com.own/Own.cs", "class Own { }")
    made.built("Core", '"Assets/Core/Clock.cs"', '"Assets/Core/Secret/Hidden.cs"')
    made.built("Other", '"Assets/Other/Other.cs"')
    made.built("Own", '"Packages/com.own/Own.cs"')
    made.built("Assembly-CSharp", '"Assets/Player.cs"', refers_to=("Core", "Other", "Own"))
    assert (made.changes(), made.unknown()) == ([], {})
    return made


def _told(project: BuiltProject) -> tuple[list[str], set[str]]:
    return project.changes(), set(project.unknown())


@pytest.mark.parametrize("mode", [0, 0o300, 0o444])
@pytest.mark.parametrize(
    ("folder", "concerned"),
    [
        ("Assets/Core/Secret", {"Core", "Assembly-CSharp"}),
        ("Assets/Other", {"Other", "Assembly-CSharp"}),
        ("Packages/com.own", {"Own"}),
    ],
)
def test_a_folder_that_cant_be_looked_into(
    project: BuiltProject, folder: str, concerned: set[str], mode: int
) -> None:
    if mode == 0o444:  # its names can be read, and a folder in it can't be entered
        project.write(f"{folder}/Inner/Hidden2.cs", "class Hidden2 { }")
    with closed(project.root / folder, mode):
        changes, unknown = _told(project)
    named = f"{folder}/Inner" if mode == 0o444 else folder
    assert any(f"{named} can't be looked into (permission denied)" in each for each in changes)
    assert all(str(project.root) not in each for each in changes)
    assert concerned <= unknown or mode == 0o444


@pytest.mark.parametrize("folder", ["Assets", "Packages"])
@pytest.mark.parametrize("mode", [0, 0o300, 0o444])
def test_a_root_of_scripts(project: BuiltProject, folder: str, mode: int) -> None:
    with closed(project.root / folder, mode):
        changes = project.changes()
    assert any("can't be looked into (permission denied)" in each for each in changes), changes
    assert all(str(project.root) not in each for each in changes)


def test_rights_that_are_taken_while_it_is_known(project: BuiltProject) -> None:
    asking = project.asking()
    os.utime(project.root / "Assets/Other", (1, 1))
    assert asking.changes() == ()
    with closed(project.root / "Assets/Other"):
        (told,) = asking.changes()
        found = asking.compositions()
    assert told.reason == "unreadable"
    assert not isinstance(found, Unknown)
    assert isinstance(found["Other"], Unknown)
    assert asking.changes() == ()
    assert isinstance(_known(asking)["Other"], Composition)


def _known(asking: ProjectBuilds) -> dict[str, Composition | Unknown]:
    found = asking.compositions()
    assert not isinstance(found, Unknown)
    return dict(found)


def test_a_script_that_lies_deep(project: BuiltProject) -> None:
    project.write(_FAR, "class Deep { }")
    assert _FAR in project.sources("Assembly-CSharp")


def test_more_folders_than_are_looked_into(
    project: BuiltProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_scripts, "_MAX_FOLDERS", 4)
    changes = project.changes()
    assert any("there are more than 4 folders" in each for each in changes)


def test_a_link_that_leads_to_itself_hides_nothing(project: BuiltProject) -> None:
    (project.root / "Assets/Core/loop").symlink_to("loop")
    project.write("Assets/Core/New.cs", "class New { }")
    assert "Assets/Core/New.cs" in project.sources("Core")
    assert project.changes() == []


def test_a_link_to_where_nobody_may_look(project: BuiltProject, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "Scripts").mkdir(parents=True)
    (project.root / "Assets/Core/Linked").symlink_to(elsewhere / "Scripts")
    with closed(elsewhere):
        changes, unknown = _told(project)
    assert any("Assets/Core/Linked can't be looked into" in each for each in changes)
    assert "Core" in unknown


def test_packages_that_unity_fetched(project: BuiltProject) -> None:
    script = "Library/PackageCache/com.some@1/Some.cs"
    project.write("Library/PackageCache/com.some@1/Some.asmdef", {"name": "Some"})
    project.write(script, "class Some { }")
    project.built("Some", f'"{script}"')
    with closed(project.root / "Library/PackageCache/com.some@1"):
        assert "com.some@1 changed, and can't be looked into" in project.unknown()["Some"]
        # Nor are its scripts taken for deleted.
        texts = project.asking().texts_of("Some")
    assert texts is not None
    assert texts[0].sources == (script,)


@pytest.mark.parametrize("folder", [ARTIFACTS, "Library/Bee/artifacts", "Library/Bee"])
def test_the_last_build(project: BuiltProject, folder: str) -> None:
    with closed(project.root / folder):
        found = project.asking().compositions()
    assert isinstance(found, Unknown) or not any(
        isinstance(each, Composition) for each in found.values()
    )
    told = found if isinstance(found, Unknown) else next(iter(found.values()))
    assert isinstance(told, Unknown)
    assert "can't be read (permission denied)" in told.message
    assert str(project.root) not in told.message


@pytest.mark.parametrize(
    "file",
    [
        "ProjectSettings/ProjectSettings.asset",
        "ProjectSettings/ProjectVersion.txt",
        "Assets/csc.rsp",
        "Assets/Settings/Build Profiles/Mine.asset",
        "Packages/manifest.json",
        "Packages/packages-lock.json",
        "Packages/com.own/package.json",
    ],
)
def test_a_file_that_says_how_scripts_are_compiled(project: BuiltProject, file: str) -> None:
    text: object = {} if file.endswith(".json") else "m_EditorVersion: 2022.3.1f1\n"
    if not (project.root / file).exists():
        project.write(file, text)
    asking = project.asking()
    before = asking.changes()
    with closed(project.root / file):
        changes = [each.message for each in asking.changes()]
    named = [each for each in changes if file in each and "permission denied" in each]
    assert named, changes
    assert asking.changes() == before


@pytest.mark.parametrize("name", ["Core.asmdef", "csc.rsp"])
def test_a_definition_and_what_lies_beside_it(project: BuiltProject, name: str) -> None:
    file = project.root / "Assets/Core" / name
    if not file.exists():
        project.write(f"Assets/Core/{name}", "-define:NEW")
        project.built(
            "Core",
            "-define:NEW",
            '"Assets/Core/Clock.cs"',
            '"Assets/Core/Secret/Hidden.cs"',
        )
    asking = project.asking()
    assert isinstance(_known(asking)["Core"], Composition)
    with closed(file):
        fresh = project.unknown()["Core"]
    assert "can't be read (permission denied)" in fresh
    assert isinstance(_known(asking)["Core"], Composition)


def test_rights_bind_these_tests(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with closed(tmp_path / "a"), pytest.raises(PermissionError):
        (tmp_path / "a").read_bytes()
    with bound_by_rights():
        assert (tmp_path / "a").read_bytes() == b""
