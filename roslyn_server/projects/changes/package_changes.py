"""Compare a project's packages with its last build.

The manifest is compared with the lock file, and the lock file with the packages that were compiled.
Times don't count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from roslyn_server.projects.build import BuildSet, first_few
from roslyn_server.projects.changes.definition_changes import Snapshot, excludes_assembly
from roslyn_server.projects.definitions.all_definitions import definitions_below
from roslyn_server.projects.definitions.version_conditions import order_of
from roslyn_server.projects.packages.manifests import (
    CACHE,
    MANIFEST,
    Packages,
    fetched_from,
    json_file,
    value_of,
)

_FETCHED = frozenset(("registry", "git", "local-tarball"))
"""Sources of packages that Unity fetches into its cache."""

_IS_VERSION = re.compile(r"^\d+\.\d+\.\d+")
_OF_EDITOR = ("com.unity.modules.", "com.unity.feature.")
"""Name prefixes of packages that every Editor has, without scripts."""

_HASH_DIGITS = 10
"""Length of the commit hash in a package folder's name."""


def package_changes(snapshot: Snapshot) -> Iterator[str]:
    """Yield each change as a sentence."""
    packages, builds = snapshot.packages, snapshot.builds
    if packages.faults:
        yield f"Packages were not checked as they are: {packages.faults[0]}."
        return
    built = _built_from(builds)
    if packages.wanted is None:
        if packages.locked is not None:
            yield f"Packages were not checked as they are: {MANIFEST} isn't there."
        return
    if packages.locked is None:
        unresolved = [each for each in packages.wanted if _is_unseen(each, packages)]
        if unresolved:
            yield f"Packages were not checked as they are: {_asks(unresolved)}."
        return
    yield from _resolved_changes(snapshot, packages.wanted, packages.locked, built)


def _resolved_changes(
    snapshot: Snapshot, wanted: Mapping[str, Any], locked: Mapping[str, Any], built: dict[str, str]
) -> Iterator[str]:
    packages = snapshot.packages
    embedded = packages.embedded or {}
    came = [
        name
        for name, version in wanted.items()
        if name not in embedded and _differs_from_lock(name, version, locked)
    ]
    went = [
        name
        for name, entry in locked.items()
        if name not in wanted
        and name not in embedded
        and (value_of(entry, "depth") == 0 or value_of(entry, "source") == "embedded")
    ]
    went += [each for each in built if each not in locked and each not in (*went, *embedded)]
    other = [
        name
        for name, at in built.items()
        if name not in (*came, *went, *embedded)
        and _differs_from_build(snapshot.root / CACHE / f"{name}@{at}", locked.get(name))
    ]
    other += [
        name for name, each in embedded.items() if _is_replaced(each.version, locked.get(name))
    ]
    there = {name.partition("@")[0] for name in packages.cached}
    missing = [
        name
        for name, entry in locked.items()
        if there and _is_fetched(name, entry) and name not in (*there, *came, *embedded)
    ]
    for each in filter(None, (*embedded.values(), *packages.local.values())):
        needed = [
            name
            for name, version in each.needs.items()
            if name not in embedded and _is_unresolved(version, locked.get(name))
        ]
        if needed:
            asks = _asks(needed, f"{each.folder}/package.json")
            yield f"Packages were not checked as they are: {asks}."
    away = [
        name
        for name, each in packages.local.items()
        if each is None and name not in (*came, *went, *embedded)
    ]
    homeless = _without_description(packages, builds=snapshot.builds)
    known = {*built, *came, *went, *other, *missing, *embedded}
    unbuilt = [name for name in locked if _is_unbuilt(name, snapshot, is_known=name in known)]
    for names, what in (
        (came, _asks(came)),
        (unbuilt, f"{_first_few(unbuilt)} isn't in the last build yet, or not all of it"),
        (went, f"{_first_few(went)} was removed since the last build"),
        (other, f"{_first_few(other)} changed version since the last build"),
        (missing, f"{_first_few(missing)} isn't in {CACHE}"),
        (away, f"{_first_few(away)} isn't in the folder that the manifest names"),
        (homeless, f"{_first_few(homeless)} lost its package.json since the last build"),
    ):
        if names:
            yield f"Packages were not checked as they are: {what}."


def _asks(names: list[str], by: str = MANIFEST) -> str:
    return f"{by} asks for {_first_few(names)}, which Unity has not resolved yet"


def _without_description(packages: Packages, builds: BuildSet) -> list[str]:
    """Return compiled folders in Packages that are no longer packages."""
    described = {each.folder for each in (packages.embedded or {}).values()}
    folders = {
        "/".join(script.split("/", 2)[:2])
        for build in builds.by_assembly.values()
        for script in build.sources[:1]
        if script.startswith("Packages/")
    }
    return sorted(folders - described)


def _is_unresolved(version: str, entry: Any) -> bool:
    """Return whether a dependency wasn't resolved, or only to an older version."""
    if entry is None or value_of(entry, "source") not in ("registry", "embedded"):
        return entry is None
    asked, has = order_of(version), order_of(str(value_of(entry, "version")))
    return value_of(entry, "source") == "embedded" or bool(asked and has and asked > has)


def _is_unbuilt(name: str, snapshot: Snapshot, *, is_known: bool) -> bool:
    """Return whether Unity compiles assemblies of a fetched package that no build has.

    For a package that ``is_known`` these are its tests, if ``testables`` names it.
    """
    tests = name in snapshot.packages.tested
    if is_known and not tests:
        return False
    return any(
        each.name not in snapshot.builds.by_assembly
        and (tests if each.is_for_tests else not is_known)
        and not excludes_assembly(each, snapshot)
        and any(each.file.parent.rglob("*.cs"))
        for at in snapshot.packages.cached
        if at.partition("@")[0] == name
        for each in definitions_below(snapshot.root / CACHE / at)
    )


def _is_unseen(name: str, packages: Packages) -> bool:
    """Return whether, without a lock file, no sign shows that Unity ever had the package."""
    if name in (packages.embedded or {}) or name.startswith(_OF_EDITOR):
        return False
    wanted = str((packages.wanted or {})[name])
    at = [each.partition("@")[2] for each in packages.cached if each.partition("@")[0] == name]
    if not _IS_VERSION.match(wanted):
        return not at
    return not any(each == wanted or not _IS_VERSION.match(each) for each in at)


def _differs_from_lock(name: str, wanted: Any, locked: Mapping[str, Any]) -> bool:
    entry = locked.get(name)
    asked, has = str(wanted), str(value_of(entry, "version"))
    if entry is None or value_of(entry, "source") == "embedded":  # the embedded package is gone
        return True
    if asked == has:
        return False
    if not _IS_VERSION.match(asked) or not _IS_VERSION.match(has):
        return True
    if value_of(entry, "source") == "builtin":
        return False  # the Editor has only one version of it
    lower, higher = order_of(asked), order_of(has)
    if lower is None or higher is None or lower >= higher:
        return True
    # A newer one is there because another package asked for it.
    others = (value_of(each, "dependencies") for other, each in locked.items() if other != name)
    return not any(isinstance(each, dict) and str(each.get(name)) == has for each in others)


def _differs_from_build(folder: Path, entry: Any) -> bool:
    """Return whether the compiled folder isn't of the locked version."""
    source, at = value_of(entry, "source"), folder.name.partition("@")[2]
    if source == "registry":
        # Unity 6 names folders by a hash; the version is in a file there.
        has = at if _IS_VERSION.match(at) else json_file(folder / "package.json").get("version")
        return has is not None and has != str(value_of(entry, "version"))
    if source == "git":
        return len(at) == _HASH_DIGITS and not str(value_of(entry, "hash") or at).startswith(at)
    return False


def _is_replaced(version: str, entry: Any) -> bool:
    """Return whether the embedded package's version isn't the locked one."""
    source = value_of(entry, "source")
    if source in ("registry", "builtin"):
        return version != str(value_of(entry, "version"))
    return source in ("local", "local-tarball")


def _is_fetched(name: str, entry: Any) -> bool:
    source = value_of(entry, "source")
    return source in _FETCHED or (source == "builtin" and not name.startswith(_OF_EDITOR))


def _built_from(builds: BuildSet) -> dict[str, str]:
    """Return the fetched packages that were compiled, with their folders' suffixes."""
    first = (build.sources[0] for build in builds.by_assembly.values() if build.sources)
    return dict(sorted(each for each in map(fetched_from, first) if each is not None))


def _first_few(names: Iterable[str]) -> str:
    return first_few(sorted(names))
