"""The declarations of real files: they stand where they say, and their paths lead to them."""

from random import Random

from corpus_documents import documents

from benchmarks.unity_packages import CSharpFile
from snippet_engine.csharp.declarations.symbol_path import SymbolPathProblem, resolve
from snippet_engine.csharp.declarations.symbols import Declaration, SymbolKind, declarations

_SAMPLE = 20
"""Declarations per file whose paths are followed."""


def test_every_canonical_path_leads_to_its_declaration(files: list[CSharpFile]) -> None:
    followed = 0
    for label, document in documents(files):
        every = declarations(document)
        for one in Random(label).sample(every, min(_SAMPLE, len(every))):
            followed += 1
            for spelling in (one.path, one.path.replace(",", ", "), f" {one.path}"):
                found = resolve(document, spelling)
                assert not isinstance(found, SymbolPathProblem), (label, spelling, found)
                assert one in found, (label, spelling)
                assert {each.path for each in found} == {one.path}, (label, spelling)
    assert followed > 0


def test_a_path_without_its_namespace_leads_to_the_same_place(files: list[CSharpFile]) -> None:
    followed = 0
    for label, document in documents(files):
        every = declarations(document)
        for one in Random(label).sample(every, min(_SAMPLE, len(every))):
            namespace = _namespace(every, one)
            if namespace is None or one.kind is SymbolKind.NAMESPACE:
                continue
            followed += 1
            short = one.path.removeprefix(f"{namespace}.")
            found = resolve(document, short)
            assert not isinstance(found, SymbolPathProblem), (label, short, found)
            assert one in found or all(each.path == short for each in found), (label, short)
    assert followed > 0


def test_declarations_stand_in_their_parents_and_hold_their_names(files: list[CSharpFile]) -> None:
    for label, document in documents(files):
        view = document.source.view
        every = declarations(document)
        for index, one in enumerate(every):
            where = (label, one.path)
            text = view[one.full.start : one.full.end]
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
