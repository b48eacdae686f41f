"""The tools that act on the Unity Editor: one call, one outcome.

Implements docs/design/server-and-bridge.md §2, §5 and §6: deduplication, the check of Unity's
answer, and progress while the Editor is waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import OnAccepted, OnProgress, Outcome, ToolResult
from mcp_server.contract.tool_spec import Executor, ToolSpec
from mcp_server.editor.compile_tool import CompileTool
from mcp_server.editor.deduplicator import Again, Deduplicator, New, Replay, StillRunning
from mcp_server.editor.errors import (
    LOCK_HELD,
    RELOAD_LOCKED,
    answer_error,
    ending_error,
    invalid_response,
    job_outcome,
)
from mcp_server.editor.job_manager import Job
from mcp_server.editor.job_tools import JobTools, NoJob
from mcp_server.editor.job_watch import JobWatch, Kept, OnSettled
from mcp_server.editor.requests import EditorRequests, OnSent
from mcp_server.editor.scheduler_events import Ending
from mcp_server.editor.server_state import ServerState
from mcp_server.editor.texts import editor_text, finished_text
from mcp_server.editor.unity_answers import breach, contradiction, known_fields, matching
from unity_bridge.clock import Clock, LoopClock, sleep_ms
from unity_bridge.editor_state import EditorState, EditorView
from unity_bridge.link import Completed, EditorLink, Execute, SubmitJob
from unity_bridge.states import RequestState
from unity_bridge.timing import Timing

WAIT_NOTICE_MS = 1_000
"""How often a caller who asked for progress hears that the call still waits."""

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
        """Run one valid call to its end. To give up, call :meth:`cancel`.

        ``on_accepted`` hears of the job that the call started or joined.
        """
        client_request_id = arguments.get("client_request_id")
        if not spec.mutating or client_request_id is None:
            result = await self._call(
                spec, arguments, request_id, on_progress, on_accepted=on_accepted
            )
            return _shown(spec, result)
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
            outcome = await self._call_once(
                spec, arguments, request_id, on_progress, on_accepted, claim
            )
        finally:
            self._settle(spec, client_request_id, claim, outcome)
        return _shown(spec, outcome)

    async def _call_once(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        request_id: str,
        on_progress: OnProgress | None,
        on_accepted: OnAccepted | None,
        claim: New | Again,
    ) -> dict[str, Any] | ToolError:
        """Run a call that must not be executed twice under its ``client_request_id``."""
        client_request_id = arguments["client_request_id"]
        if isinstance(claim, Again) and claim.memory is None:
            return tool_error(
                ToolErrorCode.DUPLICATE_REQUEST,
                f"The effect of the first call with client_request_id {client_request_id!r} is "
                "unknown, and the Editor can't tell. Look at its state, then call with a new id.",
            )

        def on_sent(view: EditorView) -> None:
            self._seen.sent(client_request_id, view.request_memory)

        remembered_by = claim.memory if isinstance(claim, Again) else None
        return await self._call(
            spec,
            arguments,
            request_id,
            on_progress,
            on_accepted=on_accepted,
            on_sent=on_sent,
            remembered_by=remembered_by,
        )

    def _settle(
        self,
        spec: ToolSpec,
        client_request_id: str,
        claim: New | Again,
        result: dict[str, Any] | ToolError | None,
    ) -> None:
        """Keep the outcome of a claimed call."""
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
        """Return the time of the clock that bounds calls, in milliseconds."""
        return self._clock.now_ms()

    async def pause(self, duration_ms: float) -> None:
        """Wait ``duration_ms`` on the clock that bounds calls."""
        await sleep_ms(self._clock, duration_ms)

    @property
    def may_be_asked(self) -> bool:
        """Return whether asking again may help: the server runs, and the Editor isn't blocked."""
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
        """Return why the Editor can't be asked; ``None`` while it is ready."""
        return self._waiting_reason(self._link.view)

    async def look_up(self, job_id: str, within_ms: int) -> Job | NoJob:
        """Return a job; one that only the Editor knows is asked for."""
        return await self._jobs.look_up(job_id, within_ms)

    @property
    def jobs(self) -> list[Job]:
        """Return the jobs that are kept, the newest first, as last reported."""
        return self._watch.jobs

    def on_job_settled(self, listener: OnSettled) -> None:
        """Call ``listener`` with each job that has settled."""
        self._watch.on_settled(listener)

    def confirm_jobs_once(self, kept: Kept) -> None:
        """Let the Editor drop a job's result only once ``kept`` returns true for its id."""
        self._watch.confirm_once(kept)

    def outcome_of(self, job: Job) -> Outcome:
        """Return a settled job's outcome for the caller of its tool."""
        result = job_outcome(job, self._link.name, {})
        if isinstance(result, ToolError):
            return result
        text = finished_text(job.tool, result)
        return ToolResult(result, text)

    def cancel(self, request_id: str) -> None:
        """Give a call up; see :meth:`EditorRequests.cancel`."""
        self._requests.cancel(request_id)

    def stop(self) -> None:
        """End every call, present and future."""
        self._requests.stop()
        self._watch.stop()

    async def _call(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        request_id: str,
        on_progress: OnProgress | None,
        *,
        on_accepted: OnAccepted | None = None,
        on_sent: OnSent | None = None,
        remembered_by: str | None = None,
    ) -> dict[str, Any] | ToolError:
        if spec.name == "get_editor_state":
            return self._editor_state()
        if spec.name == "get_job_status":
            return await self._jobs.status(spec, arguments, on_progress)
        said: list[str] = []
        sent = _params(spec, arguments), arguments.get("client_request_id"), remembered_by
        if spec.name == "cancel_job":
            work = self._jobs.cancel(spec, arguments, request_id)
        elif spec.name == "run_tests":
            job = SubmitJob(spec.name, *sent)
            work = self._jobs.submit(
                spec, arguments, job, request_id, on_sent=on_sent, on_accepted=on_accepted
            )
        elif spec.name == "compile":
            job = SubmitJob(spec.name, *sent)
            work = self._compile.call(
                spec,
                arguments,
                job,
                request_id,
                on_sent=on_sent,
                on_progress=on_progress and _remembering(on_progress, said),
                on_accepted=on_accepted,
            )
        else:
            work = self._execute(spec, arguments, Execute(spec.name, *sent), request_id, on_sent)
        if on_progress is None:
            return await work
        notices = asyncio.create_task(self._tell_of_waiting(request_id, on_progress, said))
        try:
            return await work
        finally:
            notices.cancel()

    async def _execute(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        command: Execute,
        request_id: str,
        on_sent: OnSent | None,
    ) -> dict[str, Any] | ToolError:
        timeout_ms = spec.timeout_ms(arguments)
        reply = await self._requests.send(
            request_id,
            command,
            timeout_ms,
            # A read-only tool needs no compiled code, and a lock may be held for hours.
            while_locked=not spec.changes_things(arguments),
            on_sent=on_sent,
        )
        if isinstance(reply, Ending):
            return ending_error(reply, spec, arguments, self._link.view)
        if not isinstance(reply, Completed):
            return answer_error(reply, spec, arguments)
        result: dict[str, Any] = known_fields(spec.output_schema, dict(reply.body))
        broken = breach(spec.output_schema, result) or contradiction(result, arguments)
        if broken is not None:
            return invalid_response(*broken, spec, arguments)
        return matching(result, command.params) if spec.name == "read_console" else result

    async def _tell_of_waiting(
        self, request_id: str, on_progress: OnProgress, said: list[str]
    ) -> None:
        """Report now and then that a call still runs, and what it waits for.

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
    """Return ``on_progress``, which also keeps the last message in ``said``."""

    async def tell(progress: float, total: float | None, message: str) -> None:
        said[:] = [message]
        await on_progress(progress, total, message)

    return tell


def _params(spec: ToolSpec, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments for Unity, with defaults filled in."""
    properties: Mapping[str, Any] = spec.input_schema["properties"]
    params = {name: sub["default"] for name, sub in properties.items() if "default" in sub}
    return params | {name: arguments[name] for name in arguments if name not in _NOT_FOR_UNITY}


def _shown(spec: ToolSpec, result: dict[str, Any] | ToolError) -> Outcome:
    if isinstance(result, ToolError):
        return result
    return ToolResult(result, editor_text(spec.name, result))
