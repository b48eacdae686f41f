"""What the check says of each change since the build, asked of one warm server.

A change that is called clean though Unity compiles something else, or nothing, is a false clean.
One that isn't though it compiles the same is a false alarm. Each is made twice: with files that are
older than the build, and with newer ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.project_check.change import Change
from benchmarks.project_check.changes import CHANGES
from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.project_as_built import BUILT_S, write, write_project
from benchmarks.verdict import STARTING_S, running_validator
from lsp_client.project.project_requests import ProjectCheck
from lsp_client.validator import LanguageServerValidator
from roslyn_server.compiler import hosting
from roslyn_server.compiler.host_assembly import load_compiled


@dataclass
class SinceBuild:
    """The results."""

    changes: int = 0
    answers: int = 0
    false_cleans: list[str] = field(default_factory=list)
    false_alarms: list[str] = field(default_factory=list)


def measure_changes(
    compiler: Compiler, folder: Path, tell: Callable[[str, Change, str], None]
) -> SinceBuild:
    """Ask about each change, in a project that is written to ``folder``.

    ``tell`` is told of each: what it is a change of, the change, and the first answer.
    """
    root = folder / "project"
    root.mkdir()
    hosting.start(compiler.toolchain)
    engine = folder / "UnityEngine.CoreModule.dll"
    engine.write_bytes(_library("Engine", folder, compiler))
    libraries = (*compiler.libraries, engine)
    write_project(root, libraries, lambda name: _library(name, folder, compiler))
    found = SinceBuild()
    with running_validator(root, compiler.toolchain) as server:
        _ask(server, found, "as it was built", is_clean=True)
        for kind, changes in CHANGES.items():
            for change in changes:
                found.changes += 1
                before = {name: _content(root / name) for name in change.files}
                for when in (BUILT_S - 60, BUILT_S + 86_400):
                    write(root, change.files, when)
                    what = f"{kind}: {change.what}, {'newer' if when > BUILT_S else 'older'}"
                    answer = _ask(server, found, what, is_clean=change.is_clean)
                    write(root, {n: c for n, c in before.items() if _content(root / n) != c}, when)
                tell(kind, change, answer)
        _ask(server, found, "as it was built, again", is_clean=True)
    return found


def _ask(server: LanguageServerValidator, found: SinceBuild, what: str, *, is_clean: bool) -> str:
    answer = server.check_project(within_s=STARTING_S)
    status = answer.status if isinstance(answer, ProjectCheck) else answer.message
    found.answers += 1
    if status == "clean" and not is_clean:
        found.false_cleans.append(what)
    if status != "clean" and is_clean:
        why = (
            [each.reason for each in answer.not_checked] if isinstance(answer, ProjectCheck) else []
        )
        found.false_alarms.append(f"{what}: {status} {why[:1]}")
    return status


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if os.path.lexists(file) else None


def _library(name: str, folder: Path, compiler: Compiler) -> bytes:
    """Return a managed library with one class."""
    source = folder / f"{name}Library.cs"
    source.write_text(f"public static class {name}Library {{ }}\n", encoding="utf-8")
    load_compiled(source.stem, [source], compiler.toolchain.roslyn_dir, keep_in=folder / name)
    (made,) = (folder / name).rglob("*.dll")
    return made.read_bytes()
