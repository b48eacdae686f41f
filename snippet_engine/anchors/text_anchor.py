"""Resolve a text anchor to exactly one place.

Implements docs/design/engine.md §1 "Text anchor". It never takes the first of several matches, and
uses neither fuzzy matching nor regular expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from snippet_engine import budget
from snippet_engine.anchors.context import Context, occurrences
from snippet_engine.anchors.resolution import Reason, Resolved, Unresolved
from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

MAX_OCCURRENCES = 100_000
"""Most places of the target where the context is compared. With more, no match is accepted, because
another one could match as well.
"""
_MAX_LISTED = 25_000
"""Most places of a target without context that are listed; the others are counted."""
MAX_CLASSIFIED = 500
"""Most places that are classified as code or comment, if a target occurs very often."""
MAX_SCANNED = 500_000
"""Most code points that classification scans; for each place it scans the whole line."""
_HARD_LIMIT = 40
_PER_LOOK_UP = 4
"""Steps for one classification."""


def resolve_text(
    document: Document, anchor: Anchor, scopes: Sequence[TextRange]
) -> Resolved | Unresolved:
    """Return the one place in ``scopes`` (disjoint, ascending) that the anchor names."""
    try:
        return _resolved(document, anchor, scopes)
    except budget.OutOfStepsError:
        return Unresolved(Reason.OUT_OF_STEPS, scopes)


def fitting_places(
    document: Document, anchor: Anchor, scopes: Sequence[TextRange]
) -> list[TextRange] | None:
    """Return all places in ``scopes`` that ``anchor`` names; ``None`` if too many to check.

    Without context, return only the first ``_MAX_LISTED`` + 1.
    """
    places = _standing(document, anchor, scopes)
    if places is None:
        return None
    sorted_out = _by_kind(document, places, in_comment=anchor.in_comment)
    if sorted_out is None:
        return None
    in_code, in_comments = sorted_out
    return in_comments if anchor.in_comment else in_code


def exact_among(
    document: Document, anchor: Anchor, places: Sequence[TextRange]
) -> TextRange | None:
    """Return the one of ``places`` whose context matches character for character.

    ``places`` match apart from white space. If exactly one of them matches in full, it is the place
    that the agent read. Return ``None`` if none or several match in full, or if the context has no
    text but white space, which proves nothing.
    """
    before, after = anchor.before, anchor.after
    if len(places) < 2 or not (before.strip() or after.strip()):
        return None
    view = document.source.view
    found: TextRange | None = None
    for place in places:
        budget.spend()
        at = place.start - len(before)
        # A negative start would count from the end of the view.
        if at < 0 or not view.startswith(before, at) or not view.startswith(after, place.end):
            continue
        if found is not None:
            return None
        found = place
    # With very many places, some were not classified as code or comment.
    if found is None or not is_of_kind(document, found, comment=anchor.in_comment):
        return None
    return found


def is_of_kind(document: Document, place: TextRange, *, comment: bool) -> bool:
    """Whether ``place`` is of the wanted kind: in a comment, or not.

    A comment together with its indentation or line break counts as both: it isn't wholly a comment,
    but an anchor with ``in_comment`` may name it.
    """
    if comment:
        text = document.source.view[place.start : place.end]
        start = place.start + len(text) - len(text.lstrip())
        place = TextRange(start, start + len(text.strip())) if text.strip() else place
    return (document.span_kind(*place) is SpanKind.COMMENT) == comment


def _resolved(
    document: Document, anchor: Anchor, scopes: Sequence[TextRange]
) -> Resolved | Unresolved:
    places = _standing(document, anchor, scopes)
    if places is None:
        return Unresolved(Reason.TOO_MANY_PLACES, scopes)
    sorted_out = _by_kind(document, places, in_comment=anchor.in_comment)
    further = _further(document, anchor, places, scopes)
    if sorted_out is None:
        return Unresolved(Reason.TOO_MANY_TO_CLASSIFY, scopes, places, further=further)
    in_code, in_comments = sorted_out
    wanted = in_comments if anchor.in_comment else in_code
    aside = () if anchor.in_comment else tuple(in_comments)
    if len(wanted) == 1:
        return Resolved(wanted[0], comments_set_aside=aside)
    if not wanted:
        reason = Reason.ONLY_IN_COMMENTS if in_comments else Reason.NOT_FOUND
        return Unresolved(reason, scopes, in_comments=in_comments)
    further = 0 if anchor.in_comment else further
    several = Unresolved(Reason.AMBIGUOUS, scopes, wanted, in_comments, further)
    exact = exact_among(document, anchor, wanted)
    if exact is None:
        return several
    return Resolved(exact, comments_set_aside=aside, loosely=several)


def _further(
    document: Document, anchor: Anchor, places: Sequence[TextRange], scopes: Sequence[TextRange]
) -> int:
    """Return a lower bound of the number of places that weren't listed; places may overlap."""
    if len(places) <= _MAX_LISTED or anchor.before.strip() or anchor.after.strip():
        return 0
    view = document.source.view
    counted = sum(view.count(anchor.target or "", *scope) for scope in scopes)
    return max(counted - len(places), 0)


def _standing(
    document: Document, anchor: Anchor, scopes: Sequence[TextRange]
) -> list[TextRange] | None:
    """Return the matches of target and context, in code or comments; ``None`` if too many."""
    assert anchor.target is not None
    view = document.source.view
    context = Context(anchor.before, anchor.after)
    found = occurrences(view, anchor.target, scopes)
    if not context.has_text:
        return list(islice(_fitting(view, context, found), _MAX_LISTED + 1))
    if not context.may_be_in(view):
        return []
    places = list(islice(found, MAX_OCCURRENCES + 1))
    return None if len(places) > MAX_OCCURRENCES else [*_fitting(view, context, places)]


def _fitting(view: str, context: Context, places: Iterable[TextRange]) -> Iterator[TextRange]:
    for place in places:
        budget.spend()
        if context.fits(view, place):
            yield place


def _by_kind(
    document: Document, places: Sequence[TextRange], *, in_comment: bool = False
) -> tuple[list[TextRange], list[TextRange]] | None:
    """Sort ``places`` into those in code (string literals too) and those in comments."""
    source = document.source
    in_code: list[TextRange] = []
    in_comments: list[TextRange] = []
    wanted = in_comments if in_comment else in_code
    scanned = 0
    for index, place in enumerate(places):
        if (index >= MAX_CLASSIFIED or scanned >= MAX_SCANNED) and len(wanted) > 1:
            in_code.extend(places[index:])
            break
        is_enough = index >= MAX_CLASSIFIED * _HARD_LIMIT or scanned >= MAX_SCANNED * _HARD_LIMIT
        if is_enough and index < len(places) - 1:
            return None
        budget.spend(_PER_LOOK_UP)
        scanned += source.line_end(place.start) - source.line_start(place.start)
        is_comment = (
            is_of_kind(document, place, comment=True)
            if in_comment
            else (not is_of_kind(document, place, comment=False))
        )
        (in_comments if is_comment else in_code).append(place)
    return in_code, in_comments
