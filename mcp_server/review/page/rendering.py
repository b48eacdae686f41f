"""Make HTML of templates: everything that is put into one is escaped.

Implements docs/design/review.md "Access". Jinja2 is loaded with the first page that is asked for,
and a page is made on a thread, because a large diff takes its time.
"""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse

from mcp_server.review.page.words import FILTERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment
    from starlette.requests import Request

NAVIGATION: Sequence[tuple[str, str]] = (
    ("/", "Timeline"),
    ("/holds", "Waiting"),
    ("/jobs", "Jobs"),
    ("/console", "Console"),
    ("/problems", "Problems"),
    ("/figures", "Figures"),
)
"""The page's views, by their paths."""


async def rendered(
    request: Request, template: str, *, status: int = 200, **values: Any
) -> HTMLResponse:
    """Return the page that ``template`` makes of ``values``.

    Every template also gets ``form_token``, ``path`` and the ``navigation``.
    """
    known = {
        "form_token": getattr(request.state, "form_token", ""),
        "path": request.url.path,
        "navigation": _navigation(request),
    }
    text = await asyncio.to_thread(html, template, known | values)
    return HTMLResponse(text, status)


def html(template: str, values: dict[str, Any]) -> str:
    """Return what ``template`` makes of ``values``. Blocks."""
    return environment().get_template(template).render(values)


@cache
def environment() -> Environment:
    """Return the templates, with what all of them may use."""
    import jinja2  # noqa: PLC0415 - only for who looks at the page

    folder = Path(__file__).parent / "templates"
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(FILTERS)
    return made


def _navigation(request: Request) -> list[tuple[str, str]]:
    """Return the views that this server has."""
    app = request.scope.get("app")
    paths = {getattr(each, "path", None) for each in getattr(app, "routes", ())}
    return [(path, title) for path, title in NAVIGATION if path in paths]
