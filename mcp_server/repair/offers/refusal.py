"""A refused call: the problems of its shape, and every request to send instead.

Implements docs/design/server-and-bridge.md §7. The text is complete by itself: most clients show a
model only an error's text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mcp_server.contract.errors import ToolError, invalid_params
from snippet_engine.answer.error_text import (
    all_in_words,
    instructions_of,
    is_choice_of,
    json_line,
    offer_lines,
)
from snippet_engine.errors import Offer, shortened
from snippet_engine.schemas.checked_params import Problem, refusal

MAX_TEXT_LENGTH = 2000
"""Longest text of a refusal, in code points; nothing is cut in the middle."""

_LONGEST_PROBLEM = 400
_FIRST_LINE = 600
"""Room that the problems get before the offers, in code points."""


def refusal_text(
    tool: str, problems: Sequence[str], sent: Mapping[str, Any] | None, offers: Sequence[Offer]
) -> str:
    """Return the problems on one line, then a line for each offer.

    ``sent`` is the request as sent. Of a long request only the difference is repeated.
    """
    first = _problems_line(tool, problems, _FIRST_LINE if offers else MAX_TEXT_LENGTH)
    room = MAX_TEXT_LENGTH - len(first) - 1
    is_as_sent = _is_as_sent(sent, offers)
    if sent is not None and is_as_sent:
        offers = [replace(each, changed=changed(sent, each.arguments)) for each in offers]
    lines = offer_lines(offers, room, may_abridge=is_as_sent)
    if offers and not lines:
        first_offer = offers[0]
        whole = _with_what_was_sent(first_offer, sent)
        if whole is None and first_offer.takes_all:
            whole = all_in_words(first_offer)
        lines = [whole] if whole is not None and len(whole) < room else []
    return "\n".join((first, *lines))


def _with_what_was_sent(offer: Offer, sent: Mapping[str, Any] | None) -> str | None:
    """Describe how to build a too long offer from the request as sent."""
    changes = offer.arguments.get("changes", ())
    edits = None if sent is None else sent.get("instructions")
    if len(changes) != 1 or not edits or changes[0].get("instructions") != edits:
        return None
    change = {key: value for key, value in changes[0].items() if key != "instructions"}
    rest = {key: value for key, value in offer.arguments.items() if key != "changes"}
    yours = (
        f'{json_line(change)[:-1]}, "instructions": [the {len(edits)} that you sent, as they are]}}'
    )
    return (
        f"({offer.what}: too long to show; send to {offer.tool} {json_line(rest)[:-1]}, "
        f'"changes": [{yours}]}})'
    )


def _problems_line(tool: str, problems: Sequence[str], room: int) -> str:
    line = f"Invalid parameters for tool `{tool}`: "
    room -= len(line) + len(f"; and {len(problems)} more")
    said: list[str] = []
    for problem in problems:
        words = shortened(" ".join(problem.splitlines()), _LONGEST_PROBLEM)
        if said and len(words) + 2 > room:
            continue
        said.append(words)
        room -= len(words) + 2
    more = f"; and {len(problems) - len(said)} more" if len(said) < len(problems) else ""
    return line + "; ".join(said) + more


def changed(
    mine: Mapping[str, Any], theirs: Mapping[str, Any]
) -> tuple[tuple[int, Sequence[Mapping[str, Any]]], ...]:
    """Return the one instruction in which ``theirs`` differs, and its replacement."""
    before, after = instructions_of(mine), instructions_of(theirs)
    if not isinstance(before, list) or len(after) < len(before):
        return ()
    same = zip(before, after, strict=False)
    at = next((at for at, (old, new) in enumerate(same) if old != new), None)
    if at is None:
        return ()
    end = len(after) - (len(before) - 1 - at)
    return ((at, after[at:end]),) if before[at + 1 :] == list(after[end:]) else ()


def _is_as_sent(sent: Mapping[str, Any] | None, offers: Sequence[Offer]) -> bool:
    return sent is not None and all(
        {**sent, "instructions": 0} == {**each.arguments, "instructions": 0} for each in offers
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused call, and what to send instead."""

    tool: str
    sent: object
    """The arguments as sent."""
    problems: tuple[Problem, ...]
    offers: tuple[Offer, ...] = ()
    for_all: bool = False
    """Whether an instruction asks for every place of its anchor."""
    lines: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """By the index of an instruction: the one-based lines that it names."""

    @property
    def first_offer(self) -> Offer | None:
        """Return the likeliest offer; ``None`` if there is none, or a choice."""
        return None if is_choice_of(self.offers) else next(iter(self.offers), None)

    def to_error(self) -> ToolError:
        """Return ``ERR_INVALID_PARAMS`` with every problem and offer."""
        error = invalid_params(self.tool, refusal(list(self.problems)))
        offers = [offer.to_json() for offer in self.offers]
        sent = self.sent if isinstance(self.sent, Mapping) else None
        details: dict[str, Any] = {**error.details, "offers": offers}
        # A problem of the whole request needs no "$" before it.
        problems = [str(each) if each.steps else each.message for each in self.problems]
        text = refusal_text(self.tool, problems, sent, self.offers)
        return replace(error, details=details, text=text)
