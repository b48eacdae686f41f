"""The Editor link over ``/unity``: carries out what :mod:`unity_bridge.session` decides.

Implements spec 02-server-and-bridge §4. One ASGI WebSocket endpoint; it moves messages and
timers, and nothing else.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from unity_bridge.clock import Clock, LoopClock, Timer
from unity_bridge.editor_state import EditorView
from unity_bridge.frames import written
from unity_bridge.link import Command, LinkListener
from unity_bridge.session import SessionState, step
from unity_bridge.session_events import (
    ABNORMAL,
    Answered,
    Close,
    Closed,
    Effect,
    Event,
    Forget,
    Note,
    Opened,
    Received,
    Send,
    Start,
    Stop,
    Tick,
    Unsent,
    ViewChanged,
)
from unity_bridge.timing import Timing

LogEvent = Callable[..., None]
"""Logs an event: its name, ``level`` and fields."""


class WebSocketLink:
    """The Editor whose plugin connects to ``/unity``. Lives on one event loop."""

    name = "plugin"

    def __init__(
        self,
        *,
        server_version: str,
        tools: Sequence[dict[str, Any]],
        log_event: LogEvent,
        timing: Timing | None = None,
        clock: Clock | None = None,
    ) -> None:
        """``tools`` are the entries of the ``capability`` message."""
        self._state = SessionState(
            server_version, written("capability", tools=list(tools)), timing or Timing()
        )
        self._log_event = log_event
        self._clock = clock or LoopClock()
        self._numbers = itertools.count(1)
        self._outboxes: dict[int, asyncio.Queue[Send | Close]] = {}
        self._writers: dict[int, asyncio.Task[None]] = {}
        self._listeners: list[LinkListener] = []
        self._timer: Timer | None = None
        self._events: deque[Event] = deque()
        self._feeding = False

    @property
    def view(self) -> EditorView:
        """What is known of the Editor now."""
        return self._state.view

    def listen(self, listener: LinkListener) -> None:
        """Tell ``listener`` of everything from now on."""
        self._listeners.append(listener)

    def start(self, request_id: str, command: Command, timeout_ms: int) -> None:
        """Send ``command`` once; see :class:`unity_bridge.link.EditorLink`."""
        self._feed(Start(request_id, command, timeout_ms))

    def forget(self, request_id: str) -> None:
        """Nobody waits for this answer any more."""
        self._feed(Forget(request_id))

    async def close(self) -> None:
        """Close every connection with a close frame, once what was to be sent before is sent."""
        self._feed(Stop())
        if self._timer is not None:
            self._timer.cancel()
        if self._writers:
            await asyncio.wait(list(self._writers.values()), timeout=0.5)

    async def serve(self, websocket: WebSocket) -> None:
        """The endpoint: one connection, from its handshake to its end."""
        if "origin" in websocket.headers:  # a browser; an Editor sends none
            self._log_event("refused", level=logging.WARNING, status=403, reason="Origin on /unity")
            await websocket.close()  # before accept(): becomes a 403
            return
        await websocket.accept()
        number = next(self._numbers)
        self._outboxes[number] = asyncio.Queue()
        self._writers[number] = asyncio.create_task(self._write(number, websocket))
        self._feed(Opened(number))
        code = ABNORMAL
        try:
            while True:
                message = await websocket.receive()
                if message["type"] == "websocket.disconnect":
                    code = message.get("code") or ABNORMAL
                    break
                text = message.get("text")
                self._feed(Received(number, text if text is not None else message["bytes"]))
        finally:
            outbox = self._outboxes.pop(number)
            writer = self._writers.pop(number)
            writer.cancel()
            while not outbox.empty():
                unsent = outbox.get_nowait()
                if isinstance(unsent, Send) and unsent.request_id is not None:
                    self._feed(Unsent(unsent.request_id))
            self._feed(Closed(number, code))

    async def _write(self, number: int, websocket: WebSocket) -> None:
        outbox = self._outboxes[number]
        try:
            while True:
                effect = await outbox.get()
                if isinstance(effect, Close):
                    await websocket.close(effect.code, effect.reason)
                    return
                await websocket.send_text(effect.text)
        except (WebSocketDisconnect, RuntimeError):
            return  # the reader learns of the end by itself

    def _feed(self, event: Event) -> None:
        """Let ``event`` happen, and carry out what follows.

        A listener may call the link again: its event waits until this one is done with.
        """
        self._events.append(event)
        if self._feeding:
            return
        self._feeding = True
        try:
            while self._events:
                self._state, effects = step(
                    self._state, self._events.popleft(), self._clock.now_ms()
                )
                for effect in effects:
                    self._carry_out(effect)
        finally:
            self._feeding = False
            self._set_timer()

    def _carry_out(self, effect: Effect) -> None:
        if isinstance(effect, Send | Close):
            outbox = self._outboxes.get(effect.connection)
            if outbox is not None:
                outbox.put_nowait(effect)
        elif isinstance(effect, Note):
            level = logging.WARNING if effect.warning else logging.INFO
            self._log_event(effect.event, level=level, **effect.fields)
        elif isinstance(effect, ViewChanged):
            for listener in self._listeners:
                listener.on_view(effect.view)
        elif isinstance(effect, Answered):
            for listener in self._listeners:
                listener.on_answer(effect.request_id, effect.answer)

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline = self._state.next_deadline_ms
        if deadline is not None:
            self._timer = self._clock.call_at(deadline, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._feed(Tick())
