"""The options that every command takes, before or after its name.

Implements docs/design/command-line.md "Global options". The last place wins where an option is
given twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

DEFAULT_URL = "http://127.0.0.1:48091/mcp"

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _usual_url() -> str:
    """Where ``serve`` listens in this environment, as far as that says something."""
    port = os.environ.get("UNITY_CLI_PORT")
    usual = f"http://127.0.0.1:{port}/mcp" if port else DEFAULT_URL
    return os.environ.get("UNITY_CLI_URL") or usual


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """What was asked for. ``timeout_s`` is ``None`` for the tool's own default, ``lsp`` for the
    command's, ``given_url`` for :attr:`url`'s."""

    dry_run: bool = False
    output: str = "text"
    project: Path | None = None
    given_url: str | None = None
    timeout_s: float | None = None
    quiet: bool = False
    lsp: str | None = None

    @property
    def as_json(self) -> bool:
        """Whether stdout gets exactly one JSON document."""
        return self.output == "json"

    @property
    def url(self) -> str:
        """The server's address as it was given; :func:`~mcp_server.calls.server_address.read_url`
        says what is meant."""
        return self.given_url or _usual_url()

    @classmethod
    def of(cls, context: click.Context) -> GlobalOptions:
        """The options of the running command."""
        return cls(**context.find_root().ensure_object(dict))


def _remember(context: click.Context, option: click.Parameter, value: object) -> None:
    assert option.name is not None
    source = context.get_parameter_source(option.name)
    chosen = context.find_root().ensure_object(dict)
    if source is not click.core.ParameterSource.DEFAULT:
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
        "given_url",
        metavar="URL",
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
