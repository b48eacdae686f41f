"""Compare an assembly's definition, libraries and options with its last build.

Implements docs/design/roslyn.md §3 "References". Contents are compared with the command line, not
times: files may come from an archive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from roslyn_server.projects.build import EDITORS_SYMBOLS, Build, BuildSet, assembly_name
from roslyn_server.projects.definitions.all_definitions import guid_in
from roslyn_server.projects.definitions.assembly_definitions import (
    OF_GUID,
    PREDEFINED,
    AssemblyDefinition,
)
from roslyn_server.projects.definitions.version_conditions import (
    defined_by_versions,
    unmet_constraints,
)
from roslyn_server.projects.files import stamp_of, why_unreadable
from roslyn_server.projects.options.analyzers import configuration_changes
from roslyn_server.projects.options.command_lines import (
    RESPONSE_FILE,
    added_option,
    file_options,
    removed_option,
    response_file_symbols,
    settings_arguments,
)
from roslyn_server.projects.options.project_symbols import platform_of
from roslyn_server.projects.packages.libraries import ProjectLibrary, library_changes
from roslyn_server.projects.packages.manifests import Packages, fetched_from
from roslyn_server.projects.scripts.project_scripts import ScriptSet

_UI = frozenset(("UnityEngine.UI", "UnityEditor.UI"))
_TEST_RUNNERS = frozenset(("UnityEngine.TestRunner", "UnityEditor.TestRunner"))
_IMPLIED = _UI | _TEST_RUNNERS
"""Unity references these even if a definition doesn't name them."""

_ENGINE = frozenset(("UnityEngine", "UnityEngine.CoreModule"))
_NUNIT = "nunit.framework"
_EDITOR_ONLY = "UNITY_EDITOR_ONLY_COMPILATION"
"""Newer versions of Unity define it in Editor-only assemblies."""

_RENAMED = {
    f"Unity.RenderPipelines.Lightweight.{each}": f"Unity.RenderPipelines.Universal.{each}"
    for each in ("Editor", "Runtime")
}
"""Old names that Unity still accepts."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The project as one question sees it: its builds, and its present content."""

    root: Path
    builds: BuildSet
    scripts: ScriptSet
    packages: Packages
    libraries: tuple[ProjectLibrary, ...] = ()
    definitions: dict[str, AssemblyDefinition | None] = field(default_factory=dict)
    """The definition of each built assembly, by name."""
    settings: str = ""
    """The text of the player settings."""

    def sources(self, build: Build) -> tuple[str, ...]:
        """Return the paths that a build's scripts would have now."""
        if not self.packages.embedded:
            return build.sources
        return tuple(map(self.packages.place_of, build.sources))


def first_change(
    build: Build, definition: AssemblyDefinition | None, snapshot: Snapshot
) -> str | None:
    """Return the first relevant change since the build, as a clause for a message."""
    return next(_changes(build, definition, snapshot), None)


def is_excluded(assembly: str, snapshot: Snapshot) -> bool:
    """Return whether an assembly without a build isn't compiled, by its definition."""
    builds = snapshot.builds.by_assembly.values()
    libraries = {each.origin.parent / f"{assembly}.dll" for each in builds}
    if any(assembly in each.references for each in builds) or any(map(stamp_of, libraries)):
        return False  # an earlier build compiled it
    scripts = snapshot.scripts.by_assembly.get(assembly, ())
    folders = {each.rpartition("/")[0] for each in scripts}
    found = (snapshot.scripts.definitions[each] for each in sorted(folders))
    definition = next((each for each in found if each is not None and not each.is_asmref), None)
    return definition is not None and excludes_assembly(definition, snapshot)


def excludes_assembly(definition: AssemblyDefinition, snapshot: Snapshot) -> bool:
    """Return whether a definition certainly keeps Unity from compiling its assembly."""
    if definition.fault:
        return False
    if not definition.is_for_editor:
        return True
    symbols = snapshot.builds.common_symbols | response_file_symbols(definition.file.parent)
    if any(
        each.is_players for each in snapshot.builds.by_assembly.values()
    ):  # the Editor compiles more
        symbols |= EDITORS_SYMBOLS
    versions = defined_by_versions(definition, snapshot.packages.versions())
    maybe = symbols | {name for name, holds in versions.items() if holds is not False}
    surely = symbols | {name for name, holds in versions.items() if holds}
    unmet = set(unmet_constraints(definition.constraints, maybe))
    return not unmet.isdisjoint(unmet_constraints(definition.constraints, surely))


def _changes(
    build: Build, definition: AssemblyDefinition | None, snapshot: Snapshot
) -> Iterator[str]:
    expected = definition.name if definition is not None else None
    if definition is None and build.assembly not in PREDEFINED:
        yield f"the assembly definition of {build.assembly} was removed"
    if definition is not None and build.assembly in PREDEFINED:
        yield f"{definition.file.name} was added"
    if definition is not None and expected is not None and expected != build.assembly:
        yield f"{definition.file.name} claimed the file"
    yield from _claimed(build, snapshot)
    yield from _replaced(build, snapshot)
    yield from library_changes(build, definition, snapshot.libraries, snapshot.builds)
    if definition is None:
        yield from _automatic(build, snapshot)
    elif not definition.is_asmref or definition.fault:
        yield from _redefined(definition, build, snapshot)
    yield from _options(build, definition, snapshot)


def _claimed(build: Build, snapshot: Snapshot) -> Iterator[str]:
    """Yield a script of the assembly that now belongs to another definition."""
    for script in build.sources:
        owner = snapshot.scripts.owners.get(script, "")
        if owner not in ("", build.assembly):
            yield f"{script} moved to {owner}"


def _replaced(build: Build, snapshot: Snapshot) -> Iterator[str]:
    """Yield a library whose package was replaced by an embedded one."""
    for each in sorted((*build.plugins, *build.own_analyzers)):
        found = fetched_from(each)
        embedded = (snapshot.packages.embedded or {}).get(found[0]) if found else None
        if found is not None and embedded is not None:
            yield f"{found[0]}, whose library it uses, moved to {embedded.folder}"


def _redefined(definition: AssemblyDefinition, build: Build, snapshot: Snapshot) -> Iterator[str]:
    name = definition.file.name
    if definition.fault:
        yield f"{name} changed, and {definition.fault},"
        return
    if definition.allows_unsafe != build.allows_unsafe and not (
        build.allows_unsafe and "unsafe+" in _said_options(definition, snapshot)
    ):
        yield f"{name} {'gained' if definition.allows_unsafe else 'lost'} allowUnsafeCode"
    yield from _references(definition, build, snapshot)
    if not definition.is_for_editor:
        yield f"{name} changed, and excludes the Editor,"
    unmet = unmet_constraints(definition.constraints, build.symbols)
    if unmet:
        yield f"{name} changed, and requires {unmet[0]},"
    is_editor_only = _EDITOR_ONLY in build.symbols
    if is_editor_only != definition.is_editor_only and (
        is_editor_only or _EDITOR_ONLY in snapshot.builds.symbols
    ):
        is_or_not = "is" if definition.is_editor_only else "is not"
        yield f"{name} changed, and {is_or_not} Editor-only,"
    yield from _versions(definition, build, snapshot)
    yield from _named_libraries(definition, build, snapshot)


def _references(definition: AssemblyDefinition, build: Build, snapshot: Snapshot) -> Iterator[str]:
    name = definition.file.name
    others = snapshot.builds.by_assembly.keys()
    named = {*definition.references, *_named_by_guid(definition, snapshot)}
    named.update(_RENAMED[each] for each in definition.references if each in _RENAMED)
    unknown = named - build.references - {build.assembly, ""}
    if any(each in others for each in unknown):
        yield f"{name} changed"
    for each in sorted(unknown):
        # Unity skips a definition that it doesn't compile.
        if each in snapshot.scripts.by_assembly and not is_excluded(each, snapshot):
            yield f"{each}, which {name} refers to, was added"
    implied = _UI
    if definition.is_editor_only or "playModeTestRunnerEnabled: 1" in snapshot.settings:
        implied = _IMPLIED
    gone = sorted(build.references & others - {*named, *implied})
    if gone:
        yield f"{name} lost its reference to {gone[0]}"


def _named_by_guid(definition: AssemblyDefinition, snapshot: Snapshot) -> Iterator[str]:
    """Yield the names of built assemblies that the definition references by GUID."""
    guids = {
        each.removeprefix(OF_GUID).strip().lower()
        for each in definition.references
        if each.startswith(OF_GUID)
    }
    for name, each in snapshot.definitions.items() if guids else ():
        if each is not None and each.name == name and guid_in(f"{each.file}.meta") in guids:
            yield name


def _versions(definition: AssemblyDefinition, build: Build, snapshot: Snapshot) -> Iterator[str]:
    name = definition.file.name
    common = snapshot.builds.common_symbols
    found = defined_by_versions(definition, snapshot.packages.versions())
    for symbol, holds in found.items():
        if holds is True and symbol not in build.symbols:
            yield f"{name} began to define {symbol}"
        if holds is False and symbol in build.symbols - common:
            yield f"{name} no longer defines {symbol}"


def _named_libraries(
    definition: AssemblyDefinition, build: Build, snapshot: Snapshot
) -> Iterator[str]:
    name = definition.file.name
    every = snapshot.builds.references
    own = {PurePosixPath(each).stem for each in build.plugins}
    libraries = build.references - snapshot.builds.by_assembly.keys() - own
    uses_engine = not _ENGINE.isdisjoint(libraries)
    if definition.has_no_engine and uses_engine:
        yield f"{name} gained noEngineReferences"
    elif not definition.has_no_engine and libraries and not uses_engine and _ENGINE & every:
        yield f"{name} lost noEngineReferences"
    if definition.asks_for_tests and _NUNIT in every - build.references:
        yield f"{name} began to refer to the test framework"
    if not definition.overrides_references:
        return
    plugins = {PurePosixPath(each).name.casefold(): each for each in build.plugins}
    listed = {each.casefold() for each in definition.precompiled}
    gone = sorted(plugins.keys() - listed - {f"{_NUNIT}.dll"})
    if gone:
        yield f"{name} no longer names {PurePosixPath(plugins[gone[0]]).name}"
    symbols = snapshot.builds.common_symbols
    known = {PurePosixPath(each).name.casefold() for each in snapshot.builds.plugins}
    known |= {each.name.casefold() for each in snapshot.libraries if not each.why_not(symbols)}
    came = sorted((listed & known) - plugins.keys())
    if came:
        yield f"{name} began to name {came[0]}"


def _automatic(build: Build, snapshot: Snapshot) -> Iterator[str]:
    """Yield changes of the allowed references of scripts without a definition."""
    defined = {
        name: each
        for name, each in snapshot.definitions.items()
        if each is not None and not each.is_asmref and not each.fault and name not in PREDEFINED
    }
    if defined.keys().isdisjoint(build.references):
        return
    is_of_editor = "-Editor" in build.assembly
    for name, each in sorted(defined.items()):
        if name in _IMPLIED:
            continue
        if name in build.references:
            if not each.is_auto_referenced:
                yield f"{each.file.name} lost autoReferenced"
            elif each.is_editor_only and not is_of_editor:
                yield f"{each.file.name} changed, and is Editor-only,"
        elif (
            each.is_auto_referenced
            and not each.is_for_tests
            and (is_of_editor or not each.is_editor_only)
        ):
            yield f"{each.file.name} gained autoReferenced"
    for name, each in _new_definitions(snapshot):
        if each.is_auto_referenced and (is_of_editor or not each.is_editor_only):
            yield f"{name}, which it may use, was added"


def _new_definitions(snapshot: Snapshot) -> Iterator[tuple[str, AssemblyDefinition]]:
    for each in snapshot.scripts.definitions.values():
        if each is None or each.is_asmref or not each.name or each.is_for_tests:
            continue
        if each.name not in snapshot.builds.by_assembly and not is_excluded(each.name, snapshot):
            yield each.name, each


def _options(
    build: Build, definition: AssemblyDefinition | None, snapshot: Snapshot
) -> Iterator[str]:
    common = snapshot.root / "Assets"
    has_own = definition is not None and not definition.is_asmref
    own = definition.file.parent if definition is not None and has_own else common
    for folder in dict.fromkeys((common, own)):
        unreadable = why_unreadable(folder / RESPONSE_FILE)
        if unreadable is not None:
            name = f"{folder.name}/{RESPONSE_FILE}"
            yield f"{name}, which can't be read ({unreadable}), may have changed"
    every = snapshot.builds.by_assembly.values()
    settings = settings_arguments(snapshot.settings, platform_of(snapshot.builds.symbols) or "")
    new = added_option(settings, build)
    if new:
        yield f"the player settings began to pass {new} to the compiler"
    given = file_options(own / RESPONSE_FILE)
    new = added_option(given, build)
    if new:
        yield f"{own.name}/{RESPONSE_FILE} changed, and passes {new} to the compiler,"
    if stamp_of(own / RESPONSE_FILE) is None:
        # Other builds show whether the common file applies to assemblies with a definition.
        given = file_options(common / RESPONSE_FILE)
        if given and all(added_option(given, each) for each in every):
            yield f"{common.name}/{RESPONSE_FILE} changed"
    old = removed_option((*given, *settings), build.options, snapshot.builds.usual_language)
    old = old or next(_lost_libraries(build, definition, settings, snapshot), None)
    if old:
        file = f"{own.name}/{RESPONSE_FILE}"
        yield f"{file} or the player settings no longer pass {old} to the compiler"
    inside = own.is_relative_to(snapshot.root)
    configured = own.relative_to(snapshot.root).as_posix() if inside else ""
    yield from configuration_changes(build, configured, snapshot.scripts.options)
    symbols = sorted(_lost_symbols(build, definition, snapshot))
    if symbols:
        name = definition.file.name if definition is not None else RESPONSE_FILE
        yield f"{name} no longer defines {symbols[0]}"


def _lost_libraries(
    build: Build,
    definition: AssemblyDefinition | None,
    settings: Iterable[str],
    snapshot: Snapshot,
) -> Iterator[str]:
    """Yield .NET libraries that a response file must have added, and that no file adds now.

    Unity gives all builds of one API level the same ones.
    """
    has_own = definition is not None and not definition.is_asmref
    names = (build.assembly,) if has_own else PREDEFINED
    found = (snapshot.builds.by_assembly.get(each) for each in names)
    alike = [each for each in found if each is not None and each.api_level == build.api_level]
    counts = snapshot.builds.references_of_level[build.api_level]
    if not build.api_level or counts[""] == len(alike):
        return  # no other build shows what Unity gives
    files = (*build.plugins, *(each.path for each in snapshot.libraries))
    explained = {PurePosixPath(each).stem for each in files}
    said = (*settings, *_said_options(definition, snapshot))
    explained |= {assembly_name(each.partition(":")[2]) for each in said}
    for each in sorted(build.references - explained - snapshot.builds.by_assembly.keys()):
        is_of_dotnet = each.partition(".")[0] in _OF_DOTNET
        if is_of_dotnet and counts[each] == sum(each in other.references for other in alike):
            yield f"reference:{each}"


_OF_DOTNET = frozenset(("System", "Microsoft", "Mono", "WindowsBase"))
"""How the names of .NET's libraries begin."""


def _lost_symbols(
    build: Build, definition: AssemblyDefinition | None, snapshot: Snapshot
) -> Iterator[str]:
    """Yield symbols of this assembly alone that nothing defines any more."""
    explained = set(response_file_symbols(snapshot.root / "Assets"))
    if definition is not None:
        explained |= {symbol for _, _, symbol in definition.version_defines}
        explained |= response_file_symbols(definition.file.parent)
    for each in build.symbols - snapshot.builds.common_symbols - explained:
        if each != _EDITOR_ONLY and not each.startswith("NET"):
            yield each


def _said_options(definition: AssemblyDefinition | None, snapshot: Snapshot) -> tuple[str, ...]:
    folders = [snapshot.root / "Assets"]
    if definition is not None:
        folders.append(definition.file.parent)
    return tuple(each for folder in folders for each in file_options(folder / RESPONSE_FILE))


def defined_symbols(snapshot: Snapshot) -> frozenset[str]:
    """Return the symbols that definitions and the response files next to them define."""
    found: set[str] = set()
    for each in snapshot.definitions.values():
        if each is not None:
            found.update(symbol for _, _, symbol in each.version_defines)
            found |= response_file_symbols(each.file.parent)
    return frozenset(found)
