"""Recognizes a request to the Editor that was sent before.

Implements docs/design/server-and-bridge.md §6 "Deduplication". The script tools have their own,
which survives a restart; this one is for tools that act on the Editor, and lives in memory.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

KEEP_MS = 10 * 60 * 1000
"""How long the result of a request is kept after it ended."""

MAX_KEPT = 1024
"""Most requests that are remembered; the oldest results go first."""

_NOT_WHAT_IS_ASKED = frozenset({"client_request_id", "timeout_ms"})


@dataclass(frozen=True, slots=True)
class New:
    """Not seen before: run it, then :meth:`Deduplicator.succeeded` or ``failed``."""


@dataclass(frozen=True, slots=True)
class StillRunning:
    """The same request runs now."""


@dataclass(frozen=True, slots=True)
class OtherRequest:
    """The id was used for another request."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The same request succeeded with this result."""

    result: Mapping[str, Any]


Claim: TypeAlias = New | StillRunning | OtherRequest | Replay


@dataclass(slots=True)
class _Seen:
    fingerprint: str
    result: Mapping[str, Any] | None = None
    ended_ms: float | None = None


class Deduplicator:
    """Requests by their ``client_request_id``. Times are milliseconds of one clock."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}

    def claim(
        self, client_request_id: str, tool: str, arguments: Mapping[str, Any], now: float
    ) -> Claim:
        """Whether to run this request; if new, it counts as running from now on."""
        self._drop_old(now)
        asked = {key: arguments[key] for key in arguments if key not in _NOT_WHAT_IS_ASKED}
        fingerprint = json.dumps([tool, asked], sort_keys=True)
        seen = self._seen.get(client_request_id)
        if seen is None:
            self._seen[client_request_id] = _Seen(fingerprint)
            return New()
        if seen.fingerprint != fingerprint:
            return OtherRequest()
        return StillRunning() if seen.result is None else Replay(seen.result)

    def succeeded(self, client_request_id: str, result: Mapping[str, Any], now: float) -> None:
        """The claimed request ended well; its result answers the ones that repeat it."""
        seen = self._seen.pop(client_request_id)
        seen.result, seen.ended_ms = result, now
        self._seen[client_request_id] = seen  # the dict's order is that of ending
        self._drop_old(now)

    def failed(self, client_request_id: str) -> None:
        """The claimed request failed; sending it again is a new attempt."""
        del self._seen[client_request_id]

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
