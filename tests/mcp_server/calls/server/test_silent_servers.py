"""A call's own time holds, too, for what listens and gives no answer, or none that ends."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from running_server import TIMEOUT_S, UNITY_CLI, environment, run_cli
from user_state import set_state

from mcp_server.calls.server import project_server, server_file
from mcp_server.calls.server.project_server import SilentServer, claim_project, own_server
from mcp_server.calls.server.proven_connection import ProvenConnection
from mcp_server.calls.server.server_file import ServerFile
from mcp_server.calls.server.server_status import NOT_OURS, NoStatus, ask_status
from mcp_server.cli.commands import serve_command
from mcp_server.contract.errors import ToolError
from mcp_server.stdio import shared_server
from mcp_server.stdio.shared_server import SharedServer
from snippet_engine.storage.system.file_lock import HeldLock

Behaviour = Callable[[socket.socket, Event], None]


def keeps_silent(_: socket.socket, over: Event) -> None:
    over.wait()


def trickles(connection: socket.socket, over: Event) -> None:
    """Sends a header that never ends, a letter at a time."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-More: ")
    while not over.wait(0.02):
        connection.sendall(b"x")


def trickles_a_body(connection: socket.socket, over: Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n")
    while not over.wait(0.02):
        connection.sendall(b"x")


@contextlib.contextmanager
def listening(behaviour: Behaviour) -> Iterator[int]:
    """The port of a program that takes each connection, and then does ``behaviour``."""
    over = Event()

    def serve() -> None:
        while not over.is_set():
            connection, _ = listener.accept()
            Thread(target=answer, args=(connection,), daemon=True).start()

    def answer(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            behaviour(connection, over)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve, daemon=True)
        thread.start()
        port = listener.getsockname()[1]
        try:
            yield port
        finally:
            over.set()
            socket.create_connection(("127.0.0.1", port)).close()
            thread.join()


@pytest.mark.parametrize(
    ("behaviour", "inside"),
    [(keeps_silent, True), (trickles, False)],
)
def test_a_call_ends_in_its_own_time(
    behaviour: Behaviour, inside: bool, project: Path, no_project: Path
) -> None:
    with listening(behaviour) as port:
        url = f"http://127.0.0.1:{port}"
        call = ("tool", "call", "get_editor_state", "--url", url, "--timeout", "0.5")
        done = run_cli(*call, cwd=project if inside else no_project)
    assert done.returncode == 3
    assert f"The program at {url}/mcp can't be used: no answer within 0.5 s." in done.stderr
    assert "larger --timeout" in done.stderr


def test_told_is_all_the_time_that_nothing_answered(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project's own server was looked for in it, too."""
    set_state(monkeypatch, tmp_path / "state")
    with listening(keeps_silent) as port:
        monkeypatch.setattr(project_server, "DEFAULT_PORT", port)
        done = run_cli("tool", "call", "get_editor_state", "--timeout", "0.7", cwd=project)
    assert "can't be used: no answer within 0.7 s." in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to interrupt with")
def test_an_interrupt_before_anything_was_sent_says_that_nothing_was_changed(
    no_project: Path,
) -> None:
    reached = Event()

    def behaviour(_connection: socket.socket, over: Event) -> None:
        reached.set()
        over.wait()

    call = ("tool", "call", "control_play_mode", "--json", json.dumps({"action": "start"}))
    with listening(behaviour) as port:
        process = subprocess.Popen(
            [UNITY_CLI, *call, "--url", f"http://127.0.0.1:{port}"],
            cwd=no_project,
            stderr=subprocess.PIPE,
            env=environment(),
            text=True,
        )
        assert reached.wait(TIMEOUT_S)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130
    assert said.strip() == "Interrupted. It was stopped, and changed nothing."


def _left_by(port: int, project: Path) -> ServerFile:
    file = ServerFile.of_this_process(port, None)
    (project / "Library").mkdir()
    server_file.write(file, project)
    return file


@pytest.mark.parametrize("behaviour", [keeps_silent, trickles])
def test_the_projects_own_server_that_gives_no_answer_is_named(
    behaviour: Behaviour, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_state(monkeypatch, tmp_path / "state")
    monkeypatch.setattr(project_server, "ANSWER_LIMIT_S", 0.5)
    claim = claim_project(project, 0)
    assert isinstance(claim, HeldLock)
    with listening(behaviour) as port, claim:
        file = _left_by(port, project)
        assert own_server(project) == SilentServer(file)
        done = run_cli("tool", "call", "get_editor_state", "--timeout", "0.5", cwd=project)
        doctor = run_cli("doctor", "--lsp", "off", cwd=project)
    assert done.returncode == 3
    named = f"project's own server (port {port}, pid {file.pid}) runs and doesn't answer"
    assert named in done.stderr
    assert f"End its process {file.pid} and start it again" in done.stderr
    assert "another project" not in done.stderr
    assert named in doctor.stdout


@contextlib.contextmanager
def hanging_server(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerFile]:
    """The file of a project's own server that takes connections, and answers nothing."""
    set_state(monkeypatch, project.parent / "state")
    monkeypatch.setattr(project_server, "ANSWER_LIMIT_S", 0.2)
    claim = claim_project(project, 0)
    assert isinstance(claim, HeldLock)
    with listening(keeps_silent) as port, claim:
        yield _left_by(port, project)


def _told_of(file: ServerFile) -> str:
    return (
        f"The project's own server (port {file.port}, pid {file.pid}) runs and doesn't answer: it "
        f"hangs, or is very busy. End its process {file.pid} and start it again"
    )


def test_whoever_would_serve_beside_a_server_that_hangs_is_told_of_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve_command, "CLAIM_PATIENCE_S", 0.3)
    with hanging_server(project, monkeypatch) as file:
        assert claim_project(project, 0) == SilentServer(file)
        done = run_cli("serve", cwd=project)
    assert done.returncode == 3
    assert _told_of(file) in done.stderr


@pytest.mark.anyio
async def test_a_client_starts_no_server_beside_one_that_hangs(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def started(*_: object) -> None:
        raise AssertionError("a server was started")

    monkeypatch.setattr(shared_server, "START_LIMIT_S", 0.5)
    monkeypatch.setattr(shared_server, "ServerProcess", started)
    with hanging_server(project, monkeypatch) as file:
        found = await SharedServer(None, project, None).ensure()
    assert isinstance(found, ToolError)
    assert found.message.startswith(_told_of(file))


def test_calls_of_a_batch_have_their_time_where_a_server_hangs(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []
    own_address = project_server.own_address

    def looked(*arguments: Path, within_s: float) -> object:
        looks.append(within_s)
        return own_address(*arguments, within_s=within_s)

    monkeypatch.setattr(project_server, "own_address", looked)
    (project / "calls.json").write_text('[{"tool": "get_editor_state"}]', encoding="utf-8")
    with hanging_server(project, monkeypatch):
        done = run_cli("batch", "calls.json", "--timeout", "0.5", cwd=project)
    assert done.returncode == 1
    assert len(looks) == 2
    assert max(looks) <= 0.5


def test_what_a_server_left_that_is_gone_names_nobody(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever listens there by now and is silent is a stranger."""
    set_state(monkeypatch, tmp_path / "state")
    monkeypatch.setattr(project_server, "ANSWER_LIMIT_S", 0.3)
    claim = claim_project(project, 0)
    assert isinstance(claim, HeldLock)
    claim.release()
    with listening(keeps_silent) as port:
        _left_by(port, project)
        assert own_server(project) is None


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [(trickles, "no answer within 0.3 s"), (trickles_a_body, NOT_OURS)],
)
def test_asking_for_the_status_ends_though_something_comes_all_the_time(
    behaviour: Behaviour, reason: str
) -> None:
    with listening(behaviour) as port:
        found = ask_status(f"http://127.0.0.1:{port}/mcp", None, 0.3)
    assert isinstance(found, NoStatus)
    assert (found.reason, found.answered) == (reason, True)


@pytest.mark.parametrize("behaviour", [keeps_silent, trickles, trickles_a_body])
def test_a_proof_has_its_time_however_it_comes(behaviour: Behaviour) -> None:
    with listening(behaviour) as port, pytest.raises(TimeoutError):
        ProvenConnection.to_server(ServerFile.of_this_process(port, None), 0.5)
