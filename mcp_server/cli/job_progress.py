"""A job's progress on a terminal.

Implements spec 03-command-line ``tool call``: ``run_tests`` waits with a progress bar on
stderr, and nothing where that is no terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any


@contextmanager
def job_progress(title: str, *, quiet: bool) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Show what ``get_job_status`` answers, as it is given to the function."""
    if quiet or not sys.stderr.isatty():
        yield lambda _status: None
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(status: Mapping[str, Any]) -> None:
            progress = status["progress"] or {}
            bar.update(
                task,
                total=progress.get("total"),
                completed=progress.get("completed", 0),
                description=progress.get("current", f"{title}: {status['state']}"),
            )

        yield show
