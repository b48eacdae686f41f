"""What the values of options and arguments can be, beyond what click's own types refuse.

Implements docs/design/command-line.md "Global options": a value that a shell made of a variable
that isn't set, or a number that isn't one, is refused instead of being taken for something.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

MAX_SECONDS = 86_400
"""Longest time that can be asked for, in seconds: a day."""


class GivenPath(click.Path):
    """A path that is given as :class:`~pathlib.Path`. The empty text is none: pathlib would take it
    for the working folder."""

    def __init__(
        self, *, file_okay: bool = True, dir_okay: bool = True, file_meant: bool = False
    ) -> None:
        """``file_meant``: a folder would be refused by the command, in its own words."""
        self._may_be_folder = dir_okay and not file_meant
        super().__init__(path_type=Path, readable=False, file_okay=file_okay, dir_okay=dir_okay)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Raises ``click.BadParameter`` for an empty text."""
        if value == "":
            todo = (
                "For the working folder, write a dot: ." if self._may_be_folder else "Name a file."
            )
            self.fail(f"it is empty (a variable that isn't set?). {todo}", param, ctx)
        return super().convert(value, param, ctx)


class WholeNumber(click.IntRange):
    """A whole number between two others."""

    name = "whole number"


class Seconds(click.FloatRange):
    """A time in seconds, more than none and at most ``most``."""

    name = "number of seconds, as 30 or 2.5"

    def __init__(self, most: float = MAX_SECONDS) -> None:
        super().__init__(min=0, min_open=True, max=most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises ``click.BadParameter`` for what is none, or not in the range."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number of seconds, as 30 or 2.5.", param, ctx)
        return number
