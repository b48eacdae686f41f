"""Find the preprocessor symbols that a script is compiled with.

Implements docs/design/roslyn.md §1.3 and §3 "Preprocessor symbols". Reads only the command line of
the script's own assembly.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from threading import Lock

from roslyn_server.projects.builds.bee_builds import BeeBuilds
from roslyn_server.projects.builds.csproj_builds import CsprojBuilds
from roslyn_server.projects.files import Stamp, stamp_of
from roslyn_server.projects.options.command_lines import MAX_RESPONSE_BYTES
from roslyn_server.projects.scripts.project_scripts import ProjectScripts, assembly_of
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS, BuildSymbols, SymbolSet
from snippet_engine.storage.system.plain_file import read_plain


class ScriptSymbols:
    """Finds symbols in the build of the project at ``root``. Is a ``SymbolsOf``."""

    def __init__(self, root: Path) -> None:
        self._bee = BeeBuilds(root)
        self._csproj = CsprojBuilds(root)
        self._scripts = ProjectScripts(root)
        self._listing: dict[str, Path] = {}
        """The response file that last listed each script."""
        self._symbols: dict[Path, tuple[object, SymbolSet, list[Path]]] = {}
        """The symbols of each response file, with the stamps of its reading and its includes."""
        self._lock = Lock()

    def __call__(self, script: str) -> SymbolSet:
        """Return the symbols of a script; those of a Unity Editor if no build is known.

        A script newer than the build has the symbols of the assembly that its folder belongs to.
        """
        with self._lock:
            try:
                files = self._bee.response_files()
                found = self._of_bee(script, files) if files else self._of_csproj(script)
            except OSError:
                found = None
        return found or UNITY_EDITOR_SYMBOLS

    def _of_bee(
        self, script: str, files: dict[Path, tuple[Stamp, Stamp | None]]
    ) -> SymbolSet | None:
        known = self._listing.get(script)
        if known is None or not self._is_current(known, files):
            known = self._listed_in(script, files)
        if known is None:
            owner = self._owner(script)
            known = next((file for file in files if file.stem == owner), None)
        if known is None:
            return None
        if not self._is_current(known, files):
            symbols, included = self._bee.symbols_in(known)
            stamps = files[known], *map(stamp_of, included)
            self._symbols[known] = stamps, symbols, included
        return self._symbols[known][1]

    def _is_current(self, file: Path, files: dict[Path, tuple[Stamp, Stamp | None]]) -> bool:
        if file not in files or file not in self._symbols:
            return False
        stamps, _, included = self._symbols[file]
        return stamps == (files[file], *map(stamp_of, included))

    def _listed_in(self, script: str, files: Iterable[Path]) -> Path | None:
        names = [
            f"{end}{path}{end}".encode()
            for path in (script, script.replace("/", "\\"))
            for end in ('"', "\n")
        ]
        for file in files:
            data = b"\n%s\n" % read_plain(file, MAX_RESPONSE_BYTES).replace(b"\r", b"")
            if any(name in data for name in names):
                self._listing[script] = file
                return file
        return None

    def _of_csproj(self, script: str) -> SymbolSet | None:
        known = self._csproj.read()
        if known is None:
            return None
        build = known.build_of(script) or known.by_assembly.get(self._owner(script))
        return BuildSymbols(build.symbols) if build is not None else None

    def _owner(self, script: str) -> str:
        return assembly_of(script, self._scripts.definition_of(script))
