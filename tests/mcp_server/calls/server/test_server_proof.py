"""A token is shown only to this user's server: every client against listeners that are not it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import os
import signal
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from running_server import TERMINATED, RunningServer, environment, run_cli
from stdio_process import RawStdio
from this_system import KILL, needs_posix
from user_state import set_state

from mcp_server.calls.server import server_file, server_proof
from mcp_server.calls.server.remote_tools import RemoteTools
from mcp_server.calls.server.server_file import ServerFile
from mcp_server.calls.server.server_proof import (
    Challenge,
    NotProvenError,
    proof_of,
)
from mcp_server.calls.server.server_status import NoStatus, ServerStatus, ask_status
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.contract.server_schemas import PROOF_SCHEMA, SERVER_FILE_SCHEMA
from mcp_server.stdio.shared_server import HeldLease, Unusable, take_lease

TOKEN = "the-secret-token"
NESTED = b"[" * 10_000
"""Deeper than JSON is read."""
Answer = Callable[[bytes], bytes]


def http(status: str, body: bytes = b"{}") -> bytes:
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status.encode(), len(body), body)


class Listener:
    """A program of somebody else's that came first. It keeps everything that it is told."""

    def __init__(self, answer: Answer | None) -> None:
        self.heard = b""
        self._answer = answer
        self.hangs_up = answer is None
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Listener:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # on Windows the close alone ends the wait for a client
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            with client:
                try:
                    while data := client.recv(65536):
                        self.heard += data
                        if self._answer is None:
                            break
                        client.sendall(self._answer(data))
                except OSError:
                    pass


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """This user's server, on another port than the listener's."""
    folder = tmp_path_factory.mktemp("real")
    with RunningServer(cwd=folder, UNITY_CLI_TOKEN=TOKEN) as running:
        yield running


def relayed(port: int) -> Answer:
    """Asks this user's server for the proof, and hands it on."""

    def answer(question: bytes) -> bytes:
        target = question.split(b" ")[1]
        with socket.create_connection(("127.0.0.1", port)) as server:
            host = b"127.0.0.1:%d" % port
            close = b"Connection: close"
            server.sendall(b"GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n" % (target, host, close))
            return b"".join(iter(lambda: server.recv(65536), b""))

    return answer


@pytest.fixture(
    params=[
        "old server",
        "silent success",
        "wrong proof",
        "no HTTP",
        "endless",
        "nested",
        "relay",
        "hangs up",
    ]
)
def listener(request: pytest.FixtureRequest, real: RunningServer) -> Iterator[Listener]:
    answers: dict[str, Answer | None] = {
        "old server": lambda _: http("401 Unauthorized"),
        "silent success": lambda _: http("200 OK"),
        "wrong proof": lambda _: http("200 OK", json.dumps({"proof": "0" * 64}).encode()),
        "no HTTP": lambda _: b"220 mail.example\r\n",
        "endless": lambda _: b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000,
        "nested": lambda _: http("200 OK", NESTED),
        "relay": relayed(real.port),
        "hangs up": None,
    }
    with Listener(answers[request.param]) as listening:
        yield listening


@pytest.fixture(params=["with a file", "without"])
def left_behind(request: pytest.FixtureRequest, listener: Listener) -> Iterator[None]:
    """A server of this user was on that port before, and has left its file; or none was."""
    file = ServerFile.of_this_process(listener.port, TOKEN)
    written = server_file.write(file, None) if request.param == "with a file" else []
    yield
    server_file.remove(file, written)


def test_a_stranger_that_answers_nested_json_is_no_server() -> None:
    with Listener(lambda _: http("200 OK", NESTED)) as listener:
        assert isinstance(ask_status(listener.url, None, 20), NoStatus)


def test_a_server_may_leave_its_file_while_it_is_asked() -> None:
    """A client that starts a server connects as soon as the port is bound."""
    files: list[ServerFile] = []
    challenge = Challenge(lambda: files[-1] if files else None, "127.0.0.1", 48_091)
    nonce = challenge.question.split(b" ")[1].rpartition(b"=")[2].decode()
    files.append(ServerFile.of_this_process(48_091, TOKEN))
    proof = proof_of(files[-1].key, "127.0.0.1", 48_091, nonce)
    answer = http("200 OK", json.dumps({"proof": proof}).encode())
    assert not challenge.answered(answer[:20])
    assert challenge.answered(answer[20:])


@pytest.mark.usefixtures("left_behind")
@pytest.mark.anyio
async def test_no_client_shows_its_token_to_a_stranger(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_proof, "ANSWER_LIMIT_S", 1)
    status = await asyncio.to_thread(ask_status, listener.url, TOKEN, 1)
    assert isinstance(status, NoStatus)
    lease = await take_lease(listener.port, TOKEN)
    if listener.hangs_up:
        assert not isinstance(lease, HeldLease)
    else:
        assert isinstance(lease, Unusable)
        assert "token was not sent" in lease.reason
    spec = CATALOG["get_editor_state"]
    outcome = await asyncio.to_thread(RemoteTools(listener.url, TOKEN).call, spec, {})
    assert isinstance(outcome, ToolError)
    told = ("token was not sent", "no answer within")
    assert listener.hangs_up or any(each in outcome.message for each in told)
    assert TOKEN.encode() not in listener.heard


@pytest.mark.anyio
async def test_localhost_is_no_way_around(real: RunningServer) -> None:
    """A listener on another address of the same port could have the server answer for it."""
    file = server_file.find(real.port, None)
    assert file is not None
    challenge = Challenge(lambda: file, "::1", real.port)
    answer = await asyncio.to_thread(relayed(real.port), challenge.question)
    with pytest.raises(NotProvenError, match="did not prove"):
        challenge.answered(answer)


def test_the_server_itself_is_shown_the_token(real: RunningServer, no_project: Path) -> None:
    assert isinstance(ask_status(real.url, TOKEN, 20), ServerStatus)
    named = real.url.replace("127.0.0.1", "localhost")
    assert isinstance(ask_status(named, TOKEN, 20), ServerStatus)
    with_token = environment(UNITY_CLI_TOKEN=TOKEN)
    called = run_cli(
        "tool", "call", "get_editor_state", "--url", real.url, cwd=no_project, env=with_token
    )
    assert called.returncode == 0, called.stderr


def test_the_servers_file_saves_giving_the_token(
    real: RunningServer, no_project: Path, tmp_path: Path
) -> None:
    called = run_cli("tool", "call", "get_editor_state", "--url", real.url, cwd=no_project)
    assert called.returncode == 0, called.stderr
    folder = os.environ["XDG_STATE_HOME"]  # every test's, on Windows too
    with RawStdio(real.port, no_project, Path(folder)) as raw:
        assert "result" in raw.initialize()
    with RawStdio(real.port, no_project, tmp_path) as raw:  # another user, as it were
        assert "token" in raw.initialize()["error"]["message"]


def opened_project(tmp_path: Path, *folders: str) -> tuple[Path, Path]:
    """A project with ``folders`` (all, if none is named), and where its server leaves a file."""
    project = tmp_path / "project"
    for name in folders or ("Assets", "ProjectSettings", "Library"):
        (project / name).mkdir(parents=True)
    return project, project / "Library" / "SnippetEngine" / "server.json"


def test_the_file_is_for_its_user_alone_and_goes_with_the_server(tmp_path: Path) -> None:
    project, in_project = opened_project(tmp_path)
    with RunningServer("--project", str(project), cwd=project, UNITY_CLI_TOKEN=TOKEN) as running:
        by_port = server_file.places(running.port, None)[0]
        assert by_port.read_bytes() == in_project.read_bytes()
        document = json.loads(in_project.read_bytes())
        jsonschema.validate(document, SERVER_FILE_SCHEMA)
        assert (document["port"], document["pid"]) == (running.port, running.process.pid)
        assert document["token"] == TOKEN
        if os.name == "posix":  # elsewhere a file has its rights from the folder
            for path in (by_port, in_project):
                assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_IMODE(by_port.parent.stat().st_mode) == 0o700
        assert TOKEN not in running.log
        assert running.stop() == TERMINATED
    if os.name == "posix":  # Windows lets nobody clean up who is ended
        assert not by_port.exists()
        assert not in_project.exists()


@pytest.mark.parametrize("how", [signal.SIGTERM, KILL])
def test_a_second_server_leaves_its_file_once_the_first_has_ended(
    tmp_path: Path, how: signal.Signals
) -> None:
    project, in_project = opened_project(tmp_path)
    arguments = ("--project", str(project))
    with RunningServer(*arguments, cwd=project, UNITY_CLI_TOKEN=TOKEN) as first:
        left = in_project.read_bytes()
        with RunningServer(*arguments, cwd=project) as second:
            assert "server_file_kept" in second.log
            assert in_project.read_bytes() == left
            assert json.loads(left)["port"] == first.port
            first.process.send_signal(how)
            first.process.wait()
            second.wait_for_log("server_file_left")
            assert json.loads(in_project.read_bytes())["port"] == second.port
            assert second.stop(how) == TERMINATED or how == KILL
        assert os.name == "nt" or in_project.exists() is (how == KILL)
    if how == KILL:  # the next one takes the place of a file that was left behind
        with RunningServer(*arguments, cwd=project) as third:
            assert json.loads(in_project.read_bytes())["port"] == third.port


@pytest.mark.parametrize("is_unity", [True, False])
def test_the_file_is_left_in_a_project_that_was_never_opened(
    tmp_path: Path, is_unity: bool
) -> None:
    folders = ("Assets", "ProjectSettings") if is_unity else ("Assets",)
    project, in_project = opened_project(tmp_path, *folders)
    with RunningServer("--project", str(project), cwd=project) as server:
        if not is_unity:
            assert not in_project.parent.parent.exists()
            in_project.parent.parent.mkdir()
            server.wait_for_log("server_file_left")
        assert json.loads(in_project.read_bytes())["port"] == server.port


def test_another_servers_file_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_state(monkeypatch, tmp_path)
    old = ServerFile.of_this_process(50_000, None)
    written = server_file.write(old, None)
    new = ServerFile.of_this_process(50_000, "t")
    server_file.write(new, None)
    server_file.remove(old, written)
    assert server_file.find(50_000, None) == new


@pytest.mark.parametrize(
    "spoilt",
    [
        pytest.param("readable", marks=needs_posix),
        "a link",
        "cut off",
        "nested",
        "no file",
        "another port",
        "a token that no header can have",
        "a token with letters that no header can have",
    ],
)
def test_a_file_that_others_could_have_written_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoilt: str
) -> None:
    set_state(monkeypatch, tmp_path)
    (path,) = server_file.write(ServerFile.of_this_process(50_000, None), None)
    assert server_file.find(50_000, None) is not None
    if spoilt == "readable":
        path.chmod(0o644)
    elif spoilt == "a link":
        path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    elif spoilt == "cut off":
        path.write_bytes(path.read_bytes()[:40])
    elif spoilt == "nested":
        path.write_bytes(NESTED)
    elif spoilt == "another port":
        path.write_text(json.dumps({**json.loads(path.read_text()), "port": 50_001}))
    elif spoilt.startswith("a token"):
        token = "ü" if "letters" in spoilt else "x\r\nEvil: 1"
        path.write_text(json.dumps({**json.loads(path.read_text()), "token": token}))
    else:
        path.unlink()
        path.mkdir()
    assert server_file.find(50_000, None) is None


def test_the_newest_file_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project's file that a server left when it crashed is older than what runs there now."""
    set_state(monkeypatch, tmp_path)
    (tmp_path / "Library").mkdir()
    crashed = replace(
        ServerFile.of_this_process(50_000, None), started="2000-01-01T00:00:00.000+00:00"
    )
    server_file.write(crashed, tmp_path)
    running = ServerFile.of_this_process(50_000, None)
    server_file.write(running, None)
    assert server_file.find(50_000, tmp_path) == running


def given_proof() -> str:
    """What the contract says, written out."""
    said = b"unity-snippet 127.0.0.1:48091 " + b"00" * 32
    return hmac.new(b"\xab" * 32, said, hashlib.sha256).hexdigest()


def test_a_proof_is_for_one_nonce_one_key_and_one_address() -> None:
    given = ("ab" * 32, "127.0.0.1", 48091, "00" * 32)
    proof = proof_of(*given)
    assert proof == given_proof()
    others = [
        ("ac" * 32, "127.0.0.1", 48091, "00" * 32),
        ("ab" * 32, "::1", 48091, "00" * 32),
        ("ab" * 32, "127.0.0.1", 48092, "00" * 32),
        ("ab" * 32, "127.0.0.1", 48091, "01" * 32),
    ]
    assert proof not in [proof_of(*each) for each in others]


def test_a_nonce_gets_an_answer_of_the_contract_and_what_is_none_no_answer(
    real: RunningServer,
) -> None:
    ask = relayed(real.port)
    answer = ask(b"GET /identity?nonce=" + b"00" * 32 + b" HTTP/1.1")
    jsonschema.validate(json.loads(answer.partition(b"\r\n\r\n")[2]), PROOF_SCHEMA)
    for nonce in (b"", b"00", b"zz" * 32, b"00" * 65, b"AB" * 32):
        assert ask(b"GET /identity?nonce=%s HTTP/1.1" % nonce).startswith(b"HTTP/1.1 400 ")
