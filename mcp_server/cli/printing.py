"""Print results on stdout and everything else on stderr; survive closed and full outputs.

Implements docs/design/command-line.md "Output". Text is coloured on a terminal, unless ``NO_COLOR``
is set. All text is printed here, because this module makes foreign text safe for a terminal. A
closed pipe (``| head``), a full disk or a closed stream (``>&-``) must not end a command halfway.
"""

from __future__ import annotations

import codecs
import json
import os
import signal
import sys
from collections.abc import Mapping
from enum import IntEnum
from io import BufferedWriter, FileIO, RawIOBase, TextIOWrapper
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TextIO

import click

from mcp_server.cli.options import GlobalOptions
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.interrupt_signals import endings_noted
from mcp_server.terminal_text import nobody_reads, safe_json, safe_text

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class ExitCode(IntEnum):
    """The exit codes of ``unity-cli``."""

    OK = 0
    FAILED = 1
    USAGE = 2
    UNREACHABLE = 3
    INTERRUPTED = 130


_EXIT_CODES = {
    ToolErrorCode.INVALID_REQUEST: ExitCode.USAGE,
    ToolErrorCode.INVALID_PARAMS: ExitCode.USAGE,
    ToolErrorCode.UNKNOWN_COMMAND: ExitCode.USAGE,
    ToolErrorCode.CONFIG_VALIDATION: ExitCode.USAGE,
    ToolErrorCode.EDITOR_NOT_READY: ExitCode.UNREACHABLE,
    ToolErrorCode.UNITY_DISCONNECTED: ExitCode.UNREACHABLE,
}


_AT_ONCE = 4096
"""Most characters written at once without an interrupt: an empty pipe has room for them."""

_begun: list[TextIO] = []
"""The streams on which a JSON document was begun."""


def exit_code(error: ToolError) -> ExitCode:
    """Return the exit code for an error of this code."""
    return _EXIT_CODES.get(error.code, ExitCode.FAILED)


def speak_utf8() -> None:
    """Restart in Python's UTF-8 mode if Python would read arguments and file names as ASCII.

    Python reads ASCII in the C locale with ``PYTHONUTF8=0``.
    """
    if os.name == "posix" and codecs.lookup(sys.getfilesystemencoding()).name == "ascii":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def prepare_streams(windows: bool = os.name == "nt") -> None:
    """Keep the command alive if a stream is closed, or can't show a character.

    On Windows, pipes and files get UTF-8 and line feeds, not a code page and CRLF.
    """
    _begun.clear()
    fill_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            if windows and not stream.isatty() and not os.environ.get("PYTHONIOENCODING"):
                stream.reconfigure(encoding="utf-8", newline="\n")
            # Set it after the encoding, which would reset it.
            stream.reconfigure(errors="backslashreplace")


REFUSED = "mcp_server.refused"
"""The key of a click context's ``meta`` with the error that ended the command."""


def fail(context: click.Context, error: ToolError, code: ExitCode | None = None) -> NoReturn:
    """Print ``error`` as text or JSON, and end the command with ``code`` or its exit code."""
    print_failure(error, as_json=GlobalOptions.of(context).as_json)
    context.meta[REFUSED] = error
    context.exit(exit_code(error) if code is None else code)


def refuse(
    context: click.Context,
    message: str,
    exit_code: ExitCode = ExitCode.FAILED,
    code: ToolErrorCode = ToolErrorCode.INVALID_REQUEST,
) -> NoReturn:
    """Print ``message`` as an error, and end the command."""
    fail(context, tool_error(code, message, text=message), exit_code)


def print_json(document: Mapping[str, Any] | list[Any], *, ensure_ascii: bool = True) -> None:
    """Print the one JSON document on stdout."""
    text = safe_json(json.dumps(document, indent=2, ensure_ascii=ensure_ascii)) + "\n"
    # An interrupt between the mark and the first byte would leave stdout empty. A write of more
    # than a pipe takes may wait for its reader, so it must stay interruptible.
    with endings_noted() as ended_by:
        _begun[:] = [sys.stdout]
        click.echo(text[:_AT_ONCE], nl=False)
        came = ended_by()
    if came is not None:
        signal.raise_signal(came)
    if len(text) > _AT_ONCE:
        click.echo(text[_AT_ONCE:], nl=False)


def document_begun() -> bool:
    """Return whether a JSON document was begun on stdout. No other may follow it."""
    return sys.stdout in _begun


def print_failure(error: ToolError, *, as_json: bool) -> None:
    """Print an error as JSON. In text mode, or after a begun document, print text on stderr."""
    if as_json and not document_begun():
        print_json(error.to_json())
    else:
        print_line(error.text, err=True, fg="red")


class Styled(NamedTuple):
    """A part of a line, with its own style."""

    text: str
    fg: str | None = None
    bold: bool | None = None


def print_line(
    *parts: str | Styled, err: bool = False, fg: str | None = None, bold: bool | None = None
) -> None:
    """Print the parts as one line on stdout, or with ``err`` on stderr.

    ``fg`` and ``bold`` style the plain parts on a terminal.
    """
    stream = sys.stderr if err else sys.stdout
    has_colour = shows_colour(stream)
    styled = (Styled(each, fg, bold) if isinstance(each, str) else each for each in parts)
    line = "".join(_dressed(each, has_colour=has_colour) for each in styled)
    click.echo(line, file=stream, color=has_colour)


def print_page(page: str) -> None:
    """Print a help page on stderr, because the command line was wrong."""
    click.echo(page, err=True)


def _dressed(part: Styled, *, has_colour: bool) -> str:
    text = safe_text(part.text)
    is_styled = has_colour and text and (part.fg or part.bold)
    return click.style(text, fg=part.fg, bold=part.bold) if is_styled else text


def print_text(text: str, diff: str = "") -> None:
    """Print text on stdout, then a diff in the usual colours."""
    parts: list[str | Styled] = [text]
    for line in diff.rstrip("\n").split("\n") if diff else ():
        parts += ["\n", Styled(line, _DIFF_COLOURS.get(line[:2]) or _DIFF_COLOURS.get(line[:1]))]
    print_line(*parts)


_DIFF_COLOURS = {"@@": "cyan", "+": "green", "-": "red"}


def shows_colour(stream: Any) -> bool:
    """Return whether ``stream`` is a terminal and ``NO_COLOR`` is not set."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR")


class ClosedStream(FileIO):
    """Replaces a closed stream, and discards everything written to it."""

    def __init__(self) -> None:
        super().__init__(os.devnull, "w")


def fill_closed() -> None:
    """Open the null device for each closed standard stream.

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
    """Return whether the standard stream was already closed at the start."""
    if not isinstance(stream, TextIOWrapper):
        return stream is None
    return isinstance(getattr(stream.buffer, "raw", None), ClosedStream)


class LastingOutput(RawIOBase):
    """Writes to ``inner`` until a write fails, and discards everything from then on.

    ``failure`` is the first error. ``owner`` is kept alive, because its end would close ``inner``.
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
        """Write as much as ``inner`` takes at once. After a failure, pretend to write all of it."""
        if self.failure is None:
            try:
                if isinstance(self._inner, ClosedStream):
                    raise OSError("it is closed")
                return self._inner.write(data)
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


def outlast_readers(context: click.Context) -> None:
    """From here on, finish the command even if its output can't be written.

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
    """Return why standard output could not be written; ``None`` if it could."""
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
    """Return the raw stream below ``stream``. With ``python -u`` there is no buffer in between."""
    buffer: object = stream.buffer if isinstance(stream, TextIOWrapper) else None
    return buffer.raw if isinstance(buffer, BufferedWriter) else buffer
