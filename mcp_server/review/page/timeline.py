"""The timeline: what runs now, and what happened, newest first.

Implements docs/design/review.md "Timeline". The list is loaded in pieces. A page asks for older
entries when somebody scrolls there, and for newer ones when the feed announces them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mcp_server.review.page.access import checked_form, number_in
from mcp_server.review.page.event_view import shown_files
from mcp_server.review.page.rendering import rendered
from mcp_server.review.page.sources import Sources
from mcp_server.review.record.event_order import net_difference
from mcp_server.review.record.event_store import MAX_EVENTS, EventStore
from mcp_server.review.record.events import Event, EventFilter, Outcome

PIECE = 100
MAX_NEW = 500
"""Most new entries that are added to an open page. With more, the page loads the list anew."""

MAX_AGAIN = 100
"""Most events that are remembered because something was added to them later."""

MAX_QUERY = 200


@dataclass(frozen=True, slots=True)
class Choice:
    """Which entries the person wants to see, as in the page's address."""

    file: str = ""
    client: str = ""
    outcome: str = ""
    q: str = ""
    since: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Choice:
        """Read the choice from an address's query."""
        return cls(**{name: query.get(name, "")[:MAX_QUERY].strip() for name in cls.__slots__})

    @property
    def query(self) -> str:
        """Return the choice as an address's query."""
        pairs = {name: getattr(self, name) for name in self.__slots__}
        return urlencode({name: value for name, value in pairs.items() if value})

    def filter(self, mark: int) -> EventFilter:
        """Return the choice as a filter. ``mark`` is the last event that the person has seen."""
        known = {each.value for each in Outcome}
        return EventFilter(
            file=self.file,
            client=self.client,
            outcome=Outcome(self.outcome) if self.outcome in known else None,
            text=self.q,
            after=mark if self.since == "mark" else 0,
        )


class Timeline:
    """The timeline of one server."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._newest = 0
        self._late_numbers: deque[int] = deque(maxlen=MAX_AGAIN)
        self.again = 0
        """How often something was added later to an event that pages may already show."""

    def note(self, event: Event) -> None:
        """Note that the store has added or amended ``event``. May be called on any thread."""
        if event.number > self._newest and event.number == self._store.last_number:
            self._newest = event.number
        else:
            self._late_numbers.append(event.number)
            self.again += 1

    @property
    def _store(self) -> EventStore:
        return self._sources.store

    async def page(self, request: Request) -> Response:
        """Show what runs now, and what happened, newest first."""
        choice = Choice.of(request.query_params)
        before = number_in(request.query_params.get("before"))
        last = self._store.last_number
        events = self._store.events(choice.filter(self._store.mark), before, PIECE + 1)
        return await rendered(
            request,
            "timeline.html",
            choice=choice,
            outcomes=list(Outcome),
            last=last,
            told_again=self.again,
            is_newest=before is None,
            **self._list(events, choice),
            **await self._now(),
        )

    async def rows(self, request: Request) -> Response:
        """Answer with the entries newer than ``after`` or older than ``before``, newest first."""
        choice = Choice.of(request.query_params)
        after = number_in(request.query_params.get("after"))
        before = number_in(request.query_params.get("before"))
        last = self._store.last_number
        chosen = choice.filter(self._store.mark)
        newer, limit = chosen, PIECE + 1
        if after is not None:
            newer, limit = replace(chosen, after=max(after, chosen.after)), MAX_NEW + 1
        events = self._store.events(newer, before, limit)
        again = self._shown_again(number_in(request.query_params.get("again")))
        is_too_much = after is not None and (len(events) > MAX_NEW or after > last or again is None)
        return await rendered(
            request,
            "rows.html",
            last=last,
            is_newer=after is not None,
            again=[each for each in again or () if chosen.fits(each)],
            late_again={each.number: len(self._store.late(each.number)) for each in again or ()},
            told_again=self.again,
            is_too_much=is_too_much,
            **self._list([] if is_too_much else events, choice, PIECE if after is None else limit),
            **await self._now(),
        )

    async def set_mark(self, request: Request) -> Response:
        """Note up to which event the person has looked."""
        form = checked_form(request)
        number = number_in(form.get("number"))
        if number is not None:
            self._store.set_mark(min(number, self._store.last_number))
            self._sources.feed.changed()
        return RedirectResponse("/", 303)

    def _list(self, events: list[Event], choice: Choice, piece: int = PIECE) -> dict[str, Any]:
        shown = events[:piece]
        older = ""
        if len(events) > len(shown):
            older = "&".join(filter(None, (choice.query, f"before={shown[-1].number}")))
        late = {each.number: len(self._store.late(each.number)) for each in shown}
        return {"events": shown, "older": older, "mark": self._store.mark, "late": late}

    def _shown_again(self, seen: int | None) -> list[Event] | None:
        """Return the events amended after the first ``seen`` times; ``None`` if too many were."""
        if seen is None or seen == self.again:
            return []
        missed = self.again - seen
        if not 0 < missed <= len(self._late_numbers):
            return None
        numbers = dict.fromkeys(list(self._late_numbers)[-missed:])
        return [found for each in numbers if (found := self._store.event(each)) is not None]

    async def _now(self) -> dict[str, Any]:
        sources = self._sources
        await sources.now.look()
        return {
            **sources.now.values(),
            "running": sources.review.calls.running,
            "agents": sources.review.calls.agents,
            "waits": sources.waits,
            "not_kept": sources.store.problem,
        }


MARK, TODAY = "mark", "today"


async def net_page(sources: Sources, request: Request) -> Response:
    """Show what a range of events changed in all, with one difference for each file."""
    query = request.query_params
    since, client = query.get("since", MARK), query.get("client", "")[:MAX_QUERY]
    after, events = await asyncio.to_thread(_events, sources.store, since, client)
    found = await asyncio.to_thread(net_difference, events)
    files = await asyncio.to_thread(shown_files, sources, [each.file for each in found])
    clients = {each.client for each in sources.store.events(limit=1000) if each.client}
    return await rendered(
        request,
        "net.html",
        since=since if since in (MARK, TODAY) else "number",
        after=after,
        client=client,
        clients=sorted(clients),
        count=len(events),
        files=files,
        found=found[: len(files)],
        files_left_out=len(found) - len(files),
        side=query.get("side") == "1",
    )


def _events(store: EventStore, since: str, client: str) -> tuple[int, list[Event]]:
    """Return the number after which the chosen range begins, and its events that changed files."""
    after = store.mark if since == MARK else number_in(since) or 0
    if since == TODAY:
        today = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        # The clock may have been set back: all events from the first one of today on count.
        of_today = (
            each.number
            for each in store.events(limit=MAX_EVENTS)
            if each.time_s >= today.timestamp()
        )
        after = min(of_today, default=store.last_number + 1) - 1
    wanted = EventFilter(client=client, after=after, is_written=True)
    return after, store.events(wanted, limit=MAX_EVENTS)
