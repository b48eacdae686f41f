"""Which libraries of a build make sources of its scripts, or have opinions on them.

Part of docs/design/roslyn.md §3 "Source generators" and "Analyzers". They are recognized without
being loaded; the compiler runs them.
"""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

from roslyn_server.projects.builds import Build, Library, Unknown, is_plain_file, modified_ns

_GENERATES = b"GeneratorAttribute"
_ANALYZES = b"DiagnosticAnalyzerAttribute"
"""What such a library's metadata names."""

_UNNAMED = frozenset(("Unity.SourceGenerators.dll", "Unity.Properties.SourceGenerator.dll"))
"""Unity's own, in every build; nothing that they generate is named in scripts."""

_Kinds = tuple[bool, bool]
"""Whether a library generates, and whether it analyzes."""


class CompilerExtensions:
    """Recognizes generators and analyzers; each library is read once, until it changes."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[int, _Kinds]] = {}

    def generators(self, build: Build) -> tuple[Library, ...]:
        """The build's generators whose sources scripts may name, as they are now."""
        return self._of(build, 0)

    def analyzers(self, build: Build) -> tuple[Library, ...]:
        """The build's analyzers, as they are now."""
        return self._of(build, 1)

    def objection(self, build: Build) -> Unknown | None:
        """Why it can't be told what is generated, where a library isn't there."""
        gone = next((each for each in build.analyzers if _is_gone(each)), None)
        if gone is None:
            return None
        name = PureWindowsPath(gone).name
        message = (
            f"Names and types were not checked: {name}, which may generate sources, isn't there."
        )
        return Unknown("source_generators", message)

    def _of(self, build: Build, kind: int) -> tuple[Library, ...]:
        return tuple(
            Library(path, modified_ns(path))
            for path in build.analyzers
            if _counts(path) and self._kinds(path)[kind]
        )

    def _kinds(self, library: Path) -> _Kinds:
        stamp = modified_ns(library)
        known = self._known.get(library)
        if known is None or known[0] != stamp:
            known = self._known[library] = stamp, _read_kinds(library)
        return known[1]


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
