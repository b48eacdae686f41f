"""What would become of an offer, and what to offer if that is another refusal.

Implements docs/design/server-and-bridge.md §2 "Repair": an offer that the engine would refuse costs
its receiver a call, and the engine knows what to send instead of it. Pure: whoever calls this
previews :func:`probe` and hands on the outcome.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.repair.offers.many_places import first_places, matches_of, with_first_places
from mcp_server.repair.offers.nearest import MAX_OFFERS, Offer, without_everywhere
from mcp_server.repair.offers.refusal import Refusal
from mcp_server.repair.offers.set_sweep import set_swept
from snippet_engine.answer.error_text import instructions_of, with_instructions
from snippet_engine.errors import ErrorCode
from snippet_engine.limits import MAX_INSTRUCTIONS
from snippet_engine.offers.repair import ONCE_MORE, not_those_that_have_it
from snippet_engine.schemas.checked_params import CheckedParams, checked
from snippet_engine.schemas.schema_check import Problem

PROBE_TIMEOUT_MS = 2_000
"""Longest that an offer is tried; what takes longer is offered untried."""

_ASIDE = re.compile(r"; (?:those in comments \([^)]*\) take|some of them overlap).*$")
_BY_ITSELF = " where it stands by itself"
_HAVE_IT = not_those_that_have_it(2).removeprefix("; not 2 that have")
_NEAR = 3
"""Lines by which a line number may be wrong: some count from 0, and lines come and go."""


def probe(spec: ToolSpec, offer: Offer) -> CheckedParams | None:
    """The offer as a call that changes nothing and is quick; ``None`` if there is no such call."""
    if spec.harmless is None:
        return None
    argument, harmless = spec.harmless
    kept = {key: value for key, value in offer.arguments.items() if key != "client_request_id"}
    timeout_ms = min(kept.get("timeout_ms", PROBE_TIMEOUT_MS), PROBE_TIMEOUT_MS)
    request = {**kept, argument: harmless, "validation": "embedded", "timeout_ms": timeout_ms}
    params = checked(spec.name, spec.input_schema, request)
    return params if isinstance(params, CheckedParams) else None


def spec_of(spec: ToolSpec, offer: Offer) -> ToolSpec:
    """The tool that an offer of ``spec`` is to be sent to."""
    return CATALOG[offer.tool] if offer.tool else spec


def sweep(refusal: Refusal, outcome: Outcome) -> Offer | None:
    """The first offer at every place that its anchor fits, where that was asked for.

    As a change set where it is for more places than the tool takes. ``outcome`` is what became of
    the offer. ``None`` if not every place is known.
    """
    details = _engine_error(outcome)
    found = details.get("details")
    at = refusal.everywhere
    if at is None or details.get("code") != "ambiguous_anchor" or not isinstance(found, Mapping):
        return None
    if details.get("instruction") != at:
        return None
    request = refusal.offers[0].arguments
    instructions = request["instructions"]
    have_it = found.get("haveNewText", 0)
    matches = found.get("matches", 0) - have_it
    if not matches:
        return None
    if matches + len(instructions) - 1 > MAX_INSTRUCTIONS:
        return _sweep_of_set(request, details, matches)
    places = _swept_by_engine(details, at, matches, len(instructions))
    if places is None:
        left = [each for each in found["candidates"] if not each.get("hasNewText")]
        places = [{"anchor": each["anchor"]} for each in left if "anchor" in each]
    if len(places) != matches:
        return None
    instruction = without_everywhere(instructions[at])
    swept = [{**instruction, **place} for place in places]
    every = [*instructions[:at], *swept, *instructions[at + 1 :]]
    what = _at_all(details, len(places))
    # Whether those in comments were asked for as well nobody can say, or both that overlap.
    is_part = bool(_aside(details))
    basis = "" if is_part or have_it else "every place was asked for"
    swept_request = {**request, "instructions": every}
    unless = ONCE_MORE if have_it else ""
    return Offer(what, swept_request, basis, is_part=is_part, unless=unless)


def _at_all(details: Mapping[str, Any], count: int) -> str:
    """What an edit of all of so many places is called: of all that don't have the new text."""
    places = "place" if count == 1 else "places"
    have_it = not_those_that_have_it(details["details"].get("haveNewText", 0))
    return f"at all {count} {places} that the anchor fits{have_it}{_aside(details)}"


def _sweep_of_set(
    request: Mapping[str, Any], details: Mapping[str, Any], matches: int
) -> Offer | None:
    """The change set that the engine offers for all of so many places, in the request's mode."""
    for each in details.get("offers", ()):
        if f"all {matches} places" not in each["what"] or "tool" not in each:
            continue
        spec = CATALOG[each["tool"]]
        swept = _of_engine(spec, request, each, _at_all(details, matches))
        is_part = bool(_aside(details))
        basis = "" if is_part or swept.unless else "every place was asked for"
        return replace(swept, basis=basis, tool=spec.name, is_part=is_part)
    return None


def _of_engine(
    takes: ToolSpec, mine: Mapping[str, Any], offered: Mapping[str, Any], what: str
) -> Offer:
    """What the engine offers in the place of ``mine``, in its mode; all places are in it, so that
    they aren't asked for again."""
    assert takes.harmless is not None, "an edit can be previewed"
    whole = _in_place_of(mine, offered["arguments"], takes.harmless[0])
    every = [without_everywhere(one) for one in instructions_of(whole)]
    return Offer(what, with_instructions(whole, every), unless=str(offered.get("unless", "")))


def held_against(swept: Offer, outcome: ToolResult) -> Offer:
    """``swept``, which its preview ``outcome`` has no fault in, with what that leaves as it is.

    Where a place has the new text around it, all others alone were meant, or its letters once more.
    """
    told = outcome.structured
    results = [one for each in told.get("files", (told,)) for one in each["results"]]
    done = [each for each in results if each["status"] == "skipped"]
    if not done:
        return swept
    have = "has" if len(done) == 1 else "have"
    unless = f"{len(done)} of them {have} the newText there already: no more is changed of these"
    return replace(swept, basis="", unless=unless)


def _aside(details: Mapping[str, Any]) -> str:
    """What the engine says of places in comments, which are none of all places, and of those that
    overlap."""
    told = (_ASIDE.search(each["what"]) for each in details.get("offers", ()))
    return next((found[0] for found in told if found), "")


def _swept_by_engine(
    details: Mapping[str, Any], at: int, matches: int, count: int
) -> list[Mapping[str, Any]] | None:
    """The anchors of all places in the shortest words, each with its new text, where the engine
    offers them."""
    for offer in details.get("offers", ()):
        every = instructions_of(offer["arguments"])
        is_all = matches > 1 or _HAVE_IT in offer["what"]
        if is_all and len(every) == count - 1 + matches:
            told = ("anchor", "newText")
            return [
                {key: each[key] for key in told if key in each} for each in every[at : at + matches]
            ]
    return None


def with_offers_of(spec: ToolSpec, refusal: Refusal, outcome: Outcome) -> Refusal:
    """``refusal`` with what the engine offers instead of the first offer, if it refuses that.

    In the mode of the offer that it stands for; ``outcome`` is what became of that.
    """
    if spec.harmless is None:
        return refusal
    if isinstance(outcome, ToolResult):
        told = _held_against_lines(spec.harmless, refusal, outcome)
        return _held_against_comments(told, outcome)
    error = _engine_error(outcome)
    of_set = set_swept(refusal.everywhere_in_set, refusal.offers[0], error)
    if of_set is not None:
        return replace(refusal, offers=(of_set,))
    offered = error.get("offers")
    if _is_done(refusal, outcome):
        why = Problem((), "the newText stands at all places of the anchor: it seems to be done")
        return replace(refusal, offers=(), problems=(*refusal.problems, why))
    first_places = with_first_places(refusal, _engine_error(outcome))
    if first_places is not None:
        return first_places
    if not isinstance(offered, list) or not offered:
        return _without_what_fails(spec, refusal, outcome)
    argument, _ = spec.harmless
    mine = refusal.offers[0]
    # Why a key isn't taken is said once, before the offers.
    mine_is = _without_reasons(mine.what, refusal.problems)
    better = [
        Offer(
            f"{mine_is}; {each['what']}",
            request,
            str(each.get("basis", "")),
            to,
            unless=str(each.get("unless", "")),
            lacks=str(each.get("lacks", "")),
        )
        for each in offered
        for request in [_in_place_of(mine.arguments, each["arguments"], argument)]
        for to in [str(each.get("tool", ""))]
        for takes in [CATALOG[to] if to else spec]
        if isinstance(checked(takes.name, takes.input_schema, request), CheckedParams)
    ]
    return replace(refusal, offers=tuple(better[:MAX_OFFERS])) if better else refusal


def with_sweep(spec: ToolSpec, refusal: Refusal, swept: Offer, outcome: Outcome) -> Refusal:
    """``refusal``, offering every place, which works, or as many as can be said; one place only
    where that is too long for two. Where the request names one place as well, both are a choice.

    ``outcome`` is what became of the first offer, whose anchor fits several places.
    """
    if _names_one(refusal, outcome):
        one = with_offers_of(spec, refusal, outcome).offers[0]
        return replace(refusal, offers=(replace(swept, basis=""), replace(one, basis="")))
    by_itself = _by_itself(spec, refusal, swept, outcome)
    if by_itself is not None:
        both = replace(refusal, offers=(by_itself, replace(swept, basis="")))
        if "\nchoice 1 (" in both.to_error().text:
            return both
        swept = by_itself
    every = replace(refusal, offers=(swept,))
    word = "choice" if swept.is_part or swept.unless else "offer"
    if f"\n{word} 1 (" in every.to_error().text:
        return every
    told = replace(refusal, problems=(_together(spec, refusal, swept, outcome), *refusal.problems))
    for part in _parts(refusal, swept):
        some = replace(told, offers=(part, replace(swept, basis="")))
        if "\nchoice 1 (" in some.to_error().text:
            return some
    first = first_places(told, refusal, _engine_error(outcome))
    if first is not None:
        return replace(first, offers=(*first.offers, replace(swept, basis="")))
    single = with_offers_of(spec, refusal, outcome).offers
    return replace(refusal, offers=(swept, *single)[:MAX_OFFERS])


def _together(spec: ToolSpec, refusal: Refusal, swept: Offer, outcome: Outcome) -> Problem:
    """What to do where a compiler judges, to which some of the places alone may be an error.

    ``swept``, which is too long for the text, is among the offers of the structured answer.
    """
    count = matches_of(refusal, _engine_error(outcome))
    why = (
        f"the anchor fits {count} places: if some alone don't compile, send all in one request of "
        f"your own to {swept.tool or spec.name}, each an instruction as in the choice"
    )
    return Problem((), why)


def _is_done(refusal: Refusal, outcome: Outcome) -> bool:
    """Whether every place that was asked for has the new text around it."""
    error = _engine_error(outcome)
    at, found = refusal.everywhere, error.get("details")
    if at is None or error.get("instruction") != at or not isinstance(found, Mapping):
        return False
    return bool(found.get("matches")) and found.get("haveNewText") == found.get("matches")


def _by_itself(spec: ToolSpec, refusal: Refusal, swept: Offer, outcome: Outcome) -> Offer | None:
    """What the engine offers for a name where it stands by itself, if some places don't."""
    for each in _engine_error(outcome).get("offers", ()):
        if _BY_ITSELF in each["what"] and swept.arguments:
            tool = str(each.get("tool", ""))
            takes = CATALOG[tool] if tool else spec
            found = _of_engine(takes, refusal.offers[0].arguments, each, f"at {each['what']}")
            return replace(found, tool=tool, is_part=True)
    return None


def _names_one(refusal: Refusal, outcome: Outcome) -> bool:
    """Whether the engine knows which one of the places the request names."""
    offered = _engine_error(outcome).get("offers") or [{}]
    count = len(refusal.offers[0].arguments["instructions"])
    is_one = len(offered[0].get("arguments", {}).get("instructions", ())) == count
    return is_one and bool(offered[0].get("basis"))


def _parts(refusal: Refusal, swept: Offer) -> Iterator[Offer]:
    """``swept`` with fewer and fewer of its places, two at least."""
    at = refusal.everywhere
    assert at is not None
    every = instructions_of(swept.arguments)
    others = len(refusal.offers[0].arguments["instructions"]) - 1
    total = len(every) - others
    for count in range(total - 1, 1, -1):
        kept = [*every[: at + count], *every[at + total :]]
        of_all = f"{count} of the {total} {'edits that do it' if swept.tool else 'places'}"
        of_all += _BY_ITSELF * (_BY_ITSELF in swept.what)
        what = f"{of_all}: all don't fit here. Send yours again then"
        part = with_instructions(swept.arguments, kept)
        yield replace(swept, what=what, arguments=part, basis="", is_part=True)


def _held_against_lines(
    harmless: tuple[str, str], refusal: Refusal, outcome: ToolResult
) -> Refusal:
    """``refusal``, whose first offer works, as a preview if that is far from a line it was sent
    with."""
    results = outcome.structured.get("results", [])
    others = [
        f"it stands on line {_first_line(results[index])}"
        for index, lines in sorted(refusal.lines.items())
        if lines
        and index < len(results)
        and _is_elsewhere(refusal.offers[0].arguments, results[index], lines)
    ]
    if not others:
        return refusal
    argument, value = harmless
    mine = refusal.offers[0]
    request = {**mine.arguments, argument: value}
    told = Offer(f"{others[0]}, so as a {value}; {mine.what}", request)
    return replace(refusal, offers=(told, *refusal.offers[1:]))


def _held_against_comments(refusal: Refusal, outcome: ToolResult) -> Refusal:
    """``refusal``, whose first offer works, as a choice where every place was asked for and
    comments have the target, too: whether those are meant nobody can say."""
    at = refusal.everywhere
    aside = [
        each["message"]
        for each in outcome.structured.get("warnings", ())
        if each["code"] == ErrorCode.ANCHOR_IN_COMMENT and each.get("index") == at
    ]
    if at is None or not aside:
        return refusal
    mine = refusal.offers[0]
    part = replace(mine, what=f"{mine.what}; {aside[0]}", is_part=True)
    return replace(refusal, offers=(part, *refusal.offers[1:]))


def _first_line(result: Mapping[str, Any]) -> int:
    return int(result["range"]["start"]["line"]) + 1


def _is_elsewhere(
    request: Mapping[str, Any], result: Mapping[str, Any], lines: Sequence[int]
) -> bool:
    """Whether none of ``lines`` is one of the place, its context, or a few around them."""
    anchor = request["instructions"][result["index"]]["anchor"]
    above, below = (str(anchor.get(side, "")).count("\n") for side in ("before", "after"))
    first, last = _first_line(result), int(result["range"]["end"]["line"]) + 1
    return not any(first - above - _NEAR <= line <= last + below + _NEAR for line in lines)


def _without_what_fails(spec: ToolSpec, refusal: Refusal, outcome: Outcome) -> Refusal:
    """``refusal`` without offers that the engine refuses, and with why it does.

    What it finds at several places stays, as its answer leads on, but where all were asked for.
    """
    code = _engine_error(outcome).get("code")
    if not isinstance(outcome, ToolError) or code is None:
        return refusal
    if code == ErrorCode.AMBIGUOUS_ANCHOR and refusal.everywhere is None:
        return refusal
    mine = refusal.offers[0]
    failed = probe(spec, mine)
    others = tuple(each for each in refusal.offers if probe(spec, each) != failed)
    what = _without_reasons(mine.what, refusal.problems)
    why = Problem((), f"put right ({what}) it would be refused: {outcome.message}")
    return replace(refusal, offers=others, problems=(*refusal.problems, why))


def _without_reasons(what: str, problems: Iterable[Problem]) -> str:
    """``what`` an offer is, without the reasons for it that the ``problems`` tell already."""
    for each in problems:
        reason = each.message.partition(": ")[2]
        what = what.replace(f": {reason}", "") if reason else what
    return what


def _in_place_of(
    mine: Mapping[str, Any], theirs: Mapping[str, Any], argument: str
) -> dict[str, Any]:
    """The request ``theirs`` with what the probe of ``mine`` had set put back."""
    set_for_probe = (argument, "validation", "timeout_ms", "client_request_id")
    kept = {key: mine[key] for key in set_for_probe if key in mine}
    return {**{key: theirs[key] for key in theirs if key not in set_for_probe}, **kept}


def _engine_error(outcome: Outcome) -> Mapping[str, Any]:
    """The engine's error object, if the outcome is its refusal."""
    return outcome.details if isinstance(outcome, ToolError) else {}
