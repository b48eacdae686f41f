"""Offer the instruction at the places most like its anchor, each with a label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.resolver import scopes_of
from snippet_engine.anchors.text_anchor import stands_in
from snippet_engine.csharp.document import Document
from snippet_engine.errors import MAX_OFFERS, shortened
from snippet_engine.fixes.history.track_position import Before
from snippet_engine.fixes.model import Repair, at_place, line_of, stands_over
from snippet_engine.fixes.normalise.look_alikes import differences
from snippet_engine.fixes.normalise.wrappings import PASTED_LINE_NUMBERS
from snippet_engine.fixes.not_found.paste_variants import paste_variants
from snippet_engine.fixes.search.candidate import Candidate
from snippet_engine.fixes.search.candidate_search import find_candidates
from snippet_engine.fixes.search.edge_whitespace import within_line
from snippet_engine.fixes.search.selection import Found, select_places
from snippet_engine.fixes.search.token_cost import CASE, is_identifier
from snippet_engine.fixes.search.tokens import MARKER, hunks, tokens_of
from snippet_engine.request import Anchor, Instruction

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


def describe_differences(target: str, standing: str) -> list[str]:
    """Describe how two texts with the same tokens differ."""
    markers = [
        [found.group().strip() for line in text.split("\n") if (found := MARKER.match(line))]
        for text in (target, standing)
    ]
    if markers[0] != markers[1]:
        return ["comment markers"]
    return differences(target, standing) or ["line breaks"]


def differ(labels: Sequence[str]) -> str:
    """Return the verb for a list of differences."""
    return "differ" if len(labels) > 1 or "".join(labels).endswith("s") else "differs"


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
    best: list[Found] = []
    as_near: list[Found] = []
    for wrappings, sent in paste_variants(instruction, document.source.view):
        scopes = scopes_of(document, sent.anchor)
        found = find_candidates(document.source, sent.anchor, scopes)
        if found and (not best or found[0].distance < best[0][0].distance):
            best = [(each, sent, wrappings) for each in found]
            as_near = []
        elif found and found[0].distance == best[0][0].distance:
            as_near += [(each, sent, wrappings) for each in found]
    best = _code_first(document, instruction.anchor, best)
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
    repairs = [_repair_of(document, each, as_near) for each in likely[:MAX_OFFERS]]
    if None in repairs:
        return []  # Offering the others alone would prefer them.
    more = f", one of {len(likely)} such places" if len(likely) > MAX_OFFERS else ""
    return [replace(each, what=f"{each.what}{more}") for each in repairs if each is not None]


def _words(text: str) -> list[str]:
    return [each.key.casefold() for each in tokens_of(text)]


def _repair_of(document: Document, found: Found, others: Sequence[Found]) -> Repair | None:
    """Return the repair at a place; if there is none, that of one of the ``others``.

    They are other readings of the paste: a space after a pasted line number belongs to the line or
    to the number.
    """
    repair = _repair(document, *found)
    end = found[0].place.end
    readings = (each for each in others if each[0].place.end == end and repair is None)
    again = (_repair(document, *each) for each in readings)
    return repair or next((each for each in again if each is not None), None)


def _code_first(document: Document, anchor: Anchor, best: list[Found]) -> list[Found]:
    """Remove places in comments that are no nearer than the nearest one in code."""
    if anchor.in_comment:
        return best
    code = [each for each in best if stands_in(document, each[0].place, comment=False)]
    if not code:
        return best
    nearest = code[0][0].distance
    return [each for each in best if each in code or each[0].distance < nearest]


def _repair(
    document: Document, likely: Candidate, instruction: Instruction, wrappings: list[str]
) -> Repair | None:
    view = document.source.view
    indented = within_line(view, instruction, likely.place)
    if indented is None:
        return None
    instruction, place = indented
    anchor = instruction.anchor
    assert anchor.target is not None
    found = anchor_at(document, anchor, place, scopes_of(document, anchor))
    if found is None:
        return None
    repaired = at_place(document, instruction, anchor.target, found, likely.gaps)
    if repaired is None:
        return None
    standing = view[place.start : place.end]
    has_name = any(map(is_identifier, _WORD.findall(anchor.target)))
    if likely.mistakes >= 1 and not has_name:
        return None  # Without a name, a target tells too little.
    labels = list(wrappings)
    has_other_words = likely.mistakes > CASE and _words(standing) != _words(anchor.target)
    if has_other_words:
        labels.append("wording")
    elif standing != anchor.target:
        labels += describe_differences(anchor.target, standing)
    if likely.in_context:
        labels.append("context")
    differs = f", {', '.join(labels)} {differ(labels)}" if labels else ""
    if has_other_words:
        differs += describe_changed_words(anchor.target, standing)
    return Repair(f"{line_of(document, place)}{differs}", (repaired,))
