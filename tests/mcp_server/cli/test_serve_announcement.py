"""What ``serve`` prints for clients can be typed as it is, token and project included."""

from __future__ import annotations

import shlex
import signal
import subprocess
from pathlib import Path

from running_server import UNITY_CLI, RunningServer, environment, run_cli

from mcp_server.calls.server.server_file import project_of_url
from mcp_server.clients.table import CLIENTS


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
