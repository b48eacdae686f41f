"""Log a browser in with a link's code, and hand out links.

Implements docs/design/review.md "Access". The code is in the link's fragment, which a browser
doesn't send; the page's script posts it. So it is in no log and no history of requests.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mcp_server.event_log import log_event
from mcp_server.review.page.gate import read_body

if TYPE_CHECKING:
    from starlette.requests import Request

    from mcp_server.review.page.access import PageAccess

_MAX_BODY_BYTES = 1024


def login_routes(access: PageAccess) -> list[Route]:
    """Return the route on which everybody may try a code."""

    async def login(request: Request) -> Response:
        body = await read_body(request, _MAX_BODY_BYTES)
        if not access.use_code(_code_in(body[:_MAX_BODY_BYTES])):
            log_event("page_login_refused")
            return JSONResponse({"error": "this link was used, or another server made it"}, 403)
        log_event("page_login")
        cookie = access.cookie_for(access.new_browser())
        return Response(status_code=204, headers={"Set-Cookie": cookie})

    return [Route("/login", login, methods=["POST"])]


def link_route(path: str, make_link: Callable[[], str], on_made: Callable[[], None]) -> Route:
    """Return the route that gives a link to the page, for holders of the server's bearer token.

    ``on_made`` is called with each link, since somebody is about to open it.
    """

    async def link(_request: Request) -> Response:
        on_made()
        return JSONResponse({"url": make_link()}, headers={"Cache-Control": "no-store"})

    return Route(path, link, methods=["POST"])


def _code_in(body: bytes) -> str:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    code = document.get("token") if isinstance(document, dict) else None
    return code if isinstance(code, str) else ""
