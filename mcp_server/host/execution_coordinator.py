"""Runs a tool call to its one outcome, without ever blocking the event loop.

Implements docs/design/server-and-bridge.md §1, §3 and §7 for calls over MCP: validation,
the executor that the catalog names, the call's timeout, and a log line at the start and end of
each.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from mcp_server.calls.local_tools import LocalTools, stopped, timed_out
from mcp_server.contract.catalog import Executor, ToolSpec
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error, unexpected
from mcp_server.contract.outcome import OnProgress, Outcome, ToolResult
from mcp_server.contract.request_validator import check_arguments
from mcp_server.editor.requests import new_request_id
from mcp_server.editor.tools import EditorTools
from mcp_server.event_log import log_event
from snippet_engine.checked_params import CheckedParams
from snippet_engine.schema_messages import shortened
from snippet_engine.work import Stop

LOCAL_THREADS = 4
"""Local calls that run at once; they mostly wait for the disk."""


class ExecutionCoordinator:
    """Calls tools on behalf of MCP clients. Lives on one event loop."""

    def __init__(self, local_tools: LocalTools, editor_tools: EditorTools | None = None) -> None:
        """Without ``editor_tools`` there is no way to an Editor."""
        self._local_tools = local_tools
        self._editor_tools = editor_tools
        self._threads = ThreadPoolExecutor(LOCAL_THREADS, thread_name_prefix="tool")
        self._running: set[Future[Outcome]] = set()
        self._editor_calls: set[asyncio.Task[Outcome]] = set()
        self._stopping = False
        self._out_of_time = asyncio.Event()

    async def call(
        self, spec: ToolSpec, arguments: Mapping[str, Any], on_progress: OnProgress | None = None
    ) -> Outcome:
        """Check ``arguments``, run the tool, and return what became of it.

        When the caller is cancelled (its client hung up, or gave up waiting), a call that still
        waits for the Editor ends without having been sent. One that has begun and can change
        something still runs to its end; a local one that can't is stopped. A local call that takes
        longer than its timeout is stopped unless it is writing: an apply is never torn. It answers
        ``ERR_REQUEST_TIMEOUT``.
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
        try:
            params = check_arguments(spec, arguments)
            if isinstance(params, ToolError):
                outcome = params
            elif spec.executor is Executor.LOCAL:
                outcome = await self._run(spec, params)
            else:
                outcome = await self._run_in_editor(spec, params, request_id, on_progress)
        finally:
            duration_ms = round((time.perf_counter() - started) * 1000, 1)
            state = None if self._editor_tools is None else self._editor_tools.editor_state.value
            _log_end(
                outcome,
                state,
                {"request_id": request_id, "tool": spec.name, **known, "duration_ms": duration_ms},
            )
        return outcome

    async def _run_in_editor(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        request_id: str,
        on_progress: OnProgress | None,
    ) -> Outcome:
        if self._editor_tools is None:
            return tool_error(ToolErrorCode.EDITOR_NOT_READY, "This server serves no Editor.")
        if self._stopping:
            return _stopping()
        work = asyncio.create_task(
            self._call_editor(self._editor_tools, spec, arguments, request_id, on_progress)
        )
        self._editor_calls.add(work)
        work.add_done_callback(self._editor_calls.discard)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            self._editor_tools.cancel(request_id)
            if spec.executor is Executor.CONTROL and not spec.mutating:
                work.cancel()  # it only waits
            raise

    async def _call_editor(
        self,
        editor_tools: EditorTools,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        request_id: str,
        on_progress: OnProgress | None,
    ) -> Outcome:
        try:
            return await editor_tools.call(spec, arguments, request_id, on_progress)
        except Exception as error:
            logging.getLogger(__name__).error("%s crashed", spec.name, exc_info=error)
            return unexpected(error, retryable=spec.execution_error_retryable)

    async def _run(self, spec: ToolSpec, arguments: CheckedParams) -> Outcome:
        if self._stopping:
            return _stopping()
        stop = Stop()
        job = self._start(spec, arguments, stop)
        work = asyncio.wrap_future(job)
        stopping = asyncio.ensure_future(self._out_of_time.wait())
        try:
            either: set[asyncio.Future[Any]] = {work, stopping}
            await asyncio.wait(
                either,
                timeout=spec.timeout_ms(arguments) / 1000,
                return_when=asyncio.FIRST_COMPLETED,
            )
        except asyncio.CancelledError:
            if not spec.changes_things(arguments):
                stop.stop()
            raise
        finally:
            stopping.cancel()
            if not work.done():
                job.cancel()  # only a job that hasn't begun can be: it won't come as a surprise
        if work.done():
            return work.result()
        if self._out_of_time.is_set():
            why = f"The server stopped before {spec.name} had finished"
            return stopped(ToolErrorCode.RECONNECT_TIMEOUT, why, spec, arguments, stop)
        return timed_out(spec, arguments, stop)

    def _start(self, spec: ToolSpec, arguments: CheckedParams, stop: Stop) -> Future[Outcome]:
        job = self._threads.submit(stop.run, self._local_tools.call, spec, arguments)
        self._running.add(job)
        job.add_done_callback(self._running.discard)
        return job

    async def stop(self, grace_s: float) -> None:
        """Start nothing new, and let what runs end within ``grace_s`` seconds.

        Callers of what does not end get ``ERR_RECONNECT_TIMEOUT``. What involves the Editor
        ends at once.
        """
        self._stopping = True
        if self._editor_tools is not None:
            self._editor_tools.stop()
        self._threads.shutdown(wait=False)
        if self._running:
            await asyncio.wait(map(asyncio.wrap_future, list(self._running)), timeout=grace_s)
        self._out_of_time.set()

    @property
    def idle(self) -> bool:
        """Whether no tool is running."""
        return not self._running


def _stopping() -> ToolError:
    return tool_error(
        ToolErrorCode.EDITOR_NOT_READY,
        "The server is stopping. Send the call again when it is back.",
    )


def _log_end(outcome: Outcome | None, editor_state: str | None, fields: dict[str, Any]) -> None:
    """``None`` stands for a call that nobody waits for any more."""
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
