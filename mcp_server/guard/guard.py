"""The guard of one project: an event in, an answer out.

Whatever takes too long is left out, and comes as news later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import Protocol, TypeVar

from mcp_server.guard import words
from mcp_server.guard.before import BeforeWrites
from mcp_server.guard.events import DOCTOR_SESSION, SILENT, GuardAnswer, GuardEvent, Moment
from mcp_server.guard.fired import UNREAD, FiredLog
from mcp_server.guard.patience import factor
from mcp_server.guard.sessions import Sessions
from mcp_server.guard.watched import ChangedBy, OutsideChange, Watching, is_known
from mcp_server.guard.writes import paths_of
from snippet_engine.storage.paths.project import Project

T = TypeVar("T")

AFTER_S = 0.12
"""How long an agent waits for the verdict after a change, in seconds."""

STOP_S = 45.0
"""How long it waits at the end of its turn, in seconds."""

LATE_WRITE_S = 0.1
"""How long a write may come after its hook, in seconds: some clients call before they save."""

_POLL_S = 0.02
_SAVES_LATE = frozenset({"vscode"})


class Run(Protocol):
    """Runs bounded work on a thread."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T | None]:
        """Return its result; ``None``: the server stops."""
        ...


class Guard:
    """Lives on one event loop."""

    def __init__(
        self, project: Project, before: BeforeWrites, watching: Watching, run: Run
    ) -> None:
        self._project = project
        self._before = before
        self._watching = watching
        self._run = run
        self._sessions = Sessions()
        self._fired = FiredLog(project.root)
        self._noting: set[asyncio.Task[None]] = set()

    async def answer(self, event: GuardEvent) -> GuardAnswer:
        """Return what to say to the agent."""
        if event.moment is Moment.BEFORE:
            answer = await self._before_write(event)
        elif event.moment is Moment.AFTER:
            answer = await self._after_write(event)
        elif event.moment is Moment.STOP:
            answer = await self._stop(event)
        else:
            answer = self._start(event)
        said = next((kind for kind in ("refuse", "tell", "block") if getattr(answer, kind)), "")
        if event.session != DOCTOR_SESSION:
            self._note(event.client, event.moment.value, said or "nothing")
        return answer

    def not_read(self, client: str) -> None:
        """Note an event that was not understood, or was another client's."""
        self._note(client, UNREAD, "nothing")

    async def _before_write(self, event: GuardEvent) -> GuardAnswer:
        if not event.writes:
            return SILENT
        answer = await self._run(lambda: self._before.decide(event)) or SILENT
        if answer.refuse is None:
            await self._watching.settle(self._before.noted_paths(event))
        return answer

    async def _after_write(self, event: GuardEvent) -> GuardAnswer:
        until = monotonic() + AFTER_S * factor()
        noted = self._before.noted(event)
        if not event.is_heard:  # the watcher finds the change, and its news come with an answer
            return SILENT
        by = ChangedBy(event.client, event.tool, event.session, event.call, noted)
        changes: Sequence[OutsideChange] = ()
        if event.may_write_anything:
            changes = await self._watching.look(None, by)
        elif event.writes:
            paths = await self._run(lambda: paths_of(event, self._project))
            changes = await self._written(paths, event, by) if paths else ()
        session = self._sessions.of(event.client, event.session)
        for each in filter(is_known, changes):
            session.changed(each.path, each.before)
        findings = await self._watching.news(changes, by, until)
        return GuardAnswer(tell=words.after(changes, findings, by.caller))

    async def _written(
        self, paths: Sequence[str], event: GuardEvent, by: ChangedBy
    ) -> Sequence[OutsideChange]:
        changes = await self._watching.look(paths, by)
        until = monotonic() + (LATE_WRITE_S if event.client in _SAVES_LATE else 0.0)
        while not changes and monotonic() < until:
            await asyncio.sleep(_POLL_S)
            changes = await self._watching.look(paths, by)
        return changes

    async def _stop(self, event: GuardEvent) -> GuardAnswer:
        session = self._sessions.known(event.client, event.session)
        if session is None or not session.earlier or session.was_blocked or event.stopped_before:
            return SILENT
        errors = await self._watching.errors_since(dict(session.earlier), STOP_S)
        if not errors:
            return SILENT
        session.was_blocked = True
        return GuardAnswer(block=words.stop(errors))

    def _start(self, event: GuardEvent) -> GuardAnswer:
        self._sessions.of(event.client, event.session)
        return GuardAnswer(tell=words.start(self._project.root.name, self._watching.standing()))

    def _note(self, client: str, moment: str, said: str) -> None:
        """Keep that an event came, after its answer."""

        async def keep() -> None:
            await self._run(lambda: self._fired.add(client, moment, said))

        task = asyncio.create_task(keep())
        self._noting.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._noting.discard(task)
        if not task.cancelled():
            task.exception()  # what can't be written is done without
