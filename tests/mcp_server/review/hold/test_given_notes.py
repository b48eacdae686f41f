"""Notes that agents get with their next answer, over MCP and by hooks, from a real server."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from call_results import error, result
from live_server import LiveServer
from mcp import types
from running_server import SCRIPT, edit

from mcp_server.review.hold.held_calls import HoldSetting
from mcp_server.review.hold.notes import MAX_IN_ANSWER, Note

pytestmark = pytest.mark.anyio

TEXT = "Keep the old name. <script>alert(1)</script>"


def note(text: str = TEXT, **more: Any) -> Note:
    known: dict[str, Any] = {"session": None, "client": None, **more}
    return Note(0, text, 0.0, 7, "entry 7: edit of Player.cs", **known)


def write(live: LiveServer, text: str = TEXT, **more: Any) -> None:
    written = replace(note(text, **more), written_s=time.time())
    assert live.server.review.notes.write(written)


async def session_of(live: LiveServer, client: Any) -> str | None:
    """The session of a client, as a held call of it has it."""
    await live.server.review.held.set(HoldSetting(is_on=True))
    call = asyncio.create_task(client.call_tool("edit_snippet", edit("apply")))
    async with asyncio.timeout(30):
        while not live.server.review.held.waiting:
            await live.logs_more()
    (held,) = live.server.review.held.waiting
    live.server.review.held.answer(held.key, approves=False)
    await call
    await live.server.review.held.set(HoldSetting(is_on=False))
    return held.session


async def symbols(client: Any) -> dict[str, Any]:
    return result(await client.call_tool("get_symbols", {"path": SCRIPT}), "get_symbols")


async def test_a_note_comes_with_the_next_answer_once(live: LiveServer) -> None:
    async with live.client(mode="legacy") as client:
        session = await session_of(live, client)
        write(live, session=session, file=SCRIPT, line=5)
        called = await client.call_tool("get_symbols", {"path": SCRIPT})
        given = {"text": TEXT, "about": "entry 7: edit of Player.cs", "file": SCRIPT, "line": 5}
        assert result(called, "get_symbols")["notes"] == [given]
        text = called.content[0].text
        assert f"note from the user, about entry 7: edit of Player.cs, {SCRIPT}:5: Keep" in text
        assert "notes" not in await symbols(client)
    (kept,) = live.server.review.notes.about(7)
    assert kept.given_s is not None
    assert kept.given_with == "get_symbols"


async def test_a_note_comes_with_an_error_too(live: LiveServer) -> None:
    async with live.client(mode="legacy") as client:
        write(live, session=await session_of(live, client))
        refused = error(await client.call_tool("get_symbols", {"path": "Assets/None.cs"}))
        assert [each["text"] for each in refused["details"]["notes"]] == [TEXT]
        undone = error(await client.call_tool("undo_snippet", {"changeId": "no such change"}))
        assert "notes" not in undone["details"]


async def test_another_agent_does_not_get_it(live: LiveServer) -> None:
    other = types.Implementation(name="another-agent", version="1")
    async with (
        live.client(mode="legacy") as client,
        live.client(mode="legacy", client_info=other) as another,
    ):
        write(live, session=await session_of(live, client), client="mcp")
        assert "notes" not in await symbols(another)
        assert "notes" in await symbols(client)


async def test_a_client_without_a_session_is_known_by_its_name(live: LiveServer) -> None:
    agent = types.Implementation(name="some-agent", version="1")
    async with live.client(mode="auto", client_info=agent) as client:
        write(live, session="127.0.0.1:1", client="some-agent")
        assert "notes" in await symbols(client)


async def test_a_note_outlives_the_server(root: Path) -> None:
    agent = types.Implementation(name="some-agent", version="1")
    async with LiveServer(project=root) as live:
        write(live, client="some-agent")
        await live.server.review.notes.saved()
    async with LiveServer(project=root) as live:
        async with live.client(client_info=agent) as client:
            assert [each["text"] for each in (await symbols(client))["notes"]] == [TEXT]
        await live.server.review.notes.saved()
    async with LiveServer(project=root) as live, live.client(client_info=agent) as client:
        assert "notes" not in await symbols(client)


def after_command(root: Path, session: str) -> bytes:
    event = {
        "session_id": session,
        "cwd": str(root),
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_use_id": "t1",
        "tool_input": {"command": "true"},
        "tool_response": {"stdout": ""},
    }
    return json.dumps(event).encode()


async def test_a_hook_gives_it_as_well_once(live: LiveServer, root: Path) -> None:
    write(live, client="claude-code", session="tools")
    url = f"http://127.0.0.1:{live.port}/guard/claude-code"
    headers = {"Content-Type": "application/json"}
    async with httpx2.AsyncClient(trust_env=False) as http:
        told = (await http.post(url, content=after_command(root, "s1"), headers=headers)).json()
        again = (await http.post(url, content=after_command(root, "s1"), headers=headers)).json()
    context = told["hookSpecificOutput"]["additionalContext"]
    assert context.startswith("note from the user, about entry 7: edit of Player.cs: Keep")
    assert again == {}
    (kept,) = live.server.review.notes.about(7)
    assert kept.given_with == "a hook"


@pytest.mark.parametrize("is_anew", [False, True])
async def test_two_agents_of_one_client_get_their_own_and_one_started_anew_all(
    live: LiveServer, is_anew: bool
) -> None:
    async with live.client(mode="legacy") as client, live.client(mode="legacy") as another:
        session = "of an earlier server" if is_anew else await session_of(live, client)
        for number in range(MAX_IN_ANSWER + 1):
            write(live, f"note {number}", session=session, client="mcp")
        assert is_anew or "notes" not in await symbols(another)
        assert len((await symbols(client))["notes"]) == MAX_IN_ANSWER
        assert len((await symbols(client))["notes"]) == 1
        assert "notes" not in await symbols(another)
