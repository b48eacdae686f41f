"""Answer a client that was started outside of every Unity project: MCP, but no tool.

Implements docs/design/server-and-bridge.md §12: without a project no other project's server is
used. The client gets the reason in answer to each call, so that its agent can tell its user.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp_server.calls.project import no_project
from mcp_server.contract.outcome import OnProgress, Outcome
from mcp_server.contract.tool_spec import ToolSpec

if TYPE_CHECKING:
    import httpx2


class _NoTool:
    """Answers every call with the reason."""

    async def call(
        self,
        spec: ToolSpec,  # noqa: ARG002 - as calls are made
        arguments: Mapping[str, Any],  # noqa: ARG002
        on_progress: OnProgress | None = None,  # noqa: ARG002
        on_accepted: object = None,  # noqa: ARG002
        present: object = None,  # noqa: ARG002
    ) -> Outcome:
        return no_project()


class NoProjectServer:
    """A server without a port, in this process. Lives on one event loop; ``close`` it."""

    def __init__(self) -> None:
        self._ending = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def open(self) -> httpx2.AsyncBaseTransport:
        """Start the server; return the transport for its requests."""
        import httpx2  # noqa: PLC0415 - loaded already by who carries requests
        from mcp.server.streamable_http_manager import (  # noqa: PLC0415 - slow, and seldom needed
            StreamableHTTPASGIApp,
        )

        from mcp_server.host.mcp.mcp_endpoint import (  # noqa: PLC0415 - loads MCP's SDK
            make_mcp_server,
            make_session_manager,
        )

        sessions = make_session_manager(make_mcp_server(_NoTool(), more_instructions=_why()))
        begun = asyncio.Event()

        async def run() -> None:
            # In one task, because a context must be left in the task that entered it.
            async with sessions.run():
                begun.set()
                await self._ending.wait()

        self._running = asyncio.create_task(run())
        await begun.wait()
        return httpx2.ASGITransport(app=StreamableHTTPASGIApp(sessions))

    async def close(self) -> None:
        """End the server."""
        self._ending.set()
        if self._running is not None:
            await asyncio.wait([self._running])


def _why() -> str:
    """Return the reason, for the instructions that a client gets at the start."""
    return no_project().text.partition(": ")[2]
