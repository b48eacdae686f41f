"""The ``serve`` process as a whole: its port, its guard on the wire, its start and its end."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from running_server import (
    SCRIPT,
    SOURCE,
    TERMINATED,
    UNITY_CLI,
    RunningServer,
    edit,
    environment,
    free_port,
    run_cli,
)
from this_system import needs_posix

from mcp_server.calls.server import server_file
from mcp_server.clients.table import CLIENTS

LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


def post(
    server: RunningServer,
    body: bytes | None = None,
    *,
    method: str = "POST",
    path: str = "/mcp",
    **headers: str,
) -> tuple[int, bytes]:
    """One raw HTTP request; ``headers`` are added to those of a good one, ``_`` for ``-``."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    sent = {"Content-Type": "application/json", **ACCEPT}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    content = json.dumps(LIST_TOOLS).encode() if body is None else body
    try:
        connection.request(method, path, content, sent)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_a_good_request(server: RunningServer) -> None:
    good = {"Host": f"localhost:{server.port}", "Origin": "http://localhost:6274"}
    in_any_case = {
        "Content-Type": "Application/JSON; charset=UTF-8",
        "Accept": "APPLICATION/json, Text/Event-Stream",
    }
    for headers in (good, in_any_case):
        status, body = post(server, **headers)
        assert (status, b"edit_snippet" in body) == (200, True)


def test_other_methods_and_paths(server: RunningServer) -> None:
    methods = ("GET", "DELETE", "PUT", "OPTIONS")
    assert [post(server, method=each)[0] for each in methods] == [405] * 4
    assert [post(server, path=each)[0] for each in ("/nothing-here", "/mcp/../unity")] == [404] * 2


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:{port}"}, 421),
        ({"Host": "localhost"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
@pytest.mark.parametrize("path", ["/mcp", "/anything"])
def test_refusals(server: RunningServer, headers: dict[str, str], status: int, path: str) -> None:
    filled = {name: value.format(port=server.port) for name, value in headers.items()}
    found, body = post(server, path=path, **filled)
    assert found == status
    assert b"edit_snippet" not in body


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"jsonrpc": "2.0", "id": 1}',
        b"[" * 100_000,
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 5}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_symbols",'
        b'"arguments":{"path":"\\ud800","n":1e999}}}',
    ],
)
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_garbage_is_answered_and_survived(server: RunningServer, body: bytes, version: str) -> None:
    status, _ = post(server, body, MCP_Protocol_Version=version)
    assert status < 500
    assert post(server)[0] == 200


def test_a_token_that_is_made(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "token"
    with RunningServer("--token-file", str(file), cwd=project) as server:
        token = file.read_text().strip()
        assert len(token) >= 32
        assert os.name == "nt" or stat.S_IMODE(file.stat().st_mode) == 0o600
        assert post(server)[0] == 401
        assert post(server, Authorization="Bearer wrong")[0] == 401
        assert post(server, path="/anything")[0] == 401
        assert post(server, Authorization=f"Bearer {token}")[0] == 200
        assert server.stop() == TERMINATED
        assert token not in server.log
    with RunningServer("--token-file", str(file), cwd=project) as server:  # and kept
        assert post(server, Authorization=f"bearer {token}")[0] == 200


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["serve", "--port", "4.5"], "ERR_CONFIG_VALIDATION: --port must be "),
        (["serve", "--project", "nowhere"], "ERR_CONFIG_VALIDATION: --project"),
        (["serve", "--token-file", "/no/file"], "ERR_CONFIG_VALIDATION: --token-file"),
        (
            ["serve", "--token-file", "{folder}/none/token"],
            "the folder {folder}/none doesn't exist",
        ),
        (["serve", "--token", "s3cret"], "--token-file"),
        (["mcp", "--token", "s3cret"], "--token-file"),
        pytest.param(
            ["mcp", "--token-file", "/dev/zero"],
            "--token-file /dev/zero: must be a regular file or a pipe.",
            marks=needs_posix,
        ),
        pytest.param(
            ["mcp", "--token-file", "/dev/null"],
            "--token-file /dev/null: must be a regular file or a pipe.",
            marks=needs_posix,
        ),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_wrong_options(no_project: Path, options: list[str], told: str) -> None:
    folder = str(no_project)
    done = run_cli(*(each.format(folder=folder) for each in options), cwd=no_project)
    assert (done.returncode, done.stdout) == (2, "")
    assert told.format(folder=folder) in done.stderr
    assert "s3cret" not in done.stderr
    assert "chmod" not in done.stderr


@pytest.mark.parametrize(
    ("mode", "text", "problem"),
    [
        pytest.param(0o644, "s3cret", "chmod 600", marks=needs_posix),
        (0o600, "two words", "spaces"),
        (0o600, "", "empty"),
        (None, "", "No such file"),
    ],
)
def test_token_files_that_are_none(
    no_project: Path, tmp_path: Path, mode: int | None, text: str, problem: str
) -> None:
    file = tmp_path / "token"
    if mode is not None:
        file.write_text(text)
        file.chmod(mode)
    done = run_cli("mcp", "--token-file", str(file), cwd=no_project)
    assert done.returncode == 2
    assert problem in done.stderr


def test_a_token_from_the_environment(project: Path) -> None:
    with RunningServer(cwd=project, UNITY_CLI_TOKEN="from-env") as server:
        assert post(server)[0] == 401
        assert post(server, Authorization="Bearer from-env")[0] == 200


def test_a_port_in_use(server: RunningServer, project: Path) -> None:
    done = run_cli("serve", "--port", str(server.port), "--output", "json", cwd=project)
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "ERR_CONFIG_VALIDATION"
    assert f"--port {server.port} is in use" in error["message"]
    assert post(server)[0] == 200


def test_that_there_is_no_project_is_said_at_the_start(no_project: Path, project: Path) -> None:
    (no_project / "Client").symlink_to(project)
    with RunningServer("--log-format", "json", cwd=no_project) as server:
        assert server.stop() == TERMINATED
    first = server.events[0]
    assert (first["event"], first["level"]) == ("no_project", "warning")
    assert first["working_folder"] == str(no_project)
    assert first["projects_below"] == "Client"
    assert "--project PATH" in first["why"]


def test_the_project_can_be_named(project: Path, no_project: Path) -> None:
    async def call(server: RunningServer) -> Any:
        async with Client(server.url) as client:
            return await client.call_tool("edit_snippet", edit("apply"))

    with RunningServer("--project", str(project), cwd=no_project) as server:
        assert not asyncio.run(asyncio.wait_for(call(server), 60)).is_error
    assert (project / SCRIPT).read_bytes() != SOURCE


def test_it_listens_on_the_loopback_address_only(server: RunningServer) -> None:
    others = {
        info[4][0]
        for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
        if not str(info[4][0]).startswith("127.")
    }
    for address in others:
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((str(address), server.port), timeout=10)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to stop a process")
@pytest.mark.parametrize("with_signal", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_cleanly(project: Path, with_signal: signal.Signals) -> None:
    with RunningServer("--log-format", "json", cwd=project) as server:
        assert post(server)[0] == 200
        assert server.stop(with_signal) == 0
    states = [event for event in server.events if event["event"] == "server_state"]
    assert [(event["previous"], event["state"]) for event in states] == [
        ("booting", "waiting_editor"),
        ("waiting_editor", "stopping"),
        ("stopping", "stopped"),
    ]
    assert not [event for event in server.events if event["level"] not in ("info", "warning")]
    assert "no_project" not in server.log


@needs_posix
def test_it_ends_with_its_terminal(project: Path) -> None:
    (project / "Library").mkdir(exist_ok=True)
    with starting_with(signal.SIG_DFL, project) as server:
        left = server_file.places(server.port, project)
        assert [place for place in left if place.exists()] == left
        assert server.stop(signal.SIGHUP) == 0
        assert [place for place in left if place.exists()] == []


@needs_posix
def test_it_outlives_its_terminal_below_nohup(project: Path) -> None:
    with starting_with(signal.SIG_IGN, project) as server:
        server.process.send_signal(signal.SIGHUP)
        assert post(server)[0] == 200
        assert server.stop(signal.SIGTERM) == 0


def starting_with(on_hang_up: signal.Handlers, project: Path) -> RunningServer:
    """A server that is started where SIGHUP does that: a process hands on what it ignores."""
    before = signal.signal(signal.SIGHUP, on_hang_up)
    try:
        return RunningServer(cwd=project)
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to stop a process")
@pytest.mark.parametrize("with_signal", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_cleanly_while_it_boots(project: Path, with_signal: signal.Signals) -> None:
    server = RunningServer(cwd=project)
    while True:  # the port is taken first of all
        try:
            socket.create_connection(("127.0.0.1", server.port), timeout=60).close()
            break
        except ConnectionRefusedError:
            assert server.process.poll() is None
    assert server.stop(with_signal) == 0
    assert "Traceback" not in server.log


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to stop a process")
def test_it_stops_in_time_while_clients_hold_on(project: Path) -> None:
    with RunningServer(cwd=project) as server:
        idle = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        idle.request(
            "POST", "/mcp", json.dumps(LIST_TOOLS), {**ACCEPT, "Content-Type": "application/json"}
        )
        idle.getresponse().read()
        half = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        half.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n".encode()
        )
        assert server.stop() == TERMINATED
        half.close()
        idle.close()
        assert "Traceback" not in server.log


def test_the_start_as_json_is_one_document(no_project: Path) -> None:
    port = free_port()
    with subprocess.Popen(
        [UNITY_CLI, "serve", "--output", "json", "--port", str(port)],
        cwd=no_project,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        while lines[-1] != "}\n":
            lines.append(process.stdout.readline())
        process.terminate()
        rest, _ = process.communicate(timeout=60)
    document = json.loads("".join(lines))
    assert document["url"] == f"http://127.0.0.1:{port}/mcp"
    assert list(document["clients"]) == list(CLIENTS)
    assert rest == ""


def test_what_was_loaded_is_not_looked_through_for_garbage_again(tmp_path: Path) -> None:
    """In a process of its own: what is frozen in this one would stay."""
    program = """
import gc, sys
from mcp_server.host import serve
from mcp_server.host.config import ServerConfig, bind
from mcp_server.host.stopping import StopSignal

told = []
signal = StopSignal()

def listening(_link):
    told.append(gc.get_freeze_count())
    signal.receive()

config = ServerConfig(port=int(sys.argv[1]), project=None, lsp="off")
serve.serve(config, bind(config.port), signal, listening)
print(told[0] > 10_000)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(free_port())],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


HANGS = {
    "the end of the tools": "LocalTools.close = lambda self: forever()",
    "a thread that waits for a file": "loop().run_in_executor(None, forever)",
    "the event loop": "loop().call_later(0.01, forever)",
    "a task that won't be cancelled": "tasks.append(loop().create_task(stays()))",
    "a thread of somebody else's": "Thread(target=forever).start()",
    "the log, which somebody holds": (
        "logging.getLogger().handlers[0].acquire(); loop().call_later(0.01, forever)"
    ),
}
"""What is done once the server listens."""


@needs_posix
def test_whatever_hangs_the_process_ends(tmp_path: Path) -> None:
    """Each hangs in a process of its own, forked from one that has loaded the server."""
    program = """
import asyncio, json, logging, os, sys
from threading import Event, Thread
from mcp_server.calls.local_tools import LocalTools
from mcp_server.host import serve, stopping
from mcp_server.host.config import ServerConfig, bind
from mcp_server.host.stopping import StopSignal

stopping.STOP_LIMIT_S = 3
forever, loop, tasks = Event().wait, asyncio.get_running_loop, []

async def stays():
    while True:
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            pass

def serve_and_hang(statement, port):
    signal = StopSignal()
    signal.listen()

    def listening(_link):
        exec(statement)
        signal.receive()

    config = ServerConfig(port=port, project=None, lsp="off")
    serve.serve(config, bind(port), signal, listening)

pids = {}
for what, (statement, port) in json.loads(sys.argv[1]).items():
    pids[what] = os.fork()
    if not pids[what]:
        os.dup2(os.open(what, os.O_WRONLY | os.O_CREAT), 2)
        serve_and_hang(statement, port)
        sys.exit()
ends = {what: os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for what, pid in pids.items()}
print(json.dumps(ends))
"""
    hangs = {what: (statement, free_port()) for what, statement in HANGS.items()}
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(hangs)],
        capture_output=True,
        cwd=tmp_path,
        text=True,
        timeout=100,
        check=True,
    )
    assert json.loads(done.stdout) == dict.fromkeys(HANGS, 0)
    for what in HANGS:
        log = (tmp_path / what).read_text()
        assert ("stop_overdue" in log) is ("log" not in what), log
