"""Find the place of an anchor that fits none (docs/design/engine.md §8: ``anchor_not_found``).

In this order: the edit was applied already; an earlier version had the text; one place is clearly
the most similar.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.resolver import place_in, scopes_of
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ALREADY_APPLIED
from snippet_engine.fixes.explain.planning import CUT_INDENTATION, OTHER_INDENTATION
from snippet_engine.fixes.history.known_edits import repeated, text_reverted
from snippet_engine.fixes.history.track_position import (
    Before,
    Earlier,
    followed_as_sent,
    known_before,
)
from snippet_engine.fixes.model import Repair, at_place, line_of, stands_over
from snippet_engine.fixes.not_found.nearest_places import repairs_at_nearest
from snippet_engine.fixes.not_found.paste_variants import paste_variants, plainly_spaced
from snippet_engine.fixes.search.edge_whitespace import seamless
from snippet_engine.request import Anchor, Instruction


def for_anchor_not_found(
    document: Document,
    instruction: Instruction,
    details: Mapping[str, Any],
    earlier: Earlier,
) -> Sequence[Repair]:
    """Return the instruction with an anchor that fits, or a choice of such instructions."""
    found = _found(document, instruction, details, earlier)
    found = [_plainly_spaced(document, instruction.anchor, each) for each in found]
    lines = details.get("newTextLines", ())
    if lines:
        # At a place found by history, the edit is known not to be done.
        unless = f"it is done: line {lines[0]} has the newText"
        found = [each if each.basis else replace(each, unless=unless) for each in found]
    return found


def _plainly_spaced(document: Document, sent: Anchor, repair: Repair) -> Repair:
    """Replace no-break spaces in the repair's new text, if they came from a display."""
    view = document.source.view
    plain = tuple(plainly_spaced(each, sent, view) for each in repair.instructions)
    return replace(repair, instructions=plain)


def _found(
    document: Document,
    instruction: Instruction,
    details: Mapping[str, Any],
    earlier: Earlier,
) -> Sequence[Repair]:
    """Return repairs of the first kind that there are: applied already, followed, or similar."""
    if ALREADY_APPLIED in details:
        return [Repair("it is done already, so it is left out", ())]
    if instruction.anchor.target is None or repeated(document, instruction, earlier):
        return ()
    sent = seamless(instruction)
    instruction, before = _as_it_was_known(document, sent, earlier)
    stood_there = before.followed is not None and before.followed.as_sent
    differs = details["nearest"][0]["differs"] if details.get("nearest") else []
    if not stood_there and differs in ([OTHER_INDENTATION], [CUT_INDENTATION]):
        return ()
    was_there, repair = at_place_now(document, instruction, before, is_bare=instruction is not sent)
    if repair is not None:
        return [repair]
    target = (instruction.anchor.target or "").strip()
    if was_there and document.source.view.count(target) != 1:
        return ()  # The text was at another place, so similar places aren't meant.
    return repairs_at_nearest(document, instruction, before, exact=was_there)


def _as_it_was_known(
    document: Document, instruction: Instruction, earlier: Earlier
) -> tuple[Instruction, Before]:
    before = known_before(document, instruction.anchor, earlier())
    if before.followed is None:
        for wrappings, bare in paste_variants(instruction, document.source.view):
            if not wrappings or place_in(document, bare.anchor) is not None:
                continue  # Without the marks it fits now, so no later edit is to blame.
            known = followed_as_sent(document, bare.anchor, earlier())
            if known is not None:
                return bare, Before(known)
    return instruction, before


def at_place_now(
    document: Document, instruction: Instruction, before: Before, *, is_bare: bool = False
) -> tuple[bool, Repair | None]:
    """Return whether an earlier version had the anchor, and the repair at its place now.

    ``is_bare`` says that paste marks were removed.
    """
    anchor = instruction.anchor
    assert anchor.target is not None
    known = before.followed
    if known is None or known.place is None:
        return known is not None, None
    if not known.as_sent and not known.changed:
        return False, None  # Only a similar text was there, and it still is.
    place, gaps = known.place, known.gaps
    view = document.source.view
    by_text = replace(anchor, symbol_path=None)
    found = anchor_at(document, by_text, place, scopes_of(document, by_text))
    repaired = None
    if found is not None:
        repaired = at_place(document, instruction, anchor.target, found, gaps)
    if repaired is None or stands_over(view, instruction, place):
        return True, None
    exactly = "what you sent" if known.as_sent and not is_bare else "nearly what you sent"
    basis = f"{exactly} was there before a later edit"
    what = line_of(document, place)
    lost = text_reverted(instruction, view[slice(*place)], repaired.new_text)
    if lost:
        what = f"{what}, undoes what a later edit put there: {lost}"
    is_known = known.as_sent
    return True, Repair(what, (repaired,), basis, is_known=is_known, takes_back=bool(lost))
