"""How a call of a tool ends, and what it reports on the way.

The MCP endpoint, stdio, the command line, batches and the Editor's tools share these types.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mcp_server.contract.errors import ToolError


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A call that succeeded: the object that satisfies the output schema, and its text."""

    structured: dict[str, Any]
    text: str
    encoded: bytes | None = field(default=None, compare=False, repr=False)
    """The object as JSON, if it is large and was encoded already."""

    def to_json(self) -> dict[str, Any]:
        """Return the result object."""
        return self.structured


Outcome: TypeAlias = ToolResult | ToolError
"""How a call ended."""

OnProgress: TypeAlias = Callable[[float, float | None, str], Awaitable[None]]
"""Reports a call's progress: done, total if known, message."""

HELD_NOTICE = "waits for the user to approve it on "
"""How the progress of a held call begins; then comes the address of the review page."""

OnAccepted: TypeAlias = Callable[[str], None]
"""Gets the id of the job that the Editor has accepted for a call."""

OnJobStatus: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Gets the state of a job or call, as ``get_job_status`` answers it, as far as it is known."""
