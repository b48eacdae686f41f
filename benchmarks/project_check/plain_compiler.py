"""The compiler itself, a process for each assembly, as a replay of the last build starts it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.layout import LaidOutProject, response_file
from benchmarks.project_check.reference_compiler import Compiled, CompilerError

_ERROR = re.compile(r"^(?:(.*?)\((\d+),(\d+)\): )?error (\w+): (.*)$")


def compiled_by_csc(compiler: Compiler, project: LaidOutProject) -> Compiled:
    """Write the libraries, and return ``csc``'s errors of each assembly that can be compiled.

    Raises ``ValueError`` where there is no ``csc``.
    """
    if compiler.csc is None:
        raise ValueError("this machine has no csc")
    failed: set[str] = set()
    blocked: list[str] = []
    errors: list[CompilerError] = []
    for each in project.assemblies:
        if failed.intersection(each.references):
            failed.add(each.name)
            blocked.append(each.name)
            continue
        # What the disk has now: a deleted source is not compiled.
        made = _run(compiler.csc, project.root, each.name)
        if made:
            failed.add(each.name)
            errors += made
    return Compiled(tuple(errors), tuple(blocked))


def _run(csc: tuple[str, ...], root: Path, assembly: str) -> list[CompilerError]:
    response = response_file(root, assembly).relative_to(root)
    environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    run = subprocess.run(
        [*csc, "-noconfig", f"@{response}"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    found = [_ERROR.match(line) for line in run.stdout.splitlines()]
    errors = [
        CompilerError(
            Path(os.path.relpath(root / match[1], root)).as_posix() if match[1] else "",
            int(match[2] or 1),
            int(match[3] or 1),
            match[4],
            assembly,
            match[5],
        )
        for match in found
        if match is not None
    ]
    if run.returncode != 0 and not errors:
        raise ValueError(f"csc: {run.stdout}{run.stderr}")
    return list(dict.fromkeys(errors))
