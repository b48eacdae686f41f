"""Heads of statements that an edit parts from their blocks.

Implements a part of ``guard_scope_changed``, docs/design/engine.md §2.7. A statement between
``if (a)`` and the ``{`` below it takes the block's place: C# says nothing, and the block always
runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.structure import MAX_DEPTH, Guards, tree_root
from snippet_engine.edits import EditSet
from snippet_engine.source_text import TextRange

_STATEMENT_LISTS = ("block", "switch_section", "global_statement", "compilation_unit")
_GOVERNED = ("consequence", "alternative", "body")


class PartedHead(NamedTuple):
    """A head whose block, or statement, is no longer its own.

    ``edit`` is the number of the edit that parts them, ``offset`` the view offset afterwards of
    the head's end.
    """

    edit: int
    offset: int
    is_block: bool


def parted_heads(
    before: Document, after: Document, edits: EditSet, guards: Guards
) -> Iterator[PartedHead]:
    """The innermost head that each edit parts from what it governs, by text between the two.

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
                # Of an "else", not where its "if" begins: who looks there finds the other block.
                end_at = trimmed.map_offset(len(source.view[: edit.start].rstrip()) - 1)
                yield PartedHead(number, max(at, end_at or 0), parted[0].type == "block")
                break


def _governed(head: Node) -> list[Node]:
    """What stands behind a head: a block, or a statement; of an ``if``, both branches."""
    fields = [head.child_by_field_name(each) for each in _GOVERNED]
    last = [head.named_children[-1]] if head.named_children else []
    nodes = [each for each in fields if each is not None] or last
    return [each for each in nodes if each.type == "block" or each.type.endswith("_statement")]


def _is_parted(before: Document, after: Document, edits: EditSet, node: Node, head_at: int) -> bool:
    """Whether what the head had that now stands at ``head_at`` is a statement among others."""
    at = edits.map_offset(before.source.view_offset(node.start_byte))
    if at is None:
        return False
    offset = after.source.utf8_offset(at)
    root = tree_root(after, TextRange(at, at + 1))
    now: Node | None = root.descendant_for_byte_range(offset, offset + 1)
    for _ in range(MAX_DEPTH):
        if now is None or now.start_byte != offset or now.type == node.type:
            break
        now = now.parent
    if now is None or now.type != node.type or now.start_byte != offset or now.parent is None:
        return False
    # A block that begins behind the head is its new one.
    is_outside = now.parent.start_byte <= after.source.utf8_offset(head_at)
    return is_outside and now.parent.type in _STATEMENT_LISTS
