"""``compile`` from an MCP client to the package and back, through real domain reloads."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from stage import Stage, on_stage

from tests.bench.editor import BenchEditor
from tests.bench.installation import Installation

pytestmark = pytest.mark.anyio

BROKEN = "edited Assets/Player.cs(5,36): CS0029: Cannot implicitly convert type 'int' to 'string'"
THE_ERROR = {
    "path": "Assets/Player.cs",
    "line": 5,
    "column": 36,
    "code": "CS0029",
    "message": "Cannot implicitly convert type 'int' to 'string'",
}


def reloads(stage: Stage) -> int:
    return sum(event["event"] == "reloaded" for event in stage.editor.events)


async def told(stage: Stage, code: str, **arguments: Any) -> dict[str, Any]:
    """The refusal of a ``compile``, which has the plugin's own code."""
    error = await stage.error("compile", **arguments)
    assert error["details"].get("plugin_error_code") == code, error
    return error


@pytest.mark.sampled(one_in=1_000_000)
async def test_an_edit_that_breaks_the_code_and_its_repair(anywhere: Stage) -> None:
    stage = anywhere
    for _ in range(3):
        await stage.do(BROKEN)
        failed = await stage.result("compile")
        assert (failed["status"], failed["errors"]) == ("failed", [THE_ERROR])
        assert failed["reloaded"] is False
        assert failed["link"] == "plugin"
        before = reloads(stage)
        await stage.do("edited")
        mended = await stage.result("compile")
        assert (mended["status"], mended["errors"], mended["reloaded"]) == ("succeeded", [], True)
        assert mended["assemblies"] == ["Assembly-CSharp"]
        assert reloads(stage) == before + 1
    nothing = await stage.result("compile")
    assert (nothing["status"], nothing["assemblies"]) == ("up_to_date", [])
    assert nothing["last_compiled"] == mended["last_compiled"]
    assert stage.live.server.link.view.ready


async def test_nothing_is_known_of_what_came_before(stage: Stage) -> None:
    result = await stage.result("compile")
    assert result["status"] == "up_to_date"
    assert "last_compiled" not in result


async def test_warnings_come_along(stage: Stage) -> None:
    await stage.do("edited-warn Assets/Player.cs(1,2): CS0168: 'x' is never used")
    result = await stage.result("compile")
    assert result["status"] == "succeeded"
    assert [each["code"] for each in result["warnings"]] == ["CS0168"]


async def test_errors_from_before_the_package_was_loaded(stage: Stage) -> None:
    await stage.do("broken-before Assets/Player.cs(5,36): CS0029: no")
    result = await stage.result("compile")
    assert (result["status"], result["errors"][0]["code"]) == ("failed", "CS0029")


async def test_an_editor_without_focus_and_without_auto_refresh(stage: Stage) -> None:
    """Neither imports what was edited by itself: it is asked to."""
    await stage.do("auto-refresh off", BROKEN, "unfocus")
    assert (await stage.result("compile"))["errors"] == [THE_ERROR]
    await stage.do("edited", "focus")
    assert (await stage.result("compile"))["status"] == "succeeded"


async def joined(stage: Stage, calls: int) -> None:
    """Until the Editor has accepted so many calls."""
    for _ in range(calls):
        await stage.logged("job_accepted", tool="compile")


async def test_who_asks_while_one_runs_gets_the_same_result(stage: Stage) -> None:
    await stage.do("hold-compilation on", "edited")
    async with asyncio.TaskGroup() as group:
        calls = [group.create_task(stage.result("compile")) for _ in range(5)]
        await joined(stage, 5)
        await stage.do("hold-compilation off")
    first, *others = [call.result() for call in calls]
    assert first["status"] == "succeeded"
    assert all(other == first for other in others)
    assert reloads(stage) == 1


async def test_what_was_edited_while_one_runs_is_part_of_its_result(stage: Stage) -> None:
    """Who joins may have edited something that the compilation that runs has not seen."""
    await stage.do("hold-compilation on", "edited")
    first = asyncio.create_task(stage.result("compile"))
    await stage.wait("compiling")
    await stage.do(BROKEN)
    second = asyncio.create_task(stage.result("compile"))
    await joined(stage, 2)
    await stage.do("hold-compilation off")
    result = await second
    assert (result["status"], result["errors"]) == ("failed", [THE_ERROR])
    assert await first == result


async def test_what_somebody_else_compiles_is_waited_for(stage: Stage) -> None:
    await stage.do("hold-compilation on", "compile")
    call = asyncio.create_task(stage.result("compile"))
    await joined(stage, 1)
    await stage.do("hold-compilation off")
    result = await call
    assert (result["status"], result["reloaded"]) == ("succeeded", True)
    assert reloads(stage) == 1


async def test_play_mode(stage: Stage) -> None:
    await stage.do("edited", "play")
    await stage.wait("play_mode", playing=True)
    await stage.ready()
    error = await told(stage, "ERR_INVALID_STATE")
    for call in ('control_play_mode {"action": "stop"}', 'compile {"stop_play_mode": true}.'):
        assert call in error["message"]
    assert error["details"]["execution_guarantee"] == "not_executed"
    result = await stage.result("compile", stop_play_mode=True)
    assert result["status"] == "succeeded"
    assert (await stage.result("get_play_mode_state"))["state"] == "stopped"


async def test_a_lock_on_reloads(stage: Stage) -> None:
    await stage.do("lock-reload", "edited")
    error = await told(stage, "ERR_RELOAD_LOCKED")
    assert "LockReloadAssemblies" in error["details"]["plugin_message"]
    # The Editor says that it compiles, and would for hours: that is told at once now.
    await told(stage, "ERR_RELOAD_LOCKED")
    await stage.do("unlock-reload")
    assert (await stage.result("compile"))["status"] == "succeeded"


async def test_compiled_but_not_loaded(stage: Stage) -> None:
    await stage.do("lock-after-compilation", "edited")
    result = await stage.result("compile")
    assert (result["status"], result["reloaded"]) == ("succeeded", False)
    assert "LockReloadAssemblies" in result["note"]
    assert reloads(stage) == 0


async def test_a_main_thread_that_is_blocked(stage: Stage) -> None:
    """By a dialog, for example: nothing has begun, and that is known without it."""
    stage.editor.tell("freeze")
    await stage.wait("frozen")
    error = await stage.error("compile")
    assert error["code"] == "ERR_EDITOR_NOT_READY"
    assert "blocked" in error["message"]
    assert error["details"]["execution_guarantee"] == "not_executed"
    await stage.logged("editor_state", blocked=True)
    stage.editor.tell("thaw")
    await stage.logged("editor_state", blocked=False)
    assert (await stage.result("compile"))["status"] == "up_to_date"


async def test_a_main_thread_that_stops_is_seen_without_it(stage: Stage) -> None:
    stage.editor.tell("freeze")
    await stage.wait("frozen")
    await stage.logged("editor_state", blocked=True)
    state = await stage.result("get_editor_state")
    assert state["blocked"]["for_ms"] >= 2000
    stage.editor.tell("thaw")
    await stage.logged("editor_state", blocked=False)
    assert "blocked" not in await stage.result("get_editor_state")


async def test_an_import_that_blocks_the_main_thread_is_waited_for(stage: Stage) -> None:
    await stage.do("import-blocks 3000", BROKEN)
    result = await stage.result("compile")
    assert result["errors"] == [THE_ERROR]


async def test_an_import_beside_the_main_loop_is_waited_for(stage: Stage) -> None:
    heard = asyncio.Event()

    async def on_progress(_progress: float, _total: float | None, message: str | None) -> None:
        if message == "importing assets":
            heard.set()

    await stage.do("importing on")
    call = asyncio.create_task(stage.client.call_tool("compile", {}, progress_callback=on_progress))
    await heard.wait()
    await stage.do("importing off")
    result = (await call).structured_content
    assert result is not None
    assert result["status"] == "up_to_date"


async def test_running_tests_are_not_ended(stage: Stage) -> None:
    await stage.do("test edit Game.A.Endless passed 600000")
    job = (await stage.result("run_tests", mode="edit"))["job_id"]
    await stage.wait("test_started", name="Game.A.Endless")
    await stage.do("edited")
    await told(stage, "ERR_INVALID_STATE")
    await stage.result("cancel_job", job_id=job)
    await stage.job(job, "cancelled")
    assert (await stage.result("compile"))["status"] == "succeeded"


async def test_a_killed_editor_is_unknown_and_the_next_one_compiles(
    on_mono: Installation, tmp_path: Path
) -> None:
    async with on_stage(on_mono, tmp_path) as stage:
        await stage.do("hold-compilation on", "edited")
        call = asyncio.create_task(stage.error("compile"))
        await stage.wait("compiling")
        stage.editor.kill()
        with BenchEditor(on_mono, tmp_path) as editor:
            again = Stage(stage.live, editor, stage.client)
            error = await call
            assert error["code"] == "ERR_RECONNECT_TIMEOUT"
            assert error["details"]["execution_guarantee"] == "unknown"
            await again.do(BROKEN)
            assert (await again.result("compile"))["errors"] == [THE_ERROR]
