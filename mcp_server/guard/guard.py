"""The guard of one project: an event in, an answer out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from mcp_server.guard.before import BeforeWrites
from mcp_server.guard.events import SILENT, GuardAnswer, GuardEvent, Moment

T = TypeVar("T")


class Run(Protocol):
    """Runs bounded work on a thread."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T | None]:
        """Return its result; ``None``: the server stops."""
        ...


class Guard:
    """Lives on one event loop."""

    def __init__(self, before: BeforeWrites, run: Run) -> None:
        self._before = before
        self._run = run

    async def answer(self, event: GuardEvent) -> GuardAnswer:
        """Return what to say to the agent."""
        if event.moment is Moment.BEFORE and event.writes:
            decided = await self._run(lambda: self._before.decide(event))
            return SILENT if decided is None else decided[0]
        await asyncio.sleep(0)
        return SILENT
