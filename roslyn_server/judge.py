"""Verdicts on the scripts of one project: what a text is judged as, and what Roslyn says of it.

Implements spec 04-roslyn §3: language version and symbol sets come from the project, for each
script anew, since any of what says so may change under a running server.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from roslyn_server import protocol
from roslyn_server.judged_symbols import judged_symbols
from roslyn_server.roslyn import Cancellation, Declaration, Finding, Roslyn
from snippet_engine.csharp.language_version import UNITY_LANGUAGE_VERSION
from snippet_engine.csharp.symbol_sets import UNITY_EDITOR_SYMBOLS, SymbolSet
from snippet_engine.project_language import ProjectLanguage

_WARM_UP = """
using System;
namespace N
{
#if UNITY_EDITOR
    public class C : Base
    {
        [SerializeField] private int speed = 1;
        public string Name { get; set; }
        private void Update()
        {
            for (var i = 0; i < speed; i++) { Log($"{i}: {Name}"); }
            foreach (var each in Items) if (each != null) each.Act(() => speed);
        }
    }
#endif
}
"""


@dataclass(frozen=True, slots=True)
class _Dialect:
    """What C# a script is: its language version, and the symbols that its project defines."""

    language_version: str
    symbols: SymbolSet


class Judge:
    """Judges texts with ``roslyn``, as scripts of the project at ``root`` if there is one."""

    def __init__(self, roslyn: Roslyn, root: Path | None) -> None:
        self._roslyn = roslyn
        self._root = root

    @property
    def compiler(self) -> str:
        """Roslyn's version."""
        return self._roslyn.compiler

    @property
    def runtime(self) -> str:
        """The runtime's version."""
        return self._roslyn.runtime

    def warm_up(self) -> None:
        """Let the runtime compile what a verdict takes, so that the first one needn't wait."""
        self.syntax(None, _WARM_UP, Cancellation())

    def syntax(self, path: Path | None, text: str, cancellation: Cancellation) -> list[Finding]:
        """What is wrong with ``text`` in itself, as the script at ``path``."""
        dialect = self._dialect(path)
        return self._roslyn.syntax_diagnostics(
            text, judged_symbols(text, dialect.symbols), dialect.language_version, cancellation
        )

    def outline(
        self, path: Path | None, text: str, cancellation: Cancellation
    ) -> list[Declaration]:
        """The declarations of ``text``."""
        dialect = self._dialect(path)
        return self._roslyn.outline(text, dialect.symbols, dialect.language_version, cancellation)

    def coverage(self, path: Path | None, text: str) -> protocol.Coverage:
        """What the verdicts on ``text`` stand for."""
        dialect = self._dialect(path)
        return {
            "languageVersion": dialect.language_version,
            "symbolSets": [sorted(each) for each in judged_symbols(text, dialect.symbols)],
            "covers": ["brackets", "syntax"],
            "notChecked": [
                {
                    "code": protocol.SEMANTIC_NOT_CHECKED,
                    "reason": "no_references",
                    "message": "Names and types were not checked: no build is known.",
                }
            ],
            "compiler": self.compiler,
            "runtime": self.runtime,
        }

    def _dialect(self, path: Path | None) -> _Dialect:
        version = UNITY_LANGUAGE_VERSION
        script = self._script(path)
        if self._root is not None and script is not None:
            version = ProjectLanguage(self._root)(script)
        known = str(version) if self._roslyn.knows(str(version)) else "latest"
        return _Dialect(known, UNITY_EDITOR_SYMBOLS)

    def _script(self, path: Path | None) -> str | None:
        """The project-relative path, if the file lies in the project."""
        if path is None or self._root is None or not path.is_relative_to(self._root):
            return None
        return path.relative_to(self._root).as_posix()
