"""The options that every command takes, before or after its name.

Implements docs/design/command-line.md "Global options". The last place wins where an option is
given twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mcp_server.cli.value_types import GivenPath, Seconds

if TYPE_CHECKING:
    from mcp_server.contract.errors import ToolError

DEFAULT_URL = "http://127.0.0.1:48091/mcp"

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _usual_url() -> str | ToolError:
    """Where ``serve`` listens in this environment, as far as that says something.

    Error: ``ERR_CONFIG_VALIDATION`` for a ``UNITY_CLI_PORT`` that is none.
    """
    url, port = os.environ.get("UNITY_CLI_URL"), os.environ.get("UNITY_CLI_PORT")
    if url or not port:
        return url or DEFAULT_URL
    from mcp_server.host.config import parse_port  # noqa: PLC0415 - not for help pages

    number = parse_port(port, "UNITY_CLI_PORT")
    return f"http://127.0.0.1:{number}/mcp" if isinstance(number, int) else number


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
    verbose: bool = False
    lsp: str | None = None

    @property
    def as_json(self) -> bool:
        """Whether stdout gets exactly one JSON document."""
        return self.output == "json"

    @property
    def named_url(self) -> str | ToolError | None:
        """The server's address as an option or the environment names it; ``None``: none does.

        Error: what the environment names is none.
        """
        named = os.environ.get("UNITY_CLI_URL") or os.environ.get("UNITY_CLI_PORT")
        return self.url if self.given_url is not None or named else None

    @property
    def url_name(self) -> str:
        """What messages call what :attr:`url` comes from."""
        if self.given_url is not None:
            return "--url"
        named = (each for each in ("UNITY_CLI_URL", "UNITY_CLI_PORT") if os.environ.get(each))
        return next(named, "The server's address")

    @property
    def url(self) -> str | ToolError:
        """The server's address as it was given; :func:`.read_url` says what is meant. Error: as for
        :attr:`named_url`."""
        return _usual_url() if self.given_url is None else self.given_url

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


_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "dry-run": {"is_flag": True, "help": "Show what would change; change nothing."},
    "output": {
        "type": click.Choice(["text", "json"]),
        "default": "text",
        "help": "json: exactly one JSON document on stdout.",
    },
    "project": {
        "type": GivenPath(),
        "metavar": "PATH",
        "help": "The Unity project. Default: the nearest one upward from the working folder.",
    },
    "url": {
        "names": ["given_url"],
        "metavar": "URL",
        "help": "The server's address. Default: $UNITY_CLI_URL, or the project's own server.",
    },
    "timeout": {
        "names": ["timeout_s"],
        "type": Seconds(),
        "metavar": "S",
        "help": "Seconds that a call may take, as far as its tool may.",
    },
    "lsp": {
        "metavar": "auto|off|COMMAND",
        "help": "The C# language server that judges edits. Default: auto for serve and mcp, off "
        'for other commands (auto where a request says "validation": "lsp"), or $UNITY_CLI_LSP.',
    },
    "quiet": {"is_flag": True, "help": "Print results and errors only."},
    "verbose": {"names": ["-v"], "is_flag": True, "help": "Print the files' hashes, too."},
}
"""Each global option by its name, and what click is told of it."""


def global_options(command: _Command) -> _Command:
    """Give ``command`` the global options, and show all of them on its help page."""
    return _given(command, shown=tuple(_OPTIONS), own={})


def global_options_shown(*shown: str, **own: Mapping[str, Any]) -> Callable[[_Command], _Command]:
    """Give a command the global options; its help page shows those that mean something to it.

    The others are taken all the same: who writes ``--output json`` into a script need not know
    where. ``own`` is what click is told of some that mean something else to this command.
    """
    unknown = {*shown, *own} - set(_OPTIONS)
    assert not unknown, unknown
    return lambda command: _given(command, shown=shown, own=own)


def _given(
    command: _Command, *, shown: Collection[str], own: Mapping[str, Mapping[str, Any]]
) -> _Command:
    for name, usual in reversed(list(_OPTIONS.items())):
        attributes = {**usual, **own.get(name, {})}
        option = click.option(
            f"--{name}",
            *attributes.get("names", ()),
            expose_value=False,
            callback=_remember,
            hidden=name not in (*shown, *own),
            **{key: value for key, value in attributes.items() if key != "names"},
        )
        command = option(command)
    return command
