"""Offer an anchor that was refused for its indentation, with the file's indentation.

``explain/declined.py`` describes the refusals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.symbol_anchor import place_in, scopes_of
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.indentation_checks import indented_otherwise, whole_lines_of_cut
from snippet_engine.errors import MAX_OFFERS
from snippet_engine.fixes.merge.indentation import of_context
from snippet_engine.fixes.model import Repair, at_place, line_of
from snippet_engine.request import Anchor, Instruction
from snippet_engine.source_text import TextRange

_LINES_AWAY = 2
"""How far away another line may be for which the same context was sent."""


def with_file_indentation(document: Document, instruction: Instruction) -> Sequence[Repair]:
    """Return the instruction with the file's indentation in its new lines.

    A second repair is the one at a near line that is indented as sent.
    """
    anchor, place = instruction.anchor, place_in(document, instruction.anchor)
    if place is None:
        return ()
    gaps = indented_otherwise(document, instruction, place)
    found = anchor_at(document, anchor, place, scopes_of(document, anchor))
    placed = found and at_place(document, instruction, anchor.target or "", found, gaps)
    if not placed:
        return ()
    repair = placed.repair(f"{line_of(document, place)}, with the file's indentation")
    other = _near_as_sent(document, anchor, place)
    whole = other and anchor_at(document, anchor, other, scopes_of(document, anchor))
    if other is None or whole is None:
        return [repair]
    what = f"{line_of(document, other)}, which is indented as it was sent; context differs"
    return [repair, Repair(what, (replace(instruction, anchor=whole),))]


def _near_as_sent(document: Document, anchor: Anchor, place: TextRange) -> TextRange | None:
    """Return the target's place near ``place`` that is indented as sent.

    ``None`` unless the context's lines are indented as sent, too.
    """
    source, target = document.source, anchor.target or ""
    above, lines = anchor.before.split("\n"), document.source.view.split("\n")
    first, last = map(source.line_number, place)
    pairs = of_context(anchor.before, "", lines[max(0, first - len(above)) : first], ())
    if len(above) < 2 or not pairs or any(one != other for one, other in pairs):
        return None
    wanted = (above[-1] + target).split("\n")
    for row in range(max(0, first - _LINES_AWAY), last + _LINES_AWAY + 1):
        if row != first and lines[row : row + len(wanted)] == wanted:
            start = source.line_starts[row] + len(above[-1])
            return TextRange(start, start + len(target))
    return None


def at_whole_lines(document: Document, instruction: Instruction) -> Sequence[Repair]:
    """Return the instruction at each place whose whole lines the target may mean."""
    anchor, cut = instruction.anchor, place_in(document, instruction.anchor)
    if cut is None:
        return ()
    found: list[Repair] = []
    for place in whole_lines_of_cut(document, instruction, cut)[:MAX_OFFERS]:
        whole = anchor_at(document, anchor, place, scopes_of(document, anchor))
        placed = whole and at_place(document, instruction, anchor.target or "", whole)
        if not placed:
            return ()
        found.append(placed.repair(f"{line_of(document, place)}, indentation differs"))
    return found
