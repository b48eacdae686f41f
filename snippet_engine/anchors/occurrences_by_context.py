"""Find which occurrences of a text a context matches.

Part of docs/design/engine.md §8. The search for the least unique context tries dozens of contexts,
each some lines longer than the last. All occurrences of a text share the same look-alikes, so
results are cached: where a context doesn't match, a longer one doesn't either.
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
"""Most occurrences that are handled this way."""

_REACH = 800
"""How much text next to a place is read at first, in code points."""
_FURTHER = 8
"""Factor for the next read, if a context is longer."""


class OccurrencesByContext:
    """The occurrences of a text within some scopes, and which contexts match there."""

    def __init__(
        self, view: str, places: Sequence[TextRange], is_wanted: Callable[[TextRange], bool]
    ) -> None:
        """Take the occurrences; only those for which ``is_wanted`` is true count."""
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
        """Return the occurrences of ``text`` in ``scopes``; ``None`` if more than ``MOST``."""
        budget.spend_reading(sum(scope.end - scope.start for scope in scopes))
        places = list(islice(occurrences(view, text, scopes), MOST + 1))
        return cls(view, places, is_wanted) if len(places) <= MOST else None

    def besides(self, place: TextRange) -> Callable[[str, str], bool]:
        """Return a test whether ``before`` and ``after``, taken from ``place``, match elsewhere."""
        others = sum(1 << at for at, each in enumerate(self._places) if each != place)
        above, below = self._above.asked(others), self._below.asked(others)

        def fits_elsewhere(before: str, after: str) -> bool:
            both = above(_by_lines(before.rstrip())) & below(_by_lines(after.lstrip()))
            return any(self._is_wanted(self._places[at]) for at in _bits(both))

        return fits_elsewhere


class _Beside(ABC):
    """The text on one side of a place, without blanks at the place and at the ends of lines."""

    def __init__(self, view: str, offset: int) -> None:
        self._view = view
        self._offset = offset
        self._reach = _REACH
        self._text, self._is_all = self._read()

    def has(self, text: str) -> bool:
        """Whether ``text``, stripped of blanks in the same way, is next to the place."""
        while len(self._text) < len(text) and not self._is_all:
            self._reach *= _FURTHER
            self._text, self._is_all = self._read()
        return self._begins_with(text)

    @abstractmethod
    def _read(self) -> tuple[str, bool]:
        """Return the text within reach, and whether that is the whole text."""

    @abstractmethod
    def _begins_with(self, text: str) -> bool:
        """Whether the text nearest to the place is ``text``."""


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
    """Finds the places with a given text on one side; a set of places is a bit mask."""

    def __init__(self, beside: Sequence[_Beside]) -> None:
        self._beside = beside
        self._known: dict[str, int] = {"": (1 << len(beside)) - 1}

    def asked(self, others: int) -> Callable[[str], int]:
        """Return a function that returns which of the ``others`` have a text.

        Each text is taken from next to one place. So of two, the longer one extends the shorter.
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
    """Return ``text`` without the trailing blanks of its lines, because contexts ignore them."""
    return "\n".join(map(str.rstrip, text.split("\n")))


def _bits(number: int) -> Iterator[int]:
    """Yield the numbers of the set bits, the lowest first."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
