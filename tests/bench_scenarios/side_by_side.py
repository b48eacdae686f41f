"""Four projects, four Editors, eight agents, no port to choose: no call reaches another project.

    python tests/bench_scenarios/side_by_side.py --rounds 20 --seed 1

One project is a worktree of another. Each has an Editor (the bench, on Mono), an agent over stdio
and one over HTTP at an address that was right once. In each round servers are killed, and come
back in another order, on each other's ports. Exit code 1 when a script was changed by a call that
was for another project, a change was lost or made twice, or an Editor didn't find its server.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    paths = (HERE, HERE.parent / "doubles", HERE.parent / "mcp_server", HERE.parents[1])
    sys.path[:0] = [str(each) for each in paths]

from mcp import Client, StdioServerParameters, types  # noqa: E402
from running_server import UNITY_CLI, environment  # noqa: E402
from this_system import KILL  # noqa: E402

from mcp_server.calls.server.project_server import own_server, url_of_port  # noqa: E402
from mcp_server.calls.server.server_file import bound_url  # noqa: E402
from mcp_server.calls.server.server_status import ServerStatus, ask_status  # noqa: E402
from tests.bench.editor import BenchEditor  # noqa: E402
from tests.bench.installation import (  # noqa: E402
    Installation,
    Runtime,
    install,
    prepare_project,
)

DEFAULT_PORT = 48091
MOST_TRIES = 12
SCRIPT = "Assets/Player.cs"
SOURCE = "class Player\n{\n    int stdio = 0;\n    int http = 0;\n}\n"
ANSWER_S = 60.0


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
        try:
            yield
        finally:
            ended.set()
            socket.create_connection(("127.0.0.1", DEFAULT_PORT)).close()
            thread.join()


def make_projects(folder: Path) -> list[Path]:
    """Four projects that Unity has opened, of which the last is a worktree of the first."""
    made = [folder / name for name in ("game", "other", "third")]
    for project in made:
        prepare_project(project, DEFAULT_PORT)
        (project / SCRIPT).write_bytes(SOURCE.encode())

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
        subprocess.run(["git", *identity, *arguments], cwd=made[0], check=True, capture_output=True)

    git("init", "-q", ".")
    git("add", "-A")
    git("commit", "-q", "-m", "all")
    worktree = folder / "game-branch"
    git("worktree", "add", "-q", str(worktree))
    for project in (*made, worktree):
        (project / "Library").mkdir(exist_ok=True)
    return [*made, worktree]


def over_stdio(project: Path) -> StdioServerParameters:
    """A client as ``client install`` sets it up, in that project's folder."""
    return StdioServerParameters(
        command=UNITY_CLI,
        args=["mcp", "--lsp", "off"],
        cwd=project,
        env={**environment(), "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]},
    )


async def server_of(project: Path) -> ServerStatus:
    """What the project's own server says of itself; there must be one."""
    port = await asyncio.to_thread(own_server, project)
    assert port is not None, f"{project} has no server"
    status = await asyncio.to_thread(ask_status, url_of_port(port), None, 30.0, project)
    assert isinstance(status, ServerStatus), status
    return status


async def sees_its_editor(client: Client, project: Path) -> None:
    """Wait until the client's server has the project's Editor, and no other."""
    for _ in range(MOST_TRIES):
        # Waits for an Editor, on the server, as long as it may.
        called = await client.call_tool("get_play_mode_state", {"timeout_ms": 10_000})
        if not called.is_error:
            break
    state = (await client.call_tool("get_editor_state", {})).structured_content
    assert state is not None
    assert "project" in state, f"the Editor of {project} didn't find its server: {state}"
    assert Path(state["project"]).samefile(project), (state, project)


class Agent(Protocol):
    """Whoever changes one number in one project's script."""

    word: str
    project: Path

    async def call(self, tool: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Call a tool. Raises whatever a client raises."""
        ...


@dataclass
class StdioAgent:
    """A client that runs ``unity-cli mcp``."""

    project: Path
    client: Client
    word: str = "stdio"

    async def call(self, tool: str, arguments: dict[str, Any]) -> types.CallToolResult:
        return await self.client.call_tool(tool, arguments)


@dataclass
class HttpAgent:
    """A client that was given an address, as ``client install --http`` writes it."""

    project: Path
    url: str
    word: str = "http"

    async def call(self, tool: str, arguments: dict[str, Any]) -> types.CallToolResult:
        async with Client(self.url) as client:
            return await client.call_tool(tool, arguments)


@dataclass
class Report:
    """What became of the calls, and which promises were broken."""

    outcomes: Counter[str] = field(default_factory=Counter)
    killed: int = 0
    broken: list[str] = field(default_factory=list)

    def table(self) -> str:
        """A line for each outcome, then what was broken."""
        rows = [f"{count:6} {outcome}" for outcome, count in sorted(self.outcomes.items())]
        return "\n".join([f"{self.killed:6} servers killed", *rows, *self.broken])


class Desk:
    """All agents, and what each project's script must hold."""

    def __init__(self, projects: Sequence[Path], report: Report) -> None:
        self._numbers = {project: {"stdio": 0, "http": 0} for project in projects}
        self._report = report

    async def change(self, agent: Agent) -> None:
        """Let the agent count its number up by one, and note what became of it."""
        before = self._numbers[agent.project][agent.word]
        instruction = {
            "operation": "replace",
            "anchor": {"type": "text", "target": f"{agent.word} = {before};"},
            "newText": f"{agent.word} = {before + 1};",
        }
        request = {"path": SCRIPT, "mode": "apply", "instructions": [instruction]}
        try:
            async with asyncio.timeout(ANSWER_S):
                called = await agent.call("edit_snippet", request)
        except Exception:  # the server has gone: the file says whether it was done before
            outcome = "lost"
        else:
            outcome = _outcome(called)
        if outcome == "lost":
            done = f"{agent.word} = {before + 1};" in self._text(agent.project)
        else:
            done = outcome == "applied"
        self._numbers[agent.project][agent.word] = before + done
        self._report.outcomes[f"{agent.word}: {outcome}"] += 1

    def check(self) -> None:
        """Hold every script against what its own project's agents have done."""
        for project, numbers in self._numbers.items():
            expected = SOURCE
            for word, number in numbers.items():
                expected = expected.replace(f"{word} = 0;", f"{word} = {number};")
            found = self._text(project)
            if found != expected:
                self._report.broken.append(f"{project.name} holds {found!r}, not {expected!r}")

    def _text(self, project: Path) -> str:
        return (project / SCRIPT).read_bytes().decode()


def _outcome(called: types.CallToolResult) -> str:
    document = called.structured_content or {}
    if not called.is_error:
        return str(document.get("status"))
    error = document["error"]
    if error["code"] == "ERR_CONFIG_VALIDATION" and "server_project" in error["details"]:
        return "refused: the server works in another project"
    unknown = error["details"]["execution_guarantee"] == "unknown"
    return "lost" if unknown else f"refused: {error['code']}"


async def run(installation: Installation, folder: Path, rounds: int, seed: int) -> Report:
    """Play ``rounds`` rounds in ``folder``."""
    chance = random.Random(seed)
    projects = make_projects(folder)
    report = Report()
    desk = Desk(projects, report)
    async with AsyncExitStack() as stack:
        stack.enter_context(stranger_on_the_usual_port())
        stdio: dict[Path, StdioAgent] = {}
        # Editors and agents come in any order.
        starts = [(project, kind) for project in projects for kind in ("editor", "agent")]
        chance.shuffle(starts)
        for project, kind in starts:
            if kind == "editor":
                editor = BenchEditor(installation, project)
                await asyncio.to_thread(stack.enter_context, editor)
            else:
                client = await stack.enter_async_context(Client(over_stdio(project)))
                stdio[project] = StdioAgent(project, client)
        for project, agent in stdio.items():
            await sees_its_editor(agent.client, project)
        http = [HttpAgent(project, await _address(project)) for project in projects]
        for number in range(rounds):
            everybody = [*stdio.values(), *http]
            await asyncio.gather(*(desk.change(agent) for agent in everybody))
            desk.check()
            victims = projects if number % 2 == 0 else chance.sample(projects, 2)
            for project in victims:
                os.kill((await server_of(project)).pid, KILL)
                report.killed += 1
            # They come back one by one, as their agents call, each on the next port; meanwhile the
            # others call where their own server was.
            for agent in chance.sample(list(stdio.values()), len(stdio)):
                await desk.change(agent)
                await asyncio.gather(*(desk.change(each) for each in http))
                desk.check()
            for project, agent in stdio.items():
                await sees_its_editor(agent.client, project)
            for each in chance.sample(http, 2):
                each.url = await _address(each.project)
    return report


async def _address(project: Path) -> str:
    port = await asyncio.to_thread(own_server, project)
    assert port is not None, f"{project} has no server"
    return bound_url(url_of_port(port), project)


def main() -> int:
    """Run it from the command line; 1 if anything that was promised was not kept."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = str(Path(folder) / "state")
        installation = install(Runtime.MONO)
        report = asyncio.run(run(installation, Path(folder), chosen.rounds, chosen.seed))
    print(report.table())
    return 1 if report.broken else 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
