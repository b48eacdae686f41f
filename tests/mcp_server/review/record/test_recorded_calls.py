"""What is recorded of calls whose callers leave, and of refused ones."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from call_results import error
from live_server import LiveServer
from running_server import SCRIPT, SOURCE, edit, make_project, new_script_and_edit

from mcp_server.calls.local_tools import LocalTools
from mcp_server.review.hold.held_calls import HoldSetting
from mcp_server.review.record.events import Event, Outcome

pytestmark = pytest.mark.anyio

PATIENCE_S = 60


class HeldUp:
    """Script tools that run only once they may."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.has_begun, self.may_go_on = threading.Event(), threading.Event()
        carry_out = LocalTools.call

        def call(tools: LocalTools, *arguments: Any) -> Any:
            self.has_begun.set()
            assert self.may_go_on.wait(PATIENCE_S)
            return carry_out(tools, *arguments)

        monkeypatch.setattr(LocalTools, "call", call)


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> HeldUp:
    return HeldUp(monkeypatch)


async def event_of(live: LiveServer, tools: HeldUp, tool: str, arguments: dict[str, Any]) -> Event:
    """The event of a call whose caller leaves while it runs."""
    store, calls = live.server.review.store, live.server.review.calls
    async with live.client() as client:
        call = asyncio.create_task(client.call_tool(tool, arguments))
        assert await asyncio.to_thread(tools.has_begun.wait, PATIENCE_S)
        call.cancel()
        await live.logged("request_abandoned", tool=tool)
    ended = asyncio.Event()
    calls.on_change = ended.set
    tools.may_go_on.set()
    if calls.running:
        await asyncio.wait_for(ended.wait(), PATIENCE_S)
    assert await asyncio.to_thread(store.settle, PATIENCE_S)
    (event,) = store.events()
    return event


async def test_what_it_wrote_can_be_undone_and_taken_back_as_one(
    tmp_path: Path, tools: HeldUp
) -> None:
    async with LiveServer(project=make_project(tmp_path / "Game")) as live:
        sent = new_script_and_edit("Assets/Made.cs")
        event = await event_of(live, tools, "edit_scripts", sent)
        assert (event.outcome, event.client) == (Outcome.APPLIED, "mcp")
        assert event.undo is not None
        assert {each.path for each in event.files} == {SCRIPT, "Assets/Made.cs"}
        plan = await asyncio.to_thread(live.server.review.take_back.plan, event.number)
        assert {each.path: each.then for each in plan.files} == {
            SCRIPT: SOURCE,
            "Assets/Made.cs": None,
        }


async def test_a_rehearsal_is_no_event_of_its_own(tmp_path: Path, tools: HeldUp) -> None:
    async with LiveServer(project=make_project(tmp_path / "Game")) as live:
        await live.server.review.held.set(HoldSetting(is_on=True))
        event = await event_of(live, tools, "edit_snippet", edit("apply"))
        assert (event.outcome, event.line) == (
            Outcome.FAILED,
            "The caller left before the call ended.",
        )


async def test_a_refusal_has_no_difference_of_what_was_only_offered(tmp_path: Path) -> None:
    async with LiveServer(project=make_project(tmp_path / "Game")) as live:
        async with live.client() as client:
            refused = error(await client.call_tool("edit_snippet", edit("aply")))
        assert refused["details"]["offers"]
        store = live.server.review.store
        assert await asyncio.to_thread(store.settle, PATIENCE_S)
        (event,) = store.events()
        assert event.outcome is Outcome.REFUSED
        assert [(each.path, each.is_unknown) for each in event.files] == [(SCRIPT, True)]
