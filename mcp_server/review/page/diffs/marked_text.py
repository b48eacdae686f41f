"""Mark changed words in the lines of a diff, colour C#, and make the lines' HTML.

Implements docs/design/review.md "Diffs". The lines of one change are compared together. So a word
that moved to the next line isn't marked. C# is coloured by its syntax tree. A text that takes too
long to parse stays without colours.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from html import escape
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from snippet_engine.answer.unified_diff import LineDiff

if TYPE_CHECKING:
    import tree_sitter

MAX_WORDS = 4_000
MAX_CHARACTERS = 100_000
_LEAST_ALIKE = 0.25
"""If a smaller share of words is equal, the lines count as replaced, and no word is marked."""

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)

Marks = list[list[tuple[int, int]]]
"""For each line, the ranges ``[start, end)`` of characters that differ."""


def changed_words(old: Sequence[str], new: Sequence[str], diff: LineDiff) -> tuple[Marks, Marks]:
    """Return the changed words of ``old`` and of ``new``. ``diff`` limits the work."""
    nothing: tuple[Marks, Marks] = [[] for _ in old], [[] for _ in new]
    if not (old and new) or sum(map(len, (*old, *new))) > MAX_CHARACTERS:
        return nothing
    before, after = _WORD.findall("\n".join(old)), _WORD.findall("\n".join(new))
    if len(before) + len(after) > MAX_WORDS:
        return nothing
    changes = list(diff.changes(before, after))
    kept = sum(map(_is_not_space, before)) - sum(
        _is_not_space(each)
        for change in changes
        for each in before[change.old_start : change.old_end]
    )
    if kept < _LEAST_ALIKE * max(sum(map(_is_not_space, before)), sum(map(_is_not_space, after))):
        return nothing
    return (
        _by_line(old, before, [(each.old_start, each.old_end) for each in changes]),
        _by_line(new, after, [(each.new_start, each.new_end) for each in changes]),
    )


def _is_not_space(word: str) -> bool:
    return not word.isspace()


def _by_line(
    lines: Sequence[str], words: Sequence[str], changed: Sequence[tuple[int, int]]
) -> Marks:
    """Convert ranges of ``words`` to marks by line. ``words`` are those of all lines, joined."""
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    marks: Marks = [[] for _ in lines]
    ranges = iter((offsets[start], offsets[end]) for start, end in changed if start < end)
    current = next(ranges, None)
    for number, (start, end) in enumerate(pairwise(starts)):
        while current is not None and current[0] < end:
            first, last = max(current[0], start), min(current[1], end - 1)
            if first < last:
                marks[number].append((first - start, last - start))
            if current[1] > end:
                break
            current = next(ranges, None)
    return marks


MAX_COLOURED_BYTES = 1024 * 1024


class Span(NamedTuple):
    """Characters ``[start, end)`` of one line, and the colour they get."""

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
"""Kinds of node that get one colour as a whole."""

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

_WORD_OF_CSHARP_COLOURS = re.compile(r"#?[a-z_]+")


def coloured_lines(
    utf8: bytes, lines: Sequence[str], shown: Sequence[int]
) -> dict[int, list[Span]]:
    """Return the coloured spans of the lines ``shown``, by line.

    ``lines`` are those of the text ``utf8``; ``shown`` are sorted indexes. Lines without a coloured
    span are left out. The result is empty if the text is too large or takes too long to parse.
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
    """Collects the coloured spans of some lines.

    Tree-sitter's columns count bytes; the spans' columns count characters.
    """

    def __init__(self, lines: Sequence[str], shown: Sequence[int]) -> None:
        self._lines = lines
        self._shown = shown
        self._spans: dict[int, list[Span]] = {}

    def paint(self, root: tree_sitter.Node) -> dict[int, list[Span]]:
        """Return the coloured spans below ``root``, by line."""
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
        """Return the colour of the whole node: empty for none, ``None`` to look at its children."""
        kind = _LEAVES.get(node.type)
        if kind is not None:
            return kind
        if node.type.startswith("preproc_") and not node.type.startswith("preproc_if"):
            return "comment" if node.start_point.row == node.end_point.row else None
        if node.child_count:
            return None
        if not node.is_named:
            return "keyword" if _WORD_OF_CSHARP_COLOURS.fullmatch(node.type) else ""
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


MAX_COLUMNS = 2_000
_CONTROLS = {code: 0x2400 + code for code in range(32) if code != 9} | {127: 0x2421}
"""Control characters, and the visible symbols that stand for them."""


def marked_line(
    line: str, colours: Sequence[Span] = (), changed: Sequence[tuple[int, int]] = ()
) -> str:
    """Return the line as HTML. ``colours`` and ``changed`` are ranges of its characters."""
    left_out = len(line) - MAX_COLUMNS
    line = line[:MAX_COLUMNS]
    kinds = [("", "")] * len(line)
    for each in colours:
        if each.start < len(line):
            size = min(each.end, len(line)) - each.start
            kinds[each.start : each.start + size] = [(each.kind, "")] * size
    for start, end in changed:
        for at in range(start, min(end, len(line))):
            kinds[at] = kinds[at][0], "mark"
    parts = []
    at = 0
    for (colour, mark), group in groupby(kinds):
        size = sum(1 for _ in group)
        text = escape(line[at : at + size].translate(_CONTROLS))
        at += size
        if colour:
            text = f'<span class="{colour}">{text}</span>'
        parts.append(f"<mark>{text}</mark>" if mark else text)
    if left_out > 0:
        parts.append(f'<span class="quiet"> … {left_out:,} more characters</span>')
    return "".join(parts)
