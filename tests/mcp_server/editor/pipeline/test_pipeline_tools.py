"""The Editor's tools over Unity's Pipeline package: real HTTP, in every dialect."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from call_results import job_end, refused, succeeded
from live_server import LiveServer
from mcp import Client
from pipeline_editor import PipelineEditor
from pipeline_editor.dialects import Dialect
from pipeline_editor.editor import failed, passed

from unity_bridge.pipeline.conversations.compile_errors import located

pytestmark = pytest.mark.anyio


async def test_editor_state_names_the_road(client: Client, unity: PipelineEditor) -> None:
    seen = await succeeded(client, "get_editor_state")
    assert seen == {
        "server_state": "ready",
        "editor_state": "ready",
        "connected": True,
        "last_editor_status_seq": 0,
        "link": "pipeline",
        "unity_version": "6000.2.1f1",
        "project": str(unity.project),
    }


async def test_the_console_is_read(client: Client, unity: PipelineEditor, dialect: Dialect) -> None:
    for number in range(5):
        unity.log(f"line {number}", "Error" if number % 2 else "Log")
    unity.log("careful", "Warning")
    unity.log("broken", "Exception")
    read = await succeeded(client, "read_console", max_entries=2)
    assert [each["type"] for each in read["entries"]] == ["warning", "exception"]
    assert read["count"] == 2
    assert read["truncated"]
    errors = await succeeded(client, "read_console", types=["error"], contains="LINE")
    assert [each["message"] for each in errors["entries"]] == ["line 1", "line 3"]
    assert not errors["truncated"]
    assert ("next_cursor" in errors) == dialect.at_least_0_6


async def test_the_console_goes_on_from_a_cursor(
    client: Client, unity: PipelineEditor, dialect: Dialect
) -> None:
    unity.log("first")
    if not dialect.at_least_0_6:
        problem = await refused(client, "read_console", since="x|1")
        assert problem["code"] == "ERR_INVALID_PARAMS"
        assert "since" in problem["message"]
        return
    cursor = (await succeeded(client, "read_console"))["next_cursor"]
    unity.log("second")
    more = await succeeded(client, "read_console", since=cursor)
    assert [each["message"] for each in more["entries"]] == ["second"]
    problem = await refused(client, "read_console", since="nonsense")
    assert problem["code"] == "ERR_INVALID_PARAMS"


async def test_a_result_may_be_json_in_a_string(client: Client, unity: PipelineEditor) -> None:
    unity.result_as_text = True
    unity.log("hello")
    read = await succeeded(client, "read_console")
    assert [each["message"] for each in read["entries"]] == ["hello"]


async def test_the_inner_word_counts(client: Client, unity: PipelineEditor) -> None:
    console = "console" if unity.dialect.at_least_0_6 else "get_console_logs"
    for inner in ({"success": False, "error": "no"}, {"Success": False, "Message": "no"}):
        unity.answer_with[console] = inner
        problem = await refused(client, "read_console")
        assert problem["code"] == "ERR_UNITY_EXECUTION"
        assert problem["details"]["execution_guarantee"] == "completed_error"
        assert problem["details"]["plugin_message"] == "no"
        assert problem["details"]["pipeline"] == inner


async def test_play_mode(client: Client, unity: PipelineEditor) -> None:
    stopped = {
        "is_playing": False,
        "is_paused": False,
        "is_playing_or_will_change_playmode": False,
    }
    playing = {**stopped, "is_playing": True, "is_playing_or_will_change_playmode": True}
    paused = {**playing, "is_paused": True}

    async def control(action: str) -> dict[str, Any]:
        done = await succeeded(client, "control_play_mode", action=action, timeout_ms=30_000)
        assert (done.pop("action"), done.pop("accepted")) == (action, True)
        return done

    assert await succeeded(client, "get_play_mode_state") == {"state": "stopped", **stopped}
    assert await control("stop") == stopped
    assert unity.did("editor_stop") == []
    assert await control("start") == playing
    assert unity.reloads == 1
    assert await control("start") == playing
    assert await control("pause") == paused
    assert await control("pause") == paused
    assert len(unity.did("editor_pause")) == 1, "it is a toggle"
    assert await succeeded(client, "get_play_mode_state") == {"state": "paused", **paused}
    assert await control("start") == playing
    assert len(unity.did("editor_pause")) == 2
    assert await control("pause") == paused
    assert await control("stop") == stopped
    assert len(unity.did("editor_play")) == len(unity.did("editor_stop")) == 1
    problem = await refused(client, "control_play_mode", action="pause")
    assert problem["code"] == "ERR_UNITY_EXECUTION"
    assert problem["details"]["plugin_error_code"] == "ERR_INVALID_STATE"


async def test_play_mode_that_unity_refuses(client: Client, unity: PipelineEditor) -> None:
    wrong = "Assets/X.cs(5,36): error CS0029: no"
    unity.compiled_errors, unity.compile_status = [wrong], "completed"
    problem = await refused(client, "control_play_mode", action="start", timeout_ms=30_000)
    assert problem["code"] == "ERR_UNITY_EXECUTION"
    assert problem["details"]["plugin_error_code"] == "ERR_COMPILE_ERRORS"
    assert problem["details"]["errors"] == [located(wrong)]
    assert len(unity.did("editor_play")) == 1


async def test_tests_run(client: Client, unity: PipelineEditor, dialect: Dialect) -> None:
    unity.tests = [passed("A.One"), failed("A.Two")]
    unity.capital_keys = dialect is Dialect.V0_6
    unity.write_test_status("completed", [passed("Old.Run")] * 7)
    started = await succeeded(client, "run_tests", mode="edit")
    ended = await job_end(client, started["job_id"])
    assert ended["state"] == "succeeded"
    assert ended["result"] == {
        "summary": {"total": 2, "passed": 1, "failed": 1, "skipped": 0, "duration_ms": 750},
        "failed_tests": [{"name": "A.Two", "message": "expected 1, got 2", "stack_trace": "at B"}],
    }
    (asked,) = unity.did("run_tests")
    assert asked == {"mode": "editor", "async_tests": True, "timeout": 300}


async def test_tests_go_on_through_a_reload(client: Client, unity: PipelineEditor) -> None:
    unity.ends_tests = False
    started = await succeeded(client, "run_tests", mode="play")
    await asyncio.to_thread(unity.wait_until, lambda: unity.reloads == 1)
    unity.finish_tests()
    assert (await job_end(client, started["job_id"]))["state"] == "succeeded"
    assert len(unity.did("run_tests")) == 1


async def test_a_filter_that_matches_nothing(client: Client, unity: PipelineEditor) -> None:
    started = await succeeded(client, "run_tests", filter="Nothing")
    ended = await job_end(client, started["job_id"])
    assert ended["state"] == "failed"
    assert "0 tests matched" in ended["result"]["message"]
    assert ended["result"]["filter"] == "Nothing"
    (asked,) = unity.did("run_tests")
    assert (asked["filter"], asked["filter_type"]) == ("Nothing", "testName")


async def test_no_test_of_scripts_that_do_not_compile(
    client: Client, unity: PipelineEditor
) -> None:
    wrong = "Assets/X.cs(5,36): error CS0029: no"
    unity.compiled_errors, unity.compile_status = [wrong], "completed"
    problem = await refused(client, "run_tests", compile_first=False)
    assert problem["details"]["plugin_error_code"] == "ERR_COMPILE_ERRORS"
    assert problem["details"]["execution_guarantee"] == "not_executed"
    assert problem["details"]["errors"] == [located(wrong)]
    assert unity.did("run_tests") == []


async def test_compile(client: Client, unity: PipelineEditor) -> None:
    unity.edit("Assets/X.cs(5,36): error CS0029: no")
    broken = await succeeded(client, "compile")
    assert (broken["status"], broken["link"]) == ("failed", "pipeline")
    (issue,) = broken["errors"]
    assert (issue["path"], issue["line"], issue["column"]) == ("Assets/X.cs", 5, 36)
    unity.edit()
    mended = await succeeded(client, "compile")
    assert (mended["status"], mended["errors"], mended["reloaded"]) == ("succeeded", [], True)


async def test_a_run_is_cancelled(
    client: Client, connected: LiveServer, unity: PipelineEditor
) -> None:
    unity.ends_tests = False
    started = await succeeded(client, "run_tests")
    await connected.logged("job_state", state="running")
    asked = await succeeded(client, "cancel_job", job_id=started["job_id"])
    assert asked["status"] == "cancel_requested"
    assert (await job_end(client, started["job_id"]))["state"] == "cancelled"
    assert len(unity.did("cancel_tests")) == 1


async def test_one_run_at_a_time(client: Client, unity: PipelineEditor) -> None:
    unity.ends_tests = False
    started = await succeeded(client, "run_tests")
    problem = await refused(client, "run_tests")
    assert started["job_id"] in problem["message"]
    assert problem["details"]["execution_guarantee"] == "not_executed"
    await asyncio.to_thread(unity.wait_until, lambda: unity.run is not None)
    unity.finish_tests()
    assert (await job_end(client, started["job_id"]))["state"] == "succeeded"
