"""Begin the search for offers: every request that can't be planned comes through here.

Part of docs/design/engine.md §8. :mod:`.whole_request` repairs the request for the same tool, and
:mod:`.larger_tool` for a larger one.
"""

from __future__ import annotations

from snippet_engine import budget
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ErrorCode, Offer, SnippetError
from snippet_engine.fixes.history.track_position import Earlier
from snippet_engine.fixes.larger_tool import (
    as_change_set,
    but_for_its_size,
    takes_a_set,
    with_all_places,
)
from snippet_engine.fixes.whole_request import offers_for
from snippet_engine.request import EditRequest

_MAY_BE_TOO_MUCH = (
    ErrorCode.DIFF_TOO_LARGE,
    ErrorCode.SYMBOL_NOT_FOUND,  # The size of the change is known once the symbol is found.
)


def best_offers(
    document: Document, request: EditRequest, error: SnippetError, earlier: Earlier
) -> tuple[Offer, ...]:
    """Return :func:`.offers_for`, or a change set if the tool is too small.

    Raises :class:`.OutOfStepsError`, as that does.
    """
    faults = [
        (error.code, error.details),
        *((each["code"], each["details"]) for each in error.details.get("otherErrors", ())),
    ]
    codes = {code for code, _ in faults}
    if not request.limits.is_small:
        return offers_for(document, request, error, earlier)
    if codes.isdisjoint(_MAY_BE_TOO_MUCH):
        if takes_a_set(request, faults):
            return with_all_places(document, request, error, earlier)
        return offers_for(document, request, error, earlier)
    # A change that can't be split stays too large, whatever else is repaired.
    if any(
        code == ErrorCode.DIFF_TOO_LARGE and "instructions" not in each for code, each in faults
    ):
        return as_change_set(document, request, earlier, but_for_its_size(request, error))
    try:
        found = offers_for(document, request, error, earlier)
    except budget.OutOfStepsError:
        found = ()
    return found or as_change_set(document, request, earlier)
