"""The same calls over both roads: the package on the bench, and Unity's own package's double.

What the contract fixes is the same, byte for byte. It doesn't fix ids, times, words for people, how
far a change of the play mode has come when it is answered, and fields that only one road can fill.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from live_server import LiveServer
from mcp import Client
from pipeline_editor import PipelineEditor
from pipeline_editor.editor import failed, passed
from stage import Stage, on_stage

from mcp_server.host.config import EditorRoad
from tests.bench.installation import Installation

pytestmark = pytest.mark.anyio

ERROR = "Assets/Player.cs(5,36)", "CS0029", "Cannot implicitly convert type 'int' to 'string'"
FREE = {
    *("job_id", "link", "duration_ms", "next_cursor", "id", "timestamp", "stack_trace", "progress"),
    *(
        "assemblies",
        "last_compiled",
        "note",
        "message",
        "plugin_message",
        "pipeline",
        "filter",
        "unsaved",
    ),
}
"""Fields of which the contract fixes no value, or that one road alone can fill."""

KEPT_MESSAGES = "entries", "errors", "failed_tests"
"""Where a message isn't ours: what was logged, what the compiler and the tests said."""

CONTROLLED = {"is_playing", "is_paused", "is_playing_or_will_change_playmode"}
"""In an answer of ``control_play_mode``: what was seen right after."""


class Plugin:
    """The package on the bench, by way of the plugin's road."""

    def __init__(self, stage: Stage) -> None:
        self.client = stage.client
        self._stage = stage

    async def log(self, kind: str, message: str) -> None:
        await self._stage.do(f"log {kind} {message}")

    async def edit(self, *, broken: bool) -> None:
        place, code, message = ERROR
        await self._stage.do(f"edited {place}: {code}: {message}" if broken else "edited")

    async def have_tests(self) -> None:
        await self._stage.do(
            "test edit Game.A.Passes passed 250",
            "test edit Game.A.Fails failed 500 expected 1, got 2",
        )

    async def settle(self) -> None:
        await self._stage.ready()


class Pipeline:
    """The double, by way of the Pipeline's road."""

    def __init__(self, live: LiveServer, client: Client, unity: PipelineEditor) -> None:
        self.client = client
        self._live = live
        self._unity = unity

    async def log(self, kind: str, message: str) -> None:
        self._unity.log(message, kind.capitalize())

    async def edit(self, *, broken: bool) -> None:
        place, code, message = ERROR
        self._unity.edit(*[f"{place}: error {code}: {message}"] * broken)

    async def have_tests(self) -> None:
        self._unity.tests = [passed("Game.A.Passes"), failed("Game.A.Fails")]

    async def settle(self) -> None:
        await asyncio.to_thread(self._unity.wait_until, lambda: self._unity.state == "ready")


def fixed(told: Any, field: str = "", *, free: set[str] = FREE) -> Any:
    """Of an answer, what the contract fixes."""
    if isinstance(told, list):
        return [fixed(each, field, free=free) for each in told]
    if not isinstance(told, dict):
        return told
    kept = {"message"} if field in KEPT_MESSAGES else set()
    return {
        name: fixed(value, name, free=free)
        for name, value in sorted(told.items())
        if name not in free - kept
    }


async def transcript(road: Plugin | Pipeline) -> list[bytes]:
    """What a client is told, call by call."""
    told: list[bytes] = []

    async def call(tool: str, **arguments: Any) -> dict[str, Any]:
        called = await road.client.call_tool(tool, arguments)
        answer = dict(called.structured_content or {})
        free = FREE | CONTROLLED if tool == "control_play_mode" else FREE
        line = {"tool": tool, "isError": called.is_error, "told": fixed(answer, free=free)}
        told.append(json.dumps(line).encode())
        return answer

    async def run(**arguments: Any) -> None:
        job_id = (await call("run_tests", **arguments)).get("job_id")
        if job_id is None:
            return
        ended: dict[str, Any] = {"state": "queued"}
        while ended["state"] in ("queued", "running"):
            asked = {"job_id": job_id, "wait_ms": 5_000}
            called = await road.client.call_tool("get_job_status", asked)
            ended = dict(called.structured_content or {})
        if ended["state"] == "failed" and "filter" in arguments:
            told.append(ended["result"]["message"].encode())
        told.append(json.dumps(fixed(ended)).encode())
        await call("cancel_job", job_id=job_id)

    async def played(wanted: str) -> None:
        expected = {
            "state": wanted,
            "is_playing": wanted != "stopped",
            "is_paused": wanted == "paused",
            "is_playing_or_will_change_playmode": wanted != "stopped",
        }
        state: dict[str, Any] = {}
        while not expected.items() <= state.items():
            await asyncio.sleep(0.02)
            called = await road.client.call_tool("get_play_mode_state")
            state = dict(called.structured_content or {})
        await road.settle()
        await call("get_play_mode_state")

    for number in range(3):
        await road.log("error", f"line {number}")
    await road.log("warning", "careful")
    await call("read_console", types=["warning"], contains="CARE")
    await call("read_console", max_entries=2)
    await call("read_console", types=["exception"])

    await road.edit(broken=True)
    await road.have_tests()
    await run(mode="edit")
    await call("compile")
    await road.edit(broken=False)
    await call("compile")
    await call("compile")

    await run(mode="edit")
    await run(mode="edit", filter="Game.A.Passes")
    await run(mode="edit", filter="No.Such.Test")
    await call("get_job_status", job_id="nobody")
    await call("cancel_job", job_id="nobody")

    await call("control_play_mode", action="pause")
    await call("control_play_mode", action="start")
    await played("playing")
    await call("compile")
    await call("control_play_mode", action="pause")
    await played("paused")
    await call("control_play_mode", action="stop")
    await played("stopped")
    await call("compile", stop_play_mode=True)
    return told


async def test_the_same_answers_byte_for_byte(on_mono: Installation, tmp_path: Path) -> None:
    here, there = tmp_path / "plugin", tmp_path / "pipeline"
    here.mkdir()
    for part in ("Assets", "Packages", "ProjectSettings"):
        (there / part).mkdir(parents=True)
    async with on_stage(on_mono, here) as stage:
        plugin = await transcript(Plugin(stage))
    with PipelineEditor(there) as unity:
        async with (
            LiveServer(project=there, editor=EditorRoad.PIPELINE) as live,
            live.client() as client,
        ):
            await live.logged("editor_state", state="ready", connected=True)
            pipeline = await transcript(Pipeline(live, client, unity))
    assert len(plugin) > 25
    for one, other in zip(plugin, pipeline, strict=True):
        assert one == other
