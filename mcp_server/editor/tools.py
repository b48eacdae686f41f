"""The Unity Editor's tools: one call, one outcome. Also the states of the server.

Implements docs/design/server-and-bridge.md §1, §2, §5 and §6: deduplication, the check of Unity's
answer, and progress while a call waits for the Editor. The states are ``booting → waiting_editor →
ready → stopping → stopped``, with ``ready ⇄ waiting_editor`` as the Editor comes and goes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import OnAccepted, OnProgress, Outcome, ToolResult
from mcp_server.contract.tool_spec import Executor, ToolSpec
from mcp_server.editor.deduplicator import Again, Deduplicator, New, Replay, StillRunning
from mcp_server.editor.errors import LOCK_HELD, RELOAD_LOCKED, invalid_response, job_outcome
from mcp_server.editor.job_manager import Job
from mcp_server.editor.job_tools import CompileTool, JobTools, NoJob
from mcp_server.editor.job_watch import JobWatch, Kept, OnSettled
from mcp_server.editor.requests import EditorCall, EditorRequests
from mcp_server.editor.unity_answers import (
    breach,
    contradiction,
    editor_text,
    finished_text,
    known_fields,
    matching,
)
from unity_bridge.clock import Clock, LoopClock, sleep_ms
from unity_bridge.editor_state import EditorState, EditorView
from unity_bridge.link import Completed, EditorLink, Execute, SubmitJob
from unity_bridge.states import RequestState
from unity_bridge.timing import Timing

WAIT_NOTICE_MS = 1_000
"""How often a caller with progress is notified that the call still waits, in milliseconds."""

_NOT_FOR_UNITY = frozenset({"client_request_id", "timeout_ms"})


class EditorTools:
    """Calls the Editor's tools over one link. Lives on one event loop."""

    def __init__(
        self,
        link: EditorLink,
        server_state: Callable[[], ServerState],
        *,
        timing: Timing | None = None,
        clock: Clock | None = None,
    ) -> None:
        timing = timing or Timing()
        self._link = link
        self._server_state = server_state
        self._clock = clock or LoopClock()
        self._timing = timing
        self._requests = EditorRequests(link, timing=timing, clock=self._clock)
        self._watch = JobWatch(link, self._requests, self._clock, timing)
        self._jobs = JobTools(link, self._requests, self._watch, self._clock)
        self._compile = CompileTool(link, self._requests, self._watch, self._clock, timing)
        self._seen = Deduplicator()

    async def call(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        request_id: str,
        on_progress: OnProgress | None = None,
        on_accepted: OnAccepted | None = None,
    ) -> Outcome:
        """Run one valid call to its end. To give it up, call :meth:`cancel`.

        ``on_accepted`` is called with the id of the job that the call started or joined.
        """
        client_request_id = arguments.get("client_request_id")
        call = EditorCall(spec, arguments, request_id, on_progress, on_accepted)
        if not spec.mutating or client_request_id is None:
            return _shown(spec, await self._call(call))
        now = self._clock.now_ms()
        claim = self._seen.claim(client_request_id, spec.name, arguments, now)
        if isinstance(claim, Replay):
            return _shown(spec, {**claim.result, "replayed": True})
        if not isinstance(claim, New | Again):
            still = isinstance(claim, StillRunning)
            why = "is still running" if still else "was another request; use a new one"
            return tool_error(
                ToolErrorCode.DUPLICATE_REQUEST,
                f"The call with client_request_id {client_request_id!r} {why}.",
            )
        outcome: dict[str, Any] | ToolError | None = None
        try:
            outcome = await self._call_once(call, claim)
        finally:
            self._settle(spec, client_request_id, claim, outcome)
        return _shown(spec, outcome)

    async def _call_once(self, call: EditorCall, claim: New | Again) -> dict[str, Any] | ToolError:
        client_request_id = call.arguments["client_request_id"]
        if isinstance(claim, Again) and claim.memory is None:
            return tool_error(
                ToolErrorCode.DUPLICATE_REQUEST,
                f"The effect of the first call with client_request_id {client_request_id!r} is "
                "unknown, also to the Editor. Check its state, then call with a new id.",
            )

        def on_sent(view: EditorView) -> None:
            self._seen.sent(client_request_id, view.request_memory)

        memory = claim.memory if isinstance(claim, Again) else None
        return await self._call(replace(call, on_sent=on_sent, remembered_by=memory))

    def _settle(
        self,
        spec: ToolSpec,
        client_request_id: str,
        claim: New | Again,
        result: dict[str, Any] | ToolError | None,
    ) -> None:
        now = self._clock.now_ms()
        if isinstance(result, dict):
            self._seen.succeeded(client_request_id, result, now)
            return
        guarantee = None if result is None else result.details["execution_guarantee"]
        unknown = guarantee in (None, Guarantee.UNKNOWN)
        unanswered = isinstance(claim, Again) and guarantee != Guarantee.COMPLETED_ERROR
        if spec.executor is Executor.UNITY and (unknown or unanswered):
            self._seen.lost(client_request_id, now)
        else:
            self._seen.failed(client_request_id)

    def now_ms(self) -> float:
        """Return the time on the clock of calls, in milliseconds."""
        return self._clock.now_ms()

    async def pause(self, duration_ms: float) -> None:
        """Wait ``duration_ms`` on the clock of calls."""
        await sleep_ms(self._clock, duration_ms)

    @property
    def may_be_asked(self) -> bool:
        """Return whether asking again can help: the server runs, and the Editor isn't blocked."""
        running = self._server_state() in (ServerState.WAITING_EDITOR, ServerState.READY)
        return running and self._link.view.blocked is None

    @property
    def connected(self) -> bool:
        """Return whether an Editor is connected."""
        return self._link.view.connected

    @property
    def editor_state(self) -> EditorState:
        """Return the Editor's last known state."""
        return self._link.view.state

    @property
    def waiting_reason(self) -> str | None:
        """Return why the Editor can't be asked; ``None`` if it is ready."""
        return self._waiting_reason(self._link.view)

    async def look_up(self, job_id: str, within_ms: int) -> Job | NoJob:
        """Return the job. If only the Editor knows it, ask the Editor."""
        return await self._jobs.look_up(job_id, within_ms)

    @property
    def jobs(self) -> list[Job]:
        """Return all kept jobs, the newest first, as last reported."""
        return self._watch.jobs

    def on_job_settled(self, listener: OnSettled) -> None:
        """Call ``listener`` with each job that has settled."""
        self._watch.on_settled(listener)

    def confirm_jobs_once(self, kept: Kept) -> None:
        """Have the Editor keep a job's result until ``kept`` returns true for its id."""
        self._watch.confirm_once(kept)

    def outcome_of(self, job: Job) -> Outcome:
        """Return a settled job's outcome, as the caller of its tool gets it."""
        result = job_outcome(job, self._link.name, {})
        if isinstance(result, ToolError):
            return result
        text = finished_text(job.tool, result)
        return ToolResult(result, text)

    def cancel(self, request_id: str) -> None:
        """Give up a call; see :meth:`EditorRequests.cancel`."""
        self._requests.cancel(request_id)

    def stop(self) -> None:
        """End every call, and refuse new ones."""
        self._requests.stop()
        self._watch.stop()

    async def _call(self, call: EditorCall) -> dict[str, Any] | ToolError:
        spec, on_progress = call.spec, call.on_progress
        if spec.name == "get_editor_state":
            return self._editor_state()
        if spec.name == "get_job_status":
            return await self._jobs.status(call)
        said: list[str] = []
        sent = (
            _params(spec, call.arguments),
            call.arguments.get("client_request_id"),
            call.remembered_by,
        )
        if spec.name == "cancel_job":
            work = self._jobs.cancel(call)
        elif spec.name == "run_tests":
            work = self._jobs.submit(call, SubmitJob(spec.name, *sent))
        elif spec.name == "compile":
            heard = replace(call, on_progress=on_progress and _remembering(on_progress, said))
            work = self._compile.call(heard, SubmitJob(spec.name, *sent))
        else:
            work = self._execute(call, Execute(spec.name, *sent))
        if on_progress is None:
            return await work
        notices = asyncio.create_task(self._report_waiting(call.request_id, on_progress, said))
        try:
            return await work
        finally:
            notices.cancel()

    async def _execute(self, call: EditorCall, command: Execute) -> dict[str, Any] | ToolError:
        spec, arguments = call.spec, call.arguments
        reply = await self._requests.send(
            call.request_id,
            command,
            call.timeout_ms,
            # A read-only tool needs no compiled code, and a lock may be held for hours.
            while_locked=not spec.changes_things(arguments),
            on_sent=call.on_sent,
        )
        if not isinstance(reply, Completed):
            return call.failure(reply, self._link.view)
        result: dict[str, Any] = known_fields(spec.output_schema, dict(reply.body))
        broken = breach(spec.output_schema, result) or contradiction(result, arguments)
        if broken is not None:
            return invalid_response(*broken, spec, arguments)
        return matching(result, command.params) if spec.name == "read_console" else result

    async def _report_waiting(
        self, request_id: str, on_progress: OnProgress, said: list[str]
    ) -> None:
        """Report at intervals that a call still runs, and the reason for its wait.

        ``said`` is the tool's own last message.
        """
        began = self._clock.now_ms()
        while True:
            await sleep_ms(self._clock, WAIT_NOTICE_MS)
            state, reason = self._requests.state_of(request_id), self.waiting_reason
            in_line = state in (RequestState.WAITING_EDITOR_READY, RequestState.QUEUED)
            if reason is not None or in_line:
                why = LOCK_HELD if reason == RELOAD_LOCKED else reason
                message = f"waiting for Unity: {why or 'its turn'}"
            else:
                message = said[-1] if said else "Unity has not answered yet"
            await on_progress((self._clock.now_ms() - began) / 1000, None, message)

    def _editor_state(self) -> dict[str, Any]:
        view = self._link.view
        optional: dict[str, Any] = {
            "waiting_reason": self._waiting_reason(view),
            "plugin_version": view.plugin_version if view.connected else None,
            "unity_version": view.unity_version if view.connected else None,
            "project": view.project if view.connected else None,
            "blocked": self._blocked(view),
        }
        if view.obstacle is not None:
            optional |= view.obstacle.details
        return {
            "server_state": self._server_state().value,
            "editor_state": view.state.value,
            "connected": view.connected,
            "last_editor_status_seq": view.seq,
            "link": self._link.name if view.connected else "none",
            **{name: value for name, value in optional.items() if value is not None},
        }

    def _blocked(self, view: EditorView) -> dict[str, Any] | None:
        if view.blocked is None:
            return None
        dialog = {} if view.blocked.dialog is None else {"dialog": view.blocked.dialog}
        return {"for_ms": max(0, round(self._clock.now_ms() - view.blocked.since_ms)), **dialog}

    def _waiting_reason(self, view: EditorView) -> str | None:
        if view.ready:
            return None
        if view.connected:
            if view.obstacle is not None:
                return view.obstacle.reason
            return RELOAD_LOCKED if view.reload_locked else view.state.value
        now = self._clock.now_ms()
        grace = self._timing.compile_grace_timeout_ms
        if view.was_busy is not None and view.busy_seen_ms is not None:
            if now - view.busy_seen_ms < grace:
                return view.was_busy.value
        elif view.epoch and now - view.since_ms < self._timing.request_reconnect_wait_ms:
            return "reconnecting"
        return "no_editor" if view.obstacle is None else view.obstacle.reason


def _remembering(on_progress: OnProgress, said: list[str]) -> OnProgress:
    """Return ``on_progress``, extended so that ``said`` always has the last message."""

    async def tell(progress: float, total: float | None, message: str) -> None:
        said[:] = [message]
        await on_progress(progress, total, message)

    return tell


def _params(spec: ToolSpec, arguments: Mapping[str, Any]) -> dict[str, Any]:
    properties: Mapping[str, Any] = spec.input_schema["properties"]
    params = {name: sub["default"] for name, sub in properties.items() if "default" in sub}
    return params | {name: arguments[name] for name in arguments if name not in _NOT_FOR_UNITY}


def _shown(spec: ToolSpec, result: dict[str, Any] | ToolError) -> Outcome:
    if isinstance(result, ToolError):
        return result
    return ToolResult(result, editor_text(spec.name, result))


class ServerState(StrEnum):
    """The state of the server."""

    BOOTING = "booting"
    """Not yet accepting connections."""
    WAITING_EDITOR = "waiting_editor"
    """Serving; no Unity Editor is connected and ready."""
    READY = "ready"
    """Serving, with a Unity Editor."""
    STOPPING = "stopping"
    """Accepting no new calls."""
    STOPPED = "stopped"
    """The server has ended."""


_NEXT = {
    ServerState.BOOTING: {ServerState.WAITING_EDITOR, ServerState.STOPPING},
    ServerState.WAITING_EDITOR: {ServerState.READY, ServerState.STOPPING},
    ServerState.READY: {ServerState.WAITING_EDITOR, ServerState.STOPPING},
    ServerState.STOPPING: {ServerState.STOPPED},
    ServerState.STOPPED: set[ServerState](),
}


class Lifecycle:
    """The server's present state. ``on_transition`` is called for every change: (from, to)."""

    def __init__(self, on_transition: Callable[[ServerState, ServerState], None]) -> None:
        self.state = ServerState.BOOTING
        self._on_transition = on_transition

    def enter(self, state: ServerState) -> None:
        """Change to ``state``, unless it is the present one.

        Raises ``ValueError`` for a transition that doesn't exist, which is a bug.
        """
        if state is self.state:
            return
        if state not in _NEXT[self.state]:
            raise ValueError(f"no transition from {self.state} to {state}")
        previous, self.state = self.state, state
        self._on_transition(previous, state)
