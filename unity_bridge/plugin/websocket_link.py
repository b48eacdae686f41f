"""The Editor link over ``/unity``: one ASGI WebSocket endpoint.

Implements docs/design/wire-protocol.md. It moves messages and timers;
:mod:`unity_bridge.plugin.session` decides.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter, thread_time
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from unity_bridge.clock import Clock, LoopClock
from unity_bridge.editor_state import EditorView
from unity_bridge.link import Command, LinkListener, Listeners
from unity_bridge.machine import Machine
from unity_bridge.plugin.frames import written
from unity_bridge.plugin.session import step
from unity_bridge.plugin.session_state import (
    ABNORMAL,
    Answered,
    Close,
    Closed,
    ConfirmJob,
    Effect,
    Event,
    Forget,
    JobReported,
    Note,
    Opened,
    Received,
    Send,
    SessionState,
    Start,
    Stop,
    Tick,
    Unsent,
    ViewChanged,
)
from unity_bridge.timing import Timing

WORTH_WAITING_S = 0.010
"""The link waits only if it owes other tasks at least these seconds. Less is no flood, and the next
message may end the connection."""

FAREWELL_S = 1.0
"""Time limit for writing the close frame, in seconds."""

LogEvent = Callable[..., None]
"""Logs an event: its name, ``level`` and fields."""


class _Turns:
    """Give other tasks a turn after messages that come without a pause.

    Each turn is as long as the messages took. So other tasks get half of the time.
    """

    def __init__(self) -> None:
        self._owed_s = 0.0
        self._ended_s = perf_counter()

    @contextmanager
    def work(self) -> Iterator[None]:
        """Measure the work on one message."""
        self._owed_s = max(0.0, self._owed_s - (perf_counter() - self._ended_s))
        started = thread_time()  # doesn't count time used by other threads and processes
        try:
            yield
        finally:
            self._owed_s += thread_time() - started
            self._ended_s = perf_counter()

    async def yield_(self) -> None:
        """Let other tasks run for the time that they are owed."""
        if self._owed_s <= perf_counter() - self._ended_s:
            return
        await asyncio.sleep(self._owed_s if self._owed_s >= WORTH_WAITING_S else 0)


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
        serves: Callable[[str], bool] | None = None,
    ) -> None:
        """``tools`` are the entries of the ``capability`` message."""
        self._machine: Machine[SessionState, Event, Effect] = Machine(
            SessionState(
                server_version,
                written("capability", tools=list(tools)),
                timing or Timing(),
                serves=serves,
            ),
            step,
            self._carry_out,
            tick=Tick(),
            clock=clock or LoopClock(),
        )
        self._log_event = log_event
        self._numbers = itertools.count(1)
        self._outboxes: dict[int, asyncio.Queue[Send | Close]] = {}
        self._writers: dict[int, asyncio.Task[None]] = {}
        self._listeners = Listeners()

    @property
    def view(self) -> EditorView:
        """Return the last known state of the Editor."""
        return self._machine.state.view

    def listen(self, listener: LinkListener) -> None:
        """Call ``listener`` from now on."""
        self._listeners.add(listener)

    def open(self) -> None:
        """Do nothing: the plugin connects by itself."""

    def start(self, request_id: str, command: Command, timeout_ms: int) -> None:
        """Send ``command`` once; see :class:`unity_bridge.link.EditorLink`."""
        self._machine.feed(Start(request_id, command, timeout_ms))

    def forget(self, request_id: str) -> None:
        """Drop the answer to a request, because no caller waits for it."""
        self._machine.feed(Forget(request_id))

    def confirm_job(self, job_id: str) -> None:
        """Let the Editor drop a job's result; see :class:`unity_bridge.link.EditorLink`."""
        self._machine.feed(ConfirmJob(job_id))

    async def close(self) -> None:
        """Close every connection with a close frame, after the frames that wait to be sent."""
        self._machine.feed(Stop())
        self._machine.stop_timer()
        if self._writers:
            await asyncio.wait(list(self._writers.values()), timeout=0.5)

    async def serve(self, websocket: WebSocket) -> None:
        """Serve one connection, from its handshake to its end."""
        if "origin" in websocket.headers:  # a browser; an Editor sends none
            self._log_event("refused", level=logging.WARNING, status=403, reason="Origin on /unity")
            await websocket.close()  # before accept(): becomes a 403
            return
        await websocket.accept()
        number = next(self._numbers)
        self._outboxes[number] = asyncio.Queue()
        self._writers[number] = asyncio.create_task(self._write(number, websocket))
        self._machine.feed(Opened(number))
        code = ABNORMAL
        turns = _Turns()
        try:
            while number in self._machine.state.connections:
                message = await websocket.receive()
                if message["type"] == "websocket.disconnect":
                    code = message.get("code") or ABNORMAL
                    break
                # Before the work, so that a disconnect is noticed at once.
                await turns.yield_()
                text = message.get("text")
                with turns.work():
                    received = Received(number, text if text is not None else message["bytes"])
                    self._machine.feed(received)
            else:  # closed by us
                await asyncio.wait([self._writers[number]], timeout=FAREWELL_S)
        finally:
            outbox = self._outboxes.pop(number)
            writer = self._writers.pop(number)
            writer.cancel()
            while not outbox.empty():
                unsent = outbox.get_nowait()
                if isinstance(unsent, Send) and unsent.request_id is not None:
                    self._machine.feed(Unsent(unsent.request_id))
            self._machine.feed(Closed(number, code))

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
            return  # the reader notices the end by itself

    def _carry_out(self, effect: Effect) -> None:
        if isinstance(effect, Send | Close):
            outbox = self._outboxes.get(effect.connection)
            if outbox is not None:
                outbox.put_nowait(effect)
        elif isinstance(effect, Note):
            level = logging.WARNING if effect.warning else logging.INFO
            self._log_event(effect.event, level=level, **effect.fields)
        elif isinstance(effect, ViewChanged):
            self._listeners.on_view(effect.view)
        elif isinstance(effect, Answered):
            self._listeners.on_answer(effect.request_id, effect.answer)
        elif isinstance(effect, JobReported):
            self._listeners.on_job(effect.status)
