"""Test runs and compiles as jobs of our own.

Implements docs/design/pipeline.md §8 and §9. The package's jobs die in a domain reload. These live
here and follow a run by its status file.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol, TypeVar

from unity_bridge.clock import Clock, sleep_ms
from unity_bridge.link import (
    Answer,
    Completed,
    Failed,
    Malformed,
    NotSent,
    OutcomeUnknown,
    Rejected,
)
from unity_bridge.pipeline.conversations.compilation import (
    Compiled,
    combined,
    compile_now,
    compile_scripts,
    may_compile,
)
from unity_bridge.pipeline.conversations.compile_errors import issues
from unity_bridge.pipeline.conversations.conversation import Editor
from unity_bridge.pipeline.conversations.run_status import failure, read_run, start_tests
from unity_bridge.pipeline.editor_job import EditorJob, JobRecords
from unity_bridge.pipeline.project_files import read_status_file
from unity_bridge.pipeline.replies import Result
from unity_bridge.pipeline.vocabulary import Operation
from unity_bridge.states import JobState
from unity_bridge.timing import Pace

COMPILE = "compile"
COMPILE_LIMIT_MS = 600_000
"""How long a compile is followed: as long as any call may wait."""

MAX_REFRESHES = 4
"""Maximum number of compiles of one job; each caller who joins may need another."""

JOB_PREFIX = "pipeline-"
MAX_KEPT = 64
"""Maximum number of ended jobs that are kept until their end is confirmed."""

CANCEL_LOOKS = 5
"""How often the status file is read to see that a run was cancelled."""

T = TypeVar("T")


class Converse(Protocol):
    """Carries a conversation out, for at most ``timeout_ms``."""

    async def __call__(
        self, conversation: Callable[[Editor], Awaitable[T]], timeout_ms: float, /
    ) -> T | Answer:
        """Return the conversation's result, or the answer that ended it."""


class EditorJobs:
    """All jobs of this link. Lives on one event loop."""

    def __init__(
        self,
        project: Path,
        *,
        converse: Converse,
        editor: Callable[[], int | None],
        tester: Callable[[], int | None],
        report: Callable[[Mapping[str, Any]], None],
        pace: Pace,
        clock: Clock,
        records: JobRecords | None = None,
    ) -> None:
        """``editor`` returns the process that answers now, ``tester`` the one last asked to start
        tests.

        ``report`` is called for every change. Without ``records`` no job outlives this process.
        """
        self._project = project
        self._converse = converse
        self._editor = editor
        self._tester = tester
        self._report = report
        self._pace = pace
        self._clock = clock
        self._records = records
        self._keeping = asyncio.Lock()
        self._background: set[asyncio.Task[None]] = set()
        self._jobs: dict[str, EditorJob] = {}

    async def restore(self) -> None:
        """Follow the jobs of an earlier server."""
        if self._records is None:
            return
        try:
            records = await asyncio.to_thread(self._records.read)
        except OSError:  # continue as without records
            return
        for job in filter(None, map(EditorJob.from_record, records)):
            self._jobs[job.job_id] = job
            self._report(job.to_json())
            self._follow(job)

    def stop(self) -> None:
        """Stop following; the runs go on in the Editor."""
        for job in self._jobs.values():
            if job.work is not None:
                job.work.cancel()

    async def submit(self, tool: str, params: Mapping[str, Any], timeout_ms: int) -> Answer:
        """Start a job. A compile during a compile gets the same job."""
        going = next((e for e in self._jobs.values() if e.tool == tool and not e.ended()), None)
        if going is not None and tool == COMPILE:
            return _joined(going)
        if going is not None:
            return Rejected(
                "ERR_INVALID_STATE",
                f"A test run is in progress, as job {going.job_id}; only one can run at a time.",
            )
        compiles = tool == COMPILE or params.get("compile_first") is True
        if compiles:
            refused = await self._asked(lambda editor: may_compile(editor, params))
            if refused is not None:
                return refused
        job = EditorJob(
            JOB_PREFIX + token_hex(8), tool, params, timeout_ms, self._editor(), time.time()
        )
        self._jobs[job.job_id] = job
        try:
            await self._keep(job.job_id)
            if not compiles:
                refused = await self._ask_to_start(job)
                if refused is not None:
                    del self._jobs[job.job_id]
                    await self._keep(job.job_id)
                    return refused
        finally:
            # The run may have started, so follow it: no second run may start meanwhile.
            if job.job_id in self._jobs:
                self._follow(job)
        return Completed({"job_id": job.job_id})

    def status(self, job_id: str) -> Answer:
        """Return a job's status."""
        job = self._jobs.get(job_id)
        if job is None:
            return Rejected("ERR_JOB_NOT_FOUND", f"This server follows no job {job_id!r}.")
        return Completed(job.to_json())

    async def cancel(self, job_id: str) -> Answer:
        """Cancel a run; it is ``cancelled`` once the status file says so, or if it never began."""
        job = self._jobs.get(job_id)
        if job is None:
            return Rejected("ERR_JOB_NOT_FOUND", f"This server follows no job {job_id!r}.")
        if job.ended():
            return Completed({"status": "rejected"})
        if not job.asked:
            if job.work is not None:
                job.work.cancel()
            self._set(job, JobState.CANCELLED)
            return Completed({"status": "cancelled"})
        refused = await self._converse(_cancel, self._pace.command_limit_ms)
        if not isinstance(refused, Completed):
            return refused
        for _ in range(CANCEL_LOOKS):
            if job.ended():
                break
            await sleep_ms(self._clock, self._pace.status_file_ms)
        if job.state is JobState.CANCELLED:
            return Completed({"status": "cancelled"})
        return Completed({"status": "rejected" if job.ended() else "cancel_requested"})

    def confirm(self, job_id: str) -> None:
        """Drop a job whose end is known."""
        job = self._jobs.get(job_id)
        if job is not None and job.ended():
            self._drop(job)

    # -- a run ---------------------------------------------------------------------------------

    def _follow(self, job: EditorJob) -> None:
        if not job.ended():
            job.work = asyncio.create_task(self._run(job))
        ended = [each for each in self._jobs.values() if each.ended()]
        for old in ended[: max(0, len(ended) - MAX_KEPT)]:
            self._drop(old)

    async def _run(self, job: EditorJob) -> None:
        if job.tool == COMPILE:
            self._set(job, JobState.RUNNING)
            answer = await self._compile_for_all(job)
            done = isinstance(answer, Completed)
            result = answer.body if isinstance(answer, Completed) else _result_of(answer)
            self._set(job, JobState.SUCCEEDED if done else JobState.FAILED, result)
            return
        if not job.asked:
            problem = await self._compile(job)
            if problem is None:
                refused = await self._ask_to_start(job)
                problem = None if refused is None else _compiled_only(refused)
            if problem is not None:
                self._set(job, JobState.RUNNING)
                self._set(job, JobState.FAILED, problem)
                return
        await self._watch(job)

    async def _compile_for_all(self, job: EditorJob) -> Answer:
        """Compile until every caller's scripts are included."""
        whole: Answer | None = None
        while True:
            job.look_again, job.refreshes = False, job.refreshes + 1
            answer = await self._converse(
                lambda editor: compile_scripts(editor, job.params), COMPILE_LIMIT_MS
            )
            whole = answer if whole is None else combined(whole, answer)
            if not (job.look_again and isinstance(answer, Completed)):
                return whole

    async def _compile(self, job: EditorJob) -> dict[str, Any] | None:
        """Compile; return the job's result if the tests must not run."""
        compiled = await self._converse(lambda editor: compile_now(editor, {}), job.timeout_ms)
        if not isinstance(compiled, Compiled):
            return _result_of(compiled)
        if compiled.status == "failed":
            errors = issues(compiled.report)
            message = "The scripts don't compile, so no test was run."
            return {**failure(message, "ERR_COMPILE_ERRORS"), "details": {"errors": errors}}
        if compiled.stale:
            message = "Unity sees no change although scripts are newer than its last compile: "
            return failure(message + ", ".join(compiled.stale), "ERR_STALE_VIEW")
        return None

    async def _ask_to_start(self, job: EditorJob) -> Answer | None:
        """Ask the Editor to start the run; return ``None`` once it has accepted."""
        before = await asyncio.to_thread(read_status_file, self._project)
        job.baseline = None if before is None else before.fingerprint
        job.began_s = time.time()
        job.asked = True
        await self._keep(job.job_id)
        answer = await self._asked(lambda editor: start_tests(editor, job.params, job.timeout_ms))
        # The Editor may have restarted since it compiled.
        job.editor = self._tester()
        if isinstance(answer, OutcomeUnknown):
            # It may have begun; if it has not by its deadline, the job fails.
            return None
        job.asked = answer is None
        self._keep_later(job)
        return answer

    async def _asked(
        self, conversation: Callable[[Editor], Awaitable[Answer | None]]
    ) -> Answer | None:
        return await self._converse(conversation, self._pace.accept_limit_ms)

    async def _watch(self, job: EditorJob) -> None:
        # Convert from the wall clock, which outlives this process, to this process's clock.
        began_ms = self._now() - max(0.0, time.time() - job.began_s) * 1000
        start_by = began_ms + self._pace.test_start_ms
        give_up = began_ms + job.timeout_ms + self._pace.test_start_ms
        while not job.ended() and self._now() < give_up:
            # Look for the Editor before reading, so that a status written before its end is read.
            editor = self._editor()
            file = await asyncio.to_thread(read_status_file, self._project)
            if file is not None and file.fingerprint != job.baseline:
                elapsed = self._now() - began_ms
                status = read_run(file.document, job.params.get("filter"), elapsed)
                if status is not None:
                    job.progress = status.progress or job.progress
                    self._set(job, JobState.RUNNING)
                    self._set(job, status.state, status.result)
            if job.ended():
                return
            if None not in (editor, job.editor) and editor != job.editor:
                # The Editor that ran the job is gone, so the job becomes unknown.
                self._drop(job)
                return
            if job.state is JobState.QUEUED and self._now() >= start_by:
                await self._give_up(job, "start", self._pace.test_start_ms)
                return
            await sleep_ms(self._clock, self._pace.status_file_ms)
        if not job.ended():
            await self._give_up(job, "end", give_up - began_ms)

    async def _give_up(self, job: EditorJob, what: str, within_ms: float) -> None:
        """Fail a job whose run did not ``what`` in time, so that the next one can start."""
        asked = await self._converse(_cancel, self._pace.command_limit_ms)
        cancelled = "was asked" if isinstance(asked, Completed) else "could not be asked"
        message = (
            f"The test run did not {what} within {round(within_ms / 1000)} s. The Editor "
            f"{cancelled} to cancel it; if no further run starts, restart the Editor."
        )
        self._set(job, JobState.RUNNING)
        self._set(job, JobState.FAILED, failure(message))

    def _now(self) -> float:
        return self._clock.now_ms()

    def _set(
        self, job: EditorJob, state: JobState, result: Mapping[str, Any] | None = None
    ) -> None:
        if job.ended():
            return
        job.state, job.result = state, result
        self._keep_later(job)
        self._report(job.to_json())

    # -- on disk -------------------------------------------------------------------------------

    def _drop(self, job: EditorJob) -> None:
        del self._jobs[job.job_id]
        self._keep_later(job)

    def _keep_later(self, job: EditorJob) -> None:
        if self._records is not None:
            keeping = asyncio.create_task(self._keep(job.job_id))
            self._background.add(keeping)
            keeping.add_done_callback(self._background.discard)

    async def _keep(self, job_id: str) -> None:
        """Store the job as it is now, or remove it if it was dropped."""
        if self._records is None:
            return
        async with self._keeping:
            job = self._jobs.get(job_id)
            try:
                if job is None:
                    await asyncio.to_thread(self._records.remove, job_id)
                else:
                    await asyncio.to_thread(self._records.write, job_id, job.to_record())
            except OSError:
                return  # without a record it is followed until this server ends


_NOT_EXECUTED = {"execution_guarantee": "not_executed"}
"""Marks the result of a job that failed before it did anything."""


def _joined(job: EditorJob) -> Answer:
    """Return the answer for a caller who asks for a compile while ``job`` runs."""
    if job.refreshes >= MAX_REFRESHES:
        return NotSent(
            "ERR_EDITOR_NOT_READY",
            "a shared compile is about to end and may miss the latest changes",
        )
    job.look_again = True
    return Completed({"job_id": job.job_id})


async def _cancel(editor: Editor) -> Answer:
    reply = await editor.exec(Operation.CANCEL_TESTS)
    return Completed({}) if isinstance(reply, Result) else reply


def _result_of(answer: Answer) -> dict[str, Any]:
    """Return the result of a job that failed: ``code``, ``message``, perhaps ``details``."""
    if isinstance(answer, Failed):
        result = failure(answer.message, answer.code)
    elif isinstance(answer, Rejected):
        result = failure(answer.message, answer.code) | _NOT_EXECUTED
    elif isinstance(answer, NotSent):
        result = failure(_sentence(answer.reason), answer.code) | _NOT_EXECUTED
    elif isinstance(answer, OutcomeUnknown):
        # As for a job that the Editor has forgotten.
        result = failure(_sentence(answer.reason), "ERR_JOB_NOT_FOUND")
    elif isinstance(answer, Malformed):
        invalid = failure("The Editor's answer is invalid.", "ERR_INVALID_RESPONSE")
        return {**invalid, "expected": answer.expected, "actual": answer.actual}
    else:
        result = failure("It ended without a result.", "ERR_INVALID_RESPONSE")
    details = getattr(answer, "details", None)
    return {**result, "details": dict(details)} if details else result


def _compiled_only(refused: Answer) -> dict[str, Any]:
    """Return the result of a run that was refused after its compile."""
    result = _result_of(refused)
    result.pop("execution_guarantee", None)
    message = f"The scripts are compiled, but no test was run: {result['message']}"
    return {**result, "message": message}


def _sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]}."
