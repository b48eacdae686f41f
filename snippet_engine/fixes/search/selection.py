"""Rank the places that are like an anchor: one that is clearly meant, a choice of several, or none.

This module has the only thresholds. A place may be the one if little enough of it is wrong. It is
the one if every other place is behind it by the margin; places within the margin are a choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from snippet_engine.anchors.context import occurrences
from snippet_engine.anchors.symbol_anchor import scopes_of
from snippet_engine.anchors.whole_words import cuts_word
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.indentation import indentation_of
from snippet_engine.fixes.search.candidate import Candidate
from snippet_engine.request import Anchor, Instruction

_MOST_WRONG = 0.4
"""The part of an anchor that may be wrong at a place."""
_MOST_BESIDE = 0.6
"""The same where all of the context on one side of the target is there."""
_LEAST_RIGHT = 3
"""Tokens of the anchor that have to stand at a place that is taken by its weight alone."""
_ONE_TOKEN = 1.0
"""The weight of a misspelled token."""
_ONE_WORD = 2.0
"""The weight of another word in the target."""
_PER_UNKNOWN = 12
"""Tokens that an anchor needs for each of its names that the file doesn't have."""
_SYMBOL = 6
"""Tokens that a named symbol counts."""
_TIMES, _MORE = 3, 1.5
"""A place is behind another one if it weighs so many times as much, and so much more."""
_TIMES_INEXACT, _MORE_INEXACT = 2, 3.0
"""The same where the other one has the very target."""
_MOVED = 8.0
"""How much more a place weighs that is none of two lines that changed places."""
_NO_FARTHER = 1.0
"""A place that may not be the one has to be farther away by more than this distance."""
_FAR = 4.0
"""The distance beyond which another place is out of the question."""
_WHOLE_CONTEXT = 4
"""Tokens of context on each side that tell a place although the target stands elsewhere, too."""
_SHORT = 3
"""Tokens of a target that needs its context to be told."""
_CONTEXT_OF_SHORT = 6
"""Tokens of context that tell such a target."""
_LEAST_SHIFTED = 2
"""Lines whose indentation tells one place from another."""
_MOST_OCCURRENCES = 1_000
"""Occurrences of a target that are looked at for one that is no part of a longer word."""

Found = tuple[Candidate, Instruction, list[str]]
"""A place, the instruction without what a paste brought along, and what that was."""


def select_places(document: Document, best: Sequence[Found], *, exact: bool) -> list[Found]:
    """Return those of the ``best`` places, nearest first, that the anchor may mean.

    One is clearly meant; several are a choice. With ``exact``, a place has to have the very target.
    """
    found = _nearest(document, best, exact=exact) if best else []
    if len(found) != 1:
        return found
    first, sent, _ = found[0]
    more = [
        each
        for each in best
        if _is_indented_rather(each[0], first)
        or _is_renamed_as_deep(document.source.view, each[0], first, sent.anchor)
    ]
    return [*found, *more]


def _nearest(document: Document, best: Sequence[Found], *, exact: bool) -> list[Found]:
    lightest = min(best, key=lambda each: (each[0].weight, each[0].distance))
    others = [each[0] for each in best if each is not lightest]
    has_target = exact or (
        not _has_all_context(best[0][0]) and _stands(document, best[0][1].anchor)
    )
    if not (has_target and lightest[0].mistakes) and _stands_out(lightest[0], others):
        return [lightest]
    likely = [each for each in best if _is_likely(each[0], each[1].anchor)]
    if exact:
        likely = [each for each in likely if not each[0].mistakes]
    if not likely or likely[0] is not best[0]:
        return []
    first = likely[0][0]
    if first.mistakes and has_target:
        return []  # The target stands elsewhere as it was sent.
    if any(_fits_better(each, first) for each, _, _ in best[1:]):
        return []
    if not _has_its_names(first, first.size) and any(
        each.distance < first.distance + _FAR or _has_a_side(each) for each, _, _ in best[1:]
    ):
        return []
    near = [each for each in best[1:] if not _is_behind(each[0], first)]
    if any(
        each not in likely and each[0].distance <= first.distance + _NO_FARTHER for each in near
    ):
        return []  # What is as near isn't likely: then neither is this.
    return [best[0], *(each for each in near if each in likely)]


def _is_likely(place: Candidate, anchor: Anchor) -> bool:
    """Whether a place is so like the anchor that it may be the one."""
    if not place.is_told or not (place.has_names or place.weight <= _ONE_TOKEN):
        return False
    size = place.size + (_SYMBOL if anchor.symbol_path is not None else 0)
    most = _MOST_BESIDE if not place.mistakes and place.has_whole_side else _MOST_WRONG
    if place.mistakes + place.in_context > max(1.0, size * most):
        return False
    return _has_its_names(place, size) or _has_a_side(place)


def _has_its_names(place: Candidate, size: int) -> bool:
    """Whether the names of the anchor stand at a place, or one that stands nowhere else."""
    if place.is_singular:
        return True
    has_other_names = place.strangers or place.renamed
    return not has_other_names and place.unknown * _PER_UNKNOWN <= size


def _has_a_side(place: Candidate) -> bool:
    """Whether a place has the very target, with all of the context on one side of it."""
    return not place.mistakes and place.has_whole_side


def _is_behind(other: Candidate, first: Candidate) -> bool:
    """Whether ``other`` is behind ``first`` by the margin of distances."""
    if first.distance < 1:
        return other.distance - first.distance >= 0.5
    # All that is wrong here is wrong there, too, and more names are others there.
    if first.weight <= _ONE_WORD and first.wrong <= other.wrong and _names(other) > _names(first):
        return True
    return other.distance >= min(2 * first.distance + 1, float(first.size + first.target_size))


def _fits_better(other: Candidate, first: Candidate) -> bool:
    """Whether ``other``, though farther away, has more of the sent lines as they are, or the same
    target with all of the context on a side where ``first`` has none of it."""
    if other.lines > first.lines:
        return True
    if first.mistakes or first.has_whole_side or not _has_a_side(other):
        return False
    sides = zip(first.beside, other.beside, strict=True)
    return any(not here and there >= _WHOLE_CONTEXT for here, there in sides)


def _stands_out(first: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether ``first`` is meant although names differ, since all ``others`` weigh much more."""
    right = first.size - first.mistakes - first.in_context
    if not first.is_told or first.mistakes >= first.target_size or right < _LEAST_RIGHT:
        return False
    if first.weight > max(_ONE_TOKEN, first.size * _MOST_WRONG):
        return False
    has_other_names = bool(first.unknown or first.strangers)
    in_context = first.size - first.target_size - first.in_context
    if has_other_names and first.target_size <= _SHORT and in_context < _CONTEXT_OF_SHORT:
        return False
    if not all(_weighs_more(each, first) for each in others):
        return False
    if not has_other_names or first.lines or first.has_whole_side:
        return True
    # Another name on the only line may be another statement.
    nearest = min((each.weight for each in others), default=first.size)
    return first.weight <= _ONE_TOKEN and nearest >= first.weight + _FAR


def _weighs_more(other: Candidate, first: Candidate) -> bool:
    """Whether so much more is wrong of ``other`` that it is out of the question."""
    if _has_other_side(other, first) and other.weight < first.weight + _MOVED:
        return False
    if other.weight >= max(_TIMES * first.weight, first.weight + _MORE):
        return True
    least = max(_TIMES_INEXACT * first.weight, first.weight + _MORE_INEXACT)
    if not first.mistakes and other.mistakes and other.weight >= least:
        return True
    # A misspelled token here, and another name, or a worse misspelling, there.
    is_misspelled = first.weight <= _ONE_TOKEN and not _names(first)
    is_worse = _names(other) > 0 or (bool(first.wrong) and first.wrong <= other.wrong)
    return is_misspelled and is_worse and other.weight >= max(_TIMES_INEXACT * first.weight, 1.0)


def _has_other_side(other: Candidate, first: Candidate) -> bool:
    """Whether both have the very target, and ``other`` has all of the context on a side where
    ``first`` has less."""
    if first.mistakes or not _has_a_side(other):
        return False
    return any(one > known for one, known in zip(other.beside, first.beside, strict=True))


def _names(place: Candidate) -> int:
    """How many of the anchor's names are others at a place, or longer."""
    return place.strangers + place.unknown + place.renamed


def _is_indented_rather(other: Candidate, first: Candidate) -> bool:
    """Whether ``other`` has the target, too, and all of its lines are indented as they were sent,
    while none is at ``first``, which has more of the context."""
    if other.mistakes or first.mistakes or other is first:
        return False
    if not first.distance <= other.distance <= first.distance + _FAR:
        return False
    is_shifted = first.shifted >= _LEAST_SHIFTED and not first.as_indented
    return is_shifted and other.as_indented >= _LEAST_SHIFTED and not other.shifted


def _is_renamed_as_deep(view: str, other: Candidate, first: Candidate, anchor: Anchor) -> bool:
    """Return whether ``other`` is as deep as the target was sent, but for names that got longer.

    ``first`` has the target at another depth. No context tells which of them is meant.
    """
    if anchor.before or anchor.after or first.mistakes:
        return False
    if not other.mistakes or other.mistakes != other.renamed:
        return False
    depth = indentation_of(anchor.target or "")
    here, there = (indentation_of(view[slice(*each.place)]) for each in (first, other))
    return here != depth == there != ""


def _has_all_context(place: Candidate) -> bool:
    """Whether all of the context is right beside a place, on both sides, and tells something."""
    return not place.in_context and min(place.beside) >= _WHOLE_CONTEXT


def _stands(document: Document, anchor: Anchor) -> bool:
    """Whether the target stands anywhere in the scopes, as no part of a longer word."""
    target = (anchor.target or "").strip()
    view = document.source.view
    places = islice(occurrences(view, target, scopes_of(document, anchor)), _MOST_OCCURRENCES)
    return not all(cuts_word(view, each) for each in places)
