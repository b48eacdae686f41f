"""An outcome as MCP's ``CallToolResult``.

Implements docs/design/server-and-bridge.md §7.
"""

from __future__ import annotations

from mcp import types

from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import Outcome


def to_call_tool_result(outcome: Outcome) -> types.CallToolResult:
    """The outcome as MCP's result: a short text, and the same as ``structuredContent``."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=outcome.text)],
        structured_content=outcome.to_json(),
        is_error=isinstance(outcome, ToolError),
    )
