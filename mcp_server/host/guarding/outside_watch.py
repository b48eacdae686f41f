"""Runs the watcher of the server's project, for news, the guard and ``doctor``.

Implements docs/design/watcher.md. Lives on the event loop. The watcher has its own thread.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TypeVar

from mcp_server.calls.local_tools import LocalTools
from mcp_server.event_log import log_event
from mcp_server.guard.before import certain_errors
from mcp_server.host.later_verdicts import LaterVerdicts, text_of
from mcp_server.host.local_runs import Kind, ToolThreads
from mcp_server.news.findings import NewError, Origin
from mcp_server.review.record.other_events import OtherEvents
from mcp_server.watcher.outside_change import BulkChange, OutsideChange, Seen
from mcp_server.watcher.watcher import Watcher
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.project_settings import uncompiled_name
from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.stores.outside_changes import Maker, is_gone

T = TypeVar("T")

_JUDGED_MS = (2_000, 30_000)
"""Most milliseconds for the embedded verdict on a change, at the first and the second try."""

_MAX_STANDING = 200
_MAX_BULKS = 50
_MAX_UNJUDGED_BYTES = 16 * 1024 * 1024


@dataclass(slots=True)
class _Standing:
    """A script whose standing errors only the embedded validator has found."""

    before: bytes | None
    """The text from before the first of the changes."""
    errors: dict[int, tuple[Origin, list[NewError]]] = field(default_factory=dict)
    """The errors that each change caused."""


class OutsideWatch:
    """Notices changes that this product didn't make, and lets them be judged."""

    def __init__(
        self,
        project: Path | None,
        tools: LocalTools,
        later: LaterVerdicts,
        threads: ToolThreads,
    ) -> None:
        self._tools = tools
        self._later = later
        self._threads = threads
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bulks: deque[tuple[float, BulkChange]] = deque(maxlen=_MAX_BULKS)
        """When many scripts changed at once, and which. Only the last one keeps its texts."""
        self._numbers: dict[int, int] = {}
        """For each change without a known maker, by number: its origin's number in the news."""
        self._judging: set[asyncio.Task[None]] = set()
        self._latest: dict[str, asyncio.Task[None]] = {}
        """The last task that judges each path."""
        self._standing: dict[str, _Standing] = {}
        self._unjudged: dict[int, tuple[Origin, str, bytes | None]] = {}
        """Changes seen while no compiler ran, by number: origin, path and text from before."""
        opened = None if project is None else Project.open(project)
        self._watcher: Watcher | None = None
        if isinstance(opened, Project):
            self._watcher = Watcher(opened, self._on_seen)
        later.on_own_write = self._on_own_write
        self._events: OtherEvents | None = None

    def report_to(self, events: OtherEvents) -> None:
        """Report changes to the record of events."""
        self._events = events
        if self._watcher is not None:
            self._watcher.on_own = events.own

    def start(self) -> None:
        """Start to watch. Returns at once."""
        self._loop = asyncio.get_running_loop()
        if self._watcher is not None:
            self._watcher.start()

    async def stop(self, within_s: float) -> None:
        """Stop within ``within_s`` seconds, and store the changes that were seen."""
        watcher, self._watcher = self._watcher, None
        for task in self._judging:
            task.cancel()
        if watcher is not None and self._loop is not None:
            await asyncio.to_thread(watcher.stop, within_s)

    @property
    def state(self) -> str | None:
        """Return ``events`` if the system reports changes, otherwise why stamps are compared.

        Returns ``None`` while nothing watches.
        """
        if self._watcher is None or self._watcher.why_no_events is None:
            return None
        return self._watcher.why_no_events or "events"

    def check(self) -> None:
        """Look at the scripts' stamps soon, unless the system reports changes.

        Called when a call is about to begin.
        """
        self._judge_unjudged()
        if self._watcher is not None and self._watcher.why_no_events:
            self._watcher.submit(self._watcher.check)

    async def look(
        self,
        paths: Sequence[str] | None,
        maker: Maker,
        noted: Mapping[str, bytes | None],
        within_s: float,
        on_late: Callable[[Sequence[OutsideChange]], None],
        *,
        call_s: float = 0.0,
        since_s: float = 0.0,
        are_written: bool = False,
    ) -> Sequence[OutsideChange]:
        """Return which of ``paths`` (``None``: all scripts) changed, and record that for ``maker``.

        The other parameters are those of :meth:`Watcher.look`. Many changes at once are not
        returned. If the look takes longer than ``within_s``, its changes go to ``on_late``.
        """
        looked = await self._ask_watcher(
            lambda watcher: watcher.look(
                *(paths, maker, noted), call_s=call_s, since_s=since_s, are_written=are_written
            ),
            within_s,
        )
        if looked is None:
            return ()
        if looked.done():
            return self._take_result(looked)
        looked.add_done_callback(lambda late: on_late(self._take_result(late)))
        return ()

    async def _ask_watcher(
        self, work: Callable[[Watcher], T], within_s: float
    ) -> asyncio.Future[T] | None:
        """Let the watcher's thread do ``work``. Return its future after ``within_s`` at most.

        Returns ``None`` if nothing watches.
        """
        watcher = self._watcher
        if watcher is None or self._loop is None:
            return None
        asked = asyncio.wrap_future(watcher.submit(partial(work, watcher)))
        await asyncio.wait([asked], timeout=max(0.0, within_s))
        return asked

    def _take_result(
        self, looked: asyncio.Future[list[OutsideChange] | BulkChange]
    ) -> Sequence[OutsideChange]:
        """Return the changes that a look has found. A group of many changes is taken up instead."""
        if not _has_result(looked):
            return ()
        found = looked.result()
        if not isinstance(found, BulkChange):
            self._record(found)
            return found
        self._take_up(Seen((), found))
        return ()

    def _record(self, changes: Sequence[OutsideChange]) -> None:
        if self._events is not None:
            self._events.outside(changes)

    def many_since(self, since_s: float) -> Sequence[BulkChange]:
        """Return the groups of many scripts that changed at once after ``since_s``.

        ``since_s`` is a time of ``monotonic``.
        """
        return [bulk for at_s, bulk in self._bulks if at_s > since_s]

    def note(self, texts: Mapping[str, bytes | None], call_s: float) -> None:
        """Note scripts' texts from before a client's call, as :meth:`Watcher.note`. Any thread."""
        watcher = self._watcher
        if watcher is not None:
            watcher.note(texts, call_s)

    async def look_around(self, within_s: float) -> float | None:
        """Record what others have changed until now.

        Return when that was; ``None`` if out of time.
        """
        looked = await self._ask_watcher(lambda watcher: watcher.look_around(), within_s)
        return looked.result() if looked is not None and _has_result(looked) else None

    async def settings_since(self, since_s: float, within_s: float) -> Sequence[str]:
        """Return the assembly definitions and similar files that changed since ``since_s``."""
        found = await self._ask_watcher(lambda watcher: watcher.settings_since(since_s), within_s)
        return found.result() if found is not None and _has_result(found) else ()

    async def settle(self, paths: Sequence[str], within_s: float) -> None:
        """Record what others have changed in these scripts, before a client writes them."""
        if paths:
            await self._ask_watcher(lambda watcher: watcher.expect(paths), within_s)

    # -- news ------------------------------------------------------------------------------------

    def _on_own_write(self, paths: Collection[str]) -> None:
        watcher = self._watcher
        if watcher is not None and self._loop is not None:
            watcher.submit(lambda: watcher.wrote(tuple(paths)))
            self._loop.call_soon_threadsafe(self._judge_standing, tuple(paths))

    def _on_seen(self, seen: Seen) -> None:
        """Pass on what was seen. Runs on the watcher's thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._take_up, seen)

    def _take_up(self, seen: Seen) -> None:
        """Record changes that the watcher noticed by itself, and let them be judged."""
        if self._threads.stopping:
            return
        if seen.bulk is not None:
            if self._bulks:
                at_s, last = self._bulks.pop()
                self._bulks.append((at_s, replace(last, texts=())))
            self._bulks.append((monotonic(), seen.bulk))
            if self._events is not None:
                self._events.many(seen.bulk)
            self._later.news.disk_changed()
            self._later.judge.wake()
            self._judge_standing(seen.bulk.paths)
        compiler = self._tools.opened_validator()
        self._judge_unjudged()
        self._record(seen.changes)
        for each in seen.changes:
            origin = Origin(
                self._later.news.new_number(),
                f"change of {each.path} outside unity-snippet",
                undo=dict(each.undo or {}),
            )
            if uncompiled_name(each.path) or (each.was_there and each.before is None):
                continue
            self._numbers[each.number] = origin.number
            if len(self._numbers) > _MAX_STANDING:
                del self._numbers[next(iter(self._numbers))]
            if compiler is not None and compiler.server_pid is not None:
                self._later.take_up(origin, {each.path: text_of(each.before)})
            else:
                self._judge(each.path, each.before, each.after, origin)
                if compiler is not None:
                    self._unjudged[origin.number] = origin, each.path, each.before
        while _bytes_of(self._unjudged) > _MAX_UNJUDGED_BYTES:
            del self._unjudged[next(iter(self._unjudged))]

    def _judge_unjudged(self) -> None:
        """Let the compiler judge what changed before it ran, except scripts that don't parse."""
        compiler = self._tools.opened_validator()
        if self._judging or compiler is None or compiler.server_pid is None:
            return
        for number, (origin, path, before) in list(self._unjudged.items()):
            if path not in self._standing:
                del self._unjudged[number]
                self._later.take_up(origin, {path: text_of(before)})

    def attribute(self, change: int, origin_of: Callable[[int], Origin]) -> int | None:
        """Set the origin of a change that is news and had no maker. Return its number in the news.

        Returns ``None`` if the change isn't in the news, or has an origin already.
        """
        number = self._numbers.pop(change, None)
        if number is not None:
            self._later.news.attribute(origin_of(number))
        return number

    def judge(
        self,
        changes: Sequence[tuple[str, bytes | None, bytes | None, Origin]],
        kind: Kind = "judging",
    ) -> Sequence[asyncio.Task[None]]:
        """Let the embedded validator judge changes: path, bytes before, bytes after, origin.

        Their errors become news.
        """
        return [self._judge(*each, kind) for each in changes]

    async def are_judged(self, until: float) -> None:
        """Wait until all changes are judged, at most ``until``, a time of ``monotonic``."""
        if self._judging:
            await asyncio.wait(set(self._judging), timeout=max(0.0, until - monotonic()))

    def _judge_standing(self, paths: Collection[str]) -> None:
        for path in paths:
            if path in self._standing or path in self._latest:
                self._judge(path, None, None, None)

    def _judge(
        self,
        path: str,
        before: bytes | None,
        after: bytes | None,
        origin: Origin | None,
        kind: Kind = "judging",
    ) -> asyncio.Task[None]:
        former = self._latest.get(path)
        task = asyncio.create_task(self._judged(path, before, after, origin, kind, former))
        self._latest[path] = task
        self._judging.add(task)
        task.add_done_callback(self._ended)
        task.add_done_callback(
            lambda _: self._latest.pop(path) if self._latest.get(path) is task else None
        )
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._judging.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logging.getLogger(__name__).error("a change could not be judged", exc_info=error)

    async def _judged(
        self,
        path: str,
        before: bytes | None,
        after: bytes | None,
        origin: Origin | None,
        kind: Kind,
        former: asyncio.Task[None] | None,
    ) -> None:
        """Publish the errors that a script has since a change, by the embedded validator.

        Errors that a later change brought stay with that change.
        """
        if former is not None:
            await asyncio.wait([former])
        was = before
        standing = self._standing.get(path)
        before = before if standing is None else standing.before
        for limit_ms, on in zip(_JUDGED_MS, (kind, "judging"), strict=True):
            job = self._threads.submit(on, self._errors, path, before, limit_ms)
            errors = await asyncio.wrap_future(job)
            if errors is not None:
                break
        else:
            log_event("change_not_judged", path=path)
            return
        standing = standing or _Standing(before)
        now_s = monotonic()
        for number, (known, had) in list(standing.errors.items()):
            left = _still_there(had, errors)
            errors = [each for each in errors if each not in left]
            self._later.news.publish(known, left, now_s)
            standing.errors[number] = (known, left)
            if not left:
                del standing.errors[number]
        if errors and origin is not None:
            own = partial(self._own_errors, path, was, after, _JUDGED_MS[-1])
            mine = await asyncio.wrap_future(self._threads.submit("judging", own))
            errors = errors if mine is None else _still_there(mine, errors)
        if errors and origin is not None:
            self._later.news.publish(origin, errors, now_s)
            standing.errors[origin.number] = (origin, errors)
        self._standing.pop(path, None)
        if standing.errors:
            self._standing[path] = standing
            while len(self._standing) > _MAX_STANDING:
                del self._standing[next(iter(self._standing))]

    def _own_errors(
        self, path: str, before: bytes | None, after: bytes | None, limit_ms: int
    ) -> list[NewError] | None:
        """Return the errors that a change caused itself.

        ``None`` if the script has not changed since: then its present errors are the change's.
        """
        engine, project = self._tools.opened_engine(), self._tools.project
        script = None if project is None else Project(project.resolve()).named(path)
        now = None if script is None else script.read()
        if engine is None or now is None or isinstance(now, SnippetError) or now.data == after:
            return None
        verdict = None if after is None else engine.judge_text(path, before, after, limit_ms)
        if verdict is None or isinstance(verdict, SnippetError):
            return []
        return [NewError.of(each, path) for each in certain_errors(verdict)]

    def _errors(self, path: str, before: bytes | None, limit_ms: int) -> list[NewError] | None:
        """Return a script's present errors; ``None`` if there was no verdict in time."""
        engine, project = self._tools.opened_engine(), self._tools.project
        script = None if project is None else Project(project.resolve()).named(path)
        now = None if script is None else script.read()
        if isinstance(now, SnippetError) and script is not None and not is_gone(script):
            return None
        if engine is None or now is None or isinstance(now, SnippetError):
            return []
        verdict = engine.judge_text(path, before, now.data, limit_ms)
        if isinstance(verdict, SnippetError):
            return None if verdict.code is ErrorCode.VALIDATOR_UNAVAILABLE else []
        return [NewError.of(each, path) for each in certain_errors(verdict)]


def _has_result(asked: asyncio.Future[T]) -> bool:
    """Return whether the watcher's thread did the work without an error."""
    return asked.done() and not asked.cancelled() and asked.exception() is None


def _bytes_of(unjudged: Mapping[int, tuple[Origin, str, bytes | None]]) -> int:
    return sum(1_000 + len(before or b"") for _, _, before in unjudged.values())


def _still_there(known: Sequence[NewError], errors: Sequence[NewError]) -> list[NewError]:
    """Return those of ``errors`` that are in ``known``, each once. Their lines may have moved."""
    free = list(errors)
    found = []
    for each in known:
        same = [e for e in free if (e.code, e.message) == (each.code, each.message)]
        if same:
            nearest = min(same, key=lambda error: abs(error.line - each.line))
            found.append(nearest)
            free.remove(nearest)
    return found
