"""The declarations of real files: they stand where they say, and their paths lead to them."""

from random import Random

from corpus_documents import documents

from benchmarks.unity_packages import CSharpFile
from snippet_engine.csharp.declarations.symbol_path import SymbolPathProblem, resolve
from snippet_engine.csharp.declarations.symbols import Declaration, SymbolKind, declarations
from snippet_engine.csharp.document import Document

_SAMPLE = 20
"""Declarations per file whose paths are followed."""


def test_declarations_stand_where_they_say_and_paths_lead_to_them(files: list[CSharpFile]) -> None:
    """One pass over the files: reading them is what takes the time."""
    followed = shortened = 0
    for label, document in documents(files):
        every = declarations(document)
        for index, one in enumerate(every):
            _check_place(label, document, every, index, one)
        for one in Random(label).sample(every, min(_SAMPLE, len(every))):
            followed += 1
            for spelling in (one.path, one.path.replace(",", ", "), f" {one.path}"):
                found = resolve(document, spelling)
                assert not isinstance(found, SymbolPathProblem), (label, spelling, found)
                assert one in found, (label, spelling)
                assert {each.path for each in found} == {one.path}, (label, spelling)
            namespace = _namespace(every, one)
            if namespace is not None and one.kind is not SymbolKind.NAMESPACE:
                shortened += 1
                short = one.path.removeprefix(f"{namespace}.")
                found = resolve(document, short)
                assert not isinstance(found, SymbolPathProblem), (label, short, found)
                assert one in found or all(each.path == short for each in found), (label, short)
    assert followed > 0
    assert shortened > 0


def _check_place(
    label: str, document: Document, every: tuple[Declaration, ...], index: int, one: Declaration
) -> None:
    """The declaration stands in its parent, and holds its name."""
    where = (label, one.path)
    text = document.source.view[one.full.start : one.full.end]
    assert one.full.start <= one.header.start <= one.header.end <= one.full.end, where
    assert text == text.strip(), where
    if one.kind not in (SymbolKind.OPERATOR, SymbolKind.CONVERSION_OPERATOR):
        assert one.name.lstrip("~.@") in text or one.name == ".cctor", where
    if one.parent is not None:
        parent = every[one.parent]
        assert one.parent < index, where
        assert parent.search.start <= one.full.start, where
        assert one.full.end <= parent.search.end, where
        assert one.path.startswith(f"{parent.path}."), where


def _namespace(every: tuple[Declaration, ...], one: Declaration) -> str | None:
    """The path of the innermost namespace around ``one``."""
    while one.parent is not None:
        one = every[one.parent]
        if one.kind is SymbolKind.NAMESPACE:
            return one.path
    return None
