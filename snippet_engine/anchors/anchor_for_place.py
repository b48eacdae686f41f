"""Make the anchor for a place of a document: its text, and the least context that is unique.

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
"""Most places with the same target among which an anchor can be made unique."""

_PLACES_IN_A_STEP = 8
"""Places whose context is compared in the time of one step."""


def anchor_at(
    document: Document, anchor: Anchor, place: TextRange, scopes: Sequence[TextRange]
) -> Anchor | None:
    """Return ``anchor`` changed to name ``place``: its text, the least context, ``in`` if needed.

    Return ``None`` if no context makes the place unique (see :mod:`.unique_context`).
    """
    return Anchoring(document, scopes).at(anchor, place)


class Anchoring:
    """Make anchors for several places of one document, all searched in the same scopes.

    For places of the same text, faster than calling :func:`anchor_at` for each.
    """

    def __init__(self, document: Document, scopes: Sequence[TextRange]) -> None:
        self._document = document
        self._scopes = scopes
        self._places: dict[str, Sequence[TextRange]] = {}
        self._text_around = cache(partial(text_around, document.source.view))

    def at(self, anchor: Anchor, place: TextRange) -> Anchor | None:
        """Do what :func:`anchor_at` does."""
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

        # The next ones first: where lines repeat, they have the longest context in common.
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
    """Return where the text before ``place`` ends, and where that behind it begins."""
    return blanks_before(view, place.start), blanks_after(view, place.end)


def _repeats_in_its_run(view: str, place: TextRange) -> bool:
    """Whether a white space target occurs more than once in the white space around it."""
    run = TextRange(*text_around(view, place))
    rivals = occurrences(view, view[place.start : place.end], [run])
    return any(other != place for other in islice(rivals, 2))


class Rivals:
    """The other places of a text, and which contexts match there."""

    def __init__(
        self,
        view: str,
        places: Sequence[TextRange],
        is_wanted: Callable[[TextRange], bool],
        text_around: Callable[[TextRange], tuple[int, int]],
    ) -> None:
        """Take the places; only those for which ``is_wanted`` is true count.

        ``text_around`` returns the ends of the text before and behind a place's white space.
        """
        self._view = view
        self._text_around = text_around
        self._is_wanted = is_wanted
        self._above = {"": places}
        self._below = {"": places}
        self._last: TextRange | None = None
        """Where the last context matched; a longer one probably matches there, too."""

    def have(self, before: str, after: str) -> bool:
        """Whether a context matches at a rival. Every call passes context of the same place."""
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
    """Return the places that have ``text`` next to them, with the results of shorter texts.

    All texts are contexts of one place, so each text contains every shorter one.
    """
    if text not in known:
        shorter = known[max((each for each in known if len(each) < len(text)), key=len)]
        budget.spend(len(shorter) // _PLACES_IN_A_STEP + 1)
        known[text] = [each for each in shorter if fits(each)]
    return known[text]
