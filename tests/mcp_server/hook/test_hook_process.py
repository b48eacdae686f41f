"""``unity-cli hook`` as clients run it: real processes, and a real server."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from hook_calls import PATIENT
from proving_server import http, proving_server, says
from running_server import (
    SCRIPT,
    SOURCE,
    TIMEOUT_S,
    UNITY_CLI,
    RunningServer,
    environment,
    make_project,
    run_cli_process,
)

from mcp_server.calls.server import server_file
from mcp_server.calls.server.server_file import ServerFile
from mcp_server.calls.server.server_proof import proof_of
from mcp_server.hook import carrier, server_record


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    root = make_project(tmp_path_factory.mktemp("guarded") / "project")
    (root / "Library").mkdir()
    with RunningServer(cwd=root, UNITY_CLI_TOKEN="a-secret-token", **PATIENT) as running:
        yield running


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment with a log of its own."""
    state = str(tmp_path / "state")
    return environment(XDG_STATE_HOME=state, LOCALAPPDATA=state, **PATIENT)


def edit_event(project: Path, new: str = "speed = (0;", **more: Any) -> bytes:
    event = {
        "session_id": more.pop("session", "s1"),
        "cwd": str(project),
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_use_id": "t1",
        "tool_input": {
            "file_path": str(project / SCRIPT),
            "old_string": "speed = 0;",
            "new_string": new,
            "replace_all": False,
        },
        **more,
    }
    return json.dumps(event).encode()


def hook(
    event: bytes, env: dict[str, str], cwd: Path, client: str = "claude-code"
) -> subprocess.CompletedProcess[str]:
    return run_cli_process("hook", client, cwd=cwd, stdin=event, env=env)


def logged(env: dict[str, str]) -> str:
    file = Path(env["XDG_STATE_HOME"]) / "unity-snippet" / "log" / "hook.log"
    return file.read_text() if file.exists() else ""


def is_empty(done: subprocess.CompletedProcess[str]) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, "", "")


posix = pytest.mark.skipif(os.name != "posix", reason="the log is elsewhere on Windows")


def test_a_refusal_is_all_that_is_written(
    guarded: RunningServer, env: dict[str, str], tmp_path: Path
) -> None:
    done = hook(edit_event(guarded.cwd, session="refused"), env, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert f"{SCRIPT}:12:" in said["permissionDecisionReason"]
    assert (guarded.cwd / SCRIPT).read_bytes() == SOURCE
    assert is_empty(hook(edit_event(guarded.cwd, session="refused"), env, tmp_path))
    assert is_empty(hook(edit_event(guarded.cwd, "speed = 1;"), env, tmp_path)), "a good edit"
    assert logged(env) == ""


@posix
@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (b"", "no event on standard input"),
        (b"{", "no Unity project"),
        (b"\xff\xfe\x00", "no Unity project"),
        (b'{"hook_event_name": "PreToolUse"}', "no Unity project"),
        (b'{"cwd": 7, "tool_input": {"file_path": null}}', "no Unity project"),
        (b'{"cwd": "' + b"x" * 5_000_000 + b'"}', "more than"),
        (b'{"cwd": "\\ud800\\u0000"}', ""),
    ],
)
def test_broken_input(event: bytes, reason: str, env: dict[str, str], tmp_path: Path) -> None:
    assert is_empty(hook(event, env, tmp_path))
    assert reason in logged(env)
    assert logged(env).count("\n") == 1


@pytest.mark.parametrize(
    "broken",
    [
        b'{"cwd": %b, "hook_event_name": "PreToolUse"',
        b'{"cwd": %b, "hook_event_name": "Unknown"}',
        b'{"cwd": %b, "hook_event_name": "PreToolUse", "tool_input": [1]}',
        b'{"cwd": %b, "hook_event_name": "PreToolUse", "cursor_version": "1", "tool_name": "Edit"}',
        b'["x", {"cwd": %b}]',
    ],
)
def test_a_server_gets_broken_input(
    guarded: RunningServer, env: dict[str, str], tmp_path: Path, broken: bytes
) -> None:
    event = broken % json.dumps(str(guarded.cwd)).encode()
    assert is_empty(hook(event, env, tmp_path))
    assert logged(env) == ""


@posix
@pytest.mark.parametrize("client", ["nobody", "../evil", "a b", "ä"])
def test_an_unknown_client(
    guarded: RunningServer, env: dict[str, str], tmp_path: Path, client: str
) -> None:
    assert is_empty(hook(edit_event(guarded.cwd), env, tmp_path, client))
    assert logged(env).count("\n") == 1


@posix
def test_without_a_server(project: Path, env: dict[str, str], tmp_path: Path) -> None:
    assert is_empty(hook(edit_event(project), env, tmp_path))
    assert "no server runs for" in logged(env)


def leave_file(project: Path, of: ServerFile | int) -> None:
    """Leave the file of a server, or of one with a token that is on a port."""
    (project / "Library" / "SnippetEngine").mkdir(parents=True)
    file = ServerFile.of_this_process(of, "a-secret-token") if isinstance(of, int) else of
    target = server_file.in_project(project)
    target.write_text(json.dumps(file.to_json()))
    target.chmod(0o600)


@posix
def test_a_server_that_has_gone(project: Path, env: dict[str, str], tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        leave_file(project, probe.getsockname()[1])
        assert is_empty(hook(edit_event(project), env, tmp_path))
    assert "no connection to the server" in logged(env)


@posix
def test_a_server_that_never_answers(project: Path, env: dict[str, str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        leave_file(project, silent.getsockname()[1])
        usual = {each: value for each, value in env.items() if each not in PATIENT}
        assert is_empty(hook(edit_event(project), usual, tmp_path))
    assert "no answer within 0.3 s" in logged(env)


@posix
def test_no_end_of_a_turn_waits_long_for_a_proof(
    project: Path, env: dict[str, str], tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        leave_file(project, silent.getsockname()[1])
        event = {"cwd": str(project), "hook_event_name": "Stop", "session_id": "s"}
        assert is_empty(hook(json.dumps(event).encode(), env, tmp_path))
    assert "no answer within 2 s" in logged(env)


def test_a_project_that_unity_never_opened(env: dict[str, str], tmp_path: Path) -> None:
    root = make_project(tmp_path / "cloned")
    with RunningServer("--lsp", "off", cwd=root, **PATIENT):
        assert "deny" in hook(edit_event(root), env, tmp_path).stdout


def test_a_relative_path_without_a_working_folder(
    guarded: RunningServer, env: dict[str, str]
) -> None:
    event = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "tool_name": "fs_write",
        "tool_input": {"command": "create", "path": SCRIPT, "file_text": "class Player {"},
    }
    done = hook(json.dumps(event).encode(), env, guarded.cwd, "kiro")
    assert done.returncode == 2
    assert SCRIPT in done.stderr


@posix
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (http("500 Oh no", b""), "HTTP status 500"),
        (b"HTTP/1.1 200 OK\r\n\r\n", "no length"),
        (b"nonsense", "hung up"),
        (http("200 OK", b"x" * 300_000), "too long"),
        (http("200 OK", b"cut short")[:-4], "hung up"),
    ],
)
def test_a_server_that_answers_nonsense(
    project: Path, env: dict[str, str], tmp_path: Path, answer: bytes, reason: str
) -> None:
    with proving_server(says(answer)) as file:
        leave_file(project, file)
        assert is_empty(hook(edit_event(project), env, tmp_path))
    assert reason in logged(env)


@posix
def test_a_server_that_proves_nothing_is_not_shown_the_token(
    project: Path, env: dict[str, str], tmp_path: Path
) -> None:
    heard = bytearray()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                heard.extend(connection.recv(65536))
                connection.sendall(http("200 OK", b'{"proof": "00"}'))
                heard.extend(connection.recv(65536))

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        leave_file(project, listener.getsockname()[1])
        assert is_empty(hook(edit_event(project), env, tmp_path))
        thread.join(TIMEOUT_S)
    assert "did not prove" in logged(env)
    assert heard.startswith(b"GET /identity?nonce=")
    assert b"a-secret-token" not in heard


def test_an_event_of_another_project(
    guarded: RunningServer, project: Path, env: dict[str, str]
) -> None:
    """The folder leads to a server, but the file is another project's."""
    event = json.loads(edit_event(guarded.cwd, session="elsewhere"))
    event["tool_input"]["file_path"] = str(project.parent / "Elsewhere.cs")
    assert is_empty(hook(json.dumps(event).encode(), env, guarded.cwd))


def test_the_only_project_below_the_working_folder(
    guarded: RunningServer, env: dict[str, str]
) -> None:
    event = json.loads(edit_event(guarded.cwd, session="below"))
    event["cwd"] = str(guarded.cwd.parent)
    event["tool_input"]["file_path"] = f"{guarded.cwd.name}/{SCRIPT}"
    assert "deny" in hook(json.dumps(event).encode(), env, guarded.cwd.parent).stdout
    event["hook_event_name"] = "Stop"
    del event["tool_input"]
    assert is_empty(hook(json.dumps(event).encode(), env, guarded.cwd.parent))
    assert logged(env) == ""


@posix
def test_a_server_that_is_killed_meanwhile(env: dict[str, str], tmp_path: Path) -> None:
    root = make_project(tmp_path / "killed")
    (root / "Library").mkdir()
    with RunningServer(cwd=root) as running:
        running.process.send_signal(signal.SIGSTOP)
        started = subprocess.Popen(
            [UNITY_CLI, "hook", "claude-code"],
            cwd=tmp_path,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert started.stdin is not None
        started.stdin.write(edit_event(root)[:20])
        started.stdin.flush()
        running.process.send_signal(signal.SIGKILL)
        running.wait()
        assert started.communicate(edit_event(root)[20:], TIMEOUT_S) == (b"", b"")
        assert started.returncode == 0
    assert logged(env).count("\n") == 1


@posix
def test_nobody_reads_the_answer(guarded: RunningServer, env: dict[str, str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [UNITY_CLI, "hook", "claude-code"],
        input=edit_event(guarded.cwd, session="unread"),
        stdout=writer,
        stderr=subprocess.PIPE,
        env=env,
        timeout=TIMEOUT_S,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_process_loads_next_to_nothing(tmp_path: Path) -> None:
    program = (
        "import sys; before = set(sys.modules)\n"
        "import mcp_server.cli, mcp_server.hook.carrier\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    ours = {each for each in loaded if each.startswith("mcp_server")}
    assert ours == {
        *("mcp_server", "mcp_server.cli", "mcp_server.hook"),
        *("mcp_server.hook.carrier", "mcp_server.hook.server_record"),
    }
    heavy = {"json", "re", "socket", "typing", "hashlib", "pathlib", "click", "enum"}
    assert loaded & heavy == set()


def test_the_proof_is_the_servers() -> None:
    key = "0123456789abcdef" * 4
    assert carrier.proof_of(key, 48091, "ab" * 32) == proof_of(key, "127.0.0.1", 48091, "ab" * 32)


def test_the_log_is_where_the_others_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert (
        server_record.log_folder()
        == platformdirs.user_log_path("unity-snippet", appauthor=False).as_posix()
        or os.name != "posix"
    )
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert Path(server_record.log_folder()) == platformdirs.user_log_path(
        "unity-snippet", appauthor=False
    )


@posix
def test_the_log_stays_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for number in range(2_000):
        server_record.log("client", f"{number} " + "x" * 100)
    file = Path(server_record.log_folder()) / "hook.log"
    lines = file.read_text().splitlines()
    assert file.stat().st_size <= server_record.MAX_BYTES
    assert lines[-1].split()[2] == "1999"
    assert all(each.count("x") == 100 for each in lines)
