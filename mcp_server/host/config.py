"""The server's options, checked before large modules are loaded.

Implements docs/design/server-and-bridge.md §1. A wrong option is ``ERR_CONFIG_VALIDATION``.
"""

from __future__ import annotations

import errno
import os
import secrets
import socket
import stat
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mcp_server.calls.server.server_file import DEFAULT_PORT, is_token
from mcp_server.calls.server.server_proof import LOOPBACK_ADDRESS, TOKEN_VARIABLE
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.event_log import LogFormat
from snippet_engine.schemas.schema_findings import quoted
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.plain_file import read_given


class EditorRoad(StrEnum):
    """How the server reaches the Editor: the values of ``--editor``."""

    AUTO = "auto"
    """Over our plugin if it is connected, otherwise over Unity's Pipeline package."""
    PLUGIN = "plugin"
    PIPELINE = "pipeline"


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """The server's options."""

    port: int = DEFAULT_PORT
    project: Path | None = None
    """``None`` if there is no Unity project."""
    token: str | None = None
    log_format: LogFormat = LogFormat.TEXT
    lsp: str = "off"
    editor: EditorRoad = EditorRoad.AUTO
    ends_with_clients: bool = False
    """Whether stdio clients started the server, so that it ends with the last of them."""
    rotated_log: Path | None = None
    """The log file that stderr goes to. It is kept short."""
    quiet: bool = False
    verbose: bool = True

    @property
    def url(self) -> str:
        """Return the URL for MCP clients."""
        return f"http://{LOOPBACK_ADDRESS}:{self.port}/mcp"

    @property
    def page_url(self) -> str:
        """Return the URL of the review page."""
        return f"http://{LOOPBACK_ADDRESS}:{self.port}/"


def config_error(message: str) -> ToolError:
    """Return ``ERR_CONFIG_VALIDATION`` with ``message``."""
    return tool_error(ToolErrorCode.CONFIG_VALIDATION, message)


def parse_port(text: str, name: str = "--port") -> int | ToolError:
    """Return the port in ``text``, or an error that calls the option ``name``."""
    if not (text.isascii() and text.isdigit()):
        return config_error(f"{name} must be a number from 1 to 65535 (got {quoted(text)}).")
    if not 1 <= int(text[:20]) <= 65535:
        return config_error(f"{name} must be from 1 to 65535 (got {text[:20]}).")
    return int(text)


def check_token(token: str | None, said_by: str) -> ToolError | None:
    """Return why ``token`` can't be a bearer token; ``None`` if it can.

    ``said_by`` names where the token comes from, for the message.
    """
    if token == "":
        return config_error(f"{said_by} is empty. Leave it out, or give a secret.")
    if token is not None and not is_token(token):
        return config_error(f"{said_by}: a token is printable ASCII without spaces.")
    return None


def weakness_of(token: str) -> str | None:
    """Return why ``token`` can be guessed; ``None`` if it can't."""
    if len(token) >= SHORTEST_SECRET:
        return None
    return (
        f"the token has {len(token)} characters, fewer than {SHORTEST_SECRET}: it can be guessed. "
        "--token-file creates a missing file, with a long token."
    )


SHORTEST_SECRET = 16
"""Fewest characters of a token that can't be guessed."""

TOKEN_IN_SIGHT = (
    "--token would show the token to everyone who can list this machine's processes. "
    "Use --token-file FILE, or the variable UNITY_CLI_TOKEN."
)

MAX_TOKEN_FILE_BYTES = 4096


def token_of(file: Path | None, *, make: bool = False) -> str | ToolError | None:
    """Return the token from ``file`` (``--token-file``), or without a file from the environment.

    With ``make``, a missing file is created, with a new token that only its user can read.
    """
    if file is None:
        token = os.environ.get(TOKEN_VARIABLE)
        return check_token(token, TOKEN_VARIABLE) or token
    try:
        if make:
            _make_token_file(file)
        data, status = read_given(file, MAX_TOKEN_FILE_BYTES)
    except OSError as error:
        if not file.parent.is_dir():
            return config_error(f"--token-file {file}: the folder {file.parent} doesn't exist.")
        made_by = (
            "" if make or file.exists() else f" unity-cli serve --token-file {file} creates it."
        )
        return config_error(f"--token-file {file}: {reason_of(error)}.{made_by}")
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode)):
        return config_error(f"--token-file {file}: must be a regular file or a pipe.")
    if os.name == "posix" and status.st_mode & 0o077:
        return config_error(f"--token-file {file}: other users can read it. Run: chmod 600 {file}")
    token = data.decode("utf-8", "replace").strip()
    return check_token(token, f"--token-file {file}") or token


def _make_token_file(file: Path) -> None:
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(handle, "w", encoding="ascii") as opened:
        opened.write(secrets.token_urlsafe(32) + "\n")


PORTS_TRIED = 200
"""If no port was given, this many are tried, from the default port on."""


def bind_free() -> tuple[socket.socket, int] | ToolError:
    """Return a socket on the default port or the next free one, and its port."""
    for port in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
        listener = bind(port)
        if not isinstance(listener, ToolError):
            return listener, port
    return config_error(
        f"No port from {DEFAULT_PORT} to {DEFAULT_PORT + PORTS_TRIED - 1} can be used. "
        "Choose another with --port."
    )


def bind(port: int) -> socket.socket | ToolError:
    """Return a socket that listens on ``port``, on the loopback address only.

    The socket is opened before the rest of the server is loaded. So a port in use is reported at
    once, and early clients wait instead of being refused.
    """
    # asyncio switches Nagle's algorithm off only if the socket names its protocol. Otherwise an
    # answer's body waits 40 ms for the acknowledgement of its head. On Windows accepted sockets
    # inherit the option from this one.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if os.name == "posix":  # on other systems two servers could share the port
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
                f"--port {port} is in use. A server may be running already; else choose another."
            )
        return config_error(f"--port {port} can't be used: {reason_of(error)}.")
    return listener
