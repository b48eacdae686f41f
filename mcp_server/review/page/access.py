"""Who may see the review page, and who may act on it.

Implements docs/design/review.md "Access". A browser is known by a cookie that only this server can
have issued: a random name and its HMAC. If the server has a bearer token, a browser gets that
cookie for a link's code, which can be used once; otherwise with its first page. A form proves that
this server rendered it for this browser: its hidden field is another HMAC of the same name.
"""

from __future__ import annotations

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from urllib.parse import urlsplit

MOST_LINKS = 16
"""Most links that wait for their use; the oldest becomes void beyond that."""

_NAME_BYTES = 24


class PageAccess:
    """The browsers that this server knows, without keeping a list of them."""

    def __init__(self, secret: bytes, address: str, token: str | None) -> None:
        """``address`` is the page's. ``secret`` outlives the process, so that open pages keep
        working.

        A cookie is for one ``token``. With another token, everybody has to log in again.
        """
        self.address = address
        self.needs_login = token is not None
        self._key = hmac.digest(secret, f"token {token}".encode() if token else b"open", "sha256")
        # All ports of a host share their cookies.
        self._cookie_name = f"unity_review_{urlsplit(address).port}"
        self._codes: OrderedDict[str, None] = OrderedDict()

    # -- links -------------------------------------------------------------------------------------

    def link(self) -> str:
        """Return the page's address, with a code for one login where one is needed."""
        return self.address + self.link_fragment()

    def link_fragment(self) -> str:
        """Return what to add to the page's address: a code for one login, where one is needed."""
        if not self.needs_login:
            return ""
        code = secrets.token_urlsafe(32)
        self._codes[code] = None
        while len(self._codes) > MOST_LINKS:
            self._codes.popitem(last=False)
        return f"#token={code}"

    def use_code(self, code: str) -> bool:
        """Return whether ``code`` is that of an unused link; from now on it is used."""
        known = next((each for each in self._codes if _same(each, code)), None)
        if known is not None:
            del self._codes[known]
        return known is not None

    # -- browsers ----------------------------------------------------------------------------------

    def new_browser(self) -> str:
        """Return the name of a browser that comes for the first time."""
        return secrets.token_urlsafe(_NAME_BYTES)

    def cookie_for(self, browser: str) -> str:
        """Return the ``Set-Cookie`` that makes ``browser`` known until it is closed."""
        value = f"{browser}.{self._proof('browser', browser)}"
        return f"{self._cookie_name}={value}; Path=/; HttpOnly; SameSite=Strict"

    def browser_of(self, cookies: Mapping[str, str]) -> str | None:
        """Return the browser that sends ``cookies``; ``None`` if it isn't known."""
        browser, _, proof = cookies.get(self._cookie_name, "").partition(".")
        return browser if _same(self._proof("browser", browser), proof) else None

    def form_token(self, browser: str) -> str:
        """Return the hidden field of the forms that are rendered for ``browser``."""
        return self._proof("form", browser)

    def is_form_token(self, browser: str, sent: str) -> bool:
        """Return whether ``sent`` is the hidden field of a form that ``browser`` was given."""
        return _same(self.form_token(browser), sent)

    def _proof(self, purpose: str, browser: str) -> str:
        return hmac.new(self._key, f"{purpose} {browser}".encode(), "sha256").hexdigest()


def _same(known: str, sent: str) -> bool:
    return hmac.compare_digest(known.encode(), sent.encode(errors="replace"))
