"""A progress bar on a terminal; where there is none, a line of what takes long, or silence.

Implements docs/design/command-line.md "Output": progress is shown on stderr, never with
``--quiet``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from threading import Timer
from typing import TYPE_CHECKING

from mcp_server.terminal_text import safe_text

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
                description=None if description is None else safe_text(description),
                total=total,
                completed=completed,
                advance=advance,
            )


@contextmanager
def progress_bar(
    description: str,
    *,
    total: float | None = None,
    quiet: bool = False,
    counts: bool = True,
    patience_s: float | None = None,
) -> Iterator[Bar]:
    """A bar for as long as the block runs; ``total`` is ``None`` where it isn't known.

    ``counts``: of what is counted, how much is done; else which share, as of bytes. ``patience_s``:
    after so many seconds a line says that it goes on where there is no terminal for a bar.
    """
    if quiet or not sys.stderr.isatty():
        with nullcontext() if quiet or patience_s is None else _told(description, patience_s):
            yield Bar()
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import
    from rich.progress import Progress  # noqa: PLC0415

    console = Console(stderr=True)
    columns = columns_for(console.width, counts=counts)
    with Progress(*columns, console=console, transient=True) as progress:
        yield Bar(progress, progress.add_task(description, total=total))


@contextmanager
def _told(description: str, after_s: float) -> Iterator[None]:
    """Say on standard error that the block goes on, once it has for ``after_s`` seconds."""
    stream = sys.stderr

    def tell() -> None:
        with suppress(OSError, ValueError):  # nobody reads it any more, or it is closed
            print(f"{description}: still at it after {after_s:g} s.", file=stream, flush=True)

    waiting = Timer(after_s, tell)
    waiting.daemon = True
    waiting.start()
    try:
        yield
    finally:
        waiting.cancel()


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
