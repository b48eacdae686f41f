"""What the package must not do to the project that it is in, and to other Editors of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from lone_server import lone_server
from stage import Stage

from tests.bench.editor import BenchEditor
from tests.bench.installation import Installation, prepare_project

pytestmark = pytest.mark.anyio

OWN = "[Unity MCP]"


async def test_a_virtual_players_editor_stays_out(
    stage: Stage, on_mono: Installation, tmp_path: Path
) -> None:
    """Multiplayer Play Mode starts further Editors on the project; they are none to talk to."""
    prepare_project(tmp_path / "clone", stage.live.port)
    arguments = ("--virtual-project-clone", "-vpId=1a2b")
    with BenchEditor(on_mono, tmp_path / "clone", arguments=arguments) as clone:
        await asyncio.to_thread(clone.do, "menu Window/Unity MCP Settings")
        shown = (await asyncio.to_thread(clone.ask, "windows", "windows"))["shown"]
        assert "Connection: off" in shown
        clone.tell("reload")
        reloaded = await asyncio.to_thread(clone.wait, "reloaded")
        assert (reloaded["sockets_before_unload"], reloaded["threads_left"]) == (0, [])
        assert await asyncio.to_thread(clone.quit) == 0
        assert not any(OWN in line for line in clone.logs)
    assert not any(event == "unity_second_editor" for event, _ in stage.live.log)


async def test_an_editor_in_batch_mode_is_silent_unless_asked(
    stage: Stage, on_mono: Installation, tmp_path: Path
) -> None:
    """A build server's Editor has no agent beside it; one that has says so."""
    prepare_project(tmp_path / "build", stage.live.port)
    with BenchEditor(on_mono, tmp_path / "build", arguments=("-batchmode",)) as build:
        build.tell("reload")
        reloaded = await asyncio.to_thread(build.wait, "reloaded")
        assert (reloaded["sockets_before_unload"], reloaded["threads_left"]) == (0, [])
        assert await asyncio.to_thread(build.quit) == 0
        assert not any(OWN in line for line in build.logs)
    assert not any(event == "unity_second_editor" for event, _ in stage.live.log)
    asked = replace(on_mono, environment=(*on_mono.environment, ("UNITY_MCP_BATCH_MODE", "1")))
    with BenchEditor(asked, tmp_path / "build", arguments=("-batchmode",)):
        await stage.logged("unity_second_editor")


async def test_an_import_worker_is_silent_though_batch_mode_is_asked_for(
    stage: Stage, on_mono: Installation, tmp_path: Path
) -> None:
    """It inherits the Editor's environment, and works on the same project."""
    prepare_project(tmp_path / "worker", stage.live.port)
    asked = replace(on_mono, environment=(*on_mono.environment, ("UNITY_MCP_BATCH_MODE", "1")))
    arguments = ("-adb2", "-batchmode")
    with BenchEditor(asked, tmp_path / "worker", arguments=arguments) as worker:
        worker.tell("reload")
        reloaded = await asyncio.to_thread(worker.wait, "reloaded")
        assert (reloaded["sockets_before_unload"], reloaded["threads_left"]) == (0, [])
        assert await asyncio.to_thread(worker.quit) == 0
        assert not any(OWN in line for line in worker.logs)
    assert not any(event == "unity_second_editor" for event, _ in stage.live.log)


@pytest.mark.parametrize("kind", ["edit", "play"])
async def test_tests_are_not_failed_by_the_packages_messages(
    on_mono: Installation, tmp_path: Path, kind: str
) -> None:
    """Not even a test that expects every message: they wait until the run is over."""
    async with lone_server() as server:
        prepare_project(tmp_path, server.port)
        with BenchEditor(on_mono, tmp_path) as editor:
            connection = await server.accepted()
            await asyncio.to_thread(editor.do, f"test {kind} Game.A.Strict strict 60000")
            await asyncio.to_thread(editor.do, f"test {kind} Game.A.Other strict 1")
            editor.tell(f"run-tests {kind}")
            if kind == "play":
                connection = await server.accepted()  # entering play mode reloads the domain
            await asyncio.to_thread(editor.wait, "test_started")
            before = len(editor.logs)  # on a slow machine, of how long the connection took
            error = {"code": "ERR_INVALID_REQUEST", "message": "nothing the package knows of"}
            await server.say(connection, type="error", error=error)
            await server.answered(connection)
            # The main loop has turned since, and would have written it.
            editor.tell("unfocus")
            await asyncio.to_thread(editor.wait, "updated")
            await asyncio.to_thread(editor.wait, "updated")
            assert [line for line in editor.logs[before:] if OWN in line] == []
            # The end of the run, early: what waited is written then.
            editor.tell("focus", "stop" if kind == "play" else "cancel-tests")
            await asyncio.to_thread(editor.wait, "run_finished")
            told = await asyncio.to_thread(editor.wait, "log", contains="nothing the package knows")
            assert told["type"] == "warning"


async def test_a_throwing_log_handler_of_the_project_ends_nothing(
    on_mono: Installation, tmp_path: Path
) -> None:
    async with lone_server() as server:
        prepare_project(tmp_path, server.port)
        with BenchEditor(on_mono, tmp_path) as editor:
            connection = await server.accepted()
            await asyncio.to_thread(editor.do, "menu Project/Log Handler That Throws")
            error = {"code": "ERR_INVALID_REQUEST", "message": "said by the server"}
            await server.say(connection, type="error", error=error)
            await server.answered(connection)
            told = await asyncio.to_thread(editor.wait, "log", contains="said by the server")
            assert told["message"].startswith("main thread: ")
            await server.say(connection, type="error", error=error)
            await server.answered(connection)
            await asyncio.to_thread(editor.wait, "log", contains="said by the server")
            assert not any("ANOTHER THREAD" in line for line in editor.logs)
            # Sending works, too: the worker's thread lives.
            request = {"type": "execute", "request_id": "r", "tool_name": "read_console"}
            await server.say(connection, **request, params={}, timeout_ms=10_000)
            async with asyncio.timeout(30):
                while '"request_id":"r"' not in str(await connection.recv()):
                    pass
            assert await asyncio.to_thread(editor.quit) == 0


async def test_a_conflict_is_told_once_whatever_reloads(
    stage: Stage, on_mono: Installation, tmp_path: Path
) -> None:
    project = tmp_path / "second"
    prepare_project(project, stage.live.port)
    with BenchEditor(on_mono, project) as second:
        told = await asyncio.to_thread(second.wait, "log", contains="Connection rejected")
        assert told["type"] == "warning"
        for connection in (3, 4):
            second.tell("reload")
            await asyncio.to_thread(second.wait, "reloaded")
            await stage.logged("unity_second_editor", connection=connection)
        assert await asyncio.to_thread(second.quit) == 0
        assert sum("Connection rejected" in line for line in second.logs) == 1


async def test_an_asset_that_unity_ignores_is_told(
    stage: Stage, on_mono: Installation, tmp_path: Path
) -> None:
    """Written by hand, it names no script, so that its port is not the one that is used."""
    project = tmp_path / "by-hand"
    prepare_project(project, 5000)
    asset = project / "ProjectSettings" / "UnityMcpPluginSettings.asset"
    lines = asset.read_text(encoding="utf-8").splitlines(keepends=True)
    by_hand = "".join(line for line in lines if "m_Script" not in line)
    asset.write_text(by_hand, encoding="utf-8")
    with BenchEditor(on_mono, project) as editor:
        told = await asyncio.to_thread(editor.wait, "log", contains="is ignored by Unity")
        assert told["type"] == "warning"
        editor.tell("reload")
        await asyncio.to_thread(editor.wait, "reloaded")
        await asyncio.to_thread(editor.do, "menu Window/Unity MCP Settings")
        shown = (await asyncio.to_thread(editor.ask, "windows", "windows"))["shown"]
        assert any("is ignored by Unity" in line and "port 48091" in line for line in shown)
        await asyncio.to_thread(editor.do, f"type Port = {stage.live.port}")
        assert sum("is ignored by Unity" in line for line in editor.logs) == 1
        await asyncio.to_thread(editor.do, "click Apply")
        # Another Editor has that server: the port goes back, and the asset stays as it was.
        await asyncio.to_thread(editor.wait, "log", contains="ERR_RECONFIG_REJECTED")
        assert asset.read_text(encoding="utf-8") == by_hand
        assert await asyncio.to_thread(stage.editor.quit) == 0
        await stage.logged("editor_state", connected=False)
        await asyncio.to_thread(editor.do, f"type Port = {stage.live.port}")
        await asyncio.to_thread(editor.do, "click Apply")
        await asyncio.to_thread(editor.wait, "log", contains="Connected on port")
        assert "m_Script" in asset.read_text(encoding="utf-8")
        shown = (await asyncio.to_thread(editor.ask, "windows", "windows"))["shown"]
        assert not any("is ignored by Unity" in line for line in shown)


async def test_a_compile_error_without_a_place_stands_once(stage: Stage) -> None:
    """Unity tells it as a compiler's message, and logs it as well."""
    stage.editor.tell("compile-fail CS2001: Source file 'Assets/Gone.cs' could not be found.")
    await stage.wait("compiled", failed=True)
    assert await stage.messages() == [
        "error CS2001: Source file 'Assets/Gone.cs' could not be found."
    ]


async def test_a_lock_on_reloads_is_told_and_keeps_nobody_from_looking(stage: Stage) -> None:
    """Held by a tool or a drag, for hours perhaps: all the while the Editor says it compiles."""
    await stage.do("log warning seen before", "unfocus", "lock-reload", "edited", "focus")
    state = await stage.result("get_editor_state")
    while state.get("waiting_reason") != "reload_locked":
        await stage.logged("editor_state")
        state = await stage.result("get_editor_state")
    assert state["editor_state"] == "compiling"
    assert "seen before" in await stage.messages()
    assert (await stage.result("get_play_mode_state"))["state"] == "stopped"
    waited = await stage.error("run_tests", mode="edit", timeout_ms=3_000)
    assert waited["code"] == "ERR_COMPILE_TIMEOUT"
    assert "LockReloadAssemblies" in waited["message"]
    assert waited["details"]["waiting_reason"] == "reload_locked"
    assert waited["details"]["execution_guarantee"] == "not_executed"
    await stage.do("unlock-reload")
    await stage.ready()
    assert "waiting_reason" not in await stage.result("get_editor_state")
