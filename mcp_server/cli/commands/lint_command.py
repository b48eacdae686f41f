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
    missing_path,
    print_finding,
    usage_error,
)
from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.output import (
    ExitCode,
    exit_code,
    print_failure,
    print_json,
    print_line,
)
from mcp_server.cli.printing.progress import progress_bar
from mcp_server.cli.value_types import GivenPath, WholeNumber
from mcp_server.contract.errors import ToolError

if TYPE_CHECKING:
    from mcp_server.lint.report import LintReport

_FORMATS = ("text", "json", "sarif", "github")
_ROOTED = ("sarif", "github")
"""Formats whose readers take paths from the repository's root."""


@click.command("lint")
@click.argument(
    "paths",
    metavar="PATH...",
    nargs=-1,
    required=True,
    type=GivenPath(),
)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    help="Default: text; with --output json: json.",
)
@click.option("--shard", "part", metavar="I/N", help="Check the I-th of N parts only, as 2/8.")
@click.option(
    "--jobs",
    type=WholeNumber(1, 61),  # what Windows can wait for at once
    metavar="N",
    help="Processes. Default: as many as there are processors, where that is worth it.",
)
@click.option(
    "--in-order",
    is_flag=True,
    help="Check each request of a bundle on the result of those before it, as apply does.",
)
@click.option(
    "--allow-empty", is_flag=True, help="A folder without any bundle is no error, only told."
)
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
    them) or a folder of bundles. Each is checked against the project that it lies in; --project
    says another one. Exit code 0: clean; 1: findings; 2: wrong usage.

    \b
    Examples:
      unity-cli lint Edits
      unity-cli lint Edits --in-order
      unity-cli lint Edits --format sarif > lint.sarif
      unity-cli lint Edits --format github --shard 2/8
    """
    from mcp_server.lint.report import LintReport  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    if form is None:
        form = "json" if options.as_json else "text"
    elif options.as_json and form not in ("json", "sarif"):
        raise click.UsageError(f"--output json and --format {form} exclude each other.", context)
    report = _lint(options, paths, form, part, jobs, in_order=in_order, allow_empty=allow_empty)
    if isinstance(report, LintReport):
        _print_report(report, form, quiet=options.quiet)
        context.exit(ExitCode.OK if report.ok else ExitCode.FAILED)
    print_failure(report, as_json=form in ("json", "sarif"))
    context.exit(exit_code(report))


def _lint(
    options: GlobalOptions,
    paths: tuple[Path, ...],
    form: str,
    part: str | None,
    jobs: int | None,
    *,
    in_order: bool,
    allow_empty: bool,
) -> LintReport | ToolError:
    from mcp_server.bundles.discovery import (  # noqa: PLC0415 - not for help pages
        Shard,
        find_bundles,
        not_checked,
        repository_root,
    )
    from mcp_server.lint.report import LintReport  # noqa: PLC0415
    from mcp_server.lint.run import Jobs, Target, lint_each  # noqa: PLC0415

    here = Path.cwd()
    shard = Shard.parse(part) if part is not None else None
    if part is not None and shard is None:
        return usage_error(f"--shard must be I/N with 1 <= I <= N, as 2/8 (got {part[:40]}).")
    missing = missing_path(paths)
    if missing is not None:
        return missing
    shown_from = repository_root(here) if form in _ROOTED else here
    found = find_bundles(paths, shown_from=shown_from, allow_empty=allow_empty)
    by_project = bundles_by_project(options, found.bundles, here)
    if isinstance(by_project, ToolError):
        return by_project
    work = {
        Target(project, options.lsp, in_order): [
            each for each in bundles if shard is None or shard.holds(each, project)
        ]
        for project, bundles in by_project.known.items()
    }
    total = sum(map(len, work.values()))
    with progress_bar("Bundles", total=total, quiet=options.quiet) as bar:
        reports = lint_each(work, Jobs(jobs), lambda count: bar.move(advance=count))
    if isinstance(reports, ToolError):
        return reports
    in_order_of_names = [reports[each] for each in found.bundles if each in reports]
    others = [*found.reports, *map(not_checked, by_project.none)]
    return LintReport(in_order_of_names, shard, others)


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
