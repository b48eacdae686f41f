"""``check`` names what ``csc`` names, in real code: the bench's stand-ins with the Unity package,
and a public package's assemblies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
import real_projects

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.edits import edits
from benchmarks.project_check.layout import LaidOutAssembly, LaidOutProject
from benchmarks.project_check.plain_compiler import compiled_by_csc
from benchmarks.shared_toolchains import ABSENT
from benchmarks.verdict import STARTING_S
from lsp_client.project.project_requests import ProjectCheck
from lsp_client.validator import LanguageServerValidator
from tests.bench.toolchains import ROOT

SEED = 6021
MOST_DRAWN = 12
BROKEN = 3
"""So many drawn edits that break the project are compared."""


@pytest.fixture(params=sorted(real_projects.PROJECTS))
def project(request: pytest.FixtureRequest, tmp_path: Path, compiler: Compiler) -> LaidOutProject:
    if compiler.csc is None:
        pytest.skip(ABSENT)
    root = tmp_path / "project"
    root.mkdir()
    script = str(Path(real_projects.__file__))
    made = subprocess.run(
        [sys.executable, script, request.param, str(root)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return real_projects.read(root, made.stdout)


@pytest.mark.sampled(one_in=1_000_000)
def test_both_name_the_same_errors(
    project: LaidOutProject,
    compiler: Compiler,
    server: Callable[[Path], LanguageServerValidator],
    one_in: Callable[[int], int],
) -> None:
    def checked() -> ProjectCheck:
        found = server(project.root).check_project(within_s=STARTING_S)
        assert isinstance(found, ProjectCheck), found.message
        return found

    before = checked()
    assert (before.status, before.not_checked) == ("clean", ())
    assert before.files == len(project.sources)
    left = BROKEN // one_in(3)
    for edit in islice(edits(project.root, project.sources, SEED), MOST_DRAWN):
        file = project.root / edit.path
        kept = file.read_bytes()
        file.write_bytes(edit.applied(kept))
        plain = compiled_by_csc(compiler, concerned(project, edit.path))
        if plain.errors:
            found = checked()
            assert {
                (each.path, each.line, each.column, each.code) for each in found.errors
            } == plain.places
            assert {each.assembly for each in found.not_checked} == set(plain.blocked)
            left -= 1
        file.write_bytes(kept)
        if not left:
            return
    raise AssertionError("too few of the drawn edits break the project")


def concerned(project: LaidOutProject, path: str) -> LaidOutProject:
    """Of the project, the script's assembly and those above it."""
    found: dict[str, LaidOutAssembly] = {}
    for each in project.assemblies:
        if path in each.sources or found.keys() & {*each.references}:
            found[each.name] = each
    return LaidOutProject(project.root, tuple(found.values()))
