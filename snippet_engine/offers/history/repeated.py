"""Whether an edit is the very one that made one version of the next: it is asked for again.

Part of docs/design/engine.md §8. What is like its target may stand elsewhere, and its new text may
have stood there before; but an edit that turns one version into the one that followed is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from snippet_engine.anchors.symbol_anchor import place_in
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan
from snippet_engine.explain.planning import make_plan
from snippet_engine.limits import CHANGE_SET
from snippet_engine.offers.history.followed import MAX_VERSIONS, Earlier, Passage
from snippet_engine.request import Instruction
from snippet_engine.source_text import TextRange


@dataclass(frozen=True, slots=True)
class Repeated:
    """An edit that was made before; ``place`` is where what it made stands now, if it does."""

    place: TextRange | None


def repeated(document: Document, instruction: Instruction, earlier: Earlier) -> Repeated | None:
    """``instruction``, if it was made before and its anchor has fitted nothing since."""
    newer = document.source.view
    for old in islice(earlier(), MAX_VERSIONS):
        if old.view == newer:
            continue
        then = document.alike(old)
        if place_in(then, instruction.anchor) is not None:
            plan = make_plan(then, [instruction], CHANGE_SET)
            if not isinstance(plan, Plan) or not plan.edits or plan.edits.apply(old.view) != newer:
                return None
            start = min(each.start for each in plan.edits)
            more = len(newer) - len(old.view)
            end = max(each.end for each in plan.edits) + more
            return Repeated(_now(newer, document.source.view, TextRange(start, end)))
        newer = old.view
    return None


def _now(then: str, view: str, place: TextRange) -> TextRange | None:
    """Where ``place`` of the version ``then`` is in ``view``; empty where nothing was left."""
    if then == view:
        return place
    if then[slice(*place)].strip():
        return Passage(then, view).now_at(place)
    # Nothing was left: the word behind it tells.
    behind = place.end + len(then[place.end :]) - len(then[place.end :].lstrip())
    start = Passage(then, view).start_of(behind) if behind < len(then) else None
    return None if start is None else TextRange(start, start)
