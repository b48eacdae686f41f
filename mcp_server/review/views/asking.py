"""Call tools for the person who looks at the page: nothing of it is held.

Implements docs/design/review.md "Other views".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.outcome import Outcome
from mcp_server.review.hold.held_calls import by_person
from mcp_server.review.take_back.take_back import CLIENT, Call
from snippet_engine.client_identity import as_client


class Asking:
    """Calls tools by their names."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Outcome:
        """Return the outcome of a call."""
        with by_person(), as_client(CLIENT):
            return await self._call(CATALOG[tool], arguments)
