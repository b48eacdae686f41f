"""What a wrong command line was meant to be, where that can be told.

Part of docs/design/command-line.md "Output". The parser's own guesses are taken only where the
names are alike without the dashes, which every option has.
"""

from __future__ import annotations

from difflib import SequenceMatcher

import click

_ALIKE = 0.65
"""How alike a name has to be to what was typed, from 0 to 1."""

_OTHER_WORDS = {
    "help": "unity-cli --help",
    "version": "unity-cli --version",
    "start": "unity-cli serve",
    "revert": "unity-cli undo",
}
"""Commands of other programs, and what does the same here."""


def usage_message(error: click.ClickException) -> str:
    """What is wrong with the command line, and what may be meant; without a page to look at."""
    if isinstance(error, click.exceptions.NoSuchCommand):
        meant = _command(error) or _one_of(near(error.command_name, error.possibilities))
        return error.message + meant
    if isinstance(error, click.NoSuchOption):
        return error.message + _one_of(near(error.option_name, error.possibilities))
    said = error.format_message()
    return said if said.endswith((".", "?")) else said + "."


def near(typed: str, names: list[str] | None) -> list[str]:
    """Those of the parser's guesses that are a misspelling apart from what was typed."""
    return [each for each in names or () if _likeness(typed, each) >= _ALIKE]


def _likeness(typed: str, name: str) -> float:
    return SequenceMatcher(None, typed.lstrip("-").lower(), name.lstrip("-").lower()).ratio()


def _command(error: click.exceptions.NoSuchCommand) -> str:
    """The command that does what the word says, if it isn't just misspelt."""
    if error.ctx is None or error.ctx.parent is not None:
        return ""
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415 - only where it goes wrong

    if error.command_name in CATALOG:
        return f" It is a tool: unity-cli tool call {error.command_name}."
    words = _OTHER_WORDS.get(error.command_name)
    return "" if words is None else f" Did you mean '{words}'?"


def _one_of(names: list[str]) -> str:
    return f" Did you mean {' or '.join(map(repr, names))}?" if names else ""
