"""A job's progress, on a terminal as a rule.

Implements docs/design/command-line.md ``tool call``: ``run_tests`` and ``compile`` wait with a
progress bar on stderr, and nothing where that is no terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mcp_server.cli.printing.progress import progress_bar


@contextmanager
def job_progress(
    title: str, *, quiet: bool, patience_s: float | None = None
) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Show what ``get_job_status`` answers, as it is given to the function.

    ``patience_s`` as for :func:`.progress_bar`.
    """
    with progress_bar(title, quiet=quiet, patience_s=patience_s) as bar:

        def show(status: Mapping[str, Any]) -> None:
            progress = status["progress"] or {}
            bar.move(
                total=progress.get("total"),
                completed=progress.get("completed", 0),
                description=progress.get("current", f"{title}: {status['state']}"),
            )

        yield show
