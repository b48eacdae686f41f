"""``unity-cli doctor``: what works here, what doesn't, and what to do about it.

Implements docs/design/command-line.md ``doctor``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.output import ExitCode, Styled, print_json, print_line

if TYPE_CHECKING:
    from mcp_server.doctor.check import Check


@click.command("doctor")
@global_options_shown("output", "project", "url", "timeout", "lsp", "quiet")
@click.pass_context
def doctor_command(context: click.Context) -> None:
    """Check the installation, the project, the validators, the server and the Editor.

    Exit code 1: something is missing that almost everything needs. Each check takes at most five
    seconds, or --timeout.

    \b
    Examples:
      unity-cli doctor
      unity-cli doctor --project ~/Games/Tower --output json
    """
    from mcp_server.calls.language_server import lsp_of_server  # noqa: PLC0415 - not for help pages
    from mcp_server.calls.server.project_server import own_address  # noqa: PLC0415
    from mcp_server.calls.server.server_proof import TOKEN_VARIABLE  # noqa: PLC0415
    from mcp_server.doctor.examination import Subject, examine  # noqa: PLC0415

    options = GlobalOptions.of(context)
    project, token = options.found_project, os.environ.get(TOKEN_VARIABLE)
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
            _print_next_step(checks, healthy=healthy)
    context.exit(ExitCode.OK if healthy else ExitCode.FAILED)


def _print_next_step(checks: Sequence[Check], *, healthy: bool) -> None:
    """Print whether the required parts work, and one command; failures come first."""
    if healthy and not all(check.ok for check in checks):
        print_line("Edits, previews and undo work.")
    if any(check.optional for check in checks):
        what = "optional: the compiler's verdicts, the Editor's tools, and the guard."
        print_line(f"Lines marked {_mark('–', '-')} are {what}")
    failed = sorted((each for each in checks if each.failed), key=lambda each: not each.required)
    commands = (each.command for each in failed or checks if not each.ok)
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
    """Return ``mark``, or ``otherwise`` where stdout can't encode it."""
    try:
        mark.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return otherwise
    return mark
