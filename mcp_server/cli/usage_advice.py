"""What a wrong command line was meant to be, where that can be told.

Part of docs/design/command-line.md "Output". Of the parser's own guesses those are taken that are
a slip or two away from what was typed, or that it begins.
"""

from __future__ import annotations

import os
import re

import click

_LEAST_BEGINNING = 3
"""From how many letters on the beginning of a name stands for it."""

_SHORT = 4
"""Up to how many letters a name is another one with two of them changed."""

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
    "--port": "serve and mcp have it; elsewhere a server is named by --url http://127.0.0.1:PORT/mcp.",
}
"""Options that some commands have, and what does the same in the others."""

_EXTRA = re.compile(r"unexpected extra argument \((.+)\)")

_REFUSED = {"--token": "--token-file"}
"""Options that are there to be refused, and what is asked for instead."""


def usage_message(error: click.ClickException) -> str:
    """What is wrong with the command line, and what may be meant; without a page to look at."""
    if isinstance(error, click.exceptions.NoSuchCommand):
        meant = _command(error) or _one_of(near(error.command_name, error.possibilities))
        return error.message + meant
    if isinstance(error, click.NoSuchOption):
        other = _OTHER_OPTIONS.get(error.option_name)
        if other is not None:
            return f"{error.message.rstrip('.')}. {other}"
        options = near(error.option_name, error.possibilities)
        wanted = dict.fromkeys(_REFUSED.get(each, each) for each in options)
        return error.message + _one_of(list(wanted))
    said = error.format_message()
    extra = _EXTRA.search(said)
    if extra is not None and os.path.isdir(extra[1]):
        return f"{said}. Name a project with --project PATH."
    return said if said.endswith((".", "?")) else said + "."


def near(typed: str, names: list[str] | None) -> list[str]:
    """Those of the parser's guesses that are a misspelling apart from what was typed, if any."""
    return [each for each in names or () if _is_meant(_plain(typed), _plain(each))]


def _plain(name: str) -> str:
    """A name without the dashes, which every option has, and many write elsewhere."""
    return name.replace("-", "").replace("_", "").lower()


def _is_meant(typed: str, name: str) -> bool:
    if len(typed) >= _LEAST_BEGINNING and name.startswith(typed):
        return True
    return _slips(typed, name) <= (1 if len(name) <= _SHORT else 2)


def _slips(typed: str, name: str) -> int:
    """How many letters are missing, too many, others, or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(name) + 1))
    for at, letter in enumerate(typed, 1):
        above, row, past = row, [at], before
        for column, other in enumerate(name, 1):
            least = min(above[column], row[-1], above[column - 1] - (letter == other)) + 1
            swapped = at > 1 and column > 1 and typed[at - 2 : at] == other + name[column - 2]
            row.append(min(least, past[column - 2] + 1) if swapped else least)
        before = above
    return row[-1]


def _command(error: click.exceptions.NoSuchCommand) -> str:
    """The command that does what the word says, if it isn't just misspelt."""
    if error.ctx is None:
        return ""
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415 - only where it goes wrong

    of_group = None if error.ctx.parent is None else error.ctx.info_name
    if error.command_name in CATALOG and of_group in (None, "tool"):
        return f" It is a tool: unity-cli tool call {error.command_name}."
    if of_group is not None:
        return ""
    return _one_of([f"unity-cli {each}" for each in _OTHER_WORDS.get(error.command_name, ())])


def _one_of(names: list[str]) -> str:
    return f" Did you mean {' or '.join(map(repr, names))}?" if names else ""
