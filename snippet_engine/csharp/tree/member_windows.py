"""The whole members around edits, without a tree of the whole file.

Like :mod:`.edit_windows`, whose windows can be single statements: what a statement means hangs on
the member that it stands in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import tree_sitter

from snippet_engine.csharp.tree.edit_windows import (
    AROUND,
    items_around,
    moved,
    parse_alone,
    path_to,
)
from snippet_engine.csharp.tree.syntax_tree import Change

_MAX_BYTES = 16_000
"""All members of a request together."""


class Members(NamedTuple):
    """The members of one type that a change touches, in the text before it."""

    type: tree_sitter.Node
    range: tuple[int, int]
    is_inside: bool
    """The change is in a block of one of them, so that it declares no member."""


class MemberWindow(NamedTuple):
    """Members of one type that an edit touches, before and after it.

    The nodes of ``after`` are the members after it; their places, plus ``shift``, are places of
    the whole text after. ``text`` is what they were parsed from.
    """

    before: Members
    after: list[tree_sitter.Node]
    shift: int
    text: bytes


def member_windows(
    after: bytes,
    changes: Sequence[Change],
    around: Sequence[Members | None],
    wanted: Sequence[bool],
) -> list[MemberWindow] | None:
    """The windows around ``changes``; ``around``: what was around each. ``after``: the new text.

    ``wanted``: for each change whether it is asked about; no window is of others alone. ``None``
    where only the tree of ``after`` can tell: the members are too long to be parsed once more,
    don't parse by themselves, or belong to no type.
    """
    windows: list[MemberWindow] = []
    left = _MAX_BYTES
    for before, is_wanted in _joined(changes, around, wanted):
        if before is None:
            return None
        if not is_wanted:
            continue
        kind = before.type.type
        first, last = moved(*before.range, changes)
        left -= last - first
        text = after[first:last]
        alone = parse_alone(text, kind) if left >= 0 else None
        body = alone and alone[0].root_node.children[0].child_by_field_name("body")
        if body is None:
            return None
        lead, behind = AROUND[kind]
        text = text.join((lead, behind))
        windows.append(MemberWindow(before, body.named_children, first - len(lead), text))
    return windows


def members_around(tree: tree_sitter.Tree, change: Change) -> Members | None:
    """The members that a change touches; ``None`` where these belong to no type."""
    type_: tree_sitter.Node | None = None
    body: tree_sitter.Node | None = None
    outer: tree_sitter.Node | None = None
    is_inside = False
    for node, parent in path_to(tree, change.start, change.end):
        if node.type == "declaration_list" and parent in AROUND:
            type_, body = (None, None) if parent == "namespace_declaration" else (outer, node)
            is_inside = False
        elif node.type == "block":
            is_inside = True
        outer = node
    if type_ is None or body is None:
        return None
    return Members(type_, items_around(body, change), is_inside)


def _joined(
    changes: Sequence[Change], around: Sequence[Members | None], wanted: Sequence[bool]
) -> Iterator[tuple[Members | None, bool]]:
    """What is around the changes, once for those in the same members; ``None``: that is unclear.

    With each, whether one of those changes is wanted.
    """
    last: Members | None = None
    is_wanted = False
    for change, each, is_next_wanted in zip(changes, around, wanted, strict=True):
        if last is not None and change.end <= last.range[1]:
            is_inside = each is not None and each.is_inside and last.is_inside
            last = last._replace(is_inside=is_inside)
            is_wanted = is_wanted or is_next_wanted
            continue
        if each is None or (last is not None and each.range[0] < last.range[1]):
            yield None, True
            return
        if last is not None and each.range[0] == last.range[1]:
            # Two that meet are one: what is put in where they meet would be in both.
            both = last.is_inside and each.is_inside
            last = Members(each.type, (last.range[0], each.range[1]), both)
            is_wanted = is_wanted or is_next_wanted
            continue
        if last is not None:
            yield last, is_wanted
        last, is_wanted = each, is_next_wanted
    if last is not None:
        yield last, is_wanted
