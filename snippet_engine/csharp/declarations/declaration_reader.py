"""Read all declarations from a syntax tree; in broken code, those that can be recognised.

Part of docs/design/engine.md §1 "Symbol anchor". The reader descends only where declarations can
be. It skips statements and expressions, except for local functions: a search of the text finds
them, and the tree confirms.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tree_sitter import Node, Tree

from snippet_engine import budget
from snippet_engine.csharp.declarations.declaration_header import (
    KIND_OF_KEYWORD,
    KIND_OF_NODE,
    SCOPE_KINDS,
    Spelling,
    SymbolKind,
    read_header,
    spell,
    spell_name,
    spell_type_parameters,
)
from snippet_engine.late_pattern import late_pattern

MAX_DECLARATIONS = 60_000
"""Most declarations of one file; the largest generated files have some thousands."""

_MAX_NODES = 400_000
"""Most nodes that are visited on the way to all declarations of a file."""

MAX_DEPTH = 100
"""Deepest nesting of declarations; more than any program has."""

_MANY_CHILDREN = 100

Span = tuple[int, int]
"""A half-open range of UTF-8 offsets."""


class TooManyDeclarationsError(Exception):
    """A file has so many declarations that reading them all would take too long."""


@dataclass(slots=True)
class FoundDeclaration:
    """A declaration as the tree shows it; all offsets are UTF-8 offsets."""

    path: str
    name: str
    kind: SymbolKind
    start: int
    """Where its attributes and documentation comment begin."""
    end: int
    extent: Span
    """Includes everything inside it."""
    header: Span
    body: Span | None
    parent: int | None
    """An index into the list of found declarations."""
    whole: Span | None = None
    """For the first of several declarators, the range of the whole declaration."""

    @property
    def document_order(self) -> tuple[int, int]:
        """Return the sort key by place; a declaration comes before everything inside it."""
        return self.extent[0], -self.extent[1]


_DOCUMENTATION = late_pattern(rb"///(?!/)|/\*\*(?![*/])")
_MEMBER_MODIFIERS = {"public", "private", "protected", "internal"}

_NOT_TYPES = (
    "return new await else throw case in is as select where from let join on equals by orderby "
    "and or not when do goto"
)
_CALLABLE = late_pattern(
    # The text is reversed: a name comes after the "(" of its parameters and before its type.
    rb"\(\s*+(?:>[\w\s,\x80-\xff]*+<\s*+)?+(?P<name>[\w\x80-\xff]++@?)"
    rb"\s*+(?:/\*.*?\*/\s*+)*+(?!(?:%s)\b)(?:[\w\x80-\xff\]?*)]|>(?!=))"
    % "|".join(word[::-1] for word in _NOT_TYPES.split()).encode(),
    re.DOTALL,
)
"""In reversed text: a possible name of a local function, between a type and a ``(``."""


def read_declarations(
    tree: Tree, active: bytes, original: bytes, regions: Sequence[Span] | None = None
) -> list[FoundDeclaration]:
    """Return the declarations of ``tree``, in document order, each one after its parent.

    ``active`` is the parsed text; ``original`` is the same text with its directives. With
    ``regions`` (disjoint, in order), only declarations that touch one of them are read, and
    everything inside a declaration whose header touches one. Raises
    :class:`TooManyDeclarationsError`.
    """
    reader = _Reader(active, original, regions)
    reader.read_siblings(tree.root_node.children, None, len(active))
    return reader.found


@dataclass(frozen=True, slots=True)
class _OpenHeader:
    """The tokens so far of a type's header that an ``ERROR`` node contains as bare tokens."""

    start: int | None = None
    keyword: Node | None = None
    name: Node | None = None
    type_parameters: Node | None = None


_NO_HEADER = _OpenHeader()


class _Reader:
    """One pass over one tree."""

    def __init__(self, active: bytes, original: bytes, regions: Sequence[Span] | None) -> None:
        self.found: list[FoundDeclaration] = []
        self._active = active
        self._original = original
        self._reversed = active[::-1]
        self._regions = regions
        self._depth = 0
        self._steps = budget.Steps(_MAX_NODES)

    def read_siblings(self, nodes: Iterable[Node], parent: int | None, end: int) -> None:
        """Read sibling nodes of the declaration ``parent``, which ends at the offset ``end``."""
        scopes = [parent]
        self._read_into(scopes, nodes)
        for scope in scopes[1:]:
            if scope is not None and scope != scopes[0]:
                self._close(scope, len(self._active[:end].rstrip()), None)

    def _read_into(self, scopes: list[int | None], nodes: Iterable[Node]) -> None:
        """Read ``nodes`` into the innermost of ``scopes``."""
        if self._depth == MAX_DEPTH:
            return
        self._depth += 1
        comments: list[Node] = []
        header = _NO_HEADER
        for node in nodes:
            if not self._steps.take() or len(self.found) > MAX_DECLARATIONS:
                raise TooManyDeclarationsError
            node_type = node.type
            if node_type == "comment":
                comments.append(node)
                continue
            kind = KIND_OF_NODE.get(node_type)
            if kind is None:
                header = self._read_other(node, node_type, header, scopes)
            else:
                header = _NO_HEADER
                start = node.start_byte
                if comments:
                    start = self._documented_start(comments, start)
                file_scoped = node_type == "file_scoped_namespace_declaration"
                if self._is_wanted(start, len(self._active) if file_scoped else node.end_byte):
                    index = self._read(node, kind, start, scopes[-1])
                    if file_scoped and index is not None:
                        self.found[index].extent = (start, len(self._active.rstrip()))
                        scopes[-1] = index
            if comments:
                comments = []
        self._depth -= 1

    def _children(self, body: Node) -> list[Node]:
        """Return the children of ``body``; if very many, those at the single region or above it."""
        regions = self._regions
        if regions is None or len(regions) > 1 or body.child_count < _MANY_CHILDREN:
            return body.children
        (start, end), cursor = regions[0], body.walk()
        found: list[Node] = []
        if cursor.goto_first_child_for_byte(start) is None:
            return found
        while (node := cursor.node) is not None:
            found.append(node)
            # A documentation comment is part of the declaration below it.
            is_last = node.start_byte >= end and node.type != "comment"
            if is_last or not cursor.goto_next_sibling():
                break
        above = found[0].prev_sibling
        while above is not None and above.type == "comment":
            found.insert(0, above)
            above = above.prev_sibling
        return found

    def _is_wanted(self, start: int, end: int) -> bool:
        """Return whether one of the regions touches ``[start, end)``."""
        if self._regions is None:
            return True
        before = bisect_left(self._regions, (end,)) - 1
        return before >= 0 and self._regions[before][1] > start

    # -- broken code ---------------------------------------------------------------------

    def _read_other(
        self, node: Node, node_type: str, header: _OpenHeader, scopes: list[int | None]
    ) -> _OpenHeader:
        """Read a node that is no declaration; return the header that it may belong to.

        The children of an ``ERROR`` node count as siblings. If the parser could not complete a
        type, the type's header and braces are bare tokens there, and the nodes after them belong to
        the type.
        """
        if node_type == "ERROR":
            self._read_into(scopes, node.children)
        elif node_type == "{":
            scopes.append(self._open(header, node, scopes[-1]))
        elif node_type == "}":
            if len(scopes) > 1:
                scope = scopes.pop()
                if scope is not None and scope != scopes[-1]:
                    self._close(scope, node.end_byte, node.start_byte)
        elif header.keyword is not None and node_type != ";":
            if header.name is None and node_type in {"identifier", "qualified_name"}:
                return replace(header, name=node)
            if node_type == "type_parameter_list":
                return replace(header, type_parameters=node)
            return header
        elif node_type in {"modifier", "attribute_list"}:
            return header if header.start is not None else _OpenHeader(node.start_byte)
        elif node_type in KIND_OF_KEYWORD:
            return replace(header, keyword=node)
        elif node.is_named:
            self._read_local_functions(node, node.start_byte, scopes[-1])
        return _NO_HEADER

    def _open(self, header: _OpenHeader, brace: Node, parent: int | None) -> int | None:
        """Add the declaration of ``header``; return it, or ``parent`` without keyword or name."""
        if header.keyword is None or header.name is None:
            return parent
        start = header.keyword.start_byte if header.start is None else header.start
        name = spell_name(header.name, self._active)
        if not name:  # the parser put in a name that isn't there
            return parent
        path = name + spell_type_parameters(header.type_parameters, self._active)
        spelling = Spelling(path, name.rpartition(".")[2], KIND_OF_KEYWORD[header.keyword.type])
        span = (start, start + len(self._active[start : brace.start_byte].rstrip()))
        return self._add(spelling, span, span, (brace.end_byte, brace.end_byte), parent)

    def _close(self, scope: int, end: int, body_end: int | None) -> None:
        """Set the end of a declaration whose header is in an ``ERROR`` node."""
        found = self.found[scope]
        found.end, found.extent = end, (found.start, end)
        if found.body is not None:
            found.body = None if body_end is None else (found.body[0], body_end)

    # -- declarations --------------------------------------------------------------------

    def _read(self, node: Node, kind: SymbolKind, start: int, parent: int | None) -> int | None:
        """Read one declaration and everything inside it; return its index, if it has a name."""
        if node.type in {"field_declaration", "event_field_declaration"}:
            self._read_declarators(node, kind, start, parent)
            return None
        header = read_header(node)
        spelling = spell(node, kind, header, self._active)
        index = parent
        if spelling.name:
            span, shown = (start, node.end_byte), (header.start, header.end)
            index = self._add(spelling, span, shown, self._inside(header.body), parent)
        code = header.parameters.end_byte if header.parameters is not None else header.end
        regions = self._regions
        if regions is not None and self._is_wanted(header.start, header.end):
            self._regions = None
        if header.body is not None and header.body.type != "block":
            self.read_siblings(self._children(header.body), index, header.body.end_byte)
            code = header.body.end_byte
        self._read_local_functions(node, code, index)
        self._regions = regions
        return index

    def _read_declarators(
        self, node: Node, kind: SymbolKind, start: int, parent: int | None
    ) -> None:
        """Read a field or field-like event: each declarator is a declaration.

        A single declarator covers the whole declaration; of several, each covers only itself.
        """
        header = read_header(node)
        if "const" in header.words(self._active):
            kind = SymbolKind.CONSTANT
        named = [
            (declarator, name_node)
            for declarator in (header.variables.children if header.variables is not None else ())
            if declarator.type == "variable_declarator"
            and (name_node := declarator.child_by_field_name("name")) is not None
        ]
        for declarator, name_node in named:
            name = spell_name(name_node, self._active)
            span = declarator.byte_range
            shown = (span[0], name_node.end_byte)
            if len(named) == 1:
                span, shown = (start, node.end_byte), (header.start, name_node.end_byte)
            if name and self._is_wanted(*span):
                index = self._add(Spelling(name, name, kind), span, shown, None, parent)
                if len(named) > 1 and declarator is named[0][0]:
                    self.found[index].whole = (start, node.end_byte)
                self._read_local_functions(declarator, name_node.end_byte, index)

    def _read_local_functions(self, node: Node, begin: int, owner: int | None) -> None:
        """Read the local functions in ``node`` from the offset ``begin`` on.

        A local function with a member's modifier is really a member that broken braces moved; it
        goes to the type that contains ``owner``.
        """
        if self._active.find(b"(", begin, node.end_byte) < 0:
            return
        length = len(self._active)
        matches = _CALLABLE().finditer(self._reversed, length - node.end_byte, length - begin)
        names = [(length - match.end("name"), length - match.start("name")) for match in matches]
        done = begin
        for name_start, name_end in reversed(names):
            if name_start < done or self._depth == MAX_DEPTH:
                continue
            leaf = node.named_descendant_for_byte_range(name_start, name_end)
            function = leaf.parent if leaf is not None else None
            if function is None or function.type != "local_function_statement":
                continue
            done = function.end_byte
            start = self._documented_start(_comments_above(function), function.start_byte)
            if not self._is_wanted(start, done):
                continue
            kind, parent = SymbolKind.LOCAL_FUNCTION, owner
            if not _MEMBER_MODIFIERS.isdisjoint(read_header(function).words(self._active)):
                kind = SymbolKind.METHOD
                while parent is not None and self.found[parent].kind not in SCOPE_KINDS:
                    parent = self.found[parent].parent
            self._depth += 1
            self._read(function, kind, start, parent)
            self._depth -= 1

    def _add(
        self, spelling: Spelling, span: Span, header: Span, body: Span | None, parent: int | None
    ) -> int:
        path = spelling.path
        if parent is not None:
            path = f"{self.found[parent].path}.{path}"
        self.found.append(
            FoundDeclaration(path, spelling.name, spelling.kind, *span, span, header, body, parent)
        )
        return len(self.found) - 1

    def _inside(self, body: Node | None) -> Span | None:
        """Return the offsets between the braces of ``body``."""
        if body is None:
            return None
        closed = self._active[body.end_byte - 1 : body.end_byte] == b"}"
        return body.start_byte + 1, max(body.end_byte - closed, body.start_byte + 1)

    def _documented_start(self, comments: list[Node], start: int) -> int:
        """Return the start of the declaration at ``start`` with its documentation comment.

        ``comments`` are those before it. Its documentation are the comments on their own lines with
        only blanks (and so no directive) between them and the declaration.
        """
        documented = start
        for comment in reversed(comments):
            begin, end = comment.byte_range
            if not _DOCUMENTATION().match(self._active, begin, end):
                break
            if self._original[end:start].strip():
                break
            start = begin
            line_start = self._active.rfind(b"\n", 0, begin) + 1
            if not self._active[line_start:begin].strip():
                documented = begin
        return documented


def _comments_above(function: Node) -> list[Node]:
    """Return the comments between a local function and the statement before it, in text order."""
    parent = function.parent
    statement = parent if parent is not None and parent.type == "global_statement" else function
    comments: list[Node] = []
    above = statement.prev_sibling
    while above is not None and above.type == "comment":
        comments.insert(0, above)
        above = above.prev_sibling
    return comments
