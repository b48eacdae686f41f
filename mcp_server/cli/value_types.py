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

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True) -> None:
        super().__init__(path_type=Path, readable=False, file_okay=file_okay, dir_okay=dir_okay)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Raises ``click.BadParameter`` for an empty text."""
        if value == "":
            why = "it is empty (a variable that isn't set?). For the working folder, write a dot"
            self.fail(f"{why}: .", param, ctx)
        return super().convert(value, param, ctx)


class Seconds(click.FloatRange):
    """A time in seconds, more than none and at most :data:`MAX_SECONDS`."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True, max=MAX_SECONDS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises ``click.BadParameter`` for what is none, or not in the range."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number of seconds, as 30 or 2.5.", param, ctx)
        return number
