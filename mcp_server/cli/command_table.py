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


COMMANDS: Mapping[str, LazyCommand] = {
    "apply": LazyCommand("apply_command", "apply_command", "Apply edit bundles, each whole."),
    "batch": LazyCommand("batch_command", "batch_command", "Run many tool calls in order."),
    "bundle": LazyCommand("bundle_commands", "bundle_group", "Make bundles of what was done."),
    "check": LazyCommand("check_command", "check_command", "Does the project compile? No Unity."),
    "client": LazyCommand("client_commands", "client_group", "Configure MCP clients."),
    "contracts": LazyCommand(
        "contracts_commands", "contracts", "JSON Schemas of every tool, and the error codes."
    ),
    "doctor": LazyCommand("doctor_command", "doctor_command", "Say what works here, and why not."),
    "history": LazyCommand(
        "history_commands", "history_command", "What was done to the scripts, newest first."
    ),
    "mcp": LazyCommand("mcp_command", "mcp_command", "Speak MCP on stdin and stdout."),
    "lint": LazyCommand("lint_command", "lint_command", "Check edit bundles: the CI gate."),
    "plugin": LazyCommand("plugin_command", "plugin", "Install the Unity package into a project."),
    "roslyn": LazyCommand("roslyn_command", "roslyn", "Install a Roslyn where Unity has none."),
    "serve": LazyCommand("serve_command", "serve_command", "Serve the tools over MCP."),
    "status": LazyCommand("server_commands", "status_command", "Which server runs here."),
    "stop": LazyCommand("server_commands", "stop_command", "End the server that runs here."),
    "tool": LazyCommand(
        "tool_commands", "tool", "List the tools, show what they take, and call them."
    ),
    "undo": LazyCommand("history_commands", "undo_command", "Take back a change of the scripts."),
}
"""Every command by its name, and what the overview says of it."""


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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the overview's list, without loading what it lists. Called by click."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, COMMANDS[name].short_help) for name in self.list_commands(ctx)]
            )
