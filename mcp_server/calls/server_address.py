"""A server's address as people write it, and what is meant by it.

Implements docs/design/command-line.md "Global options". Every command that goes to a server, or
starts one, understands the same addresses, and says the same of those that it can't use.
"""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from snippet_engine.schema_messages import quoted

ENDPOINT = "/mcp"
"""Where a server speaks MCP."""

_EXAMPLE = "Write it as http://127.0.0.1:48091/mcp."
_HERE = frozenset({"127.0.0.1", "localhost", "::1"})


def read_url(text: str, name: str = "The server's address") -> str | ToolError:
    """The address of the MCP endpoint that ``text`` means: without a path, ``/mcp`` is added.

    ``name`` is what messages call it. Error: ``ERR_CONFIG_VALIDATION``, with how to write it.
    """
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as error:
        return _wrong(f"{name}: {quoted(text)} is no address ({error}). {_EXAMPLE}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return _wrong(f"{name}: {quoted(text)} is no http address. {_EXAMPLE}")
    if port == 0:
        return _wrong(f"{name}: {quoted(text)} has the port 0. {_EXAMPLE}")
    path = parts.path.rstrip("/")
    if path and not path.endswith(ENDPOINT):
        return _wrong(
            f"{name}: {quoted(text)} is not an MCP endpoint: its path must end in {ENDPOINT}."
        )
    return urlunsplit(parts._replace(path=path or ENDPOINT, fragment=""))


def port_here(url: str) -> int | None:
    """The port of an address that :func:`read_url` gave, if it is one of this machine's own."""
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname not in _HERE:
        return None
    return parts.port or 80


def _wrong(message: str) -> ToolError:
    return tool_error(ToolErrorCode.CONFIG_VALIDATION, message)
