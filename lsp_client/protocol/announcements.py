"""What a server says unasked: diagnostics it pushes, capabilities it registers, that it is ready.

Implements docs/design/roslyn.md §2. Knows no connection: messages come in, and whoever waits asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from lsprotocol import types

from lsp_client.protocol.uris import canonical

OnProgress = Callable[[str, int | None], None]
"""Told what a server is at, and how much of a hundred is done, where it says so."""


class Announcements:
    """All that one server has said. Lives on one event loop."""

    def __init__(self) -> None:
        self.identifiers: dict[str, str | None] = {}
        """Pull diagnostics by registration id; ``None`` is the identifier of those without."""
        self.changed = asyncio.Event()
        """Set whenever something was pushed or registered; another one takes its place then."""
        self.ready = asyncio.Event()
        """Set once the server has sent its ready notification."""
        self.has_pushed = False
        """Whether diagnostics were ever pushed, of whatever."""
        self.progress: dict[str, OnProgress] = {}
        """Who hears of the work under a token."""
        self._shown: dict[str, int] = {}
        self._pushed: dict[tuple[str, int | None], types.PublishDiagnosticsParams] = {}

    def on_push(self, params: types.PublishDiagnosticsParams) -> None:
        """Diagnostics were pushed. Those of a version that was never shown are about nothing."""
        self.has_pushed = True
        document = canonical(params.uri)
        if params.version in (None, self._shown.get(document)):
            self._pushed[document, params.version] = params
        self._wake()

    def pushed(self, uri: str, version: int | None) -> types.PublishDiagnosticsParams | None:
        """What was pushed for that version since the document's text last changed; ``None`` is
        the version of what comes without one."""
        return self._pushed.get((canonical(uri), version))

    def shown(self, uri: str, version: int) -> None:
        """The document's text is that version's now: what was pushed was about another one."""
        document = canonical(uri)
        self._shown[document] = version
        for known in [each for each in self._pushed if each[0] == document]:
            del self._pushed[known]

    def on_progress(self, params: Any) -> None:
        """The server says how some work comes along."""
        token, value = getattr(params, "token", None), getattr(params, "value", None)
        listener = self.progress.get(token) if isinstance(token, str) else None
        if listener is None:
            return
        said = value if isinstance(value, Mapping) else getattr(value, "__dict__", {})
        message, percentage = said.get("message"), said.get("percentage")
        known = percentage if isinstance(percentage, int) and 0 <= percentage <= 100 else None
        listener(message if isinstance(message, str) else "", known)

    def on_register(self, params: types.RegistrationParams) -> None:
        """The server registers capabilities, pull diagnostics perhaps."""
        for each in params.registrations:
            if each.method == types.TEXT_DOCUMENT_DIAGNOSTIC:
                options = each.register_options
                identifier = (
                    options.get("identifier")
                    if isinstance(options, Mapping)
                    else getattr(options, "identifier", None)
                )
                self.identifiers[each.id] = identifier if isinstance(identifier, str) else None
        self._wake()

    def on_unregister(self, params: types.UnregistrationParams) -> None:
        """The server takes registrations back."""
        for each in params.unregisterations:
            self.identifiers.pop(each.id, None)

    def _wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()
