"""Which libraries of a build make sources of its scripts.

Part of docs/design/roslyn.md §3 "Source generators". They are recognized without being loaded; the
compiler runs them.
"""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

from roslyn_server.projects.builds import Build, Library, Unknown, is_plain_file, modified_ns

_MARK = b"GeneratorAttribute"
"""What such a library's metadata names."""

_UNNAMED = frozenset(("Unity.SourceGenerators.dll", "Unity.Properties.SourceGenerator.dll"))
"""Unity's own, in every build; nothing that they generate is named in scripts."""


class SourceGenerators:
    """Recognizes generators; each library is read once, until it changes."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[int, bool]] = {}

    def of(self, build: Build) -> tuple[Library, ...]:
        """The build's generators whose sources scripts may name, as they are now."""
        return tuple(
            Library(path, modified_ns(path))
            for path in build.analyzers
            if _may_be_named(path) and self._generates(path)
        )

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

    def _generates(self, library: Path) -> bool:
        stamp = modified_ns(library)
        known = self._known.get(library)
        if known is None or known[0] != stamp:
            try:
                known = stamp, is_plain_file(library) and _MARK in library.read_bytes()
            except OSError:
                known = stamp, False
            self._known[library] = known
        return known[1]


def _may_be_named(library: Path) -> bool:
    return PureWindowsPath(library).name not in _UNNAMED


def _is_gone(library: Path) -> bool:
    return _may_be_named(library) and not is_plain_file(library)
