"""A loaded Roslyn as the server sees it: texts in, diagnostics and outlines out.

Calls block, release Python's lock while .NET works, and may come from any thread. A
:class:`.Cancellation` ends one early.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from roslyn_server.compiler import hosting
from roslyn_server.compiler.answers import Declaration, Finding, declaration, finding
from roslyn_server.compiler.calls import Cancellation, asked, rows, utf16
from roslyn_server.compiler.compiled_project import Project
from snippet_engine.csharp.lexical.symbol_sets import BuildSymbols, SymbolSet


class Roslyn:
    """The compiler behind ``host``, as :func:`hosting.load` returns it."""

    def __init__(self, host: Any) -> None:
        self._host = host
        self.compiler = str(self._host.CompilerVersion())
        """Roslyn's version, as ``4.8.0``."""
        self.runtime = str(self._host.RuntimeVersion())
        """The runtime's version, as ``.NET 8.0.19``."""

    def is_warm(self) -> bool:
        """Wait for the warm-up; return ``False`` if it hadn't begun, or failed."""
        return bool(importlib.import_module("RoslynServer").WarmUp.Ended())

    def memory(self) -> tuple[int, int]:
        """Return the bytes that the compiler holds, and its limit."""
        held, limit = self._host.Memory()
        return int(held), int(limit)

    def effective_version(self, option: str) -> str:
        """Return the language version that an option means; empty if this Roslyn has none."""
        return str(self._host.EffectiveLanguageVersion(option))

    def syntax_diagnostics(
        self,
        text: str,
        symbol_sets: Sequence[SymbolSet],
        language_version: str,
        cancellation: Cancellation,
        *,
        only_parsed: bool = False,
    ) -> list[Finding]:
        """Return the errors of ``text`` by itself under any of the symbol sets, each once.

        With ``only_parsed``, the text is only parsed under the first set, because semantics are
        asked for, too.
        """
        sets = hosting.dotnet_string_lists([sorted(each) for each in symbol_sets])
        options = language_version, only_parsed, isinstance(symbol_sets[0], BuildSymbols)
        arguments = (utf16(text), sets, *options, cancellation.token)
        return list(map(finding, rows(asked(self._host.SyntaxDiagnostics, *arguments))))

    def outline(
        self, text: str, symbols: SymbolSet, language_version: str, cancellation: Cancellation
    ) -> list[Declaration]:
        """Return the declarations of ``text`` in order, outer ones first."""
        defined = hosting.dotnet_strings(sorted(symbols))
        arguments = (utf16(text), defined, language_version, cancellation.token)
        return list(map(declaration, rows(asked(self._host.Outline, *arguments))))

    def project(self) -> Project:
        """Return an empty project model."""
        return Project(importlib.import_module("RoslynServer").ProjectModel())
