"""Make an attempt, and compare the result with the intended bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from benchmarks.landing.attempts import Attempt
from benchmarks.landing.client import Seen, offers, second_request, second_tool
from benchmarks.landing.road import Road
from snippet_engine.fixes.explain.near_misses import EDIT_IS_DONE, MAY_BE_DONE

_FAILED = "Failed unexpectedly"
"""How the server says that it has a bug."""


class Outcome(StrEnum):
    """How an attempt ends."""

    FIRST = "first"
    """The right bytes, by the request as it was sent."""
    SECOND = "second"
    """The right bytes, by the first offer."""
    REFUSED = "refused"
    """Nothing was written."""
    WRONG = "wrong"
    """Something else was written."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt and its outcome; bytes are those that a model writes and is shown.

    ``guessed``: wrong, where the client took the first of several offers for a request from which
    nobody can tell what is meant. ``sent`` and ``answered`` hold the requests and what came back.
    """

    attempt: Attempt
    outcome: Outcome
    sent: tuple[Mapping[str, Any], ...]
    answered: tuple[str, ...]
    left: bytes
    guessed: bool = False
    earlier_by_hand: bool = False

    @property
    def failed(self) -> bool:
        """Return whether the answer says that the server failed, which is no refusal."""
        return any(_FAILED in each for each in self.answered)

    @property
    def bytes_sent(self) -> int:
        """Return how many bytes the model writes."""
        return sum(len(json.dumps(each, ensure_ascii=False).encode()) for each in self.sent)

    @property
    def bytes_shown(self) -> int:
        """Return how many bytes the model is shown."""
        return sum(len(each.encode()) for each in self.answered)


async def tried(road: Road, attempt: Attempt) -> Trial:
    """Put the file there, send the request, and after an error its first offer, once."""
    path = attempt.path
    road.write(path, attempt.first)
    by_hand = False
    try:
        if attempt.earlier is not None:
            await _made_before(road, attempt, attempt.earlier)
            if road.read(path) != attempt.standing:
                by_hand = True
                road.write(path, attempt.standing)
        return await _sent(road, attempt, by_hand)
    finally:
        road.remove(path)


async def _made_before(road: Road, attempt: Attempt, request: Mapping[str, Any]) -> None:
    """Make the agent's own earlier edit, as the same client would."""
    seen = await road.call(request)
    again = second_request(request, seen.text) if seen.is_error else None
    if again is not None and road.read(attempt.path) == attempt.first:
        await road.call(again, second_tool(seen.text))


async def _sent(road: Road, attempt: Attempt, by_hand: bool) -> Trial:
    seen = await road.call(attempt.arguments)
    left = road.read(attempt.path)
    sent: tuple[Mapping[str, Any], ...] = (attempt.arguments,)
    answered: tuple[str, ...] = (seen.shown,)
    outcome = _judged(attempt, seen, left, Outcome.FIRST)
    guessed = False
    if outcome is Outcome.REFUSED and seen.is_error:
        again = second_request(attempt.arguments, seen.text)
        if again is not None:
            guessed = not attempt.told
            seen_again = await road.call(again, second_tool(seen.text))
            left = road.read(attempt.path)
            sent, answered = (*sent, again), (*answered, seen_again.shown)
            outcome = _judged(attempt, seen_again, left, Outcome.SECOND)
    guessed = guessed and outcome is Outcome.WRONG and len(list(offers(answered[0]))) > 1
    return Trial(attempt, outcome, sent, answered, left, guessed, by_hand)


def _judged(attempt: Attempt, seen: Seen, left: bytes, landed: Outcome) -> Outcome:
    if left != attempt.standing:
        return landed if left == attempt.right and not seen.is_error else Outcome.WRONG
    if not attempt.done:
        return Outcome.REFUSED
    # A client that is told, or asked with the line, that the edit is done sends nothing more.
    signs = (EDIT_IS_DONE, *MAY_BE_DONE)
    says_done = any(each in seen.text for each in signs) if seen.is_error else not _previewed(seen)
    return landed if says_done else Outcome.REFUSED


def _previewed(seen: Seen) -> bool:
    return (seen.structured or {}).get("status") == "previewed"
