"""The entry point of ``unity-cli``: run the arguments, return the exit code.

Implements docs/design/command-line.md "Output": whatever goes wrong, ``--output json`` prints
exactly one JSON document on stdout, and text mode one plain message on stderr.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys
import threading
from collections.abc import Iterable
from typing import NoReturn

import click

from mcp_server.calls.interrupted_call import DescribedInterruptError
from mcp_server.cli.command_table import LazyGroup
from mcp_server.cli.options import GlobalOptions, global_options
from mcp_server.cli.printing import (
    ExitCode,
    document_begun,
    lost_output,
    prepare_streams,
    print_failure,
    print_json,
    print_line,
    print_page,
    shows_colour,
    speak_utf8,
)
from mcp_server.contract.errors import ToolErrorCode, tool_error, unexpected
from mcp_server.interrupt_signals import (
    break_like_ctrl_c,
    ended_by,
    exit_code_of,
    ignore_interrupts,
)
from mcp_server.terminal_text import nobody_reads

ANY_WIDTH = 10_000
"""Wider than any terminal. Click's own limit is 80 columns."""


class HelpFormatter(click.HelpFormatter):
    """Click's formatter, with coloured headings, options and commands."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage line."""
        super().write_usage(prog, args, prefix or f"{_styled('Usage:', bold=True)} ")

    def write_heading(self, heading: str) -> None:
        """Write a section's heading."""
        super().write_heading(_styled(heading, bold=True))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write a list of options or commands."""
        coloured = [(_styled(name, fg="cyan"), text) for name, text in rows]
        super().write_dl(coloured, col_max, col_spacing)


def _styled(text: str, *, fg: str | None = None, bold: bool | None = None) -> str:
    return click.style(text, fg=fg, bold=bold) if shows_colour(sys.stdout) else text


click.Context.formatter_class = HelpFormatter


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": ANY_WIDTH},
    invoke_without_command=True,
    no_args_is_help=True,
)
@click.option("-V", "--version", is_flag=True, help="Print the version.")
@global_options
@click.pass_context
def cli(context: click.Context, version: bool) -> None:
    """Edit Unity C# scripts in small, safe steps, and serve the same tools over MCP.

    \b
    Examples:
      unity-cli doctor
      unity-cli symbols Player.cs
      unity-cli edit Player.cs --replace "health = 100" --with "health = 120"
      unity-cli client install claude-code
      unity-cli --dry-run tool call edit_snippet --params-file edit.json

    \b
    Exit codes: 0 done, 1 refused or something found, 2 wrong usage or
    parameters, 3 server or Editor not reachable, 130 interrupted.
    """
    if version:
        _print_version(as_json=GlobalOptions.of(context).as_json)
        context.exit()
    if context.invoked_subcommand is None:
        raise click.UsageError("Missing command.", context)


def _print_version(*, as_json: bool) -> None:
    from mcp_server.version import package_version  # noqa: PLC0415 - slow to import

    if as_json:
        print_json({"version": package_version()})
    else:
        print_line(f"unity-cli {package_version()}")


def main(arguments: list[str] | None = None) -> None:
    """Run ``unity-cli`` and exit: 0 ok, 1 failed, 2 wrong usage, 3 unreachable, 130 interrupted."""
    # The interpreter's last garbage collection takes a sixth of a short command.
    atexit.register(gc.freeze)
    speak_utf8()
    arguments = sys.argv[1:] if arguments is None else arguments
    prepare_streams()
    _refuse_old_python(arguments)
    if threading.current_thread() is threading.main_thread():
        break_like_ctrl_c()
    try:
        code = cli.main(arguments, prog_name="unity-cli", standalone_mode=False)
        if sys.stdout is not None:  # closed by the caller (>&-)
            sys.stdout.flush()
        _report_lost_output(code)
    except click.ClickException as error:
        code = _refuse_usage(error, arguments)
    except (click.Abort, KeyboardInterrupt) as error:
        ignore_interrupts()  # another one would print a traceback
        cause = error.__cause__ if isinstance(error, click.Abort) else error
        known = str(cause) if isinstance(cause, KeyboardInterrupt) else ""
        end_interrupted(
            arguments, known, cause if isinstance(cause, DescribedInterruptError) else None
        )
    except Exception as error:
        code = ExitCode.FAILED
        if nobody_reads(error):  # ``| head``
            _write_no_more()
        elif isinstance(error, OSError) and error.errno in _UNWRITABLE and error.filename is None:
            from snippet_engine.storage.os_failure import reason_of  # noqa: PLC0415 - seldom

            _write_no_more()
            lost = f"The result can't be written to standard output: {reason_of(error)}."
            print_line(lost, err=True, fg="red")
        elif isinstance(error, FileNotFoundError) and _is_working_folder_gone():
            code = _refuse_here(
                "The working folder was removed. Change to one that exists (cd).", arguments
            )
        else:
            import traceback  # noqa: PLC0415 - only for bugs

            print_line(traceback.format_exc().rstrip(), err=True)
            print_failure(unexpected(error), as_json=_wants_json(arguments))
    sys.exit(code or 0)


_OLDEST_PYTHON = (3, 11, 5)
"""The same version as in ``requires-python``. Older ones give wrong verdicts."""


def _refuse_old_python(arguments: list[str]) -> None:
    """End the command under a Python that is too old. Say how to install for a newer one."""
    running = sys.version_info[:3]
    if running >= _OLDEST_PYTHON:
        return
    shown, oldest = (".".join(map(str, each)) for each in (running, _OLDEST_PYTHON))
    message = (
        f"unity-cli needs Python {oldest} or newer: under Python {shown}, its verdicts are wrong. "
        f"Install it under a newer one."
    )
    sys.exit(_refuse_here(message, arguments))


def _refuse_here(message: str, arguments: list[str]) -> int:
    refused = tool_error(ToolErrorCode.CONFIG_VALIDATION, message, text=message)
    print_failure(refused, as_json=_wants_json(arguments))
    return ExitCode.USAGE


def _is_working_folder_gone() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - only asked whether it is there
    except FileNotFoundError:
        return True
    return False


def _write_no_more() -> None:
    """Discard the buffered standard output. Python would fail to write it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def end_interrupted(
    arguments: list[str] | None = None, known: str = "", call: DescribedInterruptError | None = None
) -> NoReturn:
    """Report the interrupt and the ``known`` effect of the command; end the command.

    The exit code is 130, or that of the signal. ``call`` is the interrupted call.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if sys.stderr is not None and sys.stderr.isatty():
        print_line(err=True)  # the terminal shows ^C where the cursor was
    if document_begun():
        known = known or "The work was already done; its result on standard output is cut off."
    message = f"Interrupted. {known}".rstrip()
    interrupted = tool_error(
        ToolErrorCode.REQUEST_TIMEOUT,
        message,
        text=message,
        retryable=call is not None and call.retryable,
        guarantee=None if call is None else call.guarantee,
    )
    print_failure(interrupted, as_json=_wants_json(arguments))
    if document_begun():
        _write_no_more()
    sys.exit(exit_code_of(ended_by()))


_UNWRITABLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})
"""Errors of a write that can't succeed. ``EBADF``: standard output is open for reading only."""


def _report_lost_output(code: int | None) -> None:
    """Report on stderr that standard output failed, and how the command ended without it."""
    lost = lost_output()
    if lost is None:
        return
    ended = "succeeded" if not code else f"ended with exit code {code}"
    print_line(f"The result can't be written to standard output: {lost}.", err=True)
    print_line(f"The command went on without it, and {ended}.", err=True)


def _refuse_usage(error: click.ClickException, arguments: list[str]) -> int:
    as_json = _wants_json(arguments)
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and not as_json:
        print_page(error.format_message())
        return ExitCode.USAGE
    context = getattr(error, "ctx", None)
    hint = f" See: {context.command_path} --help" if context is not None else ""
    from mcp_server.cli.command_table import usage_message  # noqa: PLC0415 - only where it is wrong

    message = f"{usage_message(error)}{hint}"
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        message = f"A command is missing.{hint}"
    refused = tool_error(ToolErrorCode.INVALID_REQUEST, message, text=message)
    print_failure(refused, as_json=as_json)
    return ExitCode.USAGE


def _wants_json(arguments: list[str]) -> bool:
    """Return whether ``--output json`` was given, even if the options can't be parsed."""
    for index, argument in enumerate(arguments):
        if argument == "--output=json":
            return True
        if argument == "--output" and arguments[index + 1 : index + 2] == ["json"]:
            return True
    return False
