"""Make HTML from templates, with every value escaped.

Implements docs/design/review.md "Access". Jinja2 is loaded for the first page. Pages are made on a
thread, because a large diff takes long.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse, PlainTextResponse, Response

from mcp_server.review.record.events import Event, Outcome
from mcp_server.review.take_back.plans import PUT_TEXTS
from snippet_engine.errors import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment
    from starlette.requests import Request


def clock(time_s: float) -> str:
    """Return the time of day in the server's time zone, which is the person's, too."""
    return datetime.fromtimestamp(time_s, UTC).astimezone().strftime("%H:%M:%S")


def date(time_s: float) -> str:
    """Return the date and time in the server's time zone."""
    return datetime.fromtimestamp(time_s, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S %z")


def machine_time(time_s: float) -> str:
    """Return the time for the attribute ``datetime`` of ``<time>``."""
    return datetime.fromtimestamp(time_s, UTC).isoformat(timespec="milliseconds")


def ago(duration_s: float) -> str:
    """Return a duration in its largest unit."""
    if duration_s < 1:
        return "less than a second"
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")):
        count = int(duration_s // size)
        if count:
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "less than a second"


def milliseconds(duration_ms: float | None) -> str:
    """Return a duration as text; empty if it isn't known."""
    if duration_ms is None:
        return ""
    return f"{duration_ms / 1000:.1f} s" if duration_ms >= 1000 else f"{duration_ms:.0f} ms"


def tool_name(tool: str) -> str:
    """Return a tool's name for the page.

    Agents can't call the tool that takes events back. So its title is returned instead.
    """
    return PUT_TEXTS.title.lower() if tool == PUT_TEXTS.name else tool


def who(event: Event) -> str:
    """Return who caused an event: the client's name, another program, or an unknown client."""
    if event.client:
        return event.client
    is_others = event.outcome is Outcome.CHANGED and not event.is_own
    return "another program" if is_others else "unknown client"


FILTERS: Mapping[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (clock, date, machine_time, ago, milliseconds, counted, tool_name, who)
}


NAVIGATION: Sequence[tuple[str, str]] = (
    ("/", "Timeline"),
    ("/holds", "Waiting"),
    ("/jobs", "Jobs"),
    ("/console", "Console"),
    ("/problems", "Problems"),
    ("/figures", "Figures"),
)


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


async def refused(request: Request, status: int, why: str) -> HTMLResponse:
    """Return the page that says why a request was refused."""
    return await rendered(request, "refused.html", status=status, why=why)


def html(template: str, values: dict[str, Any]) -> str:
    """Return the HTML that ``template`` makes of ``values``. Blocks."""
    return environment().get_template(template).render(values)


@cache
def environment() -> Environment:
    """Return the Jinja2 environment, with the filters that templates may use."""
    import jinja2  # noqa: PLC0415 - loaded only when a page is shown

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
    """Return the path and title of each view that this server has."""
    app = request.scope.get("app")
    paths = {getattr(each, "path", None) for each in getattr(app, "routes", ())}
    return [(path, title) for path, title in NAVIGATION if path in paths]


_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


async def static_file(request: Request) -> Response:
    """Answer with the page's stylesheet, or a script or picture."""
    found = _files().get(request.path_params["name"])
    if found is None:
        return PlainTextResponse("There is no such file.\n", 404)
    data, media_type, tag = found
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=media_type, headers=headers)


@cache
def _files() -> dict[str, tuple[bytes, str, str]]:
    """Return each static file's data, media type and ETag, by its name."""
    found = {}
    for path in (Path(__file__).parent / "static").iterdir():
        if path.suffix in _TYPES:
            data = path.read_bytes()
            tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
            found[path.name] = data, _TYPES[path.suffix], tag
    return found
