"""Files that were broken before the edit, as far as the tree can tell.

Implements spec 04-roslyn §1.6. Where the grammar lacks something, or the file is really
broken, what the parser gives up on grows and shrinks with every change, and its count says
nothing. The tree then only counts where the statements or members around each edit parsed by
themselves before, or where all that was broken stands unchanged; the scanner, the structural
checks and the language version are asked in any case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from snippet_engine.csharp import syntax_tree
from snippet_engine.csharp.analysis import Analysis, BrokenNode
from snippet_engine.csharp.edit_windows import windows_of_broken
from snippet_engine.edits import EditSet

NOT_GATED_ON_TREE = "syntax beyond brackets and structure: the file was broken before"
"""What the response says of a file whose broken nodes could not be compared."""

_Place = tuple[int | None, int | None, str]


def new_broken_nodes(before: Analysis, after: Analysis, edits: EditSet) -> list[BrokenNode] | None:
    """What edits of a dirty file broke; ``None`` where that can't be told."""
    around = _broken_around(before, after, edits)
    if around is not None:
        return around
    return added_nodes(before.broken_nodes, after.broken_nodes, edits)


def _broken_around(before: Analysis, after: Analysis, edits: EditSet) -> list[BrokenNode] | None:
    """What is broken now in statements or members around the edits, where nothing was."""
    if not (before.scan.is_clean and after.scan.is_clean):
        return None  # where brackets don't match, nothing is what it seems to be in
    changes = after.changes_since(before, edits)
    if changes is None:
        return None
    windows = windows_of_broken(before.tree, before.active_utf8, after.active_utf8, changes)
    if windows is None:
        return None
    found: list[BrokenNode] = []
    for window in windows:
        first, last = window.after
        for node in syntax_tree.broken_nodes(window.tree):
            start, end = (
                after.source.view_offset(min(max(byte - window.lead + first, first), last))
                for byte in (node.start_byte, node.end_byte)
            )
            found.append(BrokenNode(start, end, node.type, not node.is_error))
    return found


def added_nodes(
    before: Sequence[BrokenNode], after: Sequence[BrokenNode], edits: EditSet
) -> list[BrokenNode] | None:
    """What is broken in a dirty file besides what was; ``None`` where that can't be told."""
    old: Counter[_Place] = Counter(
        (edits.map_offset(node.start), edits.map_offset(node.end), node.type) for node in before
    )
    added: list[BrokenNode] = []
    for node in after:
        place = node.start, node.end, node.type
        if old[place] > 0:
            old[place] -= 1
        else:
            added.append(node)
    return None if added and any(old.values()) else added
