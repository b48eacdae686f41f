"""Replace an offer that the engine would refuse by the engine's own offers.

Implements docs/design/server-and-bridge.md §2 "Repair". That saves the agent a call. Pure: the
caller previews :func:`probe` and passes the outcome on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.repair.offers.refusal import Refusal, changed
from snippet_engine.errors import ErrorCode, Offer, OfferReason
from snippet_engine.schemas.checked_params import CheckedParams, Problem, checked

PROBE_TIMEOUT_MS = 2_000
"""Longest time to try an offer; one that takes longer is offered untried."""
_NEAR = 3
"""Lines by which a line number may be wrong: some count from 0, and lines come and go."""


def probe(spec: ToolSpec, offer: Offer) -> CheckedParams | None:
    """Return the offer as a quick call that changes nothing; ``None`` if there is no such call."""
    if spec.harmless is None:
        return None
    argument, harmless = spec.harmless
    kept = {key: value for key, value in offer.arguments.items() if key != "client_request_id"}
    timeout_ms = min(kept.get("timeout_ms", PROBE_TIMEOUT_MS), PROBE_TIMEOUT_MS)
    request = {**kept, argument: harmless, "validation": "embedded", "timeout_ms": timeout_ms}
    params = checked(spec.name, spec.input_schema, request)
    return params if isinstance(params, CheckedParams) else None


def with_offers_of(spec: ToolSpec, refusal: Refusal, outcome: Outcome) -> Refusal:
    """Return ``refusal`` with the engine's offers, if the engine refuses the first one.

    ``outcome`` is the outcome of the first offer's probe. The engine's offers get its mode.
    """
    if spec.harmless is None:
        return refusal
    if isinstance(outcome, ToolResult):
        return _preview_if_far(spec.harmless, refusal, outcome)
    offered = outcome.details.get("offers")
    found = [_put_back(spec, refusal, each) for each in offered or ()]
    better = [each for each in found if each is not None]
    if not better:
        return _without_refused(spec, refusal, outcome)
    if refusal.for_all:
        # One place doesn't help a request for all places, unless the request also names it.
        of_all = [each for each in better if each.reason is OfferReason.EVERY_PLACE or each.basis]
        if not of_all and outcome.details.get("code") == ErrorCode.AMBIGUOUS_ANCHOR:
            return _without_refused(spec, refusal, outcome)
        is_choice = len([each for each in of_all if each.basis]) > 1
        better = [replace(each, basis="") for each in of_all] if is_choice else of_all or better
    return replace(refusal, offers=tuple(better))


def _put_back(spec: ToolSpec, refusal: Refusal, offered: Mapping[str, Any]) -> Offer | None:
    """Return the engine's offer with the first offer's mode; ``None`` if it is invalid then."""
    mine, theirs = refusal.offers[0], Offer.from_json(offered)
    takes = CATALOG[theirs.tool] if theirs.tool else spec
    assert spec.harmless is not None
    set_for_probe = (spec.harmless[0], "validation", "timeout_ms", "client_request_id")
    kept = {key: mine.arguments[key] for key in set_for_probe if key in mine.arguments}
    rest = {key: value for key, value in theirs.arguments.items() if key not in set_for_probe}
    request = {**rest, **kept}
    if not isinstance(checked(takes.name, takes.input_schema, request), CheckedParams):
        return None
    what = f"{mine.what}; {theirs.what}"
    return replace(theirs, what=what, arguments=request, changed=changed(mine.arguments, request))


def _preview_if_far(harmless: tuple[str, str], refusal: Refusal, outcome: ToolResult) -> Refusal:
    """Make the first offer a preview if it edits far from every named line."""
    results = outcome.structured.get("results", [])
    mine = refusal.offers[0]
    for index, lines in sorted(refusal.lines.items()):
        if lines and index < len(results) and _is_far(mine.arguments, results[index], lines):
            argument, value = harmless
            line = _first_line(results[index])
            what = f"only a {value}, because the place found is on line {line}; {mine.what}"
            preview = Offer(what, {**mine.arguments, argument: value})
            return replace(refusal, offers=(preview, *refusal.offers[1:]))
    return refusal


def _first_line(result: Mapping[str, Any]) -> int:
    return int(result["range"]["start"]["line"]) + 1


def _is_far(request: Mapping[str, Any], result: Mapping[str, Any], lines: Sequence[int]) -> bool:
    """Return whether none of ``lines`` is in the place, its context, or a few lines around."""
    anchor = request["instructions"][result["index"]]["anchor"]
    above, below = (str(anchor.get(side, "")).count("\n") for side in ("before", "after"))
    first, last = _first_line(result), int(result["range"]["end"]["line"]) + 1
    return not any(first - above - _NEAR <= line <= last + below + _NEAR for line in lines)


def _without_refused(spec: ToolSpec, refusal: Refusal, outcome: ToolError) -> Refusal:
    """Remove offers that the engine refuses, and add the reason.

    An offer that fits several places stays, because its answer helps. It is removed if the request
    asks for all places.
    """
    code = outcome.details.get("code")
    if code is None or (code == ErrorCode.AMBIGUOUS_ANCHOR and not refusal.for_all):
        return refusal
    mine = refusal.offers[0]
    failed = probe(spec, mine)
    others = tuple(each for each in refusal.offers if probe(spec, each) != failed)
    why = Problem((), f"corrected ({mine.what}), it would still be refused: {outcome.message}")
    return replace(refusal, offers=others, problems=(*refusal.problems, why))
