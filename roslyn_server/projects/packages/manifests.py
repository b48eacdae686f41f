"""Read a project's packages: the requested, the resolved and the embedded ones.

A package in ``Packages`` replaces the fetched one of its name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roslyn_server.projects.files import (
    Remembered,
    bounded_text,
    json_object,
    relative_to,
    stamp_of,
    why_unreadable,
)
from snippet_engine.project_settings import VERSION_FILE, editor_version

MANIFEST = "Packages/manifest.json"
LOCK = "Packages/packages-lock.json"
CACHE = "Library/PackageCache"

_MAX_BYTES = 4 * 1024 * 1024
_IN_CACHE = re.compile(rf"^{CACHE}/([^/@]+)@([^/]*)/(.*)$")


@dataclass(frozen=True, slots=True)
class Embedded:
    """A package in the project-relative ``folder``."""

    folder: str
    version: str
    needs: Mapping[str, str] = field(default_factory=dict)
    """The versions of its dependencies."""


@dataclass(frozen=True, slots=True)
class Packages:
    """A project's packages, all read at the same time."""

    wanted: Mapping[str, Any] | None = None
    """The dependencies in the manifest; ``None`` if there is no file."""
    locked: Mapping[str, Any] | None = None
    """The dependencies in the lock file; ``None`` if there is no file."""
    faults: tuple[str, ...] = ()
    """Which files can't be read."""
    embedded: Mapping[str, Embedded] | None = None
    cached: tuple[str, ...] = ()
    """The folders of fetched packages."""
    editor: str = ""
    """The Editor's version."""
    tested: frozenset[str] = frozenset()
    """The packages in ``testables``."""
    local: Mapping[str, Embedded | None] = field(default_factory=dict)
    """Packages in other folders; ``None`` for one that is missing."""

    def place_of(self, script: str) -> str:
        """Return where a script of a build lies now; its package may have been embedded."""
        found = _IN_CACHE.match(script) if self.embedded else None
        embedded = self.embedded.get(found[1]) if found and self.embedded else None
        return script if found is None or embedded is None else f"{embedded.folder}/{found[3]}"

    def versions(self) -> Mapping[str, str | None] | None:
        """Return the version of each package; ``None`` for an unknown version, or if all are
        unknown.
        """
        if self.locked is None:
            return None
        found: dict[str, str | None] = {
            name: str(value_of(each, "version")) if value_of(each, "source") in _VERSIONED else None
            for name, each in self.locked.items()
        }
        for name, each in (self.embedded or {}).items():
            found[name] = each.version or None
        return {**found, "Unity": self.editor or None}


_VERSIONED = frozenset(("registry", "builtin"))


class PackageFiles:
    """Reads the packages of the project at ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._packages = Remembered[Packages]()
        self._local = Remembered[Mapping[str, str]]()

    def read(self) -> Packages:
        """Return the packages now; the same object until something changes."""
        root = str(self._root)
        descriptions = [
            (folder, stamp)
            for folder in self._folders()
            if (stamp := stamp_of(f"{root}/{folder}/package.json")) is not None
        ]
        local = [f"{folder}/package.json" for folder in self.local_folders()]
        said_in = (
            MANIFEST,
            LOCK,
            *local,
            *(f"{folder}/package.json" for folder, _ in descriptions),
        )
        of = (
            descriptions,
            [why_unreadable(f"{root}/{each}") for each in said_in],
            *(stamp_of(f"{root}/{each}") for each in (MANIFEST, LOCK, CACHE, VERSION_FILE, *local)),
        )
        return self._packages.get(of, lambda: self._read([folder for folder, _ in descriptions]))

    def local_folders(self) -> tuple[str, ...]:
        """Return the project-relative folders of local packages."""
        return tuple(dict.fromkeys(self._local_packages().values()))

    def _local_packages(self) -> Mapping[str, str]:
        """Return the folders of local packages, by name."""
        files = [self._root / each for each in (MANIFEST, LOCK)]
        stamps = [stamp_of(each) for each in files]
        return self._local.get(stamps, lambda: dict(_local_in(files, self._root)))

    def _folders(self) -> list[str]:
        try:
            names = sorted(os.listdir(self._root / "Packages"))  # noqa: PTH208 - at each question
        except OSError:
            return []
        return [f"Packages/{each}" for each in names if each[0] != "." and each[-1] != "~"]

    def _read(self, folders: list[str]) -> Packages:
        faults: list[str] = []
        wanted = self._dependencies(MANIFEST, faults)
        tested = json_file(self._root / MANIFEST).get("testables")
        locked = self._dependencies(LOCK, faults)
        embedded = dict(self._described(folders, faults))
        there = dict(self._described(self.local_folders(), faults))
        local = {name: there.get(name) for name in self._local_packages()}
        try:
            cached = tuple(sorted(os.listdir(self._root / CACHE)))  # noqa: PTH208
        except OSError:
            cached = ()
        version = editor_version(self._root)
        names = frozenset(map(str, tested if isinstance(tested, list) else ()))
        return Packages(wanted, locked, tuple(faults), embedded, cached, version, names, local)

    def _described(
        self, folders: Iterable[str], faults: list[str]
    ) -> Iterator[tuple[str, Embedded]]:
        known: dict[str, str] = {}
        for folder in folders:
            description = f"{folder}/package.json"
            there = stamp_of(self._root / description) is not None
            content = self._object(description, faults) if there else None
            if content is None:
                continue
            name, needs = content.get("name"), content.get("dependencies")
            if not isinstance(name, str) or not name:
                faults.append(f"{folder}/package.json has no name")
            elif (other := known.setdefault(name, folder)) != folder:
                faults.append(f"{other} and {folder} both are the package {name}")
            else:
                asked = needs.items() if isinstance(needs, dict) else ()
                needed = {key: str(each) for key, each in asked}
                yield name, Embedded(folder, str(content.get("version", "")), needed)

    def _dependencies(self, name: str, faults: list[str]) -> Mapping[str, Any] | None:
        if stamp_of(self._root / name) is None:
            return None
        content = self._object(name, faults)
        found = (content or {}).get("dependencies", {})
        return found if isinstance(found, dict) else {}

    def _object(self, name: str, faults: list[str]) -> dict[str, Any] | None:
        unreadable = why_unreadable(self._root / name)
        if unreadable is not None:
            faults.append(f"{name} can't be read ({unreadable})")
            return None
        content, fault = json_object(bounded_text(self._root / name, _MAX_BYTES))
        if fault:
            faults.append(f"{name} {fault}")
        return None if fault else content


def _local_in(files: Iterable[Path], root: Path) -> Iterator[tuple[str, str]]:
    """Yield the packages that files name by folder, except those in ``Packages``."""
    for file in files:
        listed = json_file(file).get("dependencies")
        for name, entry in listed.items() if isinstance(listed, dict) else ():
            at = str(value_of(entry, "version") if isinstance(entry, dict) else entry)
            if at.startswith(_OF_FOLDER) and not at.endswith((".tgz", ".tar.gz")):
                place = os.path.join(root, "Packages", at.removeprefix(_OF_FOLDER))  # noqa: PTH118
                folder = relative_to(root, place)
                if not folder.startswith("Packages/"):
                    yield name, folder


_OF_FOLDER = "file:"


def json_file(file: Path) -> dict[str, Any]:
    """Return the JSON object in a file; an empty one if there is none."""
    return json_object(bounded_text(file, _MAX_BYTES))[0]


def value_of(entry: Any, name: str) -> Any:
    """Return an entry's value in a lock file, if there is one."""
    return entry.get(name) if isinstance(entry, dict) else None


def fetched_from(script: str) -> tuple[str, str] | None:
    """Return a script's fetched package, and the suffix of its folder after ``@``."""
    found = _IN_CACHE.match(script)
    return (found[1], found[2]) if found else None
