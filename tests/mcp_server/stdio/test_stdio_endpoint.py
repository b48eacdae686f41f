"""``unity-cli mcp``: real stdio clients, and the one real server that they share."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Literal

import pytest
from fake_editor import PATIENCE_S, FakeEditor
from mcp import Client, MCPError, StdioServerParameters
from mcp_talk import text
from other_process import Watched
from running_server import (
    SCRIPT,
    SOURCE,
    TERMINATED,
    UNITY_CLI,
    RunningServer,
    edit,
    environment,
    free_port,
    make_project,
    run_cli_process,
)
from stdio_process import RawStdio, status, stdio_parameters
from tasks_client import TaskHandle, TasksClient, TasksClientExtension
from this_system import KILL, needs_posix
from user_state import set_state, state_in

from mcp_server.contract.catalog import CATALOG

pytestmark = pytest.mark.anyio
SYMBOLS = {"path": SCRIPT}


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


async def test_two_stdio_clients_and_an_http_client_share_one_server_that_ends_with_them(
    project: Path, port: int, state: Path
) -> None:
    parameters = stdio_parameters(port, project, state)
    async with Client(parameters) as first:
        tools = (await first.list_tools()).tools
        assert [tool.name for tool in tools] == list(CATALOG)
        began = status(port)
        async with (
            Client(parameters) as second,
            Client(f"http://127.0.0.1:{port}/mcp") as over_http,
        ):
            for client in (first, second, over_http):
                previewed = await client.call_tool("edit_snippet", edit())
                assert not previewed.is_error
            assert status(port).pid == began.pid
            assert status(port).clients == 2
        applied = await first.call_tool("edit_snippet", edit("apply"))
        assert not applied.is_error
        assert (project / SCRIPT).read_bytes() != SOURCE
        assert status(port).pid == began.pid
        server = Watched(began.pid)
    with server:
        # Windows: the SDK puts what it starts into a job that nobody may leave, and ends it.
        assert server.alive or os.name == "nt", "it lingers for clients that restart"
        server.wait()


async def test_two_that_start_one_at_the_same_moment_get_one(
    project: Path, port: int, state: Path
) -> None:
    async def one(together: asyncio.Barrier) -> int:
        async with Client(stdio_parameters(port, project, state)) as client:
            called = await client.call_tool("get_symbols", SYMBOLS)
            assert not called.is_error
            pid = status(port).pid
            await together.wait()
            return pid

    together = asyncio.Barrier(2)
    pids = await asyncio.gather(*(one(together) for _ in range(2)))
    assert len(set(pids)) == 1


async def test_a_server_that_someone_runs_is_joined_and_left_running(
    project: Path, state: Path
) -> None:
    with RunningServer(cwd=project) as running:
        async with Client(stdio_parameters(running.port, project, state)) as client:
            called = await client.call_tool("get_symbols", SYMBOLS)
            assert "Player" in str(called.structured_content)
            assert status(running.port).clients == 1
            assert status(running.port).pid == running.process.pid
        running.wait_for_log("request_done")
        assert not status(running.port).ends_with_clients
        assert running.process.poll() is None


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_server_that_dies_is_replaced_at_the_next_call(
    project: Path, port: int, state: Path, mode: Literal["auto", "legacy"]
) -> None:
    async with Client(stdio_parameters(port, project, state), mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(CATALOG)
        called = await client.call_tool("get_symbols", SYMBOLS)
        assert "Player" in str(called.structured_content)
        first = status(port).pid
        with Watched(first) as server:
            os.kill(first, KILL)
            server.wait()
        called = await client.call_tool("get_symbols", SYMBOLS)
        assert not called.is_error
        assert status(port).pid != first


async def test_a_call_that_the_server_dies_under_says_so_and_is_not_sent_again(
    project: Path, state: Path
) -> None:
    with RunningServer(cwd=project) as running:
        editor = await FakeEditor(f"ws://127.0.0.1:{running.port}/unity", held=True).connect()
        async with Client(stdio_parameters(running.port, project, state)) as client:
            playing = asyncio.create_task(
                client.call_tool("control_play_mode", {"action": "start"})
            )
            await editor.received("execute")
            running.stop(KILL)
            called = await playing
        await editor.close()
    assert called.is_error
    assert called.structured_content is not None
    error = called.structured_content["error"]
    assert error["code"] == "ERR_RECONNECT_TIMEOUT"
    assert error["retryable"] is False
    assert error["details"]["execution_guarantee"] == "unknown"


async def test_progress_and_cancellation_reach_the_editor(project: Path, state: Path) -> None:
    with RunningServer(cwd=project) as running:
        editor = await FakeEditor(f"ws://127.0.0.1:{running.port}/unity").connect()
        async with Client(stdio_parameters(running.port, project, state)) as client:
            started = await client.call_tool("run_tests", {})
            assert started.structured_content is not None
            job_id = started.structured_content["job_id"]
            job = editor.jobs[job_id]
            job.state, job.progress = "running", {"completed": 1, "total": 2, "current": "A"}
            heard = asyncio.Event()

            async def on_progress(
                progress: float, total: float | None, message: str | None
            ) -> None:
                heard.set()

            waiting = asyncio.create_task(
                client.call_tool(
                    "get_job_status",
                    {"job_id": job_id, "wait_ms": 9_000},
                    progress_callback=on_progress,
                )
            )
            await heard.wait()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await asyncio.to_thread(running.wait_for_log, "request_abandoned")
        await editor.close()


async def test_a_task_is_followed_over_stdio_through_a_restart_of_the_server(
    project: Path, state: Path
) -> None:
    with RunningServer(cwd=project, **state_in(state)) as running:
        url = f"ws://127.0.0.1:{running.port}/unity"
        editor = await FakeEditor(url).connect()
        parameters = stdio_parameters(running.port, project, state)
        async with Client(parameters, extensions=[TasksClientExtension()]) as connected:
            client = TasksClient(connected)
            handle = await client.call("run_tests")
            assert isinstance(handle, TaskHandle)
            assert await asyncio.to_thread(running.stop) == TERMINATED
            with RunningServer(cwd=project, port=running.port, **state_in(state)):
                assert (await client.ask("get", handle.task_id))["status"] == "working"
                again = await FakeEditor(url, jobs=editor.jobs).connect()
                await client.ask("cancel", handle.task_id)
                async with asyncio.timeout(PATIENCE_S):
                    await client.until(handle.task_id, "cancelled")
                with pytest.raises(MCPError):
                    await client.ask("get", "0" * 32)
                await again.close()


async def test_another_project_is_refused_with_both_names(
    project: Path, no_project: Path, state: Path
) -> None:
    with RunningServer(cwd=project) as running:
        other = no_project / "Other"
        for folder in ("Assets", "ProjectSettings"):
            (other / folder).mkdir(parents=True)
        told = pytest.RaisesExc(
            MCPError, match=re.escape(f"works in {project}, not in {other}. Choose")
        )
        with pytest.RaisesGroup(told, flatten_subgroups=True):
            async with Client(stdio_parameters(running.port, other, state)):
                pass
        with RawStdio(running.port, other, state) as raw:
            code, said = raw.close()
        assert code == 2
        assert "ERR_CONFIG_VALIDATION" in said
        assert raw.lines == []


def test_without_a_project_a_server_that_was_named_will_do_and_says_its_project(
    project: Path, no_project: Path, state: Path
) -> None:
    with RunningServer(cwd=project) as running, RawStdio(running.port, no_project, state) as raw:
        told = raw.initialize()["result"]["instructions"]
        assert told.endswith(f" Its project: {project}.")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_without_a_project_and_a_port_each_call_is_refused_until_there_is_a_project(
    no_project: Path, state: Path, mode: Literal["auto", "legacy"]
) -> None:
    """Whatever has the usual port, a stranger's server perhaps, is neither asked nor started."""
    parameters = StdioServerParameters(
        command=UNITY_CLI, args=["mcp", "--lsp", "off"], env=state_in(state), cwd=no_project
    )
    below = make_project(no_project / "Client")
    async with Client(parameters, mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(CATALOG)
        for tool, arguments in (("get_symbols", SYMBOLS), ("get_editor_state", {})):
            called = await client.call_tool(tool, arguments)
            assert called.is_error
            assert "No Unity project" in text(called)
            assert f"upward from the working folder, {no_project}." in text(called)
            assert "--project PATH" in text(called)
            assert text(called).endswith("Right below it: Client.")
        for each in below.iterdir():
            each.rename(no_project / each.name)
        called = await client.call_tool("get_symbols", SYMBOLS)
        assert not called.is_error, text(called)


def test_without_a_project_and_a_port_nothing_is_joined(no_project: Path, state: Path) -> None:
    with RawStdio(None, no_project, state) as raw:
        assert f"upward from the working folder, {no_project}." in str(raw.initialize())
        code, log = raw.close()
    assert code == 0
    assert "server_joined" not in log
    assert "server_started" not in log
    assert f"no_project working_folder={no_project}" in log


def test_the_port_of_a_url(project: Path, state: Path) -> None:
    with RunningServer(cwd=project) as running:
        options = ("--url", running.url)
        with RawStdio(None, project, state, *options) as raw:
            raw.initialize()
            assert status(running.port).clients == 1


def test_nothing_but_mcp_on_stdout_whatever_comes_in(project: Path, port: int, state: Path) -> None:
    with RawStdio(port, project, state) as raw:
        raw.send("not JSON")
        raw.send("[]")
        assert raw.initialize()["result"]["serverInfo"]["name"] == "unity-snippet"
        raw.send("")
        raw.send('{"jsonrpc": "2.0"}')
        wrong = raw.request("tools/call", {"name": "no_such_tool", "arguments": {}})
        assert "get_symbols" in json.dumps(wrong["error"])
        refused = raw.request("tools/call", {"name": "get_symbols", "arguments": {"pat": 1}})
        assert refused["result"]["isError"]
        called = raw.request("tools/call", {"name": "get_symbols", "arguments": SYMBOLS})
        assert not called["result"].get("isError")
        code, log = raw.close()
    assert code == 0
    assert "server_joined" in log
    assert {json.loads(line)["jsonrpc"] for line in raw.lines} == {"2.0"}


def test_what_came_in_before_the_end_of_a_pipe_is_answered(
    project: Path, port: int, state: Path
) -> None:
    with RawStdio(port, project, state) as raw:
        raw.initialize()
        raw.lines.clear()
        call = {"name": "get_symbols", "arguments": SYMBOLS}
        for number in range(5):
            sent = {"jsonrpc": "2.0", "id": f"n{number}", "method": "tools/call", "params": call}
            raw.send(json.dumps(sent))
        code, _ = raw.close()
    assert code == 0
    answers = [json.loads(line) for line in raw.lines]
    assert {answer["id"] for answer in answers} == {f"n{number}" for number in range(5)}
    assert not any(answer["result"].get("isError") for answer in answers)


def test_a_client_that_leaves_without_its_answer(project: Path, state: Path) -> None:
    with RunningServer(cwd=project) as running, RawStdio(running.port, project, state) as raw:
        raw.initialize()
        call = {"name": "read_console", "arguments": {"timeout_ms": 100}}
        raw.send(json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": call}))
        assert raw.process.stdout is not None
        raw.process.stdout.close()
        code, log = raw.close()
    assert code == 0
    assert "client_left" in log
    assert "Traceback" not in log


@pytest.mark.parametrize(
    "with_signal",
    [
        KILL,
        pytest.param(signal.SIGTERM, marks=needs_posix),
        pytest.param(signal.SIGINT, marks=needs_posix),
    ],
)
def test_no_server_is_left_behind_however_the_client_ends(
    project: Path, port: int, state: Path, with_signal: signal.Signals
) -> None:
    with RawStdio(port, project, state) as raw:
        raw.initialize()
        with Watched(status(port).pid) as server:
            raw.process.send_signal(with_signal)
            code = raw.process.wait(60)
            if os.name == "posix":
                assert code == (130 if with_signal is signal.SIGINT else -with_signal)
            server.wait()


def test_a_token_is_passed_on_and_a_wrong_one_is_told(
    project: Path, port: int, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_state(monkeypatch, state)  # where the server leaves its key
    with RawStdio(port, project, state, UNITY_CLI_TOKEN="right") as raw:
        raw.initialize()
        called = raw.request("tools/call", {"name": "get_symbols", "arguments": SYMBOLS})
        assert not called["result"].get("isError")
        assert status(port, "right").clients == 1
        with RawStdio(port, project, state, UNITY_CLI_TOKEN="wrong") as other:
            answer = other.initialize()
            assert "UNITY_CLI_TOKEN" in answer["error"]["message"]
            assert other.close()[0] == 2
        # Nobody has named a port here: it is the project's own server that is found.
        with RawStdio(None, project, state, UNITY_CLI_TOKEN="wrong") as unnamed:
            told = unnamed.initialize()["error"]["message"]
            assert f"The program on port {port} can't be used: it requires its bearer token" in told
            assert "--port" not in told


def test_a_program_that_hangs_up_on_the_port(project: Path, state: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                connection.close()

        threading.Thread(target=hang_up, daemon=True).start()
        with RawStdio(listener.getsockname()[1], project, state) as raw:
            assert "a program other than" in raw.initialize()["error"]["message"]
        with suppress(OSError):  # on Windows the close alone ends the wait for a client
            listener.shutdown(socket.SHUT_RDWR)


def test_a_server_that_cannot_start_is_told_with_its_reason(port: int, no_project: Path) -> None:
    log_home = no_project / "state"
    with RawStdio(port, no_project, log_home, "--project", str(no_project)) as raw:
        message = raw.initialize()["error"]["message"]
    assert "--project" in message
    assert "Assets" in message


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no variable names that folder")
@pytest.mark.parametrize("command", ["mcp", "serve"])
def test_a_state_folder_that_cannot_be_made_is_told_with_the_way_out(
    project: Path, tmp_path: Path, command: str
) -> None:
    file = tmp_path / "a file"
    file.touch()
    done = run_cli_process(command, cwd=project, env=environment(**state_in(file / "state")))
    assert done.returncode != 0
    assert f"{file}" in done.stderr
    assert "Set XDG_STATE_HOME to a folder that can be written" in done.stderr


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--url", "http://10.0.0.1:5/mcp"], "10.0.0.1"),
        (["--project", "n" * 300], "there is no folder"),
    ],
)
def test_wrong_options(no_project: Path, state: Path, options: list[str], word: str) -> None:
    with RawStdio(None, no_project, state, *options) as raw:
        code, said = raw.close()
    assert code == 2
    assert word in said


ROOM = b" " * 9_000_000
UNREAD = {
    "half a surrogate pair": b'{"jsonrpc":"2.0","id":ID,"method":"ping","params":{"a":"\\ud800"}}',
    "many levels": b'{"jsonrpc":"2.0","id":ID,"method":"ping","params":{"a":'
    + b"[" * 250
    + b"]" * 250
    + b"}}",
    "more levels": b'{"method":"ping","params":{"a":'
    + b"[" * 99_999
    + b"]" * 99_999
    + b'},"id":ID}',
    "a long number": b'{"id":ID,"method":"ping","params":{"id":' + b"9" * 5_000 + b"}}",
    "a raw control character": b'{"params":{"id":1,"a":"\x01"},"method":"ping","id":ID}',
    "more behind it": b'{"id":ID,"method":"ping"},',
    "a byte order mark": b'\xef\xbb\xbf{"id":ID,"method":"ping","params":{"a":"\x01"}}',
    "no method": b'{"jsonrpc":"2.0","id":ID,"methd":"ping"}',
    "a batch": b'[{"jsonrpc":"2.0","id":ID,"method":"ping"},{"id":3,"result":{}}]',
    "no UTF-8": b'{"method":"ping","params":{"a":"\xff"},"id":ID,"jsonrpc":"2.0"}',
    "too long, the id first": b'{"id":ID,"method":"ping","params":{"a":"' + ROOM + b'"}}',
    "too long, the id last": b'{"method":"ping","params":{"a":"' + ROOM + b'"},"id":ID}',
}


def test_what_cannot_be_read_is_answered_under_its_id_if_it_has_one(
    project: Path, port: int, state: Path
) -> None:
    with RawStdio(port, project, state) as raw:
        raw.initialize()
        for line, code, why in (
            *(
                (f'{{"jsonrpc": "2.0", "id": {no_id}, "method": "ping"}}', -32600, "id")
                for no_id in ("1.5", "null", "true", "{}")
            ),
            ("{", -32700, "not JSON"),
            ("[]", -32600, "send each message on a line of its own"),
            ("1", -32600, "no JSON-RPC message"),
            ("x" * 9_000_000, -32700, "not JSON"),
        ):
            raw.send(line)
            answer = raw.read()
            assert (answer["id"], answer["error"]["code"]) == (None, code), line[:80]
            assert why in answer["error"]["message"]
        assert raw.process.stdin is not None
        for number, line in enumerate(UNREAD.values(), 100):
            for told in (number, f"n{number}"):
                raw.process.stdin.buffer.write(line.replace(b"ID", json.dumps(told).encode()))
                raw.send("")
                answer = raw.read()
                assert answer["id"] == told, (line[:80], answer)
                assert answer["error"]["code"] in (-32700, -32600, -32602), answer
        raw.send('{"id": "theirs", "result": "\x01"}')
        assert raw.read()["id"] is None
        assert "result" in raw.request("ping", {})


def test_nothing_is_answered_after_a_cancellation(project: Path, state: Path) -> None:
    with RunningServer(cwd=project) as running, RawStdio(running.port, project, state) as raw:
        raw.initialize()
        call = {"name": "read_console", "arguments": {"timeout_ms": 30_000}}
        raw.send(json.dumps({"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": call}))
        running.wait_for_log("waiting_editor_ready")
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": "c"}}
        raw.send(json.dumps({"jsonrpc": "2.0", **cancelled}))
        running.wait_for_log("request_abandoned")
        assert "result" in raw.request("ping", {})
        code, _ = raw.close()
    assert code == 0
    assert not any('"c"' in line for line in raw.lines)


def test_the_sdk_is_not_loaded() -> None:
    """It takes longer than all else on the way to the first answer."""
    program = (
        "import sys, mcp_server.cli.commands.serve_command, mcp_server.stdio.stdio_lines as _;"
        "heavy = {'mcp', 'mcp_types', 'pydantic', 'starlette', 'uvicorn'};"
        "print(heavy & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.split() == [b"set()"]
