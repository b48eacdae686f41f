"""The review page of one server, put together: each view is a module with a function ``routes``.

Implements docs/design/review.md "The page".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mcp_server.contract.server_schemas import PAGE_LINK_PATH
from mcp_server.review.page import timeline
from mcp_server.review.page.access import PageAccess
from mcp_server.review.page.gate import Gate
from mcp_server.review.page.login import link_route, login_routes
from mcp_server.review.page.static_files import static_routes

if TYPE_CHECKING:
    from starlette.routing import Route


class ReviewPage:
    """The page on one port."""

    def __init__(
        self, secret: bytes, address: str, token: str | None, on_expected: Callable[[], None]
    ) -> None:
        """``address`` is the page's root. ``on_expected``: somebody asked for a link to it."""
        self.address = address
        self._access = PageAccess(secret, address, token)
        self.link_route = link_route(PAGE_LINK_PATH, self.link, on_expected)
        gate = Gate(self._access)
        self.routes: list[Route] = [
            *gate.open([*static_routes(), *login_routes(self._access)]),
            *gate.guarded(timeline.routes()),
        ]

    def link(self) -> str:
        """Return the page's address, with a code for one login where one is needed."""
        return self.address + self._access.link_fragment()
