"""What the server is started with, checked before anything heavy is loaded.

Implements docs/design/server-and-bridge.md §1. A wrong option is ``ERR_CONFIG_VALIDATION`` and says
what was wrong.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.event_log import LogFormat
from snippet_engine.schema_messages import quoted

DEFAULT_PORT = 48091
LOOPBACK_ADDRESS = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Start-up options. ``project`` is ``None`` when there is no Unity project to work in.

    ``lsp`` is a valid value of ``--lsp``.
    ``ends_with_clients``: the server was started for stdio clients, and ends with the last one.
    """

    port: int = DEFAULT_PORT
    project: Path | None = None
    token: str | None = None
    log_format: LogFormat = LogFormat.TEXT
    lsp: str = "off"
    ends_with_clients: bool = False

    @property
    def url(self) -> str:
        """Where MCP clients connect."""
        return f"http://{LOOPBACK_ADDRESS}:{self.port}/mcp"


def config_error(message: str) -> ToolError:
    """Make ``ERR_CONFIG_VALIDATION`` with ``message``."""
    return tool_error(ToolErrorCode.CONFIG_VALIDATION, message)


def parse_port(text: str, name: str = "--port") -> int | ToolError:
    """A port from a command line; ``name`` is what messages call it."""
    if not (text.isascii() and text.isdigit()):
        return config_error(f"{name} must be a number from 1 to 65535 (got {quoted(text)}).")
    if not 1 <= int(text[:20]) <= 65535:
        return config_error(f"{name} must be from 1 to 65535 (got {text[:20]}).")
    return int(text)


def check_token(token: str | None) -> ToolError | None:
    """What is wrong with ``token``, if a client couldn't send it as a bearer token."""
    if token == "":
        return config_error("--token is empty. Leave it out, or give a secret.")
    if token is not None and not (token.isascii() and token.isprintable() and " " not in token):
        return config_error("--token must be printable ASCII without spaces.")
    return None


def bind(port: int) -> socket.socket | ToolError:
    """A socket that listens on ``port`` of the loopback address and on no other.

    Taken before the server is loaded, so that a port in use is told at once, and clients that
    come early wait instead of being refused.
    """
    # asyncio switches Nagle's algorithm off only where the protocol is named; with it, the body
    # of an answer waits some 40 ms for the acknowledgement of its headers.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":  # elsewhere it would let two servers share the port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    elif sys.platform == "win32":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    try:
        listener.bind((LOOPBACK_ADDRESS, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            return config_error(
                f"--port {port} is in use. Another server may run already; else choose another."
            )
        return config_error(f"--port {port} can't be used: {os.strerror(error.errno or 0)}.")
    return listener
