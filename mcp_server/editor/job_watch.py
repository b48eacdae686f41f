"""Follow the Editor's jobs, by its reports and by asking.

Implements docs/design/server-and-bridge.md §6. The Editor reports every change of a job. While jobs
are open it is also asked, because some plugins never report and keep few results.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.editor_schemas import JOB_RESULTS
from mcp_server.contract.errors import ToolErrorCode
from mcp_server.contract.tool_spec import ExecutionMode
from mcp_server.editor.backoff import Backoff
from mcp_server.editor.job_manager import MAX_ENDED, MAX_OPEN, Job, JobManager, are_two_editors
from mcp_server.editor.requests import EditorRequests, OnSent, Reply, new_request_id
from mcp_server.editor.scheduler import Ending
from mcp_server.editor.unity_answers import breach, job_contradiction, known_fields, known_progress
from mcp_server.event_log import log_event
from unity_bridge.clock import Clock, sleep_ms
from unity_bridge.editor_state import EditorView
from unity_bridge.link import (
    Answer,
    CancelJob,
    Completed,
    EditorLink,
    GetJobStatus,
    LinkListener,
    Malformed,
    NotSent,
    Rejected,
)
from unity_bridge.states import JOB_TRANSITIONS, JobEvent, JobState
from unity_bridge.timing import Timing

ASK_INTERVAL_MS = 1_000
"""How often the Editor is asked about open jobs that no client asks about, in milliseconds."""

ANSWER_LIMIT_MS = 5_000
"""How long the Editor may take to answer. Other requests wait meanwhile."""

Json: TypeAlias = dict[str, Any]
OnSettled: TypeAlias = Callable[[Job], None]
Kept: TypeAlias = Callable[[str], Awaitable[bool]]


class JobWatch(LinkListener):
    """All known jobs, kept up to date. Lives on one event loop."""

    def __init__(
        self, link: EditorLink, requests: EditorRequests, clock: Clock, timing: Timing
    ) -> None:
        self._link = link
        self._requests = requests
        self._clock = clock
        self._timing = timing
        self._jobs = JobManager(self._moved)
        self._on_settled: list[OnSettled] = []
        self._kept: Kept | None = None
        self._confirming: set[str] = set()
        self._beginning: set[asyncio.Future[None]] = set()
        self._waiting: set[asyncio.Event] = set()
        self.stopped = False
        self._polls: dict[str, asyncio.Task[Reply]] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._asking: asyncio.Task[None] | None = None
        self._epoch_asked = self._epoch_seen = 0
        self._backoff = Backoff(clock)
        self._cancelling = asyncio.Lock()
        self._to_cancel: set[str] = set()
        """Jobs for which a cancel is being sent to the Editor."""
        link.listen(self)

    def on_settled(self, listener: OnSettled) -> None:
        """Call ``listener`` with each job that has settled."""
        self._on_settled.append(listener)

    def confirm_once(self, kept: Kept) -> None:
        """Have the Editor keep a job's result until ``kept`` returns true for its id."""
        self._kept = kept

    def stop(self) -> None:
        """Stop asking, and end all waits. The jobs go on in the Editor."""
        self.stopped = True
        if self._asking is not None:
            self._asking.cancel()
        self._backoff.reset()
        for changed in self._waiting:
            changed.set()

    async def change(self, job: Job, until_ms: float) -> None:
        """Wait for a change of ``job`` or the Editor, the server's stop, or ``until_ms``."""
        changed = asyncio.Event()
        timer = self._clock.call_at(until_ms, changed.set)
        job.on_change.append(changed.set)
        self._waiting.add(changed)
        try:
            await changed.wait()
        finally:
            self._waiting.discard(changed)
            job.on_change.remove(changed.set)
            timer.cancel()

    @contextmanager
    def beginning(self, on_sent: OnSent | None) -> Iterator[OnSent]:
        """Hold back confirmations of results while a job is started and its id is given out.

        Call the yielded function when the request is sent. A job may end before it is known which
        call started it.
        """
        answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def sent(view: EditorView) -> None:
            self._beginning.add(answered)
            if on_sent is not None:
                on_sent(view)

        try:
            yield sent
        finally:
            self._beginning.discard(answered)
            answered.set_result(None)

    def issued(
        self,
        job_id: str,
        tool: str,
        timeout_ms: float,
        *,
        shared: bool = False,
        since_ms: float = 0.0,
    ) -> Job | None:
        """Give a job to a call, and return it. The call's ``timeout_ms`` begins now.

        Return ``None`` if another call has the job, or if it is another Editor's job. With
        ``shared``, calls of ``tool`` share their job, unless it ended before ``since_ms``.
        """
        now = self._clock.now_ms()
        there = self._jobs.find(job_id, now)
        known = there is not None
        editor = self._link.view.editor_instance
        if there is not None and there.settled and are_two_editors(there.editor, editor):
            return None  # it is another Editor's job
        if shared and there is not None and there.tool == tool:
            return None if there.ended_ms is not None and there.ended_ms < since_ms else there
        job = self._jobs.accepted(job_id, tool, now + timeout_ms, editor)
        if job is not None and not known:
            self._watch(job)
        return job

    @property
    def jobs(self) -> list[Job]:
        """Return all kept jobs, the newest first."""
        return self._jobs.kept(self._clock.now_ms())

    def find(self, job_id: str) -> Job | None:
        """Return the job of that id; ``None`` if it is unknown."""
        return self._jobs.find(job_id, self._clock.now_ms())

    def has_open(self, tool: str) -> bool:
        """Return whether a job of ``tool`` is known to run."""
        return any(job.tool == tool for job in self._jobs.open)

    async def look(self, job_id: str, answer_by: float) -> Reply | None:
        """Ask as :meth:`ask` does, unless the Editor has stopped answering."""
        return None if self._backoff.is_active else await self._ask_and_note(job_id, answer_by)

    async def _ask_and_note(self, job_id: str, answer_by: float) -> Reply | None:
        reply = await self.ask(job_id, answer_by)
        self._backoff.note(reply is not Ending.NO_ANSWER)
        return reply

    async def ask(self, job_id: str, answer_by: float, *, waits: bool = False) -> Reply | None:
        """Ask the Editor about a job, and update it; return ``None`` if it can't be asked now.

        With ``waits``, wait for the Editor as any call does. Simultaneous callers share one
        question.
        """
        poll = self._polls.get(job_id)
        if poll is None:
            view = self._link.view
            if not (view.takes_jobs if view.ready else waits):
                return None
            left_ms = max(1, round(answer_by - self._clock.now_ms()))
            poll = asyncio.create_task(self._ask(job_id, left_ms))
            self._polls[job_id] = poll
            poll.add_done_callback(lambda _poll: self._polls.pop(job_id, None))
        return await asyncio.shield(poll)

    def happened(self, job: Job, event: JobEvent, result: Json | None = None) -> bool:
        """Apply an event. Return whether it changed the job's state."""
        return self._jobs.happened(job, event, self._clock.now_ms(), result)

    def cancel_in_editor(self, job: Job) -> None:
        """Have the Editor cancel a job as soon as it can be asked, once."""
        if CATALOG[job.tool].supports_cancel and job.job_id not in self._to_cancel:
            self._to_cancel.add(job.job_id)
            self._in_background(self._forward_cancel(job))

    # -- called by the link ------------------------------------------------------------------

    def on_view(self, view: EditorView) -> None:
        """Ask the Editor about its jobs when it has come back."""
        for changed in self._waiting:
            changed.set()
        if view.epoch != self._epoch_seen:
            self._epoch_seen = view.epoch
            self._backoff.reset()
        if view.ready and view.epoch != self._epoch_asked:
            self._epoch_asked = view.epoch
            if self._jobs.open:
                self._ask_from_now_on(at_once=True)

    def on_answer(self, request_id: str, answer: Answer) -> None:  # noqa: ARG002
        """Note that the Editor answers."""
        if not isinstance(answer, NotSent):
            self._backoff.reset()

    def on_job(self, status: Mapping[str, Any]) -> None:
        """Apply the Editor's report on a job."""
        job_id = status["job_id"]
        ends = JOB_TRANSITIONS.is_terminal(JobState(status["state"]))
        job = self.find(job_id)
        if job is None:
            if not ends and len(self._jobs.open) >= MAX_OPEN:
                log_event("job_not_taken_over", level=logging.WARNING, job_id=job_id)
                return
            named = status.get("tool_name")
            known = isinstance(named, str) and named in JOB_RESULTS
            tool = CATALOG[str(named) if known else "run_tests"]
            own = tool.execution_mode is ExecutionMode.JOB
            lasts_ms = tool.default_timeout_ms if own else tool.max_timeout_ms
            deadline = self._clock.now_ms() + lasts_ms
            job = self._jobs.known(job_id, tool.name, deadline, self._link.view.editor_instance)
            log_event("job_taken_over", job_id=job_id)
            self._watch(job)
        self._report(job, status)
        if ends:
            # A job beyond the limit is confirmed later, because the Editor reports it again.
            if job_id not in self._confirming and len(self._confirming) < MAX_ENDED:
                self._confirming.add(job_id)
                self._in_background(self._confirm_once_kept(job_id))
        elif (job.ended or job.cancel_sent is not None) and (
            job.cancel_sent != self._link.view.epoch
        ):
            # The job ended here, or is to be cancelled, but still runs in the Editor.
            self.cancel_in_editor(job)

    async def _confirm_once_kept(self, job_id: str) -> None:
        try:
            if self._beginning:
                await asyncio.wait(set(self._beginning))
            if self._kept is None or await self._kept(job_id):
                self._link.confirm_job(job_id)
        finally:
            self._confirming.discard(job_id)

    # -- asking --------------------------------------------------------------------------------

    async def _ask(self, job_id: str, timeout_ms: int) -> Reply:
        question, limit_ms = GetJobStatus(job_id), ANSWER_LIMIT_MS
        reply = await self._requests.send(
            new_request_id(), question, timeout_ms, answer_limit_ms=limit_ms
        )
        job = self.find(job_id)
        if job is None:
            return reply
        if isinstance(reply, Malformed) and reply.hopeless:
            self._end_without_result(job, reply.expected, reply.actual)
        elif is_unknown_job(reply):
            self._forgotten(job)
        return reply

    def _ask_from_now_on(self, *, at_once: bool = False) -> None:
        if self._asking is not None and not self._asking.done():
            if not at_once:
                return
            self._asking.cancel()
        self._asking = asyncio.create_task(self._keep_asking(at_once))

    async def _keep_asking(self, at_once: bool) -> None:
        while self._jobs.open:
            if not at_once:
                await sleep_ms(self._clock, ASK_INTERVAL_MS)
            at_once = False
            for job in self._jobs.open:
                await self._backoff.wait()
                if not job.settled:
                    await self._ask_and_note(job.job_id, self._clock.now_ms() + ANSWER_LIMIT_MS)

    def _watch(self, job: Job) -> None:
        def on_deadline() -> None:
            if self.happened(job, JobEvent.TIMED_OUT):
                self.cancel_in_editor(job)

        timer = self._clock.call_at(job.deadline_ms, on_deadline)

        def on_change() -> None:
            if job.ended:
                timer.cancel()

        job.on_change.append(on_change)
        self._ask_from_now_on()

    async def _forward_cancel(self, job: Job) -> None:
        def note(view: EditorView) -> None:
            job.cancel_sent = view.epoch

        job.cancel_sent = self._link.view.epoch
        try:
            async with self._cancelling:
                await self._backoff.wait()
                reply = await self._requests.send(
                    new_request_id(),
                    CancelJob(job.job_id),
                    round(self._timing.compile_grace_timeout_ms),
                    answer_limit_ms=ANSWER_LIMIT_MS,
                    control=True,
                    on_sent=note,
                )
                self._backoff.note(reply is not Ending.NO_ANSWER)
        finally:
            self._to_cancel.discard(job.job_id)
        if not isinstance(reply, Completed):
            why = reply.value if isinstance(reply, Ending) else type(reply).__name__
            log_event("cancel_not_delivered", level=logging.WARNING, job_id=job.job_id, reason=why)
        elif reply.body["status"] == "cancelled":
            self.happened(job, JobEvent.CANCEL_CONFIRMED)

    # -- reports -------------------------------------------------------------------------------

    def _report(self, job: Job, status: Mapping[str, Any]) -> None:
        state = JobState(status["state"])
        progress, result = known_progress(status["progress"]), status["result"] or None
        if state is JobState.SUCCEEDED:
            schema = JOB_RESULTS[job.tool]
            result = known_fields(schema, result)
            broken = breach(schema, result) or job_contradiction(job.tool, result)
            if broken is not None:
                self._end_without_result(job, *broken)
                return
        elif not isinstance(result, dict) or not JOB_TRANSITIONS.is_terminal(state):
            result = None
        self._jobs.report(job, state, progress, result, self._clock.now_ms())

    def _end_without_result(self, job: Job, expected: str, actual: str) -> None:
        """End a job whose result can't be read. Asking again would not help."""
        result = {
            "code": ToolErrorCode.INVALID_RESPONSE.value,
            "message": "The job has ended, but its result breaks the contract: "
            f"expected {expected}, got {actual}.",
            "expected": expected,
            "actual": actual,
        }
        self._jobs.report(job, JobState.FAILED, None, result, self._clock.now_ms())

    def _forgotten(self, job: Job) -> None:
        here, there = self._link.view.editor_instance, job.editor
        code = ToolErrorCode.JOB_NOT_FOUND.value
        if are_two_editors(here, there):
            message = "The Editor was closed or crashed while the job ran, so the job ended."
            self.happened(job, JobEvent.EDITOR_ENDED, {"code": code, "message": message})
            return
        seen = job.state.value
        if job.progress is not None:
            seen += f", {job.progress['completed']} of {job.progress['total']}"
        message = f"The Editor no longer knows this job (last: {seen}); its outcome is unknown."
        self.happened(job, JobEvent.FORGOTTEN, {"code": code, "message": message})

    def _moved(self, job: Job, previous: JobState) -> None:
        now, before = job.state.value, previous.value
        log_event("job_state", job_id=job.job_id, tool=job.tool, state=now, previous=before)
        if job.settled:
            for listener in self._on_settled:
                listener(job)

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


def is_unknown_job(reply: Reply | None) -> bool:
    """Return whether the Editor answered that it doesn't know the job."""
    return isinstance(reply, Rejected) and reply.code == ToolErrorCode.JOB_NOT_FOUND.value
