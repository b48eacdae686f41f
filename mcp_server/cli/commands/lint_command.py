"""``unity-cli lint``: paths in, findings out, as the CI gate needs them.

Implements docs/design/command-line.md ``lint``: the formats, the exit codes 0 (clean), 1 (findings)
and 2 (wrong usage), and a progress bar on a terminal.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_server.cli.arguments.bundle_arguments import (
    bundles_by_project,
    check_bundle_paths,
    chosen_format,
    format_option,
    paths_from,
    print_finding,
)
from mcp_server.cli.options import GivenPath, GlobalOptions, WholeNumber, global_options_shown
from mcp_server.cli.printing.output import ExitCode, fail, print_json, print_line, refuse
from mcp_server.cli.printing.progress import progress_bar
from mcp_server.contract.errors import ToolError

if TYPE_CHECKING:
    from mcp_server.lint.report import LintReport


@click.command("lint")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=GivenPath())
@format_option
@click.option("--shard", "part", metavar="I/N", help="Check the I-th of N parts only, as 2/8.")
@click.option(
    "--jobs",
    type=WholeNumber(1, 61),  # what Windows can wait for at once
    metavar="N",
    help="Number of processes. Default: for many bundles, up to one per processor.",
)
@click.option(
    "--in-order",
    is_flag=True,
    help="Check each request of a bundle on the result of those before it, as apply does.",
)
@click.option("--allow-empty", is_flag=True, help="Report a folder without bundles as a warning.")
@global_options_shown("output", "project", "lsp", "quiet")
@click.pass_context
def lint_command(
    context: click.Context,
    paths: tuple[Path, ...],
    form: str | None,
    part: str | None,
    jobs: int | None,
    in_order: bool,
    allow_empty: bool,
) -> None:
    """Check edit bundles against the contract and the project's files. Writes nothing.

    PATH is a bundle (*.snippet.json: a request of edit_snippet or edit_scripts, or an array of
    them) or a folder of bundles. Each bundle is checked against the project that it lies in, or
    against --project. Exit code 0: clean; 1: findings; 2: wrong usage.

    \b
    Examples:
      unity-cli lint Edits
      unity-cli lint Edits --in-order
      unity-cli lint Edits --format sarif > lint.sarif
      unity-cli lint Edits --format github --shard 2/8
    """
    from mcp_server.bundles.discovery import (  # noqa: PLC0415 - not for help pages
        Shard,
        find_bundles,
        not_checked,
    )
    from mcp_server.lint.report import LintReport  # noqa: PLC0415
    from mcp_server.lint.run import Target, lint_each  # noqa: PLC0415

    form = chosen_format(context, form)
    options = GlobalOptions.of(context)
    shard = Shard.parse(part) if part is not None else None
    if part is not None and shard is None:
        why = f"--shard must be I/N with 1 <= I <= N, as 2/8 (got {part[:40]})."
        refuse(context, why, ExitCode.USAGE)
    shown_from = paths_from(form)
    check_bundle_paths(context, paths)
    found = find_bundles(paths, shown_from=shown_from, allow_empty=allow_empty)
    known, without_project = bundles_by_project(context, found.bundles)
    work = {
        Target(project, options.lsp, in_order): [
            each for each in bundles if shard is None or shard.holds(each, project)
        ]
        for project, bundles in known.items()
    }
    total = sum(map(len, work.values()))
    with progress_bar("Bundles", total=total, quiet=options.quiet) as bar:
        reports = lint_each(work, jobs, lambda count: bar.move(advance=count))
    if isinstance(reports, ToolError):
        fail(context, reports)
    in_order_of_names = [reports[each] for each in found.bundles if each in reports]
    others = [*found.reports, *map(not_checked, without_project)]
    report = LintReport(in_order_of_names, shard, others)
    _print_report(report, form, quiet=options.quiet)
    context.exit(ExitCode.OK if report.ok else ExitCode.FAILED)


def _print_report(report: LintReport, form: str, *, quiet: bool) -> None:
    from mcp_server.lint.report import github_lines  # noqa: PLC0415 - not for help pages

    if form == "json":
        print_json(report.to_json())
    elif form == "sarif":
        from mcp_server.lint.sarif import sarif_log  # noqa: PLC0415 - loads pydantic

        print_json(sarif_log(report))
    elif form == "github":
        for line in github_lines(report.findings):
            print_line(line)
    else:
        for finding in report.findings:
            print_finding(finding)
    if form in ("text", "github") and not quiet:
        colour = "green" if report.ok else "red"
        print_line(report.summary(), err=form != "text", fg=colour)
