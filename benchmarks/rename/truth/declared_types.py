"""What a project declares, as the compiler sees it, in this process."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pythonnet

from benchmarks.project_check.compilers import Compiler
from roslyn_server.compiler import hosting
from roslyn_server.compiler.host_assembly import load_compiled

_SOURCE = Path(__file__).with_name("declared_types.cs")


@dataclass(frozen=True, slots=True)
class SerializedField:
    """A field: its key, its identity, its former keys, and the project's type of its value."""

    key: str
    id: str
    former: tuple[str, ...]
    type: str | None


@dataclass(frozen=True, slots=True)
class Method:
    """A method or a property's setter; parameters as C# writes their types."""

    name: str
    id: str
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeclaredType:
    """A type with the members of its bases.

    ``was`` are its former namespace, assembly and name (``[MovedFrom]``); ``None``: as now.

    ``is_known`` is false if a base is missing, so that nobody knows what Unity does with it.
    """

    id: str
    name: str
    space: str
    assembly: str
    kind: str
    scripts: tuple[str, ...]
    is_object: bool
    is_known: bool
    was: tuple[str | None, str | None, str | None] | None
    fields: tuple[SerializedField, ...]
    methods: tuple[Method, ...]


@dataclass(frozen=True, slots=True)
class Declaration:
    """What may be renamed; line and character are zero-based."""

    kind: str
    id: str
    path: str
    line: int
    character: int
    name: str


class DeclaredTypes:
    """The declarations of one project, in step with what is renamed."""

    def __init__(self, compiler: Compiler, root: Path, response_files: Sequence[Path]) -> None:
        made = _loaded(compiler)
        files = hosting.dotnet_strings([str(each) for each in response_files])
        self._types = made(str(root), files)

    def changed(self, paths: Iterable[str], moves: Mapping[str, str]) -> None:
        """Read these texts again; ``moves`` are files with a new path."""
        moved = [f"{before}\t{after}" for before, after in moves.items()]
        self._types.Changed(hosting.dotnet_strings(list(paths)), hosting.dotnet_strings(moved))

    def forget(self) -> None:
        """Read everything again, at its first path."""
        self._types.Forget()

    def types(self) -> dict[str, DeclaredType]:
        """Return every type by its identity."""
        return {each["id"]: _type(each) for each in json.loads(str(self._types.Types()))}

    def undeclared(self) -> list[str]:
        """Return the texts whose declarations have errors."""
        return [str(path) for path in self._types.Undeclared()]

    def declarations(self, id_: str = "") -> list[Declaration]:
        """Return what may be renamed: all, or what the text with that identity declares."""
        rows = (str(row).split("\t") for row in self._types.Declarations(id_))
        return [
            Declaration(kind, id_, path, int(line), int(character), name)
            for kind, id_, path, line, character, name in rows
        ]

    def errors(self, paths: Iterable[str] = ()) -> Counter[tuple[str, str]]:
        """Count the errors in some texts, or in all, by first path and id."""
        rows = self._types.Errors(hosting.dotnet_strings(list(paths)))
        return Counter((path, id_) for path, id_ in (str(row).split("\t") for row in rows))


def _type(row: dict[str, Any]) -> DeclaredType:
    return DeclaredType(
        row["id"],
        row["name"],
        row["space"],
        row["assembly"],
        row["kind"],
        tuple(row["scripts"]),
        row["isObject"],
        row["isKnown"],
        row["was"] and tuple(row["was"]),
        tuple(
            SerializedField(key, id_, tuple(former), type_)
            for key, id_, former, type_ in row["fields"]
        ),
        tuple(Method(name, id_, tuple(parameters)) for name, id_, parameters in row["methods"]),
    )


@cache
def _loaded(compiler: Compiler) -> Any:
    if pythonnet.get_runtime_info() is None:  # the stand-in for Unity may have been compiled
        hosting.start(compiler.toolchain)
    load_compiled("RenameTruth", [_SOURCE], compiler.toolchain.roslyn_dir)
    return importlib.import_module("RenameTruth").DeclaredTypes
