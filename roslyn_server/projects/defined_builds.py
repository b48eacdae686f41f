"""Assemblies as their definitions say, where nothing tells how Unity builds them.

Part of docs/design/roslyn.md §3 "References": which scripts there are together, in which C#, under
which symbols, and which of the project's own assemblies they may use; not which libraries. So of
what names mean only that can be judged which no library can change.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roslyn_server.projects.assembly_definitions import PREDEFINED, AssemblyDefinition
from roslyn_server.projects.builds import Build, Composition, Unknown, stamp_of
from roslyn_server.projects.packages import Packages
from roslyn_server.projects.project_scripts import ScriptSet
from roslyn_server.projects.project_symbols import (
    SETTINGS,
    project_symbols,
    response_file_symbols,
)
from roslyn_server.projects.version_conditions import unmet_constraints
from snippet_engine.project_settings import VERSION_FILE, ProjectLanguage, version_numbers

_SAY_SYMBOLS = (VERSION_FILE, SETTINGS, "Assets/csc.rsp")


class DefinedBuilds:
    """What definitions say of the project at ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._language = ProjectLanguage(root)
        self._symbols: tuple[object, frozenset[str]] = None, frozenset()

    def stamps(self) -> tuple[object, ...]:
        """What changes when the symbols of all may."""
        return tuple(stamp_of(self._root / each) for each in _SAY_SYMBOLS)

    def of(self, assembly: str, scripts: ScriptSet) -> Composition | Unknown | None:
        """What the assembly consists of; why it may not be compiled; ``None``: Unity doesn't."""
        sources = scripts.by_assembly.get(assembly, ())
        if not sources or not assembly:
            return None
        definition = scripts.definitions[sources[0].rpartition("/")[0]]
        symbols = self._of_project()
        if definition is not None:
            if not definition.is_for_editor:
                return None
            symbols |= response_file_symbols(definition.file.parent)
            unmet = unmet_constraints(definition.constraints, symbols)
            if unmet:
                message = (
                    f"{assembly} was not checked: whether Unity compiles it hangs on "
                    f"{', '.join(unmet)}."
                )
                return Unknown("no_references", message)
        arguments = tuple(self._arguments(sources[0], symbols, definition))
        file = definition.file if definition is not None else self._root
        build = Build(
            assembly,
            file,
            (),
            self._root,
            arguments,
            _references(assembly, scripts),
            definition is not None and definition.allows_unsafe,
            (),
            sources,
        )
        return Composition(build, sources)

    def _of_project(self) -> frozenset[str]:
        stamps = self.stamps()
        if self._symbols[0] != stamps:
            self._symbols = stamps, project_symbols(self._root)
        return self._symbols[1]

    def _arguments(
        self, script: str, symbols: frozenset[str], definition: AssemblyDefinition | None
    ) -> Iterator[str]:
        yield "-target:library"
        yield f"-langversion:{self._language(script)}"
        yield f"-define:{';'.join(sorted(symbols))}"
        if definition is not None and definition.allows_unsafe:
            yield "-unsafe"


def is_only_unity_unknown(packages: Packages, scripts: ScriptSet) -> bool:
    """Whether no library is used whose scripts aren't in the project but Unity's own.

    A library in the project, or a package of somebody else's that would be fetched, may have
    whatever there is in namespaces that the project's scripts share.
    """
    if packages.faults or scripts.libraries:
        return False
    embedded = packages.embedded or {}
    used = {*(packages.wanted or ()), *(packages.locked or ())}
    used.update(name for each in embedded.values() for name in each.needs)
    return all(each.startswith(_OF_UNITY) for each in used - embedded.keys())


_OF_UNITY = "com.unity."


def is_unity_known(packages: Packages) -> bool:
    """Whether it is known what scripts inherit in the project's version of Unity.

    What a later one adds to it is in no table.
    """
    version = version_numbers(packages.editor)
    return version is not None and _OLDEST_KNOWN <= version[:2] <= _NEWEST_KNOWN


_OLDEST_KNOWN, _NEWEST_KNOWN = (2019, 1), (6000, 7)
"""The versions whose members ``inherited_names.cs`` has."""


def _references(assembly: str, scripts: ScriptSet) -> frozenset[str]:
    """The project's own assemblies that the scripts of one may use.

    Rather too few: of what isn't referred to, names aren't judged.
    """
    own = scripts.by_assembly.keys() - {"", assembly}
    if assembly not in PREDEFINED:
        definition = _definition(assembly, scripts)
        return frozenset(own & set(definition.references) if definition is not None else ())
    is_of_editor = "-Editor" in assembly
    found = {
        name
        for name in own - PREDEFINED
        if (each := _definition(name, scripts)) is not None
        and each.is_auto_referenced
        and not each.is_for_tests
        and (is_of_editor or not each.is_editor_only)
    }
    found |= {each for each in own & PREDEFINED if each in _BEFORE.get(assembly, ())}
    return frozenset(found)


_FIRST, _EDITOR_FIRST = "Assembly-CSharp-firstpass", "Assembly-CSharp-Editor-firstpass"
_BEFORE = {
    "Assembly-CSharp": (_FIRST,),
    _EDITOR_FIRST: (_FIRST,),
    "Assembly-CSharp-Editor": (_FIRST, _EDITOR_FIRST, "Assembly-CSharp"),
}
"""Which of the predefined assemblies each may use."""


def _definition(assembly: str, scripts: ScriptSet) -> AssemblyDefinition | None:
    folders = {each.rpartition("/")[0] for each in scripts.by_assembly[assembly]}
    found = (scripts.definitions[each] for each in sorted(folders))
    return next((each for each in found if each is not None and not each.is_asmref), None)
