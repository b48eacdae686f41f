"""Resolve any anchor to exactly one place: a symbol, a part of it, or a text.

Implements docs/design/engine.md §1 "Symbol anchor". :mod:`.text_anchor` finds the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from snippet_engine import budget
from snippet_engine.anchors.context import Context
from snippet_engine.anchors.resolution import Reason, Resolved, Unresolved
from snippet_engine.anchors.text_anchor import exact_among, fitting_places, resolve_text
from snippet_engine.csharp.declarations.parts import part_range
from snippet_engine.csharp.declarations.symbol_path import SymbolPathProblem, resolve
from snippet_engine.csharp.declarations.symbols import Declaration
from snippet_engine.csharp.document import Document
from snippet_engine.request import Anchor, SymbolPart
from snippet_engine.source_text import TextRange

_PER_SCOPE = 5
"""Steps for searching a text in one more symbol."""
_MAX_PLACES = 10
"""Most places of a target that are collected, over all symbols of an ambiguous path."""


def resolve_anchor(document: Document, anchor: Anchor) -> Resolved | Unresolved:
    """Return the one place that the anchor names in ``document``."""
    if anchor.symbol_path is None:
        return resolve_text(document, anchor, [TextRange(0, len(document.source.view))])
    found = resolve(document, anchor.symbol_path)
    if isinstance(found, SymbolPathProblem):
        return Unresolved(Reason.SYMBOL_NOT_FOUND, problem=found.message)
    if not found:
        return Unresolved(Reason.SYMBOL_NOT_FOUND)
    if anchor.target is None:
        return _whole(document, anchor, found)
    if len({each.path for each in found}) > 1:
        return _in_each(document, anchor, found)
    # Several declarations of one path are the parts of a partial type: one scope.
    scopes = _scopes(document, anchor, found)
    if not scopes:
        return Unresolved(Reason.NO_SUCH_PART, symbols=found)
    return resolve_text(document, anchor, scopes)


def scopes_of(document: Document, anchor: Anchor) -> list[TextRange]:
    """Return where an anchor's target is searched; empty unless its path names one symbol."""
    if anchor.symbol_path is None:
        return [TextRange(0, len(document.source.view))]
    found = resolve(document, anchor.symbol_path)
    if isinstance(found, SymbolPathProblem) or len({each.path for each in found}) != 1:
        return []
    return _scopes(document, anchor, found)


def place_in(document: Document, anchor: Anchor) -> TextRange | None:
    """Return the one place that ``anchor`` names; ``None`` without a target or a single place."""
    if anchor.target is None or anchor.target not in document.source.view:
        return None
    places = fitting_places(document, anchor, scopes_of(document, anchor))
    if places is None or len(places) == 1:
        return None if places is None else places[0]
    return exact_among(document, anchor, places)


def _scopes(document: Document, anchor: Anchor, found: Sequence[Declaration]) -> list[TextRange]:
    if anchor.part is SymbolPart.DECLARATION:
        return [each.search for each in found]
    parts = (part_range(document, each, anchor.part) for each in found)
    return [each for each in parts if each is not None]


def _whole(
    document: Document, anchor: Anchor, found: Sequence[Declaration]
) -> Resolved | Unresolved:
    context = Context(anchor.before, anchor.after)
    fitting = [each for each in found if context.fits(document.source.view, each.full)]
    if len(fitting) != 1:
        reason = Reason.SYMBOL_AMBIGUOUS if fitting else Reason.SYMBOL_OUT_OF_CONTEXT
        return Unresolved(reason, symbols=fitting or found)
    if anchor.part is SymbolPart.DECLARATION:
        return Resolved(fitting[0].full, fitting[0])
    part = part_range(document, fitting[0], anchor.part)
    if part is None:
        return Unresolved(Reason.NO_SUCH_PART, symbols=fitting)
    return Resolved(part, part_of=fitting[0])


def _in_each(document: Document, anchor: Anchor, found: Sequence[Declaration]) -> Unresolved:
    """Search the target in each of the symbols that the path names."""
    scopes: dict[str, list[TextRange]] = {}
    for each in found:
        scopes.setdefault(each.path, []).append(each.search)
    by_symbol: list[tuple[str, Resolved | Unresolved]] = []
    count = 0
    try:
        for path, within in scopes.items():
            budget.spend(_PER_SCOPE)
            match = resolve_text(document, replace(anchor, symbol_path=path), within)
            by_symbol.append((path, match))
            if isinstance(match, Resolved):
                count += 1
            elif match.reason is not Reason.NOT_FOUND:
                count += max(1, len(match.places) + len(match.in_comments))
            if count >= _MAX_PLACES:
                break
    except budget.OutOfStepsError:
        return Unresolved(Reason.SYMBOL_AMBIGUOUS, symbols=found, by_symbol=by_symbol)
    is_missing = not any(
        isinstance(each, Resolved) or each.reason is not Reason.NOT_FOUND for _, each in by_symbol
    )
    reason = Reason.NOT_FOUND if is_missing else Reason.SYMBOL_AMBIGUOUS
    return Unresolved(reason, symbols=found, by_symbol=by_symbol)
