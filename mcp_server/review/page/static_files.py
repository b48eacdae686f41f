"""The page's stylesheet, scripts and pictures, which lie in the package.

Implements docs/design/review.md "The page".
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

if TYPE_CHECKING:
    from starlette.requests import Request

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def static_routes() -> list[Route]:
    """Return the route of the page's own files."""
    return [Route("/static/{name}", _file, methods=["GET"])]


async def _file(request: Request) -> Response:
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
    """Return every file: its content, media type and tag."""
    found = {}
    for path in (Path(__file__).parent / "static").iterdir():
        if path.suffix in _TYPES:
            data = path.read_bytes()
            tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
            found[path.name] = data, _TYPES[path.suffix], tag
    return found
