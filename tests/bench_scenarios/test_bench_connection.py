"""The connection: a second Editor, a server that dies, a frozen main thread, another port."""

from __future__ import annotations

import asyncio
import signal
import socket
from pathlib import Path

import pytest
from live_server import LiveServer
from running_server import RunningServer
from stage import Stage, on_stage

from tests.bench.editor import BenchEditor
from tests.bench.installation import Installation, prepare_project

pytestmark = pytest.mark.anyio

GUIDANCE = (
    "Connection rejected: multiple Unity Editors are trying to use the same MCP server. "
    "Close one Editor, or see README > Using Multiple Unity Editors."
)


async def test_a_second_editor_waits_its_turn(
    stage: Stage, on_mono: Installation, tmp_path: Path
) -> None:
    project = tmp_path / "second"
    prepare_project(project, stage.live.port)
    with BenchEditor(on_mono, project) as second:
        await asyncio.to_thread(second.wait, "log", contains=GUIDANCE)
        assert (await stage.result("get_play_mode_state"))["state"] == "stopped"
        # The next try, 10 s later, is turned away as well, and nothing more is said.
        await stage.logged("unity_second_editor", connection=2)
        await stage.logged("unity_second_editor", connection=3)
        assert (await asyncio.to_thread(stage.editor.quit)) == 0
        await stage.logged("editor_state", connected=False)
        gone = await stage.result("get_editor_state")
        assert gone["waiting_reason"] != "reloading", "an Editor that quits does not come back"
        await stage.ready()
        state = await stage.result("get_editor_state")
        assert Path(state["project"]) == project
        told = [line for line in second.logs if GUIDANCE in line]
        assert len(told) == 1
        (event,) = (e for e in second.events if GUIDANCE in e.get("message", ""))
        assert event["type"] == "warning", "an error would fail a test that runs meanwhile"


def test_the_server_is_killed_and_restarted(on_mono: Installation, tmp_path: Path) -> None:
    prepare_project(tmp_path, 0)
    with RunningServer(cwd=tmp_path) as server:
        prepare_project(tmp_path, server.port)
        with BenchEditor(on_mono, tmp_path) as editor:
            server.wait_for_log("unity_hello")
            server.stop(signal.SIGKILL)
            with RunningServer(cwd=tmp_path, port=server.port) as restarted:
                restarted.wait_for_log("unity_hello")
                restarted.stop(signal.SIGTERM)
            with RunningServer(cwd=tmp_path, port=server.port) as again:
                again.wait_for_log("unity_hello")
            assert editor.quit() == 0


def test_a_server_with_a_token_is_found_and_believed(on_mono: Installation, tmp_path: Path) -> None:
    """The Editor was started without the token: the server's file has it, and proves the server."""
    prepare_project(tmp_path, 0)
    with RunningServer(cwd=tmp_path, UNITY_CLI_TOKEN="s3cret") as server:
        prepare_project(tmp_path, server.port)
        with BenchEditor(on_mono, tmp_path) as editor:
            server.wait_for_log("unity_hello")
            assert editor.quit() == 0


def test_a_stranger_is_not_told_the_token(
    on_mono: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNITY_CLI_TOKEN", "s3cret")
    heard = b""
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        prepare_project(tmp_path, stranger.getsockname()[1])
        with BenchEditor(on_mono, tmp_path) as editor:
            connection, _ = stranger.accept()
            with connection:
                heard += connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
                while more := connection.recv(65536):
                    heard += more
            editor.wait("log", contains="did not prove that it is this user's server")
            assert editor.quit() == 0
    assert heard.startswith(b"GET /identity?nonce=")
    assert b"s3cret" not in heard


async def test_a_frozen_main_thread(stage: Stage) -> None:
    """Frozen for 10 s: the answer says so, the console is still read, the session lives on."""
    stage.editor.tell("log error Kept", "freeze 10000")
    await stage.wait("frozen")
    blocked = await stage.error("get_play_mode_state", timeout_ms=10_000)
    assert blocked["code"] == "ERR_EDITOR_NOT_READY"
    assert "main thread" in blocked["message"]
    assert await stage.messages() == ["Kept"]
    await stage.wait("done", command="freeze 10000")
    assert (await stage.result("get_play_mode_state"))["state"] == "stopped"
    view = stage.live.server.link.view
    assert view.epoch == 1, "pings were answered all the while: it is the same connection"


async def test_an_unfocused_editor_answers(stage: Stage) -> None:
    await stage.do("unfocus", "log warning Seen")
    await stage.wait("updated")
    before = stage.updates()
    assert await stage.messages() == ["Seen"]
    assert (await stage.result("get_play_mode_state"))["state"] == "stopped"
    assert stage.updates() - before <= 2


async def test_a_port_change_that_works(stage: Stage, tmp_path: Path) -> None:
    async with LiveServer() as other:
        await stage.do("menu Window/Unity MCP Settings", f"type Port = {other.port}", "click Apply")
        hello = await other.logged("unity_hello")
        assert hello["state"] == "ready"
        await stage.logged("editor_state", connected=False)
        await stage.wait("log", contains=str(other.port))
        settings = tmp_path / "ProjectSettings" / "UnityMcpPluginSettings.asset"
        assert f"port: {other.port}" in settings.read_text(encoding="utf-8")
        stage.editor.tell("reload")
        await stage.wait("reloaded")
        await other.logged("unity_hello", times=2)


async def test_a_port_change_that_rolls_back(
    stage: Stage, tmp_path: Path, unused_tcp_port: int
) -> None:
    await stage.do("menu Window/Unity MCP Settings", f"type Port = {unused_tcp_port}")
    await stage.do("click Apply")
    told = await stage.wait("log", contains="ERR_RECONFIG_UNREACHABLE")
    assert told["type"] == "warning"
    assert str(stage.live.port) in told["message"]
    await stage.ready()
    settings = tmp_path / "ProjectSettings" / "UnityMcpPluginSettings.asset"
    assert f"port: {stage.live.port}\n" in settings.read_text(encoding="utf-8")
    assert (await stage.result("get_play_mode_state"))["state"] == "stopped"


@pytest.mark.parametrize(
    ("line", "words"), [("port: 70000", "70000"), ("port: 0", "0"), ("schemaVersion: 2", "2")]
)
def test_wrong_settings_stop_the_plugin_with_one_error(
    on_mono: Installation, tmp_path: Path, line: str, words: str
) -> None:
    prepare_project(tmp_path, 48091)
    settings = tmp_path / "ProjectSettings" / "UnityMcpPluginSettings.asset"
    name = line.split(":", maxsplit=1)[0]
    lines = settings.read_text(encoding="utf-8").splitlines()
    changed = [f"  {line}" if each.strip().startswith(f"{name}:") else each for each in lines]
    settings.write_text("\n".join(changed) + "\n", encoding="utf-8")
    with BenchEditor(on_mono, tmp_path) as editor:
        editor.do("menu Window/Unity MCP Settings")
        assert editor.quit() == 0
        (error,) = (e for e in editor.events if e["event"] == "log" and e["type"] == "error")
        assert words in error["message"]


async def test_a_console_of_5000_long_entries(on_mono: Installation, tmp_path: Path) -> None:
    async with on_stage(on_mono, tmp_path) as stage:
        sizes = stage.record_sizes()
        await stage.do("flood 5000 2000")
        read = await stage.result("read_console", max_entries=200)
        assert read["count"] == 200
        assert read["truncated"] is True
        assert read["entries"][-1]["message"].startswith("entry 5000 ")
        much = await stage.result("read_console", max_entries=2000)
        assert much["truncated"] is True
        assert 200 < much["count"] < 2000
        assert much["entries"][-200:] == read["entries"]
        stage.editor.tell("reload")
        await stage.wait("reloaded")
        await stage.ready()
        again = await stage.result("read_console", max_entries=200)
        assert again["entries"] == read["entries"]
        assert max(sizes) <= 1_048_576
        assert max(sizes) > 400_000
