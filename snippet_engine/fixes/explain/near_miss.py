"""Find the places that an anchor nearly matched.

Part of ``anchor_not_found``, docs/design/engine.md §8: best first, each with its differences from
the anchor. Uses the same search as the offers (:mod:`snippet_engine.fixes.search`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from snippet_engine import budget
from snippet_engine.anchors.context import Context, occurrences
from snippet_engine.csharp.document import Document
from snippet_engine.errors import MOST_LIKE
from snippet_engine.fixes.normalise.look_alikes import differences, same_but_for_look
from snippet_engine.fixes.normalise.wrappings import PASTED_LINE_NUMBERS, unwrapped
from snippet_engine.fixes.search.candidate import Candidate
from snippet_engine.fixes.search.candidate_search import find_candidates
from snippet_engine.fixes.search.closest_lines import closest_lines, similarity
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

MAX_NEAR_MISSES = 5
IN_CONTEXT = "the target: this text is where the context fits"

_MAX_ALIKE = 20
"""Most places with the target's text, but other context, white space and the like."""
_MAX_EXACT = 5_000
"""Most places of one text that are checked."""
_MAX_OUTSIDE = 1000
"""Most places of the target outside the symbol that are checked."""
_MOST_WRONG = 0.5
"""Largest part of a target that may differ at a place that is shown."""
_PER_FOLDING = 20
"""Steps per code point to compare a text without regard to look-alikes; a search takes one."""
_MISFIT = {
    (True, True): "",
    (True, False): "the after context",
    (False, True): "the before context",
    (False, False): "the before and after context",
}
"""Which side of the context doesn't fit a place, by whether each one does."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A place that the anchor may name, and its differences from the anchor."""

    place: TextRange
    differs: tuple[str, ...]
    in_symbol: bool = True
    in_context: bool = False
    """Whether the anchor's context fits the place."""


def same_text(view: str, anchor: Anchor, scopes: Sequence[TextRange]) -> list[NearMiss]:
    """Return where the target occurs with other context, wrappings, white space, case or quotes.

    Places outside the symbol come last.
    """
    assert anchor.target is not None
    readings = list(unwrapped(anchor.target, anchor.before, anchor.after))
    found: list[NearMiss] = []
    absent = []
    for reading in readings:
        _spend(scopes)
        places = _exact(view, reading, scopes)
        found += _with_differences(view, reading, places)
        absent += [reading] * (not places)
    _spend(scopes, _PER_FOLDING)
    for reading in absent:
        places = [
            TextRange(scope.start + start, scope.start + end)
            for scope in scopes
            for start, end in islice(
                same_but_for_look(view[slice(*scope)], reading[1][0]), _MAX_EXACT
            )
        ]
        found += _with_differences(view, reading, places)
    found.sort(key=_order)
    return [*found[:_MAX_ALIKE], *_outside(view, anchor)]


def _order(miss: NearMiss) -> tuple[int, int, bool]:
    """Return the sort key of a near miss: those in context, then by how the context differs."""
    if miss.in_context:
        return 0, 0, False
    return 1, len(miss.differs), miss.differs[-1] == _MISFIT[False, False]


_Reading = tuple[list[str], tuple[str, ...]]
"""The names of removed wrappings; and target, ``before`` and ``after`` without them."""


def _exact(view: str, reading: _Reading, scopes: Sequence[TextRange]) -> list[TextRange]:
    """Return the exact target's places; only whole lines if it had line numbers and is indented."""
    wrappings, (target, *_) = reading
    places = list(islice(occurrences(view, target, scopes), _MAX_EXACT))
    budget.spend(len(places))
    if PASTED_LINE_NUMBERS not in wrappings or not target[:1].isspace():
        return places
    return [each for each in places if each.start == view.rfind("\n", 0, each.start) + 1]


def _with_differences(
    view: str, reading: _Reading, places: Sequence[TextRange]
) -> Iterator[NearMiss]:
    wrappings, (target, before, after) = reading
    above, below = Context(before, ""), Context("", after)
    count = Counter[str]()
    for place in places:
        fits = above.fits(view, place), below.fits(view, place)
        misfit = _MISFIT[fits]
        count[misfit] += 1
        if count[misfit] > MAX_NEAR_MISSES:
            continue
        differs = (*wrappings, *differences(target, view[slice(*place)]))
        if misfit:
            yield NearMiss(place, (*differs, misfit))
        else:
            yield NearMiss(
                place, differs or ("its place: in code, not in a comment",), in_context=True
            )


def _outside(view: str, anchor: Anchor) -> Iterator[NearMiss]:
    if anchor.symbol_path is None:
        return
    context, whole = Context(anchor.before, anchor.after), [TextRange(0, len(view))]
    for place in islice(occurrences(view, anchor.target or "", whole), _MAX_OUTSIDE):
        if context.fits(view, place):
            yield NearMiss(place, ("its place: outside the symbol",), False, True)


def most_similar(
    document: Document, anchor: Anchor, scopes: Sequence[TextRange]
) -> Iterator[NearMiss]:
    """Yield the places most like the anchor, best first; then the lines most like its target."""
    *_, (_, (target, before, after)) = unwrapped(anchor.target or "", anchor.before, anchor.after)
    bare = Anchor(target, before=before, after=after, in_comment=anchor.in_comment)
    view = document.source.view
    found = [
        (similarity(target, view[slice(*each.place)]) + _is_in_context(each), each.place, reason)
        for each in find_candidates(document.source, bare, scopes)
        if each.has_edges and each.mistakes <= _MOST_WRONG * each.target_size
        for reason in (IN_CONTEXT if _is_in_context(each) else MOST_LIKE,)
    ]
    found += [(alike, place, MOST_LIKE) for alike, place in closest_lines(view, target, scopes)]
    shown: list[TextRange] = []
    for alike, place, reason in sorted(found, key=lambda each: -each[0]):
        if alike and all(place.end <= each.start or each.end <= place.start for each in shown):
            shown.append(place)
            yield NearMiss(place, (reason,))


def _is_in_context(place: Candidate) -> bool:
    return place.size > place.target_size and not place.in_context


def _spend(scopes: Sequence[TextRange], times: int = 1) -> None:
    budget.spend_reading(sum(scope.end - scope.start for scope in scopes), times)
