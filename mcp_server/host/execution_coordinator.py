"""Run tool calls, each to exactly one outcome, without blocking the event loop.

Implements docs/design/server-and-bridge.md §1, §2, §3 and §7 for calls over MCP. A call is
validated and repaired, run by its tool's executor within its timeout, and logged.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from mcp_server.calls.local_tools import LocalTools
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error, unexpected
from mcp_server.contract.outcome import OnAccepted, OnProgress, Outcome, ToolResult
from mcp_server.contract.tool_spec import EDITOR_GATE, Executor, ToolSpec
from mcp_server.editor.requests import new_request_id
from mcp_server.editor.tools import EditorTools
from mcp_server.event_log import log_event
from mcp_server.host.answer_size import within_bounds
from mcp_server.host.editor_gate import GatedCall, GatedCalls, not_begun
from mcp_server.host.later_verdicts import LaterVerdicts
from mcp_server.host.local_runs import LocalRuns, OnLeft, ToolThreads, since_now, stopping_error
from mcp_server.repair.sent_call import ReadCall, as_sent
from mcp_server.review.hold.held_calls import Asked, HeldCalls
from mcp_server.review.record.recorder import Caller, Recorder
from mcp_server.review.review import RunningCalls
from snippet_engine import call_context
from snippet_engine.call_context import (
    AskEditor,
    asking_for_unsaved,
    begin_noting_changes,
    noting_nothing,
)
from snippet_engine.errors import shortened
from snippet_engine.schemas.checked_params import CheckedParams

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_server.repair.offers.refusal import Refusal
    from mcp_server.review.review import Review
    from snippet_engine.storage.change_sets.change_plan import FileChange

T = TypeVar("T")

Present: TypeAlias = Callable[[ToolSpec, Mapping[str, Any], Outcome], Outcome]
"""Turns an outcome into the caller's answer. Gets the arguments as they were read."""

_UNDO_TOOL = "undo_snippet"

_SHARE_OF_WAIT = 0.95
"""The part of a call's time in which it may wait for a verdict. The rest is for the answer."""


class ExecutionCoordinator:
    """Calls tools for MCP clients. Lives on one event loop."""

    def __init__(self, local_tools: LocalTools, editor_tools: EditorTools | None = None) -> None:
        """Without ``editor_tools``, no Editor can be reached."""
        self._local_tools = local_tools
        self._editor_tools = editor_tools
        self.threads = ToolThreads()
        self._runs = LocalRuns(local_tools, self.threads)
        self._editor_calls: set[asyncio.Task[Outcome]] = set()
        self._gated = GatedCalls()
        self.held: HeldCalls | None = None
        """Holds calls that write, if a person wants to approve them."""
        self.later_verdicts = LaterVerdicts(local_tools, self.threads)
        self.on_call: Callable[[], None] = lambda: None
        self.recorder: Recorder | None = None
        self._calls = RunningCalls()
        if editor_tools is not None:
            editor_tools.on_job_settled(self.later_verdicts.job_settled)

    def attach(self, review: Review) -> None:
        """From now on, record calls, hold those that write if holding is on, and deliver notes."""
        self.recorder, self.held, self._calls = review.recorder, review.held, review.calls
        self.later_verdicts.notes = review.notes
        self.later_verdicts.news.on_found = review.others.found
        if self._editor_tools is not None:
            self._editor_tools.on_job_settled(review.others.job_settled)
        review.take_back.connect(self._local_tools.project, self.call)

    async def call(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        on_progress: OnProgress | None = None,
        on_accepted: OnAccepted | None = None,
        present: Present | None = None,
    ) -> Outcome:
        """Read ``arguments``, run the tool, and return its outcome.

        If the caller is cancelled, a call that still waits for the Editor ends unsent. A call that
        has begun and can change something runs to its end. A local call that can't is stopped. A
        local call that takes longer than its timeout answers ``ERR_REQUEST_TIMEOUT``, unless it is
        writing: an apply is never torn. ``on_accepted`` gets the id of the job that a call has
        begun. ``present`` turns the outcome into the caller's answer.
        """
        request_id = new_request_id()
        known: dict[str, Any] = {
            name: shortened(value, 200)
            for name in ("client_request_id", "job_id")
            if isinstance(value := arguments.get(name), str)
        }
        log_event("request", request_id=request_id, tool=spec.name, **known)
        started = time.perf_counter()
        outcome: Outcome | None = None
        full: Outcome | None = None  # the outcome before ``present``
        changes = begin_noting_changes()
        caller = self.later_verdicts.begin()
        asked = Asked(spec.name, call_context.client(), caller, on_progress)
        running = self._calls.begin(spec.name, arguments, asked.is_held.is_set)
        self.on_call()
        try:
            read = await self._read(spec, arguments)
            if isinstance(read, ToolError):
                outcome = read
            elif not isinstance(read, ReadCall):
                with noting_nothing():  # an offer's preview isn't the caller's own change
                    tried = await self._with_tried_offers(spec, read, since_now(on_progress))
                outcome = tried.to_error()
            elif spec.executor is Executor.LOCAL:
                outcome = await self._run_or_hold(spec, read.params, asked)
            else:
                outcome = await self._run_in_editor(
                    spec, read.params, request_id, on_progress, on_accepted
                )
            full = outcome
            if isinstance(read, ReadCall):
                arguments = read.params
            notes = read.notes if isinstance(read, ReadCall) else ()
            known |= {"repaired": len(notes)} if notes else {}
            finish = partial(_caller_answer, spec, arguments, notes, present)
            if spec.executor is Executor.LOCAL:  # its result may be large
                outcome = await asyncio.to_thread(finish, outcome)
            else:
                outcome = finish(outcome)
            limit_s = spec.timeout_ms(arguments) / 1000 if isinstance(read, ReadCall) else 0.0
            taken_s = time.perf_counter() - started - asked.waited_s
            until = time.monotonic() + limit_s * _SHARE_OF_WAIT - taken_s
            # News comes after the cut: an error that was cut away isn't in the answer.
            added = await self.later_verdicts.add_to(outcome, caller, spec.name, arguments, until)
            if added is not outcome and not isinstance(added, ToolError):
                added = within_bounds(spec.name, arguments, added)
            outcome = added
        finally:
            duration_ms = round((time.perf_counter() - started - asked.waited_s) * 1000, 1)
            known |= {"held_s": round(asked.waited_s, 1)} if asked.waited_s else {}
            by = Caller(call_context.client(), caller)
            record = partial(self._record, spec.name, arguments, changes, by, running, asked)
            if asked.left is None:
                record(full, duration_ms)
            else:  # the work goes on after its caller left
                asked.left.add_done_callback(lambda work: record(_outcome_of(work)))
            state = None if self._editor_tools is None else self._editor_tools.editor_state.value
            _log_end(
                outcome,
                state,
                {"request_id": request_id, "tool": spec.name, **known, "duration_ms": duration_ms},
            )
        return outcome

    def _record(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        changes: list[FileChange],
        by: Caller,
        running: int,
        asked: Asked,
        outcome: Outcome | None,
        duration_ms: float | None = None,
    ) -> None:
        if self.recorder is not None:
            withdrawn = asked.is_withdrawn
            self.recorder.call(
                tool, arguments, outcome, changes, by, duration_ms, is_withdrawn=withdrawn
            )
        self._calls.end(running)  # whoever waits for the call's event finds it now
        changes.clear()  # asyncio keeps a cancelled timer, and with it this call's context

    async def _read(self, spec: ToolSpec, arguments: object) -> ReadCall | Refusal | ToolError:
        """Read the arguments. Unusual ones are read on a thread."""
        params = as_sent(spec, arguments)
        if params is not None:
            return ReadCall(params)
        if self.threads.stopping:
            return stopping_error()
        job = self.threads.submit("tool", _read_again, spec, arguments, self._local_tools.project)
        return await asyncio.wrap_future(job)

    async def _with_tried_offers(
        self, spec: ToolSpec, refusal: Refusal, on_progress: OnProgress | None
    ) -> Refusal:
        """Preview the refusal's first offer. Return ``refusal``, with better offers if that fails.

        For an undo, the offer comes from the history.
        """
        if spec.name == _UNDO_TOOL:
            return await self._with_last_change(refusal, on_progress)
        first = refusal.first_offer
        if first is None or spec.executor is not Executor.LOCAL:
            return refusal
        from mcp_server.repair.offers import second_try  # noqa: PLC0415 - loads most of the engine

        params = second_try.probe(spec, first)
        if params is None:
            return refusal
        outcome = await self._runs.run(spec, params, on_progress)
        return second_try.with_offers_of(spec, refusal, outcome)

    async def _with_last_change(self, refusal: Refusal, on_progress: OnProgress | None) -> Refusal:
        from mcp_server.repair.offers import last_change  # noqa: PLC0415 - only for a refusal

        asked = last_change.question(refusal)
        history = CATALOG["get_history"]
        read = None if asked is None else await self._read(history, asked)
        if not isinstance(read, ReadCall):
            return refusal
        outcome = await self._runs.run(history, read.params, on_progress)
        return last_change.with_last_change(refusal, outcome)

    async def _run_or_hold(self, spec: ToolSpec, arguments: CheckedParams, asked: Asked) -> Outcome:
        if self.held is None or not spec.changes_things(arguments):
            return await self._run_local(spec, arguments, asked.on_progress, asked.leave)
        asked.on_progress = since_now(asked.on_progress)
        ungated = arguments.without(EDITOR_GATE)
        return await self.held.run(
            asked,
            lambda: self._run_local(spec, ungated, asked.on_progress),
            lambda: self._run_local(spec, arguments, asked.on_progress, asked.leave),
        )

    async def _run_local(
        self,
        spec: ToolSpec,
        arguments: CheckedParams,
        on_progress: OnProgress | None,
        on_left: OnLeft = lambda _: None,
    ) -> Outcome:
        with asking_for_unsaved(self.unsaved_in_editor()):
            if spec.is_gated(arguments):
                return await self._run_gated(spec, arguments, since_now(on_progress), on_left)
            return await self._runs.run(spec, arguments, on_progress, on_left)

    def unsaved_in_editor(self) -> AskEditor:
        """Return a function with which a call's thread asks the Editor for unsaved files."""
        loop, tools = asyncio.get_running_loop(), self._editor_tools

        async def ask(editor_tools: EditorTools) -> Sequence[str] | None:
            asked = CATALOG["get_play_mode_state"]
            looked = await self._call_editor(editor_tools, asked, {}, new_request_id(), None)
            return None if isinstance(looked, ToolError) else looked.structured.get("unsaved")

        def unsaved() -> Sequence[str] | None:
            if tools is None or not tools.connected:
                return ()
            return asyncio.run_coroutine_threadsafe(ask(tools), loop).result()

        return unsaved

    async def _run_gated(
        self,
        spec: ToolSpec,
        arguments: CheckedParams,
        on_progress: OnProgress | None,
        on_left: OnLeft,
    ) -> Outcome:
        """Run an edit that Unity must compile before it stays, even if the caller leaves."""
        if self.threads.stopping:
            return stopping_error()
        if self._editor_tools is None or not self._editor_tools.connected:
            why = "No Unity Editor is connected. Leave editorGate out, or wait."
            return not_begun(tool_error(ToolErrorCode.EDITOR_NOT_READY, why), arguments)
        editor_tools = self._editor_tools

        async def call_editor(
            tool: ToolSpec, params: Mapping[str, Any], request_id: str
        ) -> Outcome:
            if self.threads.stopping:
                return stopping_error()
            return await self._call_editor(editor_tools, tool, params, request_id, on_progress)

        async def amend(client_request_id: str, result: Mapping[str, Any] | None) -> None:
            if not self.threads.stopping:
                job = self.threads.submit(
                    "tool", self._local_tools.amend, client_request_id, result
                )
                await asyncio.wrap_future(job)

        now = editor_tools.now_ms()
        project, run = self._local_tools.project, self._runs.run
        call = GatedCall(spec, arguments, project, editor_tools, run, amend, call_editor, now)
        return await self._gated.run(call, on_progress, on_left)

    async def _run_in_editor(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        request_id: str,
        on_progress: OnProgress | None,
        on_accepted: OnAccepted | None,
    ) -> Outcome:
        if self._editor_tools is None:
            return tool_error(
                ToolErrorCode.EDITOR_NOT_READY, "This server has no connection to a Unity Editor."
            )
        if self.threads.stopping:
            return stopping_error()
        call = self._call_editor(
            self._editor_tools, spec, arguments, request_id, on_progress, on_accepted
        )
        try:
            if spec.executor is Executor.CONTROL and not spec.mutating:
                return await call  # the call only waits, so it ends with its caller
            work = asyncio.create_task(call)
            self._editor_calls.add(work)
            work.add_done_callback(self._editor_calls.discard)
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            self._editor_tools.cancel(request_id)
            raise

    async def _call_editor(
        self,
        editor_tools: EditorTools,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        request_id: str,
        on_progress: OnProgress | None,
        on_accepted: OnAccepted | None = None,
    ) -> Outcome:
        try:
            return await editor_tools.call(spec, arguments, request_id, on_progress, on_accepted)
        except Exception as error:
            logging.getLogger(__name__).error("%s crashed", spec.name, exc_info=error)
            return unexpected(error, retryable=spec.execution_error_retryable)

    async def stop(self, grace_s: float) -> None:
        """Start nothing new, and let calls end within ``grace_s`` seconds.

        Calls that don't end by then get ``ERR_RECONNECT_TIMEOUT``. Calls to the Editor end at once.
        """
        if self._editor_tools is not None:
            self._editor_tools.stop()
        await self.threads.stop(grace_s)
        await self.later_verdicts.judge.stop()

    @property
    def idle(self) -> bool:
        """Return whether no tool is running."""
        return self.threads.idle


def _outcome_of(work: asyncio.Future[Outcome]) -> Outcome | None:
    return None if work.cancelled() or work.exception() is not None else work.result()


def _read_again(spec: ToolSpec, arguments: object, project: Path | None) -> ReadCall | Refusal:
    """Read arguments that don't match the contract. Runs on a thread."""
    # Slow to load, and many clients never need it: load it on the thread, too.
    from mcp_server.repair.call import read_call  # noqa: PLC0415

    return read_call(spec, arguments, project)


def _caller_answer(
    spec: ToolSpec,
    arguments: Mapping[str, Any],
    notes: Sequence[str],
    present: Present | None,
    outcome: Outcome,
) -> Outcome:
    """Return the caller's answer, with the ``notes`` on how its arguments were read."""
    if present is not None:
        outcome = present(spec, arguments, outcome)
    if notes:
        from mcp_server.repair.call import with_notes  # noqa: PLC0415 - it read the call

        outcome = with_notes(outcome, notes)
    return within_bounds(spec.name, arguments, outcome)


def _log_end(outcome: Outcome | None, editor_state: str | None, fields: dict[str, Any]) -> None:
    """Log the end of a call. ``outcome`` is ``None`` if its caller has gone."""
    if isinstance(outcome, ToolResult):
        fields.setdefault("job_id", outcome.structured.get("job_id"))
        log_event("request_done", **fields)
        return
    log_event(
        "request_abandoned" if outcome is None else "request_failed",
        level=logging.WARNING,
        **fields,
        editor_state=editor_state,
        error=outcome.code.value if outcome else None,
        engine_code=outcome.details.get("code") if outcome else None,
        guarantee=outcome.details["execution_guarantee"] if outcome else None,
    )
