"""``unity-cli check``: does the project compile? Every error, without Unity.

Implements docs/design/command-line.md ``check``: the formats, and the exit codes 0 (clean), 1
(errors), 2 (wrong usage) and 3 (unknown).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import click

from mcp_server.cli.arguments.bundle_arguments import chosen_format, format_option, paths_from
from mcp_server.cli.arguments.script_paths import in_project, project_of
from mcp_server.cli.options import GivenPath, GlobalOptions, Seconds, global_options_shown
from mcp_server.cli.printing.output import ExitCode, exit_code, fail, print_json, print_line
from mcp_server.cli.tool_calls.outcomes import PROJECT_EXIT_CODES
from mcp_server.contract.errors import ToolError
from roslyn_server.protocol import KEEPING_VARIABLE
from snippet_engine.errors import counted

_CONFIRMING_S = 30.0
"""Longest wait for a clean answer to be confirmed, in seconds."""

_FIRST_PAUSE_S = 0.05

_PATIENCE_S = 5.0
"""After so many seconds without a terminal, a line says that the check still runs."""

_MOST_S = 600
"""Longest time that a check may take, in seconds: its tool's maximum."""


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
        os.environ[KEEPING_VARIABLE] = "off"  # its compiler has this environment
    result = _called(context, params, alone=no_index)
    _print(result, form, _shown(project, paths_from(form)), quiet=options.quiet)
    context.exit(PROJECT_EXIT_CODES[result["status"]])


def _called(context: click.Context, params: Mapping[str, Any], *, alone: bool) -> dict[str, Any]:
    """Return what ``check_project`` answers, confirmed if that comes in time."""
    from mcp_server.calls.json_input import with_timeout  # noqa: PLC0415 - not for help pages
    from mcp_server.calls.language_server import PROJECT_TOOL  # noqa: PLC0415
    from mcp_server.cli.printing.progress import job_progress  # noqa: PLC0415
    from mcp_server.cli.tool_calls.calling import open_caller  # noqa: PLC0415
    from mcp_server.contract.outcome import ToolResult  # noqa: PLC0415
    from mcp_server.contract.request_validator import check_arguments  # noqa: PLC0415
    from mcp_server.contract.script_tools import SCRIPT_TOOLS  # noqa: PLC0415

    options, spec = GlobalOptions.of(context), SCRIPT_TOOLS[PROJECT_TOOL]
    timed = with_timeout(dict(params), options.timeout_s, spec.max_timeout_ms)
    checked = check_arguments(spec, timed)
    if isinstance(checked, ToolError):
        fail(context, checked)
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
    if form == "json":
        print_json(dict(result))
        return
    from mcp_server.lint import project_report  # noqa: PLC0415 - not for help pages

    if form == "sarif":
        print_json(project_report.sarif_log(result, shown))
        return
    if form == "github":
        for each in project_report.github_lines(result, shown):
            print_line(each)
    else:
        _print_text(result, shown)
    if not quiet:
        from mcp_server.calls.project_check import summary  # noqa: PLC0415

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
