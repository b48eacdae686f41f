"""Decide which calls wait for a person, and how each wait ends, without I/O.

Implements docs/design/review.md "Hold": (state, event, now) → (state, effects). Times are seconds
of one steady clock. Only the first answer to a call counts. A later answer gets
:class:`AnsweredBefore`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

MAX_WAITING = 32
MAX_WAITING_BYTES = 64 * 1024 * 1024
MAX_ENDED = 200
"""Most ended calls that are remembered, for pages that still show them."""


class Ending(StrEnum):
    """How a wait ended."""

    APPROVED = "approved"
    REFUSED = "refused"
    TIMED_OUT = "timed_out"
    WITHDRAWN = "withdrawn"
    """The agent cancelled the call, or went away."""
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call that waits for a person until ``until_s``. ``size`` is its texts' size in bytes."""

    key: str
    until_s: float
    size: int


@dataclass(frozen=True, slots=True)
class Ended:
    """A call that no longer waits."""

    key: str
    ending: Ending
    at_s: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalsState:
    """The calls that wait, and the last ones that ended, each oldest first."""

    waiting: tuple[Waiting, ...] = ()
    ended: tuple[Ended, ...] = ()
    stopping: bool = False

    @property
    def next_deadline_s(self) -> float | None:
        """Return when the first waiting call times out; ``None`` if no call waits."""
        return min((each.until_s for each in self.waiting), default=None)

    def ended_as(self, key: str) -> Ended | None:
        """Return how a call ended; ``None`` if it still waits, or isn't known."""
        return next((each for each in self.ended if each.key == key), None)


# -- events ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CallArrived:
    """A call wants to wait, for at most ``patience_s``. ``size`` is its texts' size in bytes."""

    key: str
    patience_s: float
    size: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A person answered a call."""

    key: str
    approves: bool
    """Whether the call was approved, not refused."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CallerLeft:
    """The caller has gone."""

    key: str


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The server stops."""


Event: TypeAlias = CallArrived | Answered | CallerLeft | Tick | Stop


# -- effects ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Full:
    """The call can't wait: too many calls wait, or their texts are too large."""

    key: str


@dataclass(frozen=True, slots=True)
class AnsweredBefore:
    """The answer came too late: the call had already ended."""

    ended: Ended


@dataclass(frozen=True, slots=True)
class UnknownCall:
    """The answer is for an unknown call: an earlier server held it, or it ended long ago."""

    key: str


Effect: TypeAlias = Ended | Full | AnsweredBefore | UnknownCall
"""A call's caller gets :class:`Ended` or :class:`Full`; a person's late answer the others."""


def step(
    state: ApprovalsState, event: Event, now_s: float
) -> tuple[ApprovalsState, tuple[Effect, ...]]:
    """Return the state after ``event``, and the effects. Calls whose time is up end first."""
    # An answer that comes after the deadline must not approve the call.
    late = [each.key for each in state.waiting if each.until_s <= now_s]
    state, effects = _end(state, late, Ending.TIMED_OUT, now_s)
    if isinstance(event, CallArrived):
        more: tuple[Effect, ...]
        state, more = _come(state, event, now_s)
    elif isinstance(event, Answered):
        state, more = _answer(state, event, now_s)
    elif isinstance(event, CallerLeft):
        state, more = _end(state, [event.key], Ending.WITHDRAWN, now_s)
    elif isinstance(event, Stop):
        everyone = [each.key for each in state.waiting]
        state, more = _end(replace(state, stopping=True), everyone, Ending.STOPPED, now_s)
    else:
        more = ()
    return state, (*effects, *more)


def _come(
    state: ApprovalsState, event: CallArrived, now_s: float
) -> tuple[ApprovalsState, tuple[Effect, ...]]:
    if state.stopping:
        ended = Ended(event.key, Ending.STOPPED, now_s)
        return _remember(state, [ended]), (ended,)
    size = event.size + sum(each.size for each in state.waiting)
    if len(state.waiting) >= MAX_WAITING or size > MAX_WAITING_BYTES:
        return state, (Full(event.key),)
    waiting = Waiting(event.key, now_s + event.patience_s, event.size)
    return replace(state, waiting=(*state.waiting, waiting)), ()


def _answer(
    state: ApprovalsState, event: Answered, now_s: float
) -> tuple[ApprovalsState, tuple[Effect, ...]]:
    if any(each.key == event.key for each in state.waiting):
        ending = Ending.APPROVED if event.approves else Ending.REFUSED
        return _end(state, [event.key], ending, now_s, event.reason)
    before = state.ended_as(event.key)
    return state, (UnknownCall(event.key) if before is None else AnsweredBefore(before),)


def _end(
    state: ApprovalsState,
    keys: list[str],
    ending: Ending,
    now_s: float,
    reason: str = "",
) -> tuple[ApprovalsState, tuple[Effect, ...]]:
    ended = [Ended(each.key, ending, now_s, reason) for each in state.waiting if each.key in keys]
    left = tuple(each for each in state.waiting if each.key not in keys)
    return _remember(replace(state, waiting=left), ended), tuple(ended)


def _remember(state: ApprovalsState, ended: list[Ended]) -> ApprovalsState:
    return replace(state, ended=(*state.ended, *ended)[-MAX_ENDED:])
