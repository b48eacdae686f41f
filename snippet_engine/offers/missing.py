"""What an anchor meant that fits no place: ``anchor_not_found`` of docs/design/engine.md §8.

In this order: the edit is done already; the text stood there before an edit that history knows; one
place is so like what was sent, and all others so unlike, that it is clearly the one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from snippet_engine.anchors.candidates import anchor_at
from snippet_engine.anchors.near_miss import ALREADY_APPLIED, MAX_NEAR_MISSES, MOST_LIKE
from snippet_engine.anchors.symbol_anchor import Resolved, resolve_anchor, scopes_of
from snippet_engine.anchors.tolerant import differences, unwrapped, unwrapped_like, with_quotes_like
from snippet_engine.csharp.document import Document
from snippet_engine.errors import MAX_OFFERS
from snippet_engine.offers.alignment import Likely
from snippet_engine.offers.blanks import seamless
from snippet_engine.offers.contradicted import place_of_another
from snippet_engine.offers.done import is_in_new_text, is_within_a_line, stands_as_wanted
from snippet_engine.offers.followed import Earlier, followed
from snippet_engine.offers.likeness import likely_places
from snippet_engine.offers.lost_signs import with_lost_signs
from snippet_engine.offers.only_place import at_only_place
from snippet_engine.offers.repair import Repair, at_place, line_of
from snippet_engine.offers.rivals import is_rival
from snippet_engine.offers.standing_out import stands_out
from snippet_engine.offers.taken_back import taken_back
from snippet_engine.offers.tokens import composed
from snippet_engine.request import Anchor, Instruction, Operation

_MOST_WRONG = 0.4
"""Part of an anchor that may be wrong of a place that is offered."""
_MOST_BESIDE = 0.6
"""The same where the target has all of the context on one side of it."""
_PER_UNKNOWN = 12
"""Tokens that an anchor has for each name in it that stands nowhere, if it is to be trusted."""
_NO_FARTHER = 1.0
"""By how much less one of two places has to be wrong, in tokens, to be the nearer one."""
_FAR = 4.0
"""By how much more, in tokens, another place has to be wrong to be far away."""
_ONE_WORD = 2.0
"""What it counts, in tokens, that a word of the target is wrong."""
_LINE = 3.0
"""What it counts, in tokens, that a target has the line breaks that were sent."""
_LEAST_KNOWN = 6
"""Tokens by which a place is known again where a name in it is another one."""
_LEAST_BESIDE = 4
"""Tokens of context on each side by which a place is known though the target is elsewhere."""
_ONE_SIDE = (["the before context"], ["the after context"])
"""What differs where the target stands as sent, and so does one side of its context."""
_NO_BREAK = "\u00a0"
_NUMBERED = re.compile(r"\s*(\d{1,7})[\t:|→ ]")
_SYMBOL = 6
"""What it counts, in tokens, that the symbol is named."""


_Found = tuple[Likely, Instruction, list[str]]
"""A place, the instruction without what a paste brought along, and what that was."""


def for_missing(
    document: Document,
    instruction: Instruction,
    details: Mapping[str, Any],
    earlier: Earlier,
) -> Sequence[Repair]:
    """An anchor that fits no place, as one that fits."""
    if (
        ALREADY_APPLIED in details
        and place_of_another(document, instruction, details, earlier) is None
    ):
        return [Repair("its newText stands there already, so it is left out", ())]
    if instruction.anchor.target is None:
        return ()
    instruction = seamless(instruction)
    was_there, repair = moved(document, instruction, earlier)
    if repair is not None:
        return [repair]
    if instruction.anchor.in_comment and not was_there:
        in_code = replace(instruction, anchor=replace(instruction.anchor, in_comment=False))
        resolved = resolve_anchor(document, in_code, explain=False)
        if isinstance(resolved, Resolved):
            what = f"{line_of(document, resolved.place)}, in code, not in a comment alone"
            return [Repair(what, (in_code,))]
    target = (instruction.anchor.target or "").strip()
    if was_there and document.source.view.count(target) != 1:
        return ()  # It was somewhere else, so its look-alikes weren't meant.
    found = most_like(document, instruction, exact=was_there)
    if found and _is_agreed(document, found, target, details.get("nearest", ())):
        return found
    if not found and not was_there and "newTextLines" not in details:
        only = at_only_place(document, instruction)
        if only is not None:
            return [only]
    spelled_out = with_lost_signs(document, instruction)
    return [spelled_out] if spelled_out is not None else ()


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
        return _have_line(document, found, [nearest[0]["line"]])
    if differs not in _ONE_SIDE:
        return True
    lines = [each["line"] for each in nearest if each["differs"] == differs]
    # There may be more than the error lists.
    return len(lines) == MAX_NEAR_MISSES or _have_line(document, found, lines)


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
    document: Document, instruction: Instruction, earlier: Earlier
) -> tuple[bool, Repair | None]:
    """Whether an earlier version had the anchor's place, and the instruction at its place now."""
    anchor = instruction.anchor
    assert anchor.target is not None
    known = followed(document, anchor, earlier())
    if known is None or known.place is None:
        return known is not None, None
    if not known.as_sent and not known.changed:
        return False, None  # It never stood there; what is like it stands there still.
    place, gaps = known.place, known.gaps
    by_text = replace(anchor, symbol_path=None)
    found = anchor_at(document, by_text, place, scopes_of(document, by_text))
    repaired = None
    if found is not None:
        repaired = at_place(document, instruction, anchor.target, found, gaps)
    if repaired is None:
        return True, None
    exactly = "what you sent" if known.as_sent else "nearly what you sent"
    basis = f"{exactly} stood there before an edit since"
    what = line_of(document, place)
    lost = taken_back(instruction, document.source.view[slice(*place)])
    if lost:
        what = f"{what}, takes back what an edit since put there: {lost}"
    return True, Repair(what, (repaired,), basis)


def most_like(document: Document, instruction: Instruction, *, exact: bool = False) -> list[Repair]:
    """The places most like the anchor; with ``exact``, only where the target stands as sent.

    What is known to have stood elsewhere isn't looked for among its look-alikes.
    """
    best: list[_Found] = []
    for wrappings, sent in _variants(instruction, document.source.view):
        scopes = scopes_of(document, sent.anchor)
        found = likely_places(document.source, sent.anchor, scopes)
        if found and (not best or found[0].distance < best[0][0].distance):
            best = [(each, sent, wrappings) for each in found]
    likely = _meant(document, best, exact=exact)
    if not likely:
        return []
    view = document.source.view
    if stands_as_wanted(view, likely[0][1]) or any(
        is_in_new_text(view, sent, each.place)
        or is_within_a_line(view, sent, each.place)
        or _is_numbered_otherwise(document, each, instruction.anchor.target or "")
        for each, sent, _ in likely
    ):
        return []
    repairs = [_repair(document, *each) for each in likely[:MAX_OFFERS]]
    if None in repairs:
        return []  # Offering the others alone would prefer them.
    more = f", one of {len(likely)} such places" if len(likely) > MAX_OFFERS else ""
    return [replace(each, what=f"{each.what}{more}") for each in repairs if each is not None]


def _meant(document: Document, best: Sequence[_Found], *, exact: bool) -> list[_Found]:
    """Those of the ``best`` places that are meant: one, or several that are as near."""
    if not best:
        return []
    lightest = min(best, key=lambda each: (each[0].weight, each[0].distance))
    others = [each[0] for each in best if each is not lightest]
    is_doubted = exact or _stands(document, best[0][1].anchor)
    if is_doubted and not exact and _has_all_context(best[0][0]):
        is_doubted = False
    if stands_out(lightest[0], others) and not (is_doubted and lightest[0].mistakes):
        return [lightest]
    likely = [each for each in best if _is_likely(each[0], each[1].anchor)]
    if exact:
        likely = [each for each in likely if not each[0].mistakes]
    if not likely or likely[0][0] is not best[0][0]:
        return []
    first, sent, _ = likely[0]
    if first.mistakes and is_doubted:
        return []  # The target stands there as sent; that this place is liker means nothing.
    others = [each for each, _, _ in best[1:]]
    if any(_fits_better(each, first) or _may_be_the_line(each, first) for each in others):
        return []
    if not _is_trusted(first, sent.anchor) and not _is_alone(first, others):
        return []
    renamed = [each for each in best[1:] if _is_renamed(each[0])]
    if renamed and first.distance < 1 and not _is_as_sent(document, first, sent):
        return [best[0], *renamed]  # White space differs here, and a name has got longer there.
    if all(_is_clear(first, each) for each in others):
        return likely[:1]
    # As near as makes no difference; what is farther away isn't meant.
    near = (each for each in best if each[0].distance < first.distance + _NO_FARTHER)
    if any(each not in likely and _may_be_meant(each[0], exact=exact) for each in near):
        return []  # What is as near isn't likely: then neither is this.
    return [each for each in likely if not _is_clear(first, each[0])]


def _has_all_context(place: Likely) -> bool:
    """Whether all of the context is right beside a place, on both sides, and tells something."""
    return not place.in_context and min(place.beside) >= _LEAST_BESIDE


def _is_renamed(place: Likely) -> bool:
    """Whether a name that has got longer is all that is wrong of a place."""
    is_all = not place.strangers and not place.unknown and place.mistakes + place.in_context <= 1
    return place.renamed == 1 and is_all


def _is_as_sent(document: Document, place: Likely, instruction: Instruction) -> bool:
    """Whether the target stands at a place as it was sent, from a line's beginning if it was so."""
    view, target = document.source.view, instruction.anchor.target or ""
    start, end = place.place
    from_margin = not target[:1].isspace() or view[start:end][:1].isspace()
    return from_margin and view[start:end].strip() == target.strip()


def _may_be_meant(place: Likely, *, exact: bool) -> bool:
    """Whether a place that isn't likely may be the one: it has the target, or that isn't told."""
    has_others = place.strangers or place.unknown or place.renamed
    return not place.mistakes or not (place.is_told or exact or has_others)


def _is_numbered_otherwise(document: Document, likely: Likely, target: str) -> bool:
    """Whether a line number that was pasted along is another line's, which has that text."""
    number = _NUMBERED.match(target)
    if number is None:
        return False
    source = document.source
    line = int(number.group(1)) - 1
    if line == source.line_number(likely.place.start) or line >= len(source.line_starts):
        return False
    standing = source.view[source.line_starts[line] :].partition("\n")[0].strip()
    return bool(standing) and standing in target


def _stands(document: Document, anchor: Anchor) -> bool:
    """Whether the target stands anywhere that it is looked for, whatever is around it."""
    target = (anchor.target or "").strip()
    view = document.source.view
    return any(
        view.find(target, scope.start, scope.end) >= 0 for scope in scopes_of(document, anchor)
    )


def _is_likely(place: Likely, anchor: Anchor) -> bool:
    """Whether a place is so like the anchor that it may well be the one."""
    if not place.is_told:
        return False
    wrong = place.mistakes + place.in_context
    most = _MOST_BESIDE if not place.mistakes and place.has_whole_side else _MOST_WRONG
    if wrong > max(1.0, _size(place, anchor) * most) or place.mistakes >= place.target_size:
        return False
    return _is_trusted(place, anchor) or _is_known_again(place)


def _is_trusted(place: Likely, anchor: Anchor) -> bool:
    """Whether the words of a place say that it is the one, whatever other places have."""
    if place.is_singular:
        return True
    has_others = place.strangers or place.renamed
    return not has_others and place.unknown * _PER_UNKNOWN <= _size(place, anchor)


def _is_known_again(place: Likely) -> bool:
    """Whether a place may be the one though words of it are others, if nothing like it is near.

    One name may have got a word more since. Or the target has all of the context on one side of
    it, and something else on the other.
    """
    if place.renamed == 1 and not place.strangers and not place.unknown:
        return place.lines > 0 or place.size - place.mistakes - place.in_context >= _LEAST_KNOWN
    return not place.mistakes and place.has_whole_side


def _is_alone(first: Likely, others: Sequence[Likely]) -> bool:
    """Whether nothing is near a place that was known again."""
    if first.mistakes or not first.has_whole_side:
        return all(_is_far(first, each) for each in others)
    return all(
        each.distance >= first.distance + _FAR and (each.mistakes or not each.has_whole_side)
        for each in others
    )


def _size(place: Likely, anchor: Anchor) -> int:
    return place.size + (_SYMBOL if anchor.symbol_path is not None else 0)


def _is_clear(first: Likely, other: Likely) -> bool:
    """Whether the ``first`` place is meant rather than the ``other`` one."""
    if first.distance < 1:
        return other.distance - first.distance >= 0.5
    # All that is wrong here is wrong there too, and so is a name that stands here. Where more is
    # wrong than a word, that was changed perhaps, and something else there.
    if (
        first.weight <= _ONE_WORD
        and first.wrong < other.wrong
        and other.strangers > first.strangers
    ):
        return True
    if first.weight > _ONE_WORD and other.lines_wrong <= first.lines_wrong:
        return _is_far(first, other)  # Of the one line, this has been changed here or that there.
    farthest = float(first.size + first.target_size)
    return other.distance >= min(2 * first.distance + 1, farthest)


def _is_far(first: Likely, other: Likely) -> bool:
    """Whether the ``other`` place has so much less of the anchor that it isn't worth a thought."""
    return other.distance >= max(3 * first.distance, first.distance + _FAR)


def _fits_better(other: Likely, first: Likely) -> bool:
    """Whether the ``other`` place, though farther away, has whole lines that ``first`` has not, or
    the same target with more of its context right beside it.

    Lines that changed places, or one that came between, look like much that is wrong.
    """
    if other.lines != first.lines:
        return other.lines > first.lines
    is_double = not other.mistakes and not first.mistakes
    return is_double and other.beside != first.beside and is_rival(first.beside, other.beside)


def _may_be_the_line(other: Likely, first: Likely) -> bool:
    """Whether the ``other`` place has the target on its own lines, and ``first`` on others.

    A name that it hasn't may have been changed since.
    """
    return bool(first.breaks) and not other.breaks and other.distance < first.distance + _LINE


def _variants(instruction: Instruction, view: str) -> Iterator[tuple[list[str], Instruction]]:
    """The instruction as sent, then without what a paste brought along."""
    anchor = instruction.anchor
    as_sent = (anchor.target or "", anchor.before, anchor.after)
    texts = (composed(as_sent[0]), composed(as_sent[1]), composed(as_sent[2]))
    for wrappings, (target, before, after) in unwrapped(*texts):
        new_text = unwrapped_like(instruction.new_text, texts, wrappings)
        if new_text is not None:
            new_text = new_text if texts == as_sent else composed(new_text)
            # Quotes of a replaced target are put right as it is, where it has them.
            is_plain = with_quotes_like(as_sent[0], as_sent[0], view) == as_sent[0]
            if instruction.operation is not Operation.REPLACE or is_plain:
                new_text = with_quotes_like("".join(as_sent), new_text, view)
            if _NO_BREAK in "".join(as_sent) and _NO_BREAK not in view:
                new_text = new_text.replace(_NO_BREAK, " ")
            bare = replace(anchor, target=target, before=before, after=after)
            yield wrappings, replace(instruction, anchor=bare, new_text=new_text)


def _repair(
    document: Document, likely: Likely, instruction: Instruction, wrappings: list[str]
) -> Repair | None:
    view = document.source.view
    anchor = instruction.anchor
    assert anchor.target is not None
    place = likely.place
    found = anchor_at(document, anchor, place, scopes_of(document, anchor))
    if found is None:
        return None
    repaired = at_place(document, instruction, anchor.target, found, likely.gaps)
    if repaired is None:
        return None
    standing = view[place.start : place.end]
    told = list(wrappings)
    if likely.mistakes >= 1:
        told.append("wording")
    elif standing != anchor.target:
        told += differences(anchor.target, standing) or ["line breaks"]
    if likely.in_context:
        told.append("context")
    verb = "differs" if len(told) == 1 else "differ"
    differs = f", {', '.join(told)} {verb}" if told else ""
    return Repair(f"{line_of(document, place)}{differs}", (repaired,))
