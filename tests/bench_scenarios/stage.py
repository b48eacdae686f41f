"""The real server, the package on the bench, and a real MCP client, for scenarios to act on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from call_results import error, result
from live_server import LiveServer
from mcp import Client, types

from tests.bench.assemblies import PACKAGE
from tests.bench.editor import PATIENCE_S, BenchEditor, Event
from tests.bench.installation import Installation, prepare_project
from unity_bridge.plugin.session_state import Received

Json = dict[str, Any]


@dataclass
class Stage:
    """One server, one Editor, one client."""

    live: LiveServer
    editor: BenchEditor
    client: Client
    seen: int = 0
    """How much of the server's log was looked at."""

    async def do(self, *commands: str) -> None:
        """Let the Editor carry out commands, one by one."""
        for command in commands:
            await asyncio.to_thread(self.editor.do, command)

    async def wait(self, event: str, **fields: Any) -> Event:
        """The Editor's next event of that kind."""
        return await asyncio.to_thread(self.editor.wait, event, **fields)

    async def logged(self, event: str, **fields: Any) -> Json:
        """The server's next log event of that kind; those before it are passed over."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                while self.seen < len(self.live.log):
                    name, found = self.live.log[self.seen]
                    self.seen += 1
                    if name == event and fields.items() <= found.items():
                        return found
                await self.live.logs_more()

    async def ready(self) -> None:
        """Until the server sees a ready Editor, from now on or already."""
        while True:
            view = self.live.server.link.view
            if view.ready:
                return
            await self.logged("editor_state")

    async def call(self, tool: str, **arguments: Any) -> types.CallToolResult:
        """Call a tool over MCP."""
        return await self.client.call_tool(tool, arguments)

    async def result(self, tool: str, **arguments: Any) -> Json:
        """Call a tool that succeeds; its result, held against the contract."""
        return result(await self.call(tool, **arguments), tool)

    async def error(self, tool: str, **arguments: Any) -> Json:
        """Call a tool that fails; its error, held against the contract."""
        return error(await self.call(tool, **arguments))

    async def messages(self, **arguments: Any) -> list[str]:
        """What ``read_console`` says, message by message."""
        read = await self.result("read_console", **arguments)
        return [entry["message"] for entry in read["entries"]]

    @property
    def plugin_version(self) -> str:
        """The package's version, from its manifest."""
        manifest = json.loads((PACKAGE / "package.json").read_bytes())
        version: str = manifest["version"]
        return version

    def updates(self) -> int:
        """How often an unfocused Editor has updated."""
        return sum(event["event"] == "updated" for event in self.editor.events)

    def record_sizes(self) -> list[int]:
        """The sizes of all messages that the server receives from now on, in bytes."""
        sizes: list[int] = []
        link = self.live.server.link
        feed = link._machine.feed

        def recording(event: Any) -> None:
            if isinstance(event, Received):
                sizes.append(len(event.message.encode()))
            feed(event)

        link._machine.feed = recording
        return sizes

    async def job(self, job_id: str, *states: str) -> Json:
        """The job's status, once it has one of these states."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                status = await self.result("get_job_status", job_id=job_id, wait_ms=1_000)
                if status["state"] in states:
                    return status


@asynccontextmanager
async def on_stage(installation: Installation, folder: Path) -> AsyncIterator[Stage]:
    """All three, the Editor connected and ready."""
    async with LiveServer() as live, live.client() as client:
        prepare_project(folder, live.port)
        with BenchEditor(installation, folder) as editor:
            stage = Stage(live, editor, client)
            await stage.ready()
            yield stage
