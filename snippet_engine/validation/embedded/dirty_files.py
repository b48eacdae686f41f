"""Files that were broken before the edit, as far as the tree can tell.

Implements docs/design/roslyn.md §1.6. Where the grammar lacks something, or the file is really
broken, what the parser gives up on grows and shrinks with every change, and its count says
nothing. The tree then only counts where the statements or members around each edit parsed by
themselves before, or where all that was broken stands unchanged; the scanner, the structural
checks and the language version are asked in any case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from snippet_engine.csharp.analysis import BrokenNode
from snippet_engine.edits import EditSet

NOT_GATED_ON_TREE = "syntax beyond brackets and structure: the file was broken before"
"""What the response says of a file whose broken nodes could not be compared."""

NOT_PARSED = "syntax beyond brackets: the file is too large or too broken to be parsed in time"
"""What the response says of a file whose tree costs more than it may."""

NOT_PARSED_IN_SET = (
    "syntax beyond brackets: the files of the set are too large together, or too broken, to be "
    "parsed in time; alone, a file may take longer"
)
"""The same of a change set with such files, of which each has a part of that time."""

NOT_ALL_ERRORS = "brackets and quotes behind the first errors of the file: it has too many"
"""What the response says of a file with more lexical errors than are looked at."""

NOT_CURED = "which syntax errors are C# that the parser can't read: the file is too large or broken"
"""What the response says of broken nodes that may be but gaps of the grammar."""

NOT_ALL_BRANCHES = "further #if branches: the file has too many"
"""What the response says where not all branches were looked at that matter to it."""

NOT_STRUCTURE = "structure around the edit: it stands too deep, or among too many others"
"""What the response says where the structural checks would take too long."""

_Place = tuple[int | None, int | None, str]


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
