"""Every error of a project, from a compiler without shortcuts.

It runs in this process, through pythonnet; :file:`reference_compiler.cs` does the work. A process
can host one Roslyn.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

from benchmarks.project_check.compilers import Compiler
from roslyn_server.compiler import hosting
from roslyn_server.compiler.host_assembly import load_compiled

CACHE = platformdirs.user_cache_path("unity-snippet", appauthor=False) / "project_check"
"""What takes long to make, and is the same the next time."""

_SOURCE = Path(__file__).with_name("reference_compiler.cs")


@dataclass(frozen=True, slots=True, order=True)
class CompilerError:
    """One error as the compiler prints it: lines and columns count from one."""

    path: str
    line: int
    column: int
    id: str
    assembly: str = ""
    message: str = ""

    @property
    def place(self) -> tuple[str, int, int, str]:
        """Return what two compilers must agree on."""
        return self.path, self.line, self.column, self.id


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of compiling a project; others' errors kept ``blocked`` assemblies from it."""

    errors: tuple[CompilerError, ...]
    blocked: tuple[str, ...] = ()

    @property
    def places(self) -> frozenset[tuple[str, int, int, str]]:
        """Return which errors are where."""
        return frozenset(each.place for each in self.errors)


class ReferenceCompiler:
    """Compiles a project's assemblies one after another, each time all of each.

    With ``keeps_trees`` an unchanged text is parsed once: a resident compilation, bound anew. With
    ``keeps_results``, too, what has the same texts and references is not compiled again.
    """

    def __init__(
        self,
        compiler: Compiler,
        folder: Path,
        response_files: Sequence[Path],
        *,
        keeps_trees: bool = False,
        keeps_results: bool = False,
    ) -> None:
        """Take the ``response_files`` of ``folder``'s assemblies, dependencies first."""
        made = _loaded(compiler)
        files = hosting.dotnet_strings([str(each) for each in response_files])
        self._compiler = made(str(folder), files, keeps_trees or keeps_results, keeps_results)

    def compiled(self) -> Compiled:
        """Compile everything; what it came to."""
        rows = [str(row).split("\t", 5) for row in self._compiler.Errors()]
        return Compiled(
            tuple(
                CompilerError(path, int(line), int(column), id_, assembly, message)
                for assembly, path, line, column, id_, message in (r for r in rows if len(r) > 2)
            ),
            tuple(row[0] for row in rows if len(row) == 2),
        )

    def build(self) -> None:
        """Write the libraries where the response files say. Raises ``ValueError`` on errors."""
        errors = [str(row) for row in self._compiler.Build()]
        if errors:
            raise ValueError("\n".join(errors[:20]))

    def graph(self) -> dict[str, list[str]]:
        """Return the only assembly's sources without errors, and which others each uses."""
        found: dict[str, list[str]] = {}
        for row in self._compiler.Graph():
            used, source = found, str(row)
            if source.startswith("\t"):
                used[next(reversed(used))].append(source[1:])
            else:
                used[source] = []
        return found

    def bytes_bound(self) -> int:
        """Return the managed heap's size once everything is bound; the result is kept."""
        return int(self._compiler.BytesBound())


@cache
def _loaded(compiler: Compiler) -> Any:
    toolchain = compiler.toolchain
    hosting.start(toolchain)
    sources = [_SOURCE, hosting.MESSAGES_SOURCE]
    load_compiled("ReferenceCompiler", sources, toolchain.roslyn_dir, keep_in=CACHE)
    return importlib.import_module("ProjectCheck").ReferenceCompiler
