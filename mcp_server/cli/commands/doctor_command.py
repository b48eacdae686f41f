"""``unity-cli doctor``: what works here, what doesn't, and what to do about it.

Implements docs/design/command-line.md ``doctor``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.output import ExitCode, Styled, print_json, print_line

if TYPE_CHECKING:
    from mcp_server.doctor import Check


@click.command("doctor")
@global_options_shown("output", "project", "url", "timeout", "lsp", "quiet")
@click.pass_context
def doctor_command(context: click.Context) -> None:
    """Check the installation, the project, the validators, the server and the Editor.

    Exit code 1: something is missing without which next to nothing works. Each check takes five
    seconds at most, or --timeout.

    \b
    Examples:
      unity-cli doctor
      unity-cli doctor --project ~/Games/Tower --output json
    """
    from mcp_server.calls.language_server import lsp_of_server  # noqa: PLC0415
    from mcp_server.calls.project import find_project  # noqa: PLC0415
    from mcp_server.calls.server.project_server import own_address  # noqa: PLC0415
    from mcp_server.calls.server.server_proof import TOKEN_VARIABLE  # noqa: PLC0415
    from mcp_server.doctor.examination import Subject, examine  # noqa: PLC0415 - not for help

    options = GlobalOptions.of(context)
    project = options.project or find_project(Path.cwd())
    token = os.environ.get(TOKEN_VARIABLE)
    named, limit_s = options.named_url, options.timeout_s or 5.0
    checks = examine(
        Subject(
            project=project,
            url=named or own_address(project, token, limit_s),
            url_named=named is not None,
            token=token,
            lsp=lsp_of_server(options.lsp),
            limit_s=limit_s,
        )
    )
    healthy = all(check.ok for check in checks if check.required)
    if options.as_json:
        print_json({"ok": healthy, "checks": [check.to_json() for check in checks]})
    else:
        for check in checks:
            _print(check, quiet=options.quiet)
        if not options.quiet:
            _print_what_next(checks, healthy=healthy)
    context.exit(ExitCode.OK if healthy else ExitCode.FAILED)


def _print_what_next(checks: Sequence[Check], *, healthy: bool) -> None:
    """Whether all that is needed is there, and one step: what is wrong comes first."""
    if healthy and not all(check.ok for check in checks):
        print_line("All that edits, previews and undo need is there.")
    if any(check.optional for check in checks):
        what = "optional: verdicts on names and types, and the Editor's tools."
        print_line(f"What is marked {_mark('–', '-')} is {what}")
    wrong = sorted((each for each in checks if each.failed), key=lambda each: not each.required)
    commands = [each.command for each in wrong or checks if not each.ok]
    step = next(filter(None, commands), None)
    if step is not None:
        print_line("Next: ", Styled(step, bold=True))


def _print(check: Check, *, quiet: bool) -> None:
    if check.ok:
        mark = Styled(_mark("✔", "ok"), fg="green")
    elif check.optional:
        mark = Styled(_mark("–", "-"), fg="yellow")
    else:
        mark = Styled(_mark("✘", "NO"), fg="red")
    print_line(mark, f" {check.name}: {check.summary}")
    if not check.ok and check.advice:
        print_line(f"    {check.advice}")
    if not quiet:
        for detail in check.details:
            print_line(f"    - {detail}")


def _mark(mark: str, otherwise: str) -> str:
    return mark if _can_show(mark) else otherwise


def _can_show(mark: str) -> bool:
    try:
        mark.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
