"""The Editor link over Unity's Pipeline package: carries conversations out.

Implements docs/design/pipeline.md §6.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from unity_bridge.clock import Clock, LoopClock, sleep_ms
from unity_bridge.editor_state import EditorView, wait_window
from unity_bridge.link import (
    Answer,
    CancelJob,
    Command,
    Execute,
    GetJobStatus,
    LinkListener,
    Listeners,
    NotSent,
    OutcomeUnknown,
    Rejected,
    SubmitJob,
)
from unity_bridge.pipeline.conversations.console import read_console
from unity_bridge.pipeline.conversations.conversation import Editor, blocked
from unity_bridge.pipeline.conversations.play_mode import control_play_mode, get_play_mode_state
from unity_bridge.pipeline.editor_connection import EditorConnection, FindDescriptor
from unity_bridge.pipeline.editor_job import JobRecords
from unity_bridge.pipeline.project_files import read_descriptor
from unity_bridge.pipeline.replies import UNREACHABLE, ExecReply, is_busy
from unity_bridge.pipeline.run_jobs import EditorJobs
from unity_bridge.pipeline.sightings import Tally
from unity_bridge.pipeline.vocabulary import Operation
from unity_bridge.timing import Pace, Timing

T = TypeVar("T")
LogEvent = Callable[..., None]
WrittenAt = Callable[[], Mapping[str, float]]
"""Returns the scripts written here: each path with its time, as of ``time.time``."""

Wanted = Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
"""Whether a console entry matches the parameters of ``read_console``."""

MARGIN_MS = 200
"""How long before the scheduler's time limit the link answers that nothing ran."""

_FORGOTTEN = "the first call's outcome is unknown, and Unity's Pipeline package keeps no outcomes"
_PLAY_MODE = {
    "get_play_mode_state": get_play_mode_state,
    "control_play_mode": control_play_mode,
}
_EXECUTED = ("read_console", *_PLAY_MODE)
_JOBS = ("run_tests", "compile")


class _EndedError(Exception):
    """The conversation is over, with ``answer``."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


class PipelineLink:
    """The Editor of one project, over its Pipeline package. Lives on one event loop."""

    name = "pipeline"

    def __init__(
        self,
        project: Path,
        *,
        log_event: LogEvent,
        wanted: Wanted,
        written: WrittenAt = dict,
        timing: Timing | None = None,
        clock: Clock | None = None,
        pace: Pace | None = None,
        records: JobRecords | None = None,
        find_descriptor: FindDescriptor = read_descriptor,
    ) -> None:
        """``records`` stores jobs so that they outlive this process."""
        self._timing = timing or Timing()
        self._clock = clock or LoopClock()
        self._pace = pace or Pace()
        self._wanted = wanted
        self._written = written
        self._log_event = log_event
        self._listeners = Listeners()
        self._open: dict[str, asyncio.Task[None]] = {}
        self._watching: asyncio.Task[None] | None = None
        self._connection = EditorConnection(
            project,
            log_event=log_event,
            on_view=self._listeners.on_view,
            open_requests=lambda: frozenset(self._open),
            timing=self._timing,
            clock=self._clock,
            find_descriptor=find_descriptor,
        )
        self._jobs = EditorJobs(
            project,
            converse=self._converse,
            editor=lambda: self._connection.pid if self.view.connected else None,
            tester=lambda: self._connection.asked.get(Operation.RUN_TESTS),
            report=self._listeners.on_job,
            pace=self._pace,
            clock=self._clock,
            records=records,
        )

    @property
    def view(self) -> EditorView:
        """Return the last known state of the Editor."""
        return self._connection.view

    def listen(self, listener: LinkListener) -> None:
        """Call ``listener`` from now on."""
        self._listeners.add(listener)

    def open(self) -> None:
        """Start looking for the Editor."""
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())

    def start(self, request_id: str, command: Command, timeout_ms: int) -> None:
        """Carry ``command`` out once; see :class:`unity_bridge.link.EditorLink`."""
        at_once = self._answered_at_once(command)
        if at_once is not None:
            self._listeners.on_answer(request_id, at_once)
            return
        work = asyncio.create_task(self._carry_out(request_id, command, timeout_ms))
        self._open[request_id] = work
        work.add_done_callback(lambda _work: self._open.pop(request_id, None))

    def forget(self, request_id: str) -> None:
        """Drop the answer to a request, because no caller waits for it."""
        work = self._open.pop(request_id, None)
        if work is not None:
            work.cancel()

    def confirm_job(self, job_id: str) -> None:
        """Drop a job's result; see :class:`unity_bridge.link.EditorLink`."""
        self._jobs.confirm(job_id)

    async def close(self) -> None:
        """Disconnect, and leave the Editor as it is."""
        self._jobs.stop()
        tasks = [*self._open.values(), *([self._watching] if self._watching else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=0.5)
        await self._connection.close()

    async def _watch(self) -> None:
        await self._jobs.restore()
        while True:
            if not self._connection.in_flight:
                try:
                    await self._connection.look()
                except Exception as error:  # the next poll may succeed
                    self._log_event("pipeline_look_failed", problem=f"{type(error).__name__}")
            calm = self._connection.calm
            await sleep_ms(self._clock, self._pace.idle_ms if calm else self._pace.busy_ms)

    # -- commands --------------------------------------------------------------------------------

    def _answered_at_once(self, command: Command) -> Answer | None:
        if isinstance(command, GetJobStatus):
            return self._jobs.status(command.job_id)
        if not self.view.connected:
            return UNREACHABLE
        if isinstance(command, CancelJob):
            return None
        if command.remembered_by is not None:
            return NotSent("ERR_DUPLICATE_REQUEST", _FORGOTTEN)
        if command.tool not in (_EXECUTED if isinstance(command, Execute) else _JOBS):
            return Rejected(
                "ERR_UNKNOWN_COMMAND",
                f"{command.tool} is not possible over Unity's Pipeline package.",
            )
        return None

    async def _carry_out(self, request_id: str, command: Command, timeout_ms: int) -> None:
        try:
            answer = await self._answer_to(command, timeout_ms)
        except Exception as error:  # a bug here must not block the only slot for ever
            self._log_event("pipeline_command_failed", problem=f"{type(error).__name__}: {error}")
            answer = OutcomeUnknown(f"the server failed ({type(error).__name__})")
        # Before the request leaves ``_open``, so that it never counts as forgotten.
        self._listeners.on_answer(request_id, answer)

    async def _answer_to(self, command: Command, timeout_ms: int) -> Answer:
        if isinstance(command, CancelJob):
            return await self._jobs.cancel(command.job_id)
        assert isinstance(command, Execute | SubmitJob)
        if self.view.obstacle is not None:
            seen = await self._connection.look()  # the dialog may be closed by now
            dialog = None if seen is None else blocked(seen)
            if dialog is not None:
                return dialog
        if isinstance(command, SubmitJob):
            return await self._jobs.submit(command.tool, command.params, timeout_ms)

        async def conversation(editor: Editor) -> Answer:
            params = command.params
            if command.tool == "read_console":
                vocabulary = self._connection.vocabulary
                return await read_console(
                    editor, params, vocabulary, lambda entry: self._wanted(entry, params)
                )
            return await _PLAY_MODE[command.tool](editor, params)

        return await self._converse(conversation, timeout_ms)

    async def _converse(
        self, conversation: Callable[[Editor], Awaitable[T]], timeout_ms: float
    ) -> T | Answer:
        """Carry a conversation out.

        Once something was sent, the answer never says that nothing ran.
        """
        editor = _BoundedEditor(
            self._connection, self._clock, self._timing, self._pace, self._written, timeout_ms
        )
        try:
            answer: T | Answer = await conversation(editor)
        except _EndedError as ended:
            answer = ended.answer
        if editor.acted and isinstance(answer, NotSent | Rejected):
            why = answer.reason if isinstance(answer, NotSent) else answer.message
            return OutcomeUnknown(why, answer.details)
        return answer


class _BoundedEditor:
    """The :class:`.Editor` of one conversation, for at most ``timeout_ms``."""

    def __init__(
        self,
        connection: EditorConnection,
        clock: Clock,
        timing: Timing,
        pace: Pace,
        written: WrittenAt,
        timeout_ms: float,
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._timing = timing
        self.pace = pace
        self._written = written
        self._deadline = clock.now_ms() + timeout_ms
        self.acted = False
        """Whether a command that changes things may have run."""
        self.look = connection.look
        self.now_ms = clock.now_ms

    async def pause(self, duration_ms: float) -> None:
        if self._clock.now_ms() >= self._deadline:
            raise _EndedError(OutcomeUnknown("the Unity Editor did not finish in time"))
        await sleep_ms(self._clock, duration_ms)

    @property
    def tally(self) -> Tally:
        return self._connection.tally

    def was_replaced(self, operation: Operation) -> bool:
        return self._connection.asked.get(operation) != self._connection.pid

    def uncompiled_scripts(self) -> list[str]:
        seen_s = self._connection.compile_seen_s
        return sorted(path for path, at_s in self._written().items() if at_s > seen_s)

    async def exec(self, operation: Operation, **parameters: Any) -> ExecReply:
        reply = await self._exec(operation, parameters)
        ran = not isinstance(reply, NotSent | Rejected)
        self.acted = self.acted or (ran and operation.changes_things)
        return reply

    async def _exec(self, operation: Operation, parameters: Mapping[str, Any]) -> ExecReply:
        """Send a command until it has run, or until sending it again can't help."""
        began = self._clock.now_ms()
        while True:
            left_ms = max(1.0, self._deadline - self._clock.now_ms())
            reply = await self._connection.exec(operation, parameters, left_ms)
            lost = isinstance(reply, OutcomeUnknown) and not operation.changes_things
            if not isinstance(reply, NotSent) and not lost:
                return reply
            seen = await self._connection.look()
            dialog = None if seen is None else blocked(seen)
            if dialog is not None and is_busy(reply):
                raise _EndedError(dialog)
            window = wait_window(self._connection.view, began, self._timing).until_ms
            give_up = min(self._deadline, window) - MARGIN_MS
            if self._clock.now_ms() + self.pace.retry_ms >= give_up:
                return reply
            await sleep_ms(self._clock, self.pace.retry_ms)
