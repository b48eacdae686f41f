"""Run script tools on threads, each within its time, so that the event loop never waits.

Implements docs/design/server-and-bridge.md §1 and §2. Each kind of work has its own threads, so it
waits for no other kind.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Literal, TypeAlias, TypeVar

from mcp_server.calls.language_server import needs_server
from mcp_server.calls.local_tools import LocalTools, stopped, timed_out
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import OnProgress, Outcome
from mcp_server.contract.tool_spec import ToolSpec
from snippet_engine.budget import Stop
from snippet_engine.schemas.checked_params import CheckedParams

T = TypeVar("T")

Kind: TypeAlias = Literal["tool", "project", "reading", "lent", "command", "judging", "guard"]

COMMAND_THREADS = 4
"""Most simultaneous calls for commands. Beyond that, a command makes its call itself."""

THREADS: dict[Kind, int] = {
    # Local calls; they mostly wait for the disk.
    "tool": 4,
    # Checks of the project; they take long, and edits need not wait for them.
    "project": 2,
    # Reads that keep the interpreter busy: more threads would be no quicker and would delay the
    # event loop.
    "reading": 1,
    # Questions of commands to the compiler; they mostly wait for it.
    "lent": 4,
    "command": COMMAND_THREADS,
    # Verdicts on applied edits, one at a time.
    "judging": 1,
    # Events of agents' hooks; the agent waits.
    "guard": 2,
}


class ToolThreads:
    """Runs work on threads, by its kind. Lives on one event loop."""

    def __init__(self) -> None:
        self.stopping = False
        self.out_of_time = asyncio.Event()
        """Set when the server no longer waits for running work."""
        self._pools = {
            kind: ThreadPoolExecutor(most, thread_name_prefix=kind)
            for kind, most in THREADS.items()
        }
        self._running: set[Future[Any]] = set()
        self._command_calls = 0

    def submit(self, kind: Kind, work: Callable[..., T], *arguments: Any) -> Future[T]:
        """Run ``work`` on a thread for that kind."""
        job = self._pools[kind].submit(work, *arguments)
        self._running.add(job)
        job.add_done_callback(self._running.discard)
        return job

    async def answer(self, work: Callable[[], T]) -> T | None:
        """Run ``work``, which must end in time, for a command's question.

        Returns ``None`` if the server stops.
        """
        return await self._bounded("lent", work)

    async def guard(self, work: Callable[[], T]) -> T | None:
        """Run ``work``, which must end in time, for an agent's hook.

        Returns ``None`` if the server stops.
        """
        return await self._bounded("guard", work)

    async def _bounded(self, kind: Kind, work: Callable[[], T]) -> T | None:
        if self.stopping:
            return None
        done = await asyncio.wrap_future(self.submit(kind, work))
        return None if self.stopping else done

    async def for_command(
        self,
        work: Callable[[], T],
        cut_off: Callable[[], T | None] = lambda: None,
        *,
        changes: bool = True,
    ) -> T | None:
        """Run a command's call, which must end in time.

        Return ``None`` if the server stops or all threads are busy: then the call isn't begun. If
        the server ends and the call's result doesn't count, call ``cut_off`` and return its result.
        ``cut_off`` must stop the call.
        """
        if self.stopping or self._command_calls == COMMAND_THREADS:
            return None
        self._command_calls += 1
        try:
            done = asyncio.wrap_future(self.submit("command", work))
            stopping = asyncio.ensure_future(self.out_of_time.wait())
            try:
                either: set[asyncio.Future[Any]] = {done, stopping}
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            finally:
                stopping.cancel()
            return done.result() if self.counts(done, changes=changes) else cut_off()
        finally:
            self._command_calls -= 1

    def counts(self, call: asyncio.Future[Any], *, changes: bool) -> bool:
        """Return whether the call has ended with a result that counts.

        When the server is out of time, the compiler ends, too. Then a call without ``changes`` may
        be wrong.
        """
        return call.done() and (changes or not self.out_of_time.is_set())

    async def stop(self, grace_s: float) -> None:
        """Start nothing new, and let running work end within ``grace_s`` seconds."""
        self.stopping = True
        for pool in self._pools.values():
            pool.shutdown(wait=False)
        if self._running:
            await asyncio.wait(map(asyncio.wrap_future, list(self._running)), timeout=grace_s)
        self.out_of_time.set()

    @property
    def idle(self) -> bool:
        """Return whether no work is running."""
        return not self._running


SMALL_BYTES = 16 * 1024
"""Largest script whose outline is made at once. Making an outline keeps the interpreter busy."""

REST_S = 0.05
"""Seconds after a call that may have written before the next call is prepared."""

WRITE_S = 5.0
"""Seconds beyond its timeout that a call may take if it is writing."""

NOTICE_S = 1.0
"""Seconds between two progress messages to a script tool's caller."""


OnLeft: TypeAlias = Callable[["asyncio.Future[Outcome]"], None]
"""Gets the work that goes on after its caller left."""


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

        If the caller is cancelled, a tool that changes nothing is stopped. A tool that may change
        something, and has begun, goes on: ``on_left`` gets its work.
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
        notices = (
            None
            if on_progress is None
            else asyncio.create_task(_report_progress(on_progress, about))
        )
        try:
            either: set[asyncio.Future[Any]] = {work, stopping}
            await asyncio.wait(
                either,
                timeout=spec.timeout_ms(arguments) / 1000,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not work.done() and not stopping.done() and not job.cancel() and not stop.stop():
                # A write ends soon, and its outcome says more than a timeout error.
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
                job.cancel()  # only cancels a job that hasn't begun
        changes = spec.changes_things(arguments)
        if self._threads.counts(work, changes=changes):
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
        # Run in the caller's context, which has the client's name.
        context = copy_context()

        return self._threads.submit(
            kind, context.run, stop.run, self._local_tools.call, spec, arguments
        )

    async def _kind(self, spec: ToolSpec, arguments: CheckedParams) -> Kind:
        """Return the kind of threads for a call.

        A small script's outline must not wait for a large one.
        """
        if spec.name == "get_symbols" and "path" in arguments and not self._threads.stopping:
            looked = self._threads.submit("tool", self._local_tools.size_of, arguments["path"])
            return "tool" if await asyncio.wrap_future(looked) <= SMALL_BYTES else "reading"
        if spec.name in ("get_history", "get_symbols"):
            return "reading"
        return "project" if needs_server(spec.name) else "tool"


def since_now(on_progress: OnProgress | None) -> OnProgress | None:
    """Return ``on_progress``, but with the seconds since now as progress.

    So progress keeps rising over several steps, as MCP requires.
    """
    if on_progress is None:
        return None
    began, tell = time.monotonic(), on_progress

    async def since(_progress: float, _total: float | None, message: str) -> None:
        await tell(round(time.monotonic() - began, 3), None, message)

    return since


async def _report_progress(on_progress: OnProgress, message: str) -> None:
    began = time.monotonic()
    while True:
        await asyncio.sleep(NOTICE_S)
        await on_progress(round(time.monotonic() - began, 1), None, message)


def stopping_error() -> ToolError:
    """Return the error for a call that comes while the server stops."""
    return tool_error(
        ToolErrorCode.EDITOR_NOT_READY,
        "The server is stopping. Send the call again when it is back.",
    )
