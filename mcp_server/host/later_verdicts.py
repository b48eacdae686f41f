"""Verdicts that come after a call's answer, and later answers that contain them as news.

Implements docs/design/server-and-bridge.md §15. ``mcp_server.news`` decides. This module connects
it with the tools, the compiler and the disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from time import monotonic
from typing import Any, TypeAlias

from mcp_server.calls.local_tools import LocalTools
from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.editor.job_manager import Job
from mcp_server.host.local_runs import ToolThreads
from mcp_server.news import answers, callers
from mcp_server.news.background_judge import BackgroundJudge
from mcp_server.news.findings import Finding, NewError, Origin
from mcp_server.news.news import News, origin_of_edit
from mcp_server.news.reported_errors import ReportedErrors, stated_errors
from mcp_server.review.hold.notes import NoteBox, in_words
from snippet_engine import call_context
from snippet_engine.call_context import RecordedWrites
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import decode
from snippet_engine.validation.validator import ChangesVerdict

CURRENT_S = 0.7
"""Most seconds that an answer waits for its news to be judged again after a change."""

_MAX_STAMPS = 4_000

_Stamp: TypeAlias = tuple[int, int] | None
"""A file's modification time and size; ``None`` if there is no file."""

_edits_of_call: ContextVar[list[int] | None] = ContextVar("edits of a call", default=None)


class LaterVerdicts:
    """Connects the news with calls, the compiler and the disk. Lives on one event loop."""

    def __init__(self, local_tools: LocalTools, threads: ToolThreads) -> None:
        self.news = News()
        self.reported = ReportedErrors()
        self.judge = BackgroundJudge(self.news, self._judge_since)
        self._local_tools = local_tools
        self._threads = threads
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stamps: dict[str, _Stamp] = {}
        self.notes: NoteBox | None = None
        """The user's notes to agents; ``None`` without a review page."""
        self._compile = Origin(self.news.new_number(), "Unity's compile", is_compile=True)
        local_tools.on_written = self._on_written
        self.on_own_write: Callable[[Collection[str]], None] = lambda _paths: None
        """Called with the paths that a call has written, on the call's thread."""

    def begin(self) -> str | None:
        """Remember the present call's caller. Return the caller's session."""
        self._loop = asyncio.get_running_loop()
        caller = callers.caller()
        if caller is not None:
            self.news.enter(caller, callers.name())
        _edits_of_call.set([])
        return caller

    async def add_to(
        self,
        outcome: Outcome,
        caller: str | None,
        tool: str,
        arguments: Mapping[str, Any],
        until: float,
    ) -> Outcome:
        """Return ``outcome`` with the caller's news and notes, and how many edits are pending.

        If the arguments ask to wait for the verdict, wait until ``until`` at most, a time of
        ``monotonic``.
        """
        edits = _edits_of_call.get() or []
        if arguments.get("wait") == "verdict" and any(map(self.news.is_due, edits)):
            is_judged = await self.judge.wait_for(
                lambda: not any(map(self.news.is_due, edits)), until - monotonic()
            )
            if is_judged and self.judge.last is not None:
                outcome = _with_whole_verdict(outcome, self.judge.last)
        if any(map(self.news.is_due, edits)):
            outcome = _with_pending_note(outcome)
        if caller is None:
            added = {"pending": self.news.pending} if self.news.pending else {}
        else:
            added = await self._news_for(caller, outcome, arguments)
        return self._with_notes(_with(outcome, added) if added else outcome, caller, tool)

    def _with_notes(self, outcome: Outcome, caller: str | None, tool: str) -> Outcome:
        if self.notes is None:
            return outcome
        has_session = caller is not None and callers.name() is None
        client = call_context.client()
        reader = self.notes.reader(caller, client, has_session=has_session)
        given = self.notes.take(reader, tool)
        return _with(outcome, {"notes": given}) if given else outcome

    async def _news_for(
        self, caller: str, outcome: Outcome, arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the caller's news for its answer, and note them as given.

        Errors that the answer states already, or a hook reported, are left out.
        """
        added: dict[str, Any] = {}
        waiting = await self._current(caller)
        if waiting:
            path, client = arguments.get("path"), call_context.client()
            stated = stated_errors(outcome.to_json(), path if isinstance(path, str) else None)
            said = [
                each
                for each in waiting
                if (each.error.file, each.error.code, each.error.message) in stated
                or self.reported.was_by_hook(client, each.error)
            ]
            left = [each for each in waiting if each not in said]
            rows, given = answers.entries(caller, left)
            self.news.give(caller, [*said, *given])
            self.reported.by_tool(client, (each.error for each in given))
            if rows:
                added["news"] = rows
            if (more := answers.not_shown(left, rows)) > 0:
                added["more"] = more
        if pending := self.news.pending_for(caller):
            added["pending"] = pending
        return added

    async def _current(self, caller: str) -> list[Finding]:
        """Return a caller's findings that still stand.

        If files changed, wait a moment for verdicts.
        """
        waiting = self.news.waiting_for(caller)
        if not waiting:
            return []
        if await self._has_changed(waiting):
            self.news.disk_changed()

        def are_current() -> bool:
            return all(map(self.news.is_current, self.news.waiting_for(caller)))

        if not are_current():
            self.judge.wake()
            await self.judge.wait_for(are_current, CURRENT_S)
        return [each for each in self.news.waiting_for(caller) if self.news.is_current(each)]

    def job_settled(self, job: Job) -> None:
        """Publish the errors of a compile in Unity. A successful compile removes earlier ones."""
        if job.tool != "compile" or job.result is None:
            return
        errors = [
            NewError(each["path"], each["line"], each["code"], each["message"])
            for each in job.result.get("errors", ())
            if job.result.get("status") == "failed"
        ]
        self.news.publish(self._compile, errors, monotonic())

    # -- what is written -----------------------------------------------------------------------

    def _on_written(self, tool: str, result: Mapping[str, Any], writes: RecordedWrites) -> None:
        """Note what a call has written. Runs on the call's thread."""
        has_compiler = self._local_tools.opened_validator() is not None
        is_judged = not writes.is_partly_judged or not has_compiler
        earlier = {path: text_of(data) for path, data in writes.earlier.items()}
        caller, client = callers.caller(), call_context.client()
        numbers = _edits_of_call.get()
        self.on_own_write(earlier.keys())

        def take_up() -> None:
            number = self.news.new_number()
            origin = origin_of_edit(number, tool, result, caller, client)
            self.news.applied(origin, earlier, monotonic(), is_judged=is_judged)
            if numbers is not None:
                numbers.append(number)
            self.judge.wake()

        if self._loop is not None:
            self._loop.call_soon_threadsafe(take_up)

    def take_up(self, origin: Origin, earlier: Mapping[str, str | None]) -> None:
        """Let a change by another program be judged. Its new errors become news."""
        self.news.applied(origin, earlier, monotonic())
        self.judge.wake()

    # -- the compiler --------------------------------------------------------------------------

    async def _judge_since(
        self, earlier: Mapping[str, str | None], within_s: float
    ) -> ChangesVerdict | SnippetError | None:
        if self._threads.stopping:
            return None
        job = self._threads.submit("judging", self._judged, dict(earlier), within_s)
        verdict, stamps = await asyncio.wrap_future(job)
        if len(self._stamps) > _MAX_STAMPS:
            self._stamps.clear()
        self._stamps |= stamps
        return verdict

    def _judged(
        self, earlier: dict[str, str | None], within_s: float
    ) -> tuple[ChangesVerdict | SnippetError | None, dict[str, _Stamp]]:
        validator = self._local_tools.opened_validator()
        if validator is None:
            return None, {}
        stamps = self._stamps_of(earlier)
        verdict = validator.judge_since(earlier, within_s=within_s)
        if isinstance(verdict, ChangesVerdict):
            stamps = self._stamps_of([each.path for each in verdict.errors]) | stamps
        return verdict, stamps

    def _stamps_of(self, paths: Sequence[str] | Mapping[str, object]) -> dict[str, _Stamp]:
        return {path: self._stamp(path) for path in paths}

    def _stamp(self, path: str) -> _Stamp:
        assert self._local_tools.project is not None
        try:
            found = (self._local_tools.project / path).stat()
        except (OSError, ValueError):
            return None
        return found.st_mtime_ns, found.st_size

    async def _has_changed(self, findings: Sequence[Finding]) -> bool:
        """Return whether files of the edits or these findings were written since the last look."""
        files = self.news.files.union(each.error.file for each in findings)
        known = {path: stamp for path, stamp in self._stamps.items() if path in files}
        if not known or self._threads.stopping:
            return False
        now = await asyncio.wrap_future(self._threads.submit("tool", self._stamps_of, list(known)))
        changed = {path for path, stamp in now.items() if stamp != known[path]}
        self._stamps |= now
        return bool(changed)


def text_of(data: bytes | None) -> str | None:
    """Return a file's text as the compiler reads it; ``None`` without a file."""
    if data is None:
        return None
    source = decode(data)
    if isinstance(source, SnippetError):
        return data.decode("utf-8", "replace")
    return data[len(source.encoding.bom) :].decode(source.encoding.codec)


def _with_whole_verdict(outcome: Outcome, verdict: ChangesVerdict) -> Outcome:
    """Return an apply's result with the coverage and the gaps of the later, complete verdict."""
    if isinstance(outcome, ToolError):
        return outcome
    structured, not_checked = outcome.structured, verdict.not_checked
    has_names = "semantics" in verdict.coverage
    lines = outcome.text.split("\n")
    text = "\n".join(each for each in lines if not each.startswith("not checked: "))
    if "validation" in structured:
        validation = structured["validation"]
        coverage = dict.fromkeys([*validation["coverage"], *(["semantics"] if has_names else [])])
        judged = {"coverage": list(coverage), "notChecked": list(not_checked)}
        return ToolResult({**structured, "validation": {**validation, **judged}}, text)
    kept = {key: each for key, each in structured.items() if key != "notChecked"}
    checked = {"checked": "names"} if has_names and "checked" in structured else {}
    left = {"notChecked": list(not_checked)} if not_checked else {}
    text += f"\nnot checked: {'; '.join(not_checked)}" if not_checked else ""
    return ToolResult({**kept, **checked, **left}, text)


def _with_pending_note(outcome: Outcome) -> Outcome:
    """Return an apply's result with a note that it is still being judged."""
    if isinstance(outcome, ToolError):
        return outcome
    structured = outcome.structured
    if "validation" in structured:
        validation = structured["validation"]
        notes = [*validation["notChecked"], answers.PENDING]
        structured = {**structured, "validation": {**validation, "notChecked": notes}}
    else:
        notes = [*structured.get("notChecked", ()), answers.PENDING]
        structured = {**structured, "notChecked": notes}
    return ToolResult(structured, outcome.text)


def _with(outcome: Outcome, added: Mapping[str, Any]) -> Outcome:
    text = "\n".join([outcome.text, *answers.in_words(added), *in_words(added.get("notes", ()))])
    if isinstance(outcome, ToolError):
        return replace(outcome, details={**outcome.details, **added}, text=text)
    return ToolResult({**outcome.structured, **added}, text)
