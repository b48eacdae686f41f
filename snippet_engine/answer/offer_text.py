"""The requests that an error offers, as lines of its text.

Implements the text of docs/design/engine.md §8: each on a line of its own, whole or as the
instructions that change, and nothing cut in the middle.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from snippet_engine.errors import Applicability, Offer, applicability_of


def offer_lines(offers: Sequence[Offer], room: int, *, may_abridge: bool = True) -> list[str]:
    """The offers, each a line or several, as far as they fit into ``room`` code points.

    With ``may_abridge``, of a long request only the instructions that change are shown.

    Of a choice, all places at once rather than a second one alone: who wants them all is helped by
    nothing else.
    """
    shown = _fitting(offers, room, may_abridge)
    if is_choice_of(offers) and offers[-1].takes_all and len(shown) < len(offers):
        first_and_all = _fitting((offers[0], offers[-1]), room, may_abridge)
        if len(first_and_all) == 2:
            shown = first_and_all
        else:
            told = all_in_words(offers[-1])
            shown = [*_fitting(offers, room - len(told) - 1, may_abridge), [told]]
    return [line for lines in shown for line in lines]


def all_in_words(offer: Offer) -> str:
    """How to change all places, where an offer that does it is too long to be shown."""
    where = f" by {offer.tool}" if offer.tool else ""
    if any("metadata" in each for each in instructions_of(offer.arguments)):
        return f"({offer.what}{where}: too long to be shown; send an instruction for each)"
    asked = '"metadata": {"why": "all places"}'
    return f"({offer.what}{where}: too long beside these; send yours with {asked} for it)"


def _fitting(offers: Sequence[Offer], room: int, may_abridge: bool) -> list[list[str]]:
    """The lines of each of ``offers`` that fits into what ``room`` those before it leave."""
    shown: list[list[str]] = []
    is_choice = is_choice_of(offers)
    for number, offer in enumerate(offers, 1):
        whole = offer if may_abridge else replace(offer, changed=())
        lines = _offer(number, whole, is_choice=is_choice, room=room)
        is_only = not is_choice or len(offers) == 1
        part = _part(number, offer, room) if lines is None and is_only else None
        if part is not None:
            return [*shown, part]  # Who wants all places is not helped by one of them.
        if lines is not None:
            shown.append(lines)
            room -= sum(len(line) + 1 for line in lines)
        # What comes behind one that can't be shown isn't the likeliest.
        is_choice = is_choice or lines is None
    return shown


def _part(number: int, offer: Offer, room: int) -> list[str] | None:
    """As many of all places that were asked for as fit into ``room`` code points, two at least."""
    if not offer.takes_all or len(offer.changed) != 1:
        return None
    ((index, places),) = offer.changed
    every = instructions_of(offer.arguments)
    if list(every[index : index + len(places)]) != list(places):
        return None
    for count in range(len(places) - 1, 1, -1):
        kept = [*every[: index + count], *every[index + len(places) :]]
        of_all = f"{count} of the {len(places)} {'edits that do it' if offer.tool else 'places'}"
        what = f"{of_all}: all don't fit here. Send yours again then"
        told = replace(offer, what=what, arguments=with_instructions(offer.arguments, kept))
        lines = _offer(number, replace(told, changed=()), is_choice=True, room=room)
        if lines is not None:
            return lines
    return None


def instructions_of(arguments: Mapping[str, Any]) -> Sequence[Any]:
    """The instructions of a request for one script; none of one for several."""
    changes = arguments.get("changes", (arguments,))
    return changes[0].get("instructions", ()) if len(changes) == 1 else ()


def with_instructions(arguments: Mapping[str, Any], every: Sequence[Any]) -> dict[str, Any]:
    """A request for one script, with ``every`` as its instructions."""
    if "changes" in arguments:
        (change,) = arguments["changes"]
        return {**arguments, "changes": [{**change, "instructions": every}]}
    return {**arguments, "instructions": every}


def is_choice_of(offered: Sequence[Offer]) -> bool:
    """Whether nothing tells which of several is right, or whether the first is."""
    return applicability_of(offered)[:1] not in ([], [Applicability.READY])


def _offer(number: int, offer: Offer, *, is_choice: bool, room: int) -> list[str] | None:
    """An offer in at most ``room`` code points: the whole request, or the instructions that change.

    ``None`` where that doesn't fit. A choice isn't called an offer, lest the first one be taken;
    nor is what would be refused.
    """
    word = "draft" if offer.lacks else "choice" if is_choice else "offer"
    what = f"{offer.what}; {offer.basis}" if offer.basis else offer.what
    what = f"{what}; unless {offer.unless}" if offer.unless else what
    what = f"{what}; {to_be_mended(offer.lacks)}" if offer.lacks else what
    what = f"send to {offer.tool}: {what}" if offer.tool else what
    head = f"{word} {number} ({' '.join(what.splitlines())})"
    for separators in (None, (",", ":")):
        as_json = partial(json_line, separators=separators)
        whole = [f"{head}: {as_json(offer.arguments)}"]
        parts = [
            f"{head}, instruction {index} becomes: {', '.join(map(as_json, becomes))}"
            for index, becomes in offer.changed
            if becomes and not offer.tool  # It takes a request of another form.
        ]
        for lines in (whole, parts):
            if lines and sum(len(line) + 1 for line in lines) <= room:
                return lines
    return None


def to_be_mended(lacks: str) -> str:
    """What has to be done before a request is sent of which something is refused still."""
    return f"not to be sent before {lacks} is put right in it, too"


def json_line(value: Any, *, separators: tuple[str, str] | None = None) -> str:
    """``value`` on one line, whatever line breaks its texts have."""
    text = json.dumps(value, ensure_ascii=False, separators=separators)
    return text if len(text.splitlines()) == 1 else json.dumps(value, separators=separators)
