"""The port that ``serve`` listens on and ``mcp`` connects to, and the server's bearer token.

Implements docs/design/command-line.md "Global options": an option beats the environment, and
``--port`` and ``--url`` must agree. Part of docs/design/server-and-bridge.md §10: a token comes
from a file or the environment, never from an argument, which every process could read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from mcp_server.cli.options import GivenPath
from mcp_server.cli.printing.output import fail
from mcp_server.contract.errors import ToolError

_Command = TypeVar("_Command", bound=Callable[..., Any])

PORT_VARIABLE = "UNITY_CLI_PORT"
URL_VARIABLE = "UNITY_CLI_URL"


def server_port(
    port: str | None, url: str | None, environment: Mapping[str, str] = os.environ
) -> int | ToolError | None:
    """Return the port of ``--port`` or ``--url``, else of the environment, if there is one.

    Error: ``ERR_CONFIG_VALIDATION`` for what is no port, on another machine, or contradictory.
    """
    from mcp_server.host.config import config_error, parse_port  # noqa: PLC0415 - not for help

    levels = (
        ("--port", port, "--url", url),
        (
            PORT_VARIABLE,
            environment.get(PORT_VARIABLE) or None,  # an empty variable is as good as none
            URL_VARIABLE,
            environment.get(URL_VARIABLE) or None,
        ),
    )
    for port_name, port_text, url_name, url_text in levels:
        by_port = None if port_text is None else parse_port(port_text, port_name)
        by_url = None if url_text is None else _port_of(url_text, url_name)
        for found in (by_port, by_url):
            if isinstance(found, ToolError):
                return found
        if by_port and by_url and by_port != by_url:
            return config_error(
                f"{port_name} says {by_port}, {url_name} says {by_url}. Give one of them."
            )
        chosen = by_port or by_url
        if isinstance(chosen, int):
            return chosen
    return None


def _port_of(text: str, name: str) -> int | ToolError:
    from mcp_server.calls.server.server_file import port_here, read_url  # noqa: PLC0415
    from mcp_server.host.config import config_error  # noqa: PLC0415

    url = read_url(text, name)
    if isinstance(url, ToolError):
        return url
    return port_here(url) or config_error(
        f"{name} is {url}, which is not on this machine. A server listens on http://127.0.0.1 "
        "only. Name a port with --port."
    )


def token_options(command: _Command) -> _Command:
    """Give ``command`` the options for the server's token; see :func:`token_given`."""
    refused = click.option("--token", hidden=True, help="Refused: every process sees it.")
    file = click.option(
        "--token-file",
        type=GivenPath(dir_okay=False),
        metavar="FILE",
        help="The file with the server's bearer token. Default: $UNITY_CLI_TOKEN, if it is set.",
    )
    return file(refused(command))


def token_given(
    context: click.Context, token: str | None, token_file: Path | None, *, make: bool = False
) -> str | None:
    """Return the token to use, if there is one; a wrong one ends the command.

    With ``make``, a missing file is created, with a new token.
    """
    from mcp_server.host import config  # noqa: PLC0415 - not for help pages

    if token is not None:
        fail(context, config.config_error(config.TOKEN_IN_SIGHT))
    given = config.token_of(token_file, make=make)
    return fail(context, given) if isinstance(given, ToolError) else given
