"""Which of the places that are like an anchor are meant: one, several that are as near, or none.

Part of docs/design/engine.md §8.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from snippet_engine import budget
from snippet_engine.anchors.context import occurrences
from snippet_engine.anchors.symbol_anchor import scopes_of
from snippet_engine.anchors.whole_words import cuts_word
from snippet_engine.csharp.document import Document
from snippet_engine.offers.places.likely import Likely
from snippet_engine.offers.places.rivals import is_rival
from snippet_engine.offers.places.slips import is_identifier, is_slip
from snippet_engine.offers.places.standing_out import has_of_target, stands_out
from snippet_engine.offers.places.words import Words
from snippet_engine.request import Anchor, Instruction

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
_CLOSE = 1.0
"""The same of one that is a slip of the pen."""
_TWO_WORDS = 4.0
"""The same of two."""
_LINE = 3.0
"""What it counts, in tokens, that a target has the line breaks that were sent."""
_LEAST_KNOWN = 6
"""Tokens by which a place is known again where a name in it is another one."""
_LEAST_BESIDE = 4
"""Tokens of context on each side by which a place is known though the target is elsewhere."""
_AROUND = 4
"""Lines on each side of a place that are looked at for a word that was misspelled."""
_ALIKE = 0.8
"""From which ratio on, of ``difflib``, it was."""
_WORD = re.compile(r"\w+")
_MOST_STANDING = 1_000
"""Places of a target that are looked at for one where it is no part of a longer word."""
_LEAST_SHIFTED = 2
"""Lines of which the indentation tells one place from another."""
_MUCH = 20
"""Tokens of a target in which one mistake is as likely as another one."""
_LEAST_MORE = 2
"""Tokens in the midst of a target that nobody forgets by a slip of the pen."""
_SYMBOL = 6
"""What it counts, in tokens, that the symbol is named."""


Found = tuple[Likely, Instruction, list[str]]
"""A place, the instruction without what a paste brought along, and what that was."""


def meant(document: Document, best: Sequence[Found], *, exact: bool) -> list[Found]:
    """Those of the ``best`` places that are meant: one, or several that are as near."""
    found = _nearest(document, best, exact=exact) if best else []
    if len(found) != 1:
        return found
    rather = [each for each in best if _is_indented_rather(each[0], found[0][0])]
    return [*found, *rather]


def _is_indented_rather(other: Likely, first: Likely) -> bool:
    """Whether the ``other`` place has the target, too, and all lines there are indented as they
    were sent, while none is at the ``first`` one, which lacks less of the context."""
    if other.mistakes or first.mistakes or other is first:
        return False
    if not first.distance <= other.distance <= first.distance + _FAR:
        return False
    return (
        first.shifted >= _LEAST_SHIFTED
        and not first.as_indented
        and (other.as_indented >= _LEAST_SHIFTED and not other.shifted)
    )


def _nearest(document: Document, best: Sequence[Found], *, exact: bool) -> list[Found]:
    """The same, however their lines are indented."""
    lightest = min(best, key=lambda each: (each[0].weight, each[0].distance))
    if any(_is_misspelled_beside(document, each) for each in (best[0], lightest)):
        return []
    others = [each[0] for each in best if each is not lightest]
    longer = [each for each in best if each is not lightest and _is_longer(each[0], lightest[0])]
    if longer:
        return [lightest, *longer]
    if any(_has_its_name(each, lightest[0]) for each in others):
        return []
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
        # The target stands there as sent; that this place is liker means nothing by itself.
        return [] if exact else _renamed_or_moved(best)
    others = [each for each, _, _ in best[1:]]
    if any(_fits_better(each, first) or _may_be_the_line(each, first) for each in others):
        return []
    if not _is_trusted(first, sent.anchor) and not _is_alone(first, others):
        return []
    renamed = [each for each in best[1:] if _is_renamed(each[0])]
    if renamed and first.distance < 1 and not _is_as_sent(document, first, sent):
        return [best[0], *renamed]  # White space differs here, and a name has got longer there.
    as_near = [each for each in best[1:] if _is_as_near_otherwise(each[0], first)]
    if as_near:
        return [best[0], *as_near] if all(each[0].is_told for each in as_near) else []
    if all(_is_clear(first, each) for each in others):
        return likely[:1]
    # As near as makes no difference; what is farther away isn't meant.
    near = (each for each in best if each[0].distance < first.distance + _NO_FARTHER)
    if any(each not in likely and _may_be_meant(each[0], exact=exact) for each in near):
        return []  # What is as near isn't likely: then neither is this.
    return [each for each in likely if not _is_clear(first, each[0])]


def _renamed_or_moved(best: Sequence[Found]) -> list[Found]:
    """The nearest place, if it has all of the context and a name that has got longer, and the only
    one of the target, in another context: either may be meant, if no other place is near."""
    nearest, *others = best
    standing = [each for each in others if not each[0].mistakes]
    if nearest[0].in_context or not _is_renamed(nearest[0]) or len(standing) != 1:
        return []
    is_alone = all(_is_clear(nearest[0], each[0]) for each in others if each is not standing[0])
    return [nearest, *standing] if is_alone else []


def _is_misspelled_beside(document: Document, found: Found) -> bool:
    """Whether a word of the target that stands nowhere has another one in its stead at a place, and
    is a slip of the pen for one on the lines around it: then these may be meant."""
    likely, instruction, _ = found
    if not likely.unknown:
        return False
    words = Words(document.source)
    unknown = {
        word
        for word in _WORD.findall(instruction.anchor.target or "")
        if is_identifier(word) and not words.stands(word)
    }
    view, starts = document.source.view, document.source.line_starts
    first, last = map(document.source.line_number, likely.place)
    top = starts[max(0, first - _AROUND)]
    bottom = starts[last + _AROUND] if last + _AROUND < len(starts) else len(view)
    there = set(_WORD.findall(view[slice(*likely.place)]))
    beside = set(_WORD.findall(view[top:bottom])) - there
    budget.spend(len(unknown) * (len(beside) + len(there)))
    return any(
        any(is_slip(word, each, _ALIKE) for each in beside)
        and not any(is_slip(word, each, _ALIKE) for each in there)
        for word in unknown
    )


def _has_all_context(place: Likely) -> bool:
    """Whether all of the context is right beside a place, on both sides, and tells something."""
    return not place.in_context and min(place.beside) >= _LEAST_BESIDE


def _is_renamed(place: Likely) -> bool:
    """Whether a name that has got longer is all that is wrong of a place."""
    is_all = not place.strangers and not place.unknown and place.mistakes + place.in_context <= 1
    return place.renamed == 1 and is_all


def _is_as_sent(document: Document, place: Likely, instruction: Instruction) -> bool:
    """Whether the target stands at a place as it was sent, with the white space at its ends."""
    view, target = document.source.view, instruction.anchor.target or ""
    start, end = place.place
    return view[start:end] == target


def _may_be_meant(place: Likely, *, exact: bool) -> bool:
    """Whether a place that isn't likely may be the one: it has the target, or that isn't told."""
    has_others = place.strangers or place.unknown or place.renamed
    return not place.mistakes or not (place.is_told or exact or has_others)


def _stands(document: Document, anchor: Anchor) -> bool:
    """Whether the target stands anywhere that it is looked for, whatever is around it."""
    target = (anchor.target or "").strip()
    view = document.source.view
    places = islice(occurrences(view, target, scopes_of(document, anchor)), _MOST_STANDING)
    # Where a word goes on, it is the beginning of another one that stands there.
    return not all(cuts_word(view, each) for each in places)


def _is_likely(place: Likely, anchor: Anchor) -> bool:
    """Whether a place is so like the anchor that it may well be the one."""
    if not place.is_told or (not place.has_names and place.weight > _CLOSE):
        return False
    wrong = place.mistakes + place.in_context
    most = _MOST_BESIDE if not place.mistakes and place.has_whole_side else _MOST_WRONG
    if wrong > max(1.0, _size(place, anchor) * most) or not has_of_target(place):
        return False
    return _is_trusted(place, anchor) or _is_known_again(place, anchor)


def _is_trusted(place: Likely, anchor: Anchor) -> bool:
    """Whether the words of a place say that it is the one, whatever other places have."""
    if place.is_singular:
        return True
    has_others = place.strangers or place.renamed
    return not has_others and place.unknown * _PER_UNKNOWN <= _size(place, anchor)


def _is_known_again(place: Likely, anchor: Anchor) -> bool:
    """Whether a place may be the one though words of it are others, if nothing like it is near.

    One name may have got a word more since. Or the target has all of the context on one side of
    it, and something else on the other.
    """
    if place.renamed == 1 and not place.strangers and not place.unknown:
        right = _size(place, anchor) - place.mistakes - place.in_context
        return place.lines > 0 or right >= _LEAST_KNOWN
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
    if other.breaks and not first.breaks and other.wrong == first.wrong:
        return True  # The same is wrong of both, and that one isn't on lines as they were sent.
    if first.distance < 1:
        return other.distance - first.distance >= 0.5
    # All that is wrong here is wrong there too, and so is a name that stands here. Where more is
    # wrong than a word, that was changed perhaps, and something else there.
    if first.wrong < other.wrong and (
        (first.weight <= _ONE_WORD and _is_named_here(first, other))
        or (first.weight <= _TWO_WORDS and _tells_more(first, other))
    ):
        return True
    if first.weight > _ONE_WORD and other.lines_wrong <= first.lines_wrong:
        return _is_far(first, other)  # Of the one line, this has been changed here or that there.
    farthest = float(first.size + first.target_size)
    return other.distance >= min(2 * first.distance + 1, farthest)


def _is_as_near_otherwise(other: Likely, first: Likely) -> bool:
    """Whether of the ``other`` place no more is wrong, and nothing of what is wrong of the target
    at the ``first`` one, and no word tells them apart: the anchor is either, with one mistake or
    with another one."""
    if not first.mistakes or first.is_singular:
        return False
    if min(first.wrong) % 2 == 0 and first.target_size < _MUCH:
        return False  # A token was forgotten here, and another name stands there.
    is_near = other.distance <= first.distance and other.weight <= first.weight
    return is_near and other.wrong.isdisjoint(first.wrong)


def _has_its_name(other: Likely, first: Likely) -> bool:
    """Whether the ``other`` place has the target, too, and beside it a name of the context, in the
    stead of which the ``first`` one has another: less of the rest was kept there, perhaps."""
    is_double = not other.mistakes and not first.mistakes
    if not is_double or not first.strangers or other.strangers:
        return False
    return any(each % 2 for each in first.wrong - other.wrong)


def _is_longer(other: Likely, first: Likely) -> bool:
    """Whether the ``other`` place has all of the target and more in it, where the ``first`` one has
    another word, or more in it as well."""
    if other.in_context > first.in_context:
        return False
    if _has_more_in_it(other):
        return _has_more_in_it(first) or _is_other_word(first)
    # What stands there instead begins at the same token, and is as long.
    is_as_long = _has_more_in_it(first) and other.distance <= first.distance
    return is_as_long and min(other.wrong) // 2 == min(first.wrong) // 2


def _has_more_in_it(place: Likely) -> bool:
    """Whether all of the target stands at a place, with some tokens more at one point: how many
    tells nothing."""
    return place.mistakes >= _LEAST_MORE and len(place.wrong) == 1 and not max(place.wrong) % 2


def _is_other_word(place: Likely) -> bool:
    """Whether all that is wrong of a place is one word that isn't a slip of the pen for another."""
    is_one = place.mistakes == len(place.wrong) == 1 and place.weight >= _ONE_WORD
    return is_one and max(place.wrong) % 2 == 1


def _is_named_here(first: Likely, other: Likely) -> bool:
    """Whether the ``other`` place has more names that are others, and no word of the anchor that
    stands nowhere is merely misspelled there."""
    return _names(other) > _names(first) and first.unknown <= other.unknown


def _tells_more(first: Likely, other: Likely) -> bool:
    """Whether the context, all of it beside the ``first`` place and not the ``other`` one, tells
    them apart, or another name there; no name of the ``first`` one is another's."""
    if first.in_context or first.unknown or _names(first):
        return False
    has_context = sum(first.beside) >= _LEAST_BESIDE and other.in_context > 0
    # What is wrong of the target there counts no less.
    is_no_liker = other.weight - other.in_context >= first.weight
    return (has_context and is_no_liker) or _names(other) > 0


def _names(place: Likely) -> int:
    """How many names of the anchor are others at a place, or have got longer."""
    return place.strangers + place.renamed


def _is_far(first: Likely, other: Likely) -> bool:
    """Whether the ``other`` place has so much less of the anchor that it isn't worth a thought."""
    return other.distance >= max(3 * first.distance, first.distance + _FAR)


def _fits_better(other: Likely, first: Likely) -> bool:
    """Whether the ``other`` place, though farther away, has whole lines that ``first`` has not, or
    the same target with more of its context right beside it.

    Lines that changed places, or one that came between, look like much that is wrong.
    """
    is_double = not other.mistakes and not first.mistakes
    if is_double and _has_the_other_side(other, first):
        return True
    if other.lines != first.lines:
        return other.lines > first.lines
    return is_double and other.beside != first.beside and is_rival(first.beside, other.beside)


def _has_the_other_side(other: Likely, first: Likely) -> bool:
    """Whether the ``other`` place has all of the context on a side where the ``first`` one has
    none of it, and of the other side no more than a part."""
    return (
        other.has_whole_side
        and not first.has_whole_side
        and any(
            not here and there >= _LEAST_BESIDE
            for here, there in zip(first.beside, other.beside, strict=True)
        )
    )


def _may_be_the_line(other: Likely, first: Likely) -> bool:
    """Whether the ``other`` place has the target on its own lines, and ``first`` on others.

    A name that it hasn't may have been changed since.
    """
    return bool(first.breaks) and not other.breaks and other.distance < first.distance + _LINE
