"""Rank the places that are like an anchor: return one, a choice of several, or none.

This module has all thresholds. A place is possible if little enough of it is wrong. It is the one
if all others are farther away by the margin; places within the margin are a choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from snippet_engine.anchors.context import occurrences
from snippet_engine.anchors.resolver import scopes_of
from snippet_engine.anchors.whole_words import cuts_word
from snippet_engine.csharp.document import Document
from snippet_engine.fixes.search.candidate import Candidate
from snippet_engine.fixes.search.token_cost import MISSPELLED, is_identifier
from snippet_engine.fixes.search.tokens import tokens_of
from snippet_engine.request import Anchor, Instruction

_WORD = re.compile(r"\w+")
_MOST_WRONG = 0.4
"""Largest part of an anchor that may be wrong at a place."""
_MOST_BESIDE = 0.6
"""The same if the target and all of the context on one side are there."""
_PER_UNKNOWN = 12
"""Tokens that an anchor needs for each of its names that the file doesn't have."""
_SYMBOL = 6
"""Tokens that a named symbol counts."""
_TIMES = 2
"""A place with another word is behind one with a misspelling if it is so many times as far away."""
_MORE, _PART_MORE = 1.5, 0.5
"""The margin: a distance, or this part of the nearest place's distance, whichever is more."""
_ONE_MORE = 1.0
"""The margin of a place with the nearest one's mistakes and others."""
_NO_FARTHER = 1.0
"""A place that may not be the one has to be farther away by more than this distance."""
_ONE_OR_TWO = 2.0
"""The distance of a mistake or two in the context."""
_FAR = 4.0
"""The distance beyond which another place is out of the question."""
_LEAST_SHIFTED = 2
"""Fewest lines whose indentation distinguishes two places."""
_MOST_OCCURRENCES = 1_000
"""Most occurrences of a target that are searched for a whole word."""

Found = tuple[Candidate, Instruction, list[str]]
"""A place, the instruction without what a paste added, and the names of what was removed."""


def select_places(document: Document, best: Sequence[Found], *, exact: bool) -> list[Found]:
    """Return those of the ``best`` places, nearest first, that the anchor may mean.

    One is certain; several are a choice. With ``exact``, a place must have the target exactly.
    """
    found = _nearest(document, best, exact=exact) if best else []
    if len(found) != 1:
        return found
    first, sent, _ = found[0]
    more = [
        each
        for each in best
        if _is_indented_rather(each[0], first)
        or _is_renamed_as_spaced(document.source.view, each[0], first, sent.anchor)
    ]
    return [*found, *more]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A veto's question: may the nearest place be offered?"""

    document: Document
    anchor: Anchor
    first: Candidate
    others: Sequence[Candidate]
    exact: bool
    """Whether a place has to have the very target."""

    @property
    def near(self) -> list[Candidate]:
        """Return the places within the margin of the nearest one."""
        found = [each for each in self.others if not _is_behind(each, self.first)]
        return [each for each in found if not (self.exact and each.mistakes)]


@dataclass(frozen=True, slots=True)
class Veto:
    """A reason to offer no place."""

    name: str
    forbids: Callable[[_Asked], bool]
    example: str


def _stands_elsewhere(asked: _Asked) -> bool:
    view, first = asked.document.source.view, asked.first
    if not first.mistakes or view[slice(*first.place)] == asked.anchor.target:
        return False
    return asked.exact or _stands(asked.document, asked.anchor)


def _has_other_names(asked: _Asked) -> bool:
    first = asked.first
    return not _has_its_names(first, first.size) and any(
        each.distance < first.distance + _FAR or _has_a_side(each) for each in asked.others
    )


def _is_half_beside(asked: _Asked) -> bool:
    has_name = any(is_identifier(each) for each in _WORD.findall(asked.anchor.target or ""))
    if has_name or asked.first.distance <= _ONE_OR_TWO:
        return False
    sides = zip(asked.first.sides, asked.first.beside, strict=True)
    return any(sent and not near for sent, near in sides)


def _is_another_as_near(asked: _Asked) -> bool:
    first = asked.first
    return any(
        (each.has_edges or each.distance <= first.distance + _NO_FARTHER)
        and not _is_likely(each, asked.anchor)
        for each in asked.near
    )


VETOES = (
    Veto(
        "target elsewhere",
        _stands_elsewhere,
        "``Run(hp);`` was sent and stands elsewhere; here is ``Runs(hp);``",
    ),
    Veto(
        "other names",
        _has_other_names,
        "``Go(health)`` for ``Go(hp)``, where ``hp`` stands elsewhere, and so does ``Go(mp)``",
    ),
    Veto(
        "half beside",
        _is_half_beside,
        "a brace with all of the context above it, and none of that below",
    ),
    Veto(
        "another as near",
        _is_another_as_near,
        "a line that is half wrong is as near as this one, or has the exact target, too",
    ),
)


def _nearest(document: Document, best: Sequence[Found], *, exact: bool) -> list[Found]:
    first, sent, _ = best[0]
    asked = _Asked(document, sent.anchor, first, [each[0] for each in best[1:]], exact)
    if not _is_likely(first, sent.anchor) or any(each.forbids(asked) for each in VETOES):
        return []
    near = asked.near
    return [
        best[0],
        *(each for each in best[1:] if each[0] in near and _is_likely(each[0], sent.anchor)),
    ]


def _is_likely(place: Candidate, anchor: Anchor) -> bool:
    """Whether a place is similar enough to the anchor."""
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
    """Whether a place has the target exactly, and all of the context on one side."""
    return not place.mistakes and place.has_whole_side


def _is_behind(other: Candidate, first: Candidate) -> bool:
    """Whether ``other`` is farther away than ``first`` by the margin."""
    if first.distance < 0.5:
        return other.distance - first.distance >= 0.5
    if not first.plain and other.plain:
        # A misspelling here, and another word there.
        return other.distance >= max(_TIMES * first.distance, first.distance + 0.5)
    is_worse = first.plain <= 1 and first.wrong <= other.wrong
    if is_worse and other.distance >= first.distance + _ONE_MORE:
        return True
    return other.distance >= first.distance + max(_MORE, first.distance * _PART_MORE)


def _is_indented_rather(other: Candidate, first: Candidate) -> bool:
    """Whether ``other`` has the indentation as sent, and ``first``, with more context, hasn't."""
    if other.mistakes or first.mistakes or other is first:
        return False
    if not first.distance <= other.distance <= first.distance + _FAR:
        return False
    is_shifted = first.shifted >= _LEAST_SHIFTED and not first.as_indented
    return is_shifted and other.as_indented >= _LEAST_SHIFTED and not other.shifted


def _is_renamed_as_spaced(view: str, other: Candidate, first: Candidate, anchor: Anchor) -> bool:
    """Whether ``other`` has the white space as sent, but names that got longer."""
    if anchor.before or anchor.after or first.mistakes:
        return False
    if not other.mistakes or other.mistakes != other.renamed * MISSPELLED:
        return False
    texts = (anchor.target or "", view[slice(*first.place)], view[slice(*other.place)])
    sent, here, there = ([each.gap for each in tokens_of(text)] for text in texts)
    return here != sent == there


def _stands(document: Document, anchor: Anchor) -> bool:
    """Whether the scopes have the target anywhere, not within a longer word."""
    target = (anchor.target or "").strip()
    view = document.source.view
    places = islice(occurrences(view, target, scopes_of(document, anchor)), _MOST_OCCURRENCES)
    return not all(cuts_word(view, each) for each in places)
