"""``unity-cli doctor``: what works here, what doesn't, and what to do about it.

Implements docs/design/command-line.md ``doctor``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.output import ExitCode, print_json, print_text, shows_colour

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
    named = options.named_url
    checks = examine(
        Subject(
            project=project,
            url=named or own_address(project, token),
            url_named=named is not None,
            token=token,
            lsp=lsp_of_server(options.lsp),
            limit_s=options.timeout_s or 5.0,
        )
    )
    healthy = all(check.ok for check in checks if check.required)
    if options.as_json:
        print_json({"ok": healthy, "checks": [check.to_json() for check in checks]})
    else:
        print_text("\n".join(_shown(check, quiet=options.quiet) for check in checks))
        if healthy and not options.quiet and not all(check.ok for check in checks):
            print_text(_NOT_NEEDED)
    context.exit(ExitCode.OK if healthy else ExitCode.FAILED)


_NOT_NEEDED = (
    "All that edits, previews and undo need is there. The rest is for verdicts on names and types, "
    "and for the Editor's tools."
)


def _shown(check: Check, *, quiet: bool) -> str:
    mark, colour = ("✔", "green") if check.ok else ("✘", "red")
    if not _can_show(mark):
        mark = "ok" if check.ok else "NO"
    if shows_colour(sys.stdout):
        mark = click.style(mark, fg=colour)
    lines = [f"{mark} {check.name}: {check.summary}"]
    if not check.ok and check.advice:
        lines.append(f"    {check.advice}")
    if not quiet:
        lines += [f"    - {detail}" for detail in check.details]
    return "\n".join(lines)


def _can_show(mark: str) -> bool:
    try:
        mark.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
