"""Find offers for a request that can't be planned, for its own tool or as a change set.

Part of docs/design/engine.md §8. :mod:`.whole_request` repairs the request for either tool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from snippet_engine import budget
from snippet_engine.change_request import ChangeRequest, change_of
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan, plan_edits
from snippet_engine.errors import ErrorCode, Offer, SnippetError
from snippet_engine.fixes.explain.plan_or_explain import plan_or_explain
from snippet_engine.fixes.history.track_position import Earlier
from snippet_engine.fixes.whole_request import offers_for
from snippet_engine.limits import CHANGE_SET
from snippet_engine.request import EditRequest, instruction_of

TOOL = "edit_scripts"

_OF_A_CHANGE = ("path", "expectedHash", "instructions")


def takes_a_set(request: EditRequest, faults: Sequence[tuple[str, Mapping[str, Any]]]) -> bool:
    """Whether all faults are ambiguous anchors with too many places for this tool.

    If so, only a change set can edit all of the places.
    """
    if any(code != ErrorCode.AMBIGUOUS_ANCHOR for code, _ in faults):
        return False
    places = len(request.instructions) - len(faults) + sum(each["matches"] for _, each in faults)
    return bool(request.limits.instructions < places <= CHANGE_SET.instructions)


def with_all_places(
    document: Document, request: EditRequest, error: SnippetError, earlier: Earlier
) -> tuple[Offer, ...]:
    """Offer each place in the small tool, and all of them as a change set."""
    larger = replace(request, limits=CHANGE_SET)
    found = offers_for(document, larger, error, earlier)
    small = [_fits(document, request, each) for each in found]
    if any(not fits and not each.takes_all for each, fits in zip(found, small, strict=True)):
        return offers_for(document, request, error, earlier)
    return tuple(
        each if fits else as_offer_of_set(larger, each)
        for each, fits in zip(found, small, strict=True)
    )


def _fits(document: Document, request: EditRequest, offer: Offer) -> bool:
    every = tuple(map(instruction_of, offer.arguments["instructions"]))
    if len(every) > request.limits.instructions:
        return False
    return isinstance(plan_edits(document, every, request.limits), Plan)


def as_change_set(document: Document, request: EditRequest, earlier: Earlier) -> tuple[Offer, ...]:
    """Offer the request as a change set, with its other faults repaired."""
    larger = replace(request, limits=CHANGE_SET)
    plan = plan_or_explain(document, larger.instructions, larger.limits)
    if not isinstance(plan, SnippetError):
        return (Offer("as a change set", as_set(larger), tool=TOOL),)
    return tuple(
        as_offer_of_set(larger, each) for each in offers_for(document, larger, plan, earlier)
    )


def as_offer_of_set(request: EditRequest, offer: Offer) -> Offer:
    """Return an offer for the small tool as an offer for the larger tool."""
    return replace(
        offer,
        what=f"as a change set; {offer.what}",
        arguments=as_set(request, offer.arguments),
        tool=TOOL,
    )


def as_set(request: EditRequest, instead: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the request as arguments of ``edit_scripts``.

    With ``instead``, return that offered request.
    """
    sent = instead or request.to_json()
    change = change_of({key: sent[key] for key in _OF_A_CHANGE if key in sent})
    whole = ChangeRequest(
        request.apply,
        (change,),
        request.validation,
        request.client_request_id,
        request.timeout_ms,
    )
    return whole.to_json()


_MAY_BE_TOO_MUCH = (
    ErrorCode.DIFF_TOO_LARGE,
    ErrorCode.SYMBOL_NOT_FOUND,  # The size of the change is known once the symbol is found.
)


def best_offers(
    document: Document, request: EditRequest, error: SnippetError, earlier: Earlier
) -> tuple[Offer, ...]:
    """Return :func:`.offers_for`, or a change set if the request exceeds the tool's limits.

    Raises :class:`.OutOfStepsError` if the search takes too many steps.
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
    # If a change can't be split, it stays too large, whatever else is repaired.
    if any(
        code == ErrorCode.DIFF_TOO_LARGE and "instructions" not in each for code, each in faults
    ):
        return as_change_set(document, request, earlier)
    try:
        found = offers_for(document, request, error, earlier)
    except budget.OutOfStepsError:
        found = ()
    return found or as_change_set(document, request, earlier)
