"""When each session called first and last, and so which may be another one's after a restart. Pure.

Implements docs/design/review.md "Notes". Times are those of ``time.time``.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

MAX_SESSIONS = 256
"""Most sessions that are remembered; the one that called longest ago is forgotten first."""

QUIET_S = 120.0
"""An agent that called less long ago is taken to be there, in seconds."""


class _Heard(NamedTuple):
    first_s: float
    last_s: float


class HeardSessions:
    """The sessions that have called this server."""

    def __init__(self) -> None:
        self._heard: OrderedDict[str, _Heard] = OrderedDict()

    def hear(self, session: str, now_s: float) -> None:
        """Note that a session calls."""
        known = self._heard.pop(session, None)
        self._heard[session] = _Heard(now_s if known is None else known.first_s, now_s)
        if len(self._heard) > MAX_SESSIONS:
            self._heard.popitem(last=False)

    def may_follow(self, session: str, earlier: str, now_s: float) -> bool:
        """Return whether this ``session`` may belong to the agent of an ``earlier`` one.

        It called last before this one began, and not a moment ago; or it never called this server.
        """
        own, other = self._heard.get(session), self._heard.get(earlier)
        if own is None or other is None:
            return other is None
        return own.first_s > other.last_s and now_s - other.last_s >= QUIET_S
