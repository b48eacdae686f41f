"""An outcome as MCP's ``CallToolResult``.

Implements docs/design/server-and-bridge.md §7.
"""

from __future__ import annotations

from mcp import types

from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import Outcome
from mcp_server.host.mcp.large_answers import stand_in


def to_call_tool_result(outcome: Outcome, request: object = None) -> types.CallToolResult:
    """The outcome as MCP's result: a short text, and the same as ``structuredContent``.

    ``request`` is the one that it answers, if it goes to no one else.
    """
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=outcome.text)],
        structured_content=stand_in(outcome, request),
        is_error=isinstance(outcome, ToolError),
    )
