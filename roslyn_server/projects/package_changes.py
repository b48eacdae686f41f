"""What changed of a project's packages since Unity last built it.

Part of docs/design/roslyn.md §3 "References". What the manifest asks for is held against what was
resolved, and that against what was compiled; no file's time says anything of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from roslyn_server.projects.builds import BuildSet
from roslyn_server.projects.packages import CACHE, MANIFEST, Packages, fetched_from, field
from roslyn_server.projects.version_conditions import order_of

_FETCHED = frozenset(("registry", "git"))
"""Sources of packages that Unity fetches into its cache."""

_IS_VERSION = re.compile(r"^\d+\.\d+\.\d+")
_OF_EDITOR = "com.unity.modules."
"""What the names of packages begin with that every Editor has, and that hold no scripts."""

_HASH_DIGITS = 10
"""How much of a commit's hash a package's folder is called by."""


def package_changes(packages: Packages, builds: BuildSet) -> Iterator[str]:
    """Each as a sentence."""
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
    yield from _told(packages, packages.wanted, packages.locked, built)


def _told(
    packages: Packages, wanted: Mapping[str, Any], locked: Mapping[str, Any], built: dict[str, str]
) -> Iterator[str]:
    embedded = packages.embedded or {}
    came = [
        name
        for name, version in wanted.items()
        if name not in embedded and _is_other(name, version, locked)
    ]
    went = [
        name
        for name, entry in locked.items()
        if name not in wanted
        and name not in embedded
        and (field(entry, "depth") == 0 or field(entry, "source") == "embedded")
    ]
    went += [each for each in built if each not in locked and each not in (*went, *embedded)]
    other = [
        name
        for name, at in built.items()
        if name not in (*came, *went, *embedded) and _is_elsewhere(at, locked.get(name))
    ]
    other += [
        name for name, each in embedded.items() if _is_replaced(each.version, locked.get(name))
    ]
    there = {name.partition("@")[0] for name in packages.cached}
    missing = [
        name
        for name, entry in locked.items()
        if there and _is_fetched(entry) and name not in (*there, *came, *embedded)
    ]
    for names, what in (
        (came, _asks(came)),
        (went, f"{some_of(went)} was removed since the last build"),
        (other, f"{some_of(other)} came in another version since the last build"),
        (missing, f"{some_of(missing)} isn't in {CACHE}"),
    ):
        if names:
            yield f"Packages were not checked as they are: {what}."


def _asks(names: list[str]) -> str:
    return f"{MANIFEST} asks for {some_of(names)}, which Unity has not resolved yet"


def _is_unseen(name: str, packages: Packages) -> bool:
    """Whether nothing tells that Unity ever had the package, where there is no lock file."""
    if name in (packages.embedded or {}) or name.startswith(_OF_EDITOR):
        return False
    wanted = str((packages.wanted or {})[name])
    at = [each.partition("@")[2] for each in packages.cached if each.partition("@")[0] == name]
    if not _IS_VERSION.match(wanted):
        return not at
    return not any(each == wanted or not _IS_VERSION.match(each) for each in at)


def _is_other(name: str, wanted: Any, locked: Mapping[str, Any]) -> bool:
    """Whether what is asked for is not what was resolved."""
    entry = locked.get(name)
    asked, has = str(wanted), str(field(entry, "version"))
    if entry is None or field(entry, "source") == "embedded":  # nor does that lie there any more
        return True
    if asked == has:
        return False
    if not _IS_VERSION.match(asked) or not _IS_VERSION.match(has):
        return True
    if field(entry, "source") == "builtin":
        return False  # the Editor has one version of it, whatever is asked for
    lower, higher = order_of(asked), order_of(has)
    if lower is None or higher is None or lower >= higher:
        return True
    # A newer one is there because another package asked for it.
    others = (field(each, "dependencies") for other, each in locked.items() if other != name)
    return not any(isinstance(each, dict) and str(each.get(name)) == has for each in others)


def _is_elsewhere(at: str, entry: Any) -> bool:
    """Whether what was resolved is not what was compiled, by the folder that was compiled."""
    source = field(entry, "source")
    if source == "registry":
        return bool(_IS_VERSION.match(at)) and at != str(field(entry, "version"))
    if source == "git":
        return len(at) == _HASH_DIGITS and not str(field(entry, "hash") or at).startswith(at)
    return False


def _is_replaced(version: str, entry: Any) -> bool:
    """Whether a package lies in the project in another version than was resolved."""
    source = field(entry, "source")
    if source in ("registry", "builtin"):
        return version != str(field(entry, "version"))
    return source in ("local", "local-tarball")


def _is_fetched(entry: Any) -> bool:
    return field(entry, "source") in _FETCHED


def _built_from(builds: BuildSet) -> dict[str, str]:
    """The fetched packages whose scripts were compiled, and what their folders are called by."""
    first = (build.sources[0] for build in builds.by_assembly.values() if build.sources)
    return dict(sorted(each for each in map(fetched_from, first) if each is not None))


def some_of(names: Iterable[str]) -> str:
    """The first of the names, as a sentence has them, and how many more there are."""
    listed = sorted(names)
    return ", ".join(listed[:3]) + (f" and {len(listed) - 3} more" if len(listed) > 3 else "")
