"""What a call of a tool comes to, and what it tells on the way: the words of every road.

The MCP endpoint, stdio, the command line, batches and the Editor's tools all speak of calls in
these types, so that none of them needs to know another.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mcp_server.contract.errors import ToolError


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A call that succeeded: the object that satisfies the output schema, and its text.

    ``encoded`` is the object as JSON, where it is large and was made already.
    """

    structured: dict[str, Any]
    text: str
    encoded: bytes | None = field(default=None, compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        """The result object, as MCP clients and scripts see it."""
        return self.structured


Outcome: TypeAlias = ToolResult | ToolError
"""How a call ended."""

OnProgress: TypeAlias = Callable[[float, float | None, str], Awaitable[None]]
"""Tells the caller how far its call has come: progress, total if known, message."""

OnAccepted: TypeAlias = Callable[[str], None]
"""Is told of the job that the Editor runs for a call, once it has accepted it: its id."""

OnJobStatus: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Hears how a job, or a call, comes along: what ``get_job_status`` answers, as far as is known."""
