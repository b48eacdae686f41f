"""What goes wrong between the server and Unity's Pipeline package, in every dialect."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from call_results import code_and_guarantee, error, job_end, refused, result, succeeded
from live_server import LiveServer
from mcp import Client
from pipeline_editor import PipelineEditor
from pipeline_editor.dialects import Dialect
from pipeline_editor.editor import passed
from pipeline_editor.process import reserve_port

from mcp_server.host.config import EditorRoad
from unity_bridge.timing import Pace, Timing

pytestmark = pytest.mark.anyio

OTHER = "the Editor that answers has another project open"
DIALOG = {"title": "Script Updating Consent", "message": "Go ahead?", "buttons": ["Yes", "No"]}


def console_of(unity: PipelineEditor) -> str:
    return "console" if unity.dialect.at_least_0_6 else "get_console_logs"


async def state(live: LiveServer) -> dict[str, Any]:
    async with live.client() as client:
        return await succeeded(client, "get_editor_state")


async def until(live: LiveServer, **fields: Any) -> dict[str, Any]:
    """Ask for the Editor's state until it has these fields."""
    async with live.client() as client, asyncio.timeout(20):
        while True:
            seen = await succeeded(client, "get_editor_state")
            if fields.items() <= seen.items():
                return seen


async def absent(live: LiveServer, words: str) -> None:
    """Wait until the server has said, in these words, why it has no Editor."""
    async with asyncio.timeout(20):
        while not any(
            event == "pipeline_absent" and words in fields["reason"] for event, fields in live.log
        ):
            await live.logs_more()


# -- the way to the Editor -----------------------------------------------------------------------


async def test_a_restart_brings_another_token_port_and_process(
    client: Client, connected: LiveServer, unity: PipelineEditor
) -> None:
    unity.log("before")
    old = unity.port
    unity.restart()
    assert unity.port != old
    await connected.logged("pipeline_connected", port=unity.port)
    unity.log("after")
    read = await succeeded(client, "read_console")
    assert [each["message"] for each in read["entries"]] == ["after"]


async def test_a_crash_is_seen(connected: LiveServer, unity: PipelineEditor) -> None:
    unity.crash()
    await until(connected, connected=False)
    seen = await state(connected)
    assert seen["link"] == "none"
    assert seen["waiting_reason"] != "reloading"


async def test_a_reload_is_waited_for(
    client: Client, connected: LiveServer, unity: PipelineEditor
) -> None:
    unity.log("hello")
    unity.held.add("reload")
    unity.begin(unity.reload)
    assert (await until(connected, connected=False))["waiting_reason"] == "reloading"
    reading = asyncio.create_task(client.call_tool("read_console"))
    await connected.logged("request_state", state="waiting_editor_ready")
    unity.released.set()
    read = result(await reading, "read_console")
    assert [each["message"] for each in read["entries"]] == ["hello"]


async def test_a_changed_token_is_read_anew(connected: LiveServer, unity: PipelineEditor) -> None:
    with unity.lock:
        unity.token = "another"
        unity.write_descriptor()
    async with connected.client() as client:
        assert (await succeeded(client, "read_console"))["entries"] == []


async def test_settling_is_waited_for(
    client: Client, connected: LiveServer, unity: PipelineEditor
) -> None:
    unity.enter("settling")
    await connected.logged("editor_state", state="reloading")
    reading = asyncio.create_task(client.call_tool("read_console"))
    await connected.logged("request_state", state="waiting_editor_ready")
    unity.enter("ready")
    result(await reading, "read_console")


@pytest.mark.parametrize(
    "refusal",
    [(503, b'{"status": "busy", "busyReason": "settling", "retryable": true}'), (429, b"{}")],
    ids=["settling", "too many jobs"],
)
async def test_what_was_refused_for_now_is_asked_again(
    client: Client, unity: PipelineEditor, refusal: tuple[int, bytes]
) -> None:
    """Both prove that nothing was run."""
    unity.http_fault["/api/exec"] = lambda: refusal
    no_compile = {"compile_first": False}
    starting = asyncio.create_task(client.call_tool("run_tests", no_compile))
    await asyncio.to_thread(unity.wait_until_asked, "/api/exec")
    unity.http_fault.clear()
    result(await starting, "run_tests")
    assert len(unity.did("run_tests")) == 1


async def test_half_a_descriptor_is_read_again(live: LiveServer, project: Path) -> None:
    with PipelineEditor(project) as unity:
        whole = unity.descriptor_path.read_bytes()
        unity.write_descriptor(whole[: len(whole) // 2])
        await absent(live, "not whole JSON")
        unity.write_descriptor()
        await until(live, link="pipeline", editor_state="ready")


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o602])
async def test_a_descriptor_that_others_can_get_at_is_not_used(
    live: LiveServer, project: Path, mode: int
) -> None:
    with PipelineEditor(project) as unity:
        unity.write_descriptor(mode=mode)
        unity.asked.clear()
        await absent(live, "chmod 600")
        assert (await state(live))["connected"] is False
        assert unity.asked == []


async def test_a_descriptor_that_is_a_link_is_not_used(live: LiveServer, project: Path) -> None:
    with PipelineEditor(project) as unity:
        elsewhere = project / "elsewhere"
        unity.descriptor_path.rename(elsewhere)
        unity.descriptor_path.symlink_to(elsewhere)
        unity.asked.clear()
        await absent(live, "can't be read")
        assert unity.asked == []


async def test_an_editor_with_another_project_is_not_believed(
    live: LiveServer, project: Path, tmp_path: Path
) -> None:
    """Two descriptors can name one port: whoever answers there says whose it is."""
    other = tmp_path / "other"
    other.mkdir()
    with PipelineEditor(other) as unity:
        path = project / "Library" / "Pipeline" / ".unity-pipeline-port"
        path.parent.mkdir(parents=True)
        path.touch(0o600)
        path.write_text(json.dumps({**unity.descriptor(), "projectPath": str(project)}))
        await live.logged("pipeline_absent", reason=OTHER)
        assert (await state(live))["connected"] is False
        assert "/api/exec" not in unity.asked


class Stranger:
    """Listens on one of the package's ports, answers nothing, and keeps what it is told."""

    def __init__(self) -> None:
        self.heard = b""
        self.came = 0

    async def __aenter__(self) -> Stranger:
        self._reserved = reserve_port()
        self.port = self._reserved.number
        self._server = await asyncio.start_server(self._hear, "127.0.0.1", self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self._reserved.give_back()

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.came += 1
        self.heard += await reader.read(65536)
        writer.close()


LIES: dict[str, tuple[dict[str, Any], str]] = {
    "another process": ({}, "another process listens"),
    "another project": ({"pid": os.getpid(), "projectPath": "/"}, "another project's"),
    "no such process": ({"pid": 2**31 - 7}, "its process is gone"),
}


@pytest.mark.parametrize("lie", LIES)
async def test_the_token_is_shown_to_no_stranger(live: LiveServer, project: Path, lie: str) -> None:
    """What can be told without it is looked at first."""
    changed, words = LIES[lie]
    with PipelineEditor(project) as unity:
        async with Stranger() as stranger:
            told = {**unity.descriptor(), "port": stranger.port, **changed}
            unity.stop_listening()
            unity.write_descriptor(json.dumps(told).encode())
            await absent(live, words)
            assert (await state(live))["connected"] is False
            assert (stranger.came, stranger.heard) == (0, b"")
            unity.restart()
            await live.logged("pipeline_connected", port=unity.port)


async def test_who_takes_an_editor_s_port_over_is_shown_nothing(
    live: LiveServer, project: Path
) -> None:
    """Between one request and the next the Editor is gone, and somebody else listens there."""
    with PipelineEditor(project) as unity:
        await until_ready(live)
        port = unity.port
        unity.stop_listening()
        heard: list[bytes] = []
        server = await asyncio.start_server(
            lambda reader, _: _keep(reader, heard), "127.0.0.1", port
        )
        async with server:
            await absent(live, "another process listens")
        assert heard == []


async def _keep(reader: asyncio.StreamReader, heard: list[bytes]) -> None:
    heard.append(await reader.read(65536))


@pytest.mark.parametrize("process", ["gone", "another"])
async def test_a_descriptor_left_behind(live: LiveServer, project: Path, process: str) -> None:
    """Its process is gone, or its number is another's by now: nothing answers on its port."""
    unity = PipelineEditor(project).start()
    document = {**unity.descriptor(), "pid": 1}
    unity.crash()
    if process == "another":
        unity.write_descriptor(json.dumps(document).encode())
    assert (await state(live))["connected"] is False
    async with live.client() as client:
        called = await client.call_tool("read_console")
    assert code_and_guarantee(called) == ("ERR_EDITOR_NOT_READY", "not_executed")


async def test_the_token_is_never_logged(
    client: Client, connected: LiveServer, unity: PipelineEditor
) -> None:
    await succeeded(client, "read_console")
    unity.restart()
    await connected.logged("pipeline_connected", times=2)
    assert unity.token not in str(connected.log)


async def test_a_proxy_of_the_environment_is_not_used(
    project: Path, pace: Pace, dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with PipelineEditor(project, dialect):
        async with LiveServer(project=project, editor=EditorRoad.PIPELINE, pace=pace) as live:
            await until_ready(live)


async def until_ready(live: LiveServer) -> None:
    await live.logged("editor_state", state="ready", connected=True)


# -- a dialog ------------------------------------------------------------------------------------


async def test_a_dialog_is_told_at_once(
    connected: LiveServer, client: Client, unity: PipelineEditor
) -> None:
    with unity.lock:
        unity.dialog = DIALOG
    seen = await until(connected, waiting_reason="blocked_by_dialog")
    assert seen["dialog"] == DIALOG
    for tool, arguments in (
        ("read_console", {}),
        ("get_play_mode_state", {}),
        ("control_play_mode", {"action": "start"}),
        ("run_tests", {}),
        ("compile", {}),
    ):
        problem = error(await client.call_tool(tool, arguments))
        assert problem["code"] == "ERR_EDITOR_NOT_READY"
        assert problem["details"]["dialog"] == (DIALOG["title"] if tool == "compile" else DIALOG)
        assert problem["details"]["execution_guarantee"] == "not_executed"
        assert DIALOG["title"] in problem["message"]
    with unity.lock:
        unity.dialog = None
    await succeeded(client, "read_console")
    assert unity.did("run_tests") == unity.did("recompile") == []


async def test_a_dialog_that_has_just_come(project: Path, dialect: Dialect) -> None:
    """Nothing has been seen of it yet: the refusal of the command says so."""
    slow = Pace(idle_ms=1e9, busy_ms=15, retry_ms=10)
    with PipelineEditor(project, dialect) as unity:
        async with LiveServer(project=project, editor=EditorRoad.PIPELINE, pace=slow) as live:
            await until_ready(live)
            with unity.lock:
                unity.dialog = DIALOG
            async with live.client() as client:
                problem = await refused(client, "read_console")
    assert problem["details"]["dialog"] == DIALOG


# -- answers that don't come, or make no sense ---------------------------------------------------


async def test_what_changes_things_is_sent_once(client: Client, unity: PipelineEditor) -> None:
    """The Editor pauses, and its answer is lost: nobody pauses again, which would go on."""
    unity.play_mode = "playing"
    unity.cut.add("editor_pause")
    await succeeded(client, "control_play_mode", action="pause", timeout_ms=30_000)
    assert len(unity.did("editor_pause")) == 1
    assert unity.play_mode == "paused"


async def test_a_run_whose_acceptance_is_lost_is_followed(
    client: Client, unity: PipelineEditor
) -> None:
    unity.cut.add("run_tests")
    started = await succeeded(client, "run_tests")
    status = await job_end(client, started["job_id"])
    assert status["state"] == "succeeded"
    assert len(unity.did("run_tests")) == 1


async def test_reading_is_asked_again(client: Client, unity: PipelineEditor) -> None:
    unity.log("hello")
    console = console_of(unity)
    unity.cut.add(console)
    reading = asyncio.create_task(client.call_tool("read_console"))
    await asyncio.to_thread(unity.wait_until, lambda: bool(unity.did(console)))
    unity.cut.clear()
    read = result(await reading, "read_console")
    assert [each["message"] for each in read["entries"]] == ["hello"]


GARBAGE = [
    (200, b"<html>"),
    (200, b"[]"),
    (200, b'{"result": 1}'),
    (200, b'{"success": "yes"}'),
    (200, b'{"success": true, "result": {"entries": [{"level": 3}]}}'),
    (200, b'{"success": true, "result": "not JSON {"}'),
    (302, b""),
    (500, b""),
    (200, b'{"success": true, "result": "' + b"x" * 9_000_000 + b'"}'),
]


async def test_garbage(live: LiveServer, project: Path) -> None:
    with PipelineEditor(project) as unity:
        await until_ready(live)
        async with live.client() as client:
            for garbage in GARBAGE:
                unity.http_fault["/api/exec"] = lambda garbage=garbage: garbage
                called = await client.call_tool("read_console")
                assert code_and_guarantee(called) == ("ERR_INVALID_RESPONSE", "unknown"), garbage
            del unity.http_fault["/api/exec"]
            await succeeded(client, "read_console")


async def test_a_garbled_status_is_no_editor(connected: LiveServer, unity: PipelineEditor) -> None:
    unity.http_fault["/api/editor_status"] = lambda: (200, b'{"status": "fine"}')
    await until(connected, connected=False)
    unity.http_fault.clear()
    await connected.logged("pipeline_connected", times=2)


async def test_the_package_has_no_such_command(live: LiveServer, project: Path) -> None:
    manifest = project / "Packages" / "manifest.json"
    manifest.write_text('{"dependencies": {"com.unity.pipeline": "7.8.9"}}')
    with PipelineEditor(project) as unity:
        unity.http_fault["/api/commands"] = lambda: (200, b'{"commands": [{"name": "x"}]}')
        await until_ready(live)
        async with live.client() as client:
            problem = await refused(client, "control_play_mode", action="start")
    assert problem["code"] == "ERR_UNKNOWN_COMMAND"
    assert "com.unity.pipeline 7.8.9" in problem["message"]
    assert problem["details"]["execution_guarantee"] == "not_executed"


async def test_a_frozen_editor_is_not_waited_for_without_end(
    client: Client, unity: PipelineEditor
) -> None:
    unity.held.add(console_of(unity))
    called = await client.call_tool("read_console", {"timeout_ms": 300})
    assert code_and_guarantee(called) == ("ERR_REQUEST_TIMEOUT", "unknown")
    unity.held.clear()
    unity.released.set()
    await succeeded(client, "read_console")


# -- tests ---------------------------------------------------------------------------------------


async def test_a_run_that_never_starts(project: Path, dialect: Dialect) -> None:
    quick = Pace(idle_ms=30, busy_ms=15, retry_ms=10, status_file_ms=15, test_start_ms=200)
    with PipelineEditor(project, dialect, starts_tests=False) as unity:
        unity.write_test_status("completed", [passed("The.RunBefore")])
        road = EditorRoad.PIPELINE
        async with (
            LiveServer(project=project, editor=road, pace=quick) as live,
            live.client() as client,
        ):
            await until_ready(live)
            started = await succeeded(client, "run_tests")
            status = await job_end(client, started["job_id"])
    assert status["state"] == "failed"
    assert "restart the Editor" in status["result"]["message"]
    assert len(unity.did("cancel_tests")) == 1


async def test_a_run_dies_with_its_editor(
    client: Client, connected: LiveServer, unity: PipelineEditor
) -> None:
    unity.ends_tests = False
    started = await succeeded(client, "run_tests")
    await connected.logged("job_state", state="running")
    unity.restart()
    status = await job_end(client, started["job_id"])
    assert status["state"] == "failed"
    assert "closed or crashed" in status["result"]["message"]


async def test_the_flag_alone_counts_only_where_nothing_was_compiled(
    client: Client, unity: PipelineEditor
) -> None:
    unity.flag_lags = True
    unity.compile_status = "completed"
    started = await succeeded(client, "run_tests")
    assert started["state"] == "queued"


async def test_a_reload_without_end_is_a_compile_timeout(project: Path, pace: Pace) -> None:
    timing = Timing(compile_grace_timeout_ms=3_000)
    with PipelineEditor(project) as unity:
        async with LiveServer(
            project=project, editor=EditorRoad.PIPELINE, pace=pace, timing=timing
        ) as live:
            await until_ready(live)
            unity.enter("reloading")
            await live.logged("editor_state", state="reloading")
            async with live.client() as client:
                called = await client.call_tool("read_console")
            assert code_and_guarantee(called) == ("ERR_COMPILE_TIMEOUT", "not_executed")
