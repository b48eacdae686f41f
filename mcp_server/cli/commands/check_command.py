"""``unity-cli check``: does the project compile? Every error, without Unity.

Implements docs/design/command-line.md ``check``: the formats, and the exit codes 0 (clean), 1
(errors), 2 (wrong usage) and 3 (can't tell).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mcp_server.cli.arguments.script_paths import in_project, project_of
from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.output import (
    ExitCode,
    exit_code,
    print_failure,
    print_json,
    print_line,
)
from mcp_server.cli.tool_calls.outcomes import PROJECT_EXIT_CODES
from mcp_server.cli.value_types import GivenPath, Seconds
from mcp_server.contract.errors import ToolError

if TYPE_CHECKING:
    from mcp_server.contract.outcome import Outcome

_FORMATS = ("text", "json", "sarif", "github")
_ROOTED = ("sarif", "github")
"""Formats whose readers take paths from the repository's root."""

_CONFIRMING_S = 30.0
"""So long a clean answer is waited for to be confirmed, at most; then it says that it isn't."""

_FIRST_PAUSE_S = 0.05

_PATIENCE_S = 5.0
"""After so long it is said that it goes on: nobody wants to know it of a check that is quick."""

_MOST_S = 600
"""Longest time that a check may take, in seconds: what its tool takes."""


@click.command("check")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=GivenPath())
@click.option(
    "--assembly",
    "assemblies",
    metavar="NAME",
    multiple=True,
    help="Check this assembly only; may be given more than once.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    help="Default: text; with --output json: json.",
)
@click.option("--warnings", is_flag=True, help="Show warnings, too.")
@global_options_shown(
    "output",
    "project",
    "url",
    "timeout",
    "lsp",
    "quiet",
    timeout={
        "type": Seconds(_MOST_S),
        "help": "Seconds that it may take, a compiler's start included. Default: 120.",
    },
    lsp={
        "help": "Whose compiler is asked: auto is the best that there is, COMMAND another C# "
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
) -> None:
    """Check whether the project compiles, as it is on disk. Needs no Unity, and writes nothing.

    PATH is a script or a folder: only errors there are shown. Exit code 0: clean; 1: errors; 2:
    wrong usage; 3: no errors were found, but not all could be checked, and why.

    \b
    Examples:
      unity-cli check
      unity-cli check Assets/Scripts --warnings
      unity-cli check --assembly Game --assembly Game.Tests
      unity-cli check --format sarif > check.sarif
    """
    options = GlobalOptions.of(context)
    if form is None:
        form = "json" if options.as_json else "text"
    elif options.as_json and form not in ("json", "sarif"):
        raise click.UsageError(f"--output json and --format {form} exclude each other.", context)
    if options.timeout_s is not None and options.timeout_s > _MOST_S:  # given before the command
        allowed = f"0<x<={_MOST_S}"
        why = f"Invalid value for '--timeout': {options.timeout_s} is not in the range {allowed}."
        raise click.UsageError(why, context)
    project = project_of(options.project, paths)
    if isinstance(project, ToolError):
        _fail(context, project, form)
    named = _in_project(project, paths)
    if isinstance(named, ToolError):
        _fail(context, named, form)
    params: dict[str, Any] = {"include_warnings": warnings}
    if named:
        params["paths"] = named
    if assemblies:
        params["assemblies"] = list(dict.fromkeys(assemblies))
    outcome = _called(context, params)
    if isinstance(outcome, ToolError):
        _fail(context, outcome, form)
    result = outcome.to_json()
    _print(result, form, _shown(project, form), quiet=options.quiet)
    context.exit(PROJECT_EXIT_CODES[result["status"]])


def _in_project(project: Path, paths: tuple[Path, ...]) -> list[str] | ToolError:
    """The paths as the tool takes them; none where one is the whole project."""
    named: list[str] = []
    for path in paths:
        inside = in_project(project, path)
        if isinstance(inside, ToolError):
            return inside
        if inside == ".":
            return []
        named.append(inside)
    return list(dict.fromkeys(named))


def _called(context: click.Context, params: Mapping[str, Any]) -> Outcome:
    from mcp_server.calls.json_input import with_timeout  # noqa: PLC0415
    from mcp_server.calls.language_server import PROJECT_TOOL  # noqa: PLC0415 - not for help pages
    from mcp_server.cli.printing.job_progress import job_progress  # noqa: PLC0415
    from mcp_server.cli.tool_calls.calling import open_caller  # noqa: PLC0415
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415
    from mcp_server.contract.outcome import ToolResult  # noqa: PLC0415
    from mcp_server.contract.request_validator import check_arguments  # noqa: PLC0415

    options, spec = GlobalOptions.of(context), CATALOG[PROJECT_TOOL]
    timed = with_timeout(dict(params), options.timeout_s, spec.max_timeout_ms)
    checked = check_arguments(spec, timed)
    if isinstance(checked, ToolError):
        return checked
    caller = open_caller(context, [checked], {spec.name})
    until = monotonic() + min(spec.timeout_ms(checked) / 1000, _CONFIRMING_S)
    pause = _FIRST_PAUSE_S
    title = "Checking the project"
    with job_progress(title, quiet=options.quiet, patience_s=_PATIENCE_S) as show:
        while True:
            outcome = caller.call(spec, checked, show)
            assert isinstance(outcome, ToolResult | ToolError), "it changes nothing"
            left = until - monotonic()
            if isinstance(outcome, ToolError) or not _awaits_proof(outcome) or left <= 0:
                return outcome
            sleep(min(pause, left))
            pause *= 2


def _awaits_proof(outcome: Outcome) -> bool:
    """Whether it is clean by what changed alone: the server binds all of it, in the background."""
    result = outcome.to_json()
    return result["status"] == "clean" and not result["confirmed"]


def _fail(context: click.Context, error: ToolError, form: str) -> NoReturn:
    """End with what was wrong with the call; else it can't be told whether the project compiles."""
    print_failure(error, as_json=form in ("json", "sarif"))
    code = exit_code(error)
    context.exit(code if code is ExitCode.USAGE else ExitCode.UNREACHABLE)


def _shown(project: Path, form: str) -> Callable[[str], str]:
    from mcp_server.bundles.discovery import repository_root  # noqa: PLC0415 - not for help pages

    here = Path.cwd()
    base = repository_root(here) if form in _ROOTED else here
    root = project.resolve()

    def shown(path: str) -> str:
        file = root / path
        inside = file.is_relative_to(base.resolve())
        return file.relative_to(base.resolve()).as_posix() if inside else str(file)

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
    elif form == "github":
        for each in project_report.github_lines(result, shown):
            print_line(each)
    else:
        _print_text(result, shown)
    if form == "sarif" or quiet:
        return
    from mcp_server.calls.project_check import summary  # noqa: PLC0415

    colour = {"clean": "green", "errors": "red"}.get(result["status"], "yellow")
    print_line(_sentence(summary(result)), err=form != "text", fg=colour)


def _print_text(result: Mapping[str, Any], shown: Callable[[str], str]) -> None:
    from mcp_server.calls.project_check import advice, line, not_checked  # noqa: PLC0415

    for kind in ("error", "warning"):
        listed = result[f"{kind}s"]
        for each in listed:
            print_line(line(each, kind, shown(each["path"]) if each["path"] else ""))
        left = result["counts"][f"{kind}s"] - len(listed)
        if left:
            print_line(f"… {left:,} more {kind}{'' if left == 1 else 's'}")
    for each in result["notChecked"]:
        print_line(f"not checked: {not_checked(each)}", err=True)
    for each in advice(result):
        print_line(each, err=True)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
