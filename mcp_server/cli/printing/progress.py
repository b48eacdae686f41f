"""A progress bar on a terminal, and silence where there is none.

Implements docs/design/command-line.md "Output": progress is shown on stderr, never with
``--quiet``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID


class Bar:
    """A bar that is shown, or isn't: ``progress`` is ``None`` where there is no terminal."""

    def __init__(self, progress: Progress | None = None, task: TaskID | None = None) -> None:
        self._progress = progress
        self._task = task

    def move(
        self,
        *,
        description: str | None = None,
        total: float | None = None,
        completed: float | None = None,
        advance: float | None = None,
    ) -> None:
        """Show what has changed; ``None`` leaves a part of it as it is."""
        if self._progress is not None and self._task is not None:
            self._progress.update(
                self._task,
                description=description,
                total=total,
                completed=completed,
                advance=advance,
            )


@contextmanager
def progress_bar(
    description: str, *, total: float | None = None, quiet: bool = False, counts: bool = True
) -> Iterator[Bar]:
    """A bar for as long as the block runs; ``total`` is ``None`` where it isn't known.

    ``counts``: of what is counted, how much is done; else which share, as of bytes.
    """
    if quiet or not sys.stderr.isatty():
        yield Bar()
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import
    from rich.progress import Progress  # noqa: PLC0415

    console = Console(stderr=True)
    columns = columns_for(console.width, counts=counts)
    with Progress(*columns, console=console, transient=True) as progress:
        yield Bar(progress, progress.add_task(description, total=total))


_LEAST_FOR_BAR = 60
"""On a narrower terminal what is done, and for how long, is told without a bar."""

_WIDEST_COUNT = 12
_WIDEST_BAR = 40
_TIME = 8
"""Columns of the terminal, each with the blank before it."""


def columns_for(width: int, *, counts: bool) -> list[ProgressColumn]:
    """What fits beside each other on a terminal of ``width``: the description gives way, as rich
    would cut all of them alike."""
    from rich.progress import (  # noqa: PLC0415 - slow to import
        BarColumn,
        MofNCompleteColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column  # noqa: PLC0415

    has_bar = width >= _LEAST_FOR_BAR
    bar = min(_WIDEST_BAR, width // 4)
    rest = _WIDEST_COUNT + _TIME + (bar + 1 + _TIME if has_bar else 0)
    column = Column(no_wrap=True, overflow="ellipsis", max_width=max(1, width - rest))
    return [
        TextColumn("{task.description}", markup=False, table_column=column),
        *([BarColumn(bar_width=bar)] if has_bar else []),
        MofNCompleteColumn() if counts else TaskProgressColumn(),
        TimeElapsedColumn(),
        *([TimeRemainingColumn()] if has_bar else []),
    ]
