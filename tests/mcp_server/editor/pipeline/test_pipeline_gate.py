"""``editorGate`` over Unity's Pipeline package: an edit that stays only if Unity compiles it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from call_results import error, result
from live_server import LiveServer
from pipeline_editor import PipelineEditor

from mcp_server.contract.catalog import CATALOG
from mcp_server.host.config import EditorRoad
from snippet_engine.errors import MAX_MESSAGE_LENGTH
from unity_bridge.timing import Pace, Timing

pytestmark = pytest.mark.anyio

SCRIPT = "Assets/Scripts/Player.cs"
LONG_S = 600
SOON = Timing(**{each.name: getattr(Timing(), each.name) / 10 for each in fields(Timing)})
"""Windows a tenth as long."""


@dataclass
class ReadingEditor(PipelineEditor):
    """One that reads the script, and compiles ``class Hero`` for ever if told to."""

    compiles_heroes_for_ever: bool = False
    read: bytes = b""

    def run_command(self, name: str, parameters: dict[str, Any], caller: str) -> Any:
        if name == "recompile":
            script = (self.project / SCRIPT).read_bytes()
            if script != self.read:
                self.read, hero = script, b"class Hero" in script
                self.edit()
                self.compile_s = LONG_S if hero and self.compiles_heroes_for_ever else 0.02
        return super().run_command(name, parameters, caller)


def edit(tool: str) -> dict[str, Any]:
    instruction = {
        "operation": "replace",
        "anchor": {"type": "text", "target": "class Player"},
        "newText": "class Hero",
    }
    change = {"path": SCRIPT, "instructions": [instruction]}
    gated = {"mode": "apply", "editorGate": "compile", "include": ["full"]}
    return {**change, **gated} if tool == "edit_snippet" else {"changes": [change], **gated}


@pytest.fixture
def unity(project: Path) -> Iterator[ReadingEditor]:
    with ReadingEditor(project) as editor:
        yield editor
        editor.stop()


@pytest.fixture
async def live(project: Path, pace: Pace, unity: ReadingEditor) -> AsyncIterator[LiveServer]:
    """A server that has found the Editor."""
    async with LiveServer(
        project=project, editor=EditorRoad.PIPELINE, pace=pace, timing=SOON
    ) as server:
        await server.logged("editor_state", state="ready", connected=True)
        yield server


async def gated(live: LiveServer, tool: str) -> dict[str, Any]:
    async with live.client() as client:
        done = result(await client.call_tool(tool, edit(tool)), tool)
    jsonschema.validate(done, CATALOG[tool].answer_schema)
    return done


async def test_an_editor_that_crashes_in_between_leaves_the_edit(
    live: LiveServer, unity: ReadingEditor, project: Path
) -> None:
    unity.compiles_heroes_for_ever = True
    call = asyncio.create_task(gated(live, "edit_snippet"))
    await asyncio.to_thread(
        unity.wait_until, lambda: unity.state == "compiling" and unity.compile_s == LONG_S
    )
    await asyncio.to_thread(unity.crash)
    await asyncio.to_thread(unity.restart)
    done = await call
    assert (done["status"], done["compile"]["status"]) == ("applied", "unknown")
    assert done["compile"]["reason"].startswith("the edit is in place; ")
    assert b"class Hero" in (project / SCRIPT).read_bytes()


async def test_an_editor_that_sees_no_change_has_not_compiled_it(
    live: LiveServer, unity: ReadingEditor, project: Path
) -> None:
    """Out of focus, its refresh finds nothing."""
    async with live.client() as client:
        result(await client.call_tool("compile"), "compile")
    unity.blind = True
    done = await gated(live, "edit_snippet")
    assert (done["status"], done["compile"]["status"]) == ("applied", "unknown")
    assert done["compile"]["stale_view"] == [SCRIPT]
    assert "doesn't see the change" in done["compile"]["reason"]


async def test_in_play_mode_nothing_is_written(
    live: LiveServer, unity: ReadingEditor, project: Path
) -> None:
    before = (project / SCRIPT).read_bytes()
    unity.play_mode = "playing"
    async with live.client() as client:
        problem = error(await client.call_tool("edit_snippet", edit("edit_snippet")))
        assert (problem["code"], problem["retryable"]) == ("ERR_UNITY_EXECUTION", False)
        assert problem["details"]["execution_guarantee"] == "not_executed"
        assert problem["message"].startswith("Nothing was written (ERR_INVALID_STATE): ")
        assert 'control_play_mode {"action": "stop"}, or compile ' in problem["message"]
        assert problem["message"].endswith('{"stop_play_mode": true}.')
        assert len(problem["message"]) <= MAX_MESSAGE_LENGTH
        assert (project / SCRIPT).read_bytes() == before
        result(await client.call_tool("control_play_mode", {"action": "stop"}), "control_play_mode")
        result(await client.call_tool("edit_snippet", edit("edit_snippet")), "edit_snippet")
    assert (project / SCRIPT).read_bytes() != before
