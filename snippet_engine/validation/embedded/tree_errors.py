"""Find what edits broke in the tree.

Implements docs/design/roslyn.md §1.2 and §1.6. An edit that leaves the statements or members around
it whole breaks nothing. Otherwise, if the body around it or the file's tree is broken as well, the
edit broke it. The error is reported at the statements, because the whole tree may be unreadable for
half the file. The trees of both texts are compared only if the statements can't be parsed alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snippet_engine.csharp.analysis import Analysis, BrokenNode
from snippet_engine.csharp.tree import broken_scopes, syntax_tree
from snippet_engine.csharp.tree.edit_windows import EditWindow, broken_windows
from snippet_engine.csharp.tree.syntax_tree import Change
from snippet_engine.edits import EditSet
from snippet_engine.validation.embedded.new_errors import added_nodes


class TreeErrors(NamedTuple):
    """What edits broke in the tree."""

    added: list[BrokenNode] | None
    """Newly broken nodes; ``None`` if unknown."""
    preexisting: int = 0
    is_sure: bool = True
    """Whether the broken nodes surely are more than a gap of the grammar."""


class _Around(NamedTuple):
    """The broken nodes around the edits, and the tree that shows them."""

    broken: list[BrokenNode]
    changes: list[Change]
    windows: tuple[EditWindow, ...]

    def is_sure(self, before: Analysis, after: Analysis) -> bool:
        """Whether the bodies around the edits prove the file broken, so its tree isn't needed."""
        return not before.tree.root_node.has_error and broken_scopes.is_broken(
            before.tree, after.active_utf8, self.changes, self.windows
        )


def tree_errors(before: Analysis, after: Analysis, edits: EditSet) -> TreeErrors:
    """Return what ``edits`` broke. Both texts are scanned and have no new lexical error."""
    # Cheapest first: windows, the body around them, the file's tree.
    if after.edit_windows is not None:
        return TreeErrors([])
    around: _Around | None = None
    if not before.is_whole_text_parsed:
        return TreeErrors(None)
    # Checking the bodies first is faster only if the old tree exists and the new one doesn't.
    if before.has_tree and not after.has_tree:
        around = _broken_around(before, after, edits)
        if around is not None:
            is_sure = around.is_sure(before, after)
            # A tree reparsed from the old one is discarded if it is broken, because error recovery
            # depends on the old tree. If it will be broken, parse the text from scratch at once.
            if is_sure or around.broken:
                after.forget_origin()
            if is_sure and around.broken:
                return TreeErrors(around.broken)
    has_error = after.tree.root_node.has_error
    if not (before.is_parsed and after.is_parsed):
        return TreeErrors(None)
    if not has_error:
        return TreeErrors([])
    if around is None:
        around = _broken_around(before, after, edits)
    # The edits broke the file: the windows show all errors at their places. Error recovery over
    # the whole file may put them anywhere up to the last line.
    if around is not None and around.broken and not before.tree.root_node.has_error:
        return TreeErrors(around.broken)
    if after.is_cut_short:
        return TreeErrors(None)
    nodes = after.broken_nodes
    is_sure = after.cured.is_sure
    if not nodes or not before.broken_nodes:
        return TreeErrors(list(nodes), is_sure=is_sure)
    # Both are broken. The windows' errors are new, since their old texts parse. Without windows
    # compare the two lists; the result may be unknown.
    added = around.broken if around else _added(before.broken_nodes, nodes, edits)
    return TreeErrors(added, len(nodes) - len(added or ()), is_sure)


def _added(
    before: Sequence[BrokenNode], after: Sequence[BrokenNode], edits: EditSet
) -> list[BrokenNode] | None:
    """Return the newly broken nodes; ``None`` if unknown."""
    if max(len(before), len(after)) >= syntax_tree.MAX_BROKEN:
        return None
    return added_nodes(before, after, edits)


def _broken_around(before: Analysis, after: Analysis, edits: EditSet) -> _Around | None:
    """Return the broken nodes in statements or members around the edits that were whole before."""
    if not (before.scan.is_clean and after.scan.is_clean):
        return None  # with unmatched brackets, no statement's place is certain
    changes = after.changes_since(before, edits)
    if changes is None:
        return None
    windows = broken_windows(before.tree, before.active_utf8, after.active_utf8, changes)
    if windows is None:
        return None
    found: list[BrokenNode] = []
    for window in windows:
        first, last = window.after
        for node in syntax_tree.broken_nodes(window.tree):
            # A missing token has no length, and may be placed in the brackets put around the
            # window.
            start, end = (
                after.source.view_offset(min(max(byte - window.lead + first, first), last))
                for byte in (node.start_byte, node.end_byte)
            )
            found.append(BrokenNode(start, end, node.type, not node.is_error))
    return _Around(found, changes, windows)
