"""Who may see the review page, and who may act on it.

Implements docs/design/review.md "Access". A browser is known by a cookie that only this server can
issue: a random name and its HMAC. If the server has a bearer token, a browser gets the cookie for a
link's code, which works once. Otherwise it gets the cookie with its first page. A form's hidden
field is another HMAC of the same name. It proves that this server rendered the form for this
browser.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Mapping
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from mcp_server.event_log import log_event
from mcp_server.review.page.rendering import refused, rendered

MOST_LINKS = 16
"""Most unused links. A new link beyond that makes the oldest one void."""

_NAME_BYTES = 24


class PageAccess:
    """Issues and checks links, cookies and form tokens. Keeps no list of browsers."""

    def __init__(self, secret: bytes, address: str, token: str | None) -> None:
        """``address`` is the page's. ``secret`` outlives the process, so open pages keep working.

        Cookies depend on the bearer ``token``. If it changes, everybody has to log in again.
        """
        self.address = address
        self.needs_login = token is not None
        self._key = hmac.digest(secret, f"token {token}".encode() if token else b"open", "sha256")
        # All ports of a host share their cookies, so the name contains the port.
        self._cookie_name = f"unity_review_{urlsplit(address).port}"
        self._codes: OrderedDict[str, None] = OrderedDict()

    # -- links -------------------------------------------------------------------------------------

    def link(self) -> str:
        """Return the page's address. If a login is needed, it ends in a code for one login."""
        return self.address + self.link_fragment()

    def link_fragment(self) -> str:
        """Return the end of the page's address: a code for one login; empty if none is needed."""
        if not self.needs_login:
            return ""
        code = secrets.token_urlsafe(32)
        self._codes[code] = None
        while len(self._codes) > MOST_LINKS:
            self._codes.popitem(last=False)
        return f"#token={code}"

    def use_code(self, code: str) -> bool:
        """Use up a link's code. Return whether it was unused until now."""
        known = next((each for each in self._codes if _same(each, code)), None)
        if known is not None:
            del self._codes[known]
        return known is not None

    # -- browsers ----------------------------------------------------------------------------------

    def new_browser(self) -> str:
        """Return a random name for a new browser."""
        return secrets.token_urlsafe(_NAME_BYTES)

    def cookie_for(self, browser: str) -> str:
        """Return the ``Set-Cookie`` header that makes ``browser`` known until it is closed."""
        value = f"{browser}.{self._proof('browser', browser)}"
        return f"{self._cookie_name}={value}; Path=/; HttpOnly; SameSite=Strict"

    def browser_of(self, cookies: Mapping[str, str]) -> str | None:
        """Return the browser's name in ``cookies``; ``None`` if this server didn't issue it."""
        browser, _, proof = cookies.get(self._cookie_name, "").partition(".")
        return browser if _same(self._proof("browser", browser), proof) else None

    def form_token(self, browser: str) -> str:
        """Return the hidden field for forms that are rendered for ``browser``."""
        return self._proof("form", browser)

    def is_form_token(self, browser: str, sent: str) -> bool:
        """Return whether ``sent`` is the hidden field of a form for ``browser``."""
        return _same(self.form_token(browser), sent)

    def _proof(self, purpose: str, browser: str) -> str:
        return hmac.new(self._key, f"{purpose} {browser}".encode(), "sha256").hexdigest()


def _same(known: str, sent: str) -> bool:
    return hmac.compare_digest(known.encode(), sent.encode(errors="replace"))


View = Callable[["Request"], Awaitable[Response]]

FORM_TOKEN = "form_token"

MAX_FORM_BYTES = 256 * 1024
MAX_FIELDS = 200
SAFE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every answer: only our scripts run, and no other page can embed or read ours."""


class Gate:
    """Lets only known browsers see views, and only their own forms start actions."""

    def __init__(self, access: PageAccess, ready: Callable[[], Awaitable[None]]) -> None:
        """``ready`` waits until the views have something to show."""
        self._access = access
        self._ready = ready

    def guarded(self, method: str, views: Mapping[str, View]) -> list[Route]:
        """Return routes for ``views``, by their paths, which only a known browser may use."""
        return open_routes(method, {path: self._for_known(view) for path, view in views.items()})

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
                answer = await self._read_form(request, browser)
                if answer is not None:
                    return answer
            await self._ready()
            response = await view(request)
            if is_new:
                response.headers["Set-Cookie"] = self._access.cookie_for(browser)
            return response

        return serve

    async def _read_form(self, request: Request, browser: str) -> Response | None:
        """Read the form for :func:`checked_form`. Return the error's answer if it isn't valid."""
        body = await read_body(request, MAX_FORM_BYTES)
        if len(body) > MAX_FORM_BYTES:
            return PlainTextResponse("The form is too long.\n", 413)
        try:
            fields = parse_qsl(
                body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS
            )
        except ValueError:  # also for invalid UTF-8
            return PlainTextResponse("The form can't be read.\n", 400)
        form = dict(fields)
        if not self._access.is_form_token(browser, form.pop(FORM_TOKEN, "")):
            why = "This form is from another browser or server. Nothing was done."
            return await refused(request, 403, why)
        request.state.form = form
        return None


async def read_body(request: Request, most: int) -> bytes:
    """Return the request's body; empty if the sender has left.

    Reading stops after more than ``most`` bytes. Then the result is longer than ``most``.
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
    """Return the fields of the form, whose token :class:`Gate` has checked."""
    form: dict[str, str] = request.state.form
    return form


def first_parts(routes: Collection[Route]) -> frozenset[str]:
    """Return the first part of each route's path. No other route may begin with one of them."""
    return frozenset(each.path.split("/", 2)[1] for each in routes)


def number_in(text: str | None) -> int | None:
    """Return the number in ``text``; ``None`` unless ``text`` consists of digits."""
    if text is None or not (text.isascii() and text.isdigit()):
        return None
    return int(text[:15])


def open_routes(method: str, views: Mapping[str, View]) -> list[Route]:
    """Return routes for ``views``, by their paths, which everybody on this machine may use."""
    return [Route(path, _with_safe_headers(view), methods=[method]) for path, view in views.items()]


def _with_safe_headers(view: View) -> View:
    async def serve(request: Request) -> Response:
        response = await view(request)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers.update(SAFE_HEADERS)
        return response

    return serve


_MAX_BODY_BYTES = 1024


async def login(access: PageAccess, request: Request) -> Response:
    """Log a browser in with a link's code. The page's script posts the code, so no log shows it."""
    body = await read_body(request, _MAX_BODY_BYTES)
    if not access.use_code(_code_in(body[:_MAX_BODY_BYTES])):
        log_event("page_login_refused")
        return JSONResponse({"error": "this link was used, or another server made it"}, 403)
    log_event("page_login")
    cookie = access.cookie_for(access.new_browser())
    return Response(status_code=204, headers={"Set-Cookie": cookie})


def _code_in(body: bytes) -> str:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    code = document.get("token") if isinstance(document, dict) else None
    return code if isinstance(code, str) else ""
