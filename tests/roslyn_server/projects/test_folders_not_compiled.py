"""Folders below which Unity compiles nothing, and those of which that isn't known."""

from __future__ import annotations

from pathlib import Path

import pytest
from built_project import BuiltProject

from roslyn_server.projects.build import Unknown
from roslyn_server.projects.scripts.project_scripts import assembly_of

PLAYER = "Assets/Player.cs"


@pytest.fixture
def project(tmp_path: Path) -> BuiltProject:
    made = BuiltProject(tmp_path)
    made.write(PLAYER, "class Player { }")
    made.write("Assets/Mod.cs", "class Mod { }")
    made.built("Assembly-CSharp", f'"{PLAYER}"', '"Assets/Mod.cs"')
    return made


@pytest.mark.parametrize(
    ("folder", "is_told"),
    [
        ("Assets/StreamingAssets", False),
        ("Assets/StreamingAssets/Mods/Editor", False),
        ("Assets/WebGLTemplates/Own", False),
        ("Assets/webgltemplates/Own", False),
        ("Assets/.hidden/Deep", False),
        ("Assets/Old~/Deep", False),
        ("Assets/CVS", False),
        ("Assets/streamingassets", True),
        ("Assets/Fetched.tmp/Deep", True),
        ("Assets/Fetched.TMP", True),
    ],
)
def test_scripts_that_move_there_are_gone_for_the_rest(
    project: BuiltProject, folder: str, is_told: bool
) -> None:
    (project.root / folder).mkdir(parents=True)
    (project.root / "Assets/Mod.cs").rename(project.root / folder / "Mod.cs")
    changes, unknown = project.changes(), project.unknown()
    assert any(f"{folder} has a name that Unity may" in each for each in changes) == is_told
    assert bool(unknown) == is_told
    if not is_told:
        assert (changes, project.sources("Assembly-CSharp")) == ([], (PLAYER,))


@pytest.mark.parametrize(
    "folder",
    [
        "Assets/StreamingAssetsToo",
        "Assets/Core/StreamingAssets",
        "Assets/Resources",
        "Assets/tmp",
        "Assets/x.tmpl",
        "Assets/Core/WebGLTemplates",
    ],
)
def test_scripts_in_others_are_compiled(project: BuiltProject, folder: str) -> None:
    script = str(project.write(f"{folder}/New.cs", "class New { }").relative_to(project.root))
    assert script in project.sources("Assembly-CSharp")
    assert (project.changes(), project.unknown()) == ([], {})


def test_nothing_else_in_streaming_assets_counts(project: BuiltProject) -> None:
    below = "Assets/StreamingAssets/Mods"
    project.write(f"{below}/One.asmdef", {"name": "One"})
    project.write(f"{below}/Two.asmdef", {"name": "Two"})
    project.write(f"{below}/mod.cs", "mod script #1")
    project.write(f"{below}/mod.dll", "MZ")
    assert (project.changes(), project.unknown()) == ([], {})
    found = project.asking().compositions()
    assert not isinstance(found, Unknown)
    assert set(found) == {"Assembly-CSharp"}
    assert assembly_of(f"{below}/new.cs", None) == ""


@pytest.mark.parametrize(
    ("symbols", "constraint", "is_told"),
    [
        ("UNITY_STANDALONE", "UNITY_INCLUDE_TESTS", True),
        ("UNITY_STANDALONE", "UNITY_EDITOR", True),
        ("UNITY_STANDALONE", "HARD_MODE", False),
        ("UNITY_EDITOR", "UNITY_INCLUDE_TESTS", False),  # an Editor that runs no tests
    ],
)
def test_what_a_players_build_leaves_out_the_editor_may_compile(
    project: BuiltProject, symbols: str, constraint: str, is_told: bool
) -> None:
    project.built("Assembly-CSharp", f'"{PLAYER}"', '"Assets/Mod.cs"', f"-define:{symbols}")
    project.write("Assets/Tests/Own.asmdef", {"name": "Own", "defineConstraints": [constraint]})
    project.write("Assets/Tests/Own.cs", "class Own { }")
    assert ("Own" in project.unknown()) == is_told
