"""A server's report on one text, and the new errors in it.

Implements docs/design/roslyn.md §2. Loads no LSP library. An error is old if the earlier text had
one of the same id at the same place. In replaced text, any place within the replaced part counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from snippet_engine.csharp.document import ScanError
from snippet_engine.edits import EditSet
from snippet_engine.source_text import SourceText
from snippet_engine.validation.embedded.new_errors import new_scan_errors, scan_diagnostics
from snippet_engine.validation.validator import Diagnostic


@dataclass(frozen=True, slots=True)
class ServerDiagnostic:
    """An error of a server: line zero-based, character in UTF-16 code units."""

    line: int
    character: int
    id: str
    message: str


@dataclass(frozen=True, slots=True)
class NotChecked:
    """A part of a text that the server did not check, and the reason."""

    reason: str
    message: str
    detail: str = ""
    """Details about the reason, in a few words; may be empty."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a server says that its diagnostics of a document cover."""

    language_version: str
    symbol_sets: int
    covers: tuple[str, ...]
    not_checked: tuple[NotChecked, ...]
    compiler: str


@dataclass(frozen=True, slots=True)
class Report:
    """A server's full report on one text."""

    errors: tuple[ServerDiagnostic, ...]
    elsewhere: tuple[tuple[str, ServerDiagnostic], ...] = ()
    """Errors that the text causes in other documents, with their URIs."""
    semantics: bool = False
    """Whether semantic diagnostics were requested and answered."""
    semantics_late: bool = False
    coverage: Coverage | None = None
    """``None`` if the server doesn't report it."""


class SemanticsLate(Exception):  # noqa: N818 - what happened
    """The server did not report required semantics in time."""


def read_coverage(answer: Mapping[str, Any]) -> Coverage:
    """Read the coverage. Raises ``ValueError``, ``KeyError``, ``TypeError``, ``AttributeError``."""
    covers = tuple(map(str, answer["covers"]))
    if not covers or not set(covers) <= {"brackets", "syntax", "semantics"}:
        raise ValueError(covers)
    return Coverage(
        language_version=str(answer["languageVersion"]),
        symbol_sets=max(1, len(list(answer["symbolSets"]))),
        covers=covers,
        not_checked=tuple(
            NotChecked(str(each["reason"]), str(each["message"]), str(each.get("detail", "")))
            for each in answer["notChecked"]
        ),
        compiler=str(answer["compiler"]),
    )


def new_errors(
    before: SourceText,
    old: Iterable[ServerDiagnostic],
    after: SourceText,
    new: Iterable[ServerDiagnostic],
    edits: EditSet,
) -> list[Diagnostic]:
    """Return the errors of ``after`` without a counterpart in ``before``, in text order."""
    fresh = new_scan_errors(_placed(before, old), _placed(after, new), edits)
    return _ordered(after, fresh)


def diagnostics(source: SourceText, errors: Iterable[ServerDiagnostic]) -> list[Diagnostic]:
    """Return all errors as the engine's diagnostics."""
    return _ordered(source, _placed(source, errors))


def _ordered(source: SourceText, errors: Iterable[ScanError]) -> list[Diagnostic]:
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
