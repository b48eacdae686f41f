"""Find the project's managed libraries, and the assemblies that may reference them.

Every assembly references a library, unless the library's ``.meta`` says otherwise. Libraries are
compared with those of the build by content, not by time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from roslyn_server.projects.build import Build, BuildSet, assembly_name
from roslyn_server.projects.definitions.assembly_definitions import PREDEFINED, AssemblyDefinition
from roslyn_server.projects.definitions.version_conditions import unmet_constraints
from roslyn_server.projects.files import Remembered, bounded_text, is_unmerged, stamp_of
from roslyn_server.projects.packages.manifests import CACHE

_MAX_BYTES = 64 * 1024 * 1024
_METADATA = b"BSJB"
"""The signature of .NET metadata: ECMA-335 §II.24.2.1."""

_FOR = r":[^\n]*\n(?:[ \t]*second:[ \t]*\n)?[ \t]*enabled: 1"
_FOR_ANY = re.compile(r"\bAny" + _FOR)
_FOR_EDITOR = re.compile(
    r"\bEditor" + _FOR + r"(?P<settings>(?:\n(?![ \t]*- first:).*)*)", re.MULTILINE
)
_FOR_OTHER = re.compile(r"\b(?!Editor|Any)\w+" + _FOR)
_CONSTRAINTS = re.compile(
    r"^[ \t]*defineConstraints:[ \t]*\n((?:[ \t]*- .*(?:\n|$))+)", re.MULTILINE
)
_SYSTEM = re.compile(r"\bOS: (\w+)")
_FOR_32_BITS = re.compile(r"\bCPU: x86\b")
_SYSTEMS = {
    "Windows": "UNITY_EDITOR_WIN",
    "OSX": "UNITY_EDITOR_OSX",
    "Linux": "UNITY_EDITOR_LINUX",
}


@dataclass(frozen=True, slots=True)
class ProjectLibrary:
    """A library at a project-relative ``path``, as its ``.meta`` describes it."""

    path: str
    is_for_editor: bool = True
    is_for_editor_only: bool = False
    is_explicit: bool = False
    """Whether only assemblies that name it reference it."""
    is_analyzer: bool = False
    constraints: tuple[str, ...] = ()
    """Its define constraints."""
    system: str = ""
    """The symbol of the only system whose Editor loads it; empty if all do."""
    is_unmerged: bool = False
    """Whether the ``.meta`` has conflict markers."""

    @property
    def name(self) -> str:
        """Its file name."""
        return PurePosixPath(self.path).name

    def why_not(self, symbols: frozenset[str]) -> str:
        """Return why the Editor doesn't load the library under ``symbols``; ``""`` if it does."""
        if self.is_unmerged:
            return "has conflict markers of a merge"
        if not self.is_for_editor:
            return "excludes the Editor"
        if self.system and self.system not in symbols and not symbols.isdisjoint(_SYSTEMS.values()):
            return "excludes this system's Editor"
        unmet = unmet_constraints(self.constraints, symbols)
        return f"requires {unmet[0]}" if unmet else ""


class Libraries:
    """Reads the libraries of the project at ``root``; each again only after it has changed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._managed = Remembered[bool]()
        self._libraries = Remembered[ProjectLibrary]()

    def read(self, paths: Iterable[str]) -> tuple[ProjectLibrary, ...]:
        """Return the managed libraries among the project-relative ``paths``."""
        return tuple(self._library(each) for each in sorted(paths) if self._is_managed(each))

    def _library(self, path: str) -> ProjectLibrary:
        meta = f"{self._root}/{path}.meta"
        return self._libraries.get(
            stamp_of(meta), lambda: _read_meta(path, bounded_text(meta)), path
        )

    def _is_managed(self, library: str) -> bool:
        path = self._root / library
        stamp = stamp_of(path)

        def has_metadata() -> bool:
            try:
                is_small = stamp is not None and stamp[1] <= _MAX_BYTES
                return is_small and path.is_file() and _METADATA in path.read_bytes()
            except OSError:
                return False

        return self._managed.get(stamp, has_metadata, library)


def _read_meta(path: str, meta: str) -> ProjectLibrary:
    """Read a ``.meta``. A setting that it leaves out has Unity's default."""
    is_analyzer = re.search(r"^- RoslynAnalyzer\b", meta, re.MULTILINE) is not None
    is_explicit = "isExplicitlyReferenced: 1" in meta
    if is_unmerged(meta):
        return ProjectLibrary(path, is_unmerged=True)
    if "platformData:" not in meta:
        return ProjectLibrary(path, is_explicit=is_explicit, is_analyzer=is_analyzer)
    for_any, for_editor = _FOR_ANY.search(meta), _FOR_EDITOR.search(meta)
    listed = _CONSTRAINTS.search(meta)
    constraints = listed[1].splitlines() if listed else ()
    settings = for_editor["settings"] if for_editor and not for_any else ""
    system = _SYSTEM.search(settings)
    return ProjectLibrary(
        path,
        "Exclude Editor: 1" not in meta
        if for_any
        else for_editor is not None and _FOR_32_BITS.search(settings) is None,
        for_any is None and _FOR_OTHER.search(meta) is None,
        is_explicit,
        is_analyzer,
        tuple(each.strip().removeprefix("-").strip().strip("'\"") for each in constraints),
        _SYSTEMS.get(system[1], "") if system else "",
    )


def library_changes(
    build: Build,
    definition: AssemblyDefinition | None,
    libraries: tuple[ProjectLibrary, ...],
    builds: BuildSet,
) -> Iterator[str]:
    """Yield changes of an assembly's references to libraries, each as a clause for a message."""
    symbols = builds.common_symbols
    tells_analyzers = build.origin.suffix == ".rsp"  # not every code editor's project file does
    overrides = definition is not None and definition.overrides_references
    analyzers, others = build.own_analyzers, builds.by_assembly.values()
    built = {name.casefold() for each in builds.by_assembly.values() for name in each.references}
    for each in libraries:
        why_not = each.why_not(symbols)
        if each.path in analyzers and not each.is_analyzer:
            yield f"{each.name} is no longer an analyzer"
        elif (
            each.is_analyzer
            and tells_analyzers
            and not any(each.path in other.own_analyzers for other in others)
        ):
            yield f"{each.path}, an analyzer, was added"
        if each.path in build.plugins:
            if why_not:
                yield f"{each.name}.meta changed, and {why_not},"
            elif each.is_explicit and not overrides:
                yield f"{each.name} is now referenced only where it is named"
        elif why_not or each.is_explicit or each.is_analyzer:
            continue
        elif each.path not in builds.plugins:
            if assembly_name(each.name).casefold() not in built:
                yield f"{each.path} was added"
        elif not overrides and _may_use(build, definition, each):
            yield f"{each.name} began to be referenced"


def _may_use(build: Build, definition: AssemblyDefinition | None, library: ProjectLibrary) -> bool:
    """Return whether the assembly references a library automatically."""
    if build.assembly in PREDEFINED:
        return "-Editor" in build.assembly or not library.is_for_editor_only
    return definition is not None and not definition.fault


def namesakes(
    libraries: tuple[ProjectLibrary, ...], builds: BuildSet, defined: Iterable[str]
) -> Iterator[str]:
    """Yield libraries that share a name; Unity takes one of them or refuses both.

    ``defined`` are the names of the assemblies with definitions.
    """
    symbols = builds.common_symbols
    known = {f"{each}.dll".casefold(): f"the assembly {each}" for each in defined}
    fetched = (each for each in sorted(builds.plugins) if each.startswith(f"{CACHE}/"))
    known.update((PurePosixPath(each).name.casefold(), each) for each in fetched)
    for each in libraries:
        if each.is_analyzer or each.why_not(symbols):
            continue
        other = known.setdefault(each.name.casefold(), each.path)
        if other != each.path:
            both = f"{other} and {each.path}"
            yield f"It is not known which library Unity uses: {both} have the same name."
