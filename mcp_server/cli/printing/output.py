"""What a command prints, and where: results on stdout, everything else on stderr.

Implements docs/design/command-line.md "Output". Text is for people and coloured on a terminal only,
never where ``NO_COLOR`` is set. All of it is printed here, as text of others is made safe here.
"""

from __future__ import annotations

import codecs
import json
import os
import signal
import sys
from collections.abc import Mapping
from enum import IntEnum
from io import TextIOWrapper
from typing import Any, NamedTuple, NoReturn, TextIO

import click

from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing.closed_streams import fill_closed
from mcp_server.contract.errors import ToolError, ToolErrorCode
from mcp_server.interrupt_signals import endings_noted
from mcp_server.terminal_text import safe_json, safe_text


class ExitCode(IntEnum):
    """What the process ends with."""

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
"""Characters of a document that no interrupt parts: a pipe has room for them, as nothing else is
in it."""

_begun: list[TextIO] = []
"""The standard output on which a document was begun."""


def exit_code(error: ToolError) -> ExitCode:
    """The exit code that tells ``error``'s kind."""
    return _EXIT_CODES.get(error.code, ExitCode.FAILED)


def speak_utf8() -> None:
    """Begin anew in Python's UTF-8 mode where it takes arguments and file names for ASCII.

    It does so in the C locale with ``PYTHONUTF8=0``; no name or text beyond ASCII arrived whole.
    """
    if os.name == "posix" and codecs.lookup(sys.getfilesystemencoding()).name == "ascii":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def prepare_streams(windows: bool = os.name == "nt") -> None:
    """Let neither a stream that is closed, nor a character that can't be shown, end the command.

    A command that has done its work would else end as failed for want of somebody to tell. What
    isn't a terminal gets UTF-8 and line feeds on Windows, too, where a program would else read
    JSON in a code page, and a patch with line ends that were never meant.
    """
    _begun.clear()
    fill_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            if windows and not stream.isatty() and not os.environ.get("PYTHONIOENCODING"):
                stream.reconfigure(encoding="utf-8", newline="\n")
            # After the encoding, with which what can't be shown would be an error again.
            stream.reconfigure(errors="backslashreplace")


REFUSED = "mcp_server.refused"
"""Where in a context's ``meta`` the error is that ended the command."""


def fail(context: click.Context, error: ToolError, code: ExitCode | None = None) -> NoReturn:
    """Print ``error`` as the options ask for, and end the command with its exit code."""
    print_failure(error, as_json=GlobalOptions.of(context).as_json)
    context.meta[REFUSED] = error
    context.exit(exit_code(error) if code is None else code)


def print_json(document: Mapping[str, Any] | list[Any], *, ensure_ascii: bool = True) -> None:
    """One JSON document on stdout, which is all that is to get there."""
    text = safe_json(json.dumps(document, indent=2, ensure_ascii=ensure_ascii)) + "\n"
    # An interrupt between the mark and the first byte would leave nothing at all on stdout. More
    # than a pipe takes at once may wait for its reader, and that is to be interrupted.
    with endings_noted() as ended_by:
        _begun[:] = [sys.stdout]
        click.echo(text[:_AT_ONCE], nl=False)
        came = ended_by()
    if came is not None:
        signal.raise_signal(came)
    if len(text) > _AT_ONCE:
        click.echo(text[_AT_ONCE:], nl=False)


def document_begun() -> bool:
    """Whether stdout has a JSON document, or the beginning of one: no other may follow it."""
    return sys.stdout in _begun


def print_failure(error: ToolError, *, as_json: bool) -> None:
    """An error: the JSON document, or its one line on stderr.

    There, too, once stdout has begun a document.
    """
    if as_json and not document_begun():
        print_json(error.to_json())
    else:
        print_line(error.text, err=True, fg="red")


class Styled(NamedTuple):
    """A part of a line that has a colour, or is bold."""

    text: str
    fg: str | None = None
    bold: bool | None = None


def print_line(
    *parts: str | Styled, err: bool = False, fg: str | None = None, bold: bool | None = None
) -> None:
    """The parts as one text with a line's end: on stdout, or on stderr for ``err``.

    ``fg`` and ``bold`` are how the plain parts look on a terminal.
    """
    stream = sys.stderr if err else sys.stdout
    has_colour = shows_colour(stream)
    styled = (Styled(each, fg, bold) if isinstance(each, str) else each for each in parts)
    line = "".join(_dressed(each, has_colour=has_colour) for each in styled)
    click.echo(line, file=stream, color=has_colour)


def _dressed(part: Styled, *, has_colour: bool) -> str:
    text = safe_text(part.text)
    is_styled = has_colour and text and (part.fg or part.bold)
    return click.style(text, fg=part.fg, bold=part.bold) if is_styled else text


def print_text(text: str, diff: str = "") -> None:
    """Text on stdout, and below it a unified diff in its usual colours."""
    parts: list[str | Styled] = [text]
    for line in diff.rstrip("\n").split("\n") if diff else ():
        parts += ["\n", Styled(line, _diff_colour(line))]
    print_line(*parts)


def _diff_colour(line: str) -> str | None:
    return _DIFF_COLOURS.get(line[:2]) or _DIFF_COLOURS.get(line[:1])


_DIFF_COLOURS = {"@@": "cyan", "+": "green", "-": "red"}


def shows_colour(stream: Any) -> bool:
    """Whether coloured text may go there: a terminal, and ``NO_COLOR`` isn't set."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR")
