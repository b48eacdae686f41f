"""Standard streams that are closed from the start, or whose reader leaves.

Implements docs/design/command-line.md "Output": a reader that has enough (``| head``), a full disk
or a closed stream (``>&-``) must not stop a command between two writes.
"""

from __future__ import annotations

import os
import sys
from io import BufferedWriter, FileIO, RawIOBase, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

import click

from mcp_server.cli.options import GlobalOptions
from mcp_server.terminal_text import nobody_reads

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class ClosedStream(FileIO):
    """Replaces a stream that is closed; discards all that is written."""

    def __init__(self) -> None:
        super().__init__(os.devnull, "w")


def fill_closed() -> None:
    """Open the null device in the place of each standard stream that is closed.

    Otherwise the next file that is opened would get the stream's number, and its output.
    ``sys.stdin`` stays ``None``, so that commands can report that it is closed.
    """
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    while (free := os.open(os.devnull, os.O_RDWR)) <= 2:  # the lowest number that is free
        os.set_inheritable(free, True)
    os.close(free)
    if sys.stdout is None:
        sys.stdout = _null_stream()
    if sys.stderr is None:
        sys.stderr = _null_stream()


def _null_stream() -> TextIO:
    return TextIOWrapper(BufferedWriter(ClosedStream()), encoding="utf-8", line_buffering=True)


def is_closed(stream: TextIO | None) -> bool:
    """Whether the standard stream was closed when the command started."""
    if not isinstance(stream, TextIOWrapper):
        return stream is None
    return isinstance(getattr(stream.buffer, "raw", None), ClosedStream)


class LastingOutput(RawIOBase):
    """Writes to ``inner`` until that fails, and discards everything from then on.

    ``failure`` is the first error. ``owner`` is kept, as its end would close ``inner``.
    """

    def __init__(self, inner: RawIOBase, owner: TextIO) -> None:
        super().__init__()
        self._inner = inner
        self._owner = owner
        self.failure: OSError | None = None

    def writable(self) -> bool:
        """Return true."""
        return True

    def isatty(self) -> bool:
        """Whether ``inner`` is a terminal."""
        return self._inner.isatty()

    def fileno(self) -> int:
        """Return the number of ``inner``."""
        return self._inner.fileno()

    def write(self, data: ReadableBuffer, /) -> int | None:
        """Write what ``inner`` takes at once; after a failure, pretend to write all of it."""
        if self.failure is None:
            try:
                if isinstance(self._inner, ClosedStream):
                    raise OSError("it is closed")
                return self._inner.write(data)
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


def outlast_readers(context: click.Context) -> None:
    """From here on, run the command to its end even if its output can't be written.

    Call it before the first change. A dry run changes nothing, so it may end early.
    """
    if not GlobalOptions.of(context).dry_run:
        sys.stdout = _lasting(sys.stdout)
        sys.stderr = _lasting(sys.stderr)


def _lasting(stream: TextIO) -> TextIO:
    raw = _raw(stream)
    if (
        not isinstance(stream, TextIOWrapper)
        or not isinstance(raw, RawIOBase)
        or isinstance(raw, LastingOutput)
    ):
        return stream
    stream.flush()
    return TextIOWrapper(
        BufferedWriter(LastingOutput(raw, stream)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=True,
    )


def lost_output() -> str | None:
    """Return why standard output could not be written, if it could not."""
    raw = _raw(sys.stdout)
    if not isinstance(raw, LastingOutput):
        return None
    sys.stdout.flush()
    if raw.failure is None:
        return None
    if nobody_reads(raw.failure):
        return "its reader has gone"
    from snippet_engine.storage.os_failure import reason_of  # noqa: PLC0415 - only for failures

    return reason_of(raw.failure)


def _raw(stream: TextIO) -> object:
    """Return the raw stream below ``stream``; ``python -u`` has no buffer in between."""
    buffer: object = stream.buffer if isinstance(stream, TextIOWrapper) else None
    return buffer.raw if isinstance(buffer, BufferedWriter) else buffer
