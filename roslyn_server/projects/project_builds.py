"""How the script at a path is compiled, as far as the project's last build still tells.

Implements docs/design/roslyn.md §3 "References". Looked at anew for each question: a build that was
good a moment ago is stale once an ``.asmdef`` has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from roslyn_server.projects.assembly_definitions import (
    PREDEFINED,
    AssemblyDefinition,
    definition_of,
)
from roslyn_server.projects.bee_builds import BeeBuilds
from roslyn_server.projects.builds import Build, Composition, Unknown, modified_ns
from roslyn_server.projects.csproj_builds import CsprojBuilds
from roslyn_server.projects.project_scripts import ProjectScripts, assembly_of

_RESPONSE_FILE = "csc.rsp"
_GENERATOR_MARK = b"GeneratorAttribute"
_HARMLESS_GENERATORS = frozenset(
    ("Unity.SourceGenerators.dll", "Unity.Properties.SourceGenerator.dll")
)
"""Unity's own, in every build; nothing that they generate is named in scripts."""


_MAX_SEARCHED = 4_000
"""Scripts of other assemblies that are searched for a name."""


class ProjectBuilds:
    """The builds of the project at ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._bee = BeeBuilds(root)
        self._csproj = CsprojBuilds(root)
        self._scripts = ProjectScripts(root)
        self._generators: dict[Path, tuple[int, bool]] = {}

    def build_of(self, script: str) -> Build | Unknown:
        """The build that compiled the script, or will, whether or not it is stale."""
        known = self._known()
        if isinstance(known, Unknown):
            return known
        build = known.build_of(script)
        if build is None and (self._root / script).is_file():
            # Newer than the build: it belongs by its folder, as Unity will have it.
            build = known.build(assembly_of(script, definition_of(self._root, script)))
        if build is None:
            what = "Unity's last build" if known is self._bee else "the project files"
            message = f"Names and types were not checked: the file isn't in {what} yet."
            return Unknown("not_in_last_build", message)
        return build

    def _known(self) -> BeeBuilds | CsprojBuilds | Unknown:
        if self._bee.response_files():
            return self._bee
        if self._csproj.files():
            return self._csproj
        message = (
            "Names and types were not checked: no references are known, for the project has "
            "neither Library/Bee nor .csproj files. Open it in Unity once."
        )
        return Unknown("no_references", message)

    def composition(self, script: str, build: Build) -> Composition | Unknown:
        """What the script's assembly consists of now; or why that can't be told from its build."""
        looking = _Look(script, self._scripts.by_assembly())
        found = self._composition(build, definition_of(self._root, script), looking)
        if isinstance(found, Composition) and script not in found.sources:
            message = f"Names and types were not checked: the file isn't part of {build.assembly}."
            return Unknown("not_in_last_build", message)
        return found

    def compositions(self) -> dict[str, Composition | Unknown] | Unknown:
        """Every assembly by its name: what it consists of now, or why that can't be told.

        Assemblies that Unity doesn't compile, as it is set up, aren't among them.
        """
        known = self._known()
        if isinstance(known, Unknown):
            return known
        looking = _Look("", self._scripts.by_assembly())
        builds = known.builds()
        found: dict[str, Composition | Unknown] = {}
        for name, build in builds.items():
            sources = self._sources(build, looking)
            if not sources:
                message = f"{name} was not checked: none of its scripts is there any more."
                found[name] = Unknown("references_stale", message)
                continue
            found[name] = self._composition(build, definition_of(self._root, sources[0]), looking)
        for name in looking.scripts.keys() - builds.keys() - {""}:
            message = f"{name} was not checked: it isn't in Unity's last build yet."
            found[name] = Unknown("not_in_last_build", message)
        return found

    def owner(self, script: str) -> str:
        """The assembly of a script, which may not be there yet; ``""`` where that can't be told."""
        known = self._known()
        build = known.build_of(script) if not isinstance(known, Unknown) else None
        if build is not None:
            return build.assembly
        return assembly_of(script, definition_of(self._root, script))

    def _composition(
        self, build: Build, definition: AssemblyDefinition | None, looking: _Look
    ) -> Composition | Unknown:
        change = self._change(build, definition, looking)
        if change is not None:
            message = f"Names and types were not checked: {change} since the last build."
            return Unknown("references_stale", message)
        generator = next((path for path in build.analyzers if self._generates(path)), None)
        if generator is not None:
            message = (
                f"Names and types were not checked: {generator.name} generates sources, which "
                "are not made here."
            )
            return Unknown("source_generators", message)
        # Two definitions that refer to each other, which Unity refuses, would never end.
        looking.composed[build.assembly] = None
        in_memory = []
        for other in self._dependencies(build):
            if other.assembly not in looking.composed and self._has_changed(other, looking):
                # It stands in for its library, so what it is made of must be known as well.
                first = next(iter(other.sources), "")
                found = self._composition(other, definition_of(self._root, first), looking)
                if isinstance(found, Unknown):
                    return found
            known = looking.composed.get(other.assembly)
            if known is not None:
                in_memory.append(known)
        made = Composition(build, self._sources(build, looking), tuple(in_memory))
        looking.composed[build.assembly] = made
        return made

    def _sources(self, build: Build, looking: _Look) -> tuple[str, ...]:
        """Those that it was built from, without what is gone; then what has come since."""
        listed = set(build.sources)
        standing = [
            each
            for each in build.sources
            if each == looking.script or (self._root / each).is_file()
        ]
        present = looking.scripts.get(build.assembly, ())
        return (*standing, *(each for each in present if each not in listed))

    def _dependencies(self, build: Build) -> list[Build]:
        known = self._known()
        if isinstance(known, Unknown):
            return []
        found = (known.build(name) for name in sorted(build.references))
        return [each for each in found if each is not None]

    def _has_changed(self, build: Build, looking: _Look) -> bool:
        """Whether its library is older than its scripts are."""
        sources = self._sources(build, looking)
        return sources != build.sources or any(
            modified_ns(self._root / source) > build.built_ns for source in sources
        )

    def dependents(self, build: Build, names: Iterable[str]) -> list[str]:
        """The assemblies that refer to the build's, and in which one of ``names`` is mentioned.

        Without names, all of them; and those whose scripts are too many to be searched.
        """
        known = self._known()
        if isinstance(known, Unknown):
            return []
        words = [name.encode() for name in names]
        present = self._scripts.by_assembly()
        found, searched = [], 0
        for name, other in sorted(known.builds().items()):
            if build.assembly not in other.references or name == build.assembly:
                continue
            sources = {*other.sources, *present.get(name, ())}
            searched += len(sources)
            unsearched = searched > _MAX_SEARCHED or not words
            if unsearched or any(self._mentions(each, words) for each in sources):
                found.append(name)
        return found

    def _mentions(self, script: str, words: list[bytes]) -> bool:
        try:
            text = (self._root / script).read_bytes()
        except OSError:
            return False
        return any(word in text for word in words)

    def _change(
        self, build: Build, definition: AssemblyDefinition | None, looking: _Look
    ) -> str | None:
        """What has changed since the build, if anything has that matters."""
        built = max(build.stamp[0], self._bee.built_ns())
        expected = definition.name if definition is not None else None
        if definition is None and build.assembly not in PREDEFINED:
            return f"the assembly definition of {build.assembly} was removed"
        if definition is not None and build.assembly in PREDEFINED:
            return f"{definition.file.name} was added"
        if definition is not None and expected is not None and expected != build.assembly:
            return f"{definition.file.name} came to claim the file"
        claimed = _claimed(build, looking)
        if claimed is not None:
            return claimed
        if definition is not None and modified_ns(definition.file) > built:
            changed = self._redefined(definition, build)
            if changed is not None:
                return changed
        for folder in (self._root / "Assets", definition.file.parent if definition else None):
            if folder is not None and modified_ns(folder / _RESPONSE_FILE) > built:
                return f"{folder.name}/{_RESPONSE_FILE} changed"
        return None

    def _redefined(self, definition: AssemblyDefinition, build: Build) -> str | None:
        """How a definition that was written since the build differs from it, as far as it shows."""
        name = definition.file.name
        if definition.allows_unsafe != build.allows_unsafe:
            return f"{name} {'gained' if definition.allows_unsafe else 'lost'} allowUnsafeCode"
        if any(reference not in build.references for reference in definition.references):
            return f"{name} changed"  # a GUID says nothing of what it names
        if not definition.is_plain:
            return f"{name} changed"  # its conditions and platforms are not in the build
        known = self._known()
        others = known.builds() if not isinstance(known, Unknown) else {}
        lost = sorted(build.references.intersection(others) - set(definition.references))
        return f"{name} lost its reference to {lost[0]}" if lost else None

    def _generates(self, library: Path) -> bool:
        """Whether an analyzer also generates sources that scripts may name."""
        if library.name in _HARMLESS_GENERATORS:
            return False
        stamp = modified_ns(library)
        known = self._generators.get(library)
        if known is None or known[0] != stamp:
            try:
                known = stamp, _GENERATOR_MARK in library.read_bytes()
            except OSError:
                known = stamp, False
            self._generators[library] = known
        return known[1]


@dataclass(frozen=True, slots=True)
class _Look:
    """What one question has seen: the scripts there are, and the assemblies made of them.

    ``script`` is what it is about, which may be on its way to the disk.

    An assembly that is being looked at, or that can be had as its library, is ``None``.
    """

    script: str
    scripts: Mapping[str, tuple[str, ...]]
    composed: dict[str, Composition | None] = field(default_factory=dict)


def _claimed(build: Build, looking: _Look) -> str | None:
    """A script of the assembly that another definition has come to claim."""
    listed = set(build.sources)
    for assembly, scripts in looking.scripts.items():
        if assembly in ("", build.assembly) or assembly in PREDEFINED:
            continue
        moved = listed.intersection(scripts)
        if moved:
            return f"{min(moved)} came to belong to {assembly}"
    return None
