"""The threads for calls, so that the event loop never waits for the disk.

Implements docs/design/server-and-bridge.md §1: each kind of work has threads of its own, so it
waits for no other kind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Literal, TypeAlias, TypeVar

T = TypeVar("T")

Kind: TypeAlias = Literal["tool", "project", "reading", "lent", "command", "judging", "guard"]

COMMAND_THREADS = 4
"""Most simultaneous calls of commands; a further one is made by its command."""

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
"""How many threads each kind of work has."""


class ToolThreads:
    """Runs work on threads, by its kind. Lives on one event loop."""

    def __init__(self) -> None:
        self.stopping = False
        """Whether nothing new is to begin."""
        self.out_of_time = asyncio.Event()
        """Set once running work is no longer waited for."""
        self._pools = {
            kind: ThreadPoolExecutor(most, thread_name_prefix=kind)
            for kind, most in THREADS.items()
        }
        self._running: set[Future[Any]] = set()
        self._command_calls = 0

    def submit(self, kind: Kind, work: Callable[..., T], *arguments: Any) -> Future[T]:
        """Run ``work`` on a thread of that kind."""
        job = self._pools[kind].submit(work, *arguments)
        self._running.add(job)
        job.add_done_callback(self._running.discard)
        return job

    async def lend(self, work: Callable[[], T]) -> T | None:
        """Run bounded ``work`` for a command's question; ``None`` if the server stops."""
        return await self._bounded("lent", work)

    async def guard(self, work: Callable[[], T]) -> T | None:
        """Run bounded ``work`` for an agent's hook; ``None`` if the server stops."""
        return await self._bounded("guard", work)

    async def _bounded(self, kind: Kind, work: Callable[[], T]) -> T | None:
        if self.stopping:
            return None
        done = await asyncio.wrap_future(self.submit(kind, work))
        return None if self.stopping else done

    async def for_command(
        self, work: Callable[[], T], cut_off: Callable[[], T | None] = lambda: None
    ) -> T | None:
        """Run a bounded call for a command; ``None`` if it wasn't begun.

        It isn't begun if the server stops or all threads are busy. If the server ends before the
        call, ``cut_off`` has to stop the call, and its result is returned.
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
            return done.result() if done.done() else cut_off()
        finally:
            self._command_calls -= 1

    async def stop(self, grace_s: float) -> None:
        """Start nothing new, and let work end within ``grace_s`` seconds."""
        self.stopping = True
        for pool in self._pools.values():
            pool.shutdown(wait=False)
        if self._running:
            await asyncio.wait(map(asyncio.wrap_future, list(self._running)), timeout=grace_s)
        self.out_of_time.set()

    @property
    def idle(self) -> bool:
        """Return whether no thread works."""
        return not self._running
