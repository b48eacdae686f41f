"""What a type says that it derives from."""

from __future__ import annotations

import re

from snippet_engine.csharp.declarations.symbols import Declaration
from snippet_engine.csharp.document import Document

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NESTED = re.compile(r"<[^<>]*>|\([^()]*\)|\[[^\[\]]*\]")
_CONSTRAINTS = re.compile(r"\bwhere\b.*", re.DOTALL)


def base_names(document: Document, declaration: Declaration) -> list[str]:
    """The types behind the colon of a type's header: bare names, without namespace or arguments."""
    header = _COMMENT.sub(" ", document.source.view[slice(*declaration.header)])
    while (flat := _NESTED.sub("", header)) != header:
        header = flat
    _, colon, listed = header.replace("::", ".").partition(":")
    if not colon:
        return []
    bases = _CONSTRAINTS.sub("", listed).split(",")
    return [name for each in bases if (name := each.strip().rpartition(".")[2])]


def modifiers_of(document: Document, declaration: Declaration) -> set[str]:
    """The words before a declaration's name; among them its modifiers."""
    header = _COMMENT.sub(" ", document.source.view[slice(*declaration.header)])
    return set(re.findall(r"\w+", header.partition(declaration.name)[0]))
