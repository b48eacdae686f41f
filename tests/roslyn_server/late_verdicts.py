"""A real server with a real compiler, clients of it, and projects whose edits are judged late."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import laid_out
from laid_out import Layout
from mcp import Client, types
from running_server import RunningServer

MANY = 80
"""More callers than are judged at once."""

LIBRARY = "Assets/Health.cs"
LIBRARY_TEXT = """namespace Game
{
    public class Health
    {
        public int Points() => 1;
    }
}
"""
WAIT_S = 120.0
"""For a verdict, on a busy machine."""


def caller(number: int) -> str:
    """Return the path of one caller."""
    return f"Assets/Callers/Caller{number}.cs"


def callers(many: int = MANY) -> dict[str, str]:
    """Return a library and its many callers, by path; only the last insists on its type."""
    used = "namespace Game\n{{\n    class Caller{0} {{ {1} Of(Health it) => it.Points(); }}\n}}\n"
    last = many - 1
    texts = {caller(n): used.format(n, "int" if n == last else "long") for n in range(many)}
    return {LIBRARY: LIBRARY_TEXT, **texts}


@contextmanager
def serving(
    layout: Layout, folder: Path, references: Path, scripts: Mapping[str, str]
) -> Iterator[RunningServer]:
    """A server for a project of ``scripts`` that was built."""
    root = laid_out.project(folder / "project", layout.editor)
    laid_out.built(root, references, dict(scripts))
    with serving_built(layout, root) as server:
        yield server


@contextmanager
def serving_built(layout: Layout, root: Path) -> Iterator[RunningServer]:
    """A server for the project at ``root``."""
    environment = {**layout.environment, "UNITY_CLI_LSP": "auto"}
    with RunningServer(cwd=root, **environment) as server:
        yield server


def start_compiler(server: RunningServer) -> None:
    """Have the server's compiler started."""

    async def scenario() -> None:
        async with client(server) as calls:
            await calls("check_project")

    run(scenario)


@asynccontextmanager
async def client(
    server: RunningServer, name: str = "agent", mode: str = "legacy"
) -> AsyncIterator[Calls]:
    """A client with a session of its own."""
    info = types.Implementation(name=name, version="1")
    async with Client(server.url, mode=mode, client_info=info) as connected:
        yield Calls(connected, server.cwd)


class Calls:
    """Calls tools, and keeps all news that came."""

    def __init__(self, connected: Client, root: Path) -> None:
        self._client = connected
        self.root = root
        self.news: list[dict[str, Any]] = []

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self._client.call_tool(tool, arguments)
        answer = result.structured_content
        assert isinstance(answer, dict), result
        self.news += said_news(answer).get("news", [])
        return answer

    async def replace(self, path: str, old: str, new: str, **more: Any) -> dict[str, Any]:
        """Apply one replacement."""
        anchor = {"type": "text", "target": old}
        instruction = {"operation": "replace", "anchor": anchor, "newText": new}
        asked = {"path": path, "mode": "apply", "instructions": [instruction], **more}
        return await self("edit_snippet", **asked)

    async def look(self) -> dict[str, Any]:
        """Make a call that changes nothing; return what it says of news."""
        return said_news(await self("get_history", limit=1))

    async def until_judged(self) -> dict[str, Any]:
        """Call until nothing is pending; return what the last answer says of news."""
        async with asyncio.timeout(WAIT_S):
            while (said := await self.look()).get("pending"):
                await asyncio.sleep(0.1)
        return said


def said_news(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an answer says of news, be it a result or an error."""
    where = answer["error"]["details"] if "error" in answer else answer
    return {name: where[name] for name in ("news", "more", "pending") if name in where}


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    """Run a scenario to its end."""
    asyncio.run(asyncio.wait_for(scenario(), 600))


def kill_compiler(server: RunningServer) -> None:
    """Kill the server's compiler, wherever it is."""
    parents: dict[int, int] = {}
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                fields = (each / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(each.name)] = int(fields[1])

    def is_below(pid: int) -> bool:
        return pid == server.process.pid or (pid in parents and is_below(parents[pid]))

    for pid in list(parents):
        try:
            command = (Path("/proc") / str(pid) / "cmdline").read_text().split("\0")
        except OSError:
            continue
        if "roslyn_server" in command and is_below(parents[pid]):
            os.kill(pid, signal.SIGKILL)
