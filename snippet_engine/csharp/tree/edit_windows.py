"""Judge edits by the statements and members around them, without a tree of the whole file.

A shortcut within docs/design/roslyn.md §1.2. In a file whose tree is whole, each edit gets a
window: the statements of one block, or the members of one type, that it touches. If these parse
alone, in a block or type of their own, then so does the file with them in their old place. The
answer is never "broken": only "whole", or "ask the tree".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import tree_sitter

from snippet_engine.csharp.tree import syntax_tree
from snippet_engine.csharp.tree.cured_tree import least_broken
from snippet_engine.csharp.tree.syntax_tree import Change, TooMuchWorkError, code_in

# Parsing time grows with the bytes: a window with the body of a huge class costs as much as the
# file.
_MAX_BYTES = 16_000
"""Most bytes of all windows of a request; beyond this the tree of the file is as fast."""

# A line break at either end: a line comment at the window's end must not swallow the bracket.
AROUND = {
    "block": (b"class C{void M(){\n", b"\n}}"),
    "static block": (b"class C{static void M(){\n", b"\n}}"),
    "class_declaration": (b"class C{\n", b"\n}"),
    "static class_declaration": (b"static class C{\n", b"\n}"),
    "struct_declaration": (b"struct C{\n", b"\n}"),
    "interface_declaration": (b"interface C{\n", b"\n}"),
    "record_declaration": (b"record C{\n", b"\n}"),
    "namespace_declaration": (b"namespace N{\n", b"\n}"),
    "compilation_unit": (b"", b""),
}
"""The text to put around a list's items to parse them alone, by the kind of the list's owner."""

_MAX_HEADER = 64
_MEMBERS = frozenset(("constructor_declaration", "method_declaration", "property_declaration"))
_BEFORE_HEADER = frozenset(("ERROR", "attribute_list", "comment", "modifier"))
_REST_OF_LINE = re.compile(rb"[ \t\f\v]*(?:\n|\Z)")


class EditWindow(NamedTuple):
    """The text around one or more edits, before and after them, which parses alone.

    The byte ``offset`` of ``tree`` is byte ``offset - lead + after[0]`` of the text after.
    """

    kind: str
    """The node that contains the list: ``block``, a type or namespace, or ``compilation_unit``."""
    before: tuple[int, int]
    """A byte range of the active text before."""
    after: tuple[int, int]
    """A byte range of the active text after."""
    tree: tree_sitter.Tree
    lead: int


class _Range(NamedTuple):
    """Bytes ``[start, end)`` of the old text, and the kind of list that they are a part of."""

    start: int
    end: int
    kind: str

    def holds(self, start: int, end: int) -> bool:
        return self.start <= start and end <= self.end


def edit_windows(
    tree: tree_sitter.Tree, after: bytes, changes: Sequence[Change]
) -> tuple[EditWindow, ...] | None:
    """Return windows that prove that ``after`` parses; ``None`` if all of it must be parsed.

    ``tree`` is that of the text before ``changes``, which are sorted and disjoint. The scanner must
    have found nothing wrong in ``after``.
    """
    # The old tree gives the list around a window. If the tree is broken, error recovery made its
    # nodes, and a "block" there need not be one.
    ranges = None if tree.root_node.has_error else _ranges(tree, changes)
    if ranges is None or sum(each.end - each.start for each in ranges) > _MAX_BYTES:
        return None
    windows: list[EditWindow] = []
    for each in ranges:
        start, end = moved(each.start, each.end, changes)
        # Sound because a window is a part of a list: any number of items may replace some of its
        # items, if each ends where it seems to end.
        alone = parse_alone(after[start:end], each.kind)
        # A comment at the end must not swallow the text behind the window.
        if alone is None or (alone[1] and not _REST_OF_LINE.match(after, end)):
            return None
        lead = len(AROUND[each.kind][0])
        windows.append(EditWindow(each.kind, (each.start, each.end), (start, end), alone[0], lead))
    return tuple(windows)


def broken_windows(
    tree: tree_sitter.Tree, before: bytes, after: bytes, changes: Sequence[Change]
) -> tuple[EditWindow, ...] | None:
    """Return windows that show what ``changes`` broke; ``None`` if all of it must be parsed.

    ``tree`` is that of ``before``, broken only outside the windows: their old texts parse alone.
    Windows also hold a neighbour on either side: ``if (a)`` takes the next statement, and ``else``
    the one before. In a broken file the text around them may be misread, so a new text that would
    parse in a list of another kind gets no answer.
    """
    ranges = _ranges(tree, changes, with_neighbours=True)
    if ranges is None or sum(each.end - each.start for each in ranges) > _MAX_BYTES:
        return None
    windows: list[EditWindow] = []
    for each in ranges:
        start, end = moved(each.start, each.end, changes)
        # If the old text doesn't parse alone either, the edit need not have broken the new one.
        old, text = before[each.start : each.end], after[start:end]
        alone = parse_alone(text, each.kind)
        if parse_alone(old, each.kind) is None or (
            alone is not None and alone[1] and not _REST_OF_LINE.match(after, end)
        ):
            return None
        lead = len(AROUND[each.kind][0])
        if alone is not None:
            fresh = alone[0]
        elif tree.root_node.has_error and any(parse_alone(text, kind) for kind in AROUND):
            return None
        else:
            # As in whole files, gaps of the grammar don't count as errors.
            try:
                fresh = _least_broken_alone(text, each.kind)
            except TooMuchWorkError:
                return None
        windows.append(EditWindow(each.kind, (each.start, each.end), (start, end), fresh, lead))
    return tuple(windows)


def _ranges(
    tree: tree_sitter.Tree, changes: Sequence[Change], *, with_neighbours: bool = False
) -> list[_Range] | None:
    """Return the windows of all changes; a window inside another one is merged with it."""
    ranges: list[_Range] = []
    for change in changes:
        found = _range(tree, change, with_neighbours=with_neighbours)
        # The window of an edit inside a lambda is in the lambda's block; that of an edit next to it
        # contains the statement, and so the inner window. Windows that overlap otherwise have no
        # common list. Adjacent windows become one: text inserted between them would be in both.
        while ranges and found is not None and found.start <= ranges[-1].end:
            last = ranges.pop()
            if last.holds(found.start, found.end):
                found = last
            elif found.start == last.end:
                found = found._replace(start=last.start)
            elif not found.holds(last.start, last.end):
                return None
        if found is None:
            return None
        ranges.append(found)
    return ranges


def _range(tree: tree_sitter.Tree, change: Change, *, with_neighbours: bool) -> _Range | None:
    """Return the children, around a change, of the innermost list that contains it."""
    scope, kind, is_static = tree.root_node, "compilation_unit", False
    # The innermost list is the smallest text to parse. Skip lists of other kinds (a switch's
    # sections, an initializer), since no text in AROUND would make their items parse.
    for node, parent in path_to(tree, change.start, change.end):
        is_static = is_static or (node.type in _MEMBERS and _is_static(node))
        if node.type == "block":
            scope, kind = node, "static block" if is_static else "block"
        elif node.type == "declaration_list":
            scope, kind = node, parent
    if kind not in AROUND:
        return None
    if kind == "class_declaration" and _is_static(scope.parent):
        kind = f"static {kind}"  # a static class allows other members
    start, end = items_around(scope, change)
    if with_neighbours:
        # The nearest items that are code: a comment in between takes no part in "if" or "else".
        others = code_in(scope)
        start = max((each.start_byte for each in others if each.end_byte <= start), default=start)
        end = min((each.end_byte for each in others if each.start_byte >= end), default=end)
    return _Range(start, end, kind)


def items_around(scope: tree_sitter.Node, change: Change) -> tuple[int, int]:
    """Return the byte range of a change and the list items that it touches."""
    # A token next to the change may become part of another one; a bracket or space does not.
    before = _child_at(scope, change.start - 1)
    behind = _child_at(scope, change.end)
    start = change.start if before is None or before.type == "{" else before.start_byte
    end = change.end if behind is None or behind.type == "}" else behind.end_byte
    return start, end


def _is_static(owner: tree_sitter.Node | None) -> bool:
    if owner is None or owner.child_count >= _MAX_HEADER:
        return False
    cursor = owner.walk()
    more = cursor.goto_first_child()
    while more:
        part = cursor.node
        if part is not None and part.type not in _BEFORE_HEADER:
            # Modifiers come first: the nodes behind them, such as the body, needn't be read.
            return False
        if part is not None and part.type == "modifier" and part.text == b"static":
            return True
        more = cursor.goto_next_sibling()
    return False


def path_to(tree: tree_sitter.Tree, start: int, end: int) -> Iterator[tuple[tree_sitter.Node, str]]:
    """Yield the nodes that strictly contain a range, outermost first, with their parents' types."""
    cursor = tree.walk()
    parent = ""
    while cursor.goto_first_child_for_byte(start) is not None:
        node = cursor.node
        # Strictly: an edit at the edge of a node may move that edge, or join its first or last
        # token with the text next to it, so that the node changes.
        if node is None or node.start_byte >= start or node.end_byte <= end:
            return
        yield node, parent
        parent = node.type


def _child_at(parent: tree_sitter.Node, offset: int) -> tree_sitter.Node | None:
    # Not Node.first_child_for_byte: without such a child it returns a node that crashes.
    cursor = parent.walk()
    if offset < 0 or cursor.goto_first_child_for_byte(offset) is None:
        return None
    child = cursor.node
    return child if child is not None and child.start_byte <= offset else None


def moved(first: int, last: int, changes: Sequence[Change]) -> tuple[int, int]:
    """Return where old bytes are now; a change is inside or outside as a whole."""
    start, end = first, last
    for change in changes:
        growth = change.length - (change.end - change.start)
        # An insertion right at either end is inside: the window was made to contain it.
        if change.start < first:
            start += growth
            end += growth
        elif change.end <= last:
            end += growth
    return start, end


def parse_alone(text: bytes, kind: str) -> tuple[tree_sitter.Tree, bool] | None:
    """Parse a part of a list; return its tree, and whether a line comment ends it.

    ``None`` if it can't be parsed without what is around it.
    """
    try:
        tree = _tree_alone(text, kind)
    except TooMuchWorkError:
        return None
    if tree.root_node.has_error:
        return None
    scope = tree.root_node
    if kind != "compilation_unit":
        # "} void Other() {" parses between the brackets of a method, and leaves it broken in two.
        # Its brackets must still be one pair: the text may have closed and opened them.
        start = len(AROUND[kind][0])
        brackets = (start - 2, start + len(text) + 2)
        bodies = [tree.root_node.children[0].child_by_field_name("body")]
        if kind in {"block", "static block"} and bodies[0] is not None:
            bodies.append(bodies[0].children[1].child_by_field_name("body"))
        if bodies[-1] is None or (bodies[-1].start_byte, bodies[-1].end_byte) != brackets:
            return None
        scope = bodies[-1]
    last = next((child for child in reversed(scope.children) if child.type != "}"), None)
    if last is None or last.type != "comment":
        return tree, False
    return tree, (last.text or b"").startswith(b"//")


# Other symbol sets often have the same texts.


@lru_cache(maxsize=64)
def _tree_alone(text: bytes, kind: str) -> tree_sitter.Tree:
    return syntax_tree.parse(text.join(AROUND[kind]))


@lru_cache(maxsize=8)
def _least_broken_alone(text: bytes, kind: str) -> tree_sitter.Tree:
    return least_broken(text.join(AROUND[kind]), _tree_alone(text, kind)).tree
