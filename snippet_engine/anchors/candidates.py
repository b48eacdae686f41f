"""Places that an anchor may mean, as an error shows them: with the whole anchor to send.

Implements docs/design/engine.md §8 and law 7 of §10: an offered anchor resolves to exactly
the place that it is offered for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

from snippet_engine import budget
from snippet_engine.anchors.context import Context, blanks_after, blanks_before, occurrences
from snippet_engine.anchors.look_alikes import LookAlikes
from snippet_engine.anchors.rivals import may_stand_at
from snippet_engine.anchors.unique_context import with_unique_context
from snippet_engine.csharp.declarations.symbols import enclosing_path
from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.errors import shortened
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

MAX_SHOWN_LINE = 160
"""Longest line that a candidate shows, in code points."""

MAX_CLASSIFIED = 500
"""Places looked up in the scan when a text stands very often, if they settle the matter."""
_HARD_LIMIT = 40
_PER_LOOK_UP = 4
"""Steps that it takes to look one up."""
MAX_RIVALS = 20_000
"""Places that a context is tried at in all, until one is found that fits a single one."""
_MAX_NAMED = 2_000_000
"""Longest text, in code points, of which candidates tell the symbol."""
_MAX_COPIES = 4
"""Places with the same text around them that are looked at before all others."""
MAX_SCANNED = 500_000
"""Code points of lines scanned for that; each look-up scans the place's line."""


def by_kind(
    document: Document, places: Sequence[TextRange], *, in_comment: bool = False
) -> tuple[list[TextRange], list[TextRange]] | None:
    """``places`` parted into those in code (string literals too) and those in comments.

    Beyond ``MAX_CLASSIFIED`` or ``MAX_SCANNED``, the rest count as code once two of the wanted
    kind are known (comments with ``in_comment``): there is no single place then, whatever
    they are. ``None`` where that isn't settled beyond :data:`_HARD_LIMIT` times as much: which of
    them is the one isn't looked for.
    """
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
            stands_in(document, place, comment=True)
            if in_comment
            else (not stands_in(document, place, comment=False))
        )
        (in_comments if is_comment else in_code).append(place)
    return in_code, in_comments


def stands_in(document: Document, place: TextRange, *, comment: bool) -> bool:
    """Whether ``place`` is one for an anchor that asks for a comment, or for one that doesn't.

    A comment with its indentation or line break is both: it isn't wholly a comment, but who asks
    for one means it.
    """
    if comment:
        text = document.source.view[place.start : place.end]
        start = place.start + len(text) - len(text.lstrip())
        place = TextRange(start, start + len(text.strip())) if text.strip() else place
    return (document.span_kind(*place) is SpanKind.COMMENT) == comment


def anchor_at(
    document: Document, anchor: Anchor, place: TextRange, scopes: Sequence[TextRange]
) -> Anchor | None:
    """``anchor`` changed to name ``place``: its text, the least context, ``in`` if needed.

    ``None`` where no context tells the place from others (see :mod:`.unique_context`).
    """
    return Anchoring(document, scopes).at(anchor, place)


class Anchoring:
    """Makes anchors for places of a document that are looked for in some scopes.

    For places of one text it takes far less than :func:`anchor_at` for each of them.
    """

    def __init__(self, document: Document, scopes: Sequence[TextRange]) -> None:
        self._document = document
        self._scopes = scopes
        self._look_alikes: dict[tuple[str, bool], LookAlikes | None] = {}

    def at(self, anchor: Anchor, place: TextRange) -> Anchor | None:
        """As :func:`anchor_at`."""
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
            self._look_alikes[key] = LookAlikes.of(view, target, self._scopes, is_wanted)
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
    """Whether a context fits one of very many other places, as far as ``MAX_RIVALS`` tell."""
    target = view[place.start : place.end]
    tried = 0

    def is_rival(other: TextRange) -> bool:
        return other != place and is_wanted(other)

    def fits_elsewhere(before: str, after: str) -> bool:
        nonlocal tried
        if any(map(is_rival, _copies(view, place, before, after, scopes))):
            return True
        context = Context(before, after)
        for rival in may_stand_at(view, target, context, scopes):
            tried += 1
            if tried > MAX_RIVALS:
                return True  # as far as can be told
            if context.fits(view, rival) and is_rival(rival):
                return True
        return False

    return fits_elsewhere


def _repeats_in_its_run(view: str, place: TextRange) -> bool:
    """Whether white space stands once more in the white space around it: no context tells."""
    run = TextRange(blanks_before(view, place.start), blanks_after(view, place.end))
    rivals = occurrences(view, view[place.start : place.end], [run])
    return any(other != place for other in islice(rivals, 2))


def _copies(
    view: str, place: TextRange, before: str, after: str, scopes: Sequence[TextRange]
) -> list[TextRange]:
    """A few other places that have the very text around them that ``place`` has.

    The context stands around it. Where there are some, that is quickly found; where there are
    none, it says nothing: white space doesn't count.
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


def describe(document: Document, place: TextRange, anchor: Anchor | None) -> dict[str, Any]:
    """One candidate: one-based ``line`` and ``column``, ``text``, ``symbol``?, ``anchor``?.

    Of a very long text the symbol isn't told: it takes the whole tree to know it.
    """
    position = document.source.position(place.start)
    body: dict[str, Any] = {
        "line": position.line + 1,
        "column": position.character + 1,
        "text": shortened(document.source.line_at(place.start).strip(), MAX_SHOWN_LINE),
    }
    is_short = len(document.source.view) <= _MAX_NAMED
    symbol = enclosing_path(document, place.start) if is_short else None
    if symbol is not None:
        body["symbol"] = symbol
    if anchor is not None:
        body["anchor"] = anchor.to_json()
    return body
