"""Compare what concerns all assemblies with the last build: packages, symbols, settings.

No script shows these changes. Contents are compared; times mean nothing after a checkout.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from roslyn_server.projects.build import Unknown
from roslyn_server.projects.changes.definition_changes import Snapshot, defined_symbols
from roslyn_server.projects.changes.package_changes import package_changes
from roslyn_server.projects.changes.setting_changes import build_profiles, symbol_changes
from roslyn_server.projects.files import (
    Remembered,
    bounded_text,
    is_unmerged,
    stamp_of,
    why_unreadable,
)
from roslyn_server.projects.options.project_symbols import SETTINGS
from roslyn_server.projects.packages.libraries import namesakes
from roslyn_server.projects.packages.manifests import CACHE
from snippet_engine.project_settings import VERSION_FILE

_RESPONSE_FILE = "Assets/csc.rsp"
_SAY_IT = (SETTINGS, _RESPONSE_FILE, VERSION_FILE)

_MAX_BYTES = 4 * 1024 * 1024


class ProjectChanges:
    """Looks at the project at ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._found = Remembered[tuple[Unknown, ...]]()

    def since(self, snapshot: Snapshot, stamps: tuple[object, ...]) -> tuple[Unknown, ...]:
        """Return the changes since the last build that may affect the whole project.

        ``stamps`` are those of definitions and of the response files next to them.
        """
        builds, packages = snapshot.builds, snapshot.packages
        profiles = build_profiles(self._root)
        files = (*(self._root / each for each in _SAY_IT), *profiles)
        unread = tuple(_why_unread(self._root, file) for file in files)
        of = (
            snapshot.scripts,
            snapshot.libraries,
            builds,
            packages,
            stamps,
            profiles,
            tuple(map(stamp_of, files)),
            [stamp_of(f"{self._root}/{CACHE}/{each}") for each in packages.cached],
            unread,
        )
        return self._found.get(
            of, lambda: self._changes(snapshot, dict(zip(files, unread, strict=True)))
        )

    def _changes(
        self, snapshot: Snapshot, unread: Mapping[Path, str | None]
    ) -> tuple[Unknown, ...]:
        found: list[Unknown] = []
        for file, why in unread.items():
            unmerged = why is None and is_unmerged(bounded_text(file, _MAX_BYTES))
            reason = "it has conflict markers of a merge" if unmerged else why
            if reason is not None:
                shown = file.relative_to(self._root).as_posix()
                message = (
                    f"Code was not checked by the settings in {shown}: it can't be read ({reason})."
                )
                found.insert(0, Unknown("unreadable", message))
        changes = (
            *_namesakes(snapshot),
            *package_changes(snapshot),
            *symbol_changes(
                self._root, snapshot.builds, snapshot.packages, defined_symbols(snapshot)
            ),
        )
        return (*found, *(Unknown("references_stale", each) for each in changes))


def _namesakes(snapshot: Snapshot) -> Iterator[str]:
    defined = snapshot.scripts.all_definitions
    names = [each.name for each in defined if each.name and not each.is_asmref]
    yield from namesakes(snapshot.libraries, snapshot.builds, names)
    for each in defined:
        built = snapshot.definitions.get(each.name or "")
        if built is None or each.is_asmref or built in defined or built.name != each.name:
            continue
        if built.file.is_file() and not built.is_asmref:
            here, there = (os.path.relpath(file, snapshot.root) for file in (each.file, built.file))
            yield f"Unity compiles nothing as it is: {here} and {there} both define {each.name}."


def _why_unread(root: Path, file: Path) -> str | None:
    """Return why a file can't be read; a folder in the place of a required file can't be."""
    if file != root / _RESPONSE_FILE and file.is_dir():
        return "it is a folder"
    return why_unreadable(file)
