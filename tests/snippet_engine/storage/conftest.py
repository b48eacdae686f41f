"""A small Unity project on disk, for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from change_sets import Scene, new_project

from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.stores.script_store import ScriptStore

PLAYER = b"class Player\r\n{\r\n    int speed = 10;\r\n}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with ``Assets/Scripts/Player.cs``, and a script outside of it."""
    root = tmp_path / "Game"
    scripts = root / "Assets" / "Scripts"
    scripts.mkdir(parents=True)
    (root / "Packages").mkdir()
    (scripts / "Player.cs").write_bytes(PLAYER)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "Player.cs").write_bytes(PLAYER)
    return root


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """A project of scripts and assets, for change sets."""
    return Scene.of(new_project(tmp_path / "Game"))


@pytest.fixture
def project(root: Path) -> Project:
    project = Project.open(root)
    assert isinstance(project, Project)
    return project


@pytest.fixture
def store(project: Project) -> ScriptStore:
    return ScriptStore(project)


@pytest.fixture
def player(project: Project) -> ScriptPath:
    script = project.locate("Assets/Scripts/Player.cs", for_writing=True)
    assert isinstance(script, ScriptPath)
    return script
