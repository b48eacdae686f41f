"""The places that an anchor nearly matched, when it matches nothing.

Part of ``anchor_not_found``, docs/design/engine.md §8: best first, each with its differences from
the anchor. They come from the search that fixes come from (:mod:`snippet_engine.fixes.search`).
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
IN_CONTEXT = "the target: this stands where the context fits"

_MAX_ALIKE = 20
"""Places that are looked at where the target stands but for its context, white space and the
like."""
_MAX_EXACT = 5_000
"""Places of one text that are looked at."""
_MAX_OUTSIDE = 1000
"""Places outside the symbol where the target stands that are looked at."""
_MOST_WRONG = 0.5
"""The part of a target that may be wrong at a place that is shown for it."""
_PER_FOLDING = 20
"""How much longer it takes to compare a text apart from look-alikes than to search it."""
_MISFIT = {
    (True, True): "",
    (True, False): "the after context",
    (False, True): "the before context",
    (False, False): "the before and after context",
}
"""Which side of the context doesn't stand around a place, by whether each fits."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A place that the anchor may name, and its differences from the anchor."""

    place: TextRange
    differs: tuple[str, ...]
    in_symbol: bool = True
    in_context: bool = False
    """Whether the anchor's context stands around the place."""


def same_text(view: str, anchor: Anchor, scopes: Sequence[TextRange]) -> list[NearMiss]:
    """Return where the target stands but for context, wrappings, white space, case and quotes.

    Then where it stands outside the symbol.
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


def _order(miss: NearMiss) -> tuple[bool, int, bool]:
    """The order of near misses: those in context, as found; then those that differ least."""
    if miss.in_context:
        return False, 0, False
    return True, len(miss.differs), miss.differs[-1] == _MISFIT[False, False]


_Reading = tuple[list[str], tuple[str, ...]]
"""What was removed of the anchor's texts, and target, ``before`` and ``after`` without it."""


def _exact(view: str, reading: _Reading, scopes: Sequence[TextRange]) -> list[TextRange]:
    """Return the places of the very target; of one that was pasted with line numbers, whole lines.

    If not, a blank of the line has been taken for one that came with its number.
    """
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
        misfit = _MISFIT[above.fits(view, place), below.fits(view, place)]
        count[misfit] += 1
        if count[misfit] > MAX_NEAR_MISSES:
            continue
        differs = (*wrappings, *differences(target, view[slice(*place)]))
        if misfit:
            yield NearMiss(place, (*differs, misfit))
        else:
            yield NearMiss(
                place, differs or ("standing in code, not in a comment",), in_context=True
            )


def _outside(view: str, anchor: Anchor) -> Iterator[NearMiss]:
    if anchor.symbol_path is None:
        return
    context, whole = Context(anchor.before, anchor.after), [TextRange(0, len(view))]
    for place in islice(occurrences(view, anchor.target or "", whole), _MAX_OUTSIDE):
        if context.fits(view, place):
            yield NearMiss(place, ("standing outside the symbol",), False, True)


def most_like(
    document: Document, anchor: Anchor, scopes: Sequence[TextRange]
) -> Iterator[NearMiss]:
    """Yield the places most like the anchor, best first; then the lines most like its target."""
    *_, (_, (target, before, after)) = unwrapped(anchor.target or "", anchor.before, anchor.after)
    bare = Anchor(target, before=before, after=after, in_comment=anchor.in_comment)
    view = document.source.view
    found = [
        (similarity(target, view[slice(*each.place)]) + _is_in_context(each), each.place, reason)
        for each in find_candidates(document.source, bare, scopes)
        if each.is_told and each.mistakes <= _MOST_WRONG * each.target_size
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
