"""A real MCP client over HTTP, for a scenario, and what it is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from mcp import Client, types

Mode = Literal["auto", "legacy"]


def talk(url: str, mode: Mode, scenario: Callable[[Client], Awaitable[None]]) -> None:
    """Run ``scenario`` with a client of the server at ``url``, for a minute at most."""

    async def run() -> None:
        async with Client(url, mode=mode) as client:
            await scenario(client)

    asyncio.run(asyncio.wait_for(run(), 60))


def text(result: types.CallToolResult) -> str:
    """The text of a result."""
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text
