"""A real, headless Chromium that looks at the review page."""

from __future__ import annotations

import asyncio
import atexit
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any

import pytest
from fake_editor import PATIENCE_S

playwright = pytest.importorskip(
    "playwright.async_api", reason="Playwright is missing: python3 dev.py setup installs it"
)

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
"""Debian's, or whichever is on ``PATH``."""

PATIENCE_MS = PATIENCE_S * 1000

LOOKS = tuple(product(("light", "dark"), (1200, 400)))
"""Colours and widths of pages. Each third of them is a sample that has both of each."""


@dataclass
class Browser:
    """A browser; ``problems`` are the errors that its pages told of."""

    chromium: Any
    problems: list[str] = field(default_factory=list)

    async def person(self, **options: Any) -> Any:
        """The windows of one person, with the options of Playwright's ``new_context``."""
        context = await self.chromium.new_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        context.on("weberror", lambda error: self.problems.append(str(error.error)))
        context.on("console", self._note)
        return context

    async def watch(self, context: Any, address: str) -> Any:
        """A window that shows ``address`` and listens to the server."""
        page = await context.new_page()
        await page.goto(address)
        await live(page)
        return page

    async def leave(self) -> None:
        """Close all windows; done before their server ends, which they would tell as a problem."""
        for context in self.chromium.contexts:
            await context.close()

    def _note(self, message: Any) -> None:
        if message.type == "error":
            self.problems.append(message.text)


async def live(page: Any) -> None:
    """Wait until the page listens to the server."""
    await page.locator("#connection", has_text="live").wait_for()


async def wait_for_title(page: Any, start: str) -> None:
    """Wait until the title begins with ``start``. The page's policy forbids ``wait_for_function``
    to evaluate its text more than once.
    """
    title = re.compile("^" + re.escape(start))
    await playwright.expect(page).to_have_title(title, timeout=PATIENCE_MS)


async def unusable(page: Any, axe: str, width: int) -> list[tuple[str, str]]:
    """What keeps people from using the page: axe-core's rules, and what is wider than ``width``."""
    await page.evaluate(axe)
    found = await page.evaluate("axe.run()")
    wrong = [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]]
    shown = await page.evaluate("document.documentElement.scrollWidth")
    return [*wrong, *([("too wide", str(shown))] if shown > width else [])]


def browse(scenario: Callable[[Browser], Awaitable[None]]) -> list[str]:
    """Run ``scenario`` with a browser; what went wrong in its pages."""
    if CHROMIUM is None:
        pytest.skip("no Chromium: apt-get install chromium")

    runner, chromium = _standing()

    async def run() -> list[str]:
        found = Browser(chromium)
        try:
            await scenario(found)
            return found.problems
        finally:
            await found.leave()

    return runner.run(asyncio.wait_for(run(), 240))


@cache
def _standing() -> tuple[asyncio.Runner, Any]:
    """The browser of this process's tests, and what runs them: its start takes longer than a test.

    Each test has windows of its own, of persons that the browser has not seen.
    """
    runner, standing = asyncio.Runner(), browser()
    chromium = runner.run(standing.__aenter__()).chromium

    def end() -> None:
        runner.run(standing.__aexit__(None, None, None))
        runner.close()

    atexit.register(end)
    return runner, chromium


@asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    """A browser, closed after."""
    async with playwright.async_playwright() as driver:
        chromium = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield Browser(chromium)
        await chromium.close()
