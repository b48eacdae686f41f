"""Jobs of the Editor as tasks: a call is answered with a handle.

Implements docs/design/server-and-bridge.md §6 "Tasks". A task is on disk before its handle is given
out. Its end is written when the job's end is known. Only the first end counts.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import Guarantee, ToolError
from mcp_server.contract.outcome import OnProgress, Outcome, ToolResult
from mcp_server.contract.tool_spec import ExecutionMode, ToolSpec
from mcp_server.editor.errors import forgotten_outcome
from mcp_server.editor.job_manager import KEEP_MS, Job
from mcp_server.editor.job_tools import NoJob
from mcp_server.editor.tools import EditorTools
from mcp_server.event_log import log_event
from mcp_server.host.answer_size import within_bounds
from mcp_server.host.execution_coordinator import ExecutionCoordinator
from mcp_server.host.mcp.task_store import MAX_TASKS, Task, TaskStore, new_task_id
from mcp_server.host.mcp.tool_results import to_call_tool_result
from unity_bridge.states import JobState

MAX_OPEN = 64
"""Most open tasks. Beyond it, calls are answered without a task."""

LOOK_UP_MS = 5_000
"""Most milliseconds for the Editor to answer about a job in ``tasks/get``."""


_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Sight:
    """A task in its present state, and its status message."""

    task: Task
    message: str | None = None


def is_job(spec: ToolSpec) -> bool:
    """Return whether the Editor runs the tool as a job."""
    return ExecutionMode.JOB in (spec.execution_mode, spec.unity_mode)


class Tasks:
    """The tasks of one server. Lives on one event loop."""

    def __init__(
        self,
        coordinator: ExecutionCoordinator,
        editor_tools: EditorTools,
        store: TaskStore,
        wall_clock_s: Callable[[], float] = time.time,
    ) -> None:
        self._coordinator = coordinator
        self._editor_tools = editor_tools
        self._store = store
        self._wall_clock_s = wall_clock_s
        self._live: dict[str, Task] = {}
        """Tasks that aren't over, or whose end isn't on disk yet."""
        self._carried: set[str] = set()
        """Tasks whose call still waits for its own outcome."""
        self._to_cancel: set[str] = set()
        self._of_job: dict[str, str] = {}
        self._begun: dict[str, set[asyncio.Task[Sight | None]]] = {}
        """By job, the work that creates the tasks of its calls."""
        self._creating: dict[str, Job | None] = {}
        """Tasks that aren't on disk yet, each with its job if that has ended meanwhile."""
        self._writing: set[str] = set()
        """Tasks whose end is being written."""
        self._on_disk: dict[str, asyncio.Future[bool]] = {}
        """By task, a future that says whether its end was written to disk."""
        self._work: set[asyncio.Task[Any]] = set()
        self._stopped = False
        editor_tools.on_job_settled(self._job_settled)
        editor_tools.confirm_jobs_once(self._job_kept)

    async def load(self) -> None:
        """Take over the tasks of an earlier server."""
        try:
            tasks = await asyncio.to_thread(self._store.load_tasks, self._now_ms())
        except OSError as error:
            log_event("tasks_not_loaded", level=logging.WARNING, problem=str(error))
            return
        for task in sorted(tasks, key=_knows_end):  # a later one replaces an earlier one
            self._remember(task)
            if task.end is None:
                self._live[task.task_id] = task

    def stop(self) -> None:
        """Keep tasks open while the server ends. The next server takes them over."""
        self._stopped = True

    async def begin(
        self, spec: ToolSpec, arguments: Mapping[str, Any], on_progress: OnProgress | None
    ) -> Outcome | Sight:
        """Call a tool that the Editor runs as a job. Return a task as soon as the job is accepted.

        Return the call's outcome if it comes first, or if no task can be kept.
        """
        made: asyncio.Future[asyncio.Task[Sight | None]] = (
            asyncio.get_running_loop().create_future()
        )

        def on_accepted(job_id: str) -> None:
            if not made.done():
                made.set_result(
                    self._create_in_background(
                        self._task_for_call(call, spec, arguments, job_id), job_id
                    )
                )

        call = asyncio.create_task(
            self._coordinator.call(spec, arguments, on_progress, on_accepted)
        )
        awaited: set[asyncio.Future[Any]] = {call, made}
        try:
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if not made.done():
                # This cancels an unsent call. A sent one becomes a task when it is accepted.
                call.cancel()
            raise
        if not made.done():
            outcome = call.result()
            if isinstance(outcome, ToolError) or "job_id" not in outcome.structured:
                return outcome
            on_accepted(outcome.structured["job_id"])  # a repeated call: the job of the first one
        sight = await asyncio.shield(made.result())
        return await call if sight is None else sight

    def _create_in_background(
        self, made: Coroutine[Any, Any, Sight | None], job_id: str
    ) -> asyncio.Task[Sight | None]:
        """Create a job's task in the background, even if nobody waits for it any more."""
        making = self._in_background(made)
        self._begun.setdefault(job_id, set()).add(making)

        def is_made(_: object) -> None:
            self._begun[job_id].discard(making)
            if not self._begun[job_id]:
                del self._begun[job_id]

        making.add_done_callback(is_made)
        return making

    async def _task_for_call(
        self,
        call: asyncio.Task[Outcome],
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        job_id: str,
    ) -> Sight | None:
        """Return the task of the job that ``call`` began; ``None`` if none can be kept."""
        waits = spec.execution_mode is not ExecutionMode.JOB  # the call lasts as long as the job
        known = await self._task_of(job_id)
        if known is not None and waits and not _knows_end(known):
            known = None  # another caller's task, with its own timeout
        if known is None and waits and not call.cancelling():
            task = await self._created(spec, arguments, job_id, [], carried=True)
            if task is None:
                return None
            self._in_background(self._keep_own_outcome(task, call))
            return Sight(task)
        if known is None:
            await asyncio.wait({call})
            answer = None if call.cancelled() else call.result()
            notes = answer.structured.get("repaired", []) if isinstance(answer, ToolResult) else []
            known = await self._created(spec, arguments, job_id, notes, carried=False)
        return None if known is None else await self._sight_of(known)

    async def get(self, task_id: str) -> Sight | None:
        """Return the task in its present state; ``None`` if there is none."""
        task = await self._find(task_id)
        return None if task is None else await self._sight_of(task)

    async def cancel(self, task_id: str) -> bool:
        """Cancel a task's job. Return whether there is such a task.

        If the Editor can't be asked now, it is asked at the next ``tasks/get``.
        """
        task = await self._find(task_id)
        if task is None:
            return False
        if task.end is None:
            self._to_cancel.add(task_id)
            await self._cancel_job(task)
        return True

    async def _find(self, task_id: str) -> Task | None:
        task = self._live.get(task_id) or await asyncio.to_thread(self._store.read, task_id)
        return None if task is None or task.expired(self._now_ms()) else task

    def _remember(self, task: Task) -> None:
        self._of_job[task.job_id] = task.task_id
        if len(self._of_job) > MAX_TASKS:
            del self._of_job[next(iter(self._of_job))]

    async def _task_of(self, job_id: str) -> Task | None:
        task_id = self._of_job.get(job_id)
        return None if task_id is None else await self._find(task_id)

    async def _created(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        job_id: str,
        notes: list[str],
        *,
        carried: bool,
    ) -> Task | None:
        """Return a new, stored task; ``None`` if it can't be stored, or too many are open."""
        now = round(self._now_ms())
        for old in [each for each in self._live.values() if each.expired(now)]:
            self._drop(old)
        if len(self._live) >= MAX_OPEN:
            return None
        given = arguments.get("timeout_ms")
        longest = given if type(given) is int else spec.default_timeout_ms
        ttl = min(longest, spec.max_timeout_ms) + KEEP_MS
        task = Task(new_task_id(), spec.name, job_id, now, now, ttl, notes)
        self._live[task.task_id] = task
        self._creating[task.task_id] = None
        if carried:
            self._carried.add(task.task_id)
        try:
            await asyncio.to_thread(self._store.write, task)
        except BaseException as error:
            self._drop(task)
            if not isinstance(error, OSError):
                raise
            log_event("task_not_stored", level=logging.WARNING, problem=str(error))
            return None
        self._remember(task)
        log_event("task_created", task_id=task.task_id, job_id=job_id, tool=spec.name)
        settled = self._creating.pop(task.task_id, None)
        if settled is not None and not carried:
            self._job_ended(task, settled)
        return self._live.get(task.task_id, task)

    async def _keep_own_outcome(self, task: Task, call: asyncio.Task[Outcome]) -> None:
        """Wait for the outcome of a task's own call, and keep it as the task's end."""
        try:
            outcome = await call
        finally:
            self._carried.discard(task.task_id)
        if not self._stopped:
            self._ended(task, outcome)

    async def _sight_of(self, task: Task) -> Sight:
        """Return ``task`` in its present state, after asking for its job."""
        task = self._live.get(task.task_id, task)
        if task.end is not None:
            return Sight(task)
        job = await self._editor_tools.look_up(task.job_id, LOOK_UP_MS)
        task = self._live.get(task.task_id, task)
        if task.end is not None:
            return Sight(task)
        waiting = self._editor_tools.waiting_reason
        if isinstance(job, NoJob):
            if job is NoJob.FORGOTTEN and task.task_id not in self._carried:
                return Sight(self._ended(task, forgotten_outcome(task.tool, task.job_id)))
            return Sight(task, f"waiting for Unity: {waiting or 'its turn'}")
        if job.settled and task.task_id not in self._carried:
            return Sight(self._job_ended(task, job))
        if task.task_id in self._to_cancel:
            self._in_background(self._cancel_job(task))
        return Sight(task, _describe(job) + (f"; waiting for Unity: {waiting}" if waiting else ""))

    async def _cancel_job(self, task: Task) -> None:
        outcome = await self._coordinator.call(CATALOG["cancel_job"], {"job_id": task.job_id})
        if isinstance(outcome, ToolResult) or not outcome.retryable:
            job = await self._editor_tools.look_up(task.job_id, LOOK_UP_MS)
            if isinstance(job, Job):
                self._to_cancel.discard(task.task_id)

    def _job_settled(self, job: Job) -> None:
        for task in self._live_of(job.job_id):
            if task.task_id in self._creating:
                self._creating[task.task_id] = job
            elif task.end is None and task.task_id not in self._carried:
                self._job_ended(task, job)

    def _live_of(self, job_id: str) -> list[Task]:
        """Return a job's tasks. There may be several, because each caller of a compile gets one."""
        return [task for task in self._live.values() if task.job_id == job_id]

    async def _job_kept(self, job_id: str) -> bool:
        """Wait until the ends of a job's tasks are written. Return whether all were."""
        if job_id in self._begun:  # the job may end before its tasks are created
            await asyncio.wait(set(self._begun[job_id]))
        waited = []
        for task in self._live_of(job_id):
            written = asyncio.get_running_loop().create_future()
            waited.append(self._on_disk.setdefault(task.task_id, written))
            if task.end is not None and task.task_id not in self._writing:
                self._in_background(self._write_end(task))  # an earlier write failed
        return all(await asyncio.gather(*waited))

    def _job_ended(self, task: Task, job: Job) -> Task:
        if job.state is JobState.CANCELLED:
            return self._keep(task, {"status": "cancelled"})
        return self._ended(task, self._editor_tools.outcome_of(job))

    def _ended(self, task: Task, outcome: Outcome) -> Task:
        if task.notes:
            from mcp_server.repair.call import with_notes  # noqa: PLC0415 - slow to load

            outcome = with_notes(outcome, task.notes)
        bounded = within_bounds(task.tool, {}, outcome)
        result = to_call_tool_result(bounded).model_dump(
            by_alias=True, mode="json", exclude_none=True
        )
        return self._keep(task, {"status": "completed", "result": result})

    def _keep(self, task: Task, end: dict[str, Any]) -> Task:
        """Keep the end of ``task``, unless it has one already."""
        known = self._live.get(task.task_id, task)
        if known.end is not None:
            return known
        ended = replace(known, end=end, updated_ms=round(self._now_ms()))
        self._live[task.task_id] = ended
        self._to_cancel.discard(task.task_id)
        if _knows_end(ended):
            self._remember(ended)
        log_event("task_ended", task_id=task.task_id, status=end["status"])
        self._writing.add(task.task_id)
        self._in_background(self._write_end(ended))
        return ended

    async def _write_end(self, task: Task) -> None:
        """Write the end of ``task``. If that fails, the task stays in memory."""
        self._writing.add(task.task_id)
        try:
            await asyncio.to_thread(self._store.write, task)
        except OSError as error:  # the end stays in memory until this server ends
            log_event("task_not_stored", level=logging.WARNING, problem=str(error))
            self._report_written(task, written=False)
            return
        finally:
            self._writing.discard(task.task_id)
        self._live.pop(task.task_id, None)
        self._report_written(task, written=True)

    def _report_written(self, task: Task, *, written: bool) -> None:
        waiting = self._on_disk.pop(task.task_id, None)
        if waiting is not None:
            waiting.set_result(written)

    def _drop(self, task: Task) -> None:
        self._live.pop(task.task_id, None)
        self._creating.pop(task.task_id, None)
        self._carried.discard(task.task_id)
        self._to_cancel.discard(task.task_id)
        if self._of_job.get(task.job_id) == task.task_id:
            del self._of_job[task.job_id]
        self._report_written(task, written=True)  # nothing of the task is kept

    def _now_ms(self) -> float:
        return self._wall_clock_s() * 1000

    def _in_background(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        started = asyncio.create_task(work)
        self._work.add(started)
        started.add_done_callback(self._work.discard)
        return started


def _knows_end(task: Task) -> bool:
    """Return whether a task's end is its job's end, and not the end of waiting for it."""
    found: Any = task.end  # read from disk, so it may be anything
    for name in ("result", "structuredContent", "error", "details", "execution_guarantee"):
        found = found.get(name) if isinstance(found, dict) else None
    return task.end is not None and found != Guarantee.UNKNOWN


def _describe(job: Job) -> str:
    progress = job.progress
    if progress is None:
        return job.state.value
    current = f", {progress['current']}" if "current" in progress else ""
    return f"{job.state.value}, {progress['completed']} of {progress['total']}{current}"
