"""Limit what a connection may cost: by deadlines, by their number, and by small reads.

Implements docs/design/server-and-bridge.md §10. These are uvicorn's protocols, with limits for
which it has no options. An answer's head is written together with its body, which saves a system
call.
"""

from __future__ import annotations

import asyncio
import logging
import select
from collections import deque
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import CloseCode, Frame

from mcp_server.event_log import log_event
from mcp_server.host.http.body_turns import BodyTurns, TurnTaking


class WholeAnswers(h11.Connection):
    """An HTTP connection's state, which keeps an answer's head until the body comes."""

    def __init__(self, on_kept: Callable[[], object]) -> None:
        """``on_kept`` is called when a head is kept. The head must be written soon."""
        super().__init__(h11.SERVER)
        self._on_kept = on_kept
        self._head: list[bytes] = []

    def send_with_data_passthrough(self, event: h11.Event) -> list[bytes] | None:
        """Return the bytes to write for ``event``, after a kept head."""
        written = super().send_with_data_passthrough(event)
        if isinstance(event, h11.Response):
            self._head = written or []
            self._on_kept()
            return []
        return written if written is None else [self.kept(), *written]

    def kept(self) -> bytes:
        """Return the kept head, and forget it; empty if there is none."""
        head, self._head = b"".join(self._head), []
        return head


HEAD_LIMIT_S = 10.0
"""Most seconds for a request's line and headers, from the connection's start or first byte."""

REST_LIMIT_S = 75
"""Seconds that a connection may be idle between two requests.

Most clients close an idle connection earlier. A client that closes it knows that no request is
lost.
"""

BODY_LIMIT_S = 30.0
"""Most seconds for a request's body after its headers."""

MAX_CONNECTIONS = 64
"""Most connections. Beyond it, those that have waited longest for their client are closed.

Those that never sent a request are closed first.
"""

YOUNG_S = 0.25
"""Seconds for which a new connection isn't closed, because its request may be unread."""

MAX_BUSY_CONNECTIONS = 512
"""Most connections of any kind. Beyond it, a waiting connection or the new one is closed."""

_PART_FOR_WAITING = 4
"""Waiting connections get at most this part (1/4) of the files that the process may have open.

Edits need files, too.
"""
_PART_FOR_BUSY = 2
"""The same for all connections."""

_HTTP_READ_BYTES = 16 * 1024
"""Bytes of a request that are read at once, so that every connection has its turn."""

_TURN_READ_BYTES = 64 * 1024
"""Bytes of a large body that are read in one of its turns."""

_UNITY_READ_BYTES = 2048
"""Bytes of a WebSocket that are read at once. Its smallest frames have six bytes."""

MAX_CONTROL_FRAMES = 2_000
CLOSE_REPLY_S = 2.0
"""Most seconds for a client to answer a close frame."""


_RESTS = object()
"""The state of a connection until the first byte of its next request."""


def _most_open() -> float:
    """Return how many files and sockets this process may have open."""
    try:
        import resource  # noqa: PLC0415 - not on Windows, which has no such limit
    except ImportError:
        return float("inf")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return float("inf") if limit == resource.RLIM_INFINITY else limit


def _has_unread(transport: asyncio.BaseTransport) -> bool:
    number = transport.get_extra_info("socket").fileno()
    if number < 0:  # closed already, but the protocol doesn't know yet
        return False
    if not hasattr(select, "poll"):
        return bool(select.select([number], [], [], 0)[0])
    poll = select.poll()  # select() only accepts small numbers
    poll.register(number, select.POLLIN)
    return bool(poll.poll(0))


def _read_at_most(transport: asyncio.BaseTransport, size: int) -> None:
    """Limit the size of a read, if asyncio allows that. Otherwise its own limit is 64 KiB."""
    if hasattr(transport, "max_size"):
        transport.max_size = size


class _WaitingConnections:
    """The connections of one server that wait for their clients, in order.

    If a connection no longer waits, its entry is void. A void entry is removed when it comes first.
    """

    def __init__(self) -> None:
        self._new: deque[tuple[float, BoundedHttp]] = deque()
        self._served: deque[tuple[float, BoundedHttp]] = deque()
        self._dropped: set[BoundedHttp] = set()
        self._most_open = _most_open()

    @classmethod
    def of(cls, server_state: ServerState) -> _WaitingConnections:
        """Return the server's one object, which the first call makes."""
        waiting: _WaitingConnections = vars(server_state).setdefault("waiting_connections", cls())
        return waiting

    def add(self, connection: BoundedHttp) -> None:
        """Note that ``connection`` waits from now on."""
        queue = self._served if connection.has_served else self._new
        queue.append((connection.waits_since, connection))
        self._first(queue)

    def forget(self, connection: BoundedHttp) -> None:
        """Note that ``connection`` has ended."""
        self._dropped.discard(connection)

    def make_room(self, comes: BoundedHttp, connections: int) -> None:
        """Close connections so that the limits hold. ``comes`` is the newest.

        ``connections`` is the number of all.

        Connections that never sent a request are closed first. All clients have the same loopback
        address, so addresses can't be limited.
        """
        connections -= len(self._dropped)
        young_since = comes.loop.time() - YOUNG_S
        most = min(MAX_CONNECTIONS, self._most_open // _PART_FOR_WAITING)
        most_busy = min(MAX_BUSY_CONNECTIONS, self._most_open // _PART_FOR_BUSY)
        for limit, until in ((most, young_since), (most_busy, float("inf"))):
            while connections > limit:
                oldest = self._first(self._new, comes) or self._first(self._served)
                if oldest is None or oldest.waits_since > until:
                    break
                self._drop(oldest)
                connections -= 1
        if connections > most_busy:
            self._drop(comes)

    def _drop(self, connection: BoundedHttp) -> None:
        log_event("connection_dropped", level=logging.WARNING, reason="too many connections")
        self._dropped.add(connection)
        connection.transport.abort()

    def _first(
        self, queue: deque[tuple[float, BoundedHttp]], but: BoundedHttp | None = None
    ) -> BoundedHttp | None:
        """Return the first connection in the queue that waits; ``None`` if it is ``but``."""
        while queue:
            since, connection = queue[0]
            if (
                connection.waits_since == since
                and connection.waits_for_client
                and not connection.transport.is_closing()
            ):
                return connection if connection is not but else None
            queue.popleft()
        return None


class BoundedHttp(H11Protocol):
    """An HTTP connection with deadlines, one of a limited number."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # If the body doesn't come in this turn of the loop, write the head alone.
        self.conn = self._answers = WholeAnswers(lambda: self.loop.call_soon(self._write_kept))

    def _write_kept(self) -> None:
        self.transport.write(self._answers.kept())

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Set the limits, and make room for the connection. Called at its start."""
        super().connection_made(transport)
        _read_at_most(transport, _HTTP_READ_BYTES)
        self.flow = self._turns = TurnTaking(transport, BodyTurns.of(self.server_state, self.loop))
        self._deadline: asyncio.TimerHandle | None = None
        self._awaits: object = None
        self.has_served = False
        self._waiting = _WaitingConnections.of(self.server_state)
        self._set_deadline()
        self._waiting.make_room(self, len(self.connections))

    def wait(self) -> None:
        """Note that the connection waits for its client from now on."""
        self.waits_since = self.loop.time()
        self._waiting.add(self)

    @property
    def waits_for_client(self) -> bool:
        """Return whether the connection only waits for its client."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY) or (
            self.cycle is None or self.cycle.response_complete
        )

    def data_received(self, data: bytes) -> None:
        """Take the client's data, and update the deadline."""
        super().data_received(data)
        self._take_turns(len(data))
        self._set_deadline()

    def _take_turns(self, size: int) -> None:
        """Let other connections have their turn during a large body."""
        if self.conn.their_state is not h11.SEND_BODY:
            self._turns.whole()
            _read_at_most(self.transport, _HTTP_READ_BYTES)
        elif self._turns.received(size):
            _read_at_most(self.transport, _TURN_READ_BYTES)
            if self.cycle is None or self.cycle.response_complete:
                self.flow.resume_reading()  # after its answer, the application reads no more

    def on_response_complete(self) -> None:
        """Wait for the next request. Called when an answer was sent."""
        super().on_response_complete()
        self.has_served = True
        self.wait()
        self._set_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Clean up. Called when the connection has ended."""
        super().connection_lost(exc)
        self._turns.ended()
        self._cancel_deadline()
        self._waiting.forget(self)

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that was idle for too long. Called by its timer."""
        # Unread data would be lost, and its sender would get a reset.
        if not _has_unread(self.transport):
            super().timeout_keep_alive_handler()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over to the WebSocket protocol."""
        self._cancel_deadline()
        self._awaits = h11.CLOSED
        self.waits_since = float("inf")  # voids earlier entries
        super().handle_websocket_upgrade(event)

    def _set_deadline(self) -> None:
        """Set the deadline once for each part of a request. Further bytes don't extend it."""
        state: object = self.conn.their_state
        if state is h11.IDLE and self.has_served and not self.conn.trailing_data[0]:
            state = _RESTS
        if self._awaits is h11.CLOSED or state is self._awaits:
            return
        self._cancel_deadline()
        self._awaits = state
        limits_s: dict[object, float] = {h11.IDLE: HEAD_LIMIT_S, h11.SEND_BODY: BODY_LIMIT_S}
        limit_s = limits_s.get(state)
        if limit_s is not None:
            self.wait()
            self._deadline = self.loop.call_later(limit_s, self._out_of_time)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _out_of_time(self) -> None:
        if self.transport.is_closing():
            return
        body = self.conn.their_state is h11.SEND_BODY
        log_event(
            "request_too_slow",
            level=logging.WARNING,
            status=408,
            part="body" if body else "head",
        )
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._send_408()
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()

    def _send_408(self) -> None:
        reason = b"the request took too long to arrive\n"
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(reason)).encode()),
            (b"connection", b"close"),
        ]
        response = h11.Response(status_code=408, headers=headers, reason=STATUS_PHRASES[408])
        for event in (response, h11.Data(data=reason), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """A WebSocket that is read in small parts, with a limit on control frames.

    Messages are counted by :class:`unity_bridge.plugin.session_state.Unasked`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.close_timeout = CLOSE_REPLY_S
        self._window_s = float("-inf")
        self._control_frames = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Limit the size of each read. Called when the connection becomes a WebSocket."""
        super().connection_made(transport)
        _read_at_most(transport, _UNITY_READ_BYTES)

    def handle_ping(self) -> None:
        """Answer a ping. Above ``MAX_CONTROL_FRAMES`` a second, abort the connection."""
        if self._count_control_frame():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Take a pong. Above ``MAX_CONTROL_FRAMES`` a second, abort the connection."""
        if self._count_control_frame():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """Take a fragment of a message.

        Fragments count as control frames. Above ``MAX_CONTROL_FRAMES`` a second, abort the
        connection.
        """
        if self._count_control_frame():
            super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        """Pass a message on.

        A text that isn't UTF-8 ends the connection with a log line. uvicorn would log a traceback.
        """
        if self.curr_msg_data_type == "text" and not self.close_sent:
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError as error:
                reason = f"a text that is not UTF-8 (byte {error.start})"
                log_event("unity_bad_text", level=logging.WARNING, reason=reason)
                self.frames = []
                self.conn.send_close(CloseCode.INVALID_DATA)
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    def _count_control_frame(self) -> bool:
        """Count a frame. Return whether it may be handled; with too many, abort the connection."""
        now = self.loop.time()
        if now - self._window_s >= 1:
            self._window_s, self._control_frames = now, 0
        self._control_frames += 1
        if self._control_frames == MAX_CONTROL_FRAMES + 1:
            log_event("unity_control_flood", level=logging.WARNING, frames=self._control_frames)
            self.transport.abort()
        return self._control_frames <= MAX_CONTROL_FRAMES
