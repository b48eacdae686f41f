"""The errors that an agent got by one way, so that it doesn't get them by the other. Pure.

An agent may have a connection to the tools and also hooks: these have no session in common.
They are taken for one agent if the client's name fits, and only one session of its hooks is known.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from mcp_server.news.findings import NewError
from mcp_server.news.stated_errors import StatedError

MAX_CLIENTS = 32
"""Most clients whose hooks are remembered."""

MAX_ERRORS = 400
"""Most errors of each that are remembered."""

_MAX_SESSIONS = 2
"""Whether there are several is all that counts."""


@dataclass(slots=True)
class _Client:
    sessions: deque[str] = field(default_factory=lambda: deque(maxlen=_MAX_SESSIONS))
    by_hooks: deque[StatedError] = field(default_factory=lambda: deque(maxlen=MAX_ERRORS))
    by_tools: deque[StatedError] = field(default_factory=lambda: deque(maxlen=MAX_ERRORS))


class ToldErrors:
    """The errors that agents of one project were given. Lives on one event loop."""

    def __init__(self) -> None:
        self._clients: OrderedDict[str, _Client] = OrderedDict()

    def hook_called(self, client: str, session: str) -> None:
        """Note that a session of this client has hooks."""
        known = self._clients.setdefault(client, _Client())
        self._clients.move_to_end(client)
        if session not in known.sessions:
            known.sessions.append(session)
        if len(self._clients) > MAX_CLIENTS:
            self._clients.popitem(last=False)

    def by_hook(self, client: str, errors: Iterable[NewError]) -> None:
        """Note the errors that a hook reported to this client."""
        self._clients.setdefault(client, _Client()).by_hooks.extend(map(said, errors))

    def by_tool(self, name: str | None, errors: Iterable[NewError]) -> None:
        """Note the errors that a tool's answer reported to the client of this name."""
        known = self._named(name)
        if known is not None:
            known.by_tools.extend(map(said, errors))

    def was_by_hook(self, name: str | None, error: NewError) -> bool:
        """Return whether the client of that name has heard of an error by its hook."""
        known = self._named(name)
        return known is not None and len(known.sessions) == 1 and said(error) in known.by_hooks

    def was_by_tool(self, client: str, error: NewError) -> bool:
        """Return whether a client with hooks has heard of an error by a tool's answer."""
        known = self._clients.get(client)
        return known is not None and len(known.sessions) == 1 and said(error) in known.by_tools

    def _named(self, name: str | None) -> _Client | None:
        """Return the client that gives itself this name, such as ``codex-mcp-client``."""
        lower = (name or "").lower()
        return next((each for key, each in self._clients.items() if lower.startswith(key)), None)


def said(error: NewError) -> StatedError:
    """Return a key for an error that stays the same when its line moves."""
    return error.file, error.code, error.message
