"""The places where one text stands, and which of them have a context around them.

Part of docs/design/engine.md §8. To find the least context that tells a place from its look-alikes,
dozens are tried, each some lines longer than one before it; and where a text stands many times, all
of its places have the same look-alikes. So what was found is kept: a place that a context doesn't
fit is not fitted by a longer one either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Self

from snippet_engine import work
from snippet_engine.anchors.context import Context, occurrences
from snippet_engine.source_text import TextRange

MOST = 250
"""Places that are kept."""

_Fits = Callable[[Context, TextRange], bool]


class LookAlikes:
    """The places of a text within some scopes, asked which contexts fit them."""

    def __init__(
        self, view: str, places: Sequence[TextRange], is_wanted: Callable[[TextRange], bool]
    ) -> None:
        """Only places that ``is_wanted`` count."""
        self._places = places
        self._is_wanted = cache(is_wanted)
        self._above = _Side(places, lambda text: Context(text, ""), _fits_before(view))
        self._below = _Side(places, lambda text: Context("", text), _fits_after(view))

    @classmethod
    def of(
        cls,
        view: str,
        text: str,
        scopes: Sequence[TextRange],
        is_wanted: Callable[[TextRange], bool],
    ) -> Self | None:
        """Those of ``text`` in ``scopes``; ``None`` where they are more than ``MOST``."""
        work.spend_reading(sum(scope.end - scope.start for scope in scopes))
        places = list(islice(occurrences(view, text, scopes), MOST + 1))
        return cls(view, places, is_wanted) if len(places) <= MOST else None

    def besides(self, place: TextRange) -> Callable[[str, str], bool]:
        """Whether a ``before`` and ``after`` that stand around ``place`` fit another place too."""
        others = sum(1 << at for at, each in enumerate(self._places) if each != place)
        above, below = self._above.asked(others), self._below.asked(others)

        def fits_elsewhere(before: str, after: str) -> bool:
            both = above(before) & below(after)
            return any(self._is_wanted(self._places[at]) for at in _bits(both))

        return fits_elsewhere


class _Side:
    """Which places have a text on one side of them. A set of places is the bits of a number."""

    def __init__(
        self, places: Sequence[TextRange], context: Callable[[str], Context], fits: _Fits
    ) -> None:
        self._places = places
        self._context = context
        self._fits = fits
        self._known: dict[str, int] = {"": (1 << len(places)) - 1}

    def asked(self, others: int) -> Callable[[str], int]:
        """Which of the ``others`` of one place have a text that stands beside that place.

        Of two such texts the longer one extends the shorter one.
        """
        longest, left = 0, self._known[""]

        def having(text: str) -> int:
            nonlocal longest, left
            found = self._known.get(text)
            if found is None:
                among = left if len(text) >= longest else self._known[""]
                found = self._known[text] = self._tried(text, among)
            if len(text) >= longest:
                longest, left = len(text), found
            return found & others

        return having

    def _tried(self, text: str, among: int) -> int:
        context = self._context(text)
        found = 0
        for at in _bits(among):
            work.spend()
            if self._fits(context, self._places[at]):
                found |= 1 << at
        return found


def _fits_before(view: str) -> _Fits:
    return lambda context, place: context.fits_before(view, place.start)


def _fits_after(view: str) -> _Fits:
    return lambda context, place: context.fits_after(view, place.end)


def _bits(number: int) -> Iterator[int]:
    """The bits that are set, the lowest first."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
