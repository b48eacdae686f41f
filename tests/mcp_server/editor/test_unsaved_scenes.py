"""Nothing is written over what the Editor has open and not saved."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fake_editor import FakeEditor
from live_server import LiveServer
from running_server import RunningServer, run_cli

from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import ToolResult
from mcp_server.review.take_back.plans import PUT_TEXTS
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import content_hash

pytestmark = pytest.mark.anyio

SCENE = "Assets/Main.unity"
TEXT, NEW = b"%YAML 1.1\n", b"%YAML 1.1\nmore: 1\n"
FILE = {"path": SCENE, "expectedHash": content_hash(TEXT), "content": b64encode(NEW).decode()}
PUT: dict[str, Any] = {"mode": "apply", "files": [FILE]}


@pytest.fixture
async def live(project: Path) -> AsyncIterator[LiveServer]:
    (project / SCENE).write_bytes(TEXT)
    async with LiveServer(project=project) as server:
        yield server


async def put(live: LiveServer) -> Any:
    return await live.server.coordinator.call(PUT_TEXTS, PUT)


async def test_it_is_refused_by_name(live: LiveServer, project: Path) -> None:
    await live.editor(unsaved=[SCENE]).connect()
    refused = await put(live)
    assert isinstance(refused, ToolError)
    assert SCENE in refused.message
    assert (project / SCENE).read_bytes() == TEXT


async def test_what_else_is_open_is_no_obstacle_and_the_undo_is_asked_about_too(
    live: LiveServer, project: Path
) -> None:
    editor = await live.editor(unsaved=["Assets/Other.unity"]).connect()
    done = await put(live)
    assert isinstance(done, ToolResult)
    assert (project / SCENE).read_bytes() == NEW
    editor.unsaved = [SCENE]
    undo = {"changeId": done.structured["changeId"]}
    async with live.client() as client:
        refused = await client.call_tool("undo_snippet", undo)
        assert refused.is_error
        assert SCENE in refused.content[0].text
        assert (project / SCENE).read_bytes() == NEW
        editor.unsaved = []
        assert not (await client.call_tool("undo_snippet", undo)).is_error
    assert (project / SCENE).read_bytes() == TEXT


async def test_a_commands_call_is_refused_too(project: Path) -> None:
    (project / "Library").mkdir(exist_ok=True)
    (project / SCENE).write_bytes(TEXT)
    engine = SnippetEngine.open(project)
    assert isinstance(engine, SnippetEngine)
    done = engine.put_texts(PUT)
    assert not isinstance(done, SnippetError)
    with RunningServer("--lsp", "off", cwd=project) as server:
        editor = FakeEditor(f"ws://127.0.0.1:{server.port}/unity", unsaved=[SCENE])
        await editor.connect()
        asked = json.dumps({"changeId": done["changeId"]})
        call = ("tool", "call", "undo_snippet", "--json", asked)
        undo = partial(run_cli, *call, cwd=project)
        refused = await asyncio.to_thread(undo)
        assert refused.returncode != 0
        assert SCENE in refused.stderr
        assert (project / SCENE).read_bytes() == NEW
        await editor.close()


async def test_an_editor_that_does_not_tell_holds_up_nothing(
    live: LiveServer, project: Path
) -> None:
    await live.editor().connect()
    assert isinstance(await put(live), ToolResult)
    assert (project / SCENE).read_bytes() == NEW
