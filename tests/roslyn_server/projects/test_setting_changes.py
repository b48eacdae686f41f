"""Player settings that the last build shows otherwise."""

from pathlib import Path

import pytest
from built_project import BuiltProject

_SETTINGS = "ProjectSettings/ProjectSettings.asset"


@pytest.fixture
def project(tmp_path: Path) -> BuiltProject:
    """A project as its settings say."""
    made = BuiltProject(tmp_path)
    made.write("Assets/Player.cs", "class Player { }")
    symbols = "UNITY_STANDALONE", "ENABLE_LEGACY_INPUT_MANAGER", "NET_STANDARD", "NETSTANDARD"
    defines = (f"-define:{each}" for each in symbols)
    made.built("Assembly-CSharp", *defines, '"Assets/Player.cs"')
    _write(made)
    return made


def _write(project: BuiltProject, *, unsafe: int = 0, handler: int = 0, level: str = "6") -> None:
    text = (
        f"PlayerSettings:\n  allowUnsafeCode: {unsafe}\n  apiCompatibilityLevel: {level[0]}\n"
        f"  activeInputHandler: {handler}\n"
    )
    if level[1:]:
        text += "  apiCompatibilityLevelPerPlatform:\n    Android: 3\n"
        text += f"    Standalone: {level[1]}\n" if level[1] != "A" else ""
    text += "  managedStrippingLevel:\n    Standalone: 3\n"
    project.write(_SETTINGS, text, when=1)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({}, []),
        ({"unsafe": 1}, ["allowUnsafeCode"]),
        ({"handler": 1}, ["activeInputHandler"]),
        ({"handler": 2}, ["activeInputHandler"]),
        ({"level": "6A"}, []),
        ({"level": "3"}, ["apiCompatibilityLevel"]),
        ({"level": "63"}, ["apiCompatibilityLevel"]),
        ({"level": "36"}, []),
    ],
)
def test_a_setting(project: BuiltProject, said: dict[str, object], told: list[str]) -> None:
    _write(project, **said)  # type: ignore[arg-type]
    assert [each.split(": ")[1].split(" ")[0] for each in project.changes()] == told


def test_a_response_file_may_allow_it(project: BuiltProject) -> None:
    project.built("Assembly-CSharp", "-define:UNITY_STANDALONE", "-unsafe", '"Assets/Player.cs"')
    assert len(project.changes()) == 1
    project.write("Assets/csc.rsp", "-unsafe")
    assert project.changes() == []
