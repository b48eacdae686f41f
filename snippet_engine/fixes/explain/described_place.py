"""Describe a place for an error: its line, its symbol, and the anchor to send.

Implements docs/design/engine.md §8.
"""

from __future__ import annotations

from typing import Any

from snippet_engine.csharp.declarations.symbols import enclosing_path
from snippet_engine.csharp.document import Document
from snippet_engine.errors import shortened
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

MAX_CANDIDATES = 10
"""Most places that an error shows."""
MAX_SHOWN_LINE = 160
"""Longest line that a candidate shows, in code points."""
_MAX_NAMED = 2_000_000
"""Longest text, in code points, for which candidates name their symbol."""


def describe(document: Document, place: TextRange, anchor: Anchor | None) -> dict[str, Any]:
    """Return one candidate: one-based ``line`` and ``column``, ``text``, ``symbol``?, ``anchor``?.

    Omit the symbol in a very long text, because it takes the whole syntax tree to find it.
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
