"""Standard streams that whoever started the command had closed: ``<&-``, ``>&-``.

Part of docs/design/command-line.md "Output". The number of such a stream is free, so the next file
that is opened would get it, and with that whatever somebody means for the stream.
"""

from __future__ import annotations

import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import TextIO


class ClosedStream(FileIO):
    """Stands in for a stream that is closed, and takes everything, for nobody."""

    def __init__(self) -> None:
        super().__init__(os.devnull, "w")


def fill_closed() -> None:
    """Put something that leads nowhere in the place of each standard stream that is closed.

    ``sys.stdin`` stays ``None``: what was to be read is lacking, and that is told.
    """
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    while (free := os.open(os.devnull, os.O_RDWR)) <= 2:  # the lowest number that is free
        os.set_inheritable(free, True)
    os.close(free)
    if sys.stdout is None:
        sys.stdout = _to_nobody()
    if sys.stderr is None:
        sys.stderr = _to_nobody()


def _to_nobody() -> TextIO:
    return TextIOWrapper(BufferedWriter(ClosedStream()), encoding="utf-8", line_buffering=True)


def is_closed(stream: TextIO | None) -> bool:
    """Whether the standard stream was closed by whoever started the command."""
    if not isinstance(stream, TextIOWrapper):
        return stream is None
    return isinstance(getattr(stream.buffer, "raw", None), ClosedStream)
