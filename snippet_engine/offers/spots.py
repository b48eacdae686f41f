"""Places that an anchor may mean, as offers name them.

Part of docs/design/engine.md §8. A candidate is one as the error shows it, with its ``anchor``; or
one that was looked for again, as there are more than an error shows: with its ``place``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from snippet_engine.anchors.anchor_for_place import Anchoring
from snippet_engine.anchors.symbol_anchor import scopes_of
from snippet_engine.anchors.text_anchor import fitting_places
from snippet_engine.csharp.declarations.symbols import enclosing_path
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.replace_all_scope import is_whole
from snippet_engine.explain.candidates import describe
from snippet_engine.offers.named import short_paths
from snippet_engine.request import Anchor, anchor_of

Candidate = Mapping[str, Any]

MAX_PLACES = 200
"""Places among which one is looked for."""
_SYMBOL_LENGTH = 20
"""What a symbol's path takes besides its length, in code points."""


def every_place(document: Document, anchor: Anchor, *, described: bool = False) -> list[Candidate]:
    """All places that ``anchor`` fits, if they are few enough, as candidates without anchors.

    Where they are ``described``, with their symbols, which take the longest to be known.
    """
    if anchor.target is None:
        return []
    places = fitting_places(document, anchor, scopes_of(document, anchor)) or []
    if len(places) > MAX_PLACES:
        return []
    if described:
        return [{**describe(document, each, None), "place": each} for each in places]
    positions = [document.source.position(each.start) for each in places]
    return [
        {"line": position.line + 1, "column": position.character + 1, "place": place}
        for position, place in zip(positions, places, strict=True)
    ]


def comment_places(document: Document, anchor: Anchor) -> list[Candidate]:
    """Where the target stands in comments, which an anchor of code leaves alone; at most
    ``MAX_PLACES``. A word is none as a part of a longer one."""
    if anchor.in_comment or anchor.target is None:
        return []
    aside = replace(anchor, in_comment=True)
    places = fitting_places(document, aside, scopes_of(document, aside)) or []
    return [
        {
            "line": document.source.line_number(each.start) + 1,
            "place": each,
            "in_comment": True,
        }
        for each in places[:MAX_PLACES]
        if is_whole(document, anchor, each)
    ]


def told(document: Document, candidate: Candidate) -> str:
    """Where a candidate is, in words."""
    symbol = candidate.get("symbol")
    if symbol is None and "place" in candidate:
        symbol = enclosing_path(document, candidate["place"].start)
    return f"line {candidate['line']}{f', in {symbol}' if symbol is not None else ''}"


class Spots:
    """Makes the anchors of a refused anchor's candidates."""

    def __init__(self, document: Document, anchor: Anchor) -> None:
        self._document = document
        self._anchor = anchor
        self._anchoring = Anchoring(document, scopes_of(document, anchor))

    def anchor(self, candidate: Candidate) -> Anchor | None:
        """What names the candidate alone; ``None`` where nothing does."""
        if "anchor" in candidate:
            return _short(self._document, candidate)
        anchor = self._anchor
        if candidate.get("in_comment"):
            anchor = replace(anchor, in_comment=True)
        return self._anchoring.at(anchor, candidate["place"])


def _short(document: Document, candidate: Mapping[str, Any]) -> Anchor:
    """The candidate's anchor, by its symbol where that is shorter than context.

    Of the symbol's path, only so much as names it.
    """
    anchor = anchor_of(candidate["anchor"])
    symbol = candidate.get("symbol")
    if anchor.target is None or symbol is None:  # the symbol itself, named as shortly as can be
        return anchor
    places = fitting_places(document, anchor, scopes_of(document, anchor))
    for path in short_paths(symbol):
        if len(anchor.before) + len(anchor.after) <= len(path) + _SYMBOL_LENGTH:
            break
        by_symbol = replace(anchor, symbol_path=path, before="", after="")
        if fitting_places(document, by_symbol, scopes_of(document, by_symbol)) == places:
            return by_symbol
    return anchor
