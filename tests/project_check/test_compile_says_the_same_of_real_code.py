"""``check`` names what ``csc`` and ``compile`` name, in real code: the bench's stand-ins with the
Unity package, and a public package's assemblies."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest
import real_projects
from stage import on_stage

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.edits import edits
from benchmarks.project_check.layout import LaidOutProject
from benchmarks.project_check.plain_compiler import compiled_by_csc
from benchmarks.project_check.reference_compiler import Compiled
from benchmarks.shared_toolchains import ABSENT
from benchmarks.verdict import STARTING_S
from lsp_client.project.project_requests import ProjectCheck, ProjectDiagnostic
from lsp_client.validator import LanguageServerValidator
from tests.bench.installation import Runtime, install
from tests.bench.toolchains import ROOT, MissingToolError

pytestmark = pytest.mark.anyio

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
async def test_all_three_name_the_same_errors(
    project: LaidOutProject,
    compiler: Compiler,
    server: Callable[[Path], LanguageServerValidator],
    tmp_path: Path,
    one_in: Callable[[int], int],
) -> None:
    count = BROKEN // one_in(3)
    try:
        installation = install(Runtime.MONO)
    except MissingToolError as missing:
        pytest.skip(str(missing))
    validator = server(project.root)

    def checked() -> ProjectCheck:
        found = validator.check_project(within_s=STARTING_S)
        assert isinstance(found, ProjectCheck), found.message
        return found

    before = await asyncio.to_thread(checked)
    assert (before.status, before.not_checked) == ("clean", ())
    assert before.files == len(project.sources)
    compared = [
        (plain, await asyncio.to_thread(checked)) for plain in broken(project, compiler, count)
    ]
    assert len(compared) == count
    for plain, found in compared:
        assert {_place(each) for each in found.errors} == plain.places
        assert {each.assembly for each in found.not_checked} == set(plain.blocked)
    (tmp_path / "editor").mkdir()
    async with on_stage(installation, tmp_path / "editor") as stage:
        for plain, found in compared:
            first = plain.errors[0]
            at = f"{first.path}({first.line},{first.column})"
            await stage.do(f"edited {at}: {first.id}: {first.message}")
            compiled = await stage.result("compile")
            assert compiled["errors"] == [
                {key: value for key, value in each.to_json().items() if key != "assembly"}
                for each in found.errors
                if (_place(each), each.message) == (first.place, first.message)
            ]


def _place(each: ProjectDiagnostic) -> tuple[str, int, int, str]:
    return each.path, each.line, each.column, each.code


def broken(project: LaidOutProject, compiler: Compiler, left: int) -> Iterator[Compiled]:
    """What ``csc`` says of ``left`` drawn edits; each stands while it is looked at."""
    drawn = edits(project.root, project.sources, SEED)
    for edit in islice(drawn, MOST_DRAWN):
        file = project.root / edit.path
        kept = file.read_bytes()
        file.write_bytes(edit.applied(kept))
        plain = compiled_by_csc(compiler, project)
        if plain.errors:
            yield plain
            left -= 1
        file.write_bytes(kept)
        if not left:
            return
