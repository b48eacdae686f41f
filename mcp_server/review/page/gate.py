"""The only way to the page's views and actions: it checks the browser and makes answers safe.

Implements docs/design/review.md "Access". Whatever a view forgets, a browser that isn't logged in
gets no view, and a form without its token is refused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from mcp_server.event_log import log_event
from mcp_server.review.page.rendering import rendered

if TYPE_CHECKING:
    from starlette.requests import Request

    from mcp_server.review.page.access import PageAccess

View = Callable[["Request"], Awaitable[Response]]

FORM_TYPE = "application/x-www-form-urlencoded"
FORM_TOKEN = "form_token"

MAX_FORM_BYTES = 256 * 1024
"""Largest form."""

MAX_FIELDS = 200
"""Most fields of a form."""

SAFE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""What every answer carries: no script but ours runs, and no other page shows or reads ours."""


class Gate:
    """Lets known browsers through to views, and their own forms to actions."""

    def __init__(self, access: PageAccess, ready: Callable[[], Awaitable[None]]) -> None:
        """``ready`` ends once the views have what they show."""
        self._access = access
        self._ready = ready

    def guarded(self, routes: Sequence[Route]) -> list[Route]:
        """Return ``routes`` for those who may see the page."""
        return [_like(each, self._for_known(each.endpoint)) for each in routes]

    def open(self, routes: Sequence[Route]) -> list[Route]:
        """Return ``routes`` for everybody on this machine."""
        return [_like(each, _with_safe_headers(each.endpoint)) for each in routes]

    def _for_known(self, view: View) -> View:
        async def serve(request: Request) -> Response:
            browser = self._access.browser_of(request.cookies)
            is_new = browser is None
            if browser is None:
                if self._access.needs_login:
                    return await rendered(request, "login.html", status=401)
                browser = self._access.new_browser()
            request.state.form_token = self._access.form_token(browser)
            if request.method == "POST":
                refused = await self._read_form(request, browser)
                if refused is not None:
                    return refused
            await self._ready()
            response = await view(request)
            if is_new:
                response.headers["Set-Cookie"] = self._access.cookie_for(browser)
            return response

        return _with_safe_headers(serve)

    async def _read_form(self, request: Request, browser: str) -> Response | None:
        """Read the form for :func:`checked_form`. Return the answer if it doesn't count."""
        body = await read_body(request, MAX_FORM_BYTES)
        if len(body) > MAX_FORM_BYTES:
            return PlainTextResponse("The form is too long.\n", 413)
        try:
            fields = parse_qsl(
                body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS
            )
        except ValueError:  # also no UTF-8
            return PlainTextResponse("The form can't be read.\n", 400)
        form = dict(fields)
        if not self._access.is_form_token(browser, form.pop(FORM_TOKEN, "")):
            why = "This form is from another browser or server. Nothing was done."
            return await rendered(request, "refused.html", status=403, why=why)
        request.state.form = form
        return None


async def read_body(request: Request, most: int) -> bytes:
    """Return the body; empty if its sender has left.

    Of a body longer than ``most`` bytes, return a beginning that is also longer.
    """
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                break
    except ClientDisconnect:  # nobody gets the answer
        log_event("client_left", path=request.url.path)
        return b""
    return bytes(body)


def checked_form(request: Request) -> dict[str, str]:
    """Return the fields of the form that was sent with the page's token."""
    form: dict[str, str] = request.state.form
    return form


def first_parts(routes: Collection[Route]) -> frozenset[str]:
    """Return the first part of each route's path, which no other route may begin with."""
    return frozenset(each.path.split("/", 2)[1] for each in routes)


def _like(route: Route, view: View) -> Route:
    methods = sorted((route.methods or {"GET"}) - {"HEAD"})
    return Route(route.path, view, methods=methods, name=route.name)


def _with_safe_headers(view: View) -> View:
    async def serve(request: Request) -> Response:
        response = await view(request)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers.update(SAFE_HEADERS)
        return response

    return serve
