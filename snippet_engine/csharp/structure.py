"""Find what an edit does to the statements around it, by comparing the trees before and after.

Implements docs/design/engine.md §2.4 and §2.7: what a deletion must tidy up, and the warnings
``empty_block``, ``guard_scope_changed`` and those about a head separated from its block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from tree_sitter import Node

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.tree.syntax_tree import around, with_ancestors
from snippet_engine.edits import EditSet
from snippet_engine.source_text import TextRange

_STATEMENT_LISTS = ("block", "switch_section", "global_statement", "compilation_unit")
_GOVERNED = ("consequence", "alternative", "body")


class PartedHead(NamedTuple):
    """A head that an edit separates from its block or statement."""

    edit: int
    """The number of the edit."""
    offset: int
    """The view offset of the head's end after the edits."""
    is_block: bool


def parted_heads(
    before: Document, after: Document, edits: EditSet, guards: Guards
) -> Iterator[PartedHead]:
    """Yield the innermost head that each edit separates from its body by inserted text.

    ``guards`` are those of ``before``.
    """
    source = before.source
    trimmed = edits.trimmed(source.view)
    for number, edit in enumerate(trimmed):
        if not edit.new_text.strip():
            continue
        start, end = source.utf8_offset(edit.start), source.utf8_offset(edit.end)
        root = tree_root(before, TextRange(edit.start, edit.end))
        for head in guards.heads(root, start):
            behind = [each for each in _governed(head) if each.start_byte >= end]
            at = trimmed.map_offset(source.view_offset(head.start_byte))
            if at is None:
                continue
            parted = [each for each in behind if _is_parted(before, after, trimmed, each, at)]
            if parted:
                # For an "else", report its own place: the place of its "if" shows the other block.
                end_at = trimmed.map_offset(len(source.view[: edit.start].rstrip()) - 1)
                yield PartedHead(number, max(at, end_at or 0), parted[0].type == "block")
                break


def _governed(head: Node) -> list[Node]:
    """Return the body of a head: a block, or a statement; for an ``if``, both branches."""
    fields = [head.child_by_field_name(each) for each in _GOVERNED]
    last = [head.named_children[-1]] if head.named_children else []
    nodes = [each for each in fields if each is not None] or last
    return [each for each in nodes if each.type == "block" or each.type.endswith("_statement")]


def _is_parted(before: Document, after: Document, edits: EditSet, node: Node, head_at: int) -> bool:
    """Whether the body of the head now at ``head_at`` has become a statement outside of it."""
    at = edits.map_offset(before.source.view_offset(node.start_byte))
    if at is None:
        return False
    now = _beginning_at(after, at, node.type)
    if now is None or now.parent is None:
        return False
    # A block that begins behind the head is its new one.
    is_outside = now.parent.start_byte <= after.source.utf8_offset(head_at)
    return is_outside and now.parent.type in _STATEMENT_LISTS


_GUARDS = frozenset(
    {
        "if_statement",
        "while_statement",
        "for_statement",
        "foreach_statement",
        "using_statement",
        "lock_statement",
        "fixed_statement",
    }
)
"""Statements that govern one embedded statement, braces or not."""

_HEADS = _GUARDS | {"lambda_expression", "anonymous_method_expression"}

_BLOCK_OWNERS = _GUARDS | {
    "do_statement",
    "try_statement",
    "catch_clause",
    "finally_clause",
    "unsafe_statement",
    "checked_statement",
}


_BLANKS = re.compile(r"\s*+")
_TAB = 4
MAX_DEPTH = 300
"""Most ancestors of a node that are examined: finding each costs a walk from the root."""
_BLANK_OR_BRACE = " \t\n\r\f\v{}"


def tree_root(document: Document, place: TextRange) -> Node:
    """Return the root of the first symbol set's tree in which ``place`` is code."""
    if len(document.symbol_sets) == 1:
        return document.tree().root_node
    for symbols in document.read_sets:
        if document.is_active(*place, symbols):
            return document.under(symbols).tree.root_node
    return document.tree().root_node


def ends_with_semicolon_of(document: Document, place: TextRange, semicolon: int) -> bool:
    """Return whether ``semicolon`` ends exactly the statement or member at ``place``."""
    source = document.source
    start = source.utf8_offset(place.start)
    end = source.utf8_offset(semicolon) + 1
    root = tree_root(document, TextRange(place.start, semicolon + 1))
    for node in around(root, start, end):
        if node.start_byte < start or node.end_byte > end:
            break
        if node.type.endswith(("_statement", "_declaration", "_directive")):
            return node.start_byte == start and node.end_byte == end
    return False


def emptied_blocks(after: Document, edits: EditSet) -> Iterator[tuple[int, int]]:
    """Yield edit number and view offset of the brace of each owned block that is now empty."""
    source = after.source
    for number, (start, end) in enumerate(edits.after_ranges()):
        if source.view[start:end].strip(_BLANK_OR_BRACE):
            continue  # not empty; no need to parse the text after
        root = tree_root(after, TextRange(start, end))
        nodes = around(root, source.utf8_offset(start), source.utf8_offset(end))
        node = next((each for each in nodes if each.type == "block"), None)
        if node is None or node.parent is None or node.parent.type not in _BLOCK_OWNERS:
            continue
        opening = source.view_offset(node.start_byte)
        inside = source.view[opening + 1 : source.view_offset(node.end_byte) - 1]
        if not inside.strip():
            yield number, opening


class Guards:
    """The guards around places of a text; each is found once and cached for several questions."""

    def __init__(self) -> None:
        self._heads: dict[tuple[int, int], list[Node]] = {}

    def above(self, root: Node, place: int) -> list[Node]:
        """Return the guards around a byte, innermost first."""
        return [each for each in self.heads(root, place) if each.type in _GUARDS]

    def heads(self, root: Node, place: int) -> list[Node]:
        """Return the guards, lambdas and anonymous methods around a byte."""
        found = self._heads.get((root.id, place))
        if found is None:
            leaf = root.descendant_for_byte_range(place, place)
            nodes = with_ancestors(leaf, root, MAX_DEPTH) if leaf is not None else []
            found = [n for n in nodes if n.type in _HEADS and n.start_byte < place]
            self._heads[root.id, place] = found
        return found

    def of_removed(self, root: Node, removed: TextRange) -> Iterator[Node]:
        """Yield the guards before ``removed`` whose unbraced statement lies in it."""
        # Up from the first token: if several statements are removed, guards govern the first one.
        for guard in self.above(root, removed.start):
            if any(_is_in(statement, removed) for statement in _embedded(guard).values()):
                yield guard
            if guard.end_byte > removed.end:
                return


def changed_guards(
    before: Document, after: Document, edits: EditSet, guards: Guards
) -> Iterator[tuple[int, int]]:
    """Yield ``(edit number, view offset after)`` of guards that now govern the next statement.

    A guard is an unbraced ``if``, ``else``, loop, ``using``, ``lock`` or ``fixed`` whose statement
    the edit removed. ``guards`` are those of ``before``.
    """
    source = before.source
    for number, (edit, (_, new_end)) in enumerate(zip(edits, edits.after_ranges(), strict=True)):
        text = source.view[edit.start : edit.end]
        if not text.strip():
            continue
        # A deletion also deletes white space on its line, which is part of no statement.
        first = edit.start + len(text) - len(text.lstrip())
        last = edit.start + len(text.rstrip())
        removed = TextRange(source.utf8_offset(first), source.utf8_offset(last))
        root = tree_root(before, TextRange(edit.start, edit.end))
        for guard in guards.of_removed(root, removed):
            start = edits.map_offset(source.view_offset(guard.start_byte))
            if start is None:
                continue
            boundary = after.source.utf8_offset(new_end)
            now = _beginning_at(after, start, guard.type)
            governed = {} if now is None else _embedded(now)
            # The second branch of an if follows a new first branch as it followed the old one.
            if any(
                branch in governed and governed[branch].start_byte >= boundary
                for branch, statement in _embedded(guard).items()
                if _is_in(statement, removed)
            ):
                yield number, start


def released_statements(
    before: Document, after: Document, edits: EditSet, guards: Guards
) -> Iterator[tuple[int, int]]:
    """Yield ``(edit number, view offset after)`` of guards that lost their old statement.

    New text between an unbraced guard and its statement takes the statement's place, and an
    unbraced ``if`` inserted before an ``else`` takes the ``else``. ``guards`` are those of
    ``before``.
    """
    source = before.source
    for number, (edit, (new_start, new_end)) in enumerate(
        zip(edits, edits.after_ranges(), strict=True)
    ):
        if not edit.new_text.strip():
            continue
        start = source.utf8_offset(edit.start)
        end = start + len(source.view[edit.start : edit.end].rstrip().encode())
        root = tree_root(before, TextRange(edit.start, edit.end))
        for guard in guards.above(root, start):
            added = edit.trimmed(source.view)
            put_at = TextRange(added.start, new_start + added.start - edit.start)
            if any(
                start < statement.end_byte
                and end <= statement.end_byte
                and not _is_put_behind(before, after, guard, statement, put_at)
                and _is_released(before, after, edits, guard, statement, new_end)
                for statement in _embedded(guard).values()
            ):
                at = edits.map_offset(source.view_offset(guard.start_byte))
                assert at is not None
                yield number, at
                break


def _is_put_behind(
    before: Document, after: Document, guard: Node, statement: Node, put_at: TextRange
) -> bool:
    """Return whether an edit changes text only behind the guard's body.

    ``put_at`` is the change's start before and after. It must come after the ``statement``, on a
    line indented no deeper than the ``guard``.
    """
    source, view = before.source, after.source.view
    if put_at.start < source.view_offset(statement.end_byte):
        return False
    blanks = _BLANKS.match(view, put_at.end)
    assert blanks is not None
    first = blanks.end()
    line = view[view.rfind("\n", 0, first) + 1 : first]
    guard_line = source.line_at(source.view_offset(guard.start_byte))
    margin = guard_line[: len(guard_line) - len(guard_line.lstrip())]
    is_line = not line.strip() and "\n" in blanks[0]
    return is_line and len(line.expandtabs(_TAB)) <= len(margin.expandtabs(_TAB))


def _is_released(
    before: Document,
    after: Document,
    edits: EditSet,
    guard: Node,
    statement: Node,
    new_end: int,
) -> bool:
    """Whether the end of ``statement``, or of its replacement, is no longer part of ``guard``."""
    source = before.source
    at = edits.map_offset(source.view_offset(guard.start_byte))
    now = None if at is None else _beginning_at(after, at, guard.type)
    if now is None:
        return False
    last = edits.map_offset(source.view_offset(statement.end_byte) - 1)
    if last is None:
        last = len(after.source.view[:new_end].rstrip()) - 1
    offset = after.source.utf8_offset(last)
    leaf = tree_root(after, TextRange(last, last + 1)).descendant_for_byte_range(offset, offset + 1)
    return (
        leaf is not None and leaf.type != "comment" and not now.start_byte <= offset < now.end_byte
    )


def begins_inside_guard(document: Document, place: TextRange) -> bool:
    """Return whether ``place`` begins at the statement on its guard's line, and ends behind it.

    An agent that quotes the lines this way has overlooked the guard.
    """
    source = document.source
    text = source.view[place.start : place.end]
    first = place.start + len(text) - len(text.lstrip())
    line_start = source.view.rfind("\n", 0, first) + 1
    if not source.view[line_start:first].strip():
        return False
    last = place.start + len(text.rstrip())
    covered = TextRange(source.utf8_offset(first), source.utf8_offset(last))
    return any(
        guard.end_byte < covered.end and guard.start_byte >= source.utf8_offset(line_start)
        for guard in Guards().of_removed(tree_root(document, place), covered)
    )


def _is_in(statement: Node, removed: TextRange) -> bool:
    return removed.start <= statement.start_byte and statement.end_byte <= removed.end


def _embedded(guard: Node) -> dict[str, Node]:
    """Return the unbraced statements of ``guard``, by the name of its branch."""
    branches: dict[str, Node | None]
    if guard.type == "if_statement":
        fields = ("consequence", "alternative")
        branches = {field: guard.child_by_field_name(field) for field in fields}
    elif guard.type in {"lock_statement", "fixed_statement"}:
        branches = {"body": guard.named_children[-1] if guard.named_children else None}
    else:
        branches = {"body": guard.child_by_field_name("body")}
    return {
        field: branch
        for field, branch in branches.items()
        if branch is not None and branch.type.endswith("_statement")
    }


def _beginning_at(document: Document, start: int, kind: str) -> Node | None:
    """Return the innermost node of a kind that begins at a view offset."""
    offset = document.source.utf8_offset(start)
    root = tree_root(document, TextRange(start, start + 1))
    nodes = takewhile(lambda each: each.start_byte == offset, around(root, offset, offset + 1))
    return next((each for each in nodes if each.type == kind), None)
