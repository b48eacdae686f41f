"""Check whether an edit whose target is missing was applied already.

Part of ``anchor_not_found`` in docs/design/engine.md §8. The new text alone proves nothing: another
method may have the same line. So an edit counts as applied only where the anchor's context
surrounds the new text, and fits nowhere else.
History may show it as well (:mod:`snippet_engine.fixes.history.known_edits`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from snippet_engine import budget
from snippet_engine.anchors.context import Context, blanks_after, blanks_before
from snippet_engine.anchors.possible_places import possible_places
from snippet_engine.anchors.text_anchor import stands_in
from snippet_engine.anchors.unique_context import starts_beside
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.additions import as_replacement
from snippet_engine.request import Anchor, Instruction, Operation
from snippet_engine.source_text import TextRange

_LEAST_NEW_TEXT = 3
"""Shortest new text that proves anything, in code points without white space at its ends."""
_LEAST_CONTEXT = 3
"""Tokens of context on each side that identify a place by themselves."""
_MAX_PLACES = 1000
"""Most places of the new text, or of the context, that are checked."""
_PER_PLACE = 5
"""Steps that each of them takes."""
_REACH = 100
"""Most code points between the context's two sides, beyond those of target and new text."""
_TOKEN = re.compile(r"\w+|[^\w\s]")


def places_of_new_text(
    document: Document, instruction: Instruction, scopes: Sequence[TextRange]
) -> list[TextRange]:
    """Return where ``scopes`` have the new text with the anchor's context around it.

    Empty if the new text is a part of the target, and no context shows that the rest is gone.
    """
    view = document.source.view
    instruction = as_replacement(instruction)
    new_text, anchor = instruction.new_text, instruction.anchor
    has_both = _has_context_on_both_sides(anchor)
    least = 1 if has_both else _LEAST_NEW_TEXT
    if instruction.operation is not Operation.REPLACE or len(new_text.strip()) < least:
        return []
    if _may_be_left(instruction) and not (anchor.before or anchor.after).strip():
        return []
    context = Context(anchor.before, anchor.after)
    places = possible_places(view, new_text, context, scopes)
    found = sorted(islice((each for each in places if context.fits(view, each)), _MAX_PLACES))
    return [each for each in found if stands_in(document, each, comment=anchor.in_comment)]


def _may_be_left(instruction: Instruction) -> bool:
    """Whether the new text may be there only as a part of the target, still to be shortened."""
    anchor = instruction.anchor
    texts = anchor.target or "", instruction.new_text, anchor.before, anchor.after
    target, kept, before, after = ("".join(each.split()) for each in texts)
    is_start, is_end = target.startswith(kept), target.endswith(kept)
    if kept not in target or _has_context_on_both_sides(anchor):
        return False
    if is_start == is_end:
        return True
    beside, lost = (after, target[len(kept) :]) if is_start else (before, target[: -len(kept)])
    return not beside or (lost.startswith(beside) if is_start else lost.endswith(beside))


def is_proven_at(
    view: str, instruction: Instruction, place: TextRange, scopes: Sequence[TextRange]
) -> bool:
    """Whether the context, which fits the new text at ``place``, fits nowhere else."""
    anchor = instruction.anchor
    if not (anchor.before.strip() or anchor.after.strip()):
        return False
    if _may_be_left(instruction):
        return False
    context = Context(anchor.before, anchor.after)
    longest = len(anchor.target or "") + len(instruction.new_text) + _REACH
    first_after = anchor.after.strip().partition("\n")[0].rstrip()
    is_above = bool(anchor.before.strip())
    known = blanks_after(view, place.start) if is_above else blanks_before(view, place.end)
    sides = (anchor.before.rstrip(), "") if is_above else ("", anchor.after.lstrip())
    found = starts_beside(view, *sides, 0)
    # A target may begin or end at any of several blanks: count them as one place, by the last.
    edges = (
        at for at in found if not view[(n := at if is_above else max(at - 1, 0)) : n + 1].isspace()
    )
    for count, at in enumerate(edges):
        budget.spend(_PER_PLACE)
        if count == _MAX_PLACES:
            return False
        if at == known or not any(each.start <= at <= each.end for each in scopes):
            continue
        if not (context.fits_before(view, at) if is_above else context.fits_after(view, at)):
            continue
        if not (is_above and first_after):
            return False
        if _stands_soon(view, context, first_after, at, longest):
            return False
    return True


def _stands_soon(view: str, context: Context, line: str, start: int, longest: int) -> bool:
    limit = start + longest + len(line)
    at = view.find(line, start, limit)
    while at >= 0:
        budget.spend()
        if context.fits_after(view, at):
            return True
        at = view.find(line, at + 1, limit)
    return False


def _has_context_on_both_sides(anchor: Anchor) -> bool:
    return all(
        len(_TOKEN.findall(each)) >= _LEAST_CONTEXT for each in (anchor.before, anchor.after)
    )
