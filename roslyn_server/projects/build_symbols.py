"""The preprocessor symbols that a project's build defines, script by script.

Part of docs/design/roslyn.md §1.3 and §3 "Preprocessor symbols": what the compiler reads a script
under is what the engine reads it under, too.
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from roslyn_server.projects.bee_builds import BeeBuilds
from roslyn_server.projects.csproj_builds import CsprojBuilds
from roslyn_server.projects.project_scripts import ProjectScripts, assembly_of
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS, SymbolSet


class BuildsSymbols:
    """Answers for the project at ``root``, as its build is now. Is a ``SymbolsOf``."""

    def __init__(self, root: Path) -> None:
        self._bee = BeeBuilds(root)
        self._csproj = CsprojBuilds(root)
        self._scripts = ProjectScripts(root)
        self._lock = Lock()

    def __call__(self, script: str) -> SymbolSet:
        """The symbols of the script at a project-relative path; a Unity Editor's without a build.

        A script that is newer than the build has those of the assembly that its folder belongs to.
        """
        with self._lock:
            try:
                known = self._bee.read() or self._csproj.read()
            except OSError:
                known = None
            if known is None:
                return UNITY_EDITOR_SYMBOLS
            build = known.build_of(script)
            if build is None:
                owner = assembly_of(script, self._scripts.definition_of(script))
                build = known.by_assembly.get(owner)
        return build.symbols if build is not None and build.symbols else UNITY_EDITOR_SYMBOLS
