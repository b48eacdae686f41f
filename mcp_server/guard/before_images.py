"""The bytes of scripts from before a call, noted until the call has ended. Pure.

A user may think about a client's dialog in between, or refuse the call.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import NamedTuple, TypeAlias

from mcp_server.guard.events import GuardEvent

KEPT_S = 600.0
"""How long they are kept, in seconds."""

MAX_CALLS = 200
"""Most calls whose scripts are kept; the oldest go first."""

MAX_BYTES = 64 * 1024 * 1024
"""Most bytes of all of them."""

_Key: TypeAlias = tuple[str, str, str]


class _Noted(NamedTuple):
    until_s: float
    call_s: float
    images: Mapping[str, bytes | None]

    @property
    def size(self) -> int:
        return sum(len(each) for each in self.images.values() if each is not None)


class BeforeImages:
    """The before-images of all calls. May be used from several threads."""

    def __init__(self) -> None:
        self._noted: OrderedDict[_Key, _Noted] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def note(
        self,
        event: GuardEvent,
        images: Mapping[str, bytes | None],
        now_s: float,
        call_s: float = 0.0,
    ) -> None:
        """Note the bytes of scripts by path; ``None`` for no file.

        ``call_s`` is the time before they were read, as of ``time.time``.
        """
        if not images:
            return
        with self._lock:
            self._drop(_key(event))
            noted = _Noted(now_s + KEPT_S, call_s, images)
            self._noted[_key(event)] = noted
            self._bytes += noted.size
            while self._noted and (len(self._noted) > MAX_CALLS or self._bytes > MAX_BYTES):
                self._drop(next(iter(self._noted)))

    def take(self, event: GuardEvent, now_s: float) -> tuple[Mapping[str, bytes | None], float]:
        """Return the bytes that were noted before the call of ``event``, and when; forget them."""
        with self._lock:
            noted = self._drop(_key(event))
        return ({}, 0.0) if noted is None or noted.until_s < now_s else (noted.images, noted.call_s)

    def paths(self, event: GuardEvent) -> Sequence[str]:
        """Return the scripts that were noted for the call of ``event``."""
        with self._lock:
            noted = self._noted.get(_key(event))
        return () if noted is None else tuple(noted.images)

    def _drop(self, key: _Key) -> _Noted | None:
        noted = self._noted.pop(key, None)
        self._bytes -= 0 if noted is None else noted.size
        return noted


def _key(event: GuardEvent) -> _Key:
    """Return a key that is equal before and after a call: its id, or else what it says it
    writes.
    """
    paths = (getattr(each, "path", "") or getattr(each, "text", "") for each in event.writes)
    return event.client, event.session, event.call or " ".join(paths)
