"""All assembly definitions together: their references by GUID, and conflicts among them.

Unity keeps the GUID of an asset in the ``.meta`` file next to it. It reads all definitions before
it compiles anything, even those without scripts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from roslyn_server.projects.definitions.assembly_definitions import (
    OF_GUID,
    PREDEFINED,
    UNREAD,
    AssemblyDefinition,
    definition_in,
)
from roslyn_server.projects.files import Remembered, bounded_text, stamp_of

_GUID = re.compile(r"^guid:[ \t]*([0-9a-fA-F]+)", re.MULTILINE)
_MAX_FOLDERS = 20_000
"""Maximum number of folders of fetched packages to search for definitions."""


class DefinitionGuids:
    """Knows the definitions of the project at ``root`` and of its fetched packages."""

    def __init__(self, root: Path) -> None:
        self._fetched_in = root / "Library" / "PackageCache"
        self._guids = Remembered[str | None]()
        self._fetched = Remembered[Mapping[str, str]]()
        self._names: Mapping[str, str] = {}

    def remember(self, definitions: Iterable[AssemblyDefinition]) -> None:
        """Remember the project's own definitions."""
        known = list(definitions)
        if not any(map(_has_guid, known)):
            self._names = {}
            return
        self._names = dict(self._pairs(known))
        if any(self._has_unknown_guid(each) for each in known):
            self._names = {**self._of_packages(), **self._names}

    def resolve(self, definition: AssemblyDefinition | None) -> AssemblyDefinition | None:
        """Return the definition with names for its known GUIDs."""
        if definition is None or not _has_guid(definition):
            return definition
        return replace(
            definition,
            name=definition.name or self._names.get(definition.target),
            references=tuple(self._name(each) for each in definition.references),
        )

    def _name(self, reference: str) -> str:
        return self._names.get(_guid_of(reference), reference)

    def _has_unknown_guid(self, definition: AssemblyDefinition) -> bool:
        guids = [_guid_of(each) for each in definition.references if each.startswith(OF_GUID)]
        return any(each not in self._names for each in (*guids, definition.target) if each)

    def _pairs(self, definitions: Iterable[AssemblyDefinition]) -> Iterator[tuple[str, str]]:
        for each in definitions:
            if each.name and not each.target:
                meta = f"{each.file}.meta"
                guid = self._guids.get(stamp_of(meta), partial(guid_in, meta), meta)
                if guid is not None:
                    yield guid, each.name

    def _of_packages(self) -> Mapping[str, str]:
        folder = self._fetched_in
        return self._fetched.get(
            stamp_of(folder), lambda: dict(self._pairs(definitions_below(folder)))
        )


def guid_in(meta: Path | str) -> str | None:
    """Return the GUID in a ``.meta`` file, if any."""
    found = _GUID.search(bounded_text(meta))
    return found[1].lower() if found else None


def _has_guid(definition: AssemblyDefinition) -> bool:
    return bool(definition.target) or any(
        each.startswith(OF_GUID) for each in definition.references
    )


def _guid_of(reference: str) -> str:
    return reference.removeprefix(OF_GUID).strip().lower()


def definitions_below(folder: Path) -> Iterator[AssemblyDefinition]:
    """Yield the ``.asmdef`` files in a folder and below it, in folders that Unity reads."""
    for seen, (path, folders, names) in enumerate(os.walk(folder)):
        if seen > _MAX_FOLDERS:
            return
        folders[:] = [name for name in folders if name[0] != "." and not name.endswith("~")]
        own = [name for name in names if name.lower().endswith(".asmdef")]
        definition = definition_in(Path(path), own) if own else None
        if definition is not None:
            yield definition


_OF_RUNTIME = (
    "mscorlib netstandard Microsoft.CSharp System System.ComponentModel.Composition System.Core "
    "System.Data System.Data.DataSetExtensions System.Drawing System.IO.Compression "
    "System.IO.Compression.FileSystem System.Net.Http System.Numerics System.Numerics.Vectors "
    "System.Runtime.Serialization System.Transactions System.Xml System.Xml.Linq"
)
"""Libraries that Unity references by itself."""

_RESERVED = frozenset(each.lower() for each in (*PREDEFINED, *_OF_RUNTIME.split()))


def conflicts(
    folders: Mapping[str, tuple[str, ...]], definitions: Mapping[str, AssemblyDefinition | None]
) -> Iterator[str]:
    """Yield each conflict as a sentence.

    ``folders`` are the definition files in each project-relative folder, ``definitions`` their
    content with GUIDs resolved.
    """
    known: dict[str, AssemblyDefinition] = {}
    named: dict[str, str] = {}
    for path, names in sorted(folders.items()):
        if len(names) > 1:
            yield _nothing(
                f"{path} has more than one assembly definition, {names[0]} and {names[1]}"
            )
            continue
        definition = definitions.get(path)
        if definition is None:
            continue
        file = f"{path}/{names[0]}"
        if definition.fault.startswith(UNREAD):
            yield f"It is not known what Unity compiles: {file} {definition.fault}."
        elif definition.fault:
            yield _nothing(f"{file} {definition.fault}")
        elif definition.name and not definition.is_asmref:
            known[file] = definition
            lower = definition.name.lower()
            other = named.setdefault(lower, file)
            if other != file:
                yield _nothing(f"{other} and {file} both define {definition.name}")
            if lower in _RESERVED:
                yield _nothing(f"{file} takes a reserved name, {definition.name}")
    for file, definition in known.items():
        twice = _twice(definition.references)
        if twice:
            yield _nothing(f"{file} refers to {twice} twice")
    circle = _circle(known.values())
    if circle:
        first = next(file for file, each in known.items() if each.name == circle[0])
        yield _nothing(f"{first} refers to itself ({' → '.join(circle)})")


def _nothing(why: str) -> str:
    return f"Unity compiles nothing as it is: {why}."


def _twice(references: Iterable[str]) -> str:
    seen: set[str] = set()
    for each in references:
        # A GUID that no definition has names nothing, so Unity doesn't count it.
        if each and each in seen and not each.startswith(OF_GUID):
            return each
        seen.add(each)
    return ""


def _circle(definitions: Iterable[AssemblyDefinition]) -> tuple[str, ...]:
    try:
        TopologicalSorter({each.name: each.references for each in definitions}).prepare()
    except CycleError as error:
        return tuple(map(str, reversed(error.args[1])))
    return ()
