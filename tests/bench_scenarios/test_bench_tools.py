"""Every tool that reaches the Editor, from a real MCP client to the package and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from stage import on_stage

from tests.bench.installation import Installation

pytestmark = pytest.mark.anyio

TESTS = (
    "test edit Game.A.Passes passed 10",
    "test edit Game.A.Fails failed 10 Expected: 1  But was: 2",
    "test edit Game.B.Skipped skipped 1 not today",
    "test edit Game.B.Unsure inconclusive 1 it was assumed",
    "test play Game.P.Jumps passed 10",
)


@pytest.mark.sampled(one_in=1_000_000)
async def test_every_tool(on_either: Installation, tmp_path: Path) -> None:
    async with on_stage(on_either, tmp_path) as stage:
        state = await stage.result("get_editor_state")
        assert (state["server_state"], state["editor_state"]) == ("ready", "ready")
        assert state["unity_version"] == "2021.3.45f1"
        assert Path(state["project"]) == tmp_path
        assert state["plugin_version"] == stage.plugin_version

        await stage.do("log log Hello", "log-thread error From a thread", "log warning Careful")
        read = await stage.result("read_console")
        told = [(entry["type"], entry["message"]) for entry in read["entries"]]
        assert told == [("log", "Hello"), ("error", "From a thread"), ("warning", "Careful")]
        assert read["truncated"] is False
        assert await stage.messages(types=["error", "warning"]) == ["From a thread", "Careful"]
        assert await stage.messages(contains="hello") == ["Hello"]
        assert await stage.messages(max_entries=1) == ["Careful"]
        assert await stage.messages(since=read["next_cursor"]) == []
        await stage.do("log assert Later")
        assert await stage.messages(since=read["next_cursor"]) == ["Later"]

        stopped = await stage.result("get_play_mode_state")
        assert stopped == {
            "state": "stopped",
            "is_playing": False,
            "is_paused": False,
            "is_playing_or_will_change_playmode": False,
            "unsaved": [],
        }
        assert (await stage.result("control_play_mode", action="stop"))["accepted"] is True

        await stage.do(*TESTS)
        submitted = await stage.result("run_tests", mode="edit")
        assert submitted["state"] == "queued"
        done = await stage.job(submitted["job_id"], "succeeded")
        summary = done["result"]["summary"]
        assert summary.pop("duration_ms") > 0
        verdicts = {"passed": 1, "failed": 1, "skipped": 1, "inconclusive": 1}
        assert summary == {"total": 4, **verdicts}
        (failed,) = done["result"]["failed_tests"]
        assert failed["name"] == "Game.A.Fails"
        assert failed["message"] == "Expected: 1  But was: 2"
        assert "Tests.cs:1" in failed["stack_trace"]
        cancelled = await stage.result("cancel_job", job_id=submitted["job_id"])
        assert cancelled["status"] == "rejected"


async def test_the_packages_own_messages_are_left_out(
    on_mono: Installation, tmp_path: Path
) -> None:
    async with on_stage(on_mono, tmp_path) as stage:
        await stage.do("log log [Unity MCP] mine", "log log yours")
        assert await stage.messages() == ["yours"]
