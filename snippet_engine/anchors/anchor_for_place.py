"""Make an anchor for a place: its text, and the shortest context that makes it unique.

Implements law 7 of docs/design/engine.md §10: an offered anchor resolves to exactly the place that
it is offered for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import islice

from snippet_engine import budget
from snippet_engine.anchors.context import Context, blanks_after, blanks_before, occurrences
from snippet_engine.anchors.text_anchor import is_of_kind
from snippet_engine.anchors.unique_context import with_unique_context
from snippet_engine.csharp.document import Document
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

MAX_RIVALS = 20_000
"""Most places with the same target. With more, no anchor is made."""

_PLACES_IN_A_STEP = 8
"""Comparing the context at this many places costs one step."""


def anchor_at(
    document: Document, anchor: Anchor, place: TextRange, scopes: Sequence[TextRange]
) -> Anchor | None:
    """Return ``anchor`` changed so that it names ``place``.

    Its target becomes the place's text. It gets the shortest unique context, and ``in`` if needed.
    Return ``None`` if no context makes the place unique (see :mod:`.unique_context`).
    """
    return Anchoring(document, scopes).at(anchor, place)


class Anchoring:
    """Make anchors for several places of one document, all searched in the same scopes.

    Faster than :func:`anchor_at` for each place, if the places have the same text.
    """

    def __init__(self, document: Document, scopes: Sequence[TextRange]) -> None:
        self._document = document
        self._scopes = scopes
        self._places: dict[str, Sequence[TextRange]] = {}
        self._text_around = cache(partial(text_around, document.source.view))

    def at(self, anchor: Anchor, place: TextRange) -> Anchor | None:
        """Return the anchor for ``place``, as :func:`anchor_at` does."""
        document, view = self._document, self._document.source.view
        target = view[place.start : place.end]
        in_comment = is_of_kind(document, place, comment=True) and (
            anchor.in_comment or not is_of_kind(document, place, comment=False)
        )
        if not target.strip() and _repeats_in_its_run(view, place):
            return None
        places = self._places_of(target)
        if len(places) > MAX_RIVALS:
            return None

        @cache
        def is_wanted(place: TextRange) -> bool:
            return is_of_kind(document, place, comment=in_comment)

        # Later places first: where lines repeat, they share the longest context with this place.
        others = [each for each in places if each > place]
        others += [each for each in places if each < place]
        rivals = Rivals(view, others, is_wanted, self._text_around)
        offered = replace(anchor, target=target, in_comment=in_comment)
        return with_unique_context(view, offered, place, rivals.have)

    def _places_of(self, target: str) -> Sequence[TextRange]:
        if target not in self._places:
            budget.spend_reading(sum(scope.end - scope.start for scope in self._scopes))
            found = occurrences(self._document.source.view, target, self._scopes)
            self._places[target] = list(islice(found, MAX_RIVALS + 1))
        return self._places[target]


def text_around(view: str, place: TextRange) -> tuple[int, int]:
    """Return where the text before ``place`` ends, and where the text after it begins."""
    return blanks_before(view, place.start), blanks_after(view, place.end)


def _repeats_in_its_run(view: str, place: TextRange) -> bool:
    """Whether a white space target occurs more than once in the white space around it."""
    run = TextRange(*text_around(view, place))
    rivals = occurrences(view, view[place.start : place.end], [run])
    return any(other != place for other in islice(rivals, 2))


class Rivals:
    """The other places of a target. :meth:`have` says whether a context matches at one of them."""

    def __init__(
        self,
        view: str,
        places: Sequence[TextRange],
        is_wanted: Callable[[TextRange], bool],
        text_around: Callable[[TextRange], tuple[int, int]],
    ) -> None:
        """Count only those ``places`` for which ``is_wanted`` is true.

        ``text_around`` is the function of that name, or a cached one.
        """
        self._view = view
        self._text_around = text_around
        self._is_wanted = is_wanted
        self._above = {"": places}
        self._below = {"": places}
        self._last: TextRange | None = None
        """Where the last context matched; a longer one probably matches at the same place."""

    def have(self, before: str, after: str) -> bool:
        """Whether a context matches at a rival. All calls must pass contexts of the same place."""
        above, below = Context(before, ""), Context("", after)

        def ends(at: TextRange) -> bool:
            return not before or above.is_above(self._view, self._text_around(at)[0])

        def begins(at: TextRange) -> bool:
            return not after or below.is_below(self._view, self._text_around(at)[1])

        if self._last is not None and ends(self._last) and begins(self._last):
            return True
        left, right = _matching(self._above, before, ends), _matching(self._below, after, begins)
        both = {*right}
        self._last = next((at for at in left if at in both and self._is_wanted(at)), None)
        return self._last is not None


def _matching(
    known: dict[str, Sequence[TextRange]], text: str, fits: Callable[[TextRange], bool]
) -> Sequence[TextRange]:
    """Return the places that have ``text`` next to them; reuse the results of shorter texts.

    All texts are contexts of one place, so each text contains every shorter one.
    """
    if text not in known:
        shorter = known[max((each for each in known if len(each) < len(text)), key=len)]
        budget.spend(len(shorter) // _PLACES_IN_A_STEP + 1)
        known[text] = [each for each in shorter if fits(each)]
    return known[text]
