"""The result of resolving an anchor: one place, or the reason why none was found.

Part of docs/design/engine.md §1. The reason carries the data for an explanation;
:mod:`snippet_engine.fixes.explain` words it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from snippet_engine.csharp.declarations.symbols import Declaration
from snippet_engine.errors import ErrorCode
from snippet_engine.source_text import TextRange


class Reason(StrEnum):
    """Why an anchor names no single place."""

    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"
    ONLY_IN_COMMENTS = "only_in_comments"
    TOO_MANY_PLACES = "too_many_places"
    """The target has more places than the search examines."""
    OUT_OF_STEPS = "out_of_steps"
    """The search needs more steps than the request may take."""
    TOO_MANY_TO_CLASSIFY = "too_many_to_classify"
    """So many places match that telling code from comments takes too long."""
    SYMBOL_NOT_FOUND = "symbol_not_found"
    NO_SUCH_PART = "no_such_part"
    """The symbol doesn't have the part that the anchor names."""
    SYMBOL_AMBIGUOUS = "symbol_ambiguous"
    """The path names several declarations, and the target, if any, doesn't decide between them."""
    SYMBOL_OUT_OF_CONTEXT = "symbol_out_of_context"
    """The symbol is declared, but the context doesn't match around it."""


_CODES: Mapping[Reason, ErrorCode] = {
    Reason.NOT_FOUND: ErrorCode.ANCHOR_NOT_FOUND,
    Reason.AMBIGUOUS: ErrorCode.AMBIGUOUS_ANCHOR,
    Reason.ONLY_IN_COMMENTS: ErrorCode.ANCHOR_IN_COMMENT,
    Reason.TOO_MANY_PLACES: ErrorCode.AMBIGUOUS_ANCHOR,
    Reason.OUT_OF_STEPS: ErrorCode.AMBIGUOUS_ANCHOR,
    Reason.TOO_MANY_TO_CLASSIFY: ErrorCode.AMBIGUOUS_ANCHOR,
    Reason.SYMBOL_NOT_FOUND: ErrorCode.SYMBOL_NOT_FOUND,
    Reason.NO_SUCH_PART: ErrorCode.SYMBOL_NOT_FOUND,
    Reason.SYMBOL_AMBIGUOUS: ErrorCode.AMBIGUOUS_ANCHOR,
    Reason.SYMBOL_OUT_OF_CONTEXT: ErrorCode.ANCHOR_NOT_FOUND,
}


@dataclass(frozen=True, slots=True)
class Unresolved:
    """The reason why an anchor names no single place, with its data. Places are in ``scopes``."""

    reason: Reason
    scopes: Sequence[TextRange] = ()
    places: Sequence[TextRange] = ()
    """The matches of the kind that the anchor asks for: code, or comments."""
    in_comments: Sequence[TextRange] = ()
    """The matches in comments."""
    further: int = 0
    """How many matches are not listed."""
    symbols: Sequence[Declaration] = ()
    """The declarations with the symbol path."""
    by_symbol: Sequence[tuple[str, Resolved | Unresolved]] = ()
    """The result for the target in each of ``symbols``."""
    problem: str = ""
    """Why the symbol path can't be read."""

    @property
    def count(self) -> int:
        """Return how many places match, whether listed or only counted."""
        return len(self.places) + self.further

    @property
    def code(self) -> ErrorCode:
        """Return the error code for a request with this anchor."""
        return _CODES[self.reason]


@dataclass(frozen=True, slots=True)
class Resolved:
    """The one place that an anchor names."""

    place: TextRange
    declaration: Declaration | None = None
    """The symbol, if the anchor names a whole symbol."""
    comments_set_aside: tuple[TextRange, ...] = ()
    """Matches in comments that were ignored because one in code was found."""
    part_of: Declaration | None = None
    """The symbol, if the anchor names one of its parts."""
    loosely: Unresolved | None = None
    """All places where the context matches apart from white space, if only this one is exact."""
