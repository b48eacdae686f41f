"""A refused call in words that are complete: what is wrong, and every offer as JSON to send.

Implements docs/design/server-and-bridge.md §7: most clients show a model nothing of an error but
its text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_server.repair.offers.nearest import Offer, is_choice
from snippet_engine.answer.error_text import to_be_mended

MAX_TEXT_LENGTH = 2000
"""Longest text of a refusal, in code points; nothing is cut in the middle."""

_LONGEST_PROBLEM = 400
_FIRST_LINE = 600
"""Room that the problems get before the offers, in code points."""


def refusal_text(
    tool: str, problems: Sequence[str], sent: Mapping[str, Any] | None, offers: Sequence[Offer]
) -> str:
    """The problems on one line, then a line for each offer.

    ``sent`` is the request as it was sent, so that of a long one only what differs is repeated.
    """
    first = _problems_line(tool, problems, _FIRST_LINE if offers else MAX_TEXT_LENGTH)
    room = MAX_TEXT_LENGTH - len(first)
    lines: list[str] = []
    # The first of a choice isn't called an offer, lest it be taken without looking.
    is_open = is_choice(offers)
    for number, offer in enumerate(offers, 1):
        word = "draft" if offer.lacks else "choice" if is_open else "offer"
        line = _offer_line(f"{word} {number}", offer, sent, room)
        if line is not None:
            lines.append(line)
            room -= len(line) + 1
        # What comes behind one that can't be shown isn't the likeliest.
        is_open = is_open or line is None
    if offers and not lines:
        told = _with_what_was_sent(offers[0], sent)
        if told is not None and len(told) < room:
            lines.append(told)
    return "\n".join((first, *lines))


def _with_what_was_sent(offer: Offer, sent: Mapping[str, Any] | None) -> str | None:
    """How to make an offer that is too long to be shown, where all that makes it long was sent.

    ``None`` of any but a change set of the same instructions, to the letter.
    """
    changes = offer.arguments.get("changes", ())
    edits = None if sent is None else sent.get("instructions")
    if len(changes) != 1 or not edits or changes[0].get("instructions") != edits:
        return None
    change = {key: value for key, value in changes[0].items() if key != "instructions"}
    rest = {key: value for key, value in offer.arguments.items() if key != "changes"}
    yours = f'{_json(change)[:-1]}, "instructions": [the {len(edits)} that you sent, as they are]}}'
    return (
        f"({offer.what}: too long to be shown; send to {offer.tool} "
        f'{_json(rest)[:-1]}, "changes": [{yours}]}})'
    )


def _problems_line(tool: str, problems: Sequence[str], room: int) -> str:
    line = f"Invalid parameters for tool `{tool}`: "
    room -= len(line) + len(f"; and {len(problems)} more")
    said: list[str] = []
    for problem in problems:
        words = " ".join(problem.splitlines())
        if len(words) > _LONGEST_PROBLEM:
            words = words[: _LONGEST_PROBLEM - 1] + "…"
        if said and len(words) + 2 > room:
            continue
        said.append(words)
        room -= len(words) + 2
    more = f"; and {len(problems) - len(said)} more" if len(said) < len(problems) else ""
    return line + "; ".join(said) + more


def _offer_line(name: str, offer: Offer, sent: Mapping[str, Any] | None, room: int) -> str | None:
    """The offer as one line of at most ``room`` code points; ``None`` if there is no such line."""
    told = f"{offer.what}; {offer.basis}" if offer.basis else offer.what
    told = f"{told}; unless {offer.unless}" if offer.unless else told
    told = f"{told}; {to_be_mended(offer.lacks)}" if offer.lacks else told
    what = " ".join(told.splitlines())
    what = f"send to {offer.tool}: {what}" if offer.tool else what
    for compact in (False, True):
        line = f"{name} ({what}): {_json(offer.arguments, compact=compact)}"
        if len(line) < room:
            return line
    index = _only_change(sent, offer.arguments)
    if index is None:
        return None
    instruction = _json(offer.arguments["instructions"][index])
    line = f"{name} ({what}), instruction {index} becomes: {instruction}"
    return line if len(line) < room else None


def _only_change(sent: Mapping[str, Any] | None, offered: Mapping[str, Any]) -> int | None:
    """The index of the one instruction by which the two requests differ, if that is all."""
    if sent is None or {**sent, "instructions": 0} != {**offered, "instructions": 0}:
        return None
    before, after = sent.get("instructions"), offered.get("instructions")
    if not isinstance(before, list) or not isinstance(after, list) or len(before) != len(after):
        return None
    changed = [at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    return changed[0] if len(changed) == 1 else None


def _json(value: Any, *, compact: bool = False) -> str:
    """``value`` on one line, whatever line breaks its texts have; ``compact``: without blanks."""
    separators = (",", ":") if compact else None
    text = json.dumps(value, ensure_ascii=False, separators=separators)
    return text if len(text.splitlines()) == 1 else json.dumps(value, separators=separators)
