"""How the script at a path is compiled, as far as the project's last build still tells.

Implements docs/design/roslyn.md §3 "References". Looked at anew for each question: a build that was
good a moment ago is stale once an ``.asmdef`` has changed.
"""

from __future__ import annotations

from pathlib import Path

from roslyn_server.projects.assembly_definitions import (
    PREDEFINED,
    AssemblyDefinition,
    definition_of,
)
from roslyn_server.projects.bee_builds import BeeBuilds
from roslyn_server.projects.builds import Build, Unknown, modified_ns
from roslyn_server.projects.csproj_builds import CsprojBuilds

_RESPONSE_FILE = "csc.rsp"
_GENERATOR_MARK = b"GeneratorAttribute"
_HARMLESS_GENERATORS = frozenset(
    ("Unity.SourceGenerators.dll", "Unity.Properties.SourceGenerator.dll")
)
"""Unity's own, in every build; nothing that they generate is named in scripts."""


class ProjectBuilds:
    """The builds of the project at ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._bee = BeeBuilds(root)
        self._csproj = CsprojBuilds(root)
        self._generators: dict[Path, tuple[int, bool]] = {}

    def build_of(self, script: str) -> Build | Unknown:
        """The build that compiled the script, whether or not it is stale."""
        if self._bee.response_files():
            build, what = self._bee.build_of(script), "Unity's last build"
        elif self._csproj.files():
            build, what = self._csproj.build_of(script), "the project files"
        else:
            message = (
                "Names and types were not checked: no references are known, for the project has "
                "neither Library/Bee nor .csproj files. Open it in Unity once."
            )
            return Unknown("no_references", message)
        if build is None:
            message = f"Names and types were not checked: the file isn't in {what} yet."
            return Unknown("not_in_last_build", message)
        return build

    def objection(self, script: str, build: Build) -> Unknown | None:
        """Why the script's build no longer tells how it would be compiled now."""
        change = self._change(script, build)
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
        return None

    def _change(self, script: str, build: Build) -> str | None:
        """What has changed since the build, if anything has that matters."""
        built = max(build.stamp[0], self._bee.built_ns())
        definition = definition_of(self._root, script)
        expected = definition.name if definition is not None else None
        if definition is None and build.assembly not in PREDEFINED:
            return f"the assembly definition of {build.assembly} was removed"
        if definition is not None and build.assembly in PREDEFINED:
            return f"{definition.file.name} was added"
        if definition is not None and expected is not None and expected != build.assembly:
            return f"{definition.file.name} came to claim the file"
        if definition is not None and modified_ns(definition.file) > built:
            changed = self._gained(definition, build)
            if changed is not None:
                return changed
        for folder in (self._root / "Assets", definition.file.parent if definition else None):
            if folder is not None and modified_ns(folder / _RESPONSE_FILE) > built:
                return f"{folder.name}/{_RESPONSE_FILE} changed"
        return self._changed_dependency(build)

    def _gained(self, definition: AssemblyDefinition, build: Build) -> str | None:
        """What a definition that was written since the build has that the build hadn't."""
        if definition.allows_unsafe and not build.allows_unsafe:
            return f"{definition.file.name} gained allowUnsafeCode"
        if any(reference not in build.references for reference in definition.references):
            return f"{definition.file.name} changed"  # a GUID says nothing of what it names
        return None

    def _changed_dependency(self, build: Build) -> str | None:
        """Another assembly of the project whose sources changed, so that its library is old."""
        builds = self._bee if build.origin.suffix == ".rsp" else self._csproj
        for dependency in builds.dependencies(build):
            for source in sorted(dependency.sources):
                if modified_ns(self._root / source) > dependency.built_ns:
                    return f"{source}, which {build.assembly} depends on, changed"
        return None

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
