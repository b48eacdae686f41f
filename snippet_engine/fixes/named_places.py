"""Find the places of an anchor that a request names, and make an anchor for each place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from snippet_engine.anchors.anchor_for_place import Anchoring
from snippet_engine.anchors.resolver import scopes_of
from snippet_engine.anchors.text_anchor import fitting_places
from snippet_engine.csharp.declarations.symbols import enclosing_path
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.replace_all_scope import is_whole
from snippet_engine.fixes.explain.described_place import describe
from snippet_engine.request import Anchor, anchor_of

SEGMENTS = re.compile(r"\.(?![^(<]*[)>])")
"""The dots between the parts of a symbol's path."""

_WORD = re.compile(r"~?\w+")
"""A name, or the name of a finalizer."""
_LINE = re.compile(r"\b(?:lines?|L)\s*#?:?\s*(\d{1,7})\b", re.IGNORECASE)
_NEAR = 3
"""Most lines between the line that the request names and the place that it means."""


def named_places(
    texts: Sequence[tuple[str, str]], candidates: Sequence[Mapping[str, Any]]
) -> tuple[list[Mapping[str, Any]], str]:
    """Return the candidates that other parts of the request name, and the reason."""
    for found, basis in (_by_line(texts, candidates), _by_symbol(texts, candidates)):
        if found:
            return found, basis
    return [], ""


def _by_symbol(
    texts: Sequence[tuple[str, str]], candidates: Sequence[Mapping[str, Any]]
) -> tuple[list[Mapping[str, Any]], str]:
    """Return the candidates in a symbol that the texts name, by path or by name."""
    symbols = [each.get("symbol", "") for each in candidates]
    ways = {way for path in set(symbols) for way in _ways_to(path)}
    paths = {path for path in ways if any(_names(text, path) for _, text in texts)}
    if paths:
        path = max(paths, key=lambda each: (len(each), each))
        return [
            each for each in candidates if path in _ways_to(each.get("symbol", ""))
        ], f"metadata names {path}"
    said = {word for _, text in texts for word in _WORD.findall(text)}
    names = {path: set(_WORD.findall(path.partition("(")[0])) for path in symbols}
    hits: dict[str, str] = {}
    for path, own in names.items():
        others = {name for other, found in names.items() if other != path for name in found}
        named = sorted((own - others) & said)
        if named:
            hits[path] = named[0]
    if len(hits) != 1:
        return [], ""
    ((path, name),) = hits.items()
    return [each for each in candidates if each.get("symbol", "") == path], f"metadata names {name}"


def _ways_to(path: str) -> list[str]:
    """Return the paths of a symbol and of its containers, except the outermost one."""
    parts = SEGMENTS.split(path)
    least = min(2, len(parts))
    return [".".join(parts[:count]) for count in range(least, len(parts) + 1)] if path else []


def _names(text: str, path: str) -> bool:
    """Return whether a text contains ``path``, but not as a part of a longer path."""
    return re.search(rf"(?<![\w.]){re.escape(path)}(?!\.?\w)", text) is not None


def _by_line(
    texts: Sequence[tuple[str, str]], candidates: Sequence[Mapping[str, Any]]
) -> tuple[list[Mapping[str, Any]], str]:
    """Return the candidate on the one line that the texts name, or clearly nearest to it."""
    lines = {int(number) for _, text in texts for number in _LINE.findall(text)}
    lines |= {
        int(text)
        for key, text in texts
        if "line" in key.lower() and text.strip().isascii() and text.strip().isdigit()
    }
    if len(lines) != 1:
        return [], ""
    (line,) = lines
    nearest = sorted(candidates, key=lambda each: abs(each["line"] - line))
    away = abs(nearest[0]["line"] - line)
    if away > _NEAR or (len(nearest) > 1 and abs(nearest[1]["line"] - line) <= 2 * away):
        return [], ""
    return [nearest[0]], f"metadata names line {line}"


Candidate = Mapping[str, Any]


MAX_PLACES = 200
"""Most places that are searched."""


def every_place(document: Document, anchor: Anchor, *, described: bool = False) -> list[Candidate]:
    """Return all places of ``anchor`` as candidates without anchors, if they are few.

    Candidates have their symbols, which take the longest to find, only if ``described``.
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
    """Return the places in comments where the target is a whole word, at most ``MAX_PLACES``."""
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


def describe_place(document: Document, candidate: Candidate) -> str:
    """Describe where a candidate is."""
    symbol = candidate.get("symbol")
    if symbol is None and "place" in candidate:
        symbol = enclosing_path(document, candidate["place"].start)
    return f"line {candidate['line']}{f', in {symbol}' if symbol is not None else ''}"


class Spots:
    """Makes the anchors for a refused anchor's candidates."""

    def __init__(self, document: Document, anchor: Anchor) -> None:
        self._anchor = anchor
        self._anchoring = Anchoring(document, scopes_of(document, anchor))

    def anchor(self, candidate: Candidate) -> Anchor | None:
        """Return an anchor that names only this candidate; ``None`` if there is none."""
        if "anchor" in candidate:
            return anchor_of(candidate["anchor"])
        anchor = self._anchor
        if candidate.get("in_comment"):
            anchor = replace(anchor, in_comment=True)
        return self._anchoring.at(anchor, candidate["place"])
