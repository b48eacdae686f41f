"""Two roads to one Editor: which is taken, when they are switched, and that both say the same."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from call_results import error, job_end, refused, result, succeeded
from fake_editor import FakeEditor
from live_server import LiveServer
from mcp import Client
from pipeline_editor import PipelineEditor

from mcp_server.host.config import EditorRoad
from unity_bridge.timing import Pace

pytestmark = pytest.mark.anyio

OPEN_LINE = [{"type": "log", "message": "from the plugin", "stack_trace": ""}]


@pytest.fixture
def both(project: Path) -> Iterator[PipelineEditor]:
    """An Editor with Unity's package, that ours may be in, too."""
    with PipelineEditor(project) as editor:
        yield editor


@pytest.fixture
async def auto(project: Path, pace: Pace) -> AsyncIterator[LiveServer]:
    """A server that takes whichever road there is."""
    async with LiveServer(project=project, pace=pace) as server:
        yield server


async def link_of(client: Client) -> str:
    seen = await succeeded(client, "get_editor_state")
    return str(seen["link"])


async def becomes(client: Client, link: str) -> None:
    async with asyncio.timeout(20):
        while await link_of(client) != link:
            await asyncio.sleep(0)


async def read(client: Client) -> list[str]:
    console = await succeeded(client, "read_console")
    return [each["message"] for each in console["entries"]]


async def test_a_connected_plugin_wins(auto: LiveServer, both: PipelineEditor) -> None:
    both.log("from the Pipeline")
    async with auto.client() as client:
        await becomes(client, "pipeline")
        assert await read(client) == ["from the Pipeline"]
        plugin = await auto.editor(console=OPEN_LINE).connect()
        await becomes(client, "plugin")
        assert await read(client) == ["from the plugin"]
        await plugin.close()
        await becomes(client, "pipeline")
        assert await read(client) == ["from the Pipeline"]


async def test_no_switch_while_a_request_is_with_the_editor(
    auto: LiveServer, both: PipelineEditor
) -> None:
    both.held.add("console")
    both.log("from the Pipeline")
    async with auto.client() as client:
        await becomes(client, "pipeline")
        reading = asyncio.create_task(read(client))
        await asyncio.to_thread(both.wait_until, lambda: bool(both.did("console")))
        plugin = await auto.editor(console=OPEN_LINE).connect()
        assert await link_of(client) == "pipeline"
        both.released.set()
        assert await reading == ["from the Pipeline"]
        await becomes(client, "plugin")
        assert plugin.executed == []
        assert len(both.did("console")) == 1


async def test_a_job_stays_with_its_road(auto: LiveServer, both: PipelineEditor) -> None:
    both.ends_tests = False
    async with auto.client() as client:
        await becomes(client, "pipeline")
        started = await succeeded(client, "run_tests")
        plugin = await auto.editor().connect()
        await becomes(client, "plugin")
        await asyncio.to_thread(both.wait_until, lambda: both.run is not None)
        both.finish_tests()
        assert (await job_end(client, started["job_id"]))["state"] == "succeeded"
        assert plugin.jobs == {}


async def test_a_plugin_s_job_is_not_taken_for_lost(auto: LiveServer, both: PipelineEditor) -> None:
    plugin = await auto.editor(hello={"editor_instance_id": "one", "heartbeat": "ping"}).connect()
    async with auto.client() as client:
        await becomes(client, "plugin")
        started = await succeeded(client, "run_tests")
        await plugin.close()
        await becomes(client, "pipeline")
        called = await client.call_tool("get_job_status", {"job_id": started["job_id"]})
        if called.is_error:
            assert error(called)["code"] == "ERR_UNITY_DISCONNECTED"
        else:
            assert result(called, "get_job_status")["state"] in ("queued", "running")


async def test_plugin_alone(project: Path, pace: Pace, both: PipelineEditor) -> None:
    async with LiveServer(project=project, pace=pace, editor=EditorRoad.PLUGIN) as live:
        await live.editor().connect()
        async with live.client() as client:
            assert await link_of(client) == "plugin"
    assert both.asked == []


async def test_pipeline_alone(project: Path, pace: Pace, both: PipelineEditor) -> None:
    async with LiveServer(project=project, pace=pace, editor=EditorRoad.PIPELINE) as live:
        await live.logged("editor_state", state="ready", connected=True)
        with pytest.raises(Exception, match=r"HTTP 40[34]"):
            await live.editor().open()


# -- the same answers on both --------------------------------------------------------------------

Prepare = Callable[[], None]


class Road:
    """An Editor on one road, prepared by what they have in common."""

    def __init__(self, live: LiveServer, editor: FakeEditor | PipelineEditor) -> None:
        self.live = live
        self.editor = editor

    def say(self, kind: str, message: str) -> None:
        if isinstance(self.editor, PipelineEditor):
            self.editor.log(message, kind.capitalize())
        else:
            self.editor.console.append({"type": kind, "message": message, "stack_trace": "at A"})


@pytest.fixture(params=["plugin", "pipeline"])
async def road(request: pytest.FixtureRequest, project: Path, pace: Pace) -> AsyncIterator[Road]:
    """Each road in turn."""
    chosen = EditorRoad(request.param)
    async with LiveServer(project=project, pace=pace, editor=chosen) as live:
        if chosen is EditorRoad.PLUGIN:
            editor = live.editor()
            yield Road(live, await editor.connect())
            await editor.close()
            return
        with PipelineEditor(project) as unity:
            await live.logged("editor_state", state="ready", connected=True)
            yield Road(live, unity)


def plain(read: dict[str, Any]) -> dict[str, Any]:
    """Without what only one of the roads knows."""
    for name in ("id", "timestamp"):
        for entry in read["entries"]:
            entry.pop(name, None)
    read.pop("next_cursor", None)
    return read


async def test_both_answer_alike(road: Road) -> None:
    for number in range(3):
        road.say("error", f"line {number}")
    road.say("warning", "careful")
    async with road.live.client() as client:

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            return result(await client.call_tool(tool, arguments), tool)

        careful = {"type": "warning", "message": "careful", "stack_trace": "at A"}
        assert plain(await call("read_console", types=["warning"], contains="CARE")) == {
            "entries": [careful],
            "count": 1,
            "truncated": False,
        }
        last = {"type": "error", "message": "line 2", "stack_trace": "at A"}
        assert plain(await call("read_console", max_entries=2)) == {
            "entries": [last, careful],
            "count": 2,
            "truncated": True,
        }
        stopped = {
            "is_playing": False,
            "is_paused": False,
            "is_playing_or_will_change_playmode": False,
        }
        assert await call("get_play_mode_state") == {"state": "stopped", **stopped}
        accepted = {"action": "stop", "accepted": True}
        assert await call("control_play_mode", action="stop") == {**accepted, **stopped}
        started = await call("run_tests", mode="edit")
        assert started["state"] == "queued"
        called = await client.call_tool("control_play_mode", {"action": "pause"})
        problem = error(called)
        assert problem["code"] == "ERR_UNITY_EXECUTION"
        assert problem["details"]["plugin_error_code"] == "ERR_INVALID_STATE"
        assert problem["details"]["execution_guarantee"] == "completed_error"
        called = await client.call_tool("get_job_status", {"job_id": "nobody"})
        assert error(called)["code"] == "ERR_JOB_NOT_FOUND"


async def test_verdicts_are_counted_by_their_names(
    project: Path, pace: Pace, both: PipelineEditor
) -> None:
    """As the package counts them on the other road: see the bench's scenario of every tool."""
    words = {"Passed": "A.Passes", "Skipped": "B.Skipped", "Inconclusive": "B.Unsure"}
    both.tests = [{"fullName": name, "status": word} for word, name in words.items()]
    async with (
        LiveServer(project=project, pace=pace, editor=EditorRoad.PIPELINE) as live,
        live.client() as client,
    ):
        await live.logged("editor_state", state="ready", connected=True)
        started = await succeeded(client, "run_tests")
        job = await job_end(client, started["job_id"])
    summary = job["result"]["summary"]
    del summary["duration_ms"]
    counts = {"passed": 1, "failed": 0, "skipped": 1, "inconclusive": 1}
    assert summary == {"total": 3, **counts}


@pytest.mark.parametrize("chosen", EditorRoad)
async def test_safe_mode_is_thought_of_on_each_road(
    chosen: EditorRoad, project: Path, pace: Pace
) -> None:
    PipelineEditor(project).enter_safe_mode()
    async with LiveServer(project=project, pace=pace, editor=chosen) as live, live.client() as it:
        async with asyncio.timeout(20):
            while True:
                called = await it.call_tool("get_editor_state")
                state = result(called, "get_editor_state")
                if state["waiting_reason"] == "maybe_safe_mode":
                    break
        assert (state["connected"], state["link"]) == (False, "none")
        problem = await refused(it, "read_console")
        assert problem["code"] == "ERR_EDITOR_NOT_READY"
        assert problem["message"] == (
            "read_console did not run: Unity has the project open, but no package in it answers. "
            "It may be in Safe Mode because of compile errors; edit_snippet can repair them "
            "without the Editor."
        )
        assert problem["details"] == {
            "waiting_reason": "maybe_safe_mode",
            "execution_guarantee": "not_executed",
        }
        if chosen is not EditorRoad.PIPELINE:  # it has left Safe Mode
            await live.editor().connect()
            await becomes(it, "plugin")
            called = await it.call_tool("get_editor_state")
            assert "waiting_reason" not in result(called, "get_editor_state")


async def test_safe_mode_after_a_crash_is_thought_of(project: Path, pace: Pace) -> None:
    """The Editor that crashed has left its descriptor."""
    unity = PipelineEditor(project).start()
    unity.crash()
    async with LiveServer(project=project, pace=pace) as live, live.client() as client:
        await live.logged("pipeline_absent")
        called = await client.call_tool("get_editor_state")
        assert result(called, "get_editor_state")["waiting_reason"] == "no_editor"
        lock = project / "Temp" / "UnityLockfile"
        later_ns = unity.descriptor_path.stat().st_mtime_ns + 1_000_000_000
        os.utime(lock, ns=(later_ns, later_ns))
        await live.logged("editor_state", connected=False)
        called = await client.call_tool("get_editor_state")
        assert result(called, "get_editor_state")["waiting_reason"] == "maybe_safe_mode"


async def test_an_id_is_used_once_on_both(road: Road) -> None:
    arguments = {"action": "stop", "client_request_id": "mine"}
    async with road.live.client() as client:
        first = await succeeded(client, "control_play_mode", **arguments)
        again = await succeeded(client, "control_play_mode", **arguments)
        assert again == {**first, "replayed": True}
