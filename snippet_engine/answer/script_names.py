"""Classes that Unity looks for in a file of their own name, and that stand in another one.

Implements ``script_name`` of docs/design/engine.md §2.7 and docs/design/change-sets.md §2. Told
from the texts of the request: a base class that another script declares hides what a class is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from snippet_engine.answer.warnings import Warn
from snippet_engine.csharp.declarations.base_types import base_names, modifiers_of
from snippet_engine.csharp.declarations.declaration_header import SymbolKind
from snippet_engine.csharp.declarations.serialized_fields import UNITY_OBJECTS
from snippet_engine.csharp.declarations.symbols import Declaration, declarations
from snippet_engine.csharp.document import Document
from snippet_engine.errors import shortened
from snippet_engine.storage.paths.request_path import shown

Bases = Mapping[str, str]
"""Names of classes, and which of Unity's objects each derives from."""


def script_names(
    document: Document, file: str, bases: Bases, known: Iterable[str]
) -> Iterator[Warn]:
    """``script_name`` for each class of ``document`` that Unity won't find in a file of that name.

    But for those that are ``known`` to have been so before.
    """
    for name, base, declaration in _misplaced(document, file, bases):
        if name not in known:
            yield Warn(
                "script_name",
                f"{shortened(name, 40)} is a {base}, but its file is {shown(file)}: "
                f"Unity finds it only in {shortened(name, 40)}.cs.",
                line=document.source.line_number(declaration.header.start) + 1,
            )


def names_misplaced(document: Document, file: str, bases: Bases) -> set[str]:
    """The names of those classes."""
    return {name for name, *_ in _misplaced(document, file, bases)}


def unity_bases(documents: Iterable[Document]) -> dict[str, str]:
    """Each class of ``documents`` that derives from one of Unity's objects, as far as they say."""
    unknown: dict[str, list[str]] = {}
    every = list(documents)
    if not any(name in each.source.view for each in every for name in UNITY_OBJECTS):
        return {name: name for name in UNITY_OBJECTS}
    for document in every:
        for each in declarations(document) if ":" in document.source.view else ():
            if each.kind is SymbolKind.CLASS:
                unknown.setdefault(each.name, []).extend(base_names(document, each))
    found: dict[str, str] = {name: name for name in UNITY_OBJECTS}
    grew = True
    while grew:
        grew = False
        # Sorted, so that the order of the scripts changes nothing.
        for name, bases in sorted(unknown.items()):
            base = min((found[each] for each in bases if each in found), default=None)
            if base is not None and name not in found:
                found[name] = base
                grew = True
    return found


def _misplaced(
    document: Document, file: str, bases: Bases
) -> Iterator[tuple[str, str, Declaration]]:
    """Name, base and declaration of each class that has to stand in a file of another name."""
    stem = file.removesuffix(".cs")
    if not any(name in document.source.view for name in bases):
        return
    every = declarations(document)
    for each in every:
        if each.kind is not SymbolKind.CLASS or each.name == stem or "<" in each.path:
            continue
        if each.parent is not None and every[each.parent].kind is not SymbolKind.NAMESPACE:
            continue
        base = next((bases[b] for b in base_names(document, each) if b in bases), None)
        words = modifiers_of(document, each)
        if base is None or "abstract" in words:
            continue
        if "partial" in words and stem.startswith(f"{each.name}."):
            continue
        yield each.name, base, each
