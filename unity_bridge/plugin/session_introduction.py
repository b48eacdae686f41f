"""Who is served: what follows from a ``hello``, without I/O. A part of :mod:`session`.

Implements docs/design/wire-protocol.md: one Editor at a time, and whoever else says ``hello`` is
turned away. Two cases are told apart. An Editor that reloads its domain is away for a moment: its
place is kept. And an Editor that says ``hello`` again may be one whose old connection is dead, or a
second one under the same name, or one without a name as it is itself: the old connection is asked
whether it lives.
"""

from __future__ import annotations

from dataclasses import replace

from unity_bridge.editor_state import EditorState, EditorView, Introduction, introduced
from unity_bridge.plugin.frames import Frame, written
from unity_bridge.plugin.session_events import (
    GOING_AWAY,
    POLICY_VIOLATION,
    Close,
    Effect,
    Received,
    Send,
    noted,
)
from unity_bridge.plugin.session_state import Connection, SessionState, Step
from unity_bridge.timing import Timing

SECOND_EDITOR = "another Unity websocket session is already active"
OTHER_PROJECT = "this server works in another project"


def hello(state: SessionState, event: Received, frame: Frame, now: float) -> Step:
    """A plugin introduces itself."""
    active, number = state.active, event.connection
    told = frame.get("project_path")
    if told is not None and state.serves is not None and not state.serves(told):
        return _turned_away(state, number, OTHER_PROJECT, "unity_other_project")
    if active is None:
        if _kept_for_another(state.view, frame, state.timing, now):
            return _turned_away(state, number)
        return _accepted(state, number, frame, now)
    if not _may_be_the_same(state.view, frame):
        return _turned_away(state, number)
    if state.connections[number].challenges is not None:
        return state, []  # it has said so already
    if state.connections[active].ping_at_ms is None:
        # It can't be asked: this plugin answers no pings.
        return _replaced(state, number, frame, now)
    waiting = Connection(
        hello=frame, challenges=active, dead_at_ms=now + _patience_ms(state.view, state.timing)
    )
    state, ping = state.with_connection(number, waiting).asked_for_life(active)
    return state, [noted("unity_hello_again", event), ping]


def older_one_alive(state: SessionState, active: int) -> Step:
    """The active connection has answered a ping: who says to be the same Editor isn't."""
    effects: list[Effect] = []
    for number, connection in list(state.connections.items()):
        if connection.challenges == active:
            state, turned_away = _turned_away(state, number)
            effects += turned_away
    return state, effects


def older_one_silent(state: SessionState, number: int, now: float) -> Step:
    """The active connection has not answered a ping in time: connection ``number`` takes over."""
    connection = state.connections[number]
    assert connection.hello is not None
    if state.active is None:
        return _accepted(state, number, connection.hello, now)
    if state.active != connection.challenges:
        return _turned_away(state, number)
    return _replaced(state, number, connection.hello, now)


def older_one_gone(state: SessionState, closed: int, now: float) -> Step:
    """The active connection has closed: who waited for its answer is the same Editor."""
    for number, connection in state.connections.items():
        if connection.challenges == closed:
            assert connection.hello is not None
            return _accepted(state, number, connection.hello, now)
    return state, []


def _may_be_the_same(view: EditorView, frame: Frame) -> bool:
    """Whether who says ``hello`` can be the Editor that is connected already.

    One that reloads its domain closes its socket, and where that takes a moment to be seen, its
    new domain says ``hello`` before. Of two that don't name their instance nobody knows; a plugin
    that names it is another one than a plugin that doesn't, unless it was put in its place.
    """
    instance = frame.get("editor_instance_id")
    if (instance is None) != (view.editor_instance is None):
        return view.state is EditorState.RELOADING
    return bool(instance == view.editor_instance)


def _patience_ms(view: EditorView, timing: Timing) -> float:
    """How long the connected Editor has to show that it lives, when its like says ``hello``."""
    # Without names it may well be another one: then no sooner than a heartbeat would tell.
    unsure = view.editor_instance is None and view.state is not EditorState.RELOADING
    return timing.heartbeat_timeout_ms if unsure else timing.probe_timeout_ms


def _kept_for_another(view: EditorView, frame: Frame, timing: Timing, now: float) -> bool:
    """Whether an Editor that reloads its domain is still expected, and this is another one."""
    if not view.returns or view.editor_instance is None or view.busy_seen_ms is None:
        return False
    over = now - view.busy_seen_ms >= timing.compile_grace_timeout_ms
    return not over and frame.get("editor_instance_id") != view.editor_instance


def _turned_away(
    state: SessionState,
    number: int,
    why: str = SECOND_EDITOR,
    noted_as: str = "unity_second_editor",
) -> Step:
    error = {"code": "ERR_INVALID_REQUEST", "message": why}
    return state.with_connection(number, None), [
        noted(noted_as, Received(number, ""), warning=True, error="ERR_INVALID_REQUEST"),
        Send(number, written("error", error=error)),
        Close(number, POLICY_VIOLATION, why),
    ]


def _replaced(state: SessionState, number: int, frame: Frame, now: float) -> Step:
    """The same Editor is back before its old socket was seen to be gone."""
    active = state.active
    assert active is not None
    goodbye = Close(active, GOING_AWAY, "this Editor has connected again")
    state = state.with_connection(active, None).without_editor(now, seen_leaving=True)
    state, effects = _accepted(state, number, frame, now)
    return state, [goodbye, *effects]


def _accepted(state: SessionState, number: int, frame: Frame, now: float) -> Step:
    who = _introduction(frame)
    timing = state.timing
    accepted = Connection(
        active=True,
        ping_at_ms=now + timing.heartbeat_interval_ms if who.takes_jobs else None,
        dead_at_ms=None if who.takes_jobs else now + timing.silence_limit_ms,
    )
    state = replace(state, view=introduced(state.view, who, now))
    accepted = replace(accepted, announces=state.view.tells_of_jobs)
    state = state.with_connection(number, accepted)
    greeting = written(
        "hello", server_version=state.server_version, connection_id=f"connection-{number}"
    )
    return state, [
        noted(
            "unity_hello",
            Received(number, ""),
            state=who.state.value,
            plugin_version=who.plugin_version,
        ),
        Send(number, greeting),
        Send(number, state.capability),
    ]


def _introduction(frame: Frame) -> Introduction:
    state = EditorState.told(frame["state"])
    assert state is not None  # the schema has no other words
    still_open = frame.get("open_requests")
    return Introduction(
        state=state,
        plugin_version=frame["plugin_version"],
        unity_version=frame.get("unity_version"),
        project=frame.get("project_path"),
        editor_instance=frame.get("editor_instance_id"),
        plugin_session=frame.get("plugin_session_id"),
        open_requests=None if still_open is None else frozenset(still_open),
        request_memory=frame.get("request_memory_id"),
        # A plugin that names its instance and doesn't ask for pings speaks a newer dialect, which
        # knows neither pings nor jobs.
        takes_jobs="editor_instance_id" not in frame or frame.get("heartbeat") == "ping",
    )
