"""Run script tools on threads, each within its time.

Implements docs/design/server-and-bridge.md §1 and §2 for the tools that need no Editor.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, TypeAlias

from mcp_server.calls.language_server import needs_server
from mcp_server.calls.local_tools import LocalTools, stopped, timed_out
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import OnProgress, Outcome
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.host.tool_threads import Kind, ToolThreads
from snippet_engine.budget import Stop
from snippet_engine.schemas.checked_params import CheckedParams

SMALL_BYTES = 16 * 1024
"""Largest script whose outline is made at once; making one keeps the interpreter busy."""

REST_S = 0.05
"""How long after a call that may have written the next call is prepared, in seconds."""

WRITE_S = 5.0
"""How much longer than its time a call may take that is writing, in seconds."""

NOTICE_S = 1.0
"""How often a caller of a script tool gets progress, in seconds."""


OnLeft: TypeAlias = Callable[["asyncio.Future[Outcome]"], None]
"""Gets the work that goes on though its caller has left."""


class LocalRuns:
    """Runs script tools on threads. Lives on one event loop."""

    def __init__(self, local_tools: LocalTools, threads: ToolThreads) -> None:
        self._local_tools = local_tools
        self._threads = threads

    async def run(
        self,
        spec: ToolSpec,
        arguments: CheckedParams,
        on_progress: OnProgress | None = None,
        on_left: OnLeft = lambda _: None,
    ) -> Outcome:
        """Run the tool within its timeout, and return its outcome.

        When the caller is cancelled, a tool that changes nothing is stopped. A tool that may change
        something, and has begun, goes on; ``on_left`` gets its work.
        """
        stop = Stop()
        kind = await self._kind(spec, arguments)
        if self._threads.stopping:
            return stopping_error()
        job = self._start(kind, spec, arguments, stop)
        work = asyncio.wrap_future(job)
        stopping = asyncio.ensure_future(self._threads.out_of_time.wait())
        about = f"{spec.name} is under way"
        if self._local_tools.asks_server(spec.name, arguments):
            about += ", with a language server to ask"
        notices = None if on_progress is None else asyncio.create_task(_tell(on_progress, about))
        try:
            either: set[asyncio.Future[Any]] = {work, stopping}
            await asyncio.wait(
                either,
                timeout=spec.timeout_ms(arguments) / 1000,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not work.done() and not stopping.done() and not job.cancel() and not stop.stop():
                # A write ends soon, and its outcome says more than a timeout.
                await asyncio.wait(either, timeout=WRITE_S, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if not spec.changes_things(arguments):
                stop.stop()
            elif not job.cancel():
                on_left(work)
            raise
        finally:
            stopping.cancel()
            if notices is not None:
                notices.cancel()
            if not work.done():
                job.cancel()  # works only for a job that hasn't begun
        changes = spec.changes_things(arguments)
        # Out of time, the compiler is ended too, so a read-only call's result may be wrong.
        if work.done() and (changes or not self._threads.out_of_time.is_set()):
            if changes:
                asyncio.get_running_loop().call_later(REST_S, self._look_ahead)
            return work.result()
        if self._threads.out_of_time.is_set():
            why = f"The server stopped before {spec.name} had finished"
            return stopped(ToolErrorCode.RECONNECT_TIMEOUT, why, spec, arguments, stop)
        return timed_out(spec, arguments, stop)

    def _look_ahead(self) -> None:
        if not self._threads.stopping:
            self._threads.submit("tool", self._local_tools.look_ahead)

    def _start(
        self, kind: Kind, spec: ToolSpec, arguments: CheckedParams, stop: Stop
    ) -> Future[Outcome]:
        # In the caller's context, which holds the client's name.
        context = copy_context()

        return self._threads.submit(
            kind, context.run, stop.run, self._local_tools.call, spec, arguments
        )

    async def _kind(self, spec: ToolSpec, arguments: CheckedParams) -> Kind:
        """Return which threads a call runs on; a small script's outline waits for no large one."""
        if spec.name == "get_symbols" and "path" in arguments and not self._threads.stopping:
            looked = self._threads.submit("tool", self._local_tools.size_of, arguments["path"])
            return "tool" if await asyncio.wrap_future(looked) <= SMALL_BYTES else "reading"
        if spec.name in ("get_history", "get_symbols"):
            return "reading"
        return "project" if needs_server(spec.name) else "tool"


def since_now(on_progress: OnProgress | None) -> OnProgress | None:
    """Return ``on_progress`` that counts the time of several steps: progress must rise."""
    if on_progress is None:
        return None
    began, tell = time.monotonic(), on_progress

    async def since(_progress: float, _total: float | None, message: str) -> None:
        await tell(round(time.monotonic() - began, 3), None, message)

    return since


async def _tell(on_progress: OnProgress, message: str) -> None:
    """Report now and then that a call goes on."""
    began = time.monotonic()
    while True:
        await asyncio.sleep(NOTICE_S)
        await on_progress(round(time.monotonic() - began, 1), None, message)


def stopping_error() -> ToolError:
    """Return the error of a call that comes while the server stops."""
    return tool_error(
        ToolErrorCode.EDITOR_NOT_READY,
        "The server is stopping. Send the call again when it is back.",
    )
