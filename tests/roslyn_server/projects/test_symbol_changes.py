"""Symbols that the project has now and its build doesn't, or the other way round, are named."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from built_project import BuiltProject
from this_system import needs_fifo

_SETTINGS = "ProjectSettings/ProjectSettings.asset"
_VERSION = "ProjectSettings/ProjectVersion.txt"


@pytest.fixture
def project(tmp_path: Path) -> BuiltProject:
    """A project that was built with a symbol of its own."""
    made = BuiltProject(tmp_path)
    made.write("Assets/Player.cs", "class Player { }")
    made.write(_SETTINGS, _settings("Standalone: OLD"))
    _build(made, "UNITY_STANDALONE", "OLD")
    return made


def _build(project: BuiltProject, *symbols: str) -> None:
    defines = (f"-define:{each}" for each in symbols)
    project.built("Assembly-CSharp", *defines, '"Assets/Player.cs"')


def _settings(*listed: str, line_end: str = "\n") -> str:
    lines = "PlayerSettings:", "  scriptingDefineSymbols:", *(f"    {each}" for each in listed)
    return line_end.join((*lines, "  additionalCompilerArguments: {}", ""))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("when", [1, 1_800_000_000])
def test_a_symbol_that_the_build_has_not(project: BuiltProject, line_end: str, when: int) -> None:
    text = _settings("Standalone: OLD;NEW", "Android: A", line_end=line_end)
    project.write(_SETTINGS, text, when=when)
    (told,) = project.changes()
    assert told.endswith("newer than the build: NEW.")
    _build(project, "UNITY_STANDALONE", "OLD", "NEW")
    assert project.changes() == []


@pytest.mark.parametrize("listed", ["Standalone: UNITY_EDITOR", "Android: OLD"])
def test_a_symbol_that_settings_no_longer_have(project: BuiltProject, listed: str) -> None:
    _build(project, "UNITY_STANDALONE", "UNITY_EDITOR", "OLD", "DEBUG", "CSHARP_7_3_OR_NEWER")
    project.write(_SETTINGS, _settings("Standalone: OLD"))
    assert project.changes() == []
    project.write(_SETTINGS, _settings(listed))
    (told,) = project.changes()
    assert told.endswith("removed since the build: OLD.")


def _by_a_response_file(project: BuiltProject) -> None:
    project.write("Assets/csc.rsp", "-define:OLD")


def _by_an_argument(project: BuiltProject) -> None:
    text = _settings("Standalone: UNITY_STANDALONE").replace(
        "Arguments: {}", "Arguments:\n    Standalone:\n    - -define:OLD"
    )
    project.write(_SETTINGS, text)


def _by_a_profile(project: BuiltProject) -> None:
    text = "MonoBehaviour:\n  m_ScriptingDefines:\n  - OLD\n  m_Other: 1\n"
    project.write("Assets/Settings/Build Profiles/Windows.asset", text)


def _by_a_definition(project: BuiltProject) -> None:
    symbols = [{"name": "com.x", "expression": "", "define": "OLD"}]
    project.write("Assets/Game/Game.asmdef", {"name": "Game", "versionDefines": symbols})
    project.write("Assets/Game/A.cs", "class A { }")
    symbols_of = "-define:UNITY_STANDALONE", "-define:OLD"
    project.built("Game", *symbols_of, '"Assets/Game/A.cs"')


@pytest.mark.parametrize(
    "said", [_by_a_response_file, _by_an_argument, _by_a_profile, _by_a_definition]
)
def test_a_symbol_may_be_said_elsewhere(project: BuiltProject, said: object) -> None:
    project.write(_SETTINGS, _settings("Standalone: UNITY_STANDALONE"))
    assert len(project.changes()) == 1
    assert callable(said)
    said(project)
    assert project.changes() == []


def test_platforms_whose_names_have_blanks(project: BuiltProject) -> None:
    _build(project, "UNITY_SWITCH")
    project.write(_SETTINGS, _settings("Nintendo Switch: NEW", "Standalone: OTHER"))
    (told,) = project.changes()
    assert told.endswith("newer than the build: NEW.")


@pytest.mark.parametrize(
    ("editor", "is_told"),
    [
        ("2022.3.40f1", False),
        ("2022.3.41f1", True),
        ("2022.2.40f1", True),
        ("2021.3.40f1", True),
        ("6000.0.40f1", True),
    ],
)
def test_the_editors_version(project: BuiltProject, editor: str, is_told: bool) -> None:
    newer = (f"UNITY_{each}_OR_NEWER" for each in ("5_3", "2021_3", "2022_2", "2022_3"))
    _build(project, *newer, "UNITY_2022", "UNITY_2022_3", "UNITY_2022_3_40")
    project.write(_VERSION, f"m_EditorVersion: {editor}\n")
    told = project.changes()
    assert [f"as Unity {editor} compiles it" in each for each in told] == [True] * is_told


def test_the_editors_line_alone_is_told(project: BuiltProject) -> None:
    _build(project, "UNITY_2022_3_OR_NEWER")
    project.write(_VERSION, "m_EditorVersion: 2022.3.41f1\n")
    assert project.changes() == []
    project.write(_VERSION, "m_EditorVersion: 6000.0.1f1\n")
    assert len(project.changes()) == 1


@pytest.mark.parametrize(
    ("text", "why"), [(None, "isn't there"), ("", "names no version"), ("2022\n", "names no")]
)
def test_a_project_that_names_no_version(project: BuiltProject, text: str | None, why: str) -> None:
    _build(project, "UNITY_2022_3_1", "UNITY_2022_3_OR_NEWER")
    if text is not None:
        project.write(_VERSION, text)
    (told,) = project.changes()
    assert f"{_VERSION} {why}" in told
    project.write(_VERSION, "m_EditorVersion: 2022.3.1f1\n")
    assert project.changes() == []


def test_a_build_that_names_no_version_is_held_against_none(project: BuiltProject) -> None:
    assert project.changes() == []
    project.write(_VERSION, "")
    (told,) = project.changes()
    assert "names no version" in told


@pytest.mark.parametrize("file", [_SETTINGS, _VERSION])
@pytest.mark.parametrize(
    ("make", "why"),
    [
        pytest.param(getattr(os, "mkfifo", None), "it is no plain file", marks=needs_fifo),
        (Path.mkdir, "it is a folder"),
    ],
)
def test_what_is_no_file_is_named_as_that(
    project: BuiltProject, file: str, make: Callable[[Path], None], why: str
) -> None:
    _build(project, "UNITY_STANDALONE", "OLD", "UNITY_2022_3_1")
    place = project.root / file
    place.parent.mkdir(parents=True, exist_ok=True)
    if file != _VERSION:
        project.write(_VERSION, "m_EditorVersion: 2022.3.1f1\n")
    place.unlink(missing_ok=True)
    make(place)
    (told,) = project.changes()
    assert told == f"Code was not checked by the settings in {file}: it can't be read ({why})."
