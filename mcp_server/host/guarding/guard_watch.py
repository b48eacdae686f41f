"""Tell the guard about changes on disk, from the watcher, the engine and the compiler.

Implements docs/design/guard.md "After a write". A change's news come from ``later_verdicts``. The
verdict of the embedded validator comes at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from mcp_server.guard.before import certain_errors
from mcp_server.guard.events import ChangedBy, ErrorsSince, Listener, factor, is_known
from mcp_server.guard.writes import content
from mcp_server.host.later_verdicts import LaterVerdicts, text_of
from mcp_server.news.findings import Finding, NewError, Origin
from mcp_server.news.reported_errors import ReportedInSessions, said
from mcp_server.watcher.outside_change import BulkChange, OutsideChange
from snippet_engine.errors import SnippetError, counted
from snippet_engine.project_settings import uncompiled_name
from snippet_engine.storage.stores.outside_changes import Maker
from snippet_engine.validation.validator import ChangesVerdict

if TYPE_CHECKING:
    from lsp_client.validator import LanguageServerValidator
    from mcp_server.calls.local_tools import LocalTools
    from mcp_server.host.guarding.outside_watch import OutsideWatch
    from mcp_server.host.local_runs import ToolThreads
    from snippet_engine.storage.paths.project import Project

MAX_UNJUDGED = 500
EMBEDDED_S = 0.1
"""Most seconds for the embedded validator's verdict on one change."""

LOOK_S = 0.2
"""Most seconds that a hook waits for the watcher. Changes found later are kept."""

SETTLED_S = 0.05
"""Most seconds that an agent's write waits until earlier changes are recorded."""

_MAX_REASONS = 2

NO_NAMES = "only syntax was checked, as no compiler runs"

Texts: TypeAlias = Sequence[tuple[str, bytes | None, bytes | None]]


class GuardWatch:
    """Finds out for the guard what changed on disk, and its errors. Lives on one event loop."""

    def __init__(
        self,
        project: Project,
        tools: LocalTools,
        later: LaterVerdicts,
        threads: ToolThreads,
        outside: OutsideWatch,
    ) -> None:
        self._outside = outside
        self._project = project
        self._tools = tools
        self._later = later
        self._threads = threads
        self._unjudged: dict[str, str | None] = {}
        """The earlier texts of scripts that changed while no compiler ran."""
        self._reported = ReportedInSessions()

    async def look(
        self,
        paths: Sequence[str] | None,
        by: ChangedBy,
        on_late: Callable[[Sequence[OutsideChange]], None],
    ) -> Sequence[OutsideChange]:
        """Return the scripts that changed, and record the changes as the client's.

        Changes that are found too late go to ``on_late``.
        """
        maker = Maker(f"{by.client}/{by.tool}" if by.tool else by.client, by.session or None)

        def late(changes: Sequence[OutsideChange]) -> None:
            on_late(changes)
            self._take_up_late(list(filter(is_known, changes)), by)

        return await self._outside.look(
            paths,
            maker,
            by.before,
            LOOK_S * factor(),
            late,
            call_s=by.noted_s,
            since_s=by.since_s,
            are_written=by.has_written,
        )

    async def settle(self, paths: Sequence[str]) -> None:
        """Record what others have changed in these scripts until now."""
        await self._outside.settle(paths, SETTLED_S * factor())

    async def look_around(self) -> float | None:
        """Record what others have changed in all scripts until now. Return when that was."""
        return await self._outside.look_around(LOOK_S * factor())

    async def news(
        self, changes: Sequence[OutsideChange], by: ChangedBy, until: float, listener: Listener
    ) -> Sequence[Finding] | None:
        """Return the findings that the agent's session was not given yet, and note them as given.

        Waits ``until`` at most for verdicts. Returns ``None`` if ``listener`` no longer waits: then
        nothing counts as given.
        """
        news, reported_elsewhere = self._later.news, self._later.reported
        is_new = news.enter(by.caller)
        reported_elsewhere.hook_called(by.client, by.session)
        changes = list(filter(is_known, changes))
        if changes:
            news.disk_changed()  # these changes may have repaired earlier findings
        seen = {
            each.number: number
            for each in changes
            if (number := self._attribute(each, by)) is not None
        }
        unseen = [each for each in changes if each.number not in seen]
        errors, numbers = await self._judged(unseen, by, until, listener.until)
        numbers |= set(seen.values())
        if by.may_be_others or seen:
            await self._outside.are_judged(until)

        reported = self._reported
        standing: dict[int, NewError] = {}

        def stale() -> list[Finding]:  # reported errors are left out, because they aren't news
            waiting = [each for each in news.waiting_for(by.caller) if each.number not in standing]
            return [e for e in waiting if not news.is_current(e) and not reported.has(by.caller, e)]

        if changes and stale():
            standing = await self._standing(stale(), until)
        if changes and stale():
            self._later.judge.wake()
            await self._later.judge.wait_for(lambda: not stale(), until - monotonic())
        if not await listener.is_waiting():
            return None  # everything stays news
        waiting = [
            replace(each, error=standing.get(each.number, each.error))
            for each in news.waiting_for(by.caller)
            if news.is_current(each) or each.number in standing
        ]
        if is_new:  # The session's first change may have been judged before its first hook.
            waiting += [each for each in news.of(seen.values()) if each not in waiting]
        for each in errors:
            reported.add(by.caller, [each.error], each.origin.number)
        found = list(errors)
        for each in waiting:
            if reported.take(by.caller, each):
                continue
            if each.origin.number in numbers:
                found.append(replace(each, number=0))
            elif not reported_elsewhere.was_by_tool(by.client, each.error):
                found.append(each)
        reported_elsewhere.by_hook(by.client, (each.error for each in found))
        news.give(by.caller, waiting)
        return found

    def _attribute(self, change: OutsideChange, by: ChangedBy) -> int | None:
        return self._outside.attribute(change.number, partial(_origin, [change], by))

    def many_since(self, since_s: float) -> Sequence[BulkChange]:
        """Return the groups of many scripts that changed at once after ``since_s``."""
        return self._outside.many_since(since_s)

    async def _standing(self, stale: Collection[Finding], until: float) -> dict[int, NewError]:
        """Return which findings in ``stale`` still stand, by number, with their present errors.

        While an agent writes one script after the other, earlier findings are never up to date.
        """
        compiler, within_s = self._tools.opened_validator(), until - monotonic()
        earlier = self._later.news.earlier(each.origin.number for each in stale)
        if compiler is None or compiler.server_pid is None or not earlier or within_s <= 0:
            return {}
        ask = partial(compiler.judge_since, earlier, within_s=within_s)
        verdict = await self._threads.guard(ask)
        free = list(map(NewError.of, verdict.errors)) if isinstance(verdict, ChangesVerdict) else []
        found = {}
        for each in stale:
            same = next((error for error in free if said(error) == said(each.error)), None)
            if same is not None:
                free.remove(same)
                found[each.number] = same
        return found

    async def _judged(
        self, changes: Sequence[OutsideChange], by: ChangedBy, until: float, hook_deadline: float
    ) -> tuple[list[Finding], set[int]]:
        """Judge changes. Return the errors found in time, and the origins whose errors are news.

        Errors that are found later become news.
        """
        if not changes:
            return [], set()
        embedded = partial(
            self._embedded_errors,
            [(each.path, each.before, each.after) for each in changes],
            EMBEDDED_S * factor(),
        )
        compiler = self._running_compiler()
        if compiler is None:
            numbers = self._judge_embedded(changes, by)
            # News may miss an error with the same message as an older, standing one.
            new = await self._threads.guard(partial(embedded, until)) or []
            await self._outside.are_judged(until)
            origin = _origin(changes, by, self._later.news.new_number())
            return [Finding(0, each, origin, monotonic()) for each in new], numbers
        texts = {each.path: text_of(each.before) for each in changes}
        if self._unjudged:
            texts, self._unjudged = {**texts, **self._unjudged}, {}
        origin = _origin(changes, by, self._later.news.new_number())
        ask = partial(compiler.judge_since, texts, within_s=max(0.001, until - monotonic()))
        verdict = await self._threads.guard(ask)
        if isinstance(verdict, ChangesVerdict):  # the rest is found in the background
            errors = list(map(NewError.of, verdict.errors))
            if errors or verdict.is_partial or verdict.left or verdict.blocked:
                # Other callers get these errors, too, or more are to be found.
                self._later.take_up(origin, texts)
            if verdict.left or verdict.blocked:
                known = {(each.file, each.line) for each in errors}
                others = await self._threads.guard(partial(embedded, hook_deadline)) or []
                errors += [each for each in others if (each.file, each.line) not in known]
        else:
            self._later.take_up(origin, texts)
            errors = await self._threads.guard(partial(embedded, hook_deadline)) or []
        return [Finding(0, each, origin, monotonic()) for each in errors], set()

    def _judge_embedded(self, changes: Sequence[OutsideChange], by: ChangedBy) -> set[int]:
        """Let the embedded validator judge changes. Return the numbers of their origins."""
        if len(self._unjudged) < MAX_UNJUDGED:
            texts = {each.path: text_of(each.before) for each in changes}
            self._unjudged = {**texts, **self._unjudged}
        news = self._later.news
        asked = [
            (each.path, each.before, each.after, _origin([each], by, news.new_number()))
            for each in changes
            if not uncompiled_name(each.path)
        ]
        self._outside.judge(asked, "guard")
        return {origin.number for *_, origin in asked}

    def _take_up_late(self, changes: Sequence[OutsideChange], by: ChangedBy) -> None:
        """Let changes be judged that were found after their hook's answer. Errors become news."""
        changes = [each for each in changes if self._attribute(each, by) is None]
        if not changes or self._threads.stopping:
            return
        if self._running_compiler() is None:
            self._judge_embedded(changes, by)
            return
        origin = _origin(changes, by, self._later.news.new_number())
        self._later.take_up(origin, {each.path: text_of(each.before) for each in changes})

    def _running_compiler(self) -> LanguageServerValidator | None:
        """Return the compiler if it runs.

        If not, start it for later changes, and return ``None``.
        """
        compiler = self._tools.opened_validator()
        if compiler is None or compiler.server_pid is not None:
            return compiler
        compiler.start()
        return None

    def _embedded_errors(self, texts: Texts, each_s: float, until: float) -> list[NewError]:
        engine = self._tools.opened_engine()
        found: list[NewError] = []
        for path, before, after in texts:
            if engine is None or after is None or uncompiled_name(path):
                continue
            limit_ms = round(min(each_s, until - monotonic()) * 1000)
            if limit_ms <= 0:
                break
            verdict = engine.judge_text(path, before, after, limit_ms)
            if not isinstance(verdict, SnippetError):
                found += [NewError.of(error, path) for error in certain_errors(verdict)]
        return found

    def note_reported(self, by: ChangedBy, errors: Sequence[NewError]) -> None:
        """Note errors as reported to the agent's session at the end of a turn."""
        self._reported.add_new(by.caller, errors, self._later.news.new_number())
        self._later.reported.by_hook(by.client, errors)

    def undo_of(self, by: ChangedBy, errors: Sequence[NewError]) -> Mapping[str, Any] | None:
        """Return the undo of the session's one change that caused all ``errors``.

        Returns ``None`` if there isn't exactly one such change.
        """
        found = self._later.news.errors_like(errors)
        origins = {each.origin.number: each.origin for each in found}
        if {said(each.error) for each in found} != set(map(said, errors)) or len(origins) != 1:
            return None
        origin = next(iter(origins.values()))
        is_sure = origin.caller == by.caller and not origin.is_one_of_several
        return (origin.undo or None) if is_sure else None

    async def errors_since(
        self, earlier: Mapping[str, bytes | None], within_s: float
    ) -> ErrorsSince | None:
        """Return the errors that the project has now, and didn't have with the ``earlier`` texts.

        Returns ``None`` if the server stops.
        """
        left = NO_NAMES if self.checks_names() else ""
        compiler = self._running_compiler()
        if compiler is not None:
            texts = {path: text_of(data) for path, data in earlier.items()}
            ask = partial(compiler.judge_since, texts, within_s=within_s)
            verdict = await self._threads.answer(ask)
            if isinstance(verdict, ChangesVerdict):
                errors = tuple(map(NewError.of, verdict.errors))
                return ErrorsSince(errors, "; ".join((*verdict.left, *verdict.blocked)))
            left = str(verdict.details.get("reason", verdict)) if verdict is not None else left

        def embedded() -> ErrorsSince:
            since = [(path, old, content(self._project, path)) for path, old in earlier.items()]
            found = self._embedded_errors(since, within_s, monotonic() + within_s)
            return ErrorsSince(tuple(found), left)

        return await self._threads.guard(embedded)

    async def settings_since(self, since_s: float) -> Sequence[str]:
        """Return the assembly definitions and similar files that changed since ``since_s``."""
        return await self._outside.settings_since(since_s, LOOK_S * factor())

    async def not_compiled(self, within_s: float) -> str:
        """Return as text how many errors the project has, and what could not be checked.

        Empty if it has none, and all was checked.
        """
        compiler = self._running_compiler()
        if compiler is None:
            return NO_NAMES if self.checks_names() else ""
        found = await self._threads.answer(partial(compiler.check_project, within_s=within_s))
        if found is None or isinstance(found, SnippetError):
            return "" if found is None else str(found.details.get("reason", found))
        reasons = list(dict.fromkeys(each.reason.removesuffix(".") for each in found.not_checked))
        if found.errors:
            count = len(found.errors)
            reasons.insert(0, f"the project has {counted(count, 'error')}")
        more = (
            [f"{len(reasons) - _MAX_REASONS} more reasons"] if len(reasons) > _MAX_REASONS else []
        )
        return "; ".join(reasons[:_MAX_REASONS] + more)

    def checks_names(self) -> bool:
        """Return whether the server has a compiler."""
        return self._tools.opened_validator() is not None

    def standing(self) -> str:
        """Return as text whether the project compiles, as far as is known."""
        last = self._later.judge.last
        if self._later.news.pending or self._later.news.is_behind:
            self._later.judge.wake()
            return "recent changes are being checked"
        if self._later.news.has_errors:
            return "it has compile errors since recent changes"
        if last is not None and "semantics" in last.coverage and not last.errors:
            return "the last checked change brought no compile errors"
        return "whether it compiles is not yet known; run check_project"


def _origin(changes: Sequence[OutsideChange], by: ChangedBy, number: int) -> Origin:
    paths = [each.path for each in changes]
    what = f"{by.tool} of {paths[0] if len(paths) == 1 else f'{len(paths)} files'}"
    undo = next((each.undo for each in changes if each.undo), None) or {}
    return Origin(number, what, by.caller, by.client, undo if len(changes) == 1 else {})
