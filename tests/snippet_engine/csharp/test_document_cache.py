"""The cache of documents stays small, however many texts it is asked about."""

from __future__ import annotations

import gc

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.source_text import SourceText, decode

LIMIT = 20


def source(text: str) -> SourceText:
    made = decode(text.encode())
    assert isinstance(made, SourceText)
    return made


def alive() -> int:
    gc.collect()
    return sum(type(each) is Document for each in gc.get_objects())


def test_many_texts_keep_no_more_documents_than_allowed() -> None:
    before = alive()
    cache = DocumentCache(max_documents=LIMIT)
    for number in range(10 * LIMIT):
        cache.get(source(f"class A{number} {{ }}\n")).tree()
        assert number < 2 * LIMIT or number % LIMIT or alive() - before <= LIMIT


def test_a_series_of_edits_keeps_no_more_documents_than_allowed() -> None:
    before = alive()
    cache = DocumentCache(max_documents=LIMIT)
    text = "class A { int a = 1; }\n"
    document = cache.get(source(text))
    at = text.index("1")
    for number in range(10 * LIMIT):
        after = text.replace("1", f"1{number % 7}", 1) + "\n" * (number % 11)
        edits = EditSet((TextEdit(0, len(document.source.view), after),))
        document = cache.edited(document, source(after), edits)
        assert document.source.view[at] == "1"
    assert alive() - before <= 2 * LIMIT  # some hold the one before
