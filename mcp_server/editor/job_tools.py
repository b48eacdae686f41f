"""``run_tests``, ``get_job_status`` and ``cancel_job``: jobs between the store and the Editor.

Implements docs/design/server-and-bridge.md §6 "Jobs" and "Cancel". A job's id is the Editor's own,
so the Editor still knows it after a restart of the server.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from secrets import token_hex
from typing import Any, TypeAlias

from mcp_server.contract.catalog import CATALOG, ToolSpec
from mcp_server.contract.editor_schemas import TEST_RESULT
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import OnProgress
from mcp_server.editor.errors import answer_error, ending_error, invalid_response
from mcp_server.editor.job_manager import Job, JobManager
from mcp_server.editor.requests import EditorRequests, Reply
from mcp_server.editor.scheduler import Ending
from mcp_server.editor.unity_answers import breach, known_fields
from mcp_server.event_log import log_event
from unity_bridge.clock import Clock
from unity_bridge.job_state import JobEvent, JobState
from unity_bridge.link import CancelJob, Completed, EditorLink, GetJobStatus, Rejected, SubmitJob
from unity_bridge.timing import Timing

POLL_INTERVAL_MS = 500
"""How often a waiting ``get_job_status`` asks the Editor."""

SUBMIT_TIMEOUT_MS = 90_000
"""How long the Editor may take to accept a job, once the wait for it is counted in."""

Json: TypeAlias = dict[str, Any]


class JobTools:
    """The tools around jobs. Lives on one event loop."""

    def __init__(
        self, link: EditorLink, requests: EditorRequests, clock: Clock, timing: Timing
    ) -> None:
        self._link = link
        self._requests = requests
        self._clock = clock
        self._timing = timing
        self._jobs = JobManager(_log_transition)
        self._polls: dict[str, asyncio.Task[ToolError | bool]] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """End every wait; jobs go on in the Editor."""
        self._stopping.set()

    async def submit(
        self, spec: ToolSpec, arguments: Mapping[str, Any], params: Json, request_id: str
    ) -> Json | ToolError:
        """Start a job. Its id exists once the Editor has accepted it, and not before."""
        own_timeout_ms = spec.timeout_ms(arguments)
        command = SubmitJob(spec.name, params, arguments.get("client_request_id"))
        reply = await self._requests.send(
            request_id,
            command,
            own_timeout_ms,
            answer_within_ms=min(own_timeout_ms, SUBMIT_TIMEOUT_MS),
        )
        if not isinstance(reply, Completed):
            return _error(reply, spec, arguments)
        job_id = reply.body["job_id"]
        job = self._jobs.accepted(job_id, spec.name, self._clock.now_ms() + own_timeout_ms)
        if job is None:
            return invalid_response("a new job_id", job_id, spec, arguments)
        self._watch_deadline(job)
        log_event("job_accepted", request_id=request_id, job_id=job_id, tool=spec.name)
        return {"job_id": job_id, "state": JobState.QUEUED.value}

    async def status(
        self, spec: ToolSpec, arguments: Mapping[str, Any], on_progress: OnProgress | None
    ) -> Json | ToolError:
        """What is known of a job, after asking the Editor if it can be asked."""
        job = await self._find(spec, arguments)
        if isinstance(job, ToolError):
            return job
        now = self._clock.now_ms()
        answer_by = now + spec.timeout_ms(arguments)
        wait_ms = arguments.get("wait_ms", 0)
        # A wait longer than the default timeout is allowed to be; a given timeout bounds it.
        wait_until = now + (min(wait_ms, answer_by - now) if "timeout_ms" in arguments else wait_ms)
        answer_by = max(answer_by, wait_until)
        told: Mapping[str, Any] | None = None
        while True:
            fresh = True
            if not job.ended:
                asked = await self._refresh(job, spec, arguments, answer_by)
                if isinstance(asked, ToolError):
                    return asked
                fresh = asked
            if on_progress is not None and job.progress not in (None, told):
                told = job.progress
                assert told is not None
                await on_progress(told["completed"], told["total"], told.get("current", job.job_id))
            left_ms = wait_until - self._clock.now_ms()
            if job.ended or left_ms <= 0 or self._stopping.is_set():
                break
            await self._change(job, min(left_ms, POLL_INTERVAL_MS))
        return {**job.to_json(), **({} if fresh or job.ended else {"stale": True})}

    async def cancel(
        self, spec: ToolSpec, arguments: Mapping[str, Any], request_id: str
    ) -> Json | ToolError:
        """Cancel a job: ``cancelled`` only when the Editor has said so."""
        job = await self._find(spec, arguments)
        if isinstance(job, ToolError):
            return job
        if job.ended:
            return _cancel_result(job, "rejected")
        if job.state is JobState.RUNNING:
            if CATALOG[job.tool].supports_cancel:
                self._in_background(self._forward_cancel(job))
            return _cancel_result(job, "cancel_requested")
        timeout_ms = spec.timeout_ms(arguments)
        reply = await self._requests.send(request_id, CancelJob(job.job_id), timeout_ms)
        if not isinstance(reply, Completed):
            return _error(reply, spec, arguments)
        status = reply.body["status"]
        if status == "cancelled":
            self._jobs.happened(job, JobEvent.CANCEL_CONFIRMED, self._clock.now_ms())
            # It may have ended otherwise while the Editor was asked: what came first holds.
            status = "cancelled" if job.state is JobState.CANCELLED else "rejected"
        return _cancel_result(job, status)

    # -- between the store and the Editor --------------------------------------------------

    async def _find(self, spec: ToolSpec, arguments: Mapping[str, Any]) -> Job | ToolError:
        """The job; one that only the Editor knows is taken over from it."""
        job_id = arguments["job_id"]
        job = self._jobs.find(job_id, self._clock.now_ms())
        if job is not None:
            return job
        unknown = tool_error(
            ToolErrorCode.JOB_NOT_FOUND, f"There is no job {job_id!r}; it may be long over."
        )
        if not (self._link.view.ready and self._link.view.takes_jobs):
            return unknown
        reply = await self._ask(job_id, spec.timeout_ms(arguments))
        if isinstance(reply, Rejected) and reply.code == ToolErrorCode.JOB_NOT_FOUND.value:
            return unknown
        if not isinstance(reply, Completed):
            return _error(reply, spec, arguments)
        tool = CATALOG["run_tests"]
        now = self._clock.now_ms()
        job = self._jobs.accepted(job_id, tool.name, now + tool.default_timeout_ms)
        if job is None:  # another call was faster
            found = self._jobs.find(job_id, now)
            assert found is not None
            return found
        log_event("job_taken_over", job_id=job_id)
        self._watch_deadline(job)
        return self._report(job, reply.body, spec, arguments) or job

    async def _refresh(
        self, job: Job, spec: ToolSpec, arguments: Mapping[str, Any], answer_by: float
    ) -> ToolError | bool:
        """Ask the Editor about ``job``; whether it answered. Calls at once share one question."""
        poll = self._polls.get(job.job_id)
        if poll is None:
            if not self._link.view.ready:
                return False
            timeout_ms = max(1, round(answer_by - self._clock.now_ms()))
            poll = asyncio.create_task(self._poll(job, spec, arguments, timeout_ms))
            self._polls[job.job_id] = poll
            poll.add_done_callback(lambda _poll: self._polls.pop(job.job_id, None))
        return await asyncio.shield(poll)

    async def _poll(
        self, job: Job, spec: ToolSpec, arguments: Mapping[str, Any], timeout_ms: int
    ) -> ToolError | bool:
        reply = await self._ask(job.job_id, timeout_ms)
        if isinstance(reply, Completed):
            return self._report(job, reply.body, spec, arguments) or True
        if isinstance(reply, Ending):
            return False  # what is known last still holds
        if isinstance(reply, Rejected) and reply.code == ToolErrorCode.JOB_NOT_FOUND.value:
            message = "The Editor no longer knows this job: it was restarted while the job ran."
            forgotten = {"code": reply.code, "message": message}
            self._jobs.happened(job, JobEvent.FORGOTTEN, self._clock.now_ms(), forgotten)
            return True
        return _error(reply, spec, arguments)

    async def _ask(self, job_id: str, timeout_ms: int) -> Reply:
        return await self._requests.send(new_request_id(), GetJobStatus(job_id), timeout_ms)

    def _report(
        self, job: Job, body: Mapping[str, Any], spec: ToolSpec, arguments: Mapping[str, Any]
    ) -> ToolError | None:
        state, result = JobState(body["state"]), body.get("result")
        if state is JobState.SUCCEEDED:
            result = known_fields(TEST_RESULT, result)
            broken = breach(TEST_RESULT, result)
            if broken is not None:
                return invalid_response(*broken, spec, arguments)
        self._jobs.report(job, state, body.get("progress"), result, self._clock.now_ms())
        return None

    async def _forward_cancel(self, job: Job) -> None:
        timeout_ms = round(self._timing.compile_grace_timeout_ms)
        reply = await self._requests.send(new_request_id(), CancelJob(job.job_id), timeout_ms)
        if isinstance(reply, Completed):
            if reply.body["status"] == "cancelled":
                self._jobs.happened(job, JobEvent.CANCEL_CONFIRMED, self._clock.now_ms())
            return
        log_event(
            "cancel_not_delivered",
            level=logging.WARNING,
            job_id=job.job_id,
            reason=reply.value if isinstance(reply, Ending) else type(reply).__name__,
        )

    def _watch_deadline(self, job: Job) -> None:
        def on_deadline() -> None:
            if self._jobs.happened(job, JobEvent.TIMED_OUT, self._clock.now_ms()):
                self._in_background(self._forward_cancel(job))

        timer = self._clock.call_at(job.deadline_ms, on_deadline)

        def on_change() -> None:
            if job.ended:
                timer.cancel()

        job.on_change.append(on_change)
        on_change()

    async def _change(self, job: Job, at_most_ms: float) -> None:
        """Wait until something happens to ``job`` or the server, or until the time is over."""
        changed = asyncio.Event()
        stopping = asyncio.create_task(self._stopping.wait())
        waiting = asyncio.create_task(changed.wait())
        timer = self._clock.call_at(self._clock.now_ms() + at_most_ms, changed.set)
        job.on_change.append(changed.set)
        try:
            await asyncio.wait({stopping, waiting}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            job.on_change.remove(changed.set)
            timer.cancel()
            stopping.cancel()
            waiting.cancel()

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


def new_request_id() -> str:
    """An id for one request to the Editor."""
    return f"req-{token_hex(6)}"


def _error(reply: Reply, spec: ToolSpec, arguments: Mapping[str, Any]) -> ToolError:
    assert not isinstance(reply, Completed)
    if isinstance(reply, Ending):
        return ending_error(reply, spec, arguments)
    return answer_error(reply, spec, arguments)


def _cancel_result(job: Job, status: str) -> Json:
    return {"job_id": job.job_id, "status": status}


def _log_transition(job: Job, previous: JobState) -> None:
    log_event(
        "job_state",
        job_id=job.job_id,
        tool=job.tool,
        state=job.state.value,
        previous=previous.value,
    )
