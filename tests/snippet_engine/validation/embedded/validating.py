"""Edits as the validator sees them, from two texts."""

from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.csharp.lexical.language_version import LanguageVersion
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator
from snippet_engine.validation.validator import Diagnostic, Verdict


def verdict_on(before: str, after: str, version: LanguageVersion | None = None) -> Verdict:
    """The embedded validator's verdict on the one edit that makes ``after`` of ``before``."""
    edits = EditSet((TextEdit(0, len(before), after).trimmed(before),))
    documents = DocumentCache()
    old = documents.get(source_of(before))
    new = documents.edited(old, source_of(after), edits)
    validator = EmbeddedValidator((lambda _: version) if version is not None else None)
    return validator.validate("Assets/C.cs", old, new, edits)


def new_errors(
    before: str, after: str, version: LanguageVersion | None = None
) -> tuple[Diagnostic, ...]:
    """The errors of that verdict."""
    return verdict_on(before, after, version).diagnostics


def source_of(text: str) -> SourceText:
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    return source
