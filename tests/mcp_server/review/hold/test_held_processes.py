"""Held calls between real processes: a killed server, commands, and the relay over stdio."""

from __future__ import annotations

import asyncio
import json
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import project_server
import pytest
from mcp import Client
from proving_server import proving_server
from review_person import Person, words
from running_server import (
    ITSELF,
    SCRIPT,
    SOURCE,
    TIMEOUT_S,
    RunningServer,
    edit,
    environment,
    make_project,
)
from stdio_process import RawStdio
from this_system import KILL

from mcp_server.calls.server import delegated_call, server_file, warm_server
from mcp_server.calls.server.warm_server import WarmServer
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.outcome import ToolResult
from mcp_server.contract.script_tools import check_arguments
from snippet_engine.schemas.checked_params import CheckedParams

pytestmark = pytest.mark.anyio

EDITED = SOURCE.replace(b"speed > 10", b"speed > 20")
HELD = " held tool=edit_snippet"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = make_project(tmp_path / "Game")
    (made / "Library").mkdir()
    return made


@pytest.fixture
def server(root: Path) -> Iterator[RunningServer]:
    with RunningServer(cwd=root) as running:
        yield running


async def waits(server: RunningServer) -> None:
    await asyncio.to_thread(server.wait_for_log, HELD)


async def succeeds(server: RunningServer) -> bool:
    """Whether an edit over MCP gets a result."""
    try:
        async with Client(server.url) as client:
            called = await client.call_tool("edit_snippet", edit("apply"))
            return not called.is_error
    except Exception:  # whatever a client makes of a server that is gone
        return False


async def test_a_server_that_is_killed_writes_nothing_of_what_waited(root: Path) -> None:
    with RunningServer(cwd=root) as server:
        async with Person(server.port) as person:
            await person.switch(on=True)
            call = asyncio.create_task(succeeds(server))
            await waits(server)
            (form,) = await person.forms("/holds", "/actions/answer")
            await asyncio.to_thread(server.stop, KILL)
            assert not await call
    assert (root / SCRIPT).read_bytes() == SOURCE
    with RunningServer(cwd=root) as server:
        async with Person(server.port) as person:
            said = words(await person.view("/holds"))
            assert "Hold changes: on" in said
            assert "Nothing waits." in said
            (token,) = await person.forms("/holds", "/actions/hold")
            form.fields["form_token"] = token.fields["form_token"]
            late = await person.send(form, answer="approve")
            assert late.status_code == 409
    assert (root / SCRIPT).read_bytes() == SOURCE


def command(root: Path, **env: str) -> subprocess.Popen[str]:
    """``unity-cli`` that applies the edit."""
    sent = ["tool", "call", "edit_snippet", "--json", json.dumps(edit("apply"))]
    return subprocess.Popen(
        [*ITSELF, *sent, "--output", "json"],
        cwd=root,
        env=environment(**env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def says_that_it_waits(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    line = await asyncio.to_thread(process.stderr.readline)
    assert line.endswith("waits until it is approved on the review page: unity-cli open\n")


@pytest.mark.parametrize("answer", ["approve", "refuse"])
async def test_a_command_that_the_server_runs_waits(
    server: RunningServer, root: Path, answer: str
) -> None:
    async with Person(server.port) as person:
        await person.switch(on=True)
        process = command(root)
        await waits(server)
        await says_that_it_waits(process)
        said = words(await person.view("/holds"))
        assert f"edit_snippet: {SCRIPT} by unity-cli" in said
        assert (root / SCRIPT).read_bytes() == SOURCE
        await person.answer(answer, "not now")
        out, told = await asyncio.to_thread(process.communicate, timeout=TIMEOUT_S)
    document = json.loads(out)
    assert "command_call" in server.log
    assert "waits until" not in told, "once is enough"
    if answer == "approve":
        assert (process.returncode, document["status"]) == (0, "applied")
        assert (root / SCRIPT).read_bytes() == EDITED
    else:
        assert process.returncode != 0
        assert document["error"]["details"]["code"] == "approval_refused"
        assert document["error"]["details"]["details"]["reason"] == "not now"
        assert (root / SCRIPT).read_bytes() == SOURCE


async def test_a_command_that_asks_the_servers_compiler_waits(root: Path) -> None:
    lsp = shlex.join([sys.executable, "-S", str(Path(project_server.__file__))])
    with RunningServer(cwd=root, UNITY_CLI_LSP=lsp) as server:
        async with Person(server.port) as person:
            await person.switch(on=True)
            process = command(root, UNITY_CLI_LSP=lsp)
            await says_that_it_waits(process)
            await person.answer("approve")
            out, told = await asyncio.to_thread(process.communicate, timeout=TIMEOUT_S)
        assert "command_call" not in server.log
    assert json.loads(out)["status"] == "applied"
    assert told == ""
    assert (root / SCRIPT).read_bytes() == EDITED


async def test_a_command_that_is_killed_waits_no_longer(server: RunningServer, root: Path) -> None:
    async with Person(server.port) as person:
        await person.switch(on=True)
        process = command(root)
        await waits(server)
        process.kill()
        await asyncio.to_thread(process.communicate, timeout=TIMEOUT_S)
        await asyncio.to_thread(server.wait_for_log, "ending=withdrawn")
        assert "Nothing waits." in words(await person.view("/holds"))
    assert (root / SCRIPT).read_bytes() == SOURCE


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no interrupt for one process")
async def test_a_command_that_is_interrupted_says_that_nothing_was_done(
    server: RunningServer, root: Path
) -> None:
    async with Person(server.port) as person:
        await person.switch(on=True)
        process = command(root)
        await waits(server)
        process.send_signal(signal.SIGINT)
        out, _ = await asyncio.to_thread(process.communicate, timeout=TIMEOUT_S)
        await asyncio.to_thread(server.wait_for_log, "ending=withdrawn")
    assert process.returncode != 0
    assert json.loads(out)["error"]["details"]["execution_guarantee"] == "not_executed"
    assert (root / SCRIPT).read_bytes() == SOURCE


async def test_the_relay_over_stdio_waits_with_progress(
    server: RunningServer, root: Path, tmp_path: Path
) -> None:
    async with Person(server.port) as person:
        await person.switch(on=True)
        with RawStdio(server.port, root, tmp_path / "state", "--project", str(root)) as relay:
            await asyncio.to_thread(relay.initialize)
            params: dict[str, Any] = {"name": "edit_snippet", "arguments": edit("apply")}
            params["_meta"] = {"progressToken": "p"}
            call = asyncio.create_task(asyncio.to_thread(relay.request, "tools/call", params))
            await waits(server)
            await person.answer("approve")
            answered = await call
            told = [json.loads(each) for each in relay.lines]
    assert answered["result"]["structuredContent"]["status"] == "applied"
    messages = [each["params"]["message"] for each in told if "progress" in each.get("params", {})]
    assert any("waits for the user to approve it on http://127.0.0.1" in each for each in messages)
    assert (root / SCRIPT).read_bytes() == EDITED


# -- who carries a call waits as long as it makes progress -----------------------------------------

STEPS = 30
"""So many signs of life come, all in all later than the limit that a silent server has."""


def trickle(*, kind: str, sign: bytes, last: bytes) -> Any:
    def answer(client: socket.socket) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n"
        client.sendall(head.encode())
        pause = threading.Event()
        for _ in range(STEPS):
            pause.wait(0.05)
            client.sendall(sign)
        client.sendall(last)

    return answer


def written() -> CheckedParams:
    found = check_arguments(CATALOG["edit_snippet"], edit("apply"))
    assert isinstance(found, CheckedParams)
    return found


def event(document: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps({"jsonrpc": "2.0", **document}).encode() + b"\n\n"


def test_a_command_goes_by_a_calls_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_server, "answer_limit_s", lambda _spec, _arguments: 1.0)
    params = {"progressToken": 1, "progress": 1, "message": "waits for the user"}
    sign = event({"method": "notifications/progress", "params": params})
    result = {"content": [], "structuredContent": {"status": "applied"}, "isError": False}
    answer = trickle(kind="text/event-stream", sign=sign, last=event({"id": 1, "result": result}))
    with proving_server(answer) as file:
        outcome = WarmServer(file, tmp_path).call(CATALOG["edit_snippet"], written())
    assert isinstance(outcome, ToolResult)


def test_a_command_goes_by_the_blanks_before_its_answer(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delegated_call, "MARGIN_S", 0.0)
    document = {"text": "done", "is_error": False, "document": {"status": "applied"}}
    answer = trickle(kind="application/json", sign=b" ", last=json.dumps(document).encode())
    with proving_server(answer) as file:
        (place,) = server_file.write(file, root, lambda _file: False)[:1]
        outcome = delegated_call.call_by_server(
            root, "edit_snippet", {**edit("apply"), "timeout_ms": 1000}
        )
        place.unlink()
    assert isinstance(outcome, ToolResult), outcome
