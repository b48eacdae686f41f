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
    from rich.progress import Progress, TaskID


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
    description: str, *, total: float | None = None, quiet: bool = False
) -> Iterator[Bar]:
    """A bar for as long as the block runs; ``total`` is ``None`` where it isn't known."""
    if quiet or not sys.stderr.isatty():
        yield Bar()
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield Bar(progress, progress.add_task(description, total=total))
