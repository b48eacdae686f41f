"""What the timeline says of this moment, over HTTP, with an Editor and without one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from call_results import result
from fake_editor import PATIENCE_S, FakeEditor
from live_server import LiveServer
from review_person import Person, words
from running_server import make_project

pytestmark = pytest.mark.anyio


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[LiveServer]:
    async with LiveServer(project=make_project(tmp_path / "Game")) as server:
        yield server


@pytest.fixture
async def person(live: LiveServer) -> AsyncIterator[Person]:
    async with Person(live.port) as somebody:
        yield somebody


async def shows(person: Person, text: str) -> None:
    """Wait until the page shows ``text``."""
    async with asyncio.timeout(PATIENCE_S):
        while text not in words(await person.view("/")):
            await asyncio.sleep(0.05)


async def test_without_an_editor(person: Person) -> None:
    said = words(await person.view("/"))
    assert "Unity Editor not connected Compiler off" in said
    assert "Play mode" not in said


async def test_the_editors_state_and_play_mode(live: LiveServer, person: Person) -> None:
    editor = await live.editor().connect()
    first = words(await person.view("/"))
    assert "Unity Editor ready since " in first
    assert "Play mode stopped (asked at " in first
    async with live.client() as client:
        result(await client.call_tool("control_play_mode", {"action": "play"}), "control_play_mode")
    await shows(person, "Play mode playing (asked at ")
    await editor.close()
    await shows(person, "Unity Editor not connected since ")


async def test_a_page_does_not_wait_for_an_editor_that_is_silent(
    live: LiveServer, person: Person
) -> None:
    editor: FakeEditor = await live.editor().connect()
    editor.held = True
    assert "Play mode not known yet" in words(await person.view("/"))


async def test_a_busy_editor_is_not_asked(live: LiveServer, person: Person) -> None:
    editor = await live.editor().connect("compiling")
    said = words(await person.view("/"))
    assert "Unity Editor compiling since " in said
    assert "Play mode not known yet" in said
    assert editor.count("execute") == 0
