"""Judge a file as it is, as strictly as an edit that would write it.

Implements ``validate_script`` of docs/design/engine.md §9. A comparing validator checks some things
for edits only; so the file is treated as one edit, which writes it into an empty one.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

from snippet_engine.csharp.document import Document
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.validator import MOST_DIAGNOSTICS, Validator, Verdict


class WholeFile:
    """A validator whose :meth:`diagnose` finds everything that its ``validate`` would refuse."""

    def __init__(self, validator: Validator) -> None:
        self._validator = validator

    def validate(
        self, path: str, before: Document, after: Document, edits: EditSet
    ) -> Verdict | SnippetError:
        """Return the validator's verdict."""
        return self._validator.validate(path, before, after, edits)

    def diagnose(self, path: str, document: Document) -> Verdict | SnippetError:
        """Return all errors as it is, and on other lines those of an edit that writes it."""
        standing = self._validator.diagnose(path, document)
        if isinstance(standing, SnippetError) or not document.source.view:
            return standing
        empty = decode(b"")
        assert isinstance(empty, SourceText)
        edits = EditSet((TextEdit(0, 0, document.source.view),))
        written = self._validator.validate(path, document.alike(empty), document, edits)
        if isinstance(written, SnippetError):
            return standing
        reported = {each.position.line for each in standing.diagnostics}
        more = [each for each in written.diagnostics if each.position.line not in reported]
        found = sorted((*standing.diagnostics, *more), key=attrgetter("offset"))[:MOST_DIAGNOSTICS]
        return replace(
            written,
            duration_ms=standing.duration_ms + written.duration_ms,
            symbol_sets=max(standing.symbol_sets, written.symbol_sets),
            diagnostics=tuple(found),
            not_checked=tuple(dict.fromkeys((*written.not_checked, *standing.not_checked))),
        )
