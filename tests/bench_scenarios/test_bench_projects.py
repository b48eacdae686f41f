"""Four projects, one a worktree of another, with Editors and agents, and no port to choose.

docs/design/server-and-bridge.md §12. Whatever starts first, and whichever server dies: no call ever
reaches another project, and every Editor finds its server.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from running_server import UNITY_CLI, environment

from mcp_server.calls.project_server import port_of_project, url_of_port
from mcp_server.calls.server_status import ServerStatus, ask_status
from tests.bench.editor import BenchEditor
from tests.bench.installation import Installation, prepare_project

pytestmark = pytest.mark.anyio

DEFAULT_PORT = 48091
MOST_TRIES = 12
SCRIPT = "Assets/Player.cs"
SOURCE = b"class Player\n{\n    int speed = 10;\n    int health = 10;\n}\n"


@contextmanager
def stranger_on_the_usual_port() -> Iterator[None]:
    """Something that hangs up, unless the port is taken: as bad for whoever relies on it."""
    with ExitStack() as held:
        listener = socket.socket()
        held.callback(listener.close)
        try:
            listener.bind(("127.0.0.1", DEFAULT_PORT))
        except OSError:
            yield
            return
        listener.listen()
        ended = threading.Event()

        def hang_up() -> None:
            while not ended.is_set():
                connection, _ = listener.accept()
                connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        yield
        ended.set()
        socket.create_connection(("127.0.0.1", DEFAULT_PORT)).close()
        thread.join()


@pytest.fixture
def projects(tmp_path: Path) -> list[Path]:
    """Four projects, of which the last is a worktree of the first."""
    made = [tmp_path / name for name in ("game", "other", "third")]
    for project in made:
        prepare_project(project, DEFAULT_PORT)
        (project / SCRIPT).write_bytes(SOURCE)

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
        subprocess.run(["git", *identity, *arguments], cwd=made[0], check=True, capture_output=True)

    git("init", "-q", ".")
    git("add", "-A")
    git("commit", "-q", "-m", "all")
    worktree = tmp_path / "game-branch"
    git("worktree", "add", "-q", str(worktree))
    for project in (*made, worktree):
        (project / "Library").mkdir(exist_ok=True)  # Unity has opened it
    return [*made, worktree]


def over_stdio(project: Path) -> StdioServerParameters:
    """A client as ``client install`` sets it up, in that project's folder."""
    return StdioServerParameters(
        command=UNITY_CLI,
        args=["mcp", "--lsp", "off"],
        cwd=project,
        env={**environment(), "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]},
    )


async def result(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    called = await client.call_tool(tool, arguments)
    assert not called.is_error, called
    assert called.structured_content is not None
    return called.structured_content


async def sees_its_editor(client: Client, project: Path) -> None:
    for _ in range(MOST_TRIES):
        # Waits for an Editor, on the server, as long as it may.
        called = await client.call_tool("get_play_mode_state", {"timeout_ms": 10_000})
        if not called.is_error:
            break
    state = await result(client, "get_editor_state")
    assert Path(state["project"]).samefile(project)


async def changes(client: Client, old: str, new: str) -> None:
    instruction = {
        "operation": "replace",
        "anchor": {"type": "text", "target": old},
        "newText": new,
    }
    request = {"path": SCRIPT, "mode": "apply", "instructions": [instruction]}
    assert (await result(client, "edit_snippet", **request))["status"] == "applied"


async def server_of(project: Path) -> ServerStatus:
    port = await anyio.to_thread.run_sync(port_of_project, project)
    assert port is not None
    status = await anyio.to_thread.run_sync(ask_status, url_of_port(port), None, 30.0, project)
    assert isinstance(status, ServerStatus)
    return status


async def test_four_projects_side_by_side(on_mono: Installation, projects: list[Path]) -> None:
    async with AsyncExitStack() as stack:
        stack.enter_context(stranger_on_the_usual_port())
        # Two Editors come before any server, two after.
        for project in projects[:2]:
            stack.enter_context(BenchEditor(on_mono, project))
        agents = [await stack.enter_async_context(Client(over_stdio(each))) for each in projects]
        for project in projects[2:]:
            stack.enter_context(BenchEditor(on_mono, project))
        for agent, project in zip(agents, projects, strict=True):
            await sees_its_editor(agent, project)

        # Four more agents, over HTTP, at the address of each project's server.
        servers = [await server_of(project) for project in projects]
        assert len({each.pid for each in servers}) == 4
        others = []
        for project in projects:
            port = await anyio.to_thread.run_sync(port_of_project, project)
            assert port is not None
            others.append(await stack.enter_async_context(Client(url_of_port(port))))
        async with anyio.create_task_group() as group:
            for number, (agent, other) in enumerate(zip(agents, others, strict=True)):
                group.start_soon(changes, agent, "speed = 10", f"speed = {number}")
                group.start_soon(changes, other, "health = 10", f"health = {number}")
        check_scripts(projects)

        # Servers die; whoever calls next brings another, and the Editor finds that.
        for server in servers[::2]:
            os.kill(server.pid, signal.SIGKILL)
        for agent, project in list(zip(agents, projects, strict=True))[::-1]:
            await sees_its_editor(agent, project)
        again = [await server_of(project) for project in projects]
        assert [one.pid == two.pid for one, two in zip(servers, again, strict=True)] == [
            False,
            True,
            False,
            True,
        ]
        check_scripts(projects)


def check_scripts(projects: list[Path]) -> None:
    for number, project in enumerate(projects):
        expected = SOURCE.replace(b"speed = 10", b"speed = %d" % number)
        expected = expected.replace(b"health = 10", b"health = %d" % number)
        assert (project / SCRIPT).read_bytes() == expected
