"""``unity-cli status`` and ``stop``, and what ``serve`` prints: commands that can be typed."""

from __future__ import annotations

import http.server
import json
import shlex
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from running_server import UNITY_CLI, RunningServer, environment, make_project, run_cli

from mcp_server.calls.server import proven_connection, server_file
from mcp_server.calls.server.server_file import ServerFile, project_of_url
from mcp_server.clients.table import CLIENTS
from mcp_server.host.endpoints import is_stop_proven
from mcp_server.version import package_version


@pytest.fixture
def server(project: Path) -> Iterator[RunningServer]:
    """One of the project, which Unity has opened."""
    (project / "Library").mkdir(exist_ok=True)
    with RunningServer(cwd=project) as running:
        yield running


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One that no test ends."""
    project = make_project(tmp_path_factory.mktemp("standing") / "project")
    (project / "Library").mkdir()
    with RunningServer(cwd=project) as running:
        yield running


def test_the_running_server_is_told_of_and_ended(project: Path, server: RunningServer) -> None:
    said = run_cli("status", cwd=project)
    assert said.returncode == 0
    assert f"{server.url}: version {package_version()}, process " in said.stdout
    assert f"project: {project}" in said.stdout
    told = json.loads(run_cli("status", "--output", "json", cwd=project).stdout)
    assert told["running"]
    assert told["server"]["project"] == str(project)

    dry = run_cli("stop", "--dry-run", cwd=project)
    assert dry.returncode == 0
    assert "would be ended" in dry.stdout
    assert server.process.poll() is None

    done = run_cli("stop", "--output", "json", cwd=project)
    assert done.returncode == 0, done.stdout
    (ended,) = json.loads(done.stdout)["stopped"]
    assert (ended["url"], ended["version"]) == (server.url, package_version())
    assert server.wait() == 0
    assert "told_to_stop" in server.log


def test_where_none_runs_that_is_said(project: Path, no_project: Path) -> None:
    said = run_cli("status", cwd=project)
    assert said.returncode == 3
    assert f"No server runs for {project}" in said.stdout
    stopped = run_cli("stop", cwd=project)
    assert (stopped.returncode, stopped.stdout) == (0, f"No server runs for {project}.\n")
    nowhere = run_cli("stop", cwd=no_project)
    assert nowhere.returncode == 2
    assert "Give --project PATH" in nowhere.stderr


def test_what_is_to_be_typed_leads_there_from_where_it_is_told(
    project: Path, server: RunningServer, no_project: Path
) -> None:
    assert server.process.stdout is not None
    ending = next(line for line in server.process.stdout if line.startswith("To end this server"))
    by_url = f"unity-cli stop --url {server.url}"
    assert ending.rstrip().endswith(f"from elsewhere {by_url}")
    by_project, named = f"unity-cli stop --project {project}", ("--project", str(project))
    for arguments, cwd, stop in (
        ((), project, "unity-cli stop"),
        (named, no_project, by_project),
        (("--url", server.url), no_project, by_url),
    ):
        told = run_cli("status", *arguments, cwd=cwd).stdout
        assert told.endswith(f"To end it: {stop}\n")
    refused = run_cli("serve", *named, cwd=no_project).stderr
    assert f"`{by_project}` ends it." in refused
    refused = run_cli("serve", "--port", str(server.port), cwd=project).stderr
    version = f"A server of version {package_version()}"
    assert f"{version} runs for this project already, at {server.url}" in refused
    assert "`unity-cli stop` ends it" in refused
    assert run_cli(*by_url.split()[1:], cwd=no_project).returncode == 0
    none = run_cli("status", *named, cwd=no_project).stdout
    assert none.endswith(f"To start one: unity-cli serve --project {project}\n")


def test_the_server_of_another_project_stays(standing: RunningServer, tmp_path: Path) -> None:
    other = make_project(tmp_path / "other")
    assert run_cli("stop", cwd=other).stdout == f"No server runs for {other}.\n"
    named = run_cli("stop", "--url", standing.url, cwd=other)
    assert named.returncode == 2
    assert "works in another project" in named.stderr
    assert standing.process.poll() is None


def test_a_server_of_whose_file_this_user_knows_nothing_stays(
    standing: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever can't read its key isn't its user, whatever process number it tells."""
    real = server_file.find(standing.port, standing.cwd)
    assert real is not None
    forged = ServerFile(real.port, real.pid, real.started, "0" * 64, None)
    for found, why in ((None, "wrote no server.json for this user"), (forged, "doesn't prove")):
        monkeypatch.setattr(server_file, "find", lambda *_, found=found: found)
        done = run_cli("stop", "--url", standing.url, cwd=standing.cwd)
        assert done.returncode == 1
        assert why in done.stderr
        assert f"process {real.pid}" in done.stderr
    assert standing.process.poll() is None


@pytest.mark.parametrize("body", [b"{}", b"[", b'{"proof": "' + b"0" * 64 + b'"}'])
def test_a_wrong_proof_ends_nothing(body: bytes) -> None:
    file = ServerFile.of_this_process(1, None)
    assert not is_stop_proven(body, file)


class _Older(http.server.BaseHTTPRequestHandler):
    """A server of ours of a version before, which has no such route."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_version_that_cant_be_told_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    older = http.server.HTTPServer(("127.0.0.1", 0), _Older)
    thread = threading.Thread(target=older.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setattr("mcp_server.calls.server.proven_connection.prove", lambda *_: None)
    file = ServerFile.of_this_process(older.server_port, None)
    assert proven_connection.stop(file) == "its version can't be stopped this way"
    older.shutdown()
    thread.join()
    older.server_close()
    assert proven_connection.stop(file) == "it doesn't prove that it is this user's server"


def test_serve_speaks_plainly_unless_a_log_is_asked_for(project: Path) -> None:
    with RunningServer(cwd=project, verbose=False) as plain:
        assert plain.process.stdout is not None
        shown = iter(plain.process.stdout.readline, "")
        assert any(line.startswith("To end this server: Ctrl-C") for line in shown)
        plain.wait_for_log("No Unity Editor is connected: script tools work without one.")
        assert run_cli("stop", "--quiet", cwd=project).returncode == 0
        plain.wait()
    assert "=" not in plain.log
    assert [line.split(" ", 1)[1] for line in plain.log.splitlines()][-2:] == [
        "unity-cli stop has ended this server.",
        "Stopping.",
    ]


# -- what serve prints for clients -----------------------------------------------------------------


def test_a_servers_token_and_project_are_in_the_commands(project: Path, tmp_path: Path) -> None:
    token = tmp_path / "its token"
    with RunningServer("--token-file", str(token), cwd=project) as server:
        assert server.process.stdout is not None
        cursor = next(line for line in server.process.stdout if line.startswith("Cursor"))
    assert "unity-cli client install cursor" in cursor
    assert f"--token-file '{token}'" in cursor
    assert f"--project {project}" in cursor
    assert "weak_token" not in server.log


def test_a_token_from_the_environment_is_referred_to(project: Path) -> None:
    with RunningServer(cwd=project, UNITY_CLI_TOKEN="s3cret") as server:
        assert server.process.stdout is not None
        cursor = next(line for line in server.process.stdout if line.startswith("Cursor"))
    assert "--token-env" in cursor
    assert "s3cret" not in cursor
    assert "the token has 6 characters" in server.log


def test_a_clients_own_command_names_the_project_in_the_address(project: Path) -> None:
    with RunningServer(cwd=project) as server:
        assert server.process.stdout is not None
        claude = next(line for line in server.process.stdout if line.startswith("Claude Code"))
    words = shlex.split(claude.removeprefix("Claude Code"))
    assert words[:3] == ["claude", "mcp", "add"]
    assert words[-1].startswith(server.url)
    assert project_of_url(words[-1]) == project.as_posix()


def test_a_projects_own_server_needs_no_port_in_the_commands(project: Path) -> None:
    """The next time it may have another; what is written then starts or finds it."""
    with subprocess.Popen(
        [UNITY_CLI, "serve", "--lsp", "off"],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        url, *commands = [process.stdout.readline() for _ in range(1 + len(CLIENTS))]
        process.send_signal(signal.SIGTERM)
    assert url.startswith("http://127.0.0.1:")
    typed = [line.split("unity-cli")[1].split() for line in commands]
    assert [words[:2] for words in typed] == [["client", "install"]] * len(CLIENTS)
    assert all(words[3:] == ["--project", str(project)] for words in typed)


def test_a_quiet_server_says_where_it_is_and_no_more(project: Path) -> None:
    with RunningServer("--quiet", cwd=project) as server:
        url = f"{server.url.removesuffix('/mcp')}"
        called = ("tool", "call", "get_editor_state", "--url", url)
        run_cli(*called, cwd=project)  # of which a server logs a line, or two
        server.process.send_signal(signal.SIGTERM)
        out = server.process.stdout
        assert out is not None
        assert out.read() == ""
        assert server.wait() in (0, -signal.SIGTERM)
    assert server.log == ""
