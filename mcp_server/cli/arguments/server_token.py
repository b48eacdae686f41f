"""The server's bearer token: from a file or the environment, never from an argument.

Part of docs/design/server-and-bridge.md §10.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from mcp_server.cli.printing.output import fail
from mcp_server.cli.value_types import GivenPath
from mcp_server.contract.errors import ToolError

_Command = TypeVar("_Command", bound=Callable[..., Any])


def token_options(command: _Command) -> _Command:
    """Give ``command`` the options for the server's token; see ``token_given``."""
    in_sight = click.option("--token", hidden=True, help="Refused: every process sees it.")
    file = click.option(
        "--token-file",
        type=GivenPath(dir_okay=False),
        metavar="FILE",
        help="The file with the server's bearer token. Default: $UNITY_CLI_TOKEN, if it is set.",
    )
    return file(in_sight(command))


def token_given(
    context: click.Context, token: str | None, token_file: Path | None, *, make: bool = False
) -> str | None:
    """The token to use, if there is one; a wrong one ends the command.

    ``make``: a file that doesn't exist is made, with a new token.
    """
    from mcp_server.host import config  # noqa: PLC0415 - not for help pages

    if token is not None:
        fail(context, config.config_error(config.TOKEN_IN_SIGHT))
    given = config.token_of(token_file, make=make)
    if isinstance(given, ToolError):
        fail(context, given)
    return given
