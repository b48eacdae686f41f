"""The places of one text, and which of them a context fits.

Part of docs/design/engine.md §8. To find the least context that makes a place unique, dozens of
contexts are tried, each some lines longer than the last. All places of one text have the same
look-alikes. So results are kept: a place that a context doesn't fit is not fitted by a longer one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Self

from snippet_engine import budget
from snippet_engine.anchors.context import blanks_after, blanks_before, occurrences
from snippet_engine.source_text import TextRange

MOST = 250
"""Places that are kept."""

_REACH = 800
"""How much of the text next to a place is read first, in code points."""
_FURTHER = 8
"""How many times as much then, where a context is longer."""


class LookAlikes:
    """The places of a text within some scopes, asked which contexts fit them."""

    def __init__(
        self, view: str, places: Sequence[TextRange], is_wanted: Callable[[TextRange], bool]
    ) -> None:
        """Only places that ``is_wanted`` count."""
        self._places = places
        self._is_wanted = cache(is_wanted)
        self._above = _Side([_Above(view, each.start) for each in places])
        self._below = _Side([_Below(view, each.end) for each in places])

    @classmethod
    def of(
        cls,
        view: str,
        text: str,
        scopes: Sequence[TextRange],
        is_wanted: Callable[[TextRange], bool],
    ) -> Self | None:
        """Those of ``text`` in ``scopes``; ``None`` where they are more than ``MOST``."""
        budget.spend_reading(sum(scope.end - scope.start for scope in scopes))
        places = list(islice(occurrences(view, text, scopes), MOST + 1))
        return cls(view, places, is_wanted) if len(places) <= MOST else None

    def besides(self, place: TextRange) -> Callable[[str, str], bool]:
        """Whether a ``before`` and ``after`` that stand around ``place`` fit another place too."""
        others = sum(1 << at for at, each in enumerate(self._places) if each != place)
        above, below = self._above.asked(others), self._below.asked(others)

        def fits_elsewhere(before: str, after: str) -> bool:
            both = above(_by_lines(before.rstrip())) & below(_by_lines(after.lstrip()))
            return any(self._is_wanted(self._places[at]) for at in _bits(both))

        return fits_elsewhere


class _Beside(ABC):
    """The text next to one place, without white space at the ends of its lines and at the place."""

    def __init__(self, view: str, offset: int) -> None:
        self._view = view
        self._offset = offset
        self._reach = _REACH
        self._text, self._is_all = self._read()

    def has(self, text: str) -> bool:
        """Whether ``text``, which is without such blanks as well, stands right there."""
        while len(self._text) < len(text) and not self._is_all:
            self._reach *= _FURTHER
            self._text, self._is_all = self._read()
        return self._begins_with(text)

    @abstractmethod
    def _read(self) -> tuple[str, bool]:
        """Return the text within reach, and whether that is all of it."""

    @abstractmethod
    def _begins_with(self, text: str) -> bool:
        """Whether ``text`` is what is nearest to the place."""


class _Above(_Beside):
    def _read(self) -> tuple[str, bool]:
        end = blanks_before(self._view, self._offset)
        start = max(end - self._reach, 0)
        budget.spend_reading(end - start)
        return _by_lines(self._view[start:end]), start == 0

    def _begins_with(self, text: str) -> bool:
        return self._text.endswith(text)


class _Below(_Beside):
    def _read(self) -> tuple[str, bool]:
        start = blanks_after(self._view, self._offset)
        end = min(start + self._reach, len(self._view))
        budget.spend_reading(end - start)
        return _by_lines(self._view[start:end]), end == len(self._view)

    def _begins_with(self, text: str) -> bool:
        return self._text.startswith(text)


class _Side:
    """Which places have a text on one side of them. A set of places is the bits of a number."""

    def __init__(self, beside: Sequence[_Beside]) -> None:
        self._beside = beside
        self._known: dict[str, int] = {"": (1 << len(beside)) - 1}

    def asked(self, others: int) -> Callable[[str], int]:
        """Return which of the ``others`` have a text that stands next to one place.

        Of two such texts, the longer one extends the shorter one.
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
        budget.spend(among.bit_count())
        return sum(1 << at for at in _bits(among) if self._beside[at].has(text))


def _by_lines(text: str) -> str:
    """``text`` without blanks at the ends of its lines, which no context is compared with."""
    return "\n".join(map(str.rstrip, text.split("\n")))


def _bits(number: int) -> Iterator[int]:
    """The bits that are set, the lowest first."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
