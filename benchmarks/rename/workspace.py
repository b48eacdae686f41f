"""Roslyn's workspace in this process: what it finds, and what it renames.

Its assemblies are in the npm package that Roslyn 4.8 comes from.
"""

from __future__ import annotations

import importlib
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.reference_compiler import CACHE
from roslyn_server.compiler import hosting
from roslyn_server.compiler.host_assembly import load_compiled
from roslyn_server.toolchains.install import ROSLYN_4_8
from roslyn_server.toolchains.packages import fetch_archive

_SOURCE = Path(__file__).with_name("symbol_finder.cs")
_NEEDED = ("Microsoft.CodeAnalysis.Workspaces", "Microsoft.CodeAnalysis.CSharp.Workspaces")
_WITH = ("System.Composition.", "Humanizer")

Place = tuple[str, int, int]
"""Path, line and character, both zero-based."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared name."""

    place: Place
    kind: str
    name: str


class Workspace:
    """A project in Roslyn's workspace, in the process that has laid it out with Roslyn 4.8."""

    def __init__(self, compiler: Compiler, root: Path, response_files: Sequence[Path]) -> None:
        libraries = _libraries()
        loader: Any = importlib.import_module("System.Runtime.Loader")
        for library in libraries:
            loader.AssemblyLoadContext.Default.LoadFromAssemblyPath(str(library))
        needed = [each for each in libraries if each.stem in _NEEDED]
        load_compiled("Renames", [_SOURCE], compiler.toolchain.roslyn_dir, None, needed)
        made = importlib.import_module("Renames").Workspace
        self._root = root
        files = hosting.dotnet_strings([str(each) for each in response_files])
        self._workspace = made(str(root), files)

    def declarations(self) -> list[Declared]:
        """Return every declared name of the project."""
        rows = (str(row).split("\t") for row in self._workspace.Declarations())
        return [
            Declared((self._inside(path), int(line), int(at)), kind, name)
            for path, line, at, kind, name in rows
        ]

    def references(self, place: Place) -> dict[str, set[Place]]:
        """Return the places by ``explicit``, ``implicit`` and ``declaration``."""
        found: dict[str, set[Place]] = {"explicit": set(), "implicit": set(), "declaration": set()}
        for row in self._workspace.References(str(self._root / place[0]), place[1], place[2]):
            path, line, at, kind = str(row).split("\t")
            found[kind].add((self._inside(path), int(line), int(at)))
        return found

    def is_excluded(self, place: Place) -> bool:
        """Return whether the build's symbols exclude the code of a place."""
        path, line, at = place
        return bool(self._workspace.IsExcluded(str(self._root / path), line, at))

    def rename(self, place: Place, name: str) -> dict[str, str] | str:
        """Return the changed texts by path, or the conflict."""
        path, line, at = place
        rows = [
            str(row).partition("\t")
            for row in self._workspace.Rename(str(self._root / path), line, at, name)
        ]
        if rows and rows[0][0] == "conflict":
            return rows[0][2]
        return {self._inside(path): text for path, _, text in rows}

    def _inside(self, path: str) -> str:
        return Path(path).relative_to(self._root).as_posix()


def _libraries() -> list[Path]:
    """Return the workspace's assemblies, unpacked into the cache."""
    folder = CACHE.parent / "workspaces" / ROSLYN_4_8.version
    if not folder.is_dir():
        archive = fetch_archive(ROSLYN_4_8.package, CACHE.parent / "workspaces" / "package.tgz")
        beside = folder.with_suffix(".unpacked")
        beside.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as tar:
            for member, name in _wanted(tar):
                content = tar.extractfile(member)
                if content is not None:
                    (beside / name).write_bytes(content.read())
        beside.rename(folder)
    return sorted(folder.glob("*.dll"))


def _wanted(tar: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, str]]:
    for member in tar:
        path = Path(member.name)
        is_wanted = path.stem in _NEEDED or path.stem.startswith(_WITH)
        if is_wanted and path.suffix == ".dll" and path.parent == Path(ROSLYN_4_8.inside):
            yield member, path.name
