"""The server's side of ``/unity``, without I/O: (state, event, now) → (state, effects).

Implements docs/design/wire-protocol.md §2 to §9: pending and active connections, a second Editor,
the heartbeat, sequence numbers, invalid and oversize messages. Times are milliseconds of one clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from unity_bridge.editor_state import Blocked, EditorState, after_status
from unity_bridge.link import Malformed
from unity_bridge.plugin import session_hello as introduction
from unity_bridge.plugin import session_requests as requests
from unity_bridge.plugin.frames import Frame, Garbage, Oversize, answer_kind, read_frame, written
from unity_bridge.plugin.session_state import (
    GOING_AWAY,
    MESSAGE_TOO_BIG,
    POLICY_VIOLATION,
    PROTOCOL_ERROR,
    Close,
    Closed,
    ConfirmJob,
    Connection,
    Effect,
    Event,
    Forget,
    Opened,
    Received,
    Send,
    SessionState,
    Start,
    Step,
    Stop,
    Tick,
    Unsent,
    ViewChanged,
    note_about,
)
from unity_bridge.timing import MAX_MESSAGE_BYTES

MAX_GARBAGE = 10
"""Invalid frames in a row that close a connection."""

MAX_PENDING = 8
"""Maximum number of connections without a ``hello``; beyond it, the oldest are closed."""

FLOOD = "too many messages within a second (answers are not counted)"


def step(state: SessionState, event: Event, now: float) -> Step:
    """Return the new state, and the effects, of ``event`` at ``now``."""
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
    effects: list[Effect] = [note_about("unity_connection_opened", event)]
    pending = [number for number, each in state.connections.items() if not each.active]
    for number in pending[: max(0, len(pending) - MAX_PENDING + 1)]:
        effects.append(Close(number, POLICY_VIOLATION, "no hello, and other connections wait"))
        state = state.with_connection(number, None)
    opened = Connection(dead_at_ms=now + state.timing.hello_timeout_ms)
    return state.with_connection(event.connection, opened), effects


def _closed(state: SessionState, event: Closed, now: float) -> Step:
    connection = state.connections.get(event.connection)
    if connection is None:
        return state, []
    effects: list[Effect] = [note_about("unity_connection_closed", event, code=event.code)]
    state = state.with_connection(event.connection, None)
    if not connection.active:
        return state, effects
    if event.code == MESSAGE_TOO_BIG:
        actual = "a message that is far too large to be received"
        state, answered = requests.answer_all(state, Malformed(_SIZE_EXPECTED, actual, True))
        effects += answered
    state = state.disconnected(now, seen_leaving=True)
    state, accepted = introduction.older_one_gone(state, event.connection, now)
    return state, effects + accepted


def _tick(state: SessionState, _event: Tick, now: float) -> Step:
    effects: list[Effect] = []
    for number, connection in state.connections.items():
        if state.connections.get(number) is not connection:  # closed when another connection ended
            continue
        if connection.dead_at_ms is not None and now >= connection.dead_at_ms:
            if connection.hello is not None:
                state, replaced = introduction.older_one_silent(state, number, now)
                effects += replaced
                continue
            state = state.with_connection(number, None)
            if connection.active:
                effects.append(note_about("unity_connection_stale", Closed(number), warning=True))
                effects.append(Close(number, GOING_AWAY, "no sign of life"))
                state = state.disconnected(now, seen_leaving=False)
            else:
                effects.append(note_about("unity_hello_missing", Closed(number), warning=True))
                effects.append(Close(number, POLICY_VIOLATION, "no hello"))
        elif connection.ping_at_ms is not None and now >= connection.ping_at_ms:
            state, ping = state.pinged(number)
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
    return (state.disconnected(now, seen_leaving=True) if was_connected else state), effects


# -- messages ------------------------------------------------------------------------------


def _received(state: SessionState, event: Received, now: float) -> Step:
    connection = state.connections.get(event.connection)
    if connection is None:  # closed by us
        return state, []
    if connection.active and connection.ping_at_ms is None:
        # This plugin gets no pings: any message is its sign of life.
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
        return _garbage(state, event, Garbage("hello was sent already", ""), now)
    if connection.garbage:
        state = state.with_connection(event.connection, replace(connection, garbage=0))
    if kind == "hello":
        return introduction.hello(state, event, frame, now)
    if kind in ("editor_status", "pong"):
        return _status(state, event, frame, now)
    return requests.answered(state, event.connection, frame)


_NEVER_ANSWERS = frozenset({"hello", "editor_status"})


def _answers(
    frame: Frame | Garbage | Oversize, state: SessionState, connection: Connection
) -> bool:
    """Return whether ``frame`` answers a request in flight or a ping."""
    if isinstance(frame, Garbage | Oversize):
        return frame.request_id in state.outstanding
    if frame["type"] == "pong":
        return connection.pongs_owed > 0
    named = frame.get("request_id") if frame["type"] not in _NEVER_ANSWERS else None
    return named in state.outstanding


def _garbage(state: SessionState, event: Received, garbage: Garbage, now: float) -> Step:
    connection = state.connections[event.connection]
    connection = replace(connection, garbage=connection.garbage + 1)
    error = {"code": "ERR_INVALID_REQUEST", "message": garbage.problem}
    named = {"request_id": garbage.request_id} if _sendable(garbage.request_id) else {}
    effects: list[Effect] = [
        note_about(
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
        # No other answer will come.
        assert garbage.request_id is not None
        expected = answer_kind(state.outstanding[garbage.request_id])
        answer = Malformed(f"a {expected} message", garbage.problem, garbage.hopeless)
        state, answered = requests.settle(state, garbage.request_id, answer)
        effects += answered
    if connection.garbage < MAX_GARBAGE:
        return state.with_connection(event.connection, connection), effects
    effects.append(Close(event.connection, PROTOCOL_ERROR, "too many invalid messages"))
    state = state.with_connection(event.connection, None)
    if connection.active:
        state = state.disconnected(now, seen_leaving=True)
    return state, effects


def _sendable(request_id: str | None) -> bool:
    return request_id is not None and 1 <= len(request_id) <= 200


_SIZE_EXPECTED = f"a message of at most {MAX_MESSAGE_BYTES} bytes"


def _oversize(state: SessionState, event: Received, message: Oversize) -> Step:
    problem = f"a message of {message.size} bytes; at most {MAX_MESSAGE_BYTES} are read"
    note = note_about(
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
    reported = EditorState.parse(frame.get("editor_state" if is_pong else "state"))
    seq = frame.get("seq")
    if reported is None or not isinstance(seq, int):  # a pong without a status
        return state, effects
    blocked = Blocked.parse(frame.get("blocked"), now)
    locked = frame.get("reload_locked") is True
    view = after_status(state.view, reported, seq, now, blocked, reload_locked=locked)
    if view is None:
        note = note_about("unity_status_out_of_order", event, seq=seq, seen=state.view.seq)
        return state, [*effects, note]
    return replace(state, view=view), effects
