"""Runs a tool call to its one outcome, without ever blocking the event loop.

Implements spec 02-server-and-bridge §3 and §7 for calls over MCP: validation, the executor
that the catalog names, the call's timeout, and one log line at the start and end of each.
Only the ``local`` executor exists so far; others are chosen in :meth:`_start`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from secrets import token_hex
from typing import Any

from mcp_server.catalog import ToolSpec
from mcp_server.event_log import log_event
from mcp_server.local_tools import LocalTools, Outcome, ToolResult, timed_out
from mcp_server.request_validator import check_arguments

LOCAL_THREADS = 4
"""Local calls that run at once; they mostly wait for the disk."""


class ExecutionCoordinator:
    """Calls tools on behalf of MCP clients. Lives on one event loop."""

    def __init__(self, local_tools: LocalTools) -> None:
        self._local_tools = local_tools
        self._threads = ThreadPoolExecutor(LOCAL_THREADS, thread_name_prefix="tool")
        self._running: set[asyncio.Future[Outcome]] = set()

    async def call(self, spec: ToolSpec, arguments: Mapping[str, Any]) -> Outcome:
        """Check ``arguments``, run the tool, and return what became of it.

        When the caller is cancelled (its client hung up, or gave up waiting) the tool still
        runs to its end: an apply is never torn. The same goes for a call that takes longer
        than its timeout, which answers ``ERR_REQUEST_TIMEOUT``.
        """
        request_id = token_hex(4)
        client_request_id = arguments.get("client_request_id")
        started = time.perf_counter()
        log_event(
            "request",
            request_id=request_id,
            tool=spec.name,
            client_request_id=client_request_id if isinstance(client_request_id, str) else None,
        )

        def ended(outcome: Outcome | None) -> None:
            duration_ms = round((time.perf_counter() - started) * 1000, 1)
            _log_end(outcome, request_id, spec.name, duration_ms)

        refused = check_arguments(spec, arguments)
        if refused is not None:
            ended(refused)
            return refused
        work = self._start(spec, arguments)
        try:
            outcome = await asyncio.wait_for(
                asyncio.shield(work), spec.timeout_ms(arguments) / 1000
            )
        except TimeoutError:
            outcome = timed_out(spec, arguments)
        except asyncio.CancelledError:
            ended(None)
            raise
        ended(outcome)
        return outcome

    def _start(self, spec: ToolSpec, arguments: Mapping[str, Any]) -> asyncio.Future[Outcome]:
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self._threads, self._local_tools.call, spec, arguments)
        self._running.add(work)
        work.add_done_callback(self._running.discard)
        return work

    async def stop(self, grace_s: float) -> bool:
        """Wait for running tools, at most ``grace_s`` seconds; whether all have ended."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._running:
            await asyncio.wait(self._running, timeout=grace_s)
        return not self._running


def _log_end(outcome: Outcome | None, request_id: str, tool: str, duration_ms: float) -> None:
    """``None`` stands for a call that nobody waits for any more."""
    if isinstance(outcome, ToolResult):
        log_event("request_done", request_id=request_id, tool=tool, duration_ms=duration_ms)
        return
    log_event(
        "request_abandoned" if outcome is None else "request_failed",
        level=logging.WARNING,
        request_id=request_id,
        tool=tool,
        duration_ms=duration_ms,
        error=outcome.code.value if outcome else None,
        engine_code=outcome.details.get("code") if outcome else None,
        guarantee=outcome.details["execution_guarantee"] if outcome else None,
    )
