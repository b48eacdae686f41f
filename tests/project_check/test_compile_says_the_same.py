"""``compile``, in an Editor, and ``check``, without one, name the same errors: csc's own.

The Editor is the bench's, with the package and a real server; what its compilation comes to is what
``csc`` says of the project.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from small_project import Check, assemblies
from stage import on_stage

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.layout import LaidOutProject
from benchmarks.project_check.plain_compiler import compiled_by_csc
from benchmarks.shared_toolchains import ABSENT
from tests.bench.installation import Runtime, install
from tests.bench.toolchains import MissingToolError

pytestmark = pytest.mark.anyio

EDITS = (
    ("Assets/Core/Clock.cs", "=> 1;", '=> "1";', {"Core"}),
    ("Assets/Core/Clock.cs", "public int Now", "internal int Now", {"Core", "Game"}),
    ("Assets/Alone/Alone.cs", '"nobody";', '"nobody"', {"Alone"}),
)
"""A wrong type, a caller in another assembly that is shut out, and a sign that is missing; and the
assemblies of which the compiler says something else than before."""


@pytest.mark.sampled(one_in=1_000_000)
@pytest.mark.parametrize("runtime", list(Runtime), ids=lambda each: each.value)
async def test_both_name_the_errors_of_csc(
    runtime: Runtime, game: Path, check: Check, compiler: Compiler, tmp_path: Path
) -> None:
    if compiler.csc is None:
        pytest.skip(ABSENT)
    try:
        installation = install(runtime)
    except MissingToolError as missing:
        pytest.skip(str(missing))
    (tmp_path / "editor").mkdir()
    async with on_stage(installation, tmp_path / "editor") as stage:
        for path, old, new, concerned in EDITS:
            text = (game / path).read_text()
            assert old in text
            (game / path).write_text(text.replace(old, new))
            compiled_anew = tuple(each for each in assemblies() if each.name in concerned)
            plain = compiled_by_csc(compiler, LaidOutProject(game, compiled_anew))
            (error,) = plain.errors
            at = f"{error.path}({error.line},{error.column})"
            await stage.do(f"edited {at}: {error.id}: {error.message}")
            compiled = await stage.result("compile")
            found = await asyncio.to_thread(check)
            assert compiled["errors"] == [
                {key: value for key, value in each.to_json().items() if key != "assembly"}
                for each in found.errors
            ]
            assert (compiled["status"], found.status) == ("failed", "errors")
            (game / path).write_text(text)
