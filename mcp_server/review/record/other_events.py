"""Make the events that are no tool calls: outside changes, guard refusals, jobs, late errors.

Implements docs/design/review.md "Events". Lives on the server's event loop.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mcp_server.editor.job_manager import Job
from mcp_server.guard.events import GuardAnswer, GuardEvent, Patch, Replace, Whole, Write
from mcp_server.news.findings import Finding
from mcp_server.review.record.event_store import EventStore, Ticket
from mcp_server.review.record.events import WRITTEN, Event, FileTexts, LateError, NewEvent, Outcome
from mcp_server.review.record.recorder import UNDONE_BY_COMPILE, changes, short_message
from mcp_server.watcher.outside_change import BulkChange, OutsideChange, OwnWrite
from snippet_engine.errors import counted
from snippet_engine.source_text import content_hash
from snippet_engine.storage.stores.outside_changes import OUTSIDE, Maker
from unity_bridge.states import JobState

MAX_FILES = 200
OWN_S = 3.0
"""Seconds to wait for a call's event that explains a write by this product."""

RECENT_S = 120.0
"""Most seconds by which the call's event may be older than the write."""

MAX_SENT = 16_000
"""Most code points that are stored of a text that the guard refused."""

_MAX_TICKETS = 1_000


class OtherEvents:
    """Adds events that are no tool calls to a store."""

    def __init__(
        self,
        store: EventStore,
        now_s: Callable[[], float] = time.time,
        may_write: Callable[[float], bool] = lambda _: False,
    ) -> None:
        """``may_write(time_s)`` returns whether a call still runs that may have written by then."""
        self._store = store
        self._now_s = now_s
        self._may_write = may_write
        self._tickets: OrderedDict[int, tuple[Ticket, Maker]] = OrderedDict()
        """The last outside changes by number, each with its presumed maker."""

    def outside(self, seen: Iterable[OutsideChange]) -> None:
        """Add changes that another program made. A known change only gets its new maker."""
        for change in seen:
            ticket, maker = self._tickets.get(change.number, (None, None))
            if ticket is None:
                self._tickets[change.number] = self._store.add(self._changed(change)), change.maker
                while len(self._tickets) > _MAX_TICKETS:
                    self._tickets.popitem(last=False)
            elif maker != change.maker:
                self._tickets[change.number] = ticket, change.maker
                self._store.amend(ticket, **_who(change.maker))

    def _changed(self, change: OutsideChange) -> NewEvent:
        texts = FileTexts(change.path, change.before, change.after)
        if change.was_there and change.before is None:
            texts = replace(texts, is_unknown=True)
        event = Event(
            0,
            self._now_s(),
            tool="",
            outcome=Outcome.CHANGED,
            line=changes([texts]),
            undo=change.undo,
            **_who(change.maker),
        )
        return NewEvent(event, (texts,))

    def own(self, write: OwnWrite) -> None:
        """Add an event for a write by this product, perhaps in another process.

        Nothing is added if the event of a call explains the write within :data:`OWN_S` seconds.
        """
        texts = FileTexts(write.path, write.before, write.after, is_unknown=write.is_unknown)
        line = f"by unity-snippet, outside of a recorded call: {changes([texts])}"
        event = Event(
            *(0, self._now_s(), None, None, "", Outcome.CHANGED),
            line=short_message(line),
            is_own=True,
        )
        after = None if write.after is None else content_hash(write.after)
        since_s = event.time_s - RECENT_S
        if write.since_s <= event.time_s:  # otherwise the clock was set back
            # An older event is about an earlier write of the same text.
            since_s = max(since_s, write.since_s)

        def is_known(known: Event) -> bool:
            return known.time_s >= since_s and _has_left(known, write.path, after)

        def may_come() -> bool:
            return self._may_write(event.time_s)

        self._store.add_unless(is_known, NewEvent(event, (texts,)), OWN_S, may_come)

    def many(self, bulk: BulkChange) -> None:
        """Add one event for the change of many scripts at once."""
        known = {path: FileTexts(path, before, after) for path, before, after in bulk.texts}
        files = tuple(
            known.get(path, FileTexts(path, is_unknown=True)) for path in bulk.paths[:MAX_FILES]
        )
        more = len(bulk.paths) - len(files)
        line = f"{counted(len(bulk.paths), 'script')} changed"
        git = bulk.git if bulk.git.startswith("git ") else f"git: {bulk.git}"
        line = f"{line} by {git}" if bulk.git else f"{line} at once"
        event = Event(0, self._now_s(), None, None, "", Outcome.CHANGED, line=short_message(line))
        detail = {"notListed": more, "changeId": bulk.change_id}
        self._store.add(NewEvent(event, files, detail))

    def guarded(self, event: GuardEvent, answer: GuardAnswer) -> None:
        """Add an event if the guard refused the write."""
        if answer.refuse is None:
            return
        paths = [each.path for each in event.writes if not isinstance(each, Patch)]
        files = tuple(FileTexts(path[:400], is_unknown=True) for path in paths[:MAX_FILES])
        refused = Event(
            0,
            self._now_s(),
            event.client,
            event.session or None,
            event.tool,
            Outcome.GUARDED,
            line=short_message(answer.refuse),
        )
        detail = {
            "text": answer.refuse,
            "sent": [_write_to_json(each) for each in event.writes[:20]],
        }
        self._store.add(NewEvent(refused, files, detail))

    def job_settled(self, job: Job) -> None:
        """Add the end of a test run. The end of a compile is recorded with its call."""
        if job.tool != "run_tests":
            return
        result: Mapping[str, Any] = job.result or {}
        is_done = job.state is JobState.SUCCEEDED
        line = _test_line(job, result)
        event = Event(
            0,
            self._now_s(),
            None,
            None,
            job.tool,
            Outcome.DONE if is_done else Outcome.FAILED,
            line=short_message(line),
            errors=len(result.get("failed_tests") or ()),
            job=job.job_id,
        )
        self._store.add(NewEvent(event, (), {"result": dict(result), "state": job.state.value}))

    def found(self, findings: Sequence[Finding]) -> None:
        """Add late errors to the events of the edits that caused them."""
        by_undo: dict[tuple[tuple[str, Any], ...], list[Finding]] = {}
        for each in findings:
            if each.origin.undo:
                by_undo.setdefault(tuple(sorted(each.origin.undo.items())), []).append(each)
        for undo, late in by_undo.items():
            errors = [
                LateError(each.error.file, each.error.line, each.error.code, each.error.message)
                for each in late
            ]
            self._store.add_late(partial(_is_undone_by, dict(undo)), errors)


def _has_left(event: Event, path: str, after: str | None) -> bool:
    """Return whether an event left a file with the hash ``after``, even if it was undone since."""
    if event.code == UNDONE_BY_COMPILE:
        return any(
            path in (each.path, each.moved_to) and after in (each.before, each.after, None)
            for each in event.files
        )
    if event.outcome is Outcome.CHANGED and not event.is_own:
        return False  # another program wrote the file
    return event.outcome in WRITTEN and any(
        ((each.moved_to or each.path) == path and each.after == after)
        or (each.moved_to and each.path == path and after is None)
        for each in event.files
    )


def _who(maker: Maker) -> dict[str, Any]:
    client = None if maker.source == OUTSIDE else maker.source
    return {"client": client, "session": maker.session}


def _is_undone_by(undo: Mapping[str, Any], event: Event) -> bool:
    """Return whether ``undo`` takes back ``event``. A hash in ``undo`` may be shortened."""
    if event.undo is None or event.undo.keys() != undo.keys():
        return False
    return all(
        str(event.undo[key]).removeprefix("sha256:").startswith(str(value).removeprefix("sha256:"))
        for key, value in undo.items()
    )


def _test_line(job: Job, result: Mapping[str, Any]) -> str:
    summary = result.get("summary")
    if not isinstance(summary, Mapping):
        return f"tests {job.state.value}: {result.get('message') or 'no result'}"
    names = ("passed", "failed", "skipped", "inconclusive")
    return f"tests: {', '.join(f'{summary[name]} {name}' for name in names if summary.get(name))}"


def _write_to_json(write: Write) -> dict[str, Any]:
    if isinstance(write, Replace):
        edits = [
            {"old": edit.old[:MAX_SENT], "new": edit.new[:MAX_SENT]} for edit in write.edits[:20]
        ]
        return {"path": write.path, "edits": edits}
    if isinstance(write, Whole | Patch):
        path = {"path": write.path} if isinstance(write, Whole) else {}
        return {**path, "text": write.text[:MAX_SENT]}
    return {"path": write.path}
