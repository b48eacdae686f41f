"""Find the parts of a declaration: body, signature, attributes, documentation, base types.

Implements ``part`` of docs/design/engine.md §1 "Symbol anchor". The search uses the declaration's
own ranges and the text between them, which works in broken code, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from snippet_engine.csharp.declarations.declaration_header import TYPE_KINDS, SymbolKind
from snippet_engine.csharp.declarations.symbols import Declaration, declarations
from snippet_engine.csharp.document import Document
from snippet_engine.source_text import TextRange

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DOCUMENTATION = re.compile(r"^\s*(?:///|/\*\*)", re.MULTILINE)
_STRING = re.compile(r'@"(?:[^"]|"")*"|"(?:[^"\\]|\\.)*"')
_ATTRIBUTE = re.compile(r"[\[,]\s*(?:\w+\s*:\s*)?((?:\w+\.)*\w+)(?=\s*[\](,])")
_ARGUMENTS = re.compile(r"\([^()]*\)")


def lead_of(document: Document, declaration: Declaration) -> str:
    """Return the text before a declaration's first modifier: documentation and attributes."""
    return document.source.view[declaration.full.start : declaration.header.start]


def declared_in(document: Document, place: TextRange) -> Declaration | None:
    """Return the first, outermost declaration that begins within ``place``."""
    found = (each for each in declarations(document) if place.start <= each.full.start < place.end)
    return min(found, key=lambda each: (each.full.start, -each.full.end), default=None)


def has_documentation(lead: str) -> bool:
    """Return whether a lead has a documentation comment."""
    return _DOCUMENTATION.search(lead) is not None


def attributes_of(lead: str) -> list[str]:
    """Return the names of the attributes in a lead, as written, without their arguments."""
    code = _STRING.sub('""', _COMMENT.sub("", lead))
    while (bare := _ARGUMENTS.sub("", code)) != code:
        code = bare
    return _ATTRIBUTE.findall(code)


_NESTED = re.compile(r"<[^<>]*>|\([^()]*\)|\[[^\[\]]*\]")
_CONSTRAINTS = re.compile(r"\bwhere\b.*", re.DOTALL)


def base_names(document: Document, declaration: Declaration) -> list[str]:
    """Return the base types of a type: bare names, without namespace or arguments."""
    header = _COMMENT.sub(" ", document.source.view[slice(*declaration.header)])
    while (flat := _NESTED.sub("", header)) != header:
        header = flat
    _, colon, listed = header.replace("::", ".").partition(":")
    if not colon:
        return []
    bases = _CONSTRAINTS.sub("", listed).split(",")
    return [name for each in bases if (name := each.strip().rpartition(".")[2])]


def modifiers_of(document: Document, declaration: Declaration) -> set[str]:
    """Return the words before a declaration's name; its modifiers are among them."""
    header = _COMMENT.sub(" ", document.source.view[slice(*declaration.header)])
    return set(re.findall(r"\w+", header.partition(declaration.name)[0]))


PARTS = ("declaration", "body", "signature", "attributes", "documentation", "initializer")

_GAP = re.compile(r"(?:\s++|//[^\n]*+|/\*(?>.*?\*/))*+", re.DOTALL)
"""White space and comments."""
_DOC_COMMENT = re.compile(r"///[^\n]*|/\*\*(?!/).*?\*/", re.DOTALL)
_LEAD_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|@"(?:[^"]|"")*"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|[\[\]]""",
    re.DOTALL,
)


def part_range(document: Document, declaration: Declaration, part: str) -> TextRange | None:
    """Return the range of a declaration's ``part`` (of :data:`PARTS`); ``None`` if it has none.

    * ``body``: the text between the braces, or the expression after ``=>``.
    * ``signature``: from the first modifier to before the body, initializer or ``;``.
    * ``attributes``, ``documentation``: from the first of them to the end of the last.
    * ``initializer``: the value after ``=``.
    """
    match part:
        case "declaration":
            return declaration.full
        case "body":
            return declaration.body or _after(document, declaration, "=>")
        case "signature":
            return declaration.header
        case "initializer":
            return _after(document, declaration, "=")
        case "attributes":
            found = list(_attributes(document, declaration))
        case _:
            found = list(_documentation(document, declaration))
    return TextRange(found[0].start, found[-1].end) if found else None


def parts_of(document: Document, declaration: Declaration) -> list[str]:
    """Return the parts that a declaration has."""
    return [part for part in PARTS if part_range(document, declaration, part) is not None]


def initializer_removal(
    document: Document, declaration: Declaration, value: TextRange
) -> TextRange:
    """Return the range of an initializer's ``value`` with the tokens that only it needs."""
    view = document.source.view
    end = value.end
    start = declaration.header.end
    if declaration.body is not None:
        start = declaration.body.end + 1
        # An automatic property ends with its brace, unless it has an initializer.
        end = declaration.full.end if view[value.end : declaration.full.end].strip() == ";" else end
    return TextRange(start, end)


def _after(document: Document, declaration: Declaration, sign: str) -> TextRange | None:
    """Return the range behind ``sign``; ``None`` if no such sign follows the header or braces."""
    view = document.source.view
    start = declaration.header.end
    if declaration.body is not None:
        start = declaration.body.end + 1
    end = declaration.full.end
    gap = _GAP.match(view, start, end)
    at = gap.end() if gap is not None else start
    found = "=>" if view.startswith("=>", at, end) else view[at : min(at + 1, end)]
    if found != sign:
        return None
    text = view[at + len(sign) : end]
    if text.endswith(";"):
        text = text[:-1]
    first = at + len(sign) + len(text) - len(text.lstrip())
    last = at + len(sign) + len(text.rstrip())
    return TextRange(first, last) if first < last else None


def _documentation(document: Document, declaration: Declaration) -> Iterator[TextRange]:
    view = document.source.view
    lead = view[declaration.full.start : declaration.header.start]
    for token in _LEAD_TOKEN.finditer(lead):
        if _DOC_COMMENT.fullmatch(token[0]) and not token[0].startswith("////"):
            at = declaration.full.start + token.start()
            yield TextRange(at, at + len(token[0].rstrip()))


def _attributes(document: Document, declaration: Declaration) -> Iterator[TextRange]:
    view = document.source.view
    lead = view[declaration.full.start : declaration.header.start]
    depth = start = 0
    for token in _LEAD_TOKEN.finditer(lead):
        if token[0] == "[":
            start = token.start() if depth == 0 else start
            depth += 1
        elif token[0] == "]" and depth:
            depth -= 1
            if depth == 0:
                yield TextRange(
                    declaration.full.start + start, declaration.full.start + token.end()
                )


_CALLED = frozenset(
    {
        *(SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.DESTRUCTOR),
        *(SymbolKind.LOCAL_FUNCTION, SymbolKind.DELEGATE),
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
    if declaration.kind in _CALLED:
        found = re.search(rf"(?P<name>{plain})\s*(?:<[^()]*>\s*)?\(", header)
    elif declaration.kind in TYPE_KINDS:
        found = re.search(f"{_KEYWORD}(?P<name>{plain})", header)
    else:
        # The last match: a type of the same name may come before it.
        found = None
        for found in re.finditer(f"(?P<name>{plain})", header):  # noqa: B007 - the last one
            pass
    if found is None:
        return None
    return TextRange(start + found.start("name"), start + found.end("name"))
