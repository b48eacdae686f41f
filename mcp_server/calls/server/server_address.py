"""A server's address as people write it.

Implements docs/design/command-line.md "Global options". All commands accept the same addresses and
give the same errors.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from snippet_engine.schemas.schema_messages import quoted

ENDPOINT = "/mcp"
"""Where a server speaks MCP."""

DEFAULT_PORT = 48091
"""A server's port unless another is given."""

PROJECT_PARAMETER = "project"
"""In an address, the project's folder: servers of other projects refuse the request."""

_BYTES = "surrogateescape"
"""A folder's name needn't be UTF-8; its bytes stay as they are."""

_EXAMPLE = f"Write it as http://127.0.0.1:{DEFAULT_PORT}/mcp."
_HERE = frozenset({"127.0.0.1", "localhost", "::1"})


def read_url(text: str, name: str = "The server's address") -> str | ToolError:
    """Return the address of the MCP endpoint in ``text``: without a path, ``/mcp`` is added.

    Messages call it ``name``. Error: ``ERR_CONFIG_VALIDATION``, with how to write it.
    """
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as error:
        return _wrong(f"{name}: {quoted(text)} is no address ({error}). {_EXAMPLE}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return _wrong(f"{name}: {quoted(text)} is no http address. {_with_scheme(text)}")
    if port == 0:
        return _wrong(f"{name}: {quoted(text)} has the port 0. {_EXAMPLE}")
    path = parts.path.rstrip("/")
    if path and not path.endswith(ENDPOINT):
        return _wrong(
            f"{name}: {quoted(text)} is not an MCP endpoint: its path must end in {ENDPOINT}."
        )
    return urlunsplit(parts._replace(path=path or ENDPOINT, fragment=""))


def _with_scheme(text: str) -> str:
    """Return how to write ``text``, completed if it names a host and a port."""
    written = f"http://{text.strip()}"
    try:
        named = urlsplit(written).port is not None
    except ValueError:
        named = False
    url = read_url(written) if named and "//" not in text else None
    return f"Write it as {url}." if isinstance(url, str) else _EXAMPLE


def bound_url(url: str, project: Path | None) -> str:
    """Return ``url`` for ``project`` alone; unchanged if it names a project already.

    Unchanged, too, for a folder whose name no address can hold.
    """
    if project is None or project_of_url(url) is not None:
        return url
    parts = urlsplit(url)
    # Windows accepts either separator; a backslash can't be in an address.
    try:
        folder = quote(project.absolute().as_posix(), safe="/:", errors=_BYTES)
    except UnicodeEncodeError:
        return url
    query = f"{parts.query}&" if parts.query else ""
    return urlunsplit(parts._replace(query=f"{query}{PROJECT_PARAMETER}={folder}"))


def project_of_url(url: str) -> str | None:
    """Return the project that an address names, if any."""
    return next((each for each in projects_of_query(urlsplit(url).query) if each), None)


def projects_of_query(query: str) -> list[str]:
    """Return every project that an address's query names."""
    pairs = parse_qsl(query, keep_blank_values=True, errors=_BYTES)
    return [value for name, value in pairs if name == PROJECT_PARAMETER]


def how_to_start(url: str, command: str) -> str:
    """Return what to do where no server answers at ``url``.

    ``command`` starts a server on the default port.
    """
    port = port_here(url)
    if port is None:
        return "Start one there, or correct the address."
    return f"Start one with: {command}" + ("" if port == DEFAULT_PORT else f" --port {port}")


def port_here(url: str) -> int | None:
    """Return the port of a valid address, if it is on this machine."""
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname not in _HERE:
        return None
    return parts.port or 80


def _wrong(message: str) -> ToolError:
    return tool_error(ToolErrorCode.CONFIG_VALIDATION, message)
