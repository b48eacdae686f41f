"""The roads to the server: in this process, and through a real process over HTTP.

Both are the SDK's own client, and the very endpoint that the server serves; in this process only
the socket is left out.
"""

from __future__ import annotations

import logging
import shutil
import socket
import subprocess
import sysconfig
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.types import TextContent

from benchmarks.landing.client import TOOL, Seen
from benchmarks.landing.malformed import PROJECT
from benchmarks.workbench import Workbench
from mcp_server.calls.local_tools import LocalTools
from mcp_server.host.execution_coordinator import ExecutionCoordinator
from mcp_server.host.mcp.mcp_endpoint import make_mcp_server


class Road:
    """Sends requests to one server, about scripts of its project, which lies at ``root``."""

    def __init__(self, client: Client, root: Path) -> None:
        self._client = client
        self.root = root

    async def call(self, arguments: Mapping[str, Any], tool: str = TOOL) -> Seen:
        """Call a tool."""
        result = await self._client.call_tool(tool, self._placed(arguments))
        texts = [each.text for each in result.content if isinstance(each, TextContent)]
        structured = result.structured_content
        return Seen(bool(result.is_error), "\n".join(texts), structured)

    def _placed(self, arguments: Any) -> Any:
        """Put the project's real path into a request's absolute path."""
        if isinstance(arguments, str):
            return arguments.replace(PROJECT, self.root.as_posix())
        if isinstance(arguments, Mapping):
            return {key: self._placed(value) for key, value in arguments.items()}
        return (
            [self._placed(each) for each in arguments]
            if isinstance(arguments, list)
            else (arguments)
        )

    def write(self, path: str, data: bytes) -> None:
        """Put a script there."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def read(self, path: str) -> bytes:
        """Return the script's content."""
        return (self.root / path).read_bytes()

    def remove(self, path: str) -> None:
        """Take the script away, and all that the engine keeps of it."""
        (self.root / path).unlink()
        shutil.rmtree(self.root / "Library", ignore_errors=True)


@asynccontextmanager
async def in_process(folder: Path) -> AsyncIterator[Road]:
    """Return the road within this process, to a project made in ``folder``."""
    root = _project(folder)
    server = make_mcp_server(ExecutionCoordinator(LocalTools(root)))
    with _quiet():
        async with Client(server) as client:
            yield Road(client, root)


@asynccontextmanager
async def over_http(folder: Path) -> AsyncIterator[Road]:
    """Return the road to a server in a process of its own, in a project made in ``folder``."""
    root = _project(folder)
    with _server(root) as url:
        async with Client(url) as client:
            yield Road(client, root)


@contextmanager
def _quiet() -> Iterator[None]:
    """Log no line for each refusal: refusals are what is asked for."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _project(folder: Path) -> Path:
    root = folder.resolve() / "project"
    Workbench(root)
    return root


@contextmanager
def _server(root: Path) -> Iterator[str]:
    program = str(Path(sysconfig.get_path("scripts")) / "unity-cli")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command = [program, "serve", "--project", str(root), "--lsp", "off", "--port", port]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(20)
        if process.stdout is not None:
            process.stdout.close()
