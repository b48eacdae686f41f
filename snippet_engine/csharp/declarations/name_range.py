"""Find the name in a declaration: the range of its identifier."""

from __future__ import annotations

import re

from snippet_engine.csharp.declarations.declaration_header import SymbolKind
from snippet_engine.csharp.declarations.symbols import Declaration
from snippet_engine.csharp.document import Document
from snippet_engine.source_text import TextRange

_CALLED = frozenset(
    {
        *(SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.DESTRUCTOR),
        *(SymbolKind.LOCAL_FUNCTION, SymbolKind.DELEGATE),
    }
)
_TYPES = frozenset(
    {
        *(SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.INTERFACE, SymbolKind.ENUM),
        *(SymbolKind.RECORD, SymbolKind.RECORD_STRUCT),
    }
)
_KEYWORD = r"\b(?:class|struct|interface|enum|record(?:\s+(?:class|struct))?)\s+@?"
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def name_range(document: Document, declaration: Declaration) -> TextRange | None:
    """Return the range of the declaration's identifier, in view offsets, without an ``@``.

    ``None`` if it has none of its own, as an operator or an indexer.
    """
    name = declaration.name.removeprefix("~").removeprefix("@").rpartition(".")[2]
    if _IDENTIFIER.fullmatch(name) is None:
        return None
    # An enum member's value, or a field's initializer, comes after the header.
    start, end = declaration.header
    header = document.source.view[start:end]
    plain = rf"(?<!\w){re.escape(name)}(?!\w)"
    if declaration.kind in _TYPES:
        found = re.search(f"{_KEYWORD}(?P<name>{plain})", header)
    elif declaration.kind in _CALLED:
        found = re.search(rf"(?P<name>{plain})\s*(?:<[^()]*>\s*)?\(", header)
    else:
        # A type of that name stands before it.
        found = None
        for found in re.finditer(f"(?P<name>{plain})", header):  # noqa: B007 - the last one
            pass
    if found is None:
        return None
    return TextRange(start + found.start("name"), start + found.end("name"))
