"""What a command prints, and where: results on stdout, everything else on stderr.

Implements docs/design/command-line.md "Output". Text is for people and coloured on a terminal only,
never where ``NO_COLOR`` is set.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import signal
import sys
from collections.abc import Mapping
from enum import IntEnum
from io import TextIOWrapper
from typing import Any, NoReturn, TextIO

import click

from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing.closed_streams import fill_closed
from mcp_server.contract.errors import ToolError, ToolErrorCode
from mcp_server.interrupt_signals import endings_noted


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


def fail(context: click.Context, error: ToolError, code: ExitCode | None = None) -> NoReturn:
    """Print ``error`` as the options ask for, and end the command with its exit code."""
    print_failure(error, as_json=GlobalOptions.of(context).as_json)
    context.exit(exit_code(error) if code is None else code)


def print_json(document: Mapping[str, Any] | list[Any], *, ensure_ascii: bool = True) -> None:
    """One JSON document on stdout, which is all that is to get there."""
    text = json.dumps(document, indent=2, ensure_ascii=ensure_ascii) + "\n"
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
        click.echo(click.style(error.text, fg="red"), err=True, color=shows_colour(sys.stderr))


def print_text(text: str, diff: str = "") -> None:
    """Text on stdout, and below it a unified diff in its usual colours."""
    click.echo(text)
    if diff:
        click.echo("\n".join(map(_coloured, diff.splitlines())), color=shows_colour(sys.stdout))


_DIFF_COLOURS = (
    (re.compile(r"@@"), "cyan"),
    (re.compile(r"\+"), "green"),
    (re.compile("-"), "red"),
)


def _coloured(line: str) -> str:
    for mark, colour in _DIFF_COLOURS:
        if mark.match(line):
            return click.style(line, fg=colour)
    return line


def shows_colour(stream: Any) -> bool:
    """Whether coloured text may go there: a terminal, and ``NO_COLOR`` isn't set."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR")
