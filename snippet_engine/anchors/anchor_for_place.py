"""Make the anchor for a place of a document: its text, and the least context that is unique.

Implements law 7 of docs/design/engine.md §10: an offered anchor resolves to exactly the place that
it is offered for. The search tries dozens of contexts, each some lines longer than the last. All
occurrences of a text share the same look-alikes, so results are cached: where a context doesn't
match, a longer one doesn't either.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Self

from snippet_engine import budget
from snippet_engine.anchors.context import Context, blanks_after, blanks_before, occurrences
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
    """Return a test whether a context matches one of very many other places."""
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
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
