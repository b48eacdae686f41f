"""The Editor link over Unity's Pipeline package: carries out conversations with the Editor.

Implements docs/design/pipeline.md §6. Above it, everything is the same as over ``/unity``.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from unity_bridge.clock import Clock, LoopClock, sleep_ms
from unity_bridge.editor_state import EditorView
from unity_bridge.link import (
    Answer,
    CancelJob,
    Command,
    Execute,
    GetJobStatus,
    LinkListener,
    NotSent,
    OutcomeUnknown,
    Rejected,
    SubmitJob,
)
from unity_bridge.pipeline.conversations.console import read_console
from unity_bridge.pipeline.conversations.conversation import (
    Ask,
    Conversation,
    Counted,
    Exec,
    Look,
    Now,
    Pause,
    Replaced,
    WrittenFiles,
    blocked,
)
from unity_bridge.pipeline.conversations.play_mode import control_play_mode, get_play_mode_state
from unity_bridge.pipeline.editor_connection import EditorConnection
from unity_bridge.pipeline.editor_job import JobRecords
from unity_bridge.pipeline.envelopes import (
    Busy,
    CommandFailed,
    ExecReply,
    Garbled,
    Lost,
    Result,
    Unauthorized,
    Unreachable,
)
from unity_bridge.pipeline.pace import Pace
from unity_bridge.pipeline.run_jobs import EditorJobs
from unity_bridge.pipeline.vocabulary import Operation
from unity_bridge.reconnect_window import wait_window
from unity_bridge.timing import Timing

LogEvent = Callable[..., None]
WrittenAt = Callable[[], Mapping[str, float]]
"""The scripts that were written here: path, and when, as of ``time.time``."""

Wanted = Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
"""Whether a console entry is one that the parameters ask for."""

MARGIN_MS = 200
"""How long before others give a request up it says by itself that nothing was run."""

_CONSOLE = "read_console"
_FORGOTTEN = "the first call's outcome is unknown, and Unity's Pipeline package remembers none"


class _InTheWayError(Exception):
    """A dialog keeps the Editor from whatever was asked."""

    def __init__(self, answer: NotSent) -> None:
        super().__init__(answer.reason)
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
    ) -> None:
        """``records`` is where jobs outlive this process."""
        self._timing = timing or Timing()
        self._clock = clock or LoopClock()
        self._pace = pace or Pace()
        self._wanted = wanted
        self._written = written
        self._log_event = log_event
        self._listeners: list[LinkListener] = []
        self._open: dict[str, asyncio.Task[None]] = {}
        self._watching: asyncio.Task[None] | None = None
        self._connection = EditorConnection(
            project,
            log_event=log_event,
            on_view=self._on_view,
            open_requests=lambda: frozenset(self._open),
            timing=self._timing,
            clock=self._clock,
        )
        self._jobs = EditorJobs(
            project,
            converse=self._converse,
            editor=lambda: self._connection.pid if self.view.connected else None,
            tester=lambda: self._connection.asked.get(Operation.RUN_TESTS),
            tell=self._on_job,
            pace=self._pace,
            clock=self._clock,
            records=records,
        )

    @property
    def view(self) -> EditorView:
        """What is known of the Editor now."""
        return self._connection.view

    def listen(self, listener: LinkListener) -> None:
        """Tell ``listener`` of everything from now on."""
        self._listeners.append(listener)

    def open(self) -> None:
        """Begin to look for the Editor."""
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())

    def start(self, request_id: str, command: Command, timeout_ms: int) -> None:
        """Carry ``command`` out once; see :class:`unity_bridge.link.EditorLink`."""
        at_once = self._answered_at_once(command)
        if at_once is not None:
            self._answer(request_id, at_once)
            return
        work = asyncio.create_task(self._carry_out(request_id, command, timeout_ms))
        self._open[request_id] = work
        work.add_done_callback(lambda _work: self._open.pop(request_id, None))

    def forget(self, request_id: str) -> None:
        """Drop the answer to a request, for which nobody waits any more."""
        work = self._open.pop(request_id, None)
        if work is not None:
            work.cancel()

    def confirm_job(self, job_id: str) -> None:
        """The end of a job is known here; see :class:`unity_bridge.link.EditorLink`."""
        self._jobs.confirm(job_id)

    async def close(self) -> None:
        """Look no more, and let the Editor be."""
        self._jobs.stop()
        tasks = [*self._open.values(), *([self._watching] if self._watching else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=0.5)
        await self._connection.close()

    # -- the Editor's state ----------------------------------------------------------------------

    async def _watch(self) -> None:
        await self._jobs.restore()
        while True:
            # A command that the Editor has keeps it from nothing that a poll would tell sooner.
            if not self._connection.in_flight:
                try:
                    await self._connection.look()
                except Exception as error:  # whatever it was: the next look may be better
                    self._log_event("pipeline_look_failed", problem=f"{type(error).__name__}")
            calm = self._connection.calm
            await sleep_ms(self._clock, self._pace.idle_ms if calm else self._pace.busy_ms)

    def _on_view(self, view: EditorView) -> None:
        for listener in self._listeners:
            listener.on_view(view)

    def _on_job(self, status: Mapping[str, Any]) -> None:
        for listener in self._listeners:
            listener.on_job(status)

    def _answer(self, request_id: str, answer: Answer) -> None:
        for listener in self._listeners:
            listener.on_answer(request_id, answer)

    # -- commands --------------------------------------------------------------------------------

    def _answered_at_once(self, command: Command) -> Answer | None:
        if isinstance(command, GetJobStatus):
            return self._jobs.status(command.job_id)
        if not self.view.connected:
            return NotSent("ERR_UNITY_DISCONNECTED", "the Unity Editor has just disconnected")
        if isinstance(command, Execute | SubmitJob) and command.remembered_by is not None:
            return NotSent("ERR_DUPLICATE_REQUEST", _FORGOTTEN)
        if isinstance(command, Execute) and command.tool not in (*_TOOLS, _CONSOLE):
            return _unknown_tool(command.tool)
        if isinstance(command, SubmitJob) and command.tool not in ("run_tests", "compile"):
            return _unknown_tool(command.tool)
        return None

    async def _carry_out(self, request_id: str, command: Command, timeout_ms: int) -> None:
        try:
            answer = await self._answer_to(command, timeout_ms)
        except Exception as error:  # a bug here must not keep the one slot for ever
            self._log_event("pipeline_command_failed", problem=f"{type(error).__name__}: {error}")
            answer = OutcomeUnknown(f"the server failed ({type(error).__name__})")
        # Answered before it is gone from what is open: nobody takes it for forgotten in between.
        self._answer(request_id, answer)

    async def _answer_to(self, command: Command, timeout_ms: int) -> Answer:
        if isinstance(command, CancelJob):
            return await self._jobs.cancel(command.job_id)
        assert isinstance(command, Execute | SubmitJob)
        if self.view.obstacle is not None:
            seen = await self._connection.look()  # it may have been answered in the meantime
            in_the_way = None if seen is None else blocked(seen)
            if in_the_way is not None:
                return in_the_way
        if isinstance(command, SubmitJob):
            return await self._jobs.submit(command.tool, command.params, timeout_ms)
        return await self._converse(self._conversation(command), timeout_ms)

    def _conversation(self, command: Execute) -> Conversation:
        if command.tool == _CONSOLE:
            params = command.params
            vocabulary = self._connection.vocabulary
            return read_console(params, vocabulary, lambda entry: self._wanted(entry, params))
        return _TOOLS[command.tool](command.params)

    async def _converse(self, conversation: Conversation, timeout_ms: float) -> Answer:
        """Carry a conversation out. What it claims is held against what was really sent."""
        deadline = self._clock.now_ms() + timeout_ms
        acted = False
        heard: Any = None
        with contextlib.closing(conversation):
            while True:
                try:
                    ask = conversation.send(heard)
                except StopIteration as end:
                    answer: Answer = end.value
                    break
                if isinstance(ask, Pause) and self._clock.now_ms() >= deadline:
                    answer = OutcomeUnknown("the Unity Editor did not finish in time")
                    break
                try:
                    heard = await self._hear(ask, deadline)
                except _InTheWayError as dialog:
                    answer = dialog.answer
                    break
                if isinstance(ask, Exec) and ask.operation.changes_things:
                    acted = acted or isinstance(heard, Result | CommandFailed | Lost | Garbled)
        if acted and isinstance(answer, NotSent | Rejected):
            why = answer.reason if isinstance(answer, NotSent) else answer.message
            return OutcomeUnknown(why, answer.details)
        return answer

    async def _hear(self, ask: Ask, deadline: float) -> Any:
        if isinstance(ask, Exec):
            return await self._exec(ask, deadline)
        if isinstance(ask, Look):
            return await self._connection.look()
        if isinstance(ask, Pause):
            return await sleep_ms(self._clock, ask.duration_ms)
        if isinstance(ask, Now):
            return self._clock.now_ms()
        if isinstance(ask, Counted):
            return self._connection.tally
        if isinstance(ask, Replaced):
            return self._connection.asked.get(ask.operation) != self._connection.pid
        assert isinstance(ask, WrittenFiles)
        seen_s = self._connection.compile_seen_s
        return sorted(path for path, at_s in self._written().items() if at_s > seen_s)

    async def _exec(self, ask: Exec, deadline: float) -> ExecReply:
        """Ask until something was run, or it can't be hoped for any more."""
        began = self._clock.now_ms()
        while True:
            left_ms = max(1.0, deadline - self._clock.now_ms())
            reply = await self._connection.exec(ask.operation, ask.parameters, left_ms)
            not_run = isinstance(reply, Busy | Unauthorized | Unreachable)
            if not not_run and not (isinstance(reply, Lost) and not ask.operation.changes_things):
                return reply
            seen = await self._connection.look()
            in_the_way = None if seen is None else blocked(seen)
            if in_the_way is not None and isinstance(reply, Busy):
                raise _InTheWayError(in_the_way)
            window = wait_window(self.view, began, self._timing).until_ms
            if self._clock.now_ms() + self._pace.retry_ms >= min(deadline, window) - MARGIN_MS:
                return reply
            await sleep_ms(self._clock, self._pace.retry_ms)


def _unknown_tool(tool: str) -> Rejected:
    return Rejected("ERR_UNKNOWN_COMMAND", f"{tool} is not possible over Unity's Pipeline package.")


_TOOLS: Mapping[str, Callable[[Mapping[str, Any]], Conversation]] = {
    "get_play_mode_state": get_play_mode_state,
    "control_play_mode": control_play_mode,
}
