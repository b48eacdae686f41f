"""The places that an anchor nearly matched, when it matches nothing.

Implements the search of ``anchor_not_found``, docs/design/engine.md §8: best first, each with its
differences from the anchor. :mod:`.not_found` makes the error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from snippet_engine import budget
from snippet_engine.anchors.context import Context, occurrences
from snippet_engine.anchors.text_anchor import stands_in
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.additions import (
    as_replacement,
)
from snippet_engine.errors import ALREADY_APPLIED, MOST_LIKE, SEEMS_APPLIED
from snippet_engine.fixes.explain.already_applied import (
    is_unique_by_context,
    is_unique_place,
    may_be_unreplaced,
    places_of_new_text,
)
from snippet_engine.fixes.explain.likely_applied import deleted_place
from snippet_engine.fixes.normalise.look_alikes import TolerantText, differences
from snippet_engine.fixes.normalise.wrappings import PASTED_LINE_NUMBERS, unwrapped
from snippet_engine.fixes.search.closest_lines import closest_lines, similarity
from snippet_engine.request import Anchor, Instruction
from snippet_engine.source_text import TextRange

MAX_NEAR_MISSES = 5
IN_CONTEXT = "the target: this stands where the context fits"

_MAX_ALIKE = 20
"""Places that are looked at where the target stands but for white space and the like."""
_MAX_EXACT = 5_000
"""Places that are looked at where the target stands as sent, or unwrapped."""
_MAX_OUTSIDE = 1000
"""Places outside the symbol where the target stands that are looked at."""
_MAX_GAPS = 100
"""Places with the right context that are compared with the target."""
_MAX_GAP = 400
"""Longest text, in code points, between a ``before`` and an ``after`` that were found."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A place that the anchor may name, and its differences from the anchor."""

    place: TextRange
    differs: tuple[str, ...]
    in_symbol: bool = True
    in_context: bool = False
    """Whether the anchor's context stands around the place."""


def near_misses(
    document: Document, instruction: Instruction, scopes: Sequence[TextRange]
) -> Iterator[NearMiss]:
    """Near misses of every kind, best first; places may repeat."""
    anchor = instruction.anchor
    assert anchor.target is not None
    view = document.source.view
    alike = list(islice(_same_but_for_wrapping(view, anchor, scopes), _MAX_ALIKE))
    outside: list[NearMiss] = []
    if anchor.symbol_path is not None:
        whole = [TextRange(0, len(view))]
        context = Context(anchor.before, anchor.after)
        outside = [
            NearMiss(place, ("standing outside the symbol",), False, True)
            for place in islice(occurrences(view, anchor.target, whole), _MAX_OUTSIDE)
            if context.fits(view, place)
        ]
    yield from _already_applied(document, instruction, scopes, [*alike, *outside])
    yield from alike
    yield from outside
    # What is merely like the target tells nothing where that stands in its context.
    if not any(miss.in_context for miss in alike):
        yield from _most_like(view, anchor, scopes)


def _already_applied(
    document: Document,
    instruction: Instruction,
    scopes: Sequence[TextRange],
    others: Sequence[NearMiss],
) -> Iterator[NearMiss]:
    """Yield the new text where the target belongs, unless one of ``others`` may be the target.

    It only seems applied if the text that target and new text share is the sole proof.
    """
    view = document.source.view
    taken = deleted_place(view, instruction, scopes)
    if taken is not None:
        yield NearMiss(taken, (ALREADY_APPLIED,))
    instruction = as_replacement(instruction, view)
    places = [
        place
        for place in places_of_new_text(view, instruction, scopes)
        if stands_in(document, place, comment=instruction.anchor.in_comment)
    ]
    if len(places) != 1 or not is_unique_place(view, instruction, places[0], scopes):
        return
    if may_be_unreplaced(view, instruction, places[0]):
        return
    start, end = places[0]
    new_text = "".join(instruction.new_text.split())
    if any(
        # A target that the new text is a part of, and that stands there.
        miss.in_context and len("".join(view[slice(*miss.place)].split())) > len(new_text)
        for miss in others
        if miss.place.start < end and start < miss.place.end
    ):
        return
    if not any(
        miss.in_context and not (miss.place.start < end and start < miss.place.end)
        for miss in others
    ):
        is_told = is_unique_by_context(view, instruction, places[0], scopes)
        yield NearMiss(places[0], (ALREADY_APPLIED if is_told else SEEMS_APPLIED,))


def _same_but_for_wrapping(
    view: str, anchor: Anchor, scopes: Sequence[TextRange]
) -> Iterator[NearMiss]:
    """The same text but for wrappings, context, white space, case, quotes, look-alikes."""
    assert anchor.target is not None
    out_of_context: list[NearMiss] = []
    for wrappings, places, target, context in _alike(view, anchor, scopes):
        above, below = Context(context[0], ""), Context("", context[1])
        misfits: dict[str, list[NearMiss]] = {}
        for place in places:
            around = _MISFIT[above.fits(view, place), below.fits(view, place)]
            if len(misfits.setdefault(around, [])) == MAX_NEAR_MISSES:
                continue
            differs = [*wrappings, *differences(target, view[place.start : place.end])]
            if not around:
                kinds = tuple(differs) or ("standing in code, not in a comment",)
                yield NearMiss(place, kinds, in_context=True)
            else:
                misfits[around].append(NearMiss(place, (*differs, around)))
        out_of_context += [miss for kind in sorted(misfits) for miss in misfits[kind]]
    yield from sorted(out_of_context, key=lambda miss: len(miss.differs))


def _alike(
    view: str, anchor: Anchor, scopes: Sequence[TextRange]
) -> Iterator[tuple[list[str], Iterable[TextRange], str, tuple[str, str]]]:
    """``(wrappings, places, target, context)``: first where the very text stands, unwrapped.

    Then where it stands but for white space and the like, unless the text itself does.
    """
    assert anchor.target is not None
    elsewhere = []
    for wrappings, (target, before, after) in unwrapped(anchor.target, anchor.before, anchor.after):
        _spend_on_search(scopes)
        exact = list(islice(occurrences(view, target, scopes), _MAX_EXACT))
        budget.spend(len(exact))
        if PASTED_LINE_NUMBERS in wrappings:
            exact = [place for place in exact if _is_aligned(view, place)]
        if exact:
            yield wrappings, exact, target, (before, after)
        else:
            elsewhere.append((wrappings, target, (before, after)))
    _spend_on_search(scopes, TolerantText.COST if view.isascii() else 4 * TolerantText.COST)
    texts = [(scope, TolerantText(view[scope.start : scope.end])) for scope in scopes]
    for wrappings, target, context in elsewhere:
        yield wrappings, _tolerantly(texts, target), target, context


def _spend_on_search(scopes: Sequence[TextRange], times: int = 1) -> None:
    budget.spend_reading(sum(scope.end - scope.start for scope in scopes), times)


def _is_aligned(view: str, place: TextRange) -> bool:
    """Whether a place that starts with white space starts with all that its line has there.

    If not, a blank of the line's has been taken for one that came with its number, or the
    other way round.
    """
    return not view[place.start].isspace() or place.start == view.rfind("\n", 0, place.start) + 1


_MISFIT = {
    (True, True): "",
    (True, False): "the after context",
    (False, True): "the before context",
    (False, False): "the before and after context",
}
"""Which side of the context doesn't stand around a place, by whether each fits."""


def _tolerantly(
    texts: Sequence[tuple[TextRange, TolerantText]], target: str
) -> Iterator[TextRange]:
    for scope, text in texts:
        for start, end in text.occurrences(target):
            budget.spend()
            yield TextRange(scope.start + start, scope.start + end)


def _most_like(view: str, anchor: Anchor, scopes: Sequence[TextRange]) -> Iterator[NearMiss]:
    """Yield the text at the context's place, and the lines most like the target, most similar
    first.

    A place comes first if its context fits only there, or if it alone has both sides.
    """
    assert anchor.target is not None
    *_, (_, (target,)) = unwrapped(anchor.target)
    gaps = list(islice(_gaps(view, anchor, scopes), _MAX_GAPS))
    context = Context(anchor.before, anchor.after)
    whole = [gap for gap in gaps if anchor.before and anchor.after and context.fits(view, gap)]
    # From a brace far above to what was sent behind the target, there may be others between.
    inner = [gap for gap, behind in zip_longest(whole, whole[1:]) if not _has_in_it(gap, behind)]
    alone = {*gaps} if len(gaps) == 1 else {*inner} if len(inner) == 1 else set()
    found = [
        (
            similarity(target, view[gap.start : gap.end]) + (gap in alone),
            NearMiss(gap, (IN_CONTEXT,)),
        )
        for gap in gaps
    ]
    found += [
        (similar, NearMiss(place, (MOST_LIKE,)))
        for similar, place in closest_lines(view, target, scopes)
    ]
    for _, miss in sorted(found, key=lambda each: -each[0]):
        yield miss


def _has_in_it(gap: TextRange, behind: TextRange | None) -> bool:
    """Whether the next place, in the order of the text, is a part of this one."""
    return behind is not None and gap.start <= behind.start and behind.end <= gap.end


def _gaps(view: str, anchor: Anchor, scopes: Sequence[TextRange]) -> Iterator[TextRange]:
    """Yield the text that stands where the context says that the target should be."""
    before, after = anchor.before.strip(), anchor.after.strip()
    if before:
        for place in _each(view, before, scopes):
            yield from _text_in(view, place.end, _first(view, after, place.end))
    elif after:
        for place in _each(view, after, scopes):
            line_start = view.rfind("\n", 0, len(view[: place.start].rstrip())) + 1
            yield from _text_in(view, line_start, place.start)


def _each(view: str, text: str, scopes: Sequence[TextRange]) -> Iterator[TextRange]:
    _spend_on_search(scopes)
    for place in occurrences(view, text, scopes):
        budget.spend()
        yield place


def _first(view: str, after: str, start: int) -> int:
    """Where ``after`` begins soon after ``start``, else the end of the next line with text."""
    if after:
        found = view.find(after, start, start + _MAX_GAP + len(after))
        if found > start:
            return found
    text = re.compile(r"\s*+\S[^\n]*").match(view, start)
    return text.end() if text else start


def _text_in(view: str, start: int, end: int) -> Iterator[TextRange]:
    """The range without the white space at its ends, unless there is nothing else."""
    text = view[start:end]
    if text.strip():
        begin = start + len(text) - len(text.lstrip())
        yield TextRange(begin, begin + len(text.strip()))
