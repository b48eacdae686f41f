"""Runs a tool call to its one outcome, without ever blocking the event loop.

<<<<<<< HEAD
Implements spec 02-server-and-bridge §3 and §7 for calls over MCP: validation, the executor
that the catalog names, the call's timeout, and one log line at the start and end of each.
=======
Implements spec 02-server-and-bridge §1 (shutdown), §3 and §7 for calls over MCP: validation,
the executor that the catalog names, the call's timeout, and a log line at the start and end of
each. Only the ``local`` executor exists so far; others are chosen in :meth:`_start`.
>>>>>>> main
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
<<<<<<< HEAD
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mcp_server.catalog import Executor, ToolSpec
from mcp_server.editor_tools import EditorTools
from mcp_server.errors import ToolError, ToolErrorCode, tool_error, unexpected
=======
from concurrent.futures import Future, ThreadPoolExecutor
from secrets import token_hex
from typing import Any

from mcp_server.catalog import ToolSpec
from mcp_server.errors import ToolErrorCode, lost, tool_error
>>>>>>> main
from mcp_server.event_log import log_event
from mcp_server.job_tools import OnProgress, new_request_id
from mcp_server.local_tools import LocalTools, Outcome, ToolResult, timed_out
from mcp_server.request_validator import check_arguments
from snippet_engine.schema_messages import shortened

LOCAL_THREADS = 4
"""Local calls that run at once; they mostly wait for the disk."""


class ExecutionCoordinator:
    """Calls tools on behalf of MCP clients. Lives on one event loop."""

    def __init__(self, local_tools: LocalTools, editor_tools: EditorTools) -> None:
        self._local_tools = local_tools
        self._editor_tools = editor_tools
        self._threads = ThreadPoolExecutor(LOCAL_THREADS, thread_name_prefix="tool")
<<<<<<< HEAD
        self._running: set[asyncio.Future[Outcome]] = set()
        self._stopping = False
=======
        self._running: set[Future[Outcome]] = set()
        self._stopping = False
        self._out_of_time = asyncio.Event()
>>>>>>> main

    async def call(
        self, spec: ToolSpec, arguments: Mapping[str, Any], on_progress: OnProgress | None = None
    ) -> Outcome:
        """Check ``arguments``, run the tool, and return what became of it.

<<<<<<< HEAD
        When the caller is cancelled (its client hung up, or gave up waiting), a call that still
        waits for the Editor ends without having been sent. One that has started runs to its
        end: an apply is never torn. The same goes for a local call that takes longer than its
        timeout, which answers ``ERR_REQUEST_TIMEOUT``.
        """
        request_id = new_request_id()
        started = time.perf_counter()
        named = {key: arguments.get(key) for key in ("client_request_id", "job_id")}
        known: dict[str, Any] = {k: v for k, v in named.items() if isinstance(v, str)}
        log_event("request", request_id=request_id, tool=spec.name, **known)

        def ended(outcome: Outcome | None) -> None:
            duration_ms = round((time.perf_counter() - started) * 1000, 1)
            _log_end(outcome, request_id, spec.name, duration_ms, known)

        refused = self._refused() or check_arguments(spec, arguments)
        if refused is not None:
            ended(refused)
            return refused
        local = spec.executor is Executor.LOCAL
        work: asyncio.Future[Outcome] = (
            self._start_local(spec, arguments)
            if local
            else asyncio.create_task(self._call_editor(spec, arguments, request_id, on_progress))
        )
        self._running.add(work)
        work.add_done_callback(self._running.discard)
        try:
            # The Editor's calls keep their time themselves: they know what it means.
            timeout_s = spec.timeout_ms(arguments) / 1000 if local else None
            outcome: Outcome = await asyncio.wait_for(asyncio.shield(work), timeout_s)
        except TimeoutError:
            outcome = timed_out(spec, arguments)
        except asyncio.CancelledError:
            self._editor_tools.cancel(request_id)
            ended(None)
            raise
        ended(outcome)
        return outcome

    def _refused(self) -> ToolError | None:
        if not self._stopping:
            return None
        return tool_error(ToolErrorCode.EDITOR_NOT_READY, "The server stops; nothing was started.")

    def _start_local(self, spec: ToolSpec, arguments: Mapping[str, Any]) -> asyncio.Future[Outcome]:
        loop = asyncio.get_running_loop()
        work: asyncio.Future[Outcome] = loop.run_in_executor(
            self._threads, self._local_tools.call, spec, arguments
        )
        return work

    async def _call_editor(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        request_id: str,
        on_progress: OnProgress | None,
    ) -> Outcome:
        try:
            return await self._editor_tools.call(spec, arguments, request_id, on_progress)
        except Exception as error:
            logging.getLogger(__name__).error("%s crashed", spec.name, exc_info=error)
            return unexpected(error, retryable=spec.execution_error_retryable)

    def refuse_new(self) -> None:
        """From now on nothing is started, and what involves the Editor ends at once."""
        self._stopping = True
        self._editor_tools.stop()

    async def stop(self, grace_s: float) -> bool:
        """Wait for running tools, at most ``grace_s`` seconds; whether all have ended."""
        self._threads.shutdown(wait=False, cancel_futures=True)
=======
        When the caller is cancelled (its client hung up, or gave up waiting) a tool that has
        begun still runs to its end: an apply is never torn. The same goes for a call that
        takes longer than its timeout, which answers ``ERR_REQUEST_TIMEOUT``.
        """
        request_id = token_hex(4)
        client_request_id = arguments.get("client_request_id")
        log_event(
            "request",
            request_id=request_id,
            tool=spec.name,
            client_request_id=shortened(client_request_id, 200)
            if isinstance(client_request_id, str)
            else None,
        )
        started = time.perf_counter()
        outcome: Outcome | None = None
        try:
            outcome = check_arguments(spec, arguments) or await self._run(spec, arguments)
        finally:
            duration_ms = round((time.perf_counter() - started) * 1000, 1)
            _log_end(outcome, request_id, spec.name, duration_ms)
        return outcome

    async def _run(self, spec: ToolSpec, arguments: Mapping[str, Any]) -> Outcome:
        if self._stopping:
            return tool_error(
                ToolErrorCode.EDITOR_NOT_READY,
                "The server is stopping. Send the call again when it is back.",
            )
        job = self._start(spec, arguments)
        work = asyncio.wrap_future(job)
        stopped = asyncio.ensure_future(self._out_of_time.wait())
        try:
            either: set[asyncio.Future[Any]] = {work, stopped}
            await asyncio.wait(
                either,
                timeout=spec.timeout_ms(arguments) / 1000,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            stopped.cancel()
            if not work.done():
                job.cancel()  # only a job that hasn't begun can be: it won't come as a surprise
        if work.done():
            return work.result()
        if self._out_of_time.is_set():
            return lost(
                ToolErrorCode.RECONNECT_TIMEOUT,
                f"The server stopped before {spec.name} had finished.",
                spec,
                arguments,
            )
        return timed_out(spec, arguments)

    def _start(self, spec: ToolSpec, arguments: Mapping[str, Any]) -> Future[Outcome]:
        job = self._threads.submit(self._local_tools.call, spec, arguments)
        self._running.add(job)
        job.add_done_callback(self._running.discard)
        return job

    async def stop(self, grace_s: float) -> None:
        """Start nothing new, and let what runs end within ``grace_s`` seconds.

        Callers of what does not end get ``ERR_RECONNECT_TIMEOUT``.
        """
        self._stopping = True
        self._threads.shutdown(wait=False)
>>>>>>> main
        if self._running:
            await asyncio.wait(map(asyncio.wrap_future, list(self._running)), timeout=grace_s)
        self._out_of_time.set()

    @property
    def idle(self) -> bool:
        """Whether no tool is running."""
        return not self._running


def _log_end(
    outcome: Outcome | None, request_id: str, tool: str, duration_ms: float, known: dict[str, Any]
) -> None:
    """``None`` stands for a call that nobody waits for any more."""
    common: dict[str, Any] = {"request_id": request_id, "tool": tool, "duration_ms": duration_ms, **known}
    if isinstance(outcome, ToolResult):
        job_id = outcome.structured.get("job_id")
        log_event("request_done", **{**common, "job_id": job_id})
        return
    log_event(
        "request_abandoned" if outcome is None else "request_failed",
        level=logging.WARNING,
        **common,
        error=outcome.code.value if outcome else None,
        engine_code=outcome.details.get("code") if outcome else None,
        guarantee=outcome.details["execution_guarantee"] if outcome else None,
    )
