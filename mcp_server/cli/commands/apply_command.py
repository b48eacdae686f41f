"""``unity-cli apply``: write the edits of bundles, each bundle whole or not at all.

Implements docs/design/command-line.md ``apply``: the command shows what it would write, and asks on
a terminal; elsewhere it needs ``--yes``. Exit codes: 0 all applied, 1 something was not.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_server.cli.arguments import (
    bundles_by_project,
    check_bundle_paths,
    print_finding,
    refuse_without_project,
)
from mcp_server.cli.calling import print_result
from mcp_server.cli.options import GivenPath, GlobalOptions, global_options_shown
from mcp_server.cli.printing import (
    ExitCode,
    fail,
    lost_output,
    outlast_readers,
    print_json,
    print_line,
    refuse,
)
from mcp_server.interrupt_signals import endings_noted, exit_code_of
from mcp_server.terminal_text import safe_text
from snippet_engine.errors import counted

if TYPE_CHECKING:
    from signal import Signals

    from mcp_server.bundles.apply import BundleOutcome, Rehearsal
    from mcp_server.bundles.discovery import Found
    from mcp_server.bundles.findings import BundleReport
    from mcp_server.bundles.item import Engines

_STATUS = {
    "previewed": "would be applied",
    "applied": "applied",
    "unchanged": "has nothing to change",
    "refused": "refused; nothing of it was written",
    "taken_back": "not applied; its writes were rolled back",
    "left": "NOT APPLIED, AND NOT ALL OF IT COULD BE ROLLED BACK",
    "not_begun": "not begun",
}


@click.command("apply")
@click.argument("paths", metavar="BUNDLE...", nargs=-1, required=True, type=GivenPath())
@click.option("--yes", is_flag=True, help="Write without asking.")
@global_options_shown("dry-run", "output", "project", "lsp", "quiet", "verbose")
@click.pass_context
def apply_command(context: click.Context, paths: tuple[Path, ...], yes: bool) -> None:
    """Apply edit bundles (*.snippet.json), or folders of them, in the given order.

    The project is --project, or the one that they lie in.

    Each bundle is applied whole or not at all: its requests in order, each on the result of the
    earlier ones, whatever their "mode". The command first tries all bundles in memory and shows the
    result. Then it asks on a terminal; elsewhere --yes is needed. If a request is refused during
    the write, the writes of its bundle are rolled back. No server is needed. unity-cli history
    lists the applied requests; unity-cli undo takes them back, the last one first.

    \b
    Examples:
      unity-cli apply Edits --dry-run
      unity-cli apply Edits/cap-speed.snippet.json
      unity-cli apply Edits --yes --output json
    """
    from mcp_server.bundles.item import opened  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    project, found = _found(context, paths)
    asks = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    if not (yes or options.dry_run) and (options.as_json or not asks):
        why = "There is no terminal to ask on. Give --yes to apply, or --dry-run for a preview."
        raise click.UsageError(why, context)
    outlast_readers(context)
    outcomes: list[BundleOutcome] = []
    ended_by: Signals | None = None
    try:
        with opened(project, options.lsp) as engines:
            rehearsed = _rehearsed(engines, found, options, shows=not yes or options.dry_run)
            good = [each for each in rehearsed if not each.findings]
            if not options.dry_run and good and not yes:
                _ask(context, project, rehearsed, good)
            if options.dry_run:
                outcomes += [each.outcome for each in rehearsed]
            else:
                ended_by = _carry_out(engines, rehearsed, outcomes, options, shows=yes)
        interrupted = ended_by is not None
        _print_summary(options, project, outcomes, found.reports, interrupted=interrupted)
    except KeyboardInterrupt:  # before anything was written, or during the report
        from mcp_server.calls.interrupted_call import DescribedInterruptError  # noqa: PLC0415

        untouched = options.dry_run or not outcomes
        raise DescribedInterruptError(_written_so_far(outcomes), nothing_done=untouched) from None
    if ended_by is not None:
        context.exit(exit_code_of(ended_by))
    failed = any(each.failed for each in outcomes) or any(each.errors for each in found.reports)
    context.exit(ExitCode.FAILED if failed else ExitCode.OK)


def _found(context: click.Context, paths: Sequence[Path]) -> tuple[Path, Found]:
    """Return the project and its bundles. Ends the command if there are none."""
    from mcp_server.bundles.discovery import find_bundles  # noqa: PLC0415 - not for help pages
    from mcp_server.bundles.item import unusable  # noqa: PLC0415

    options, here = GlobalOptions.of(context), Path.cwd()
    check_bundle_paths(context, paths)
    found = find_bundles(paths, shown_from=here, as_named=True, allow_empty=True)
    known, without_project = bundles_by_project(context, found.bundles)
    if without_project:  # their edits may depend on the other bundles
        refuse_without_project(context, without_project)
    if len(known) > 1:
        (one, first), (other, second) = [*known.items()][:2]
        why = (
            f"{first[0].shown} belongs to the project {one.name}, and {second[0].shown} to "
            f"{other.name}. Apply those of one project at a time, or give --project."
        )
        refuse(context, why, ExitCode.USAGE)
    (project,) = known
    wrong = unusable(project, options.lsp)
    if wrong is not None:
        fail(context, wrong)
    if not found.bundles:
        _print_reports(options, found.reports)
        refuse(context, "There is no bundle (*.snippet.json) to apply.", ExitCode.USAGE)
    return project, found


def _rehearsed(
    engines: Engines, found: Found, options: GlobalOptions, *, shows: bool
) -> list[Rehearsal]:
    """Try every bundle in memory. Print the result if ``shows``, or if a bundle is refused."""
    from mcp_server.bundles.apply import rehearse  # noqa: PLC0415 - not for help pages

    _print_reports(options, found.reports)
    rehearsed: list[Rehearsal] = []
    for rehearsal in rehearse(engines, found.bundles):
        rehearsed.append(rehearsal)
        if not options.as_json and (shows or rehearsal.findings):
            _print_outcome(rehearsal.outcome, quiet=options.quiet)
    return rehearsed


def _ask(
    context: click.Context,
    project: Path,
    rehearsed: Sequence[Rehearsal],
    good: Sequence[Rehearsal],
) -> None:
    requests = sum(len(each.steps) for each in good)
    bundles = f"{len(good)} of {counted(len(rehearsed), 'bundle')}"
    what = bundles if len(good) < len(rehearsed) else counted(len(good), "bundle")
    where = f"in {project.absolute()}"
    question = f"Apply {what} ({counted(requests, 'request')}) {where}?"
    if not click.confirm(safe_text(question), err=True):
        print_line("Nothing was written.")
        context.exit(ExitCode.FAILED)


def _carry_out(
    engines: Engines,
    rehearsed: Sequence[Rehearsal],
    outcomes: list[BundleOutcome],
    options: GlobalOptions,
    *,
    shows: bool,
) -> Signals | None:
    """Write the bundles, adding to ``outcomes``. Return the signal that ended this, if any."""
    from mcp_server.bundles.apply import carry_out  # noqa: PLC0415 - not for help pages
    from mcp_server.calls.tool_caller import COMMAND_LINE  # noqa: PLC0415
    from snippet_engine.call_context import as_client  # noqa: PLC0415

    with endings_noted() as ended_by, as_client(COMMAND_LINE):
        for rehearsal in rehearsed:
            if rehearsal.findings:
                outcomes.append(rehearsal.outcome)
                continue
            outcome = carry_out(
                engines, rehearsal, lambda: ended_by() is not None, was_shown=not shows
            )
            outcomes.append(outcome)
            if options.as_json:
                continue
            if shows or outcome.failed:
                _print_outcome(outcome, quiet=options.quiet)
            # The output of an applied bundle has its notes already.
            if not shows or outcome.failed or options.quiet:
                for note in outcome.notes:
                    print_line(note, err=True)
        return ended_by()


def _print_reports(options: GlobalOptions, reports: Sequence[BundleReport]) -> None:
    if not options.as_json:
        for report in reports:
            for finding in report.findings:
                print_finding(finding)


def _print_outcome(outcome: BundleOutcome, *, quiet: bool) -> None:
    from mcp_server.bundles.item import tool_of  # noqa: PLC0415 - not for help pages
    from mcp_server.cli.undo_advice import command_of  # noqa: PLC0415
    from mcp_server.contract.outcome import ToolResult  # noqa: PLC0415
    from snippet_engine.answer.text_form import text_form  # noqa: PLC0415

    colour = "red" if outcome.failed else "green"
    line = f"{outcome.file} ({counted(outcome.items, 'request')}): {_STATUS[outcome.status]}"
    print_line(line, fg=colour, bold=True)
    for finding in outcome.findings:
        print_finding(finding)
    for left in outcome.left:
        undo = left.applied.undo
        by = undo.get("hashAfter") or f"changeId {undo['changeId']}"
        print_line(f"{', '.join(left.applied.paths)} is still as {by} left it: {left.reason}")
        print_line(f"  to take it back later: {command_of(undo)}")
    if not outcome.failed and not quiet:
        for result in outcome.results:
            tool = tool_of(result)
            print_result(tool, ToolResult(result, text_form(tool, result)))


def _print_summary(
    options: GlobalOptions,
    project: Path,
    outcomes: Sequence[BundleOutcome],
    reports: Sequence[BundleReport],
    *,
    interrupted: bool,
) -> None:
    failed = sum(outcome.failed for outcome in outcomes)
    line = _summary(outcomes, dry_run=options.dry_run, interrupted=interrupted)
    if options.as_json:
        ok = not failed and not interrupted and not any(each.errors for each in reports)
        print_json(
            {
                "ok": ok,
                "dry_run": options.dry_run,
                "project": str(project.absolute()),
                **({"interrupted": True} if interrupted else {}),
                "bundles": [outcome.to_json() for outcome in outcomes],
                "findings": [finding.to_json() for each in reports for finding in each.findings],
            }
        )
    elif not options.quiet or failed or interrupted:
        colour = "red" if failed or interrupted else "green"
        print_line(f"project {project.absolute()}")
        print_line(line, fg=colour)
    if lost_output() is not None:
        for outcome in outcomes:
            print_line(f"{outcome.file}: {_STATUS[outcome.status]}", err=True)
        print_line(line, err=True)


def _written_so_far(outcomes: Sequence[BundleOutcome]) -> str:
    if not outcomes:
        return "Nothing was written."
    return f"{'; '.join(f'{each.file}: {_STATUS[each.status]}' for each in outcomes)}."


def _summary(outcomes: Sequence[BundleOutcome], *, dry_run: bool, interrupted: bool) -> str:
    counts: dict[str, int] = {}
    for outcome in outcomes:
        name = outcome.status.replace("_", " ")
        counts[name] = counts.get(name, 0) + 1
    listed = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    ending = ". Interrupted." if interrupted else ""
    nothing = "; dry run, nothing was written" if dry_run else ""
    return f"{counted(len(outcomes), 'bundle')}: {listed}{nothing}{ending}"
