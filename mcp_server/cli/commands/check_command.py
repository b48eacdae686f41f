"""``unity-cli check`` and ``unity-cli lint``: check a project, or edit bundles.

Implements docs/design/command-line.md ``check`` and ``lint``: the formats, and the exit codes 0
(clean), 1 (errors, findings), 2 (wrong usage) and, of ``check``, 3 (unknown).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import click

from mcp_server.calls.language_server import PROJECT_TOOL
from mcp_server.cli.arguments import (
    bundles_by_project,
    check_bundle_paths,
    chosen_format,
    format_option,
    in_project,
    paths_from,
    print_finding,
    project_of,
)
from mcp_server.cli.calling import PROJECT_EXIT_CODES, checked_call, open_caller
from mcp_server.cli.options import (
    GivenPath,
    GlobalOptions,
    Seconds,
    WholeNumber,
    global_options_shown,
)
from mcp_server.cli.printing import ExitCode, exit_code, fail, print_json, print_line, refuse
from mcp_server.cli.progress import job_progress, progress_bar
from mcp_server.contract.errors import ToolError
from roslyn_server.protocol import KEEPING_VARIABLE
from snippet_engine.errors import counted

if TYPE_CHECKING:
    from mcp_server.lint.report import LintReport

_CONFIRMING_S = 30.0
"""How long to wait for the confirmation of a clean result, in seconds."""

_FIRST_PAUSE_S = 0.05

_PATIENCE_S = 5.0
"""After so many seconds without a terminal, one line reports that the check still runs."""

_MOST_S = 600
"""The longest timeout of a check, in seconds: the maximum of its tool."""


@click.command("check")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=GivenPath())
@click.option(
    "--assembly",
    "assemblies",
    metavar="NAME",
    multiple=True,
    help="Check this assembly only; may be given more than once.",
)
@format_option
@click.option("--warnings", is_flag=True, help="Show warnings, too.")
@click.option(
    "--no-index",
    is_flag=True,
    help="Compile everything: neither use nor store results of checks.",
)
@global_options_shown(
    "output",
    "project",
    "url",
    "timeout",
    "lsp",
    "quiet",
    timeout={
        "type": Seconds(_MOST_S),
        "help": "Timeout in seconds, including the compiler's start. Default: 120.",
    },
    lsp={
        "help": "The compiler to ask: auto takes the best one found, COMMAND starts another C# "
        "language server. Default: auto, or $UNITY_CLI_LSP."
    },
)
@click.pass_context
def check_command(
    context: click.Context,
    paths: tuple[Path, ...],
    assemblies: tuple[str, ...],
    form: str | None,
    warnings: bool,
    no_index: bool,
) -> None:
    """Check whether the project compiles, as it is on disk. Needs no Unity.

    The result for each assembly is kept in Library/SnippetEngine/check. The next check
    compiles only assemblies whose scripts, options, libraries or compiler changed.

    PATH is a script or a folder: only errors there are shown. Exit code 0: clean; 1: errors; 2:
    wrong usage; 3: no errors were found, but not everything could be checked.

    \b
    Examples:
      unity-cli check
      unity-cli check Assets/Scripts --warnings
      unity-cli check --assembly Game --assembly Game.Tests
      unity-cli check --format sarif > check.sarif
    """
    form = chosen_format(context, form)
    options = GlobalOptions.of(context)
    if options.timeout_s is not None and options.timeout_s > _MOST_S:  # given before the command
        allowed = f"0<x<={_MOST_S}"
        why = f"Invalid value for '--timeout': {options.timeout_s} is not in the range {allowed}."
        raise click.UsageError(why, context)
    project = project_of(context, paths)
    params: dict[str, Any] = {"include_warnings": warnings}
    inside = list(dict.fromkeys(in_project(context, project, path) for path in paths))
    if inside and "." not in inside:
        params["paths"] = inside
    if assemblies:
        params["assemblies"] = list(dict.fromkeys(assemblies))
    if no_index:
        if options.given_url is not None:
            raise click.UsageError("--no-index starts a compiler: leave --url out.", context)
        os.environ[KEEPING_VARIABLE] = "off"  # the compiler inherits this
    result = _called(context, params, alone=no_index)
    shown = _shown(project, paths_from(form))
    _print(result, form, shown, quiet=options.quiet)
    context.exit(PROJECT_EXIT_CODES[result["status"]])


def _called(context: click.Context, params: Mapping[str, Any], *, alone: bool) -> dict[str, Any]:
    """Return the answer of ``check_project``, with its confirmation if that comes in time."""
    from mcp_server.contract.outcome import ToolResult  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    spec, checked = checked_call(context, PROJECT_TOOL, params)
    caller = open_caller(context, [checked], {spec.name}, alone=alone)
    until = monotonic() + min(spec.timeout_ms(checked) / 1000, _CONFIRMING_S)
    pause = _FIRST_PAUSE_S
    title = "Checking the project"
    with job_progress(title, quiet=options.quiet, patience_s=_PATIENCE_S) as show:
        while True:
            outcome = caller.call(spec, checked, show)
            assert isinstance(outcome, ToolResult | ToolError), "it changes nothing"
            left = until - monotonic()
            if isinstance(outcome, ToolError):
                break
            result = outcome.structured
            # A clean answer may cover only what changed; the server checks the rest meanwhile.
            if result["status"] != "clean" or result["confirmed"] or left <= 0:
                return result
            sleep(min(pause, left))
            pause *= 2
    code = exit_code(outcome)
    return fail(context, outcome, code if code is ExitCode.USAGE else ExitCode.UNREACHABLE)


def _shown(project: Path, base: Path) -> Callable[[str], str]:
    root, base = project.resolve(), base.resolve()

    def shown(path: str) -> str:
        file = root / path
        return file.relative_to(base).as_posix() if file.is_relative_to(base) else str(file)

    return shown


def _print(
    result: Mapping[str, Any], form: str, shown: Callable[[str], str], *, quiet: bool
) -> None:
    from mcp_server.calls.project_check import summary  # noqa: PLC0415 - not for help pages
    from mcp_server.lint.report import project_github_lines, project_sarif_log  # noqa: PLC0415

    if form in ("json", "sarif"):
        print_json(dict(result) if form == "json" else project_sarif_log(result, shown))
        return
    if form == "github":
        for each in project_github_lines(result, shown):
            print_line(each)
    else:
        _print_text(result, shown)
    if not quiet:
        colour = {"clean": "green", "errors": "red"}.get(result["status"], "yellow")
        text = summary(result)
        print_line(text[:1].upper() + text[1:], err=form != "text", fg=colour)


def _print_text(result: Mapping[str, Any], shown: Callable[[str], str]) -> None:
    from mcp_server.calls.project_check import advice, line, not_checked  # noqa: PLC0415

    for kind in ("error", "warning"):
        listed = result[f"{kind}s"]
        for each in listed:
            print_line(line(each, kind, shown(each["path"]) if each["path"] else ""))
        left = result["counts"][f"{kind}s"] - len(listed)
        if left:
            print_line(f"… {counted(left, f'more {kind}')}")
    for each in result["notChecked"]:
        print_line(f"not checked: {not_checked(each)}", err=True)
    for each in advice(result):
        print_line(each, err=True)


@click.command("lint")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=GivenPath())
@format_option
@click.option("--shard", "part", metavar="I/N", help="Check only part I of N, such as 2/8.")
@click.option(
    "--jobs",
    type=WholeNumber(1, 61),  # what Windows can wait for at once
    metavar="N",
    help="Number of processes. Default: for many bundles, up to one per processor.",
)
@click.option(
    "--in-order",
    is_flag=True,
    help="Check each request of a bundle on the result of the earlier ones, as apply does.",
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
    from mcp_server.bundles.discovery import Shard, find_bundles, not_checked  # noqa: PLC0415
    from mcp_server.lint.report import LintReport  # noqa: PLC0415
    from mcp_server.lint.run import Target, lint_each  # noqa: PLC0415

    form = chosen_format(context, form)
    options = GlobalOptions.of(context)
    shard = Shard.parse(part) if part is not None else None
    if part is not None and shard is None:
        why = f"--shard must be I/N with 1 <= I <= N, such as 2/8 (got {part[:40]})."
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
    from mcp_server.lint.report import github_lines, sarif_log  # noqa: PLC0415

    if form == "json":
        print_json(report.to_json())
    elif form == "sarif":
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
