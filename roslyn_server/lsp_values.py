"""Convert Roslyn's answers to LSP's values."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from roslyn_server.compiler.answers import Declaration, Finding, Span
from roslyn_server.protocol import DIAGNOSTIC_SOURCE, TextError

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
