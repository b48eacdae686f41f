"""How click's help pages look: as wide as the terminal, coloured where it shows colours."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from mcp_server.cli.printing.output import shows_colour

ANY_WIDTH = 10_000
"""Wider than any terminal; click's own limit is 80 columns."""


class HelpFormatter(click.HelpFormatter):
    """Click's formatter, with coloured headings, options and commands."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage line."""
        super().write_usage(prog, args, prefix or f"{_styled('Usage:', bold=True)} ")

    def write_heading(self, heading: str) -> None:
        """Write a section's heading."""
        super().write_heading(_styled(heading, bold=True))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write a list of options or commands."""
        coloured = [(_styled(name, fg="cyan"), text) for name, text in rows]
        super().write_dl(coloured, col_max, col_spacing)


def _styled(text: str, *, fg: str | None = None, bold: bool | None = None) -> str:
    return click.style(text, fg=fg, bold=bold) if shows_colour(sys.stdout) else text


click.Context.formatter_class = HelpFormatter


def print_page(page: str) -> None:
    """Print a help page on stderr, after a wrong command line."""
    click.echo(page, err=True)
