"""Find which of a server's errors are new.

Compares as the embedded validator does: an old error accounts for a new one of the same id at the
place that the edits moved it to, or inside the text that replaced its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from lsp_client.diagnostics.document_diagnostics import ServerDiagnostic
from snippet_engine.csharp.document import ScanError
from snippet_engine.edits import EditSet
from snippet_engine.source_text import SourceText
from snippet_engine.validation.embedded.new_errors import new_scan_errors, scan_diagnostics
from snippet_engine.validation.validator import Diagnostic


def new_errors(
    before: SourceText,
    old: Iterable[ServerDiagnostic],
    after: SourceText,
    new: Iterable[ServerDiagnostic],
    edits: EditSet,
) -> list[Diagnostic]:
    """Return the errors of ``after`` that no error of ``before`` accounts for, in text order."""
    fresh = new_scan_errors(_placed(before, old), _placed(after, new), edits)
    return all_errors(after, fresh)


def diagnostics(source: SourceText, errors: Iterable[ServerDiagnostic]) -> list[Diagnostic]:
    """Return all errors as the engine's diagnostics."""
    return all_errors(source, _placed(source, errors))


def all_errors(source: SourceText, errors: Iterable[ScanError]) -> list[Diagnostic]:
    """Return the errors as diagnostics, in text order."""
    return scan_diagnostics(source, sorted(errors, key=lambda error: error.offset))


def _placed(source: SourceText, errors: Iterable[ServerDiagnostic]) -> list[ScanError]:
    return [
        ScanError(_offset(source, error.line, error.character), error.id, error.message)
        for error in errors
    ]


def _offset(source: SourceText, line: int, character: int) -> int:
    """Return the view offset of an LSP position; the nearest one if the text has no such place."""
    starts = source.line_starts
    if line >= len(starts):
        return len(source.view)
    start = starts[line]
    text = source.view[start : source.line_end(start)]
    if text.isascii():
        return start + min(character, len(text))
    units = text.encode("utf-16-le")[: 2 * character]
    return start + len(units.decode("utf-16-le", errors="ignore"))
