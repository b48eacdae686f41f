"""Standard streams whose end doesn't end the command.

Implements docs/design/command-line.md "Output": a reader that has enough (``| head``), or a disk
that is full, must not stop a command between two writes.
"""

from __future__ import annotations

import sys
from io import BufferedWriter, RawIOBase, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

import click

from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing.closed_streams import ClosedStream
from mcp_server.lost_reader import nobody_reads

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class LastingOutput(RawIOBase):
    """Writes to ``inner`` until that fails, and to nobody from then on.

    ``failure`` is what the system said, once it did. ``owner`` would close ``inner`` with its own
    end, so it is kept.
    """

    def __init__(self, inner: RawIOBase, owner: TextIO) -> None:
        super().__init__()
        self._inner = inner
        self._owner = owner
        self.failure: OSError | None = None

    def writable(self) -> bool:
        """Always."""
        return True

    def isatty(self) -> bool:
        """Whether ``inner`` is a terminal."""
        return self._inner.isatty()

    def fileno(self) -> int:
        """That of ``inner``."""
        return self._inner.fileno()

    def write(self, data: ReadableBuffer, /) -> int | None:
        """Write all that ``inner`` takes at once; everything, once it has failed."""
        if self.failure is None:
            try:
                if isinstance(self._inner, ClosedStream):
                    raise OSError("it is closed")
                return self._inner.write(data)
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


def outlast_readers(context: click.Context) -> None:
    """From here on, the running command goes to its end though nobody hears of it.

    To be called before the first change. Under ``--dry-run`` nothing is changed, and a reader that
    has gone ends the command.
    """
    if not GlobalOptions.of(context).dry_run:
        sys.stdout = _lasting(sys.stdout)
        sys.stderr = _lasting(sys.stderr)


def _lasting(stream: TextIO) -> TextIO:
    raw = _raw(stream)
    if not isinstance(stream, TextIOWrapper) or not isinstance(raw, RawIOBase):
        return stream
    if isinstance(raw, LastingOutput):
        return stream
    stream.flush()
    return TextIOWrapper(
        BufferedWriter(LastingOutput(raw, stream)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=True,
    )


def lost_output() -> str | None:
    """Why not all of the command's output was told, if it went on without; ``None``: it was."""
    raw = _raw(sys.stdout)
    if not isinstance(raw, LastingOutput):
        return None
    sys.stdout.flush()
    failure = raw.failure
    if failure is None:
        return None
    if nobody_reads(failure):
        return "nobody reads it any more"
    from snippet_engine.storage.os_failure import reason_of  # noqa: PLC0415 - only for failures

    return reason_of(failure)


def _raw(stream: TextIO) -> object:
    """What the text goes to in the end; there is no buffer in between with ``python -u``."""
    buffer: object = stream.buffer if isinstance(stream, TextIOWrapper) else None
    return buffer.raw if isinstance(buffer, BufferedWriter) else buffer
