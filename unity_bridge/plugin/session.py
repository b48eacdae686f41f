"""The server's side of ``/unity``, without I/O: (state, event, now) to (state, effects).

Implements docs/design/wire-protocol.md §2 to §9: pending and active connections, the second Editor,
heartbeat, sequence numbers, garbage, oversize, late and repeated answers. Times are
milliseconds of one clock. The adapter feeds events in and carries the effects out; it decides
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from unity_bridge.editor_state import Blocked, EditorState, observed
from unity_bridge.link import Malformed
from unity_bridge.plugin import session_introduction as introduction
from unity_bridge.plugin import session_requests as requests
from unity_bridge.plugin.answers import answer_kind
from unity_bridge.plugin.frames import (
    Frame,
    Garbage,
    Oversize,
    read_frame,
    written,
)
from unity_bridge.plugin.session_events import (
    GOING_AWAY,
    MESSAGE_TOO_BIG,
    POLICY_VIOLATION,
    PROTOCOL_ERROR,
    Close,
    Closed,
    ConfirmJob,
    Effect,
    Event,
    Forget,
    Opened,
    Received,
    Send,
    Start,
    Stop,
    Tick,
    Unsent,
    ViewChanged,
    noted,
)
from unity_bridge.plugin.session_state import Connection, SessionState, Step
from unity_bridge.timing import MAX_MESSAGE_BYTES

MAX_GARBAGE = 10
"""Bad frames in a row after which a connection is closed."""

MAX_PENDING = 8
"""Connections that may be without a hello at once; beyond it the oldest are closed."""

FLOOD = "more was sent within a second than an Editor has to say; answers are not counted"


def step(state: SessionState, event: Event, now: float) -> Step:
    """What follows from ``event`` at ``now``."""
    handlers: dict[type, Callable[[SessionState, Any, float], Step]] = {
        Opened: _opened,
        Received: _received,
        Closed: _closed,
        Tick: _tick,
        Start: requests.start,
        Unsent: requests.unsent,
        Forget: requests.forget,
        ConfirmJob: requests.confirm_job,
        Stop: _stop,
    }
    after, effects = handlers[type(event)](state, event, now)
    if after.view != state.view:
        effects.append(ViewChanged(after.view))
    return after, effects


# -- connections ---------------------------------------------------------------------------


def _opened(state: SessionState, event: Opened, now: float) -> Step:
    if state.stopping:
        return state, [Close(event.connection, GOING_AWAY, "the server stops")]
    effects: list[Effect] = [noted("unity_connection_opened", event)]
    pending = [number for number, each in state.connections.items() if not each.active]
    for number in pending[: max(0, len(pending) - MAX_PENDING + 1)]:
        effects.append(Close(number, POLICY_VIOLATION, "no hello, and others want to say it"))
        state = state.with_connection(number, None)
    opened = Connection(dead_at_ms=now + state.timing.hello_timeout_ms)
    return state.with_connection(event.connection, opened), effects


def _closed(state: SessionState, event: Closed, now: float) -> Step:
    connection = state.connections.get(event.connection)
    if connection is None:
        return state, []
    effects: list[Effect] = [noted("unity_connection_closed", event, code=event.code)]
    state = state.with_connection(event.connection, None)
    if not connection.active:
        return state, effects
    if event.code == MESSAGE_TOO_BIG:
        actual = "a message that is far too large to be received"
        state, answered = requests.answer_all(state, Malformed(_SIZE_EXPECTED, actual, True))
        effects += answered
    state = state.without_editor(now, seen_leaving=True)
    state, accepted = introduction.older_one_gone(state, event.connection, now)
    return state, effects + accepted


def _tick(state: SessionState, _event: Tick, now: float) -> Step:
    effects: list[Effect] = []
    for number, connection in state.connections.items():
        if state.connections.get(number) is not connection:  # another one's end has ended it
            continue
        if connection.dead_at_ms is not None and now >= connection.dead_at_ms:
            if connection.hello is not None:
                state, replaced = introduction.older_one_silent(state, number, now)
                effects += replaced
                continue
            state = state.with_connection(number, None)
            if connection.active:
                effects.append(noted("unity_connection_stale", Closed(number), warning=True))
                effects.append(Close(number, GOING_AWAY, "no sign of life"))
                state = state.without_editor(now, seen_leaving=False)
            else:
                effects.append(noted("unity_hello_missing", Closed(number), warning=True))
                effects.append(Close(number, POLICY_VIOLATION, "no hello"))
        elif connection.ping_at_ms is not None and now >= connection.ping_at_ms:
            state, ping = state.asked_for_life(number)
            effects.append(ping)
            timing = state.timing
            pinged = replace(
                state.connections[number],
                ping_at_ms=now + timing.heartbeat_interval_ms,
                dead_at_ms=now + timing.heartbeat_timeout_ms
                if connection.dead_at_ms is None
                else connection.dead_at_ms,
            )
            state = state.with_connection(number, pinged)
    return state, effects


def _stop(state: SessionState, _event: Stop, now: float) -> Step:
    effects: list[Effect] = [Close(n, GOING_AWAY, "the server stops") for n in state.connections]
    was_connected = state.view.connected
    state = replace(state, connections={}, stopping=True)
    return (state.without_editor(now, seen_leaving=True) if was_connected else state), effects


# -- messages ------------------------------------------------------------------------------


def _received(state: SessionState, event: Received, now: float) -> Step:
    connection = state.connections.get(event.connection)
    if connection is None:  # closed by us; what was on its way is void
        return state, []
    if connection.active and connection.ping_at_ms is None:
        # This plugin gets no pings: whatever it says is its sign of life.
        connection = replace(connection, dead_at_ms=now + state.timing.silence_limit_ms)
        state = state.with_connection(event.connection, connection)
    frame = read_frame(event.message)
    if not _answers(frame, state, connection):
        unasked = connection.unasked.and_one(len(event.message), now)
        connection = replace(connection, unasked=unasked)
        state = state.with_connection(event.connection, connection)
        if unasked.too_much:
            frame = Garbage(FLOOD, "")
    if isinstance(frame, Garbage):
        return _garbage(state, event, frame, now)
    if isinstance(frame, Oversize):
        return _oversize(state, event, frame)
    kind = frame["type"]
    if kind != "hello" and not connection.active:
        problem = Garbage(f"{kind} came before hello", "", frame.get("request_id"))
        return _garbage(state, event, problem, now)
    if kind == "hello" and connection.active:
        return _garbage(state, event, Garbage("hello was said already", ""), now)
    if connection.garbage:
        state = state.with_connection(event.connection, replace(connection, garbage=0))
    if kind == "hello":
        return introduction.hello(state, event, frame, now)
    if kind in ("editor_status", "pong"):
        return _status(state, event, frame, now)
    return requests.answered(state, event.connection, frame)


_ASKED_BY_NOBODY = frozenset({"hello", "editor_status"})


def _answers(
    frame: Frame | Garbage | Oversize, state: SessionState, connection: Connection
) -> bool:
    """Whether ``frame`` settles a request, or a ping, that is owed an answer."""
    if isinstance(frame, Garbage | Oversize):
        return frame.request_id in state.outstanding
    if frame["type"] == "pong":
        return connection.pongs_owed > 0
    named = frame.get("request_id") if frame["type"] not in _ASKED_BY_NOBODY else None
    return named in state.outstanding


def _garbage(state: SessionState, event: Received, garbage: Garbage, now: float) -> Step:
    connection = state.connections[event.connection]
    connection = replace(connection, garbage=connection.garbage + 1)
    error = {"code": "ERR_INVALID_REQUEST", "message": garbage.problem}
    named = {"request_id": garbage.request_id} if _sendable(garbage.request_id) else {}
    effects: list[Effect] = [
        noted(
            "unity_bad_frame",
            event,
            warning=True,
            problem=garbage.problem,
            excerpt=garbage.excerpt,
            error="ERR_INVALID_REQUEST",
        ),
        Send(event.connection, written("error", **named, error=error)),
    ]
    if connection.active and garbage.request_id in state.outstanding:
        # An answer that can't be read is all the answer there will be.
        assert garbage.request_id is not None
        expected = answer_kind(state.outstanding[garbage.request_id])
        answer = Malformed(f"a {expected} message", garbage.problem, garbage.hopeless)
        state, answered = requests.settle(state, garbage.request_id, answer)
        effects += answered
    if connection.garbage < MAX_GARBAGE:
        return state.with_connection(event.connection, connection), effects
    effects.append(Close(event.connection, PROTOCOL_ERROR, "too many messages made no sense"))
    state = state.with_connection(event.connection, None)
    if connection.active:
        state = state.without_editor(now, seen_leaving=True)
    return state, effects


def _sendable(request_id: str | None) -> bool:
    return request_id is not None and 1 <= len(request_id) <= 200


_SIZE_EXPECTED = f"a message of at most {MAX_MESSAGE_BYTES} bytes"


def _oversize(state: SessionState, event: Received, message: Oversize) -> Step:
    problem = f"a message of {message.size} bytes; at most {MAX_MESSAGE_BYTES} are read"
    note = noted(
        "unity_oversize",
        event,
        warning=True,
        size=message.size,
        request_id=message.request_id,
        error="ERR_INVALID_RESPONSE",
    )
    if not state.connections[event.connection].active:
        return state, [note, Close(event.connection, MESSAGE_TOO_BIG, problem[:120])]
    error = {"code": "ERR_INVALID_REQUEST", "message": problem}
    effects: list[Effect] = [note, Send(event.connection, written("error", error=error))]
    answers = message.request_id
    if answers is None and len(state.outstanding) == 1:
        answers = next(iter(state.outstanding))
    if answers is not None and answers in state.outstanding:
        actual = f"{message.size} bytes"
        state, answered = requests.settle(state, answers, Malformed(_SIZE_EXPECTED, actual, True))
        effects += answered
    return state, effects


def _status(state: SessionState, event: Received, frame: Frame, now: float) -> Step:
    is_pong = frame["type"] == "pong"
    effects: list[Effect] = []
    if is_pong:
        connection = state.connections[event.connection]
        alive = replace(connection, pongs_owed=max(0, connection.pongs_owed - 1))
        if connection.ping_at_ms is not None:
            alive = replace(alive, dead_at_ms=None)
        state = state.with_connection(event.connection, alive)
        state, effects = introduction.older_one_alive(state, event.connection)
    reported = EditorState.told(frame.get("editor_state" if is_pong else "state"))
    seq = frame.get("seq")
    if reported is None or not isinstance(seq, int):  # a pong that says nothing else
        return state, effects
    blocked = Blocked.told(frame.get("blocked"), now)
    locked = frame.get("reload_locked") is True
    view = observed(state.view, reported, seq, now, blocked, reload_locked=locked)
    if view is None:
        note = noted("unity_status_out_of_order", event, seq=seq, seen=state.view.seq)
        return state, [*effects, note]
    return replace(state, view=view), effects
