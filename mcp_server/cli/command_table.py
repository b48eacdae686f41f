"""The commands of ``unity-cli``, one line each, and the group that loads them when they are run.

Implements docs/design/command-line.md "Global options": printing the overview loads no command.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click


class LazyCommand(NamedTuple):
    """A command's module below ``commands``, its name there, and its line in the overview."""

    module: str
    attribute: str
    short_help: str

    def load(self) -> click.Command:
        """Import and return the command."""
        command = getattr(import_module(f"mcp_server.cli.commands.{self.module}"), self.attribute)
        assert isinstance(command, click.Command)
        return command


SECTIONS: Mapping[str, Mapping[str, LazyCommand]] = {
    "Scripts": {
        "symbols": LazyCommand(
            "scripts.script_commands", "symbols_command", "List a script's types and members."
        ),
        "edit": LazyCommand(
            "scripts.script_commands",
            "edit_command",
            "Replace a piece of text: a preview, or --apply.",
        ),
        "references": LazyCommand(
            "scripts.script_commands",
            "references_command",
            "Find where a symbol is used, assets too.",
        ),
        "rename": LazyCommand(
            "scripts.script_commands",
            "rename_command",
            "Rename a symbol everywhere: a preview, or --apply.",
        ),
        "check": LazyCommand(
            "scripts.check_command", "check_command", "Does the project compile? Needs no Unity."
        ),
        "history": LazyCommand(
            "scripts.history_commands", "history_command", "List the changes that can be undone."
        ),
        "undo": LazyCommand(
            "scripts.history_commands", "undo_command", "Take back a change of the scripts."
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
        "bundle": LazyCommand("bundle_commands", "bundle_group", "Make bundles of past changes."),
    },
    "Agents and the Unity Editor": {
        "client": LazyCommand("client_commands", "client_group", "Configure MCP clients."),
        "serve": LazyCommand("serve_command", "serve_command", "Serve the tools over MCP."),
        "open": LazyCommand("open_command", "open_command", "Show what agents do, in a browser."),
        "status": LazyCommand("server_commands", "status_command", "Show the project's server."),
        "stop": LazyCommand("server_commands", "stop_command", "End the project's server."),
        "mcp": LazyCommand("mcp_command", "mcp_command", "Speak MCP on stdin and stdout."),
        "hook": LazyCommand(
            "hook_command", "hook_command", "Check an edit, when an agent's hook asks."
        ),
        "plugin": LazyCommand(
            "plugin_command", "plugin", "Install the Unity package into a project."
        ),
    },
    "This installation": {
        "doctor": LazyCommand(
            "doctor_command", "doctor_command", "Check what works here, and why not."
        ),
        "roslyn": LazyCommand("roslyn_command", "roslyn", "Install a Roslyn where Unity has none."),
        "contracts": LazyCommand(
            "contracts_commands", "contracts", "JSON Schemas of every tool, and the error codes."
        ),
    },
}
"""The commands by name, in the overview's sections."""

COMMANDS: Mapping[str, LazyCommand] = {
    name: command for section in SECTIONS.values() for name, command in section.items()
}
"""Every command by its name."""


class _Loading(UserDict[str, Any]):
    """Commands by name, each loaded when click asks for it."""

    def __getitem__(self, name: str) -> click.Command:
        command: click.Command = self.data[name].load()
        return command


class LazyGroup(click.Group):
    """A group of the table's commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(commands=_Loading(COMMANDS), **attributes)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; on Ctrl-C click itself would print an empty line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise click.Abort from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their sections, without loading them, then the options."""
        widest = max(map(len, COMMANDS))
        for section, commands in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl(
                    [(f"{name:<{widest}}", each.short_help) for name, each in commands.items()]
                )
        click.Command.format_options(self, ctx, formatter)
