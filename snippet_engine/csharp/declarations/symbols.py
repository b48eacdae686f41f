"""The declarations of a C# file: their names, kinds and places.

Implements docs/design/engine.md §1 "Symbol anchor" and §9. Reading never fails: a file with
syntax errors gives the declarations that can be recognised.

A canonical path names the namespace, the types and the member, joined by dots:

* parameter types in parentheses for methods, constructors, destructors, operators and local
  functions, in brackets for indexers: ``Game.Player.TakeDamage(int,ref Vector3)``,
  ``Game.Grid.this[int,int]``, ``Vec.operator +(Vec,Vec)``, ``Vec.implicit operator float(Vec)``;
* type parameters as declared: ``Game.Pool<T>.Get<TKey>(TKey)``;
* ``Player.Player(int)`` is a constructor, ``Player..cctor()`` the static one,
  ``Player.~Player()`` the destructor;
* an explicit interface implementation keeps its interface: ``Game.Player.IDamage.Take(int)``;
* accessors and local functions stand below their owner: ``Game.Player.Health.get``,
  ``Game.Player.Update().Local(int)``.

Two declarations share a path only in these cases: parts of one symbol (namespaces, partial types
and methods), alternative ``#if`` branches, local functions of one name in sibling blocks, and
broken code.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from snippet_engine.csharp.declarations.declaration_header import SymbolKind
from snippet_engine.csharp.declarations.declaration_reader import (
    FoundDeclaration,
    Span,
    TooManyDeclarationsError,
    read_declarations,
)
from snippet_engine.csharp.document import Document
from snippet_engine.csharp.lexical.symbol_sets import SymbolSet
from snippet_engine.csharp.tree.syntax_tree import around
from snippet_engine.source_text import SourceText, TextRange, utf16_length

__all__ = [
    "Declaration",
    "SymbolKind",
    "are_all_read",
    "are_readable",
    "comma_before",
    "declarations",
    "enclosing_path",
    "is_inside_block",
    "outline",
    "removal_range",
]


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declaration; ranges are view offsets."""

    path: str
    """Its canonical symbol path."""
    name: str
    """The last part of the path, bare of parameters and interface: ``operator +``, ``~Player``."""
    kind: SymbolKind
    full: TextRange
    """The range that a symbol anchor without target names.

    It begins with the first line of the documentation comment or attributes, and ends with the last
    token. For one of several declarators it is the declarator; for a file-scoped namespace, its own
    line.
    """
    search: TextRange
    """The range in which a symbol anchor's target is searched; mostly ``full``.

    For a file-scoped namespace it ends with the file. If ``#if`` branches give the declaration
    several beginnings or ends, it covers all of them.
    """
    header: TextRange
    """From the first modifier to before the body, initializer or ``;``."""
    body: TextRange | None
    """The text between the braces of a type, block or accessor list; ``None`` without braces."""
    parent: int | None
    """The index of the declaration that contains it."""
    whole: TextRange | None = None
    """For the first of several declarators, the range of them all; else ``None``."""


_DECLARATORS = {SymbolKind.FIELD, SymbolKind.CONSTANT, SymbolKind.EVENT}

_GRAIN = 128
"""Bytes that are compared at a time; regions begin and end at multiples of this number."""

_known: WeakKeyDictionary[Document, tuple[Declaration, ...]] = WeakKeyDictionary()
_unread: WeakSet[Document] = WeakSet()
"""Documents that have too many declarations."""


def are_readable(document: Document) -> bool:
    """Return whether :func:`declarations` can be read in time."""
    declarations(document)
    return document.is_parsed and document not in _unread


def are_all_read(document: Document) -> bool:
    """Return whether :func:`declarations` surely finds all: nothing in the file is misread."""
    return (
        are_readable(document)
        and not document.has_unread_branches
        and all(
            symbols in document.read_sets
            and document.under(symbols).is_whole_text_parsed
            and not document.under(symbols).cured.broken
            for symbols in (*document.symbol_sets, *document.further_sets())
        )
    )


def declarations(document: Document) -> tuple[Declaration, ...]:
    """Return every declaration of the file, in document order, each one after its parent.

    Includes those of the base symbol set, and those in ``#if`` branches that only another symbol
    set compiles. If two symbol sets see a declaration differently, the base set decides.
    """
    known = _known.get(document)
    if known is None:
        try:
            found = _read(document, document.base)
            for symbols in document.read_sets[1:]:
                regions = _differing_regions(
                    document.active_utf8(), document.under(symbols).active_utf8
                )
                found = _merge(found, _read(document, symbols, regions))
        except TooManyDeclarationsError:
            found = []
            _unread.add(document)
        known = _known[document] = _in_view(document.source, found)
    return known


def _read(
    document: Document, symbols: SymbolSet, regions: Sequence[Span] | None = None
) -> list[FoundDeclaration]:
    analysis = document.under(symbols)
    tree = analysis.cured_tree if analysis.tree.root_node.has_error else analysis.tree
    return read_declarations(tree, analysis.active_utf8, document.source.utf8, regions)


def _differing_regions(base: bytes, other: bytes) -> list[Span]:
    """Return disjoint ranges, in order, that cover all differences between texts of one length."""
    regions: list[Span] = []
    for start in range(0, len(base) if base != other else 0, _GRAIN):
        end = start + _GRAIN
        if base[start:end] != other[start:end]:
            if regions and regions[-1][1] == start:
                regions[-1] = (regions[-1][0], end)
            else:
                regions.append((start, end))
    return regions


def _merge(base: list[FoundDeclaration], other: list[FoundDeclaration]) -> list[FoundDeclaration]:
    """Return ``base`` and the declarations of ``other`` that it doesn't have, in document order."""
    by_path: dict[str, list[int]] = {}
    for index, one in enumerate(base):
        by_path.setdefault(one.path, []).append(index)
    merged = list(base)
    place: list[int] = []
    for one in other:
        same = (
            index
            for index in by_path.get(one.path, ())
            if base[index].start < one.end and one.start < base[index].end
        )
        known = next(same, None)
        if known is not None:
            extent = base[known].extent
            base[known].extent = (min(extent[0], one.start), max(extent[1], one.end))
        else:
            known = len(merged)
            merged.append(one)
            one.parent = None if one.parent is None else place[one.parent]
        place.append(known)
    order = sorted(range(len(merged)), key=lambda index: merged[index].document_order)
    moved: dict[int | None, int | None] = {None: None}
    moved.update((index, position) for position, index in enumerate(order))
    for one in merged:
        one.parent = moved[one.parent]
    return [merged[index] for index in order]


def _in_view(source: SourceText, found: list[FoundDeclaration]) -> tuple[Declaration, ...]:
    """Return the found declarations with view offsets."""
    if not source.view.isascii():
        _convert(source, found)
    return tuple(
        Declaration(
            one.path,
            one.name,
            one.kind,
            TextRange(one.start, one.end),
            TextRange(*one.extent),
            TextRange(*one.header),
            None if one.body is None else TextRange(*one.body),
            one.parent,
            None if one.whole is None else TextRange(*one.whole),
        )
        for one in found
    )


def _convert(source: SourceText, found: list[FoundDeclaration]) -> None:
    """Convert UTF-8 offsets into view offsets, all in one pass over the text."""
    offsets: set[int] = set()
    for one in found:
        offsets.update((one.start, one.end, *one.extent, *one.header))
        offsets.update((*(one.body or ()), *(one.whole or ())))
    view_offset: dict[int, int] = {}
    utf8, before, view = source.utf8, 0, 0
    for offset in sorted(offsets):
        view += len(utf8[before:offset].decode(errors="replace"))
        view_offset[offset] = view
        before = offset
    for one in found:
        one.start, one.end = view_offset[one.start], view_offset[one.end]
        one.extent = (view_offset[one.extent[0]], view_offset[one.extent[1]])
        one.header = (view_offset[one.header[0]], view_offset[one.header[1]])
        if one.body is not None:
            one.body = (view_offset[one.body[0]], view_offset[one.body[1]])
        if one.whole is not None:
            one.whole = (view_offset[one.whole[0]], view_offset[one.whole[1]])


def outline(document: Document) -> list[dict[str, Any]]:
    """Return the file's outline, in order: ``{path, kind, range}`` with zero-based LSP positions.

    Each declaration except accessors has an entry; a field has one for each declarator. If the base
    symbol set doesn't compile a declaration, its entry has the ``condition`` that does.
    """
    source = document.source
    return [
        {
            "path": declaration.path,
            "kind": declaration.kind.value,
            "range": {
                "start": _position(source, declaration.search.start),
                "end": _position(source, declaration.search.end),
            },
        }
        | _condition(document, declaration.header.start)
        for declaration in declarations(document)
        if declaration.kind is not SymbolKind.ACCESSOR
    ]


def _condition(document: Document, place: int) -> dict[str, str]:
    condition = document.condition_of(place)
    return {} if condition is None else {"condition": condition}


def _position(source: SourceText, offset: int) -> dict[str, int]:
    line = bisect_right(source.line_starts, offset) - 1
    start = source.line_starts[line]
    return {"line": line, "character": utf16_length(source.view[start:offset])}


_COMMA_AFTER = re.compile(r"(?:\s++|/\*(?>.*?\*/)|//[^\n]*+\n)*+,[ \t]*", re.DOTALL)


def removal_range(source: SourceText, declaration: Declaration) -> TextRange:
    """Return the view range to delete with ``declaration`` so that the rest still parses.

    That is ``full``, and for an enum member or one of several declarators also a comma: the next,
    or for the last item the previous one. Only an enum may keep the previous comma, if it is on a
    line above.
    """
    view, (start, end) = source.view, declaration.full
    is_member = declaration.kind is SymbolKind.ENUM_MEMBER
    if is_member or (declaration.kind in _DECLARATORS and view[end - 1] != ";"):
        if after := _COMMA_AFTER.match(view, end):
            return TextRange(start, after.end())
        return TextRange(comma_before(view, declaration), end)
    return declaration.full


def comma_before(view: str, declaration: Declaration) -> int:
    """Return where the deletion of a list's last item begins: at the comma before it, if any."""
    start = declaration.full.start
    is_member = declaration.kind is SymbolKind.ENUM_MEMBER
    before = view[:start].rstrip(" \t" if is_member else None)
    return len(before) - 1 if before.endswith(",") else start


def is_inside_block(document: Document, place: TextRange) -> bool:
    """Return whether a place lies within the braces of a member's body, in the base symbol set."""
    start, end = document.source.utf8_offset(place.start), document.source.utf8_offset(place.end)
    for node in around(document.tree().root_node, start, end):
        if node.type == "block" and node.start_byte < start and end < node.end_byte:
            return not node.has_error
    return False


def enclosing_path(document: Document, offset: int) -> str | None:
    """Return the canonical path of the innermost declaration at a view offset, if there is one.

    Reads only the declarations around ``offset``, unless the file is broken.
    """
    every = document.read_sets
    if any(document.under(symbols).tree.root_node.has_error for symbols in every):
        # Declarations of broken code are expensive to find, so they are all found once.
        known = [
            one for one in declarations(document) if one.search.start <= offset < one.search.end
        ]
        return min(known, key=lambda one: one.search.end - one.search.start).path if known else None
    active = [symbols for symbols in every if document.is_active(offset, offset + 1, symbols)]
    at = document.source.utf8_offset(offset)
    try:
        holding = [
            one
            for symbols in active[:1] or every
            for one in _read(document, symbols, [(at, at + 1)])
            if one.extent[0] <= at < one.extent[1]
        ]
    except TooManyDeclarationsError:
        return None
    return min(holding, key=lambda one: one.extent[1] - one.extent[0]).path if holding else None
