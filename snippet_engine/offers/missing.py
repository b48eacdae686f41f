"""What an anchor meant that fits no place: ``anchor_not_found`` of docs/design/engine.md §8.

In this order: the edit is done already; the text stood there before an edit that history knows; one
place is so like what was sent, and all others so unlike, that it is clearly the one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from snippet_engine.anchors.candidates import anchor_at, stands_in
from snippet_engine.anchors.closest_lines import similarity
from snippet_engine.anchors.context_indent import OTHER_INDENTATION
from snippet_engine.anchors.cut_indent import CUT_INDENTATION
from snippet_engine.anchors.near_miss import (
    ALREADY_APPLIED,
    MAX_NEAR_MISSES,
    MOST_LIKE,
    SEEMS_APPLIED,
)
from snippet_engine.anchors.symbol_anchor import Resolved, place_in, resolve_anchor, scopes_of
from snippet_engine.anchors.tolerant import PASTED_LINE_NUMBERS
from snippet_engine.csharp.document import Document
from snippet_engine.errors import MAX_OFFERS
from snippet_engine.offers.as_meant import as_meant, plainly_spaced
from snippet_engine.offers.differing import other_words, told_differences
from snippet_engine.offers.doubts import cuts_off_sign, cuts_off_word, doubted, splits_a_word
from snippet_engine.offers.history.contradicted import place_of_another
from snippet_engine.offers.history.declared import (
    declares_another,
    takes_another,
    takes_other_part,
    turns_operator,
)
from snippet_engine.offers.history.done import (
    is_broken_as_wanted,
    is_in_new_text,
    is_within_a_line,
    stands_as_wanted,
    stands_over,
)
from snippet_engine.offers.history.followed import (
    MAX_VERSIONS,
    Before,
    Earlier,
    followed_as_sent,
    known_before,
)
from snippet_engine.offers.history.repeated import repeated
from snippet_engine.offers.history.taken_back import adds_what_has_moved, taken_back
from snippet_engine.offers.indented import indented_as_the_file_is, whole_lines
from snippet_engine.offers.lost_signs import with_lost_signs
from snippet_engine.offers.one_line import where_one_line_is_wrong
from snippet_engine.offers.only_place import at_only_place, is_as_deep, renamed_as_deep
from snippet_engine.offers.pasted import is_numbered, is_numbered_otherwise, is_unwrapped
from snippet_engine.offers.places.blanks import bare_lines, seamless, within_line
from snippet_engine.offers.places.left_out import leaves_out_a_line
from snippet_engine.offers.places.likely import Likely
from snippet_engine.offers.places.likeness import likely_places
from snippet_engine.offers.places.meant import Found, meant
from snippet_engine.offers.places.slips import is_identifier
from snippet_engine.offers.places.tokens import hunks, tokens_of
from snippet_engine.offers.repair import Repair, at_place, line_of
from snippet_engine.offers.spaced_otherwise import where_it_is_spaced_otherwise
from snippet_engine.offers.told_elsewhere import (
    has_its_side_elsewhere,
    has_its_words_elsewhere,
    is_renamed_in_context,
)
from snippet_engine.request import Anchor, Instruction, Operation
from snippet_engine.source_text import TextRange

_ONE_SIDE = (["the before context"], ["the after context"])
"""What differs where the target stands as sent, and so does one side of its context."""
_LEAST_AROUND = 4
"""Tokens on each side of a target, with all of its context, between which nothing else may be."""
_LIKE_PART, _FAR_LIKER = 0.9, 0.2
"""How like a target a part of a line is that a line isn't which the error calls the nearest."""
_LONGEST_COMPARED = 400
_LEAST_GONE = 8
"""Tokens of a target of which one may be a slip of the pen, and all the rest stands there."""
_WORD = re.compile(r"\w+")


def for_missing(
    document: Document,
    instruction: Instruction,
    details: Mapping[str, Any],
    earlier: Earlier,
) -> Sequence[Repair]:
    """An anchor that fits no place, as one that fits."""
    found = _found(document, instruction, details, earlier)
    if any(
        splits_a_word(document, each) or cuts_off_word(document, instruction, each)
        for each in found
    ):
        return ()  # The word was cut short, perhaps.
    if any(not each.basis and cuts_off_sign(document, instruction, each) for each in found):
        return ()
    found = [_plainly_spaced(document, instruction.anchor, each) for each in found]
    # What history has followed is known not to be done.
    found = [
        each if each.basis else doubted(document, instruction, details, each) for each in found
    ]
    return found[0].readings if len(found) == 1 else found


def _plainly_spaced(document: Document, sent: Anchor, repair: Repair) -> Repair:
    view = document.source.view
    plain = tuple(plainly_spaced(each, sent, view) for each in repair.instructions)
    otherwise = repair.otherwise and plainly_spaced(repair.otherwise, sent, view)
    return replace(repair, instructions=plain, otherwise=otherwise)


def _found(
    document: Document,
    instruction: Instruction,
    details: Mapping[str, Any],
    earlier: Earlier,
) -> Sequence[Repair]:
    """The same, where the edit isn't done."""
    if (
        ALREADY_APPLIED in details
        and place_of_another(document, instruction, details, earlier) is None
    ):
        return [Repair("it is done already, so it is left out", ())]
    if instruction.anchor.target is None or repeated(document, instruction, earlier):
        return ()
    sent = seamless(instruction)
    as_asked = instruction
    instruction, before = _as_it_was_known(document, sent, earlier)
    stood_there = before.followed is not None and before.followed.as_sent
    differs = details["nearest"][0]["differs"] if details.get("nearest") else []
    if differs == [OTHER_INDENTATION] and not stood_there:
        return indented_as_the_file_is(document, as_asked)
    if differs == [CUT_INDENTATION] and not stood_there:
        return whole_lines(document, as_asked)
    was_there, repair = moved(document, instruction, before, is_bare=instruction is not sent)
    if repair is not None:
        return [repair]
    if SEEMS_APPLIED in details:
        return ()
    if instruction.anchor.in_comment and not was_there:
        in_code = replace(instruction, anchor=replace(instruction.anchor, in_comment=False))
        resolved = resolve_anchor(document, in_code, explain=False)
        if isinstance(resolved, Resolved):
            what = f"{line_of(document, resolved.place)}, in code, not in a comment alone"
            return [Repair(what, (in_code,))]
    target = (instruction.anchor.target or "").strip()
    if was_there and (document.source.view.count(target) != 1 or _had_a_twin(before, target)):
        return ()  # It was somewhere else, so its look-alikes weren't meant.
    found = most_like(document, instruction, before, exact=was_there)
    if found is None:
        return ()  # What looks at less of the anchor can tell no more of it.
    one_line = [] if was_there else where_one_line_is_wrong(document, instruction)
    if len(found) == 1 and any(not _is_same_place(document, found[0], each) for each in one_line):
        # Two ways lead to two places, or one leads to several.
        return one_line if len(one_line) > 1 else [*one_line, *found]
    if len(found) != 1 and not was_there and len(one_line) < 2:
        spelled_out = one_line[0] if one_line else with_lost_signs(document, instruction)
        if spelled_out is not None:
            return [spelled_out]
    if found and _is_agreed(document, found, target, details.get("nearest", ())):
        return found
    if (
        not found
        and not was_there
        and "newTextLines" not in details
        and not _stood_twice(earlier, target)
    ):
        only = at_only_place(document, instruction)
        only = only or where_it_is_spaced_otherwise(document, instruction)
        only = only or _where_it_fits_bare(document, instruction)
        if only is not None:
            return [only]
    return ()


def _where_it_fits_bare(document: Document, instruction: Instruction) -> Repair | None:
    """The instruction without what a paste brought along, where that fits one place as it is."""
    view = document.source.view
    for wrappings, bare in as_meant(instruction, view):
        # A line's number may be another line's.
        if not wrappings or PASTED_LINE_NUMBERS in wrappings or stands_as_wanted(view, bare):
            continue
        resolved = resolve_anchor(document, bare, explain=False)
        if isinstance(resolved, Resolved) and not is_in_new_text(view, bare, resolved.place):
            what = (
                f"{line_of(document, resolved.place)}, {', '.join(wrappings)} {_differ(wrappings)}"
            )
            return Repair(what, (bare,))
    return None


def _differ(told: Sequence[str]) -> str:
    return "differ" if len(told) > 1 or "".join(told).endswith("s") else "differs"


def _had_a_twin(before: Before, target: str) -> bool:
    """Whether the text stood twice where it was known: what stands now may be the other one."""
    return before.followed is not None and before.followed.view.count(target) > 1


def _stood_twice(earlier: Earlier, target: str) -> bool:
    """Whether an edit since has changed another place of a text of which one is left."""
    return any(each.view.count(target) > 1 for each in islice(earlier(), MAX_VERSIONS))


def _as_it_was_known(
    document: Document, instruction: Instruction, earlier: Earlier
) -> tuple[Instruction, Before]:
    """The instruction, and what earlier versions tell of its anchor; without what a paste brought
    along, if one of them has just that."""
    before = known_before(document, instruction.anchor, earlier())
    if before.followed is None:
        for wrappings, bare in as_meant(instruction, document.source.view):
            if not wrappings or place_in(document, bare.anchor) is not None:
                continue  # Without that it fits a place now: no edit since is why it doesn't.
            known = followed_as_sent(document, bare.anchor, earlier())
            if known is not None:
                return bare, Before(known)
    return instruction, before


def _is_same_place(document: Document, one: Repair, other: Repair) -> bool:
    """Whether two repairs are at one place, or either is at none."""
    places = [
        resolve_anchor(document, each.instructions[0], explain=False) for each in (one, other)
    ]
    first, second = (each.place if isinstance(each, Resolved) else None for each in places)
    return first is None or second is None or first == second


def _is_agreed(
    document: Document,
    found: Sequence[Repair],
    target: str,
    nearest: Sequence[Mapping[str, Any]],
) -> bool:
    """Whether what was found isn't at odds with what the error calls the nearest."""
    if not nearest:
        return True
    differs = nearest[0]["differs"]
    if differs == [MOST_LIKE] and "\n" not in target:
        line = nearest[0]["line"]
        return _have_line(document, found, [line]) or _is_liker_part(document, found, target, line)
    if "letter case" in differs and not any("context" in each for each in differs):
        # Word by word it stands there as well: nothing tells that it isn't meant.
        return _have_line(document, found, [nearest[0]["line"]])
    if differs not in _ONE_SIDE:
        return True
    lines = [each["line"] for each in nearest if each["differs"] == differs]
    # There may be more than the error lists.
    return len(lines) == MAX_NEAR_MISSES or _have_line(document, found, lines)


def _is_liker_part(document: Document, found: Sequence[Repair], target: str, nearest: int) -> bool:
    """Whether the one place is a part of its line that is far liker to ``target`` than the line
    ``nearest``: the error compares whole lines."""
    resolved = resolve_anchor(document, found[0].instructions[0], explain=False)
    if len(found) != 1 or not isinstance(resolved, Resolved):
        return False
    source = document.source
    line = source.line_at(source.line_starts[nearest - 1]).strip()
    if max(len(line), len(target)) > _LONGEST_COMPARED:
        return False
    likeness = similarity(target, source.view[slice(*resolved.place)].strip())
    return likeness >= _LIKE_PART and likeness - similarity(target, line) >= _FAR_LIKER


def _have_line(document: Document, repairs: Sequence[Repair], lines: Sequence[int]) -> bool:
    """Whether one of the places is at one of ``lines``, which the error calls the nearest.

    That was found in another way; where two ways lead to two places, neither is clearly meant.
    """
    for repair in repairs:
        resolved = resolve_anchor(document, repair.instructions[0])
        if isinstance(resolved, Resolved):
            first, last = map(document.source.line_number, resolved.place)
            if any(first <= line - 1 <= last for line in lines):
                return True
    return False


def moved(
    document: Document, instruction: Instruction, before: Before, *, is_bare: bool = False
) -> tuple[bool, Repair | None]:
    """Whether an earlier version had the anchor's place, and the instruction at its place now.

    ``is_bare``: it was sent with more, which a paste brought along.
    """
    anchor = instruction.anchor
    assert anchor.target is not None
    known = before.followed
    if known is None or known.place is None:
        return known is not None, None
    if not known.as_sent and not known.changed:
        return False, None  # It never stood there; what is like it stands there still.
    place, gaps = known.place, known.gaps
    view = document.source.view
    if adds_what_has_moved(instruction, view[slice(*place)], known.view, view):
        return True, None
    by_text = replace(anchor, symbol_path=None)
    found = anchor_at(document, by_text, place, scopes_of(document, by_text))
    repaired = None
    if found is not None:
        repaired = at_place(document, instruction, anchor.target, found, gaps)
    if repaired is None or stands_over(view, instruction, place):
        return True, None
    exactly = "what you sent" if known.as_sent and not is_bare else "nearly what you sent"
    basis = f"{exactly} stood there before an edit since"
    what = line_of(document, place)
    lost = taken_back(instruction, view[slice(*place)], repaired.instruction.new_text)
    if lost:
        what = f"{what}, takes back what an edit since put there: {lost}"
    found_there = repaired.repair(what, basis, is_known=known.as_sent)
    return True, replace(found_there, takes_back=bool(lost))


def most_like(
    document: Document, instruction: Instruction, before: Before, *, exact: bool = False
) -> list[Repair] | None:
    """The places most like the anchor; with ``exact``, only where the target stands as sent.
    ``None``: of one that is likely it can't be told what the instruction comes to there.

    What is known to have stood elsewhere isn't looked for among its look-alikes, nor what another
    place was more like ``before`` an edit since.
    """
    best: list[Found] = []
    as_near: list[Found] = []
    for wrappings, sent in as_meant(instruction, document.source.view):
        scopes = scopes_of(document, sent.anchor)
        found = likely_places(document.source, sent.anchor, scopes)
        if found and (not best or found[0].distance < best[0][0].distance):
            best = [(each, sent, wrappings) for each in found]
            as_near = []
        elif found and found[0].distance == best[0][0].distance:
            as_near += [(each, sent, wrappings) for each in found]
    best = _code_first(document, instruction.anchor, best)
    likely = meant(document, best, exact=exact)
    view = document.source.view
    numbered = [each for each in likely if is_numbered(document, each, instruction.anchor)]
    if len(numbered) == 1:
        likely = numbered  # Of places that are alike, the one at the line that was sent along.
    as_sent = [each for each in likely if is_unwrapped(view, each)]
    if len(as_sent) == 1:
        likely = as_sent
    if not likely or before.was_liker(view, likely[0][0]):
        return []
    # Target and context stand there but for white space: then it isn't done there. Nor where the
    # new text is a part of that target.
    nearest, sent, _ = likely[0]
    if is_renamed_in_context(document, nearest, sent.anchor, is_only=len(likely) == 1):
        return []
    if is_broken_as_wanted(view, sent, nearest.place):
        return []
    if len(likely) == 1 and (
        has_its_side_elsewhere(view, nearest, sent.anchor)
        or has_its_words_elsewhere(document, nearest, sent.anchor)
    ):
        return []
    is_part = sent.new_text.strip() in view[slice(*nearest.place)]
    is_as_sent = nearest.distance == 0 and (is_part or sum(nearest.beside) > 0)
    is_as_sent = is_as_sent or (is_part and _is_all_there(view, nearest, sent))
    if (not is_as_sent and stands_as_wanted(view, likely[0][1])) or any(
        is_in_new_text(view, sent, each.place)
        or is_within_a_line(view, sent, each.place)
        or is_numbered_otherwise(document, each, instruction.anchor.target or "")
        for each, sent, _ in likely
    ):
        return []
    repairs = [_repair_of(document, each, as_near) for each in likely[:MAX_OFFERS]]
    if len(likely) == 1 and not nearest.distance and not sent.anchor.in_comment:
        repairs += _as_deep(document, sent, nearest.place)
    if None in repairs:
        return None  # Offering the others alone would prefer them.
    more = f", one of {len(likely)} such places" if len(likely) > MAX_OFFERS else ""
    return [replace(each, what=f"{each.what}{more}") for each in repairs if each is not None]


def _is_all_there(view: str, nearest: Likely, sent: Instruction) -> bool:
    """Whether a place has all of a target but for a slip of the pen, and the new text, a part of
    it, stands nowhere else: what is to go is still there."""
    is_slip = nearest.mistakes <= 1 and nearest.weight <= 1
    is_other = nearest.strangers or nearest.unknown or nearest.renamed or nearest.in_context
    is_long = nearest.target_size >= _LEAST_GONE
    return is_slip and not is_other and is_long and view.count(sent.new_text.strip()) == 1


def _as_deep(document: Document, sent: Instruction, place: TextRange) -> list[Repair | None]:
    """The instruction at the line that is as deep as it was sent, where the target stands at
    ``place``, at another depth: a name in that line may have got longer."""
    anchor, source = sent.anchor, document.source
    if anchor.before or anchor.after:
        return []  # Beside which of them it stands was looked at.
    if is_as_deep(source, place, anchor.target or ""):
        return []
    other = renamed_as_deep(document, anchor)
    found = other and anchor_at(document, anchor, other, scopes_of(document, anchor))
    if other is None or not found:
        return []
    repaired = at_place(document, sent, anchor.target or "", found)
    differs = other_words(anchor.target or "", source.view[slice(*other)])
    what = f"{line_of(document, other)}, wording differs{differs}"
    return [repaired.repair(what) if repaired else None]


def _repair_of(document: Document, found: Found, others: Sequence[Found]) -> Repair | None:
    """The repair at a place; if there is none, that of another way to read what was sent there.

    The blank behind a pasted line number is the line's own, or came with the number.
    """
    repair = _repair(document, *found)
    end = found[0].place.end
    readings = (each for each in others if each[0].place.end == end and repair is None)
    again = (_repair(document, *each) for each in readings)
    return repair or next((each for each in again if each is not None), None)


def _is_told_beside(likely: Likely, standing: str, anchor: Anchor) -> bool:
    """Whether all of the context stands beside a place that has a word more, or lacks one."""
    if likely.in_context or not likely.has_whole_side:
        return False
    sent, there = (
        [each.key for each in tokens_of(text)] for text in (anchor.target or "", standing)
    )
    return all(
        each.start == each.end or each.other_start == each.other_end for each in hunks(sent, there)
    )


def _code_first(document: Document, anchor: Anchor, best: list[Found]) -> list[Found]:
    """``best`` without places in comments that are no nearer than one in code.

    As an anchor that fits both is one of code, unless it says otherwise.
    """
    if anchor.in_comment:
        return best
    code = [each for each in best if stands_in(document, each[0].place, comment=False)]
    if not code:
        return best
    nearest = code[0][0].distance
    return [each for each in best if each in code or each[0].distance < nearest]


def _repair(
    document: Document, likely: Likely, instruction: Instruction, wrappings: list[str]
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
    if likely.mistakes >= 1 and leaves_out_a_line(document, anchor.target, place):
        return None
    standing = view[place.start : place.end]
    is_placed = not likely.in_context and min(likely.beside) >= _LEAST_AROUND
    if instruction.operation is Operation.DELETE:
        is_other = takes_another(anchor.target, standing, is_placed=is_placed)
    else:
        is_other = declares_another(anchor.target, standing)
    if not anchor.in_comment and (is_other or turns_operator(anchor.target, standing)):
        return None  # Nothing tells that it was renamed: it may be gone, and this another one.
    if not anchor.in_comment and takes_other_part(
        instruction, standing, repaired.instruction.new_text, is_placed=is_placed
    ):
        return None
    if bare_lines(anchor.target) != bare_lines(standing):
        return None  # A line that says nothing was a part of it.
    has_name = any(map(is_identifier, _WORD.findall(anchor.target)))
    if likely.mistakes >= 1 and not has_name and not _is_told_beside(likely, standing, anchor):
        return None  # Without a name, nothing of it tells that another one is meant.
    told = list(wrappings)
    if likely.mistakes >= 1:
        told.append("wording")
    elif standing != anchor.target:
        told += told_differences(anchor.target, standing)
    if likely.in_context:
        told.append("context")
    differs = f", {', '.join(told)} {_differ(told)}" if told else ""
    if likely.mistakes >= 1:
        differs += other_words(anchor.target, standing)
    return repaired.repair(f"{line_of(document, place)}{differs}")
