"""The reference: the MCP SDK's server with one trivial tool, and nothing around it.

``python -m benchmarks.bare_server`` prints its port, then serves until it is terminated; with
``--stdio``, it serves on stdin and stdout until its input ends.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import Any

from mcp import types
from mcp.server import Server, ServerRequestContext


async def _list_tools(
    _context: ServerRequestContext[Any], _params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    schema = {"type": "object", "properties": {}}
    tool = types.Tool(name="trivial", input_schema=schema, output_schema=schema)
    return types.ListToolsResult(tools=[tool])


async def _call_tool(
    _context: ServerRequestContext[Any], _params: types.CallToolRequestParams
) -> types.CallToolResult:
    text = types.TextContent(type="text", text="nothing")
    return types.CallToolResult(content=[text], structured_content={"connected": False})


async def _serve_stdio(server: Server[Any]) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (received, sent):
        await server.run(received, sent, server.create_initialization_options())


def main() -> None:
    """Serve."""
    server: Server[Any] = Server("bare", on_list_tools=_list_tools, on_call_tool=_call_tool)
    if "--stdio" in sys.argv[1:]:
        asyncio.run(_serve_stdio(server))
        return
    import uvicorn

    class _Announcing(uvicorn.Server):
        """Says where it listens, once it does."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            print(self.servers[0].sockets[0].getsockname()[1], flush=True)

    app = server.streamable_http_app(stateless_http=True)
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, http="h11", ws="none", log_level="error", access_log=False
    )
    _Announcing(config).run()


if __name__ == "__main__":
    main()
