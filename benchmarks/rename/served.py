"""A server process for one project, asked about names one question after another."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from roslyn_server.protocol import FIND_REFERENCES_REQUEST, RENAME_REQUEST
from roslyn_server.toolchains.pairing import Toolchain

_Answer = TypeVar("_Answer")


class ServedNames:
    """One initialized server."""

    def __init__(self, root: Path, client: LanguageClient, loop: asyncio.AbstractEventLoop) -> None:
        self._root = root
        self._client = client
        self._loop = loop

    def references(self, path: str, line: int, character: int) -> Any:
        """Return the server's answer about a place; zero-based. Raises ``JsonRpcException``."""
        return self._ask(FIND_REFERENCES_REQUEST, path, line, character)

    def rename(self, path: str, line: int, character: int, new_name: str, **more: object) -> Any:
        """Return the rename of what stands at a place. Raises ``JsonRpcException``."""
        return self._ask(RENAME_REQUEST, path, line, character, newName=new_name, **more)

    def _ask(self, request: str, path: str, line: int, character: int, **more: object) -> Any:
        params = {
            "textDocument": {"uri": (self._root / path).as_uri()},
            "position": {"line": line, "character": character},
            **more,
        }

        async def ask() -> Any:
            return await self._client.protocol.send_request_async(request, params)

        return self._loop.run_until_complete(ask())


@contextmanager
def serving(root: Path, toolchain: Toolchain) -> Iterator[ServedNames]:
    """Start a server on ``root`` with that toolchain; end it afterwards."""
    loop = asyncio.new_event_loop()

    def run(work: Coroutine[Any, Any, _Answer]) -> _Answer:
        return loop.run_until_complete(work)

    client = LanguageClient("benchmarks", "1")
    environment = {
        **os.environ,
        "UNITY_SNIPPET_ROSLYN_DIR": str(toolchain.roslyn_dir),
        "UNITY_SNIPPET_DOTNET_ROOT": str(toolchain.dotnet_root),
    }
    command = [sys.executable, "-m", "roslyn_server", "--stdio", "--project", str(root)]
    run(client.start_io(*command, env=environment))
    try:
        run(client.initialize_async(types.InitializeParams(types.ClientCapabilities())))
        client.initialized(types.InitializedParams())
        yield ServedNames(root, client, loop)
    finally:

        async def end() -> None:
            await client.shutdown_async(None)
            client.exit(None)
            if client._server is not None:
                await client._server.wait()

        run(end())
