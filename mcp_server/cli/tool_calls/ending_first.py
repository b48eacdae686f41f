"""What killed processes left unfinished is ended before a command looks for what it is to undo.

Part of docs/design/command-line.md "history and undo": the last change may be one of those, and
whoever ends it says so, however the command goes on.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from mcp_server.calls.interrupted_call import ToldInterruptError, what_was_stopped
from mcp_server.cli.printing.output import print_line
from mcp_server.interrupt_signals import endings_noted

if TYPE_CHECKING:
    from mcp_server.calls.tool_caller import ToolCaller


def ended_first(caller: ToolCaller) -> list[str]:
    """What was ended now, a sentence each: to its end, whatever signal comes meanwhile."""
    with endings_noted() as ended_by:
        notes = caller.end_unfinished()
        came = ended_by()
    with telling_notes(notes):
        if came is not None:
            signal.raise_signal(came)
    return notes


@contextmanager
def telling_notes(notes: Sequence[str]) -> Iterator[None]:
    """Let an end of the command, or an interrupt, tell them where nothing else does."""
    try:
        yield
    except KeyboardInterrupt:
        raise ToldInterruptError(f"It {what_was_stopped(notes)}", nothing_done=True) from None
    except click.exceptions.Exit:
        for each in notes:
            print_line(each, err=True)
        raise
