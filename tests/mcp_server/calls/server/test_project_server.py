"""A project's own server, without a port to choose: docs/design/server-and-bridge.md §12."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import anyio
import pytest
from fake_editor import FakeEditor
from mcp import Client, StdioServerParameters
from running_server import SCRIPT, UNITY_CLI, edit, environment, free_port
from this_system import ON_WINE

from mcp_server.calls.server.project_server import claim_project, own_server, project_key
from snippet_engine.storage.system.file_lock import HeldLock


@contextmanager
def serving(project: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """``unity-cli serve`` without a port: the process, and the URL that it prints first."""
    with subprocess.Popen(
        [UNITY_CLI, "serve", "--lsp", "off", *options],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        try:
            yield process, url
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate()


def port_of(url: str) -> int:
    assert url.startswith("http://127.0.0.1:"), url
    return int(url.removeprefix("http://127.0.0.1:").removesuffix("/mcp"))


@pytest.fixture
def other(project: Path, tmp_path: Path) -> Path:
    other = tmp_path / "other project"
    shutil.copytree(project, other)
    return other


def test_each_project_gets_a_port_and_is_found(project: Path, other: Path, tmp_path: Path) -> None:
    (project / "Library").mkdir()
    link = tmp_path / "link"
    link.symlink_to(project)
    assert project_key(link) == project_key(project)
    with serving(project) as (_, one), serving(other) as (_, two):
        assert port_of(one) != port_of(two)
        assert own_server(link) == port_of(one)
        assert own_server(project) == port_of(one)
        assert own_server(other) == port_of(two)
        told = json.loads((project / "Library/SnippetEngine/server.json").read_text())
        assert told["port"] == port_of(one)
    assert own_server(project) is None


@pytest.mark.parametrize("first", ["own", "--port"])
def test_a_second_server_of_a_project_says_where_the_first_is(project: Path, first: str) -> None:
    port = str(free_port())
    with serving(project, *(("--port", port) if first == "--port" else ())) as (_, url):
        with serving(project, "--port", str(free_port())) as (_, named):
            assert port_of(named) != port_of(url), "one whose port is named is a second one"
        done = subprocess.run(
            [UNITY_CLI, "serve", "--output", "json"],
            cwd=project,
            capture_output=True,
            text=True,
            env=environment(),
            check=False,
        )
    assert done.returncode == 2
    message = json.loads(done.stdout)["error"]["message"]
    assert f", at {url}. " in message
    assert "For a second one, give a --port." in message


def test_of_many_at_once_one_is_it(project: Path) -> None:
    claims = [claim_project(project, 0) for _ in range(3)]
    assert [isinstance(each, HeldLock) for each in claims] == [True, False, False]
    assert claims[1:] == [None, None]
    assert isinstance(claims[0], HeldLock)
    claims[0].release()
    again = claim_project(project, 0)
    assert isinstance(again, HeldLock)
    again.release()


def test_a_file_that_names_another_projects_server_is_not_believed(
    project: Path, other: Path
) -> None:
    """A copied Library, say: the server's own answer counts."""
    (project / "Library").mkdir()
    with serving(project) as (_, url):
        shutil.copytree(project / "Library", other / "Library")
        assert own_server(project) == port_of(url)
        assert own_server(other) is None


def test_a_command_goes_to_its_own_projects_server(project: Path, other: Path) -> None:
    with serving(other), serving(project) as (_, url):
        done = subprocess.run(
            [UNITY_CLI, "doctor", "--output", "json", "--lsp", "off", "--timeout", "60"],
            cwd=project,
            capture_output=True,
            text=True,
            env=environment(),
            check=False,
        )
    (server,) = [each for each in json.loads(done.stdout)["checks"] if each["name"] == "server"]
    assert server["ok"], server
    assert server["summary"].startswith(f"{url}: ")


@pytest.mark.anyio
async def test_an_editor_of_another_project_is_turned_away(project: Path, other: Path) -> None:
    with serving(project) as (_, url):
        address = url.replace("http:", "ws:").replace("/mcp", "/unity")
        wrong = FakeEditor(address)
        await wrong.open()
        await wrong.introduce(project_path=str(other))
        refused = await wrong.received("error")
        assert "another project" in refused["error"]["message"]
        await wrong.close()
        right = await FakeEditor(address).connect(project_path=str(project))
        await right.close()


def test_agents_of_several_projects_started_at_once(project: Path, other: Path) -> None:
    """Four over stdio, none with a port: two servers, and each edit lands in its own project."""
    # What eight processes take to start under Wine is more than a server is given.
    folders = [project, other] * (1 if ON_WINE else 2)

    async def one(folder: Path, target: str, ports: list[int]) -> None:
        parameters = StdioServerParameters(
            command=UNITY_CLI,
            args=["mcp", "--lsp", "off"],
            cwd=folder,
            env=environment(),
        )
        async with Client(parameters) as client:
            called = await client.call_tool("validate_script", {"path": SCRIPT})
            assert not called.is_error, called
            port = await anyio.to_thread.run_sync(own_server, folder)
            assert port is not None
            ports.append(port)
            if target:
                applied = await client.call_tool("edit_snippet", edit("apply"))
                assert not applied.is_error, applied

    async def all_of_them() -> list[list[int]]:
        ports: dict[Path, list[int]] = {project: [], other: []}
        async with anyio.create_task_group() as group:
            for number, folder in enumerate(folders):
                group.start_soon(one, folder, "edit" if number == 0 else "", ports[folder])
        return list(ports.values())

    mine, others = anyio.run(all_of_them)
    assert len(set(mine)) == len(set(others)) == 1
    assert set(mine) != set(others)
    assert b"speed > 20" in (project / SCRIPT).read_bytes()
    assert b"speed > 20" not in (other / SCRIPT).read_bytes()


def test_ports_that_are_taken_are_passed_over(project: Path) -> None:
    import socket

    with ExitStack() as held:
        taken: set[int] = set()
        for port in range(48091, 48094):
            own = held.enter_context(socket.socket())
            try:
                own.bind(("127.0.0.1", port))
                own.listen()
                taken.add(port)
            except OSError:
                pass  # Somebody else has it, and may let it go.
        with serving(project) as (_, url):
            assert port_of(url) not in taken
