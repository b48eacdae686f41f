"""What the server is started with, checked before anything heavy is loaded.

Implements docs/design/server-and-bridge.md §1. A wrong option is ``ERR_CONFIG_VALIDATION`` and says
what was wrong.
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

from mcp_server.calls.server.server_address import DEFAULT_PORT
from mcp_server.calls.server.server_file import is_token
from mcp_server.calls.server.server_proof import LOOPBACK_ADDRESS, TOKEN_VARIABLE
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.event_log import LogFormat
from snippet_engine.schemas.schema_messages import quoted
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.plain_file import read_given


class EditorRoad(StrEnum):
    """How the Editor is reached, in the words of ``--editor``."""

    AUTO = "auto"
    """By our plugin where that is connected, else by Unity's Pipeline package."""
    PLUGIN = "plugin"
    PIPELINE = "pipeline"


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Start-up options. ``project`` is ``None`` when there is no Unity project to work in.

    ``lsp`` is a valid value of ``--lsp``, ``editor`` of ``--editor``.
    ``ends_with_clients``: the server was started for stdio clients, and ends with the last one.
    ``rotated_log`` is the file that stderr goes to, if that is to be kept short. ``quiet``: of
    events, only warnings and errors are logged. ``verbose``: all are, as a log has them.
    """

    port: int = DEFAULT_PORT
    project: Path | None = None
    token: str | None = None
    log_format: LogFormat = LogFormat.TEXT
    lsp: str = "off"
    editor: EditorRoad = EditorRoad.AUTO
    ends_with_clients: bool = False
    rotated_log: Path | None = None
    quiet: bool = False
    verbose: bool = True

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


def check_token(token: str | None, said_by: str) -> ToolError | None:
    """What is wrong with ``token``, if a client couldn't send it as a bearer token.

    ``said_by`` is what messages call the place that it is from.
    """
    if token == "":
        return config_error(f"{said_by} is empty. Leave it out, or give a secret.")
    if token is not None and not is_token(token):
        return config_error(f"{said_by}: a token is printable ASCII without spaces.")
    return None


def weakness_of(token: str) -> str | None:
    """What makes ``token`` no secret, to be told to who serves with it; ``None`` if nothing."""
    if len(token) >= SHORTEST_SECRET:
        return None
    return (
        f"the token has {len(token)} characters, fewer than {SHORTEST_SECRET}: it can be guessed. "
        "--token-file makes a file that isn't there, with a long one."
    )


SHORTEST_SECRET = 16
"""Characters of a token that nobody gets by trying."""

TOKEN_IN_SIGHT = (
    "--token would show the token to everyone who can list this machine's processes. "
    "Use --token-file FILE, or the variable UNITY_CLI_TOKEN."
)

MAX_TOKEN_FILE_BYTES = 4096


def token_of(file: Path | None, *, make: bool = False) -> str | ToolError | None:
    """The token to use: that of ``file`` (``--token-file``), or of the environment, if any.

    ``make``: a file that doesn't exist is made, with a new token that only its user can read.
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
            return config_error(f"--token-file {file}: there is no folder {file.parent}.")
        made_by = "" if make or file.exists() else f" unity-cli serve --token-file {file} makes it."
        return config_error(f"--token-file {file}: {reason_of(error)}.{made_by}")
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode)):
        return config_error(f"--token-file {file}: neither a regular file nor a pipe.")
    if os.name == "posix" and status.st_mode & 0o077:
        return config_error(f"--token-file {file}: others can read it. Say: chmod 600 {file}")
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
"""So many ports, from the usual one on, are tried for a server that none was named for."""


def bind_free() -> tuple[socket.socket, int] | ToolError:
    """A socket on the usual port, or the next one that is free; and which that is."""
    for port in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
        listener = bind(port)
        if not isinstance(listener, ToolError):
            return listener, port
    return config_error(
        f"No port from {DEFAULT_PORT} to {DEFAULT_PORT + PORTS_TRIED - 1} can be used. "
        "Name another with --port."
    )


def bind(port: int) -> socket.socket | ToolError:
    """A socket that listens on ``port`` of the loopback address and on no other.

    Taken before the server is loaded, so that a port in use is told at once, and clients that
    come early wait instead of being refused.
    """
    # asyncio switches Nagle's algorithm off only where the protocol is named; with it, the body
    # of an answer waits some 40 ms for the acknowledgement of its headers. On Windows it names none
    # for what it accepts; that has the option from here.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
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
        return config_error(f"--port {port} can't be used: {reason_of(error)}.")
    return listener
