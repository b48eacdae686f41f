"""Read large bodies in turn, so that the event loop still has time for calls.

Implements docs/design/server-and-bridge.md §10. Otherwise, with sixty large bodies, the event loop
would do sixty reads between two steps of a call. Small requests never wait.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.server import ServerState

MANY_BODIES = 8
"""If more large bodies than this arrive, they are read in turn."""

FREE_BODY_BYTES = 4 * 1024
"""A body that exceeds this many bytes is large."""

TURN_S = 0.002
"""Seconds between two turns."""


class BodyTurns:
    """The large bodies that one server receives, and whose turn it is."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._large: set[TurnTaking] = set()
        self._waiting: dict[TurnTaking, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    @classmethod
    def of(cls, server_state: ServerState, loop: asyncio.AbstractEventLoop) -> BodyTurns:
        """Return the turns of this server. The first call makes them; later calls share them."""
        turns: BodyTurns = vars(server_state).setdefault("body_turns", cls(loop))
        return turns

    def add(self, reader: TurnTaking) -> bool:
        """Add a large body. Return whether it must wait for its turn after each part."""
        self._large.add(reader)
        return len(self._large) > MANY_BODIES

    def ask(self, reader: TurnTaking) -> None:
        """Let ``reader`` go on when its turn comes."""
        if reader not in self._large or len(self._large) <= MANY_BODIES:
            self._waiting.pop(reader, None)
            reader.go_on()
            return
        self._waiting[reader] = None
        if self._timer is None:
            self._timer = self._loop.call_later(TURN_S, self._next)

    def end(self, reader: TurnTaking) -> None:
        """Remove ``reader``, because its body is complete or given up."""
        self._large.discard(reader)
        self._waiting.pop(reader, None)

    def _next(self) -> None:
        self._timer = None
        if not self._waiting:
            return
        reader = next(iter(self._waiting))
        del self._waiting[reader]
        if self._waiting:
            self._timer = self._loop.call_later(TURN_S, self._next)
        reader.go_on()


class TurnTaking(FlowControl):
    """A connection's flow control, which resumes reading when its turn comes."""

    def __init__(self, transport: asyncio.Transport, turns: BodyTurns) -> None:
        super().__init__(transport)
        self._turns = turns
        self._received = 0

    def received(self, size: int) -> bool:
        """Count ``size`` bytes of an unfinished body. Return whether to wait for a turn."""
        self._received += size
        waits = self._received > FREE_BODY_BYTES and self._turns.add(self)
        if waits:
            self.pause_reading()
        return waits

    def whole(self) -> None:
        """Note that no body is being received."""
        if self._received:
            self._received = 0
            self._turns.end(self)

    def ended(self) -> None:
        """Note that the connection has ended."""
        self._turns.end(self)

    def resume_reading(self) -> None:
        """Resume reading when this connection's turn comes."""
        if self.read_paused:
            self._turns.ask(self)

    def go_on(self) -> None:
        """Resume reading now."""
        super().resume_reading()
