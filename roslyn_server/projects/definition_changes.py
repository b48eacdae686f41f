"""What changed of how an assembly is compiled since it was built, by its definition as it is now.

Part of docs/design/roslyn.md §3 "References". What a definition says is held against what the
command line shows of it, whatever the files' times: they may have come out of an archive. Where the
definition is newer besides, what the command line doesn't show counts as changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from roslyn_server.projects.assembly_definitions import (
    OF_GUID,
    PREDEFINED,
    AssemblyDefinition,
    circle_of,
)
from roslyn_server.projects.builds import (
    EDITORS_SYMBOLS,
    Build,
    BuildSet,
    bounded_text,
    modified_ns,
    stamp_of,
    why_unreadable,
)
from roslyn_server.projects.packages import Packages, fetched_from
from roslyn_server.projects.project_scripts import ScriptSet
from roslyn_server.projects.project_symbols import is_of_unity, response_file_symbols
from roslyn_server.projects.response_files import MAX_RESPONSE_BYTES
from roslyn_server.projects.version_conditions import defined_by_versions, unmet_constraints

RESPONSE_FILE = "csc.rsp"

_UI = frozenset(("UnityEngine.UI", "UnityEditor.UI"))
_TEST_RUNNERS = frozenset(("UnityEngine.TestRunner", "UnityEditor.TestRunner"))
_IMPLIED = _UI | _TEST_RUNNERS
"""What Unity has assemblies refer to that don't ask for it."""

_ENGINE = frozenset(("UnityEngine", "UnityEngine.CoreModule"))
_NUNIT = "nunit.framework"


@dataclass(frozen=True, slots=True)
class Look:
    """What one question has seen: the builds, and what there is in the project."""

    root: Path
    builds: BuildSet
    scripts: ScriptSet
    packages: Packages
    new_libraries: tuple[str, ...] = ()
    definitions: dict[str, AssemblyDefinition | None] = field(default_factory=dict)
    """What defines each assembly that was built, by its name."""

    def sources(self, build: Build) -> tuple[str, ...]:
        """What the build was made of, where that would lie now."""
        if not self.packages.embedded:
            return build.sources
        return tuple(map(self.packages.place_of, build.sources))


def change_of(build: Build, definition: AssemblyDefinition | None, looking: Look) -> str | None:
    """What has changed since the build, if anything has that matters: as a sentence's middle."""
    return next(_changes(build, definition, looking), None)


def is_left_out(assembly: str, looking: Look) -> bool:
    """Whether Unity doesn't compile an assembly that no build knows, by its definition."""
    builds = looking.builds.by_assembly.values()
    beside = {each.origin.parent / f"{assembly}.dll" for each in builds}
    if any(assembly in each.references for each in builds) or any(map(stamp_of, beside)):
        return False  # what says how is gone
    scripts = looking.scripts.by_assembly.get(assembly, ())
    folders = {each.rpartition("/")[0] for each in scripts}
    found = (looking.scripts.definitions[each] for each in sorted(folders))
    definition = next((each for each in found if each is not None and not each.is_asmref), None)
    if definition is None or definition.fault:
        return False
    if not definition.is_for_editor:
        return True
    symbols = looking.builds.common_symbols | response_file_symbols(definition.file.parent)
    if any(each.is_players for each in builds):  # the Editor compiles more
        symbols |= EDITORS_SYMBOLS
    versions = defined_by_versions(definition, looking.packages.versions())
    maybe = symbols | {name for name, holds in versions.items() if holds is not False}
    surely = symbols | {name for name, holds in versions.items() if holds}
    unmet = set(unmet_constraints(definition.constraints, maybe))
    return not unmet.isdisjoint(unmet_constraints(definition.constraints, surely))


def _changes(build: Build, definition: AssemblyDefinition | None, looking: Look) -> Iterator[str]:
    built = max(build.stamp[0], build.built_ns)
    expected = definition.name if definition is not None else None
    if definition is None and build.assembly not in PREDEFINED:
        yield f"the assembly definition of {build.assembly} was removed"
    if definition is not None and build.assembly in PREDEFINED:
        yield f"{definition.file.name} was added"
    if definition is not None and expected is not None and expected != build.assembly:
        yield f"{definition.file.name} came to claim the file"
    yield from _claimed(build, looking)
    yield from _replaced(build, looking)
    if looking.new_libraries:
        yield f"{looking.new_libraries[0]} was added"
    if definition is None:
        yield from _automatic(build, looking)
    elif not definition.is_asmref or definition.fault:
        newer = modified_ns(definition.file) > built
        yield from _redefined(definition, build, looking, newer=newer)
    yield from _options(build, definition, looking, built)


def _claimed(build: Build, looking: Look) -> Iterator[str]:
    """A script of the assembly that another definition has come to claim."""
    for script in build.sources:
        owner = looking.scripts.owners.get(script, "")
        if owner not in ("", build.assembly) and owner not in PREDEFINED:
            yield f"{script} came to belong to {owner}"


def _replaced(build: Build, looking: Look) -> Iterator[str]:
    """A library of a package in whose place another has come."""
    named = (*build.plugins, *(PurePosixPath(each).as_posix() for each in _analyzers(build)))
    for each in sorted(named):
        found = fetched_from(each)
        embedded = (looking.packages.embedded or {}).get(found[0]) if found else None
        if found is not None and embedded is not None:
            yield f"{found[0]}, of which it uses a library, came to lie in {embedded.folder}"


def _analyzers(build: Build) -> Iterator[str]:
    for each in build.analyzers:
        if each.is_relative_to(build.folder):
            yield each.relative_to(build.folder).as_posix()


def _redefined(
    definition: AssemblyDefinition, build: Build, looking: Look, *, newer: bool
) -> Iterator[str]:
    """How a definition differs from the build, as far as that shows."""
    name = definition.file.name
    if definition.fault:
        yield f"{name} changed, and {definition.fault},"
        return
    if definition.allows_unsafe != build.allows_unsafe and not (
        build.allows_unsafe and _says_unsafe(definition, looking)
    ):
        yield f"{name} {'gained' if definition.allows_unsafe else 'lost'} allowUnsafeCode"
    others = looking.builds.by_assembly.keys()
    unknown = [
        each
        for each in definition.references
        if each not in build.references and each != build.assembly
    ]
    if any(each in others or newer for each in unknown):
        circle = circle_of(build.assembly, looking.scripts.definitions.values())
        if circle:
            yield f"{name} changed, and refers to itself ({' → '.join(circle)}),"
        yield f"{name} changed"  # a GUID says nothing of what it names
    for each in unknown:
        # Unity passes over what it doesn't compile.
        if each in looking.scripts.by_assembly and not is_left_out(each, looking):
            yield f"{each}, which {name} refers to, was added"
    lost = sorted(build.references & others - {*definition.references, *_IMPLIED})
    if lost and (newer or not any(each.startswith(OF_GUID) for each in unknown)):
        yield f"{name} lost its reference to {lost[0]}"
    if not definition.is_for_editor:
        yield f"{name} changed, and leaves the Editor out,"
    unmet = unmet_constraints(definition.constraints, build.symbols)
    if unmet:
        yield f"{name} changed, and asks for {unmet[0]},"
    yield from _versions(definition, build, looking, newer=newer)
    yield from _libraries(definition, build, looking, newer=newer)
    if newer and not definition.is_plain:
        yield f"{name} changed"  # its conditions and platforms are not in the build


def _versions(
    definition: AssemblyDefinition, build: Build, looking: Look, *, newer: bool
) -> Iterator[str]:
    """Symbols that it has by the versions of packages."""
    name = definition.file.name
    common = looking.builds.common_symbols
    found = defined_by_versions(definition, looking.packages.versions())
    for symbol, holds in found.items():
        if holds is True and symbol not in build.symbols:
            yield f"{name} came to define {symbol}"
        if holds is False and symbol in build.symbols - common:
            yield f"{name} no longer defines {symbol}"
    own = {*found, *response_file_symbols(definition.file.parent)}
    own |= response_file_symbols(looking.root / "Assets")
    lost = sorted(
        each
        for each in build.symbols - common - own
        if (not each.startswith("NET") if newer else not is_of_unity(each))
    )
    if lost:
        yield f"{name} no longer defines {lost[0]}"


def _libraries(
    definition: AssemblyDefinition, build: Build, looking: Look, *, newer: bool
) -> Iterator[str]:
    """Libraries that it refers to, or doesn't."""
    name = definition.file.name
    every = looking.builds.references
    uses_engine = not _ENGINE.isdisjoint(build.references)
    if definition.has_no_engine and uses_engine:
        yield f"{name} gained noEngineReferences"
    elif newer and not definition.has_no_engine and not uses_engine and _ENGINE & every:
        yield f"{name} lost noEngineReferences"
    if definition.asks_for_tests and _NUNIT in every - build.references:
        yield f"{name} came to refer to the test framework"
    plugins = {PurePosixPath(each).name.casefold(): each for each in build.plugins}
    if not definition.overrides_references:
        explicit = sorted(
            each
            for each in plugins.values()
            if PurePosixPath(each).stem != _NUNIT and _is_explicit(looking.root / f"{each}.meta")
        )
        if explicit:
            yield f"{name} no longer names {PurePosixPath(explicit[0]).name}"
        return
    listed = {each.casefold() for each in definition.precompiled}
    lost = sorted(plugins.keys() - listed - {f"{_NUNIT}.dll"})
    if lost:
        yield f"{name} no longer names {PurePosixPath(plugins[lost[0]]).name}"
    known = {PurePosixPath(each).name.casefold() for each in looking.builds.plugins}
    gained = sorted((listed & known) - plugins.keys())
    if gained:
        yield f"{name} came to name {gained[0]}"


def _is_explicit(meta: Path) -> bool:
    """Whether only those refer to a library that name it."""
    return "isExplicitlyReferenced: 1" in bounded_text(meta)


def _automatic(build: Build, looking: Look) -> Iterator[str]:
    """Assemblies that scripts without a definition may use, by their definitions, or no longer."""
    defined = {
        name: each
        for name, each in looking.definitions.items()
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
                yield f"{each.file.name} changed, and is for the Editor alone,"
        elif (
            each.is_auto_referenced
            and not each.is_for_tests
            and (is_of_editor or not each.is_editor_only)
        ):
            yield f"{each.file.name} gained autoReferenced"
    for name, each in _new_definitions(looking):
        if each.is_auto_referenced and (is_of_editor or not each.is_editor_only):
            yield f"{name}, which it may use, was added"


def _new_definitions(looking: Look) -> Iterator[tuple[str, AssemblyDefinition]]:
    for each in looking.scripts.definitions.values():
        if each is None or each.is_asmref or not each.name or each.is_for_tests:
            continue
        if each.name not in looking.builds.by_assembly and not is_left_out(each.name, looking):
            yield each.name, each


def _options(
    build: Build, definition: AssemblyDefinition | None, looking: Look, built: int
) -> Iterator[str]:
    """Response files of the user's own."""
    common = looking.root / "Assets"
    for folder in (common, definition.file.parent if definition else None):
        if folder is None:
            continue
        file = folder / RESPONSE_FILE
        stamp = stamp_of(file)
        unreadable = why_unreadable(file)
        if unreadable is not None:
            name = f"{folder.name}/{RESPONSE_FILE}"
            yield f"{name}, which can't be read ({unreadable}), may have changed"
        if stamp is None:
            continue
        has = build.symbols
        if folder == common:  # it may not be for every assembly
            has = looking.builds.symbols
        if stamp[0] > built or not (response_file_symbols(folder) <= has or _includes(build)):
            yield f"{folder.name}/{RESPONSE_FILE} changed"


def _includes(build: Build) -> bool:
    """Whether the build reads a response file of the user's own as it is now."""
    text = bounded_text(build.origin, MAX_RESPONSE_BYTES)
    return any(line.strip('" ').startswith("@") for line in text.splitlines())


def _says_unsafe(definition: AssemblyDefinition, looking: Look) -> bool:
    folders = (looking.root / "Assets", definition.file.parent)
    return any("unsafe" in bounded_text(folder / RESPONSE_FILE) for folder in folders)


def told_symbols(looking: Look) -> frozenset[str]:
    """Symbols that definitions, and the response files beside them, have defined."""
    found: set[str] = set()
    for each in looking.definitions.values():
        if each is not None:
            found.update(symbol for _, _, symbol in each.version_defines)
            found |= response_file_symbols(each.file.parent)
    return frozenset(found)
