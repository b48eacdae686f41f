"""Libraries that came into the project since Unity last built it.

Part of docs/design/roslyn.md §3 "References": Unity has nearly every assembly refer to a managed
library that lies in the project, and asks its ``.meta`` for which. What the library holds is not
known to a build that it is newer than; so what looks wrong may be right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from roslyn_server.projects.builds import (
    BuildSet,
    assembly_name,
    bounded_text,
    modified_ns,
    stamp_of,
)

_MAX_BYTES = 64 * 1024 * 1024
_METADATA = b"BSJB"
"""What the metadata of a managed library begin with: ECMA-335 §II.24.2.1."""

_FOR = r":[^\n]*\n(?:[ \t]*second:[ \t]*\n)?[ \t]*enabled: 1"
_FOR_ANY = re.compile(r"\bAny" + _FOR)
_FOR_EDITOR = re.compile(r"\bEditor" + _FOR)
_NOT_BY_ITSELF = re.compile(
    r"isExplicitlyReferenced: 1|^- RoslynAnalyzer\b|defineConstraints:[ \t]*\n", re.MULTILINE
)


class NewLibraries:
    """Looks at the libraries of the project at ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._managed: dict[str, tuple[object, bool]] = {}
        self._referred_to: dict[str, tuple[object, bool]] = {}

    def since(self, builds: BuildSet, libraries: Iterable[str]) -> tuple[str, ...]:
        """Those of the project-relative ``libraries`` that no build can know of."""
        known = {
            name.casefold()
            for build in builds.by_assembly.values()
            for name in (*build.references, *(each.stem for each in build.analyzers))
        }
        built = max((build.built_ns for build in builds.by_assembly.values()), default=0)
        return tuple(
            sorted(
                each
                for each in libraries
                if assembly_name(PurePosixPath(each).name).casefold() not in known
                and self._is_newer(each, built)
                and self._is_managed(each)
            )
        )

    def _is_newer(self, library: str, built: int) -> bool:
        """Whether Unity had not imported it, as its ``.meta`` tells, or not as it is.

        One that is older, and that Unity would have had assemblies refer to, was not there.
        """
        meta = f"{self._root}/{library}.meta"
        stamp = stamp_of(meta)
        if stamp is None or max(stamp[0], modified_ns(f"{self._root}/{library}")) > built:
            return True
        known = self._referred_to.get(library)
        if known is None or known[0] != stamp:
            known = self._referred_to[library] = stamp, _is_referred_to(bounded_text(meta))
        return known[1]

    def _is_managed(self, library: str) -> bool:
        path = self._root / library
        stamp = stamp_of(path)
        known = self._managed.get(library)
        if known is None or known[0] != stamp:
            try:
                is_managed = stamp is not None and stamp[1] <= _MAX_BYTES
                is_managed = is_managed and path.is_file() and _METADATA in path.read_bytes()
            except OSError:
                is_managed = False
            known = self._managed[library] = stamp, is_managed
        return known[1]


def _is_referred_to(meta: str) -> bool:
    """Whether the Editor's assemblies refer to a library without naming it, by its ``.meta``."""
    if "PluginImporter:" not in meta or _NOT_BY_ITSELF.search(meta):
        return False
    for_any = _FOR_ANY.search(meta) is not None and "Exclude Editor: 1" not in meta
    return for_any or _FOR_EDITOR.search(meta) is not None
