"""The options that every command takes, before or after its name, and their types.

Implements docs/design/command-line.md "Global options". The last place wins where an option is
given twice.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from mcp_server.calls.project import find_project
from mcp_server.contract.errors import ToolError

DEFAULT_URL = "http://127.0.0.1:48091/mcp"

MAX_SECONDS = 86_400
"""Longest time that can be given, in seconds: a day."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


class GivenPath(click.Path):
    """The type of a path argument. Refuses the empty text.

    A shell makes the empty text of an unset variable, and pathlib takes it for the working folder.
    """

    def __init__(
        self, *, file_okay: bool = True, dir_okay: bool = True, names_file: bool = False
    ) -> None:
        """With ``names_file``, messages ask for a file; the command itself refuses a folder."""
        self._may_be_folder = dir_okay and not names_file
        super().__init__(path_type=Path, readable=False, file_okay=file_okay, dir_okay=dir_okay)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Raises ``click.BadParameter`` for an empty text."""
        if value == "":
            hint = (
                "For the working folder, write a dot: ." if self._may_be_folder else "Name a file."
            )
            self.fail(f"it is empty (a variable that isn't set?). {hint}", param, ctx)
        return super().convert(value, param, ctx)


class WholeNumber(click.IntRange):
    """The type of a whole number within bounds."""

    name = "whole number"


class Seconds(click.FloatRange):
    """The type of a time in seconds: positive, and at most ``most``."""

    name = "number of seconds, such as 30 or 2.5"

    def __init__(self, most: float = MAX_SECONDS) -> None:
        super().__init__(min=0, min_open=True, max=most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number. Raises ``click.BadParameter`` if it is invalid or out of range."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number of seconds, such as 30 or 2.5.", param, ctx)
        return number


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """The global options of one command, as given."""

    dry_run: bool = False
    output: str = "text"
    project: Path | None = None
    given_url: str | None = None
    """The ``--url`` that was given; ``None`` for the default of :attr:`url`."""
    timeout_s: float | None = None
    """``None`` for the default of the tool."""
    quiet: bool = False
    verbose: bool = False
    lsp: str | None = None
    """``None`` for the default of the command."""

    @classmethod
    def of(cls, context: click.Context) -> GlobalOptions:
        """Return the options of the running command."""
        return cls(**context.find_root().ensure_object(dict))

    @property
    def as_json(self) -> bool:
        """Whether stdout gets exactly one JSON document, and nothing else."""
        return self.output == "json"

    @property
    def found_project(self) -> Path | None:
        """The named project, or else the nearest one upward from the working folder."""
        return self.project or find_project(Path.cwd())

    @property
    def named_url(self) -> str | ToolError | None:
        """The server's address in an option or the environment; ``None`` without one."""
        named = os.environ.get("UNITY_CLI_URL") or os.environ.get("UNITY_CLI_PORT")
        return self.url if self.given_url is not None or named else None

    @property
    def url_name(self) -> str:
        """The name of the source of :attr:`url`, for messages."""
        if self.given_url is not None:
            return "--url"
        named = (each for each in ("UNITY_CLI_URL", "UNITY_CLI_PORT") if os.environ.get(each))
        return next(named, "The server's address")

    @property
    def url(self) -> str | ToolError:
        """The server's address as given, or the default, for :func:`.read_url`.

        Error: ``ERR_CONFIG_VALIDATION`` for a ``UNITY_CLI_PORT`` that isn't a port.
        """
        if self.given_url is not None:
            return self.given_url
        url, port = os.environ.get("UNITY_CLI_URL"), os.environ.get("UNITY_CLI_PORT")
        if url or not port:
            return url or DEFAULT_URL
        from mcp_server.host.config import parse_port  # noqa: PLC0415 - not for help pages

        number = parse_port(port, "UNITY_CLI_PORT")
        return f"http://127.0.0.1:{number}/mcp" if isinstance(number, int) else number


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
        "help": "Timeout in seconds, at most the tool's maximum.",
    },
    "lsp": {
        "metavar": "auto|off|COMMAND",
        "help": "The C# language server that judges edits. Default: auto for serve and mcp, off "
        'for other commands (auto where a request says "validation": "lsp"), or $UNITY_CLI_LSP.',
    },
    "quiet": {"is_flag": True, "help": "Print results and errors only."},
    "verbose": {"names": ["-v"], "is_flag": True, "help": "Print the files' hashes, too."},
}
"""The arguments for click of each global option, by its name."""


def global_options(command: _Command) -> _Command:
    """Give ``command`` the global options. Its help page shows all of them."""
    return _with_options(command, shown=tuple(_OPTIONS), own={})


def global_options_shown(*shown: str, **own: Mapping[str, Any]) -> Callable[[_Command], _Command]:
    """Give a command the global options. Its help page shows only those that affect it.

    The others are accepted too, so that a script may pass ``--output json`` to any command. ``own``
    replaces arguments for click where an option means something else here.
    """
    unknown = {*shown, *own} - set(_OPTIONS)
    assert not unknown, unknown
    return lambda command: _with_options(command, shown=shown, own=own)


def _with_options(
    command: _Command, *, shown: Collection[str], own: Mapping[str, Mapping[str, Any]]
) -> _Command:
    for name, usual in reversed(list(_OPTIONS.items())):
        attributes = {**usual, **own.get(name, {})}
        option = click.option(
            f"--{name}",
            *attributes.pop("names", ()),
            expose_value=False,
            callback=_remember,
            hidden=name not in (*shown, *own),
            **attributes,
        )
        command = option(command)
    return command
