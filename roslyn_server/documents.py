"""Keep the client's open texts up to date, and turn Roslyn's answers into LSP values.

Lines end only at ``\n``, ``\r\n`` and ``\r``, as in LSP, and characters count UTF-16 code units.
pygls's own documents also end lines at form feeds, so changes would land in the wrong place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lsprotocol import types

from roslyn_server.compiler.answers import Declaration, Finding, Span
from roslyn_server.protocol import DIAGNOSTIC_SOURCE, TextError

_LINE_END = re.compile(r"\r\n|\n|\r")
_ASTRAL = 0x10000


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """One version of an open text."""

    uri: str
    version: int
    text: str

    def changed(
        self, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> OpenDocument:
        """Return the document after ``changes``, applied one after the other."""
        text = self.text
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                starts = _line_starts(text)
                first = _offset(text, starts, change.range.start)
                last = max(first, _offset(text, starts, change.range.end))
                text = text[:first] + change.text + text[last:]
            else:
                text = change.text
        return OpenDocument(self.uri, version, text)


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def _offset(text: str, starts: Sequence[int], position: types.Position) -> int:
    """Return the offset of ``position`` in ``text``; the line's end for a position past it."""
    if position.line >= len(starts):
        return len(text)
    start = starts[position.line]
    stop = starts[position.line + 1] if position.line + 1 < len(starts) else len(text)
    line = text[start:stop].rstrip("\r\n")
    if line.isascii():
        return start + min(position.character, len(line))
    units = 0
    for index, character in enumerate(line):
        if units >= position.character:
            return start + index
        units += 2 if ord(character) >= _ASTRAL else 1
    return start + len(line)


ERROR = 3
"""Roslyn's severity of errors."""

_SEVERITIES = {
    ERROR: types.DiagnosticSeverity.Error,
    2: types.DiagnosticSeverity.Warning,
    1: types.DiagnosticSeverity.Information,
    0: types.DiagnosticSeverity.Hint,
}


def diagnostic(finding: Finding) -> types.Diagnostic:
    """Return a finding as an LSP diagnostic."""
    return types.Diagnostic(
        range=_range(finding.span),
        message=finding.message,
        severity=_SEVERITIES[finding.severity],
        code=finding.id,
        source=DIAGNOSTIC_SOURCE,
    )


def text_error(uri: str, finding: Finding) -> TextError:
    """Return an error of the document ``uri`` for :data:`.JUDGE_TEXT_REQUEST`."""
    line, character, *_ = finding.span
    return {
        "uri": uri,
        "line": line,
        "character": character,
        "code": finding.id,
        "message": finding.message,
    }


def document_symbols(declarations: Sequence[Declaration]) -> list[types.DocumentSymbol]:
    """Return the declarations, nested."""
    top: list[types.DocumentSymbol] = []
    around: list[list[types.DocumentSymbol]] = [top]
    for declaration in declarations:
        children: list[types.DocumentSymbol] = []
        symbol = types.DocumentSymbol(
            name=declaration.name or "?",
            kind=types.SymbolKind[declaration.kind],
            range=_range(declaration.span),
            selection_range=_range(declaration.name_span),
            children=children,
        )
        del around[declaration.depth + 1 :]
        around[-1].append(symbol)
        around.append(children)
    return top


def _range(span: Span) -> types.Range:
    return types.Range(types.Position(*span[:2]), types.Position(*span[2:]))
