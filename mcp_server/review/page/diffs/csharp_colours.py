"""Find what to colour in C# lines: keywords, strings, comments, numbers, types.

Implements docs/design/review.md "Diffs". It is the syntax tree that edits are planned on, so no
second grammar is needed; a text that is too much work to parse stays without colours.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import tree_sitter

MAX_COLOURED_BYTES = 1024 * 1024
"""Longest text that is coloured."""


class Span(NamedTuple):
    """Characters ``[start, end)`` of one line, and what they are."""

    start: int
    end: int
    kind: str


_LEAVES = {
    "comment": "comment",
    "string_literal": "string",
    "verbatim_string_literal": "string",
    "raw_string_literal": "string",
    "character_literal": "string",
    "string_content": "string",
    "interpolation_start": "string",
    "interpolation_quote": "string",
    "integer_literal": "number",
    "real_literal": "number",
    "boolean_literal": "keyword",
    "null_literal": "keyword",
    "predefined_type": "keyword",
    "implicit_type": "keyword",
    "modifier": "keyword",
}
"""Kinds of node that have one colour as a whole."""

_OF_TYPES = frozenset(
    [
        "class_declaration",
        "struct_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "delegate_declaration",
        "generic_name",
        "base_list",
        "attribute",
        "type_argument_list",
        "object_creation_expression",
        "nullable_type",
        "array_type",
    ]
)
"""Kinds of node whose own identifier names a type."""

_WORD = re.compile(r"#?[a-z_]+")


def coloured_lines(
    utf8: bytes, lines: Sequence[str], shown: Sequence[int]
) -> dict[int, list[Span]]:
    """Return the spans of each of the ``shown`` lines, which are sorted; empty if unknown.

    ``lines`` are those of the text ``utf8``. A line without spans may be left out.
    """
    if not shown or len(utf8) > MAX_COLOURED_BYTES:
        return {}
    from snippet_engine.csharp.tree.syntax_tree import (  # noqa: PLC0415 - loads the grammar
        TooMuchWorkError,
        parse,
    )

    try:
        tree = parse(utf8)
    except TooMuchWorkError:
        return {}
    return _Painter(lines, shown).paint(tree.root_node)


class _Painter:
    """Collects the spans of some lines. Tree-sitter's columns are bytes; spans are characters."""

    def __init__(self, lines: Sequence[str], shown: Sequence[int]) -> None:
        self._lines = lines
        self._shown = shown
        self._spans: dict[int, list[Span]] = {}

    def paint(self, root: tree_sitter.Node) -> dict[int, list[Span]]:
        """Return the spans below ``root``."""
        cursor = root.walk()
        while True:
            node = cursor.node
            assert node is not None
            kind = self._kind(node) if self._is_shown(node) else ""
            if kind:
                self._add(node, kind)
            if kind is None and cursor.goto_first_child():
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return self._spans

    def _is_shown(self, node: tree_sitter.Node) -> bool:
        at = bisect_left(self._shown, node.start_point.row)
        return at < len(self._shown) and self._shown[at] <= node.end_point.row

    def _kind(self, node: tree_sitter.Node) -> str | None:
        """Return the colour of the whole node; empty for no colour, ``None`` to look inside."""
        kind = _LEAVES.get(node.type)
        if kind is not None:
            return kind
        if node.type.startswith("preproc_") and not node.type.startswith("preproc_if"):
            return "comment" if node.start_point.row == node.end_point.row else None
        if node.child_count:
            return None
        if not node.is_named:
            return "keyword" if _WORD.fullmatch(node.type) else ""
        if node.type == "identifier" and node.parent is not None:
            return "type" if node.parent.type in _OF_TYPES or _is_type(node) else ""
        return ""

    def _add(self, node: tree_sitter.Node, kind: str) -> None:
        first, last = node.start_point, node.end_point
        for row in range(first.row, min(last.row + 1, len(self._lines))):
            start = self._column(row, first.column) if row == first.row else 0
            end = self._column(row, last.column) if row == last.row else len(self._lines[row])
            if start < end:
                self._spans.setdefault(row, []).append(Span(start, end, kind))

    def _column(self, row: int, byte: int) -> int:
        line = self._lines[row]
        if line.isascii():
            return byte
        return len(line.encode(errors="replace")[:byte].decode(errors="replace"))


def _is_type(node: tree_sitter.Node) -> bool:
    parent = node.parent
    assert parent is not None
    return parent.child_by_field_name("type") == node
