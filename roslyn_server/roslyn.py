"""A loaded Roslyn as the server sees it: texts in, diagnostics and outlines out.

Implements spec 04-roslyn §3. Calls block, release Python's lock while .NET works, and may come
from any thread; a :class:`Cancellation` given to one ends it early.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roslyn_server import hosting
from roslyn_server.toolchain import Toolchain
from snippet_engine.csharp.symbol_sets import SymbolSet

Span = tuple[int, int, int, int]
"""First line and character, last line and character: zero-based, UTF-16, as LSP has them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One of Roslyn's diagnostics. ``severity`` is Roslyn's: 2 a warning, 3 an error."""

    id: str
    severity: int
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declaration of an outline. ``kind`` is the name of an LSP ``SymbolKind``.

    ``depth`` counts the declarations around it; ``name_span`` lies within ``span``.
    """

    kind: str
    depth: int
    span: Span
    name_span: Span
    name: str


class CancelledError(Exception):
    """The call was cancelled before it had an answer."""


class Cancellation:
    """Ends a running call when :meth:`cancel` is called, from whatever thread."""

    def __init__(self) -> None:
        threading: Any = importlib.import_module("System.Threading")
        self._source = threading.CancellationTokenSource()

    @property
    def token(self) -> Any:
        """The .NET ``CancellationToken``."""
        return self._source.Token

    def cancel(self) -> None:
        """Ask the call to end; nothing happens if it has."""
        self._source.Cancel()


class Roslyn:
    """The compiler of ``toolchain``, loaded. Raises :class:`hosting.HostingError`."""

    def __init__(self, toolchain: Toolchain) -> None:
        self._host = hosting.load(toolchain)
        self._cancelled: Any = importlib.import_module("System").OperationCanceledException
        self.compiler = str(self._host.CompilerVersion())
        """Roslyn's version, as ``4.8.0``."""
        self.runtime = str(self._host.RuntimeVersion())
        """The runtime's, as ``.NET 8.0.19``."""

    def knows(self, language_version: str) -> bool:
        """Whether this Roslyn has the language version."""
        return bool(self._host.KnowsLanguageVersion(language_version))

    def syntax_diagnostics(
        self,
        text: str,
        symbol_sets: Sequence[SymbolSet],
        language_version: str,
        cancellation: Cancellation,
    ) -> list[Finding]:
        """What is wrong with ``text`` in itself under any of the symbol sets, each finding once.

        Raises :class:`CancelledError`.
        """
        sets = hosting.dotnet_string_lists([sorted(each) for each in symbol_sets])
        ask = self._host.SyntaxDiagnostics
        rows = self._answer(ask, _utf16(text), sets, language_version, cancellation.token)
        return [_finding(row) for row in rows]

    def outline(
        self, text: str, symbols: SymbolSet, language_version: str, cancellation: Cancellation
    ) -> list[Declaration]:
        """The declarations of ``text``, each before those inside it, in text order.

        Raises :class:`CancelledError`.
        """
        defined = hosting.dotnet_strings(sorted(symbols))
        ask = self._host.Outline
        rows = self._answer(ask, _utf16(text), defined, language_version, cancellation.token)
        return [_declaration(row) for row in rows]

    def _answer(self, ask: Any, *arguments: Any) -> list[str]:
        try:
            return [str(row) for row in ask(*arguments)]
        except self._cancelled as error:
            raise CancelledError from error


def _utf16(text: str) -> str:
    """``text`` without lone surrogates, which can't cross into .NET; of the same length."""
    return text.encode("utf-16-le", "replace").decode("utf-16-le") if not _is_clean(text) else text


def _is_clean(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _finding(row: str) -> Finding:
    id_, severity, *at, message = row.split(" ", 6)
    return Finding(id_, int(severity), _span(at), message)


def _declaration(row: str) -> Declaration:
    kind, depth, *rest = row.split(" ", 10)
    return Declaration(kind, int(depth), _span(rest[:4]), _span(rest[4:8]), rest[8])


def _span(numbers: Sequence[str]) -> Span:
    first_line, first_character, last_line, last_character = map(int, numbers)
    return first_line, first_character, last_line, last_character
