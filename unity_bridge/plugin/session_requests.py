"""Requests to the Editor and their answers, without I/O: a part of :mod:`session`.

Implements docs/design/wire-protocol.md §5: the first answer counts; late and repeated ones are only
logged.
"""

from __future__ import annotations

from dataclasses import replace

from unity_bridge.link import Answer, Execute, GetJobStatus, NotSent, SubmitJob
from unity_bridge.plugin.frames import Frame, answer_of, command_frame, job_report, written
from unity_bridge.plugin.session_state import (
    Answered,
    ConfirmJob,
    Effect,
    Forget,
    JobReported,
    Note,
    Send,
    SessionState,
    Start,
    Step,
    Unsent,
)
from unity_bridge.timing import MAX_MESSAGE_BYTES

FORGOTTEN = "the first call's outcome is unknown, and the Editor has lost its memory of it"


def start(state: SessionState, event: Start, _now: float) -> Step:
    """Send a request, or answer at once where it can't be sent."""
    active = state.active
    if active is None:
        answer = NotSent("ERR_UNITY_DISCONNECTED", "the Unity Editor has just disconnected")
        return state, [Answered(event.request_id, answer)]
    if not isinstance(event.command, Execute) and not state.view.takes_jobs:
        answer = NotSent(
            "ERR_UNKNOWN_COMMAND",
            "the connected Editor's plugin can't run jobs; install this server's plugin",
        )
        return state, [Answered(event.request_id, answer)]
    command = event.command
    wanted = command.remembered_by if isinstance(command, Execute | SubmitJob) else None
    if wanted is not None and wanted != state.view.request_memory:
        # Another Editor would execute the request again.
        return state, [Answered(event.request_id, NotSent("ERR_DUPLICATE_REQUEST", FORGOTTEN))]
    text = command_frame(event.request_id, event.command, event.timeout_ms)
    if len(text) > MAX_MESSAGE_BYTES:  # ASCII only: as many bytes as characters
        answer = NotSent(
            "ERR_INVALID_REQUEST",
            f"the request has {len(text)} bytes; at most {MAX_MESSAGE_BYTES} can be sent",
        )
        return state, [Answered(event.request_id, answer)]
    outstanding = {**state.outstanding, event.request_id: event.command}
    return replace(state, outstanding=outstanding), [Send(active, text, event.request_id)]


def unsent(state: SessionState, event: Unsent, _now: float) -> Step:
    """Answer a request whose socket closed before it was sent."""
    why = "the Unity Editor disconnected before the request was sent"
    answer = NotSent("ERR_UNITY_DISCONNECTED", why)
    return settle(state, event.request_id, answer)


def forget(state: SessionState, event: Forget, _now: float) -> Step:
    """Drop the answer, because no caller waits for it."""
    return settle(state, event.request_id, None)


def answered(state: SessionState, connection: int, frame: Frame) -> Step:
    """Answer the request that a frame is for, or report a job."""
    kind, request_id = frame["type"], frame.get("request_id")
    if kind == "job_status":
        return _job_reported(state, connection, frame)
    if request_id is None:  # an error about no request
        note = Note("unity_error", {"error": frame["error"]["code"]}, warning=True)
        return state, [note]
    command = state.outstanding.get(request_id)
    if command is None:
        fields = {"request_id": request_id, "type": kind}
        return state, [Note("unity_late_answer", fields, warning=True)]
    return settle(state, request_id, answer_of(command, frame))


def confirm_job(state: SessionState, event: ConfirmJob, _now: float) -> Step:
    """Send ``job_confirmed``, if the plugin keeps results until then."""
    active = state.active
    if active is None or not state.connections[active].announces:
        return state, []
    return state, [Send(active, written("job_confirmed", job_id=event.job_id))]


def _job_reported(state: SessionState, connection: int, frame: Frame) -> Step:
    """Report a job, and answer every request that asked about it."""
    request_id = frame.get("request_id")
    asked = [
        each
        for each, command in state.outstanding.items()
        if each == request_id
        or (
            request_id is None
            and isinstance(command, GetJobStatus)
            and command.job_id == frame["job_id"]
        )
    ]
    effects: list[Effect] = [JobReported(job_report(frame))]
    for each in asked:
        state, answers = settle(state, each, answer_of(state.outstanding[each], frame))
        effects += answers
    if request_id is None and not asked:
        announcing = replace(state.connections[connection], announces=True)
        state = replace(state, connections={**state.connections, connection: announcing})
    return state, effects


def settle(state: SessionState, request_id: str, answer: Answer | None) -> Step:
    """Answer a request once; the answer ``None`` drops it."""
    if request_id not in state.outstanding:
        return state, []
    outstanding = {key: each for key, each in state.outstanding.items() if key != request_id}
    state = replace(state, outstanding=outstanding)
    return state, [Answered(request_id, answer)] if answer is not None else []


def answer_all(state: SessionState, answer: Answer) -> Step:
    """Give every request in flight the same answer."""
    effects: list[Effect] = [Answered(request_id, answer) for request_id in state.outstanding]
    return replace(state, outstanding={}), effects
