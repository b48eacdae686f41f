"""Short ways to ask a validator about an edit."""

from __future__ import annotations

from language_clients import GENEROUS_S

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.judge import ServerValidator
from snippet_engine.validation.validator import Verdict


def source(text: str) -> SourceText:
    decoded = decode(text.encode())
    assert isinstance(decoded, SourceText)
    return decoded


def judged(
    validator: ServerValidator,
    path: str,
    before: str,
    edit: tuple[str, str],
    *,
    within_s: float = GENEROUS_S,
    patient: bool = True,
) -> Verdict | SnippetError:
    """The verdict on replacing ``edit[0]``, which stands there once, by ``edit[1]``."""
    start = before.index(edit[0])
    edits = EditSet((TextEdit(start, start + len(edit[0]), edit[1]),))
    documents = DocumentCache()
    old = documents.get(source(before))
    new = documents.edited(old, source(edits.apply(before)), edits)
    return validator.validate(path, old, new, edits, within_s=within_s, patient=patient)


def diagnosed(
    validator: ServerValidator, path: str, text: str, *, within_s: float = GENEROUS_S
) -> Verdict | SnippetError:
    """The verdict on a text as it stands."""
    document = Document(source(text))
    return validator.diagnose(path, document, within_s=within_s, patient=True)
