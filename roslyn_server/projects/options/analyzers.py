"""Find the analyzers and source generators of a build, and the files that configure them.

Implements docs/design/roslyn.md §3 "References", "Source generators" and "Analyzers".
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath

from roslyn_server.projects.build import Build, Unknown
from roslyn_server.projects.definitions.assembly_definitions import PREDEFINED
from roslyn_server.projects.files import (
    Remembered,
    is_missing,
    is_plain_file,
    modified_ns,
    stamp_of,
)

_MAX_BYTES = 1024 * 1024


def configurations(build: Build) -> tuple[Path, ...]:
    """Return the rule sets and configurations that a build names."""
    options = (each.partition(":") for each in build.options)
    return tuple(build.folder / path for kind, _, path in options if kind in _CONFIGURATIONS)


def as_configured(build: Build) -> Build:
    """Return the build with a stamp that also covers its configurations.

    If the compiler must not read one, the build has a fault that says why.
    """
    files = configurations(build)
    numbers = (number for each in files for number in stamp_of(each) or (0,))
    stamp, fault = (*build.stamp, *numbers), build.fault or _unreadable(files)
    return replace(build, stamp=stamp, fault=fault, arguments=() if fault else build.arguments)


_CONFIGURATIONS = frozenset(("ruleset", "analyzerconfig"))


def _unreadable(files: tuple[Path, ...]) -> str | None:
    """Return why the compiler must not read one of these files; ``None`` if it may read all."""
    for file in files:
        stamp = stamp_of(file)
        if stamp is None:
            continue  # the compiler reports it
        if not is_plain_file(file):
            return f"{file.name} is no file"
        if not os.access(file, os.R_OK):
            return f"{file.name} can't be read"
        if stamp[1] > _MAX_BYTES:
            return f"{file.name} is larger than {_MAX_BYTES // 1024**2} MB"
    return None


def configuration_changes(build: Build, folder: str, files: Iterable[str]) -> Iterator[str]:
    """Yield configuration files that were added or removed, each as a clause for a message.

    ``folder`` is that of the assembly's definition, ``files`` the project's rule sets,
    configurations and additional files; all project-relative.
    """
    for each in build.options:
        kind, _, path = each.partition("@" if each.startswith("@") else ":")
        if kind in _READ and path.startswith(_OF_PROJECT) and is_missing(build.folder / path):
            yield f"{path}, which the compiler is to read, was removed"
    known = {each.lower(): each for each in files}
    for suffix, option in ((".ruleset", "ruleset"), (".globalconfig", "analyzerconfig")):
        has = [each.lower() for each in build.options if each.startswith(f"{option}:")]
        own = sorted(each for each in known if each.endswith(suffix) and _lies_in(each, folder))
        if build.assembly in PREDEFINED:
            own = [f"assets/{build.assembly}{suffix}".lower()]
        due = next((each for each in (*own, f"assets/default{suffix}") if each in known), None)
        of_unity = any(each.startswith(f"{option}:library/") for each in has)
        if due is not None and not of_unity and f"{option}:{due}" not in has:
            yield f"{known[due]} was added"
    analyzers = {each.stem.lower() for each in build.analyzers}
    for lower, path in known.items():
        analyzer = lower.removesuffix(".additionalfile").rpartition("/")[2].partition(".")[2]
        if analyzer in analyzers and f"additionalfile:{path}" not in build.options:
            yield f"{path} was added"


_READ = frozenset(("", "ruleset", "analyzerconfig", "additionalfile"))
_OF_PROJECT = ("Assets/", "Packages/")


def _lies_in(file: str, folder: str) -> bool:
    return PurePosixPath(file).parent.as_posix() == folder.lower()


_GENERATES = b"GeneratorAttribute"
_ANALYZES = b"DiagnosticAnalyzerAttribute"
"""Attribute names in the libraries' metadata."""

_UNNAMED = frozenset(("Unity.SourceGenerators.dll", "Unity.Properties.SourceGenerator.dll"))
"""Unity's own generators, in every build; scripts don't name what they generate."""

_Kinds = tuple[bool, bool]
"""Whether a library generates, and whether it analyzes."""


class CompilerExtensions:
    """Recognizes generators and analyzers; reads each library once, until it changes."""

    def __init__(self) -> None:
        self._known = Remembered[_Kinds]()

    def generators(self, build: Build) -> tuple[Path, ...]:
        """Return the build's generators that may generate names which scripts use."""
        return self._of(build, 0)

    def analyzers(self, build: Build) -> tuple[Path, ...]:
        """Return the build's analyzers."""
        return self._of(build, 1)

    def objection(self, build: Build) -> Unknown | None:
        """Return why names were not checked: a library that may generate sources is missing."""
        gone = next((each for each in build.analyzers if _is_gone(each)), None)
        if gone is None:
            return None
        name = PureWindowsPath(gone).name
        message = (
            f"Names and types were not checked: {name}, which may generate sources, isn't there."
        )
        return Unknown("source_generators", message)

    def _of(self, build: Build, kind: int) -> tuple[Path, ...]:
        return tuple(path for path in build.analyzers if _counts(path) and self._kinds(path)[kind])

    def _kinds(self, library: Path) -> _Kinds:
        return self._known.get(modified_ns(library), lambda: _read_kinds(library), library)


def _read_kinds(library: Path) -> _Kinds:
    try:
        data = library.read_bytes() if is_plain_file(library) else b""
    except OSError:
        data = b""
    return _GENERATES in data, _ANALYZES in data


def _counts(library: Path) -> bool:
    return PureWindowsPath(library).name not in _UNNAMED


def _is_gone(library: Path) -> bool:
    return _counts(library) and not is_plain_file(library)
