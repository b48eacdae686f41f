"""Calls that wait for the Editor tell that they do, over a real MCP client, on both roads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from live_server import LiveServer
from pipeline_editor import PipelineEditor

from mcp_server.host.config import EditorRoad
from unity_bridge.timing import Pace

pytestmark = pytest.mark.anyio

NOTICES = 2
EDIT = {
    "operation": "replace",
    "anchor": {"type": "text", "target": "class Player"},
    "newText": "class Hero",
}
GATED = {"path": "Assets/Scripts/Player.cs", "mode": "apply", "editorGate": "compile"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read_console", {}),
    ("control_play_mode", {"action": "start"}),
    ("compile", {}),
    ("run_tests", {"compile_first": False}),
    ("edit_snippet", {**GATED, "instructions": [EDIT]}),
    (
        "edit_scripts",
        {
            "changes": [{"path": GATED["path"], "instructions": [EDIT]}],
            "mode": "apply",
            "editorGate": "compile",
        },
    ),
]
HELD = {"console", "editor_play", "recompile", "run_tests"}


@pytest.fixture(params=["plugin", "pipeline"])
async def silent(
    request: pytest.FixtureRequest, project: Path, pace: Pace
) -> AsyncIterator[LiveServer]:
    """A server whose Editor takes whatever it is asked, and says nothing."""
    chosen = EditorRoad(request.param)
    async with LiveServer(project=project, pace=pace, editor=chosen) as live:
        if chosen is EditorRoad.PLUGIN:
            editor = await live.editor(held=True).connect()
            yield live
            await editor.close()
            return
        with PipelineEditor(project, held=HELD) as unity:
            await live.logged("editor_state", state="ready", connected=True)
            yield live
            unity.released.set()


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[name for name, _ in CALLS])
async def test_a_call_that_takes_long_tells_that_it_goes_on(
    silent: LiveServer, tool: str, arguments: dict[str, Any]
) -> None:
    heard: list[tuple[float, float | None, str | None]] = []
    enough = asyncio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))
        if len(heard) >= NOTICES:
            enough.set()

    async with silent.client() as client:
        call = asyncio.create_task(client.call_tool(tool, arguments, progress_callback=hear))
        ended = asyncio.create_task(enough.wait())
        await asyncio.wait({call, ended}, timeout=20, return_when=asyncio.FIRST_COMPLETED)
        assert enough.is_set(), (heard, call)
        call.cancel()
    told = [progress for progress, _, _ in heard]
    assert told == sorted(set(told)), "each is later than the one before"
    assert all(message for _, _, message in heard)
