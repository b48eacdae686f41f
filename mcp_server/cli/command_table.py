"""The commands of ``unity-cli``, one line each, and the group that loads them when they are run.

Implements docs/design/command-line.md "Global options": a help page must not wait for what the
commands import. The table holds what the overview shows, so printing it loads none of them.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click


class LazyCommand(NamedTuple):
    """Where a command is (module of ``commands``, name in it), and its line in the overview."""

    module: str
    attribute: str
    short_help: str

    def load(self) -> click.Command:
        """The command itself."""
        command = getattr(import_module(f"mcp_server.cli.commands.{self.module}"), self.attribute)
        assert isinstance(command, click.Command)
        return command


SECTIONS: Mapping[str, Mapping[str, LazyCommand]] = {
    "Scripts": {
        "symbols": LazyCommand("script_commands", "symbols_command", "What is in a script."),
        "edit": LazyCommand(
            "script_commands", "edit_command", "Replace a piece of text: a preview, or --apply."
        ),
        "check": LazyCommand(
            "check_command", "check_command", "Does the project compile? No Unity."
        ),
        "history": LazyCommand(
            "history_commands", "history_command", "What was done to the scripts, newest first."
        ),
        "undo": LazyCommand(
            "history_commands", "undo_command", "Take back a change of the scripts."
        ),
    },
    "Tools, as agents call them": {
        "tool": LazyCommand(
            "tool_commands", "tool", "List the tools, show what they take, and call them."
        ),
        "batch": LazyCommand("batch_command", "batch_command", "Run many tool calls in order."),
    },
    "Edits kept as files": {
        "lint": LazyCommand("lint_command", "lint_command", "Check edit bundles: the CI gate."),
        "apply": LazyCommand("apply_command", "apply_command", "Apply edit bundles, each whole."),
        "bundle": LazyCommand("bundle_commands", "bundle_group", "Make bundles of what was done."),
    },
    "Agents and the Unity Editor": {
        "client": LazyCommand("client_commands", "client_group", "Configure MCP clients."),
        "serve": LazyCommand("serve_command", "serve_command", "Serve the tools over MCP."),
        "status": LazyCommand("server_commands", "status_command", "Which server runs here."),
        "stop": LazyCommand("server_commands", "stop_command", "End the server that runs here."),
        "mcp": LazyCommand("mcp_command", "mcp_command", "Speak MCP on stdin and stdout."),
        "plugin": LazyCommand(
            "plugin_command", "plugin", "Install the Unity package into a project."
        ),
    },
    "This installation": {
        "doctor": LazyCommand(
            "doctor_command", "doctor_command", "Say what works here, and why not."
        ),
        "roslyn": LazyCommand("roslyn_command", "roslyn", "Install a Roslyn where Unity has none."),
        "contracts": LazyCommand(
            "contracts_commands", "contracts", "JSON Schemas of every tool, and the error codes."
        ),
    },
}
"""The commands by name, in the overview's sections, and what it says of each."""

COMMANDS: Mapping[str, LazyCommand] = {
    name: command for section in SECTIONS.values() for name, command in section.items()
}
"""Every command by its name."""


class _Loading(UserDict[str, Any]):
    """The table as click wants it: commands by name, each loaded when it is asked for."""

    def __getitem__(self, name: str) -> click.Command:
        command: click.Command = self.data[name].load()
        return command


class LazyGroup(click.Group):
    """A group of the table's commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(commands=_Loading(COMMANDS), **attributes)

    def invoke(self, ctx: click.Context) -> Any:
        """Called by click, which would answer Ctrl-C with an empty line of its own."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise click.Abort from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their sections, loading none, and then the options. Called by
        click."""
        widest = max(map(len, COMMANDS))
        for section, commands in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl(
                    [(f"{name:<{widest}}", each.short_help) for name, each in commands.items()]
                )
        click.Command.format_options(self, ctx, formatter)
