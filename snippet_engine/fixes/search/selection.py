"""Rank the places that are similar to an anchor: return one, a choice, or none.

This module has the thresholds of the ranking. A place is possible if little enough of it is wrong.
It is the only one if all others are farther away by the margin. Places within the margin are a
choice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from snippet_engine.csharp.document import Document
from snippet_engine.fixes.search.candidate import Candidate
from snippet_engine.fixes.search.readings import Found
from snippet_engine.fixes.search.token_cost import is_identifier
from snippet_engine.request import Anchor

_WORD = re.compile(r"\w+")
_MOST_WRONG = 0.4
"""Largest part of an anchor that may be wrong at a place."""
_MOST_BESIDE = 0.6
"""The same if the target and all context on one side match."""
_PER_UNKNOWN = 12
"""How many tokens an anchor needs for each of its names that the file doesn't have."""
_SYMBOL = 6
"""How many tokens a symbol path counts for."""
_TIMES = 2
"""A place with another word is behind a place with a misspelling if it is this many times as far.
"""
_MORE, _PART_MORE = 1.5, 0.5
"""The margin: this distance, or this part of the nearest place's distance, if that is larger."""
_ONE_MORE = 1.0
"""The margin for a place that has all mistakes of the nearest place and more."""
_NO_FARTHER = 1.0
"""An unlikely rival prevents an offer unless it is farther away by more than this distance."""
_ONE_OR_TWO = 2.0
"""The distance of one or two mistakes in the context."""


def select_places(document: Document, best: Sequence[Found], *, exact: bool) -> list[Found]:
    """Return those of the ``best`` places, nearest first, that the anchor may mean.

    One place is certain; several are a choice. With ``exact``, a place must have the exact target.
    """
    if not best:
        return []
    first, sent, _ = best[0]
    anchor = sent.anchor
    if exact and first.mistakes and document.source.view[slice(*first.place)] != anchor.target:
        return []
    near = [
        each
        for each in best[1:]
        if not _is_behind(each[0], first) and not (exact and each[0].mistakes)
    ]
    if (
        not _is_likely(first, anchor)
        or _is_half_beside(first, anchor)
        or any(_is_unlikely_rival(each, first, anchor) for each, *_ in near)
    ):
        return []
    return [best[0], *(each for each in near if _is_likely(each[0], anchor))]


def _is_half_beside(first: Candidate, anchor: Anchor) -> bool:
    """Whether a nameless target, such as a brace, has only one side of its context next to it.

    Or whether it is not as deep as sent, while its context is.
    """
    has_name = any(is_identifier(each) for each in _WORD.findall(anchor.target or ""))
    if has_name:
        return False
    # If some lines are as deep as sent and others aren't, a brace was forgotten between them.
    depths = ((one.rpartition("\n")[2], other.rpartition("\n")[2]) for one, other in first.gaps)
    if len({one == other for one, other in depths}) > 1:
        return True
    return first.distance > _ONE_OR_TWO and any(
        sent and not near for sent, near in zip(first.sides, first.beside, strict=True)
    )


def _is_unlikely_rival(near: Candidate, first: Candidate, anchor: Anchor) -> bool:
    """Whether ``near`` is about as near as ``first``, but too unlike the anchor to be offered."""
    is_close = near.has_edges or near.distance <= first.distance + _NO_FARTHER
    return is_close and not _is_likely(near, anchor)


def _is_likely(place: Candidate, anchor: Anchor) -> bool:
    if not place.has_edges or not (place.has_names or place.distance <= 1):
        return False
    size = place.size + (_SYMBOL if anchor.symbol_path is not None else 0)
    most = _MOST_BESIDE if not place.mistakes and place.has_whole_side else _MOST_WRONG
    if place.size - place.right > max(1.0, size * most) or place.distance > size:
        return False
    return _has_its_names(place, size) or _has_a_side(place)


def _has_its_names(place: Candidate, size: int) -> bool:
    """Whether the place has the anchor's names, or a name that occurs nowhere else."""
    if place.is_singular:
        return True
    return not place.strangers and place.unknown * _PER_UNKNOWN <= size


def _has_a_side(place: Candidate) -> bool:
    """Whether a place has the exact target, and all context on one side."""
    return not place.mistakes and place.has_whole_side


def _is_behind(other: Candidate, first: Candidate) -> bool:
    """Whether ``other`` is farther away than ``first`` by the margin."""
    if first.distance < 0.5:
        return other.distance - first.distance >= 0.5
    if not first.plain and other.plain:
        # First has only misspellings, and the other has another word.
        return other.distance >= max(_TIMES * first.distance, first.distance + 0.5)
    is_worse = first.plain <= 1 and first.wrong <= other.wrong
    if is_worse and other.distance >= first.distance + _ONE_MORE:
        return True
    return other.distance >= first.distance + max(_MORE, first.distance * _PART_MORE)
