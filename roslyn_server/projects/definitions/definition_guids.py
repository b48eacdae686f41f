"""Resolve references by GUID.

Unity keeps the GUID of an asset in the ``.meta`` file next to it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from roslyn_server.projects.definitions.assembly_definitions import (
    OF_GUID,
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
