"""An anchor that fits but for its indentation: as the file has it, or at other lines that have it.

Part of docs/design/engine.md §8. What was sent fits a place, white space aside; what speaks against
it is in ``anchors/context_indent.py`` and ``anchors/cut_indent.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.symbol_anchor import resolve_anchor, scopes_of
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.indentation_checks import indented_otherwise, whole_lines_of_cut
from snippet_engine.errors import MAX_OFFERS
from snippet_engine.offers.carrying.indents import of_context
from snippet_engine.offers.repair import Repair, at_place, line_of
from snippet_engine.request import Anchor, Instruction
from snippet_engine.source_text import TextRange

_LINES_BESIDE = 2
"""Lines by which another place is away that may be meant as well."""


def indented_as_the_file_is(document: Document, instruction: Instruction) -> Sequence[Repair]:
    """An anchor that fits, and new lines with an indentation that its context was sent with."""
    resolved = resolve_anchor(document, instruction.anchor)
    if not isinstance(resolved, Resolved):
        return ()
    anchor, place = instruction.anchor, resolved.place
    gaps = indented_otherwise(document, instruction, place)
    found = anchor_at(document, anchor, place, scopes_of(document, anchor))
    repaired = found and at_place(document, instruction, anchor.target or "", found, gaps)
    if not repaired:
        return ()
    what = f"{line_of(document, place)}, with the file's indentation"
    other = _near_as_sent(document, anchor, place)
    whole = other and anchor_at(document, anchor, other, scopes_of(document, anchor))
    if other is None or whole is None:
        return [repaired.repair(what)]
    told = f"{line_of(document, other)}, which is indented as it was sent; context differs"
    return [repaired.repair(what), Repair(told, (replace(instruction, anchor=whole),))]


def _near_as_sent(document: Document, anchor: Anchor, place: TextRange) -> TextRange | None:
    """The place of the target beside ``place`` whose line is indented as it was sent, where lines
    of the context are, too: one of them may have been forgotten."""
    view, source = document.source.view, document.source
    above, target = anchor.before.split("\n"), anchor.target or ""
    first, last = map(source.line_number, place)
    lines = view.split("\n")
    near = range(max(0, first - len(above)), first)
    pairs = of_context(anchor.before, "", [lines[row] for row in near], ())
    if len(above) < 2 or not pairs or any(one != other for one, other in pairs):
        return None
    wanted = (above[-1] + target).split("\n")
    for row in range(max(0, first - _LINES_BESIDE), last + _LINES_BESIDE + 1):
        if row != first and lines[row : row + len(wanted)] == wanted:
            start = source.line_starts[row] + len(above[-1])
            return TextRange(start, start + len(target))
    return None


def whole_lines(document: Document, instruction: Instruction) -> Sequence[Repair]:
    """An anchor that fits within an indentation, at either of the whole lines that may be meant."""
    resolved = resolve_anchor(document, instruction.anchor)
    if not isinstance(resolved, Resolved):
        return ()
    anchor, scopes = instruction.anchor, scopes_of(document, instruction.anchor)
    found: list[Repair] = []
    for place in whole_lines_of_cut(document, instruction, resolved.place)[:MAX_OFFERS]:
        whole = anchor_at(document, anchor, place, scopes)
        repaired = whole and at_place(document, instruction, anchor.target or "", whole)
        if not repaired:
            return ()
        found.append(repaired.repair(f"{line_of(document, place)}, indentation differs"))
    return found
