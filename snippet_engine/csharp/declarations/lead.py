"""What stands above a declaration's header and belongs to it: documentation and attributes."""

from __future__ import annotations

import re

from snippet_engine.csharp.declarations.symbols import Declaration, declarations
from snippet_engine.csharp.document import Document
from snippet_engine.source_text import TextRange

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DOCUMENTATION = re.compile(r"^\s*(?:///|/\*\*)", re.MULTILINE)
_STRING = re.compile(r'@"(?:[^"]|"")*"|"(?:[^"\\]|\\.)*"')
_ATTRIBUTE = re.compile(r"[\[,]\s*(?:\w+\s*:\s*)?((?:\w+\.)*\w+)(?=\s*[\](,])")
_ARGUMENTS = re.compile(r"\([^()]*\)")


def lead_of(document: Document, declaration: Declaration) -> str:
    """The text from a declaration's documentation or attributes to before its first modifier."""
    return document.source.view[declaration.full.start : declaration.header.start]


def declared_in(document: Document, place: TextRange) -> Declaration | None:
    """The first, outermost declaration that begins within ``place``."""
    found = (each for each in declarations(document) if place.start <= each.full.start < place.end)
    return min(found, key=lambda each: (each.full.start, -each.full.end), default=None)


def has_documentation(lead: str) -> bool:
    """Whether a lead has a documentation comment."""
    return _DOCUMENTATION.search(lead) is not None


def attributes_of(lead: str) -> list[str]:
    """The names of a lead's attributes, as they are written, without their arguments."""
    code = _STRING.sub('""', _COMMENT.sub("", lead))
    while (bare := _ARGUMENTS.sub("", code)) != code:
        code = bare
    return _ATTRIBUTE.findall(code)
