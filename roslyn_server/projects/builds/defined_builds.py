"""Describe assemblies by their definitions alone, if no build is known.

Definitions give an assembly's scripts, C# version and symbols, but not its libraries. So only the
scripts' syntax can be judged.
"""

from __future__ import annotations

from pathlib import Path

from roslyn_server.projects.build import Composition, Unknown
from roslyn_server.projects.definitions.version_conditions import unmet_constraints
from roslyn_server.projects.files import Remembered, stamp_of
from roslyn_server.projects.options.command_lines import build_of, response_file_symbols
from roslyn_server.projects.options.project_symbols import SETTINGS, project_symbols
from roslyn_server.projects.scripts.project_scripts import ScriptSet
from snippet_engine.project_settings import VERSION_FILE, ProjectLanguage

_SAY_SYMBOLS = (VERSION_FILE, SETTINGS, "Assets/csc.rsp")


class DefinedBuilds:
    """What definitions say of the project at ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._language = ProjectLanguage(root)
        self._symbols = Remembered[frozenset[str]]()

    def stamps(self) -> tuple[object, ...]:
        """Return the stamps of the files that decide the project's symbols."""
        return tuple(stamp_of(self._root / each) for each in _SAY_SYMBOLS)

    def of(self, assembly: str, scripts: ScriptSet) -> Composition | Unknown | None:
        """Return what an assembly consists of, or why Unity may not compile it.

        ``None`` if Unity surely doesn't compile it.
        """
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
                    f"{assembly} was not checked: whether Unity compiles it depends on "
                    f"{', '.join(unmet)}."
                )
                return Unknown("no_references", message)
        arguments = [
            "-target:library",
            f"-langversion:{self._language(sources[0])}",
            f"-define:{';'.join(sorted(symbols))}",
        ]
        if definition is not None and definition.allows_unsafe:
            arguments.append("-unsafe")
        file = definition.file if definition is not None else self._root
        return Composition(build_of(assembly, file, (), self._root, arguments), sources)

    def _of_project(self) -> frozenset[str]:
        return self._symbols.get(self.stamps(), lambda: project_symbols(self._root))
