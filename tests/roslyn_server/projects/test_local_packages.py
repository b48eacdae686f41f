"""Packages in folders of the user's, which Unity compiles where they lie, are looked into there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from built_project import BuiltProject

from roslyn_server.projects.build import Composition, Unknown
from roslyn_server.projects.project_builds import ProjectBuilds

_DESCRIPTION = {"name": "com.l", "version": "1.0.0"}


@pytest.fixture(params=["../l", None], ids=["relative", "absolute"])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> BuiltProject:
    """One with a package beside it, which was built, and named so in the build."""
    made = BuiltProject(tmp_path / "project")
    asked = {"com.l": "file:../../l"}
    made.write("Packages/manifest.json", {"dependencies": asked})
    entry = {"version": "file:../../l", "depth": 0, "source": "local", "dependencies": {}}
    made.write("Packages/packages-lock.json", {"dependencies": {"com.l": entry}})
    made.write("../l/package.json", _DESCRIPTION)
    made.write("../l/Runtime/L.asmdef", {"name": "L"})
    made.write("../l/Runtime/L.cs", "class L { }")
    made.write("Assets/Player.cs", "class Player { }")
    made.built("L", f'"{request.param or tmp_path / "l"}/Runtime/L.cs"')
    made.built("Assembly-CSharp", '"Assets/Player.cs"', refers_to=("L",))
    assert (made.changes(), made.unknown()) == ([], {})
    return made


def _sources(builds: ProjectBuilds) -> tuple[str, ...]:
    found = builds.compositions()
    assert not isinstance(found, Unknown)
    composed = found["L"]
    return composed.sources if isinstance(composed, Composition) else ()


def test_scripts_come_and_go(project: BuiltProject) -> None:
    builds = project.asking()
    assert _sources(builds) == ("../l/Runtime/L.cs",)
    project.write("../l/Runtime/New.cs", "class New { }", when=1)
    assert _sources(builds) == ("../l/Runtime/L.cs", "../l/Runtime/New.cs")
    (project.root / "../l/Runtime/L.cs").unlink()
    assert _sources(builds) == ("../l/Runtime/New.cs",)
    (project.root / "../l/Runtime/New.cs").unlink()
    assert _sources(builds) == ()


def test_definitions_come_and_change(project: BuiltProject) -> None:
    project.write("../l/Runtime/L.asmdef", {"name": "L", "allowUnsafeCode": True}, when=1)
    assert "L.asmdef gained allowUnsafeCode" in project.unknown()["L"]
    project.write("../l/Runtime/L.asmdef", {"name": "L"}, when=1)
    project.write("../l/Editor/E.asmdef", {"name": "E"}, when=1)
    project.write("../l/Editor/E.cs", "class E { }", when=1)
    assert "E isn't in Unity's last build yet" in project.unknown()["E"]
    project.write("../l/Editor/E.asmdef", {"name": "L"}, when=1)
    (told,) = project.changes()
    assert "both define L" in told


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "com.l isn't in the folder"),
        ({"name": "com.m", "version": "1.0.0"}, "com.l isn't in the folder"),
        ("{", "../l/package.json isn't valid JSON"),
        ({**_DESCRIPTION, "dependencies": {"com.z": "1.0.0"}}, "asks for com.z"),
    ],
)
def test_what_describes_it(project: BuiltProject, text: object, why: str) -> None:
    builds = project.asking()
    assert not builds.changes()
    (project.root / "../l/package.json").unlink()
    if text is not None:
        project.write("../l/package.json", text, when=1)
    (told,) = builds.changes()
    assert why in told.message


def test_one_that_came(project: BuiltProject) -> None:
    project.write("../m/package.json", {"name": "com.m", "version": "1.0.0"}, when=1)
    project.write("../m/M.asmdef", {"name": "M"}, when=1)
    project.write("../m/M.cs", "class M { }", when=1)
    for name in ("manifest", "packages-lock"):
        file = project.root / f"Packages/{name}.json"
        said = json.loads(file.read_text())
        place = "file:../../m"
        entry = place if name == "manifest" else {"version": place, "depth": 0, "source": "local"}
        said["dependencies"]["com.m"] = entry
        project.write(f"Packages/{name}.json", said)
    assert "M isn't in Unity's last build yet" in project.unknown()["M"]
