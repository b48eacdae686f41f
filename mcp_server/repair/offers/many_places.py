"""An edit that was asked for at more places than one request, or its text, takes: the first ones.

Implements docs/design/server-and-bridge.md §2 "Repair".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp_server.repair.offers.nearest import Offer, without_everywhere
from mcp_server.repair.offers.refusal import Refusal
from snippet_engine.errors import ErrorCode
from snippet_engine.limits import MAX_INSTRUCTIONS, MAX_SET_INSTRUCTIONS
from snippet_engine.schemas.schema_check import Problem


def with_first_places(refusal: Refusal, error: Mapping[str, Any]) -> Refusal | None:
    """``refusal`` with what to do first, and as many places as its text has room for.

    ``error`` is the engine's about the first offer. ``None`` unless every place was asked for, and
    there are more than one request takes.
    """
    matches = matches_of(refusal, error)
    if matches is None or matches + _others(refusal) <= MAX_SET_INSTRUCTIONS:
        return None
    why = Problem(
        (),
        f"the anchor fits {matches} places: send requests of at most {MAX_SET_INSTRUCTIONS} "
        "instructions to edit_scripts, one after the other, the first lines first",
    )
    told = replace(refusal, offers=(), problems=(why, *refusal.problems))
    return first_places(told, refusal, error) or told


def matches_of(refusal: Refusal, error: Mapping[str, Any]) -> int | None:
    """How many places have to be changed, where every one was asked for."""
    at, found = refusal.everywhere, error.get("details")
    if at is None or error.get("code") != ErrorCode.AMBIGUOUS_ANCHOR:
        return None
    if error.get("instruction") != at or not isinstance(found, Mapping):
        return None
    return int(found.get("matches", 0)) - int(found.get("haveNewText", 0))


def _others(refusal: Refusal) -> int:
    return len(refusal.offers[0].arguments["instructions"]) - 1


def first_places(told: Refusal, refusal: Refusal, error: Mapping[str, Any]) -> Refusal | None:
    """``told`` with as many places as its text has room for, two at least, as a choice.

    ``refusal`` has the first offer, which ``error`` is about. ``None`` if there are none.
    """
    matches = matches_of(refusal, error)
    # Who sends all of it again would do the others twice.
    if matches is None or _others(refusal):
        return None
    request = refusal.offers[0].arguments
    edit = without_everywhere(request["instructions"][0])
    anchors = [
        each["anchor"]
        for each in error["details"].get("candidates", ())
        if "anchor" in each and not each.get("hasNewText")
    ]
    for count in range(min(len(anchors), MAX_INSTRUCTIONS), 1, -1):
        some = [{**edit, "anchor": anchor} for anchor in anchors[:count]]
        what = f"the first {count} of the {matches} places. Send yours again then"
        offer = Offer(what, {**request, "instructions": some}, is_part=True)
        part = replace(told, offers=(offer,))
        if "\nchoice 1 (" in part.to_error().text:
            return part
    return None
