"""Call tools for the person on the review page. Such a call needs no approval.

Implements docs/design/review.md "Hold".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from mcp_server.contract.outcome import Outcome
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.review.hold.held_calls import by_person
from mcp_server.review.record.events import Event
from snippet_engine.call_context import as_client

CLIENT = "review page"
"""The client's name in calls that the person makes on the page."""

Call: TypeAlias = Callable[[ToolSpec, Mapping[str, Any]], Awaitable[Outcome]]


def is_by_agent(event: Event) -> bool:
    """Return whether an event is known to be an agent's, not the person's own.

    An agent's event has a client or a session.
    """
    return event.client != CLIENT and (event.client is not None or event.session is not None)


class Asking:
    """Runs tool calls for the person on the page."""

    def __init__(self, call: Call) -> None:
        """``call`` runs a tool, as the coordinator does."""
        self._call = call

    async def __call__(self, spec: ToolSpec, arguments: Mapping[str, Any]) -> Outcome:
        """Run a call without approval, under the client's name :data:`CLIENT`."""
        with by_person(), as_client(CLIENT):
            return await self._call(spec, arguments)
