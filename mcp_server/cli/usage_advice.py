"""Suggest what a wrong command line probably meant.

Part of docs/design/command-line.md "Output". Shows only those of click's suggestions that differ
from the typed word by one or two typing errors, or begin with it.
"""

from __future__ import annotations

import os
import re
from difflib import SequenceMatcher

import click

_LEAST_PREFIX = 3
"""Fewest letters of a name's beginning that count as the name."""

_LEAST_LIKENESS = 0.74
"""Smallest similarity ratio of a misspelling."""

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
"""Commands of other programs, and what does the same here."""

_OTHER_OPTIONS = {
    "--json": "For results as JSON: --output json.",
    "--port": "Only serve and mcp have it; elsewhere name a server by --url "
    "http://127.0.0.1:PORT/mcp.",
}
"""Options that some commands have, and what does the same in the others."""

_REFUSED = {"--token": "--token-file"}
"""Options that exist only to be refused, and what replaces them."""

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
    """Return those of click's suggestions that ``typed`` misspells or begins."""
    return [each for each in names or () if _is_near(_plain(typed), _plain(each))]


def _plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def _is_near(typed: str, name: str) -> bool:
    if len(typed) >= _LEAST_PREFIX and name.startswith(typed):
        return True
    return SequenceMatcher(None, typed, name).ratio() >= _LEAST_LIKENESS


def _command(error: click.exceptions.NoSuchCommand) -> str:
    """Return the command that does what the word says, if that is not a misspelling."""
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
