"""Make the anchor for a place of a document: its text, and the least context that is unique.

Implements law 7 of docs/design/engine.md §10: an offered anchor resolves to exactly the place that
it is offered for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice

from snippet_engine import budget
from snippet_engine.anchors.context import Context, blanks_after, blanks_before, occurrences
from snippet_engine.anchors.occurrences_by_context import OccurrencesByContext
from snippet_engine.anchors.possible_places import possible_places
from snippet_engine.anchors.text_anchor import stands_in
from snippet_engine.anchors.unique_context import with_unique_context
from snippet_engine.csharp.document import Document
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

MAX_RIVALS = 20_000
"""Most other matches that contexts are tried at, until one context is unique."""
_MAX_COPIES = 4
"""Most places with identical surroundings that are checked before all others."""


def anchor_at(
    document: Document, anchor: Anchor, place: TextRange, scopes: Sequence[TextRange]
) -> Anchor | None:
    """Return ``anchor`` changed to name ``place``: its text, the least context, ``in`` if needed.

    Return ``None`` if no context makes the place unique (see :mod:`.unique_context`).
    """
    return Anchoring(document, scopes).at(anchor, place)


class Anchoring:
    """Make anchors for several places of one document, all searched in the same scopes.

    For places of the same text, much faster than calling :func:`anchor_at` for each.
    """

    def __init__(self, document: Document, scopes: Sequence[TextRange]) -> None:
        self._document = document
        self._scopes = scopes
        self._look_alikes: dict[tuple[str, bool], OccurrencesByContext | None] = {}

    def at(self, anchor: Anchor, place: TextRange) -> Anchor | None:
        """Do what :func:`anchor_at` does."""
        document, view = self._document, self._document.source.view
        target = view[place.start : place.end]
        in_comment = stands_in(document, place, comment=True) and (
            anchor.in_comment or not stands_in(document, place, comment=False)
        )
        if not target.strip() and _repeats_in_its_run(view, place):
            return None
        offered = replace(anchor, target=target, in_comment=in_comment)

        @cache
        def is_wanted(place: TextRange) -> bool:
            return stands_in(document, place, comment=in_comment)

        key = target, in_comment
        if key not in self._look_alikes:
            self._look_alikes[key] = OccurrencesByContext.of(view, target, self._scopes, is_wanted)
        few = self._look_alikes[key]
        fits_elsewhere = (
            few.besides(place) if few else _fits_another(view, place, self._scopes, is_wanted)
        )
        return with_unique_context(view, offered, place, fits_elsewhere)


def _fits_another(
    view: str,
    place: TextRange,
    scopes: Sequence[TextRange],
    is_wanted: Callable[[TextRange], bool],
) -> Callable[[str, str], bool]:
    """Return a test whether a context matches one of very many other places.

    After ``MAX_RIVALS`` tries the test answers yes.
    """
    target = view[place.start : place.end]
    tried = 0

    def is_rival(other: TextRange) -> bool:
        return other != place and is_wanted(other)

    def fits_elsewhere(before: str, after: str) -> bool:
        nonlocal tried
        if any(map(is_rival, _copies(view, place, before, after, scopes))):
            return True
        context = Context(before, after)
        for rival in possible_places(view, target, context, scopes):
            tried += 1
            if tried > MAX_RIVALS:
                return True  # as far as can be told
            if context.fits(view, rival) and is_rival(rival):
                return True
        return False

    return fits_elsewhere


def _repeats_in_its_run(view: str, place: TextRange) -> bool:
    """Whether a target of white space occurs twice in the white space around it."""
    run = TextRange(blanks_before(view, place.start), blanks_after(view, place.end))
    rivals = occurrences(view, view[place.start : place.end], [run])
    return any(other != place for other in islice(rivals, 2))


def _copies(
    view: str, place: TextRange, before: str, after: str, scopes: Sequence[TextRange]
) -> list[TextRange]:
    """Return a few other places whose surrounding text is the same as that of ``place``.

    The context matches at these, too. An empty list proves nothing, because context ignores white
    space.
    """
    start, end = place
    if before:
        start = max(blanks_before(view, start) - len(before), 0)
    if after:
        end = blanks_after(view, end) + len(after)
    text = view[start:end]
    shift = place.start - start
    found: list[TextRange] = []
    for scope in scopes:
        budget.spend_reading(scope.end - scope.start)
        # Text around a place in the scope may reach beyond it.
        low, high = scope.start - shift, scope.end + end - place.end
        copies = occurrences(view, text, [TextRange(max(low, 0), high)])
        for copy in islice(copies, _MAX_COPIES):
            at = copy.start + shift
            found.append(TextRange(at, at + place.end - place.start))
    return [each for each in found if each != place]
