"""Find the place of an anchor that matches none (docs/design/engine.md §8: ``anchor_not_found``).

Three answers are tried in this order: the edit was applied already, an earlier version had the
text, or one place is clearly the most similar.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.resolver import scopes_of
from snippet_engine.anchors.text_anchor import is_of_kind
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.indentation import indentation_of
from snippet_engine.errors import ALREADY_APPLIED, MAX_OFFERS, shortened
from snippet_engine.fixes.explain.near_misses import OTHER_TEXT, differences_at
from snippet_engine.fixes.explain.plan_or_explain import CUT_INDENTATION, OTHER_INDENTATION
from snippet_engine.fixes.history.known_edits import repeated, text_reverted
from snippet_engine.fixes.history.track_position import (
    Earlier,
    Followed,
    followed_as_sent,
    was_elsewhere,
)
from snippet_engine.fixes.model import Repair, at_place, line_of, overlaps_new_text
from snippet_engine.fixes.search.readings import Found, plainly_spaced, similar_places
from snippet_engine.fixes.search.selection import select_places
from snippet_engine.fixes.search.token_cost import is_identifier
from snippet_engine.fixes.search.tokens import hunks, tokens_of
from snippet_engine.request import Anchor, Instruction


def for_anchor_not_found(
    document: Document,
    instruction: Instruction,
    details: Mapping[str, Any],
    earlier: Earlier,
) -> Sequence[Repair]:
    """Return the instruction with an anchor that matches, or a choice of several."""
    found = _found(document, instruction, details, earlier)
    found = [_plainly_spaced(document, instruction.anchor, each) for each in found]
    lines = details.get("newTextLines", ())
    if lines:
        # At a place found by history, the edit is certainly not applied.
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
    """Return the first result: edit already applied, place in history, similar places."""
    if ALREADY_APPLIED in details:
        return [Repair("it is done already, so it is left out", ())]
    if instruction.anchor.target is None or repeated(document, instruction, earlier):
        return ()
    known = followed_as_sent(document, instruction.anchor, earlier)
    if known is None:
        differs = details["nearest"][0]["differs"] if details.get("nearest") else []
        if differs in ([OTHER_INDENTATION], [CUT_INDENTATION]):
            return ()
        return repairs_at_nearest(document, instruction, earlier)
    repair = at_place_now(document, instruction, known)
    if repair is not None:
        return [repair]
    if document.source.view.count(instruction.anchor.target.strip()) != 1:
        return ()  # The text was at another place, so similar places aren't meant.
    return repairs_at_nearest(document, instruction, earlier, exact=True)


def at_place_now(document: Document, instruction: Instruction, known: Followed) -> Repair | None:
    """Return the repair for the place where an earlier version had the anchor."""
    anchor, place = instruction.anchor, known.place
    if place is None or ("\n" in instruction.new_text and not known.has_context):
        return None  # The new lines may follow a context with other indentation.
    assert anchor.target is not None
    view = document.source.view
    by_text = replace(anchor, symbol_path=None)
    found = anchor_at(document, by_text, place, scopes_of(document, by_text))
    if found is None or overlaps_new_text(view, instruction, place):
        return None
    repaired = at_place(document, instruction, anchor.target, found)
    if repaired is None:
        return None
    what = line_of(document, place)
    lost = text_reverted(instruction, view[slice(*place)], repaired.new_text)
    if lost:
        what = f"{what}, undoes what a later edit put there: {lost}"
    basis = "the text you sent was there until an edit changed it"
    return Repair(what, (repaired,), basis, is_known=True, takes_back=bool(lost))


_MOST_LISTED = 2
"""Differences in wording that a label lists."""
_LONGEST_LISTED = 24


def describe_changed_words(target: str, standing: str) -> str:
    """Describe the words that differ between target and file, for an offer's label."""
    sent, there = tokens_of(target), tokens_of(standing)
    found: list[str] = []
    for each in hunks([one.key for one in sent], [one.key for one in there]):
        mine, other = (
            shortened(
                "".join(" " * bool(one.gap) + one.text for one in tokens).strip(), _LONGEST_LISTED
            )
            for tokens in (sent[each.start : each.end], there[each.other_start : each.other_end])
        )
        if mine and other:
            found.append(f"{other} for {mine}")
        else:
            found.append(f"{other} more" if other else f"no {mine}")
    return f": {', '.join(found)}" if 0 < len(found) <= _MOST_LISTED else ""


_WORD = re.compile(r"\w+")


def repairs_at_nearest(
    document: Document, instruction: Instruction, earlier: Earlier, *, exact: bool = False
) -> list[Repair]:
    """Return the instruction at the places most similar to its anchor.

    Return none if one merge is unclear, if a place already has the new text, or if another place
    was about as similar before an edit. With ``exact``, a place must have the exact target.
    """
    best = _code_first(document, instruction.anchor, similar_places(document, instruction))
    likely = select_places(document, best, exact=exact)
    view = document.source.view
    if likely and was_elsewhere(document, instruction.anchor, earlier, likely[0][0]):
        return []
    if any(overlaps_new_text(view, sent, each.place) for each, sent, _ in likely):
        return []  # The edit is already applied there.
    repairs = [_repair(document, each) for each in likely[:MAX_OFFERS]]
    if None in repairs:
        return []  # Offering the others alone would prefer them.
    more = f", one of {len(likely)} similar places" if len(likely) > MAX_OFFERS else ""
    return [replace(each, what=f"{each.what}{more}") for each in repairs if each is not None]


def _code_first(document: Document, anchor: Anchor, best: list[Found]) -> list[Found]:
    """Remove places in comments that are no nearer than the nearest place in code."""
    if anchor.in_comment:
        return best
    code = [each for each in best if is_of_kind(document, each[0].place, comment=False)]
    if not code:
        return best
    nearest = code[0][0].distance
    return [each for each in best if each in code or each[0].distance < nearest]


def _repair(document: Document, found: Found) -> Repair | None:
    view = document.source.view
    likely, instruction, _ = found
    anchor, place = instruction.anchor, likely.place
    assert anchor.target is not None
    start = place.end - len(view[slice(*place)].lstrip())
    is_in_line = view[view.rfind("\n", 0, start) + 1 : start].strip()
    if is_in_line and len(indentation_of(anchor.target)) > 1 and "\n" in instruction.new_text:
        return None  # It was sent as a line's start, but isn't: how deep are new lines?
    named = anchor_at(document, anchor, place, scopes_of(document, anchor))
    if named is None:
        return None
    repaired = at_place(document, instruction, anchor.target, named, likely.gaps)
    has_name = any(map(is_identifier, _WORD.findall(anchor.target)))
    if repaired is None or (likely.mistakes >= 1 and not has_name):
        return None  # A target without a name doesn't identify a place.
    differs = differences_at(view, found)
    what = line_of(document, place)
    if differs and OTHER_TEXT.isdisjoint(differs):
        what += f", {', '.join(differs)} {_differ(differs)}"
    elif differs:
        what += f", wording differs{describe_changed_words(anchor.target, view[slice(*place)])}"
    return Repair(what, (repaired,))


def _differ(labels: Sequence[str]) -> str:
    """Return the verb for a list of differences."""
    return "differ" if len(labels) > 1 or "".join(labels).endswith("s") else "differs"
