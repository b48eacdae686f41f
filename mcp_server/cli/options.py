"""The options that every command takes, before or after its name.

Implements docs/design/command-line.md "Global options". The last place wins where an option is
given twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

DEFAULT_URL = "http://127.0.0.1:48091/mcp"

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _default_url() -> str:
    """Where ``serve`` listens in this environment, whose ``UNITY_CLI_PORT`` it reads too."""
    port = os.environ.get("UNITY_CLI_PORT", "")
    return f"http://127.0.0.1:{port}/mcp" if port.isdecimal() else DEFAULT_URL


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """What was asked for. ``timeout_s`` is ``None`` for the tool's own default, ``lsp`` for the
    command's."""

    dry_run: bool = False
    output: str = "text"
    project: Path | None = None
    url: str = field(default_factory=_default_url)
    timeout_s: float | None = None
    quiet: bool = False
    lsp: str | None = None

    @property
    def as_json(self) -> bool:
        """Whether stdout gets exactly one JSON document."""
        return self.output == "json"

    @classmethod
    def of(cls, context: click.Context) -> GlobalOptions:
        """The options of the running command."""
        return cls(**context.find_root().ensure_object(dict))


def _remember(context: click.Context, option: click.Parameter, value: object) -> None:
    assert option.name is not None
    source = context.get_parameter_source(option.name)
    chosen = context.find_root().ensure_object(dict)
    if source is click.core.ParameterSource.ENVIRONMENT:
        chosen.setdefault(option.name, value)
    elif source is not click.core.ParameterSource.DEFAULT:
        chosen[option.name] = value


def _option(*names: str, **attributes: Any) -> Callable[[_Command], _Command]:
    return click.option(*names, expose_value=False, callback=_remember, **attributes)


_OPTIONS = (
    _option("--dry-run", is_flag=True, help="Show what a call would change; change nothing."),
    _option(
        "--output",
        type=click.Choice(["text", "json"]),
        default="text",
        help="json: exactly one JSON document on stdout.",
    ),
    _option(
        "--project",
        type=click.Path(path_type=Path),
        metavar="PATH",
        help="The Unity project. Default: the nearest one upward from the working folder.",
    ),
    _option(
        "--url",
        metavar="URL",
        envvar="UNITY_CLI_URL",
        help=f"The server's address. Default: $UNITY_CLI_URL, or {DEFAULT_URL}",
    ),
    _option(
        "--timeout",
        "timeout_s",
        type=click.FloatRange(min=0, min_open=True),
        metavar="S",
        help="Seconds that a call may take.",
    ),
    _option(
        "--lsp",
        metavar="auto|off|COMMAND",
        help="The C# language server that judges edits. Default: auto for serve, off for other "
        'commands (auto where a request says "validation": "lsp"), or $UNITY_CLI_LSP.',
    ),
    _option("--quiet", is_flag=True, help="Print results and errors only."),
)


def global_options(command: _Command) -> _Command:
    """Give ``command`` the global options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def token_options(command: _Command) -> _Command:
    """Give ``command`` the options for the server's token; see ``token_given``."""
    in_sight = click.option("--token", hidden=True, help="Refused: every process sees it.")
    file = click.option(
        "--token-file",
        type=click.Path(path_type=Path, dir_okay=False),
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
    from mcp_server.cli.output import fail  # noqa: PLC0415 - not for help pages
    from mcp_server.contract.errors import ToolError  # noqa: PLC0415
    from mcp_server.host import config  # noqa: PLC0415

    if token is not None:
        fail(context, config.config_error(config.TOKEN_IN_SIGHT))
    given = config.token_of(token_file, make=make)
    if isinstance(given, ToolError):
        fail(context, given)
    return given
