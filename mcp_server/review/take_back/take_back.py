"""Take events back: plan it, then write the plan through the coordinator.

Implements docs/design/review.md "Take back".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolErrorCode, tool_error
from mcp_server.contract.outcome import Outcome as CallOutcome
from mcp_server.review.asking import Asking, Call
from mcp_server.review.record.event_store import MAX_EVENTS, EventStore
from mcp_server.review.record.events import Outcome
from mcp_server.review.take_back.planner import Hunks, Planner
from mcp_server.review.take_back.plans import PUT_TEXTS, Obstacle, Plan, arguments_of
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import MAX_FILE_BYTES
from snippet_engine.storage.paths.project import META, Project, ScriptPath
from snippet_engine.storage.records.change_record import MAX_CHANGE_CONTENT_BYTES, MAX_CHANGE_FILES
from snippet_engine.storage.system.plain_file import read_plain

_HISTORY = "Library/SnippetEngine/history"
_KEPT = re.compile(re.escape(_HISTORY) + r"/\*(-[0-9a-f]{16}\.[0-9]{1,5}\.meta)")

SETTLE_S = 5.0
"""Seconds that a plan waits for events that are being added."""


class TakeBack:
    """Takes back the events of one project."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._project: Path | None = None
        self._ask: Asking | None = None

    def connect(self, project: Path | None, call: Call) -> None:
        """Use this project. ``call`` runs a tool, as the coordinator does."""
        self._project, self._ask = project, Asking(call)

    def plan(self, number: int, hunks: Hunks | None = None) -> Plan:
        """Plan to take back one event, or only its changes in ``hunks``. Blocks: reads files.

        Later changes stay if they don't overlap. ``hunks`` has, by the file's path in the event,
        the numbers of changes as :func:`.line_changes` lists them.
        """
        planner = self._planner()
        event = self._store.event(number)
        if isinstance(planner, Obstacle):
            return Plan((number,), "", obstacles=(planner,))
        if event is None:
            gone = Obstacle("", f"entry {number} is no longer kept")
            return Plan((number,), "", obstacles=(gone,))
        return planner.one(event, hunks)

    def plan_since(self, number: int) -> Plan:
        """Plan to take back every event after ``number``, newest first. Blocks: reads files."""
        planner = self._planner()
        if isinstance(planner, Obstacle):
            return Plan((), "", obstacles=(planner,))
        return planner.since(number)

    async def do(self, plan: Plan, *, all_the_same: bool = False) -> CallOutcome:
        """Write exactly the plan, or nothing.

        If a file has changed since, nothing is written. The same holds for new errors, unless the
        person wants the plan ``all_the_same``.
        """
        if self._ask is None or not plan.is_possible:
            why = [each.why for each in plan.conflicts] + [each.why for each in plan.obstacles]
            message = f"Nothing was written: {why[0] if why else 'nothing would change'}."
            return tool_error(ToolErrorCode.INVALID_PARAMS, message)
        if plan.undo is not None:
            return await self._ask(CATALOG["undo_snippet"], plan.undo)
        return await self._ask(PUT_TEXTS, arguments_of(plan, all_the_same=all_the_same))

    def _text(self, digest: str | None) -> bytes | None:
        return None if digest is None else self._store.text(digest)

    def _planner(self) -> Planner | Obstacle:
        found = None if self._project is None else Project.open(self._project)
        if found is None or isinstance(found, SnippetError):
            return Obstacle("", "no project" if found is None else found.message)
        self._store.settle(SETTLE_S)
        events = self._store.events(limit=MAX_EVENTS)
        reader = _Reader(found)
        return Planner(events, reader.read, self._text, self._meta)

    def _meta(self, number: int, path: str) -> bytes | None:
        """Return the ``.meta`` that the undo of event ``number`` removed, if a copy is left."""
        event = self._store.event(number)
        if self._project is None or event is None or event.outcome is not Outcome.UNDONE:
            return None
        result = (self._store.detail(number) or {}).get("result")
        removed = result.get("removed", ()) if isinstance(result, Mapping) else ()
        for each in removed:
            if isinstance(each, Mapping) and each.get("path") == path + META:
                found = _KEPT.fullmatch(str(each.get("kept")))
                with suppress(OSError):
                    folder, ending = self._project / _HISTORY, found[1] if found else ""
                    for copy in folder.glob(f"*{ending}") if ending else ():
                        return read_plain(copy, MAX_FILE_BYTES)
        return None


class _Reader:
    """Reads the project's files, within the limits of one change set."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._bytes = 0
        self._files = 0

    def read(self, path: str) -> bytes | Obstacle | None:
        """Return a file's bytes; ``None`` if there is no file."""
        self._files += 1
        if self._files > 2 * MAX_CHANGE_FILES:
            return Obstacle("", f"too many files: at most {MAX_CHANGE_FILES} can change at once")
        found = self._project.locate_file(path)
        snapshot = found.read() if isinstance(found, ScriptPath) else found
        if isinstance(snapshot, SnippetError):
            if snapshot.code is ErrorCode.FILE_NOT_FOUND:
                return None
            return Obstacle(path, snapshot.message)
        self._bytes += len(snapshot.data)
        if self._bytes > MAX_CHANGE_CONTENT_BYTES:
            return Obstacle("", f"the files have over {MAX_CHANGE_CONTENT_BYTES:,} bytes together")
        return snapshot.data
