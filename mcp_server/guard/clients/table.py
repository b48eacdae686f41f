"""The adapters, by their clients' names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from mcp_server.guard.clients import claude_code
from mcp_server.guard.events import GuardAnswer, GuardEvent, Reply


class Adapter(Protocol):
    """Reads and writes one client's dialect. A module is one."""

    NAME: str

    def read(self, payload: Mapping[str, Any], /) -> GuardEvent | None:
        """Return the event; ``None`` if it is unknown, or another client's."""
        ...

    def reply(self, event: GuardEvent | None, answer: GuardAnswer, /) -> Reply:
        """Return the answer in the client's dialect."""
        ...


ADAPTERS: Mapping[str, Adapter] = {each.NAME: each for each in (claude_code,)}
