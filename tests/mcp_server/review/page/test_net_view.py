"""What is different since this morning, whatever the clock did."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from live_server import LiveServer
from review_person import Person, words

from mcp_server.review.record.events import Event, FileTexts, NewEvent, Outcome

pytestmark = pytest.mark.anyio

DAY_S = 24 * 3600.0
PATIENCE_S = 30


@pytest.mark.parametrize(
    ("days_ago", "count"), [([2, 1, 0, 0], 2), ([0, 2, 0], 3), ([2, 1], 0), ([0], 1)]
)
async def test_since_this_morning(project: Path, days_ago: list[int], count: int) -> None:
    async with LiveServer(project=project) as live, Person(live.port) as person:
        store = live.server.review.store
        for number, days in enumerate(days_ago):
            time_s = time.time() - days * DAY_S
            event = Event(0, time_s, "agent", None, "edit_snippet", Outcome.APPLIED)
            store.add(NewEvent(event, (FileTexts(f"Assets/{number}.cs", b"a", b"b"),)))
        assert await asyncio.to_thread(store.settle, PATIENCE_S)
        said = words(await person.view("/net?since=today"))
    assert f"{count} entr{'y' if count == 1 else 'ies'} changed" in said
