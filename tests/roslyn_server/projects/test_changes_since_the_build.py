"""Each kind of change since the build is told, and what changes nothing isn't, whatever the times.

The rows are those of ``python -m benchmarks.project_check --changes``, here without a compiler.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.project_check.change import Change
from benchmarks.project_check.changes import CHANGES
from benchmarks.project_check.project_as_built import BUILT_S, stamp, write, write_project
from roslyn_server.projects.build import Unknown
from roslyn_server.projects.project_builds import ProjectBuilds

_ROWS = [
    pytest.param(each, id=f"{kind}: {each.what}")
    for kind, rows in CHANGES.items()
    for each in rows
    if not each.is_compiled
]
_LIBRARIES = (Path("/editor/UnityEngine.CoreModule.dll"), Path("/editor/netstandard.dll"))


_TIMES = {"older": BUILT_S - 60, "newer": BUILT_S + 86_400}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as it was built; each test leaves it so."""
    root = tmp_path_factory.mktemp("built") / "project"
    root.mkdir()
    write_project(root, _LIBRARIES)
    return root


def told(builds: ProjectBuilds) -> list[str]:
    found = builds.compositions()
    assert not isinstance(found, Unknown)
    unknown = [each for each in found.values() if isinstance(each, Unknown)]
    return [each.message for each in (*unknown, *builds.changes())]


def test_a_kept_library_beside_the_same_files(project: Path) -> None:
    for when in _TIMES.values():
        stamp(project, when)
        assert told(ProjectBuilds(project)) == []


@pytest.mark.parametrize("change", _ROWS)
def test_a_change(project: Path, change: Change) -> None:
    builds = ProjectBuilds(project)
    before = {name: content(project / name) for name in change.files}
    for age, when in _TIMES.items():
        assert told(builds) == [], age
        stamp(project, when)
        write(project, change.files, when)
        found = told(builds)
        assert (not found) == change.is_clean, (age, change.unity, found)
        assert found == told(ProjectBuilds(project)), age
        assert all(len(each) <= 200 for each in found), found
        write(
            project, {name: old for name, old in before.items() if content(project / name) != old}
        )


def content(file: Path) -> bytes | None:
    return file.read_bytes() if os.path.lexists(file) else None


def test_there_are_enough_of_them() -> None:
    assert sum(map(len, CHANGES.values())) >= 100
