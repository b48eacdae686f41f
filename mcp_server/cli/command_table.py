"""The table of commands, the group that loads a command when it runs, and usage advice.

Implements docs/design/command-line.md "Global options" and "Output": printing the overview loads no
command. The advice has only click's suggestions that begin with the typed word, or differ by one
or two typing errors.
"""

from __future__ import annotations

import os
import re
from collections import UserDict
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click


class LazyCommand(NamedTuple):
    """A command, loaded when it runs: its module and name below ``commands``, and its summary."""

    module: str
    attribute: str
    short_help: str

    def load(self) -> click.Command:
        """Import and return the command."""
        command = getattr(import_module(f"mcp_server.cli.commands.{self.module}"), self.attribute)
        assert isinstance(command, click.Command)
        return command


def _section(**commands: tuple[str, str]) -> Mapping[str, LazyCommand]:
    return {
        name: LazyCommand(module, f"{name}_command", short_help)
        for name, (module, short_help) in commands.items()
    }


SECTIONS: Mapping[str, Mapping[str, LazyCommand]] = {
    "Scripts": _section(
        symbols=("script_commands", "List a script's types and members."),
        edit=("script_commands", "Replace a piece of text: a preview, or --apply."),
        references=("script_commands", "Find where a symbol is used, assets too."),
        rename=("script_commands", "Rename a symbol everywhere: a preview, or --apply."),
        check=("check_command", "Does the project compile? Needs no Unity."),
        history=("history_commands", "List the changes that can be undone."),
        undo=("history_commands", "Take back a change of the scripts."),
    ),
    "Tools, as agents call them": _section(
        tool=("tool_commands", "List the tools, show what they take, and call them."),
        batch=("batch_command", "Run many tool calls in order."),
    ),
    "Edits kept as files": _section(
        lint=("check_command", "Check edit bundles: the CI gate."),
        apply=("apply_command", "Apply edit bundles, each whole."),
        bundle=("bundle_commands", "Make bundles of past changes."),
    ),
    "Agents and the Unity Editor": _section(
        client=("client_commands", "Configure MCP clients."),
        serve=("serve_command", "Serve the tools over MCP."),
        open=("server_commands", "Show what agents do, in a browser."),
        status=("server_commands", "Show the project's server."),
        stop=("server_commands", "End the project's server."),
        mcp=("serve_command", "Speak MCP on stdin and stdout."),
        hook=("server_commands", "Check an edit, when an agent's hook asks."),
        plugin=("plugin_command", "Install the Unity package into a project."),
    ),
    "This installation": _section(
        doctor=("installation_commands", "Check what works here, and why not."),
        roslyn=("installation_commands", "Install a Roslyn where Unity has none."),
        contracts=("installation_commands", "JSON Schemas of every tool, and the error codes."),
    ),
}
"""The commands by name, in the sections of the overview."""

COMMANDS: Mapping[str, LazyCommand] = {
    name: command for section in SECTIONS.values() for name, command in section.items()
}
"""Every command by its name."""


class _Loading(UserDict[str, Any]):
    """A mapping of command names that loads each command when click asks for it."""

    def __getitem__(self, name: str) -> click.Command:
        command: click.Command = self.data[name].load()
        return command


class LazyGroup(click.Group):
    """The click group of the commands in the table."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(commands=_Loading(COMMANDS), **attributes)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. On Ctrl-C click itself would print an empty line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise click.Abort from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections of commands, without loading them, and the options."""
        widest = max(map(len, COMMANDS))
        for section, commands in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl(
                    [(f"{name:<{widest}}", each.short_help) for name, each in commands.items()]
                )
        click.Command.format_options(self, ctx, formatter)


_LEAST_PREFIX = 3
"""The fewest letters that count as the beginning of a command's name."""

_LEAST_LIKENESS = 0.74
"""The least similarity of a misspelling to a name."""

_OTHER_WORDS = {
    "help": ("--help",),
    "version": ("--version",),
    "start": ("serve",),
    "revert": ("undo",),
    "install": ("client install", "plugin install", "roslyn install"),
    "uninstall": ("client uninstall", "plugin uninstall"),
    "list": ("tool list",),
    "outline": ("symbols",),
    "replace": ("edit",),
    "validate": ("check",),
    "test": ("tool call run_tests",),
}
"""What to type instead of commands that other programs have."""

_OTHER_OPTIONS = {
    "--json": "For results as JSON: --output json.",
    "--port": "Only serve and mcp have it; elsewhere name a server by --url "
    "http://127.0.0.1:PORT/mcp.",
}
"""What to type instead of an option that only other commands have."""

_REFUSED = {"--token": "--token-file"}
"""Options that exist only to be refused, each with its replacement."""

_EXTRA = re.compile(r"unexpected extra argument \((.+)\)")


def usage_message(error: click.ClickException) -> str:
    """Return what is wrong with the command line, and what was probably meant."""
    if isinstance(error, click.exceptions.NoSuchCommand):
        hint = _command(error) or _one_of(near(error.command_name, error.possibilities))
        return error.message + hint
    if isinstance(error, click.NoSuchOption):
        other = _OTHER_OPTIONS.get(error.option_name)
        if other is not None:
            return f"{error.message.rstrip('.')}. {other}"
        options = near(error.option_name, error.possibilities)
        return error.message + _one_of(list(dict.fromkeys(_REFUSED.get(x, x) for x in options)))
    said = error.format_message()
    extra = _EXTRA.search(said)
    if extra is not None and os.path.isdir(extra[1]):
        return f"{said}. Name a project with --project PATH."
    return said if said.endswith((".", "?")) else said + "."


def near(typed: str, names: list[str] | None) -> list[str]:
    """Return those of click's suggestions that differ little from ``typed``, or begin with it."""
    return [each for each in names or () if _is_near(_plain(typed), _plain(each))]


def _plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def _is_near(typed: str, name: str) -> bool:
    if len(typed) >= _LEAST_PREFIX and name.startswith(typed):
        return True
    from difflib import SequenceMatcher  # noqa: PLC0415 - only after a mistake

    return SequenceMatcher(None, typed, name).ratio() >= _LEAST_LIKENESS


def _command(error: click.exceptions.NoSuchCommand) -> str:
    """Return our command for another program's word, unless the word misspells one of ours."""
    if error.ctx is None:
        return ""
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415 - only after a mistake

    group = None if error.ctx.parent is None else error.ctx.info_name
    if error.command_name in CATALOG and group in (None, "tool"):
        return f" It is a tool: unity-cli tool call {error.command_name}."
    if group is not None:
        return ""
    return _one_of([f"unity-cli {each}" for each in _OTHER_WORDS.get(error.command_name, ())])


def _one_of(names: list[str]) -> str:
    return f" Did you mean {' or '.join(map(repr, names))}?" if names else ""
