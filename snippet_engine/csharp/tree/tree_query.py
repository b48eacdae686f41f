"""The part of tree-sitter's query language that a table of small patterns needs.

``tree_sitter.Query`` finds the same, but takes some 80 milliseconds to compile such a table, a
quarter of a whole command's time; these patterns need no compiling. Supported are nodes ``(kind
…)``, ``(_ …)``, tokens ``"…"``, alternatives ``[…]``, groups ``([…])``, ``field:`` and ``!field``,
the anchor ``.`` between two children, and one capture, ``@at``. (See "Query Syntax" in
tree-sitter's documentation.)
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice
from typing import Any

from tree_sitter import Node, Tree

from snippet_engine import budget
from snippet_engine.csharp.tree.syntax_tree import LANGUAGE

_CHECKED_EVERY = 1_000
_TOKEN = re.compile(r"""\s*(?:("[^"]*")|(@\w+)|(!\w+)|(\w+):|(\w+)|([()\[\].]))""")


@dataclass(frozen=True)
class Pattern:
    """The requirements for a node."""

    kind: str
    """``_`` for any named node."""
    ids: frozenset[int]
    """The grammar's numbers of the kind, none for ``_``. They are fast to compare, and distinguish
    a token from a named node.
    """
    children: tuple[tuple[Pattern, ...], ...] = ()
    """Must be among the node's children, in this order."""
    without: tuple[str, ...] = ()
    field: str | None = None
    """The node's own field in its parent."""
    adjacent: bool = False
    """Whether the node must follow the child before it."""
    captured: bool = False

    @cached_property
    def needs(self) -> tuple[frozenset[int], ...]:
        """Return sets of kinds: the node must have a child of each."""
        return tuple(
            frozenset(number for each in child for number in each.ids)
            for child in self.children
            if all(each.ids for each in child)
        )


@cache
def _ids() -> Mapping[tuple[str, bool], frozenset[int]]:
    """Return the numbers of each kind of node; for a token, with ``False``."""
    found: defaultdict[tuple[str, bool], set[int]] = defaultdict(set)
    for number in range(LANGUAGE.node_kind_count):
        kind = LANGUAGE.node_kind_for_id(number)
        if kind is not None:
            found[kind, LANGUAGE.node_kind_is_named(number)].add(number)
    return {kind: frozenset(numbers) for kind, numbers in found.items()}


def _pattern(kind: str, *, is_named: bool = True, **more: Any) -> Pattern:
    """Return a pattern for the kind. Raise ``ValueError`` if the grammar doesn't have it."""
    ids = frozenset[int]() if kind == "_" else _ids().get((kind, is_named))
    if ids is None:
        raise ValueError(f"the grammar has no {kind}")
    return Pattern(kind, ids, **more)


def parse_query(query: str) -> tuple[Pattern, ...]:
    """Return the alternatives of ``query``. Raises ``ValueError`` for anything else."""
    tokens = [match.group().strip() for match in _TOKEN.finditer(query)]
    if "".join(tokens) != re.sub(r"\s", "", query):
        raise ValueError(f"not in the language of these queries: {query}")
    reader = _Reader(tokens)
    alternatives = reader.pattern()
    if reader.tokens:
        raise ValueError(f"more than one pattern: {query}")
    return alternatives


class _Reader:
    """Reads patterns from the front of a list of tokens."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def pattern(self) -> tuple[Pattern, ...]:
        token = self.tokens.pop(0)
        if token.startswith('"'):
            found: tuple[Pattern, ...] = (_pattern(token[1:-1], is_named=False),)
        elif token == "[":
            found = tuple(each for group in self._until("]") for each in group)
        elif token == "(" and self.tokens[0] in {"(", "["}:
            (found,) = self._until(")")
        elif token == "(":
            found = (self._node(self.tokens.pop(0)),)
        else:
            raise ValueError(f"unexpected {token}")
        if self.tokens and self.tokens[0] == "@at":
            self.tokens.pop(0)
            found = tuple(replace(each, captured=True) for each in found)
        return found

    def _until(self, closing: str) -> list[tuple[Pattern, ...]]:
        found: list[tuple[Pattern, ...]] = []
        while self.tokens[0] != closing:
            found.append(self.pattern())
        self.tokens.pop(0)
        return found

    def _node(self, kind: str) -> Pattern:
        children: list[tuple[Pattern, ...]] = []
        without: list[str] = []
        adjacent = False
        field: str | None = None
        while (token := self.tokens[0]) != ")":
            if token == ".":
                self.tokens.pop(0)
                adjacent = True
            elif token.startswith("!"):
                without.append(self.tokens.pop(0)[1:])
            elif token.endswith(":"):
                field = self.tokens.pop(0)[:-1]
            else:
                child = self.pattern()
                if field is not None or adjacent:
                    child = tuple(replace(each, field=field, adjacent=adjacent) for each in child)
                children.append(child)
                field, adjacent = None, False
        self.tokens.pop(0)
        return _pattern(kind, children=tuple(children), without=tuple(without))


class _OfKind:
    """The patterns for nodes of one kind, each with its query's number."""

    def __init__(self) -> None:
        self.bare: list[int] = []
        """The numbers of queries that match any node of the kind."""
        self.by_word: defaultdict[bytes, list[int]] = defaultdict(list)
        """For each text, the numbers of queries that match any node of the kind with that text."""
        self.longest_word = 0
        """Length of the longest of these words, in bytes; longer texts of nodes aren't read."""
        self.others: list[tuple[int, Pattern]] = []

    def add(self, number: int, pattern: Pattern, words: Collection[bytes] | None) -> None:
        """Add a pattern; it applies to nodes with the text ``words`` only, if there are any."""
        if pattern != Pattern(pattern.kind, pattern.ids, captured=True):
            self.others.append((number, pattern))
        elif words is None:
            self.bare.append(number)
        else:
            for word in words:
                self.by_word[word].append(number)
            self.longest_word = max(self.longest_word, *map(len, words))


class QueryTable:
    """Several queries in one search."""

    def __init__(
        self, queries: Sequence[str], words: Mapping[int, Collection[bytes]] | None = None
    ) -> None:
        """``words`` maps a query's number to the only texts of nodes to which it applies."""
        self._by_kind: defaultdict[int, _OfKind] = defaultdict(_OfKind)
        for number, query in enumerate(queries):
            for pattern in parse_query(query):
                if not pattern.ids:
                    raise ValueError(f"a query has to name the kind of its node: {query}")
                for kind in pattern.ids:
                    self._by_kind[kind].add(number, pattern, words.get(number) if words else None)

    def matches(self, tree: Tree, start: int, end: int) -> Iterator[tuple[int, Node]]:
        """Yield the number of each matching query, with the captured node.

        Tries nodes that overlap or touch the bytes ``[start, end)``; the captured node may lie
        outside. A query that matches in several ways is yielded once for each.
        """
        for node, patterns in _nodes_in(tree, start, end, self._by_kind):
            for number in patterns.bare:
                yield number, node
            if patterns.by_word and node.end_byte - node.start_byte <= patterns.longest_word:
                for number in patterns.by_word.get(node.text or b"", ()):
                    yield number, node
            if not patterns.others:
                continue
            children = node.children
            kinds = {child.kind_id for child in children}
            for number, pattern in patterns.others:
                if any(map(kinds.isdisjoint, pattern.needs)):
                    continue
                for captured in _captures(node, children, pattern):
                    if captured is not None:
                        yield number, captured


def _nodes_in(
    tree: Tree, start: int, end: int, by_kind: Mapping[int, _OfKind]
) -> Iterator[tuple[Node, _OfKind]]:
    """Yield the nodes of relevant kinds that overlap or touch ``[start, end)``, parents first."""
    cursor = tree.walk()
    wanted = by_kind.get
    depth = 0
    node = cursor.node
    seen = 0
    while True:
        assert node is not None
        patterns = wanted(node.kind_id)
        if patterns is not None:
            yield node, patterns
        seen += 1
        if not seen % _CHECKED_EVERY:
            budget.check()
        if node.start_byte >= start:
            has_child = cursor.goto_first_child()
        else:
            has_child = cursor.goto_first_child_for_byte(start - 1) is not None
        if has_child:
            depth += 1
            node = cursor.node
            if node is not None and node.start_byte <= end:
                continue
            cursor.goto_parent()
            depth -= 1
        while True:
            if not depth:
                return
            if cursor.goto_next_sibling():
                node = cursor.node
                if node is not None and node.start_byte <= end:
                    break
            cursor.goto_parent()
            depth -= 1


def _captures(node: Node, children: list[Node], pattern: Pattern) -> Iterator[Node | None]:
    """Yield the captured node once for each way in which ``node`` matches.

    ``node`` has to be of the pattern's kind.
    """
    own = node if pattern.captured else None
    if pattern.without and any(node.child_by_field_name(name) for name in pattern.without):
        return
    if not pattern.children:
        yield own
        return
    for below in _captures_in_order(node, children, 0, pattern.children):
        yield own if own is not None else below


def _captures_in_order(
    parent: Node, children: list[Node], first: int, wanted: Sequence[tuple[Pattern, ...]]
) -> Iterator[Node | None]:
    """Yield the captures of every way to find ``wanted`` in order from child ``first`` on."""
    alternatives, rest = wanted[0], wanted[1:]
    candidates: Iterable[tuple[int, Node]] = enumerate(children[first:], first)
    if alternatives[0].adjacent:
        candidates = islice(candidates, 1)
    for index, child in candidates:
        kind = child.kind_id
        for pattern in alternatives:
            # Checked here rather than in the call, because most children are of another kind.
            if kind not in pattern.ids and (pattern.ids or not child.is_named):
                continue
            if pattern.field is not None and parent.field_name_for_child(index) != pattern.field:
                continue
            inner = child.children if pattern.children else []
            for own in _captures(child, inner, pattern):
                if not rest:
                    yield own
                    continue
                for below in _captures_in_order(parent, children, index + 1, rest):
                    yield own if own is not None else below
