"""What changed of a project since Unity last built it, besides scripts and definitions.

Part of docs/design/roslyn.md §3 "References": packages that came or went and symbols of the player
settings show in no script, and would be compiled with all the same. Told by what the files hold, as
their times say nothing once they came out of a repository.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from roslyn_server.projects.builds import Build, BuildSet, Unknown, bounded_text, stamp_of
from roslyn_server.projects.project_symbols import settings_symbols

_MAX_BYTES = 4 * 1024 * 1024
_MANIFEST = "Packages/manifest.json"
_LOCK = "Packages/packages-lock.json"
_SETTINGS = "ProjectSettings/ProjectSettings.asset"
_CACHE = "Library/PackageCache"
_FETCHED = frozenset(("registry", "git"))
"""Sources of packages that Unity fetches into its cache."""

_IN_CACHE = re.compile(rf"^{_CACHE}/([^/@]+)@")
_NUMBERS = re.compile(r"^(\d+)\.(\d+)\.(\d+)$")

_PLATFORMS = (
    ("UNITY_SERVER", "Server"),
    ("UNITY_ANDROID", "Android"),
    ("UNITY_IOS", "iPhone"),
    ("UNITY_WEBGL", "WebGL"),
    ("UNITY_STANDALONE", "Standalone"),
)
"""The symbol that each platform's builds have, and what settings call it."""


class ProjectChanges:
    """Looks at the project at ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._found: tuple[object, tuple[Unknown, ...]] = None, ()

    def since(self, builds: BuildSet) -> tuple[Unknown, ...]:
        """What the builds don't know of, each a reason not to believe that all was judged."""
        names = (_MANIFEST, _LOCK, _CACHE, _SETTINGS)
        of = builds, tuple(stamp_of(self._root / each) for each in names)
        if self._found[0] != of:
            changes = [*self._packages(builds), *self._symbols(builds)]
            self._found = of, tuple(Unknown("references_stale", each) for each in changes)
        return self._found[1]

    def _packages(self, builds: BuildSet) -> Iterator[str]:
        wanted = _dependencies(self._root / _MANIFEST)
        locked = _dependencies(self._root / _LOCK)
        if not wanted or not locked:
            return
        came = [name for name, version in wanted.items() if _is_new(version, locked.get(name))]
        went = [
            name
            for name, entry in locked.items()
            if name not in wanted and _field(entry, "depth") == 0 and _is_fetched(entry)
        ]
        went += [name for name in _built_from(builds) if name not in locked and name not in went]
        missing = self._missing(locked)
        for names, what in (
            (came, f"{_MANIFEST} asks for {{}}, which Unity has not resolved yet"),
            (went, "{} was removed since the last build"),
            ([name for name in missing if name not in came], f"{{}} isn't in {_CACHE}"),
        ):
            if names:
                yield f"Packages were not checked as they are: {what.format(_some(names))}."

    def _missing(self, locked: Mapping[str, Any]) -> list[str]:
        """Packages that were resolved, and that Unity hasn't fetched here."""
        try:
            there = {name.partition("@")[0] for name in os.listdir(self._root / _CACHE)}  # noqa: PTH208
        except OSError:
            return []
        return [name for name, each in locked.items() if _is_fetched(each) and name not in there]

    def _symbols(self, builds: BuildSet) -> Iterator[str]:
        of_builds = list(builds.by_assembly.values())
        stamp = stamp_of(self._root / _SETTINGS)
        if stamp is None or not of_builds or stamp[0] <= max(each.built_ns for each in of_builds):
            return
        defined = frozenset().union(*(each.symbols for each in of_builds))
        platform = next((name for symbol, name in _PLATFORMS if symbol in defined), None)
        if platform is None:
            return
        by_platform = settings_symbols(bounded_text(self._root / _SETTINGS, _MAX_BYTES))
        new = sorted(by_platform.get(platform, frozenset()) - defined)
        if new:
            yield f"Code was not checked under symbols that are newer than the build: {_some(new)}."


def _dependencies(file: Path) -> Mapping[str, Any]:
    try:
        content: Any = json.loads(bounded_text(file, _MAX_BYTES))
    except (ValueError, RecursionError):
        return {}
    found = content.get("dependencies") if isinstance(content, dict) else None
    return found if isinstance(found, dict) else {}


def _field(entry: Any, name: str) -> Any:
    return entry.get(name) if isinstance(entry, dict) else None


def _is_fetched(entry: Any) -> bool:
    return _field(entry, "source") in _FETCHED


def _is_new(wanted: Any, locked: Any) -> bool:
    """Whether a package that is asked for is not the one that was resolved, or an older one."""
    if locked is None:
        return True
    asked = _NUMBERS.match(str(wanted))
    has = _NUMBERS.match(str(_field(locked, "version")))
    # Another package may have asked for a newer one.
    return bool(asked and has and tuple(map(int, has.groups())) < tuple(map(int, asked.groups())))


def _built_from(builds: BuildSet) -> Iterator[str]:
    """The fetched packages whose scripts were compiled."""
    found = (_of_package(build) for build in builds.by_assembly.values())
    yield from sorted({name for name in found if name is not None})


def _of_package(build: Build) -> str | None:
    match = _IN_CACHE.match(build.sources[0]) if build.sources else None
    return match[1] if match else None


def _some(names: Iterable[str]) -> str:
    listed = sorted(names)
    return ", ".join(listed[:3]) + (f" and {len(listed) - 3} more" if len(listed) > 3 else "")
