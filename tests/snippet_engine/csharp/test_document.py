"""Documents: symbol sets, active code, places in branches, and the cache."""

from __future__ import annotations

import gc
import weakref

import pytest

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.source_text import SourceText, decode


def source_of(text: str | bytes) -> SourceText:
    source = decode(text.encode() if isinstance(text, str) else text)
    assert isinstance(source, SourceText)
    return source


def document_of(text: str | bytes) -> Document:
    return Document(source_of(text))


def place(document: Document, text: str) -> tuple[int, int]:
    start = document.source.view.index(text)
    return start, start + len(text)


def replace(source: SourceText, old: str, new: str) -> tuple[SourceText, EditSet]:
    start = source.view.index(old)
    edits = EditSet.of([TextEdit(start, start + len(old), new)])
    assert isinstance(edits, EditSet)
    data = edits.apply_to_bytes(source)
    assert isinstance(data, bytes)
    return source_of(data), edits


BRANCHES = """#if UNITY_EDITOR
class é { int a; }
#elif OTHER
class B { int b; }
#else
class C { int c; }
#endif
class D { int d; }
"""


def test_the_base_set_is_the_editors() -> None:
    assert document_of("class A { }").symbol_sets == (UNITY_EDITOR_SYMBOLS,)
    assert {"UNITY_EDITOR", "UNITY_2021_3_OR_NEWER", "UNITY_5_3_OR_NEWER", "DEBUG"} <= (
        UNITY_EDITOR_SYMBOLS
    )


def test_the_other_set_has_every_named_symbol_flipped() -> None:
    base, flipped = document_of("#if DEBUG && (A || !B)\n#elif C // D\n#endif").symbol_sets
    assert base == UNITY_EDITOR_SYMBOLS
    assert flipped == (UNITY_EDITOR_SYMBOLS - {"DEBUG"}) | {"A", "B", "C"}


@pytest.mark.parametrize("text", ["#region A\n#endregion", "#if true\n#endif", "#define A"])
def test_without_named_symbols_there_is_one_set(text: str) -> None:
    assert len(document_of(text).symbol_sets) == 1


def test_inactive_code_and_directives_are_spaces_of_the_same_length() -> None:
    document = document_of(BRANCHES)
    for index, kept in ((0, "class é { int a; }"), (1, "class B { int b; }")):
        active = document.active_utf8(index)
        assert len(active) == len(document.source.utf8)
        assert active.decode().split() == f"{kept} class D {{ int d; }}".split()
        assert active.count(b"\n") == document.source.utf8.count(b"\n")
        assert active.index(kept.encode()) == document.source.utf8.index(kept.encode())
        assert not document.tree(index).root_node.has_error


def test_places_in_branches() -> None:
    document = document_of(BRANCHES)
    active = {
        text: document.is_active(*place(document, text), UNITY_EDITOR_SYMBOLS)
        for text in ("a;", "b;", "d;")
    }
    assert active == {"a;": True, "b;": False, "d;": True}
    assert document.is_active(*place(document, "b;"), document.symbol_sets[1])
    assert document.is_active(*place(document, "#elif"), UNITY_EDITOR_SYMBOLS)
    assert document.is_active(*place(document, "#endif"), UNITY_EDITOR_SYMBOLS)
    assert not document.is_active(
        *place(document, "a; }\n#elif OTHER\nclass B"), UNITY_EDITOR_SYMBOLS
    )
    assert document.is_active(*place(document, "a; }\n#elif"), UNITY_EDITOR_SYMBOLS)
    assert not document.is_inactive(*place(document, "c;"))


def test_a_directive_belongs_to_the_branch_around_it() -> None:
    document = document_of("#if false\n#if A\n#else\n#endif\n#region r\n#endregion\n#endif\n")
    for text in ("#if A", "#else", "#region", "#endregion"):
        assert not document.is_active(*place(document, text), UNITY_EDITOR_SYMBOLS)
        assert document.is_inactive(*place(document, text))
    view = document.source.view
    assert not document.is_active(
        view.index("#endif"), view.index("#endif") + 1, UNITY_EDITOR_SYMBOLS
    )
    assert document.is_active(
        view.rindex("#endif"), view.rindex("#endif") + 1, UNITY_EDITOR_SYMBOLS
    )


def test_offsets_fit_the_view_whatever_the_file_ends_its_lines_with() -> None:
    plain, crlf = document_of(BRANCHES), document_of(BRANCHES.replace("\n", "\r\n"))
    wide = document_of("\ufeff".encode("utf-16-le") + BRANCHES.encode("utf-16-le"))
    for document in (crlf, wide):
        assert document.active_utf8(1) == plain.active_utf8(1)
        assert str(document.tree(1).root_node) == str(plain.tree(1).root_node)


def test_characters_that_the_parser_takes_for_others_are_replaced() -> None:
    document = document_of('// a\u2028class A { string s = "\0"; }')
    assert document.scan_errors_under(document.base) == ()
    assert not document.tree().root_node.has_error
    assert b"class A" in document.active_utf8()
    assert len(document.active_utf8()) == len(document.source.utf8)


def test_scan_errors_name_the_opener() -> None:
    document = document_of("class A\n{\n  void F()\n  {\n")
    (error,) = document.scan_errors_under(document.base)[:1]
    assert (error.id, error.opener) == ("CS1513", 23)
    assert "line 4, column 3" in error.message


def test_the_cache_knows_content_by_its_hash() -> None:
    cache = DocumentCache()
    first = cache.get(source_of("class A { }"))
    assert cache.get(source_of("class A { }")) is first
    assert cache.get(source_of("class B { }")) is not first


def test_the_cache_drops_what_was_used_longest_ago() -> None:
    texts = [f"class A{number} {{ {'int a; ' * 100} }}" for number in range(4)]
    size = len(texts[0])
    cache = DocumentCache(max_bytes=200 * size)
    first, second, _ = (cache.get(source_of(text)) for text in texts[:3])
    assert cache.get(source_of(texts[0])) is first
    cache.get(source_of(texts[3]))
    assert cache.get(source_of(texts[0])) is first
    assert cache.get(source_of(texts[1])) is not second


def test_small_documents_take_more_than_their_texts() -> None:
    cache = DocumentCache(max_bytes=100_000)
    kept = [weakref.ref(cache.get(source_of(f"class A{number} {{ }}"))) for number in range(100)]
    gc.collect()
    assert sum(one() is not None for one in kept) < 20


def test_the_cache_keeps_a_document_larger_than_itself() -> None:
    cache = DocumentCache(max_bytes=1)
    document = cache.get(source_of("class A { }"))
    assert cache.get(source_of("class A { }")) is document


def test_an_edited_document_is_cached_under_its_own_hash() -> None:
    cache = DocumentCache()
    before = cache.get(source_of("class A { int a; }"))
    after, edits = replace(before.source, "int a", "int b")
    edited = cache.edited(before, after, edits)
    assert cache.get(after) is edited
    assert cache.edited(before, after, edits) is edited


def test_an_edit_that_does_not_lead_to_the_text_is_not_believed() -> None:
    before = document_of(b"class A { }\r;\nint a;")
    start = before.source.view.index(";")
    edits = EditSet.of([TextEdit(start, start + 1, "")])
    assert isinstance(edits, EditSet)
    after = source_of(b"class A { }\r\nint a;")  # one line break where the edits see two
    edited = DocumentCache().edited(before, after, edits)
    assert edited.active_utf8() == after.utf8
    assert str(edited.tree().root_node) == str(document_of(after.data).tree().root_node)


def test_a_long_row_of_edits_keeps_no_long_row_of_documents() -> None:
    cache = DocumentCache(max_bytes=1)
    document = cache.get(source_of("class A { int a0; }"))
    row: list[weakref.ref[Document]] = []
    for number in range(40):
        after, edits = replace(document.source, f"a{number};", f"a{number + 1};")
        row.append(weakref.ref(document))
        document = cache.edited(document, after, edits)
    gc.collect()
    assert sum(one() is not None for one in row) <= 1
    assert document.scan_errors_under(document.base) == ()
    assert not document.tree().root_node.has_error
    assert b"a40" in document.active_utf8()
