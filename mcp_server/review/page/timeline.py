"""The timeline: what happened, newest first.

Implements docs/design/review.md "The page".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

from mcp_server.review.page.rendering import rendered

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


def routes() -> list[Route]:
    """Return the view's routes."""
    return [Route("/", _timeline)]


async def _timeline(request: Request) -> Response:
    return await rendered(request, "timeline.html")
