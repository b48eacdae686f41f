"""Find the place of an anchor that fits none (docs/design/engine.md §8: ``anchor_not_found``).

In this order: the edit was applied already; an earlier version had the text; one place is clearly
the most similar.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.resolver import place_in, scopes_of
from snippet_engine.anchors.text_anchor import stands_in
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ALREADY_APPLIED, MAX_OFFERS, shortened
from snippet_engine.fixes.explain.near_misses import OTHER_TEXT, differences_at
from snippet_engine.fixes.explain.plan_or_explain import CUT_INDENTATION, OTHER_INDENTATION
from snippet_engine.fixes.history.known_edits import repeated, text_reverted
from snippet_engine.fixes.history.track_position import (
    Before,
    Earlier,
    followed_as_sent,
    known_before,
)
from snippet_engine.fixes.model import Repair, at_place, line_of, stands_over
from snippet_engine.fixes.normalise.wrappings import PASTED_LINE_NUMBERS
from snippet_engine.fixes.search.edge_whitespace import seamless, within_line
from snippet_engine.fixes.search.readings import (
    Found,
    paste_variants,
    plainly_spaced,
    similar_places,
)
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
    before = known_before(document, instruction.anchor, earlier)
    if before.followed is None:
        for wrappings, bare in paste_variants(instruction, document.source.view):
            if not wrappings or place_in(document, bare.anchor) is not None:
                continue  # Without the marks it fits now, so no later edit is to blame.
            known = followed_as_sent(document, bare.anchor, earlier)
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


_NUMBERED = re.compile(r"\s*(\d{1,7})[\t:|→ ]")


def is_numbered(document: Document, found: Found, anchor: Anchor) -> bool:
    """Whether the target was pasted with this place's line number, and is the place's text
    otherwise."""
    place, _, wrappings = found
    number = _NUMBERED.match(anchor.target or "")
    if number is None or PASTED_LINE_NUMBERS not in wrappings or place.distance:
        return False
    return int(number.group(1)) - 1 == document.source.line_number(place.place.start)


def is_unwrapped(view: str, found: Found) -> bool:
    """Whether the place has the target exactly, once the paste's marks are removed."""
    place, sent, wrappings = found
    is_right = bool(wrappings) and place.distance == 0
    return is_right and view[slice(*place.place)] == sent.anchor.target


_WORD = re.compile(r"\w+")


def repairs_at_nearest(
    document: Document, instruction: Instruction, before: Before, *, exact: bool = False
) -> list[Repair]:
    """Return the instruction at the places most like its anchor; none if one merge is unclear.

    With ``exact``, a place must have the exact target. None either if another place was more like
    the anchor ``before`` an edit, or the edit seems to be done.
    """
    best = _code_first(document, instruction.anchor, similar_places(document, instruction))
    likely = select_places(document, best, exact=exact)
    view = document.source.view
    numbered = [each for each in likely if is_numbered(document, each, instruction.anchor)]
    if len(numbered) == 1:
        likely = numbered  # Of similar places, the one at the line number that was pasted.
    as_sent = [each for each in likely if is_unwrapped(view, each)]
    if len(as_sent) == 1:
        likely = as_sent
    if not likely or before.was_liker(view, likely[0][0]):
        return []
    if any(stands_over(view, sent, each.place) for each, sent, _ in likely):
        return []  # The edit is done there.
    repairs = [_repair(document, each) for each in likely[:MAX_OFFERS]]
    if None in repairs:
        return []  # Offering the others alone would prefer them.
    more = f", one of {len(likely)} such places" if len(likely) > MAX_OFFERS else ""
    return [replace(each, what=f"{each.what}{more}") for each in repairs if each is not None]


def _code_first(document: Document, anchor: Anchor, best: list[Found]) -> list[Found]:
    """Remove places in comments that are no nearer than the nearest one in code."""
    if anchor.in_comment:
        return best
    code = [each for each in best if stands_in(document, each[0].place, comment=False)]
    if not code:
        return best
    nearest = code[0][0].distance
    return [each for each in best if each in code or each[0].distance < nearest]


def _repair(document: Document, found: Found) -> Repair | None:
    view = document.source.view
    likely, instruction, _ = found
    indented = within_line(view, instruction, likely.place)
    if indented is None:
        return None
    instruction, place = indented
    anchor = instruction.anchor
    assert anchor.target is not None
    named = anchor_at(document, anchor, place, scopes_of(document, anchor))
    if named is None:
        return None
    repaired = at_place(document, instruction, anchor.target, named, likely.gaps)
    has_name = any(map(is_identifier, _WORD.findall(anchor.target)))
    if repaired is None or (likely.mistakes >= 1 and not has_name):
        return None  # Without a name, a target tells too little.
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
