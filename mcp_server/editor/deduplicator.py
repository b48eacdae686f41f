"""Recognize repeated requests to the Editor.

Implements docs/design/server-and-bridge.md §6 "Deduplication". Only the Editor knows the outcome of
a request whose answer was lost. This module keeps which Editor got the request, and whether that
Editor still remembers it. A restart of the server loses all of this. Script tools have their own
deduplication, which survives a restart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

KEEP_MS = 10 * 60 * 1000
"""How long a result is kept after the request's end, in milliseconds."""

MAX_KEPT = 1024
"""Most requests that are remembered. The oldest results are dropped first."""

SURELY_REMEMBERED = 31
"""The Editor certainly remembers a request until more than this many others were sent after it.

The Editor remembers 64 requests. Up to 33 more may be sent before the repeated one.
"""

_NOT_WHAT_IS_ASKED = frozenset({"client_request_id", "timeout_ms"})


@dataclass(frozen=True, slots=True)
class New:
    """A new request. Run it, then call :meth:`Deduplicator.succeeded`, ``failed`` or ``lost``."""


@dataclass(frozen=True, slots=True)
class StillRunning:
    """The same request is running."""


@dataclass(frozen=True, slots=True)
class OtherRequest:
    """The id belongs to another request."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The same request has succeeded; ``result`` is its result."""

    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Again:
    """The same request was sent before, and its outcome is unknown."""

    memory: str | None
    """The memory of the only Editor that may get the request again; ``None`` if no Editor may.

    That Editor recognizes the request, and gives the answer to the first one.
    """


Claim: TypeAlias = New | StillRunning | OtherRequest | Replay | Again


@dataclass(slots=True)
class _Seen:
    fingerprint: str
    result: Mapping[str, Any] | None = None
    ended_ms: float | None = None
    """When the request ended; ``None`` while it runs."""
    memory: str | None = None
    """The memory of the Editor that first got the request."""
    sent_as: int | None = None
    """The request's number among all sent requests."""


class Deduplicator:
    """All remembered requests, by ``client_request_id``. Times are milliseconds of one clock."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}
        self._sent = 0

    def claim(
        self, client_request_id: str, tool: str, arguments: Mapping[str, Any], now: float
    ) -> Claim:
        """Return what is known of this request. A new one counts as running from now on."""
        self._drop_old(now)
        asked = {key: arguments[key] for key in arguments if key not in _NOT_WHAT_IS_ASKED}
        fingerprint = json.dumps([tool, asked], sort_keys=True)
        seen = self._seen.get(client_request_id)
        if seen is None:
            self._seen[client_request_id] = _Seen(fingerprint)
            return New()
        if seen.fingerprint != fingerprint:
            return OtherRequest()
        if seen.result is not None:
            return Replay(seen.result)
        if seen.ended_ms is None:
            return StillRunning()
        assert seen.sent_as is not None
        seen.ended_ms = None
        remembered = self._sent - seen.sent_as <= SURELY_REMEMBERED
        return Again(seen.memory if remembered else None)

    def sent(self, client_request_id: str, memory: str | None) -> None:
        """Note that the request goes to the Editor with ``memory``. Only the first call counts.

        ``memory`` is ``None`` if the Editor remembers no requests.
        """
        self._sent += 1
        seen = self._seen[client_request_id]
        if seen.sent_as is None:
            seen.memory, seen.sent_as = memory, self._sent

    def succeeded(self, client_request_id: str, result: Mapping[str, Any], now: float) -> None:
        """Keep the result, to answer repeated requests with it."""
        self._seen[client_request_id].result = result
        self._ended(client_request_id, now)

    def failed(self, client_request_id: str) -> None:
        """Forget the request. The same request is then a new one."""
        del self._seen[client_request_id]

    def lost(self, client_request_id: str, now: float) -> None:
        """Note that the outcome is unknown. A request that was never sent counts as failed."""
        if self._seen[client_request_id].sent_as is None:
            self.failed(client_request_id)
        else:
            self._ended(client_request_id, now)

    def _ended(self, client_request_id: str, now: float) -> None:
        seen = self._seen.pop(client_request_id)
        seen.ended_ms = now
        self._seen[client_request_id] = seen  # the order of the dict is the order of ends
        self._drop_old(now)

    def __len__(self) -> int:
        return len(self._seen)

    def _drop_old(self, now: float) -> None:
        ended = [key for key, seen in self._seen.items() if seen.ended_ms is not None]
        surplus = len(self._seen) - MAX_KEPT
        for index, key in enumerate(ended):
            ended_ms = self._seen[key].ended_ms
            assert ended_ms is not None
            if index < surplus or now - ended_ms >= KEEP_MS:
                del self._seen[key]
