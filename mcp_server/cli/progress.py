"""Show progress: a bar on a terminal; elsewhere one line if it takes long, or nothing.

Implements docs/design/command-line.md "Output": progress is shown on stderr, never with
``--quiet``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from threading import Timer
from typing import TYPE_CHECKING, Any

from mcp_server.terminal_text import safe_text

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID


class Bar:
    """A progress bar. Without a ``progress`` it shows nothing."""

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
        """Update the bar. ``None`` leaves that part as it is."""
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
    """Show a bar while the ``with`` block runs. ``total`` is ``None`` if unknown.

    With ``counts`` it shows counts, otherwise a percentage. Without a terminal, one line is printed
    after ``patience_s`` seconds.
    """
    if quiet or not sys.stderr.isatty():
        waits_silently = quiet or patience_s is None
        with nullcontext() if waits_silently else _line_after(description, patience_s or 0):
            yield Bar()
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import
    from rich.progress import Progress  # noqa: PLC0415

    console = Console(stderr=True)
    columns = columns_for(console.width, counts=counts)
    with Progress(*columns, console=console, transient=True) as progress:
        yield Bar(progress, progress.add_task(description, total=total))


@contextmanager
def job_progress(
    title: str, *, quiet: bool, patience_s: float | None = None
) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Show a job's progress. Yields a function that takes each answer of ``get_job_status``."""
    with progress_bar(title, quiet=quiet, patience_s=patience_s) as bar:

        def show(status: Mapping[str, Any]) -> None:
            progress = status["progress"] or {}
            bar.move(
                total=progress.get("total"),
                completed=progress.get("completed", 0),
                description=progress.get("current", f"{title}: {status['state']}"),
            )

        yield show


@contextmanager
def _line_after(description: str, after_s: float) -> Iterator[None]:
    """Print one line on stderr if the ``with`` block takes longer than ``after_s`` seconds."""
    stream = sys.stderr

    def report() -> None:
        with suppress(OSError, ValueError):  # the reader has gone, or the stream is closed
            print(f"{description}: still running after {after_s:g} s.", file=stream, flush=True)

    timer = Timer(after_s, report)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def columns_for(width: int, *, counts: bool) -> list[ProgressColumn]:
    """Return the columns that fit on a terminal of ``width``.

    The description is shortened first, since rich would shorten all columns alike. A terminal of
    less than 60 columns gets no bar.
    """
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column  # noqa: PLC0415

    done = MofNCompleteColumn() if counts else TaskProgressColumn()
    bar = min(40, width // 4)
    count_and_times = 12 + 8 + (8 if width >= 60 else 0)
    rest = count_and_times + (bar + 1 if width >= 60 else 0)
    column = Column(no_wrap=True, overflow="ellipsis", max_width=max(1, width - rest))
    description = TextColumn("{task.description}", markup=False, table_column=column)
    if width < 60:
        return [description, done, TimeElapsedColumn()]
    bar_column = BarColumn(bar_width=bar)
    return [description, bar_column, done, TimeElapsedColumn(), TimeRemainingColumn()]
