"""Somebody at the review page, without a browser: opens views, and sends their forms."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Self

import httpx2


@dataclass
class Form:
    """One form of a view: where it goes, its fields, and its buttons."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._is_in_form = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(known["action"]))
            self._is_in_form = True
        elif self._is_in_form and "name" in known:
            if tag == "button":
                self.forms[-1].buttons.append((known["name"], known.get("value", "")))
            elif tag in ("input", "textarea", "select"):
                self.forms[-1].fields[known["name"]] = known.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._is_in_form = False


class Person:
    """An async context manager; every person has a browser of their own."""

    def __init__(self, port: int) -> None:
        self._root = f"http://127.0.0.1:{port}"
        self._http = httpx2.AsyncClient(base_url=self._root, trust_env=False, timeout=60)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def get(self, path: str) -> httpx2.Response:
        """Open a view."""
        return await self._http.get(path)

    async def view(self, path: str) -> str:
        """The HTML of a view, which must be there."""
        answer = await self.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text

    async def forms(self, path: str, action: str) -> list[Form]:
        """The forms of a view that go to ``action``."""
        parser = _Forms()
        parser.feed(await self.view(path))
        return [each for each in parser.forms if each.action == action]

    async def send(self, form: Form, **fields: str) -> httpx2.Response:
        """Send a form; redirects are not followed."""
        return await self._http.post(
            form.action, data={**form.fields, **fields}, headers={"Origin": self._root}
        )

    async def switch(self, *, on: bool) -> None:
        """Switch the hold on or off."""
        (form,) = await self.forms("/holds", "/actions/hold")
        answer = await self.send(form, on="1" if on else "0")
        assert answer.status_code == 303, answer.text

    async def answer(self, answer: str, reason: str = "") -> httpx2.Response:
        """Answer the one change that waits."""
        (form,) = await self.forms("/holds", "/actions/answer")
        return await self.send(form, answer=answer, reason=reason)


def words(page: str) -> str:
    """What a page says, without tags and with single blanks."""
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    body = re.sub(r"</?(a|b|code|del|em|ins|mark|span|strong|time)\b[^>]*>", "", body)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())
