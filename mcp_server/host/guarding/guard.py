"""The guard of one project: it gets an event and returns an answer.

A verdict that takes too long is left out of the answer, and comes later as news.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import Any, TypeAlias

from mcp_server.guard import reports
from mcp_server.guard.before import BeforeWrites
from mcp_server.guard.events import (
    DOCTOR_SESSION,
    SILENT,
    ChangedBy,
    GuardAnswer,
    GuardEvent,
    Listener,
    Moment,
    factor,
    is_known,
)
from mcp_server.guard.fired import UNREAD, FiredLog
from mcp_server.guard.sessions import Session, Sessions
from mcp_server.guard.writes import content, paths_of, settings_of
from mcp_server.host.guarding.guard_watch import GuardWatch
from mcp_server.news.findings import NewError
from mcp_server.news.reported_errors import said
from mcp_server.review.hold.notes import NoteBox
from mcp_server.watcher.outside_change import OutsideChange
from snippet_engine.storage.paths.project import Project

AFTER_S = 0.13
"""Seconds that an agent waits for the verdict after a change.

A running compiler takes 0.03 s. If it is busy with another question, the next hook reports the
verdict.
"""

STOP_S = 45.0
"""Seconds that an agent waits at the end of its turn."""

LATE_WRITE_S = 0.1
"""Seconds by which a write may come after its hook. Some clients call the hook before they save."""

MAX_SHELLS = 200
MAX_UNHEARD = 20
"""Most changes of a session whose line endings are still to be reported."""

NOTED_S = 0.1
"""Seconds after the answer when the event is stored, so that no answer waits for that."""

NOT_KNOWN = "whether the project compiles is not known"

_POLL_S = 0.02
_SAVES_LATE = frozenset({"vscode"})


Run: TypeAlias = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Runs work that ends in time on a thread. Returns its result; ``None`` if the server stops."""


class Guard:
    """Answers the events of one project's agents. Lives on one event loop."""

    def __init__(
        self, project: Project, before: BeforeWrites, watching: GuardWatch, run: Run
    ) -> None:
        self._project = project
        self._before = before
        self._watching = watching
        self._run = run
        self._sessions = Sessions()
        self._fired = FiredLog(project.root)
        self._noting: set[asyncio.Task[None]] = set()
        self._shells: OrderedDict[tuple[str, str, str], float] = OrderedDict()
        """By call of a shell: when all scripts were looked at before it."""
        self.notes: NoteBox | None = None

    async def answer(self, event: GuardEvent, listener: Listener) -> GuardAnswer:
        """Return the answer to the event.

        If ``listener`` stops waiting, a later answer repeats this one.
        """
        if event.moment is Moment.BEFORE:
            answer = await self._before_write(event, listener)
        elif event.moment is Moment.AFTER:
            answer = await self._after_write(event, listener)
            answer = await self._with_notes(answer, event, listener)
        elif event.moment is Moment.STOP:
            answer = await self._stop(event, listener)
        else:
            answer = self._start(event)
        kind = next((each for each in ("refuse", "tell", "block") if getattr(answer, each)), "")
        if event.session != DOCTOR_SESSION:
            self._note(event.client, event.moment.value, kind or "nothing")
        return answer

    async def _with_notes(
        self, answer: GuardAnswer, event: GuardEvent, listener: Listener
    ) -> GuardAnswer:
        agent = event.client, event.session
        if self.notes is None or not event.is_answer_read or not self.notes.wait_for_hook(*agent):
            return answer
        if not await listener.is_waiting():
            return answer
        lines = self.notes.take_for_hook(*agent)
        return GuardAnswer(tell="\n".join(filter(None, (answer.tell, *lines))))

    def not_read(self, client: str) -> None:
        """Count an event that was not understood, or was another client's."""
        self._note(client, UNREAD, "nothing")

    async def _before_write(self, event: GuardEvent, listener: Listener) -> GuardAnswer:
        if event.may_write_anything:
            looked_s = await self._watching.look_around()
            if looked_s is not None:
                self._shells[_call(event)] = looked_s
                if len(self._shells) > MAX_SHELLS:
                    self._shells.popitem(last=False)
        if not event.writes:
            return SILENT
        answer = await self._run(lambda: self._before.decide(event, listener.until)) or SILENT
        if answer.refuse is None:
            await self._watching.settle(self._before.noted_paths(event))
        return answer

    async def _after_write(self, event: GuardEvent, listener: Listener) -> GuardAnswer:
        until = min(monotonic() + AFTER_S * factor(), listener.until)
        (noted, noted_s), looked_s = self._before.noted(event), self._shells.pop(_call(event), None)
        if (
            not event.is_answer_read
        ):  # the watcher finds the change, and a later answer has its news
            return SILENT
        by = ChangedBy(
            event.client,
            event.tool,
            event.session,
            event.call,
            noted,
            noted_s,
            since_s=looked_s or 0.0,
            has_written=event.client not in _SAVES_LATE,
            may_be_others=event.may_write_anything and looked_s is None,
        )
        session = self._sessions.of(event.client, event.session)

        def found(changes: Sequence[OutsideChange]) -> None:
            for each in filter(is_known, changes):
                session.changed(each.path, each.before, each.after)

        def found_late(changes: Sequence[OutsideChange]) -> None:
            found(changes)
            session.late_changes += changes

        changes: Sequence[OutsideChange] = ()
        if event.may_write_anything and looked_s is not None and session.commands_s is None:
            session.commands_s = looked_s
        if event.writes:
            written = await self._run(lambda: settings_of(event, self._project))
            session.settings.update(dict.fromkeys(written or ()))
        if by.may_be_others:
            await self._watching.look_around()
        elif event.may_write_anything:
            changes = await self._watching.look(None, by, found_late)
        elif event.writes:
            paths = await self._run(lambda: paths_of(event, self._project))
            changes = await self._written(paths, event, by, found_late) if paths else ()
        found(changes)
        findings = await self._watching.news(changes, by, until, listener)
        if findings is None:
            session.late_changes += changes
            return SILENT
        late, session.late_changes = [*session.late_changes, *changes][-MAX_UNHEARD:], []
        text = reports.after(
            late,
            findings,
            by.caller,
            may_be_others=by.may_be_others,
            is_command=event.may_write_anything,
        )
        session.add_reported(
            [said(e.error) for e in findings if reports.reports_in_full(text, e.error)]
        )
        if event.may_write_anything:
            text = self._with_many(session, text, looked_s)
        return GuardAnswer(tell=text)

    def _with_many(self, session: Session, text: str | None, looked_s: float | None) -> str | None:
        """Add to the report ``text`` how many scripts changed at once, if many did."""
        many = self._watching.many_since(session.many_s)
        if not many:
            return text
        if looked_s is not None:
            for each in self._watching.many_since(max(session.many_s, looked_s)):
                session.changed_many(each)
        session.many_s = monotonic()
        count = sum(len(each.paths) for each in many)
        reformatted = sum(each.reformatted for each in many)
        return "\n".join(filter(None, (text, reports.many(count, reformatted))))

    async def _written(
        self,
        paths: Sequence[str],
        event: GuardEvent,
        by: ChangedBy,
        on_late: Callable[[Sequence[OutsideChange]], None],
    ) -> Sequence[OutsideChange]:
        """Look at the scripts that a tool has written. Some clients save them a little later."""
        changes = await self._watching.look(paths, by, on_late)
        until = monotonic() + (LATE_WRITE_S if event.client in _SAVES_LATE else 0.0)
        while not changes and monotonic() < until:
            await asyncio.sleep(_POLL_S)
            changes = await self._watching.look(paths, by, on_late)
        return changes

    async def _stop(self, event: GuardEvent, listener: Listener) -> GuardAnswer:
        """Block the end of a turn once for each new error of the session."""
        session = self._sessions.known(event.client, event.session)
        if session is None or event.stopped_before:
            return SILENT
        settings = await self._settings(session)
        if not (session.earlier or session.not_kept or settings):
            return SILENT
        found, left = await self._own_errors(session) if session.earlier else ((), "")
        if not left:  # an error that was repaired and made again counts as new
            session.keep_only(map(said, found))
        errors = [each for each in found if said(each) not in session.blocked_for]
        not_judged = reports.not_judged(session.many, session.not_kept, left)
        if settings and (why := await self._watching.not_compiled(STOP_S)):
            not_judged = "\n".join(filter(None, (not_judged, reports.settings(settings, why))))
        if not (errors or not_judged) or not await listener.is_waiting():
            return SILENT
        session.settings.clear()
        session.blocked_for.extend(map(said, errors))
        session.many = session.not_kept = 0
        by = ChangedBy(event.client, event.tool, event.session, event.call)
        new = [each for each in errors if said(each) not in session.reported]
        undo = self._watching.undo_of(by, new) if new else None
        self._watching.note_reported(by, errors)
        return GuardAnswer(block=reports.stop(errors, session.reported, not_judged, undo))

    async def _settings(self, session: Session) -> Sequence[str]:
        """Return the files that changed since the last stop and say how scripts are compiled."""
        if session.commands_s is not None:
            changed = await self._watching.settings_since(session.commands_s)
            session.settings.update(dict.fromkeys(changed))
            session.commands_s = None
        return list(session.settings)

    async def _own_errors(self, session: Session) -> tuple[Sequence[NewError], str]:
        """Return the new errors since the session's first change, and why some may be missing.

        Errors that others caused are left out.
        """
        since = await self._watching.errors_since(dict(session.earlier), STOP_S)
        if since is None:
            return (), NOT_KNOWN
        if not since.errors:
            return (), since.not_checked
        errors, left = since.errors, since.not_checked
        latest = dict(session.latest)
        by_others = await self._run(
            lambda: {p: text for p, text in latest.items() if content(self._project, p) != text}
        )
        if not by_others:
            return errors, left
        theirs = await self._watching.errors_since(by_others, STOP_S)
        if theirs is None:
            return [each for each in errors if each.file not in by_others], left
        known = set(map(said, theirs.errors))
        return [each for each in errors if said(each) not in known], left

    def _start(self, event: GuardEvent) -> GuardAnswer:
        self._sessions.of(event.client, event.session)
        name, standing = self._project.root.name, self._watching.standing()
        checks_names = self._watching.checks_names()
        return GuardAnswer(tell=reports.start(name, standing, checks_names=checks_names))

    def _note(self, client: str, moment: str, said: str) -> None:
        """Store that an event came, after its answer."""

        async def keep() -> None:
            await asyncio.sleep(NOTED_S)
            await self._run(lambda: self._fired.add(client, moment, said))

        task = asyncio.create_task(keep())
        self._noting.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._noting.discard(task)
        if not task.cancelled():
            task.exception()  # if the file can't be written, nothing depends on it


def _call(event: GuardEvent) -> tuple[str, str, str]:
    return event.client, event.session, event.call or ""
