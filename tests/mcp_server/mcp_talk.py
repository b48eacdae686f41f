"""A real MCP client over HTTP, for a scenario, and what it is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from mcp import Client, types

Mode = Literal["auto", "legacy"]


def talk(
    url: str,
    mode: Mode,
    scenario: Callable[[Client], Awaitable[None]],
    name: str | None = None,
) -> None:
    """Run ``scenario`` with a client of the server at ``url``, for a minute at most.

    ``name`` is what the client calls itself.
    """
    info = None if name is None else types.Implementation(name=name, version="1")

    async def run() -> None:
        async with Client(url, mode=mode, client_info=info) as client:
            await scenario(client)

    asyncio.run(asyncio.wait_for(run(), 60))


def text(result: types.CallToolResult) -> str:
    """The text of a result."""
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text
