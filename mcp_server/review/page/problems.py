"""Show the compiler's errors in the project by file, and how old they are.

Implements docs/design/review.md "Other views". The errors are those of the newest check and the
newest compile. Opening the view compiles nothing; the person can start a check there.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import Outcome as CallOutcome
from mcp_server.review.asking import Asking
from mcp_server.review.page.rendering import rendered
from mcp_server.review.record.event_store import EventStore
from mcp_server.review.record.events import Event, EventFilter, Outcome

MAX_ROWS = 500
_LOOKED_THROUGH = 2_000


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check or compile."""

    event: Event
    status: str
    rows: Mapping[str, Sequence[Mapping[str, Any]]]
    more: int
    """How many errors are left out."""
    not_checked: Sequence[str]
    files: int | None
    """How many files were compiled, if known."""
    syntax_only: int
    """How many more files were checked for syntax only."""
    changed: int
    """How many events changed files since."""
    is_kept: bool


class Problems:
    """The view over one server's checks and compiles."""

    def __init__(self, store: EventStore, ask: Asking) -> None:
        self._store = store
        self._ask = ask
        self._running: asyncio.Task[CallOutcome] | None = None
        self._begun_s = 0.0
        self._failed = ""

    async def page(self, request: Request) -> Response:
        """Show the newest check and the newest compile."""
        check, compiled = await asyncio.to_thread(self._newest)
        running = self._running is not None and not self._running.done()
        return await rendered(
            request,
            "problems.html",
            check=check,
            compiled=compiled,
            running_s=time.monotonic() - self._begun_s if running else None,
            failed=self._failed,
            last=self._store.last_number,
            now_s=time.time(),
        )

    async def check(self, _request: Request) -> Response:
        """Start a check unless one runs. Doesn't wait for it, because it may take minutes."""
        if self._running is None or self._running.done():
            self._begun_s, self._failed = time.monotonic(), ""
            self._running = asyncio.create_task(self._ask(CATALOG["check_project"], {}))
            self._running.add_done_callback(self._ended)
        return RedirectResponse("/problems", 303)

    def _ended(self, work: asyncio.Task[CallOutcome]) -> None:
        if work.cancelled():
            self._failed = "The check was ended."
        elif (error := work.exception()) is not None:
            self._failed = f"The check failed unexpectedly ({type(error).__name__})."
        elif isinstance(outcome := work.result(), ToolError):
            self._failed = outcome.message

    def _newest(self) -> tuple[Check | None, Check | None]:
        return self._newest_of("check_project"), self._newest_of("compile")

    def _newest_of(self, tool: str) -> Check | None:
        chosen = EventFilter(text=tool, outcome=Outcome.DONE)
        found = self._store.events(chosen, limit=_LOOKED_THROUGH)
        event = next((each for each in found if each.tool == tool), None)
        if event is None:
            return None
        detail = self._store.detail(event.number) or {}
        result = detail.get("result")
        kept = isinstance(result, Mapping) and "status" in result
        changed = EventFilter(after=event.number, is_written=True)
        since = len(self._store.events(changed, limit=_LOOKED_THROUGH))
        return _check_of(event, result if isinstance(result, Mapping) else {}, since, kept=kept)


def _check_of(event: Event, result: Mapping[str, Any], changed: int, *, kept: bool) -> Check:
    errors = [each for each in _list(result.get("errors")) if isinstance(each, Mapping)]
    rows: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for each in errors[:MAX_ROWS]:
        rows[str(each.get("path") or "")].append(each)
    counts = result.get("counts")
    total = counts.get("errors", len(errors)) if isinstance(counts, Mapping) else len(errors)
    checked = result.get("checked")
    files, parsed = (
        checked.get(key) if isinstance(checked, Mapping) else None
        for key in ("files", "syntaxOnly")
    )
    return Check(
        event,
        str(result.get("status", "unknown")),
        dict(rows),
        max(0, int(total) - min(len(errors), MAX_ROWS)),
        [_not_checked(each) for each in _list(result.get("notChecked"))],
        files if isinstance(files, int) else None,
        parsed if isinstance(parsed, int) else 0,
        changed,
        kept,
    )


def _not_checked(each: object) -> str:
    """Return one entry of ``notChecked`` as text: what was not checked, and why."""
    if not isinstance(each, Mapping):
        return str(each)
    assembly, reason = each.get("assembly"), str(each.get("reason") or "")
    return f"{assembly}: {reason}" if assembly else reason


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
