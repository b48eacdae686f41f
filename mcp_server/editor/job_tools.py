"""``run_tests``, ``compile``, ``get_job_status`` and ``cancel_job``.

Implements docs/design/server-and-bridge.md §6 "Jobs", "Compile" and "Cancel". A job's id is the
Editor's own, so the Editor still knows it after a restart of the server. ``compile`` starts a job,
too, but the call returns the job's result. The Editor accepts the job at once, so no other request
waits behind it. It reports the job's end after the reload. A second compile joins the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeAlias

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError, ToolErrorCode, lost, tool_error
from mcp_server.contract.outcome import OnProgress
from mcp_server.editor.errors import invalid_response, job_outcome
from mcp_server.editor.job_manager import Job
from mcp_server.editor.job_watch import JobWatch, is_unknown_job
from mcp_server.editor.requests import EditorCall, EditorRequests, Reply
from mcp_server.editor.scheduler import Ending
from mcp_server.event_log import log_event
from snippet_engine.errors import shortened
from unity_bridge.clock import Clock
from unity_bridge.editor_state import Blocked, EditorState, wait_window
from unity_bridge.link import CancelJob, Completed, EditorLink, NotSent, Rejected, SubmitJob
from unity_bridge.states import JobEvent, JobState, RequestState
from unity_bridge.timing import Timing

POLL_INTERVAL_MS = 500
"""How often a waiting ``get_job_status`` asks the Editor, in milliseconds."""

SUBMIT_TIMEOUT_MS = 90_000
"""How long the Editor may take to accept a job, including the wait for the Editor."""

ACCEPT_LIMIT_MS = 30_000
"""How long the Editor may take to accept a job once it was asked. Other requests wait meanwhile."""

BUSY_ANSWER_LIMIT_MS = 2_000
"""How long the Editor may take to cancel a job while it compiles."""

CANCEL_IN_LINE_MS = 500
"""How long a cancel waits behind other requests. Then it is answered without the Editor."""

NOTICE_MS = 1_000
"""How often a caller with progress gets a message even without news, in milliseconds."""

_SHOWN_ID = 40
"""Most code points of a job's id in a message."""

Json: TypeAlias = dict[str, Any]


class NoJob(Enum):
    """Why a job was not found: the Editor doesn't know it, or could not be asked."""

    FORGOTTEN = "forgotten"
    NOT_ASKED = "not_asked"


class JobTools:
    """The tools that start, follow and cancel jobs. Lives on one event loop."""

    def __init__(
        self, link: EditorLink, requests: EditorRequests, watch: JobWatch, clock: Clock
    ) -> None:
        self._link = link
        self._requests = requests
        self._clock = clock
        self._watch = watch

    async def submit(self, call: EditorCall, command: SubmitJob) -> Json | ToolError:
        """Start a job, and return its id once the Editor has accepted it.

        ``on_accepted`` is called with the id at once.
        """
        spec = call.spec
        with self._watch.beginning(call.on_sent) as sent:
            reply = await self._requests.send(
                call.request_id,
                command,
                call.timeout_ms,
                answer_within_ms=min(call.timeout_ms, SUBMIT_TIMEOUT_MS),
                answer_limit_ms=ACCEPT_LIMIT_MS,
                on_sent=sent,
            )
            if not isinstance(reply, Completed):
                return call.failure(reply, self._link.view)
            job_id = reply.body["job_id"]
            job = self._watch.issued(job_id, spec.name, call.timeout_ms)
            if job is None:
                return invalid_response("a new job_id", job_id, spec, call.arguments)
            if call.on_accepted is not None:
                call.on_accepted(job_id)
        log_event("job_accepted", request_id=call.request_id, job_id=job_id, tool=spec.name)
        return {"job_id": job_id, "state": JobState.QUEUED.value}

    async def status(self, call: EditorCall) -> Json | ToolError:
        """Return a job's status, after asking the Editor if that is possible."""
        arguments, on_progress = call.arguments, call.on_progress
        now = ask_at = self._clock.now_ms()
        job = await self._find(call)
        if isinstance(job, ToolError):
            return job
        answer_by = now + call.timeout_ms
        wait_ms = arguments.get("wait_ms", 0)
        # A wait may exceed the default timeout, but not a given one.
        wait_until = now + (min(wait_ms, answer_by - now) if "timeout_ms" in arguments else wait_ms)
        answer_by = max(answer_by, wait_until)
        reported: Mapping[str, Any] | None = None
        began = tell_at = now
        fresh = True
        while True:
            if not job.ended and self._clock.now_ms() >= ask_at:
                ask_at = self._clock.now_ms() + POLL_INTERVAL_MS
                reply = await self._watch.ask(job.job_id, answer_by)
                # Without an answer, the last known state holds.
                fresh = isinstance(reply, Completed) or job.settled
                if reply is not None and not fresh and not isinstance(reply, Ending):
                    return call.failure(reply, self._link.view)
            if on_progress is not None and job.progress not in (None, reported):
                reported = job.progress
                assert reported is not None
                await on_progress(
                    reported["completed"], reported["total"], reported.get("current", job.job_id)
                )
                tell_at = self._clock.now_ms() + NOTICE_MS
            now = self._clock.now_ms()
            waits = now < wait_until and not job.settled
            if on_progress is not None and waits and now >= tell_at:
                tell_at = now + NOTICE_MS
                await on_progress(*_still(job, reported, now - began))
            if job.settled or now >= wait_until or self._watch.stopped:
                break
            await self._watch.change(job, min(wait_until, max(ask_at, now + 1)))
        return {**job.to_json(), **({} if fresh or job.settled else {"stale": True})}

    async def cancel(self, call: EditorCall) -> Json | ToolError:
        """Cancel a job, and return the outcome.

        ``cancelled``: the Editor confirms, or can't have started the job. ``cancel_requested``: the
        job runs, or the Editor can't be asked now. ``rejected``: the job had already ended.
        """
        job = await self._find(call)
        if isinstance(job, ToolError):
            return job
        if job.settled:
            return _cancel_result(job, "rejected")
        if not CATALOG[job.tool].supports_cancel:
            return tool_error(
                ToolErrorCode.CANCEL_NOT_SUPPORTED,
                f"{job.tool} can't be cancelled: Unity finishes a compile that it has begun.",
            )
        if job.state is JobState.RUNNING:
            self._watch.cancel_in_editor(job)
            return _cancel_result(job, "cancel_requested")
        view = self._link.view
        if not (view.ready or (view.connected and view.state is EditorState.COMPILING)):
            return self._cancel_without_asking(job)
        limit_ms = None if view.ready else BUSY_ANSWER_LIMIT_MS
        reply = await self._ask_to_cancel(job, call.request_id, call.timeout_ms, limit_ms)
        away = (Ending.NOT_READY, Ending.COMPILING, Ending.BUSY)
        if reply in away or (reply is Ending.NO_ANSWER and not self._link.view.ready):
            if job.ended:
                return _cancel_result(job, "rejected")
            return self._cancel_without_asking(job)
        if not isinstance(reply, Completed):
            return call.failure(reply, self._link.view)
        status = reply.body["status"]
        if status == "cancelled":
            self._watch.happened(job, JobEvent.CANCEL_CONFIRMED)
            # The job may have ended while the Editor was asked. Only its first end counts.
            status = "cancelled" if job.state is JobState.CANCELLED else "rejected"
        return _cancel_result(job, status)

    async def _ask_to_cancel(
        self, job: Job, request_id: str, timeout_ms: int, answer_limit_ms: int | None
    ) -> Reply:
        """Ask the Editor to cancel a job. Return ``BUSY`` if other requests take too long."""
        given_up = False

        def give_up() -> None:
            nonlocal given_up
            if self._requests.state_of(request_id) is not RequestState.RUNNING:
                given_up = True
                self._requests.cancel(request_id)

        timer = self._clock.call_at(self._clock.now_ms() + CANCEL_IN_LINE_MS, give_up)
        try:
            reply = await self._requests.send(
                request_id,
                CancelJob(job.job_id),
                timeout_ms,
                answer_limit_ms=answer_limit_ms,
                control=True,
            )
        finally:
            timer.cancel()
        return Ending.BUSY if given_up else reply

    def _cancel_without_asking(self, job: Job) -> Json:
        """Cancel a queued job now. Send the cancel to the Editor when it can be asked again."""
        view = self._link.view
        if view.connected and view.state is EditorState.COMPILING and view.announces_jobs:
            # The Editor reported no start, and starts no job while it compiles. A reload wouldn't
            # prove this: the job itself may have caused it, to enter play mode.
            self._watch.happened(job, JobEvent.CANCEL_CONFIRMED)
        self._watch.cancel_in_editor(job)
        return _cancel_result(job, "cancelled" if job.ended else "cancel_requested")

    async def look_up(self, job_id: str, within_ms: int) -> Job | NoJob:
        """Return the job. If only the Editor knows it, ask the Editor."""
        reply = None
        if self._watch.find(job_id) is None:
            reply = await self._watch.look(job_id, self._clock.now_ms() + within_ms)
        job = self._watch.find(job_id)
        if job is not None:
            return job
        return NoJob.FORGOTTEN if is_unknown_job(reply) else NoJob.NOT_ASKED

    async def _find(self, call: EditorCall) -> Job | ToolError:
        """Return the job. If only the Editor knows it, add it to the store."""
        job_id = call.arguments["job_id"]
        job = self._watch.find(job_id)
        if job is not None:
            return job
        answer_by = self._clock.now_ms() + call.timeout_ms
        reply = await self._watch.ask(job_id, answer_by, waits=True)
        job = self._watch.find(job_id)
        if job is not None:
            return job
        if isinstance(reply, Completed | None) or is_unknown_job(reply):
            where = "The server" if reply is None else "Unity"
            return tool_error(
                ToolErrorCode.JOB_NOT_FOUND,
                f"{where} knows no job {job_id!r}; it may have ended long ago."
                + (" No Editor could be asked." if reply is None else ""),
            )
        if reply is Ending.NOT_READY and self._link.view.obstacle is None:
            # JOB_NOT_FOUND would be final, but a plugin keeps the jobs of an earlier server.
            return tool_error(
                ToolErrorCode.EDITOR_NOT_READY,
                f"This server knows no job {shortened(job_id, _SHOWN_ID)!r}. Only the Editor knows "
                "the jobs of an earlier server, and none is connected: open the project in Unity, "
                "then call it again.",
            )
        return call.failure(reply, self._link.view)


def _still(
    job: Job, reported: Mapping[str, Any] | None, waited_ms: float
) -> tuple[float, float | None, str]:
    """Return a progress message without news. Its progress rises by far less than one test."""
    done = 0 if reported is None else reported["completed"]
    current = job.state.value if reported is None else reported.get("current", job.job_id)
    return done + waited_ms / 1e6, None if reported is None else reported["total"], current


def _cancel_result(job: Job, status: str) -> Json:
    return {"job_id": job.job_id, "status": status}


COMPILE_ACCEPT_LIMIT_MS = 10_000
"""How long the Editor may take to accept a compile. It accepts or refuses within two seconds."""

_UNKNOWN = ToolErrorCode.UNKNOWN_COMMAND.value


class CompileTool:
    """Runs ``compile`` in the Editor. Lives on one event loop."""

    def __init__(
        self,
        link: EditorLink,
        requests: EditorRequests,
        watch: JobWatch,
        clock: Clock,
        timing: Timing,
    ) -> None:
        self._link = link
        self._requests = requests
        self._watch = watch
        self._clock = clock
        self._timing = timing

    async def call(self, call: EditorCall, command: SubmitJob) -> Json | ToolError:
        """Compile, and return the result. A compile with errors has one, too.

        ``on_accepted`` is called with the job's id as soon as there is one.
        """
        began = self._clock.now_ms()
        spec, arguments = call.spec, call.arguments
        blocked = self._link.view.blocked
        if blocked is not None and not self._watch.has_open(spec.name):
            return _blocked(blocked, began)
        with self._watch.beginning(call.on_sent) as sent:
            reply = await self._requests.send(
                call.request_id,
                command,
                call.timeout_ms,
                answer_limit_ms=COMPILE_ACCEPT_LIMIT_MS,
                while_compiling=True,
                on_sent=sent,
            )
            if not isinstance(reply, Completed):
                unknown = isinstance(reply, Rejected | NotSent) and reply.code == _UNKNOWN
                if unknown and self._link.name == "plugin":
                    return self._too_old()
                return call.failure(reply, self._link.view)
            job_id = reply.body["job_id"]
            # The job gets the longest time, because the next caller may wait longer. A
            # repeated request gets its own job, which may have ended.
            since_ms = 0.0 if arguments.get("client_request_id") is not None else began
            job = self._watch.issued(
                job_id, spec.name, spec.max_timeout_ms, shared=True, since_ms=since_ms
            )
            if job is None:
                return invalid_response("a job_id of its own", job_id, spec, arguments)
            log_event("job_accepted", request_id=call.request_id, job_id=job_id, tool=spec.name)
            if call.on_accepted is not None:
                call.on_accepted(job_id)
        ended = await self._wait(job, began, call.timeout_ms, call.on_progress)
        if ended is not None:
            return lost(*ended, spec, arguments)
        return job_outcome(job, self._link.name, arguments)

    async def _wait(
        self, job: Job, began: float, timeout_ms: int, on_progress: OnProgress | None
    ) -> tuple[ToolErrorCode, str] | None:
        """Wait for the end of ``job``. Return ``None``, or why the wait ended before."""
        reported: Mapping[str, Any] | None = None
        while not job.settled:
            now = self._clock.now_ms()
            until = began + timeout_ms
            gone = self._gone_until()
            if self._watch.stopped:
                return ToolErrorCode.RECONNECT_TIMEOUT, _lost("The server stops", job)
            if gone is not None and now >= gone:
                why = "The Unity Editor went away and did not come back"
                return ToolErrorCode.RECONNECT_TIMEOUT, _lost(why, job)
            if now >= until:
                why = f"The Unity Editor did not finish within {timeout_ms} ms"
                return ToolErrorCode.REQUEST_TIMEOUT, _lost(why, job)
            if on_progress is not None and job.progress not in (None, reported):
                reported = job.progress
                assert reported is not None
                elapsed_s = (now - began) / 1000
                await on_progress(elapsed_s, None, reported.get("current", job.state.value))
                continue
            await self._watch.change(job, until if gone is None else min(until, gone))
        return None

    def _gone_until(self) -> float | None:
        """Return until when a disconnected Editor may come back; ``None`` while it is connected."""
        view = self._link.view
        if view.connected:
            return None
        return wait_window(view, view.since_ms, self._timing).until_ms

    def _too_old(self) -> ToolError:
        version = self._link.view.plugin_version
        return tool_error(
            ToolErrorCode.UNKNOWN_COMMAND,
            f"The Unity package in the Editor ({version}) has no compile: it is older than this "
            "server, or a different one. Update it with unity-cli plugin install, then call again.",
        )


def _blocked(blocked: Blocked, now: float) -> ToolError:
    """Return the error of a blocked main thread, without waiting for other requests."""
    by = "a dialog, an import or a script that doesn't return. Check the Editor, then try again."
    if blocked.dialog is not None:
        by = f"the dialog {blocked.dialog[:60]!r}. Answer it in the Editor, then try again."
    seconds = (now - blocked.since_ms) / 1000
    return tool_error(
        ToolErrorCode.EDITOR_NOT_READY,
        f"compile did not run: the main thread has been blocked for {seconds:.0f} s, by {by}",
        details={} if blocked.dialog is None else {"dialog": blocked.dialog},
    )


def _lost(why: str, job: Job) -> str:
    """Return the message of a wait that ended before the compile. The next call joins that."""
    current = (job.progress or {}).get("current")
    heard = f" (last heard: {current})" if current else ""
    return f"{why}{heard}; the outcome of compile is unknown. Call it again to join or check it."
