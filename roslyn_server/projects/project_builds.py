"""Decide from the last build how the scripts of a project are compiled now.

Implements docs/design/roslyn.md §3 "References". Everything is looked at for each question, and
read again only if it changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from pathlib import Path

from roslyn_server.projects.build import Build, BuildSet, Composition, Unknown
from roslyn_server.projects.builds.bee_builds import BeeBuilds
from roslyn_server.projects.builds.csproj_builds import CsprojBuilds
from roslyn_server.projects.builds.defined_builds import DefinedBuilds
from roslyn_server.projects.changes.definition_changes import Snapshot, first_change, is_excluded
from roslyn_server.projects.changes.project_changes import ProjectChanges
from roslyn_server.projects.definitions.assembly_definitions import AssemblyDefinition
from roslyn_server.projects.files import (
    Remembered,
    Stamp,
    is_dangling_link,
    is_missing,
    modified_ns,
    stamp_of,
)
from roslyn_server.projects.options.analyzers import CompilerExtensions
from roslyn_server.projects.options.command_lines import RESPONSE_FILE
from roslyn_server.projects.options.project_symbols import SETTINGS, player_settings
from roslyn_server.projects.packages.libraries import Libraries
from roslyn_server.projects.packages.manifests import CACHE, PackageFiles
from roslyn_server.projects.scripts.project_scripts import ProjectScripts, ScriptSet, assembly_of
from roslyn_server.projects.scripts.unreadable import reason_for, reasons_for, unreadable_project
from snippet_engine.storage.system.plain_file import read_plain

_MAX_SEARCHED = 4_000
"""Maximum number of scripts of other assemblies to search for a name."""

Compositions = Mapping[str, Composition | Unknown]
"""By assembly: what it consists of, or why that is unknown."""


class ProjectBuilds:
    """The builds of the project at ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._bee = BeeBuilds(root)
        self._csproj = CsprojBuilds(root)
        self._defined = DefinedBuilds(root)
        self._packages = PackageFiles(root)
        self._scripts = ProjectScripts(root, self._packages)
        self._changes = ProjectChanges(root)
        self._extensions = CompilerExtensions()
        self._libraries = Libraries(root)
        self._settings = Remembered[str]()
        self._settings_stamp: Stamp | None = None
        self._known_definitions: dict[str, AssemblyDefinition | None] = {}
        """The definitions of fetched packages' folders."""
        self._composed = Remembered[Compositions]()

    def build_of(self, script: str) -> Build | Unknown:
        """Return the build that compiled the script, or will compile it; it may be stale."""
        known = self._known()
        if isinstance(known, Unknown):
            return known
        build = known.build_of(script)
        if build is None and (self._root / script).is_file():
            # The script is newer than the build: its folder decides, as in Unity's next build.
            build = known.by_assembly.get(self._owner(script))
        if build is None:
            message = f"Names and types were not checked: the file isn't in {self._origin()} yet."
            return Unknown("not_in_last_build", message)
        return build

    def owner(self, script: str) -> str:
        """Return the assembly of a script, which need not exist yet; ``""`` if unknown."""
        known = self._known()
        build = known.build_of(script) if not isinstance(known, Unknown) else None
        return build.assembly if build is not None else self._owner(script)

    def _owner(self, script: str) -> str:
        return assembly_of(script, self._scripts.definition_of(script))

    def composition(self, script: str, build: Build) -> Composition | Unknown:
        """Return the present composition of the script's assembly, or why it is unknown."""
        found = self.compositions()
        composed = found if isinstance(found, Unknown) else found.get(build.assembly)
        if isinstance(composed, Unknown):
            return composed
        if composed is None or script not in (*composed.sources, *build.sources):
            message = f"Names and types were not checked: the file isn't part of {build.assembly}."
            return Unknown("not_in_last_build", message)
        # The script may not be on the disk yet; then its folder decides.
        owner = self._scripts.read().owners.get(script) or self._owner(script)
        if owner not in ("", build.assembly) and not script.startswith("Library/"):
            message = f"Names and types were not checked: {owner} claimed the file."
            return Unknown("references_stale", message)
        return composed

    def compositions(self) -> Compositions | Unknown:
        """Return the present composition of every assembly, or why it is unknown.

        Returns the same mapping until something changes. Leaves out assemblies that Unity doesn't
        compile.
        """
        known = self._known()
        scripts = self._scripts.read()
        if isinstance(known, Unknown):
            return self._only_defined(known, scripts)
        snapshot = self._look(known, scripts)
        of = known, scripts, snapshot.packages, snapshot.libraries, self._stamps(snapshot)
        return self._composed.get(of, lambda: self._all(snapshot))

    def changes(self) -> tuple[Unknown, ...]:
        """Return the changes since the build that may affect any assembly."""
        known = self._known()
        scripts = self._scripts.read()
        found: tuple[Unknown, ...] = ()
        if not isinstance(known, Unknown):
            snapshot = self._look(known, scripts)
            found = self._changes.since(snapshot, self._stamps(snapshot))
        for each in scripts.conflicts:
            found = (*found, Unknown("references_stale", each))
        return (*found, *reasons_for(scripts.unreadable), *self._unclaimed(scripts))

    def _unclaimed(self, scripts: ScriptSet) -> Iterator[Unknown]:
        """Yield scripts whose ``.asmref`` names an assembly by an unknown GUID."""
        folders = {each.rpartition("/")[0] for each in scripts.by_assembly.get("", ())}
        claiming = (scripts.definitions[folder] for folder in folders)
        definitions = {each.file: each for each in claiming if each is not None}
        for file in sorted(definitions):
            if definitions[file].fault:
                continue  # the definition's fault is reported
            shown = file.relative_to(self._root).as_posix()
            message = f"Scripts were not checked: {shown} names an unknown assembly."
            yield Unknown("not_in_last_build", message)

    def _only_defined(self, unknown: Unknown, scripts: ScriptSet) -> Compositions | Unknown:
        """Return why each assembly is unknown if there is no build."""
        of = unknown, scripts, self._defined.stamps()

        def reasons() -> Compositions:
            found = {name: self._defined.of(name, scripts) for name in scripts.by_assembly}
            return {
                name: each if isinstance(each, Unknown) else unknown
                for name, each in found.items()
                if each is not None
            }

        return self._composed.get(of, reasons) or unknown

    def texts_of(self, assembly: str) -> tuple[Composition, bool] | None:
        """Return the scripts and options of an assembly that can't be judged, to parse the scripts.

        Also returns whether its symbols come from a build. ``None`` if the scripts are unknown.
        """
        known = self._known()
        scripts = self._scripts.read()
        if not isinstance(known, Unknown):
            build = known.by_assembly.get(assembly)
            if build is not None and build.fault is None:
                snapshot = Snapshot(self._root, known, scripts, self._packages.read())
                sources = tuple(
                    each
                    for each in self._sources(build, snapshot)
                    if scripts.owners.get(each, "") in ("", assembly)  # unless claimed by others
                )
                return (Composition(build, sources), True) if sources else None
        defined = self._defined.of(assembly, scripts)
        return (defined, False) if isinstance(defined, Composition) else None

    def dependents(self, build: Build, names: Iterable[str]) -> list[str]:
        """Return the assemblies that reference the build's assembly and mention one of ``names``.

        Without names, or if there are too many scripts to search, return all that reference the
        build's.
        """
        known = self._known()
        if isinstance(known, Unknown):
            return []
        words = [name.encode() for name in names]
        present = self._scripts.read().by_assembly
        found, searched = [], 0
        for name, other in sorted(known.by_assembly.items()):
            if build.assembly not in other.references or name == build.assembly:
                continue
            sources = {*other.sources, *present.get(name, ())}
            searched += len(sources)
            unsearched = searched > _MAX_SEARCHED or not words
            if unsearched or any(self._mentions(each, words) for each in sources):
                found.append(name)
        return found

    def excluded(self, scripts: Set[str], words: Set[str]) -> Iterator[tuple[str, str]]:
        """Yield scripts with one of the words, and their assemblies.

        A script counts if Unity doesn't compile its assembly here, as for another platform. Its
        assembly must also reference an assembly of ``scripts``.
        """
        compiled = self.compositions()
        if isinstance(compiled, Unknown):
            return
        present = self._scripts.read()
        others = sorted(present.by_assembly.keys() - compiled.keys() - {""})
        if not others:  # the usual case
            return
        references = {each.name: each.references for each in present.all_definitions}
        owners = {self.owner(each) for each in scripts}
        sought = b"|".join(re.escape(each.encode()) for each in words)
        word = re.compile(rb"(?<![\w\x80-\xff])(?:" + sought + rb")(?![\w\x80-\xff])")
        for name in others:
            if owners.isdisjoint(references.get(name, ())):
                continue
            for script in present.by_assembly[name]:
                if word.search(self._text(script)):
                    yield script, name

    def _known(self) -> BuildSet | Unknown:
        try:
            known = self._bee.read() or self._csproj.read()
        except OSError as error:
            return unreadable_project(self._root, error)
        if known is not None:
            return known
        message = (
            "Names and types were not checked: no references are known, because the project has "
            "neither Library/Bee nor .csproj files. Open it in Unity once, or generate "
            "project files."
        )
        return Unknown("no_references", message)

    def _origin(self) -> str:
        return "Unity's last build" if self._bee.read() is not None else "the project files"

    # -- what a project consists of ------------------------------------------------------------

    def _look(self, known: BuildSet, scripts: ScriptSet) -> Snapshot:
        # Take stamps before reading the settings, so that the next question notices a later change.
        self._settings_stamp = stamp_of(self._root / SETTINGS)
        settings = self._settings.get(self._settings_stamp, lambda: player_settings(self._root))
        libraries = self._libraries.read(scripts.libraries)
        packages = self._packages.read()
        snapshot = Snapshot(self._root, known, scripts, packages, libraries, settings=settings)
        for name, build in known.by_assembly.items():
            snapshot.definitions[name] = self._definition(build, snapshot)
        return snapshot

    def _stamps(self, snapshot: Snapshot) -> tuple[object, ...]:
        """Return stamps of inputs that may change while scripts and builds don't."""
        stamps: list[object] = [
            stamp_of(self._root / SETTINGS),
            _stamp_of_options(f"{self._root}/Assets"),
        ]
        for name, build in snapshot.builds.by_assembly.items():
            definition = snapshot.definitions[name]
            if definition is not None:
                stamps.append(stamp_of(definition.file))
                stamps.append(stamp_of(f"{definition.file}.meta"))
                stamps.append(_stamp_of_options(f"{definition.file.parent}"))
            stamps += [modified_ns(each) for each in build.analyzers]
        return tuple(stamps)

    def _all(self, snapshot: Snapshot) -> Compositions:
        found: dict[str, Composition | Unknown] = {}
        for name, build in snapshot.builds.by_assembly.items():
            sources = self._sources(build, snapshot)
            if not sources and build.fault is None:
                message = f"{name} was not checked: all of its scripts are gone."
                found[name] = Unknown("references_stale", message)
                continue
            definition = snapshot.definitions[name]
            unseen = reason_for(name, snapshot.sources(build), snapshot.scripts.unreadable)
            unknown = unseen or self._objection(build, definition, snapshot)
            composed = self._composition(build, sources)
            if unknown is not None and unknown.reason == "references_stale":
                unknown = replace(unknown, as_built=composed)
            found[name] = unknown or composed
        for name in snapshot.scripts.by_assembly.keys() - found.keys() - {""}:
            if is_excluded(name, snapshot):
                continue
            message = f"Names and types were not checked: {name} isn't in {self._origin()} yet."
            found[name] = Unknown("not_in_last_build", message)
        self._spread(found, snapshot)
        return found

    def _composition(self, build: Build, sources: tuple[str, ...]) -> Composition:
        of = self._extensions
        return Composition(build, sources, of.generators(build), of.analyzers(build))

    def _spread(self, found: dict[str, Composition | Unknown], snapshot: Snapshot) -> None:
        """Mark an assembly as unknown if it references an unknown one that has changed."""
        changed = {
            name: composed
            for name, composed in found.items()
            if isinstance(composed, Unknown)
            and (build := snapshot.builds.by_assembly.get(name)) is not None
            and self._has_changed(build, snapshot)
        }
        while changed:
            following = {}
            for name, composed in found.items():
                if isinstance(composed, Unknown):
                    continue
                cause = next((each for each in changed if each in composed.build.references), None)
                if cause is not None:
                    following[name] = replace(
                        changed[cause], as_built=composed if changed[cause].as_built else None
                    )
            found.update(following)
            changed = {
                name: unknown
                for name, unknown in following.items()
                if self._has_changed(snapshot.builds.by_assembly[name], snapshot)
            }

    def _sources(self, build: Build, snapshot: Snapshot) -> tuple[str, ...]:
        """Return the scripts of the build that still exist, then the new ones."""
        owners = snapshot.scripts.owners
        root = str(self._root)
        listed = dict.fromkeys(snapshot.sources(build))
        standing = [each for each in listed if each in owners or not is_missing(f"{root}/{each}")]
        present = snapshot.scripts.by_assembly.get(build.assembly, ())
        return (*standing, *(each for each in present if each not in listed))

    def _has_changed(self, build: Build, snapshot: Snapshot) -> bool:
        """Return whether the assembly's library may be older than its scripts.

        Ignores times: scripts from archives and checkouts may be older than any build.
        """
        if reason_for(build.assembly, snapshot.sources(build), snapshot.scripts.unreadable):
            return True
        return self._sources(build, snapshot) != build.sources or not all(
            each.startswith(f"{CACHE}/") for each in build.sources
        )

    def _definition(self, build: Build, snapshot: Snapshot) -> AssemblyDefinition | None:
        """Return the definition of the assembly, by the first of its scripts that exists."""
        sources = snapshot.sources(build)
        if snapshot.scripts.owners.keys().isdisjoint(sources):  # all scripts may have moved
            sources = snapshot.scripts.by_assembly.get(build.assembly, ())[:1] or sources
        added: AssemblyDefinition | None = None
        for script in sources:
            folder = script.rpartition("/")[0]
            if script in snapshot.scripts.owners:
                found = snapshot.scripts.definitions[folder]
                if found is None or not found.is_asmref:
                    return found
                added = added or found
            if script.startswith("Library/"):  # packages that Unity fetched don't change there
                if folder not in self._known_definitions:
                    found = self._scripts.definition_of(script)
                    self._known_definitions[folder] = found
                return self._known_definitions[folder]
        if added is not None:
            return added
        first = next(iter(sources), "")
        return self._scripts.definition_of(first) if first else None

    def _objection(
        self, build: Build, definition: AssemblyDefinition | None, snapshot: Snapshot
    ) -> Unknown | None:
        """Return why the build can't show how the assembly compiles now; ``None`` if it can."""
        if build.fault is not None:
            return Unknown("response_file", f"Names and types were not checked: {build.fault}.")
        change = first_change(build, definition, snapshot)
        if change is not None:
            message = f"Names and types were not checked: {change} since the last build."
            return Unknown("references_stale", message)
        return self._extensions.objection(build)

    def _mentions(self, script: str, words: list[bytes]) -> bool:
        text = self._text(script)
        return any(word in text for word in words)

    def _text(self, script: str) -> bytes:
        try:
            return read_plain(self._root / script)
        except OSError:
            return b""


def _stamp_of_options(folder: str) -> object:
    """Return the stamp of a folder's response file; differs for a dangling link."""
    file = f"{folder}/{RESPONSE_FILE}"
    return stamp_of(file) or is_dangling_link(file)
