"""Places that an anchor may mean, as an error shows them: with the whole anchor to send.

Implements spec 01-snippet-engine §8 and law 7 of §10: an offered anchor resolves to exactly
the place that it is offered for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from snippet_engine.anchors.context import occurrences
from snippet_engine.anchors.unique_context import with_unique_context
from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.csharp.symbols import enclosing_path
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

_MAX_CLASSIFIED = 2000
"""Places looked up in the scan when a text stands very often; the rest count as code."""


def by_kind(
    document: Document, places: Sequence[TextRange]
) -> tuple[list[TextRange], list[TextRange]]:
    """``places`` parted into those in code (string literals too) and those in comments."""
    in_code: list[TextRange] = []
    in_comments: list[TextRange] = []
    for place in places[:_MAX_CLASSIFIED]:
        in_comment = document.span_kind(*place) is SpanKind.COMMENT
        (in_comments if in_comment else in_code).append(place)
    in_code.extend(places[_MAX_CLASSIFIED:])
    return in_code, in_comments


def all_occurrences(view: str, target: str, scopes: Sequence[TextRange]) -> list[TextRange]:
    """Every place in ``scopes`` where ``target`` stands."""
    return [place for scope in scopes for place in occurrences(view, target, scope)]


def anchor_at(
    document: Document, anchor: Anchor, place: TextRange, scopes: Sequence[TextRange]
) -> Anchor:
    """``anchor`` changed to name ``place``: its text, the least context, ``in`` if needed."""
    view = document.source.view
    target = view[place.start : place.end]
    in_code, in_comments = by_kind(document, all_occurrences(view, target, scopes))
    in_comment = place in in_comments
    return with_unique_context(
        view,
        replace(anchor, target=target, in_comment=in_comment),
        place,
        in_comments if in_comment else in_code,
    )


def describe(document: Document, place: TextRange, anchor: Anchor) -> dict[str, Any]:
    """One candidate: one-based ``line`` and ``column``, ``text``, ``symbol``?, ``anchor``."""
    position = document.source.position(place.start)
    body: dict[str, Any] = {
        "line": position.line + 1,
        "column": position.character + 1,
        "text": shorten(document.source.line_at(place.start).strip()),
    }
    symbol = enclosing_path(document, place.start)
    if symbol is not None:
        body["symbol"] = symbol
    body["anchor"] = anchor.to_json()
    return body


def shorten(text: str, limit: int = 160) -> str:
    """``text`` cut to ``limit`` code points, the cut shown."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
