"""Decide from the ``hello`` of each Editor whether to serve it, without I/O.

Implements docs/design/wire-protocol.md: one Editor at a time, and any other is turned away. An
Editor that reloads its domain keeps its place. If a ``hello`` may come from the connected Editor
itself, the old connection is pinged. If that stays silent, the new connection takes its place.
"""

from __future__ import annotations

from dataclasses import replace

from unity_bridge.editor_state import EditorState, EditorView, after_hello
from unity_bridge.plugin.frames import Frame, written
from unity_bridge.plugin.session_state import (
    GOING_AWAY,
    POLICY_VIOLATION,
    Close,
    Connection,
    Effect,
    Received,
    Send,
    SessionState,
    Step,
    note_about,
)
from unity_bridge.timing import Timing

SECOND_EDITOR = "another Unity websocket session is already active"
OTHER_PROJECT = "this server works in another project"


def hello(state: SessionState, event: Received, frame: Frame, now: float) -> Step:
    """Handle a plugin's ``hello``."""
    active, number = state.active, event.connection
    project = frame.get("project_path")
    if project is not None and state.serves is not None and not state.serves(project):
        return _turned_away(state, number, OTHER_PROJECT, "unity_other_project")
    if active is None:
        if _kept_for_another(state.view, frame, state.timing, now):
            return _turned_away(state, number)
        return _accepted(state, number, frame, now)
    if not _may_be_the_same(state.view, frame):
        return _turned_away(state, number)
    if state.connections[number].challenges is not None:
        return state, []  # a repeated hello
    if state.connections[active].ping_at_ms is None:
        # This plugin answers no pings.
        return _replaced(state, number, frame, now)
    waiting = Connection(
        hello=frame, challenges=active, dead_at_ms=now + _patience_ms(state.view, state.timing)
    )
    state, ping = state.with_connection(number, waiting).pinged(active)
    return state, [note_about("unity_hello_again", event), ping]


def older_one_alive(state: SessionState, active: int) -> Step:
    """Turn away the connections that waited for this one to answer a ping."""
    effects: list[Effect] = []
    for number, connection in list(state.connections.items()):
        if connection.challenges == active:
            state, turned_away = _turned_away(state, number)
            effects += turned_away
    return state, effects


def older_one_silent(state: SessionState, number: int, now: float) -> Step:
    """Let connection ``number`` take over, because the active one answered no ping."""
    connection = state.connections[number]
    assert connection.hello is not None
    if state.active is None:
        return _accepted(state, number, connection.hello, now)
    if state.active != connection.challenges:
        return _turned_away(state, number)
    return _replaced(state, number, connection.hello, now)


def older_one_gone(state: SessionState, closed: int, now: float) -> Step:
    """Accept the connection that waited for ``closed`` to end. Both belong to the same Editor."""
    for number, connection in state.connections.items():
        if connection.challenges == closed:
            assert connection.hello is not None
            return _accepted(state, number, connection.hello, now)
    return state, []


def _may_be_the_same(view: EditorView, frame: Frame) -> bool:
    """Return whether a ``hello`` may come from the Editor that is connected.

    An Editor that reloads its domain closes its socket, and its new domain's ``hello`` may come
    first. A plugin with an instance name is never the same as one without, unless a reload replaced
    it.
    """
    instance = frame.get("editor_instance_id")
    if (instance is None) != (view.editor_instance is None):
        return view.state is EditorState.RELOADING
    return bool(instance == view.editor_instance)


def _patience_ms(view: EditorView, timing: Timing) -> float:
    """Return how long the connected Editor has to answer the ping."""
    # Without names it may be another Editor: then wait as long as a heartbeat does.
    unsure = view.editor_instance is None and view.state is not EditorState.RELOADING
    return timing.heartbeat_timeout_ms if unsure else timing.probe_timeout_ms


def _kept_for_another(view: EditorView, frame: Frame, timing: Timing, now: float) -> bool:
    """Return whether the place is kept for another Editor, which is reloading its domain."""
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
        note_about(noted_as, Received(number, ""), warning=True, error="ERR_INVALID_REQUEST"),
        Send(number, written("error", error=error)),
        Close(number, POLICY_VIOLATION, why),
    ]


def _replaced(state: SessionState, number: int, frame: Frame, now: float) -> Step:
    """Accept the Editor's new connection before its old socket was seen to close."""
    active = state.active
    assert active is not None
    goodbye = Close(active, GOING_AWAY, "this Editor has connected again")
    state = state.with_connection(active, None).disconnected(now, seen_leaving=True)
    state, effects = _accepted(state, number, frame, now)
    return state, [goodbye, *effects]


def _accepted(state: SessionState, number: int, frame: Frame, now: float) -> Step:
    timing = state.timing
    view = after_hello(state.view, _view_of(frame), now)
    accepted = Connection(
        active=True,
        ping_at_ms=now + timing.heartbeat_interval_ms if view.takes_jobs else None,
        dead_at_ms=None if view.takes_jobs else now + timing.silence_limit_ms,
        announces=view.announces_jobs,
    )
    state = replace(state, view=view).with_connection(number, accepted)
    greeting = written(
        "hello", server_version=state.server_version, connection_id=f"connection-{number}"
    )
    return state, [
        note_about(
            "unity_hello",
            Received(number, ""),
            state=view.state.value,
            plugin_version=view.plugin_version,
        ),
        Send(number, greeting),
        Send(number, state.capability),
    ]


def _view_of(frame: Frame) -> EditorView:
    """Return the state and the identity that a ``hello`` reports."""
    state = EditorState.parse(frame["state"])
    assert state is not None  # the schema has no other words
    still_open = frame.get("open_requests")
    return EditorView(
        state=state,
        plugin_version=frame["plugin_version"],
        unity_version=frame.get("unity_version"),
        project=frame.get("project_path"),
        editor_instance=frame.get("editor_instance_id"),
        plugin_session=frame.get("plugin_session_id"),
        open_requests=None if still_open is None else frozenset(still_open),
        request_memory=frame.get("request_memory_id"),
        # A plugin that names its instance and asks for no pings speaks a newer dialect, without
        # pings and jobs.
        takes_jobs="editor_instance_id" not in frame or frame.get("heartbeat") == "ping",
    )
