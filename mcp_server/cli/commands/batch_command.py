"""``unity-cli batch``: run the tool calls in a file, and print one result for each.

Implements docs/design/command-line.md ``batch``: all items are checked before the first runs; exit
code 1 if any of them failed; progress on a terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_server.cli.calling import open_caller, print_result
from mcp_server.cli.options import GivenPath, GlobalOptions, global_options
from mcp_server.cli.printing import (
    ExitCode,
    fail,
    outlast_readers,
    print_json,
    print_line,
    print_text,
)
from mcp_server.cli.progress import Bar, progress_bar
from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.interrupt_signals import end_like_ctrl_c, ended_by, exit_code_of

if TYPE_CHECKING:
    from mcp_server.calls.batch import BatchItem, BatchReport, ItemResult
    from mcp_server.calls.dry_run import Suppressed
    from mcp_server.calls.tool_caller import ToolCaller

MAX_BYTES = 64 * 1024 * 1024
"""Largest batch that is read, in bytes."""


@click.command("batch")
@click.argument("source", metavar="[FILE | -]", required=False, type=GivenPath())
@click.option("--stop-on-error", is_flag=True, help="Stop at the first item that fails.")
@global_options
@click.pass_context
def batch_command(context: click.Context, source: Path | None, stop_on_error: bool) -> None:
    """Run many tool calls in order: a JSON array or JSON Lines of {"tool", "params"?, "id"?}.

    All items are checked before the first one runs. Without FILE, or with -, they are read from
    standard input. Exit code 0: all items succeeded; 1: an item failed; 2: nothing was run.

    \b
    Examples:
      unity-cli batch calls.jsonl --output json
      unity-cli --dry-run batch - < calls.json
    """
    options = GlobalOptions.of(context)
    if source is None and sys.stdin is not None and sys.stdin.isatty():
        raise click.UsageError("Give a FILE, or - to read the batch from standard input.", context)
    items = _items(source, options.timeout_s)
    if isinstance(items, ToolError):
        if not options.as_json:
            _print_problems(items)
        fail(context, items)
    caller = open_caller(
        context, [item.params for item in items], {item.spec.name for item in items}
    )
    refused = caller.refusal((item.spec, item.params) for item in items)
    if refused is not None:
        fail(context, refused)
    if any(item.spec.changes_things(item.params) for item in items):
        outlast_readers(context)
    end_like_ctrl_c()
    report = _run(caller, items, options, stop_on_error=stop_on_error)
    if options.as_json:
        print_json(report.to_json())
    elif not options.quiet:
        print_line(report.summary(), fg="green" if report.ok else "red")
    if report.interrupted:
        context.exit(exit_code_of(ended_by()))
    context.exit(ExitCode.FAILED if report.failed else ExitCode.OK)


def _items(source: Path | None, timeout_s: float | None) -> list[BatchItem] | ToolError:
    from mcp_server.calls.batch import check_batch, read_batch  # noqa: PLC0415 - not for help pages
    from mcp_server.calls.json_input import NotJson  # noqa: PLC0415
    from mcp_server.cli import params  # noqa: PLC0415

    if source is None or str(source) == "-":
        name, text = params.STDIN, params.text_of_stdin(MAX_BYTES)
    else:
        name, text = str(source), params.text_of_file(source, str(source), MAX_BYTES)
    if isinstance(text, ToolError):
        return text
    if not text.strip():
        empty = NotJson("it is empty. Send an array of {tool, params} objects")
        return params.not_json(name, empty)
    batch = read_batch(text)
    if isinstance(batch, NotJson):
        return params.not_json(name, batch)
    if batch.values and all(map(_is_edit, batch.values)):
        bundle = "FILE" if name == params.STDIN else name
        apply = f"apply it with unity-cli apply {bundle}"
        return params.not_json(name, NotJson(apply, what="is a bundle of edits"))
    return check_batch(batch, timeout_s=timeout_s)


def _is_edit(value: object) -> bool:
    """Return whether ``value`` is an ``edit_snippet`` request, which names no tool."""
    if not isinstance(value, dict) or "tool" in value:
        return False
    return "instructions" in value or "changes" in value


def _run(
    caller: ToolCaller, items: list[BatchItem], options: GlobalOptions, *, stop_on_error: bool
) -> BatchReport:
    from mcp_server.calls.batch import BatchReport, ItemResult, run_batch  # noqa: PLC0415
    from mcp_server.cli.undo_advice import outcome_of  # noqa: PLC0415

    results: list[ItemResult] = []
    begun: list[BatchItem] = []
    ended: list[Outcome | Suppressed] = []
    # On a terminal, the results themselves show the progress: they are printed as they come.
    silent = options.quiet or (sys.stdout.isatty() and not options.as_json)
    with progress_bar("Batch", total=len(items), quiet=silent) as bar:

        def call(item: BatchItem) -> Outcome | Suppressed:
            begun.append(item)
            bar.move(description=item.spec.name)
            ended.append(caller.call(item.spec, item.params, _show_job(bar, item)))
            return ended[-1]

        try:
            for result in run_batch(items, call, stop_on_error=stop_on_error):
                results.append(result)
                bar.move(advance=1)
                if not options.as_json:
                    _print_item(result, len(items))
        except KeyboardInterrupt as error:
            if len(begun) > len(results):
                last = begun[-1]
                is_known = len(ended) == len(begun)
                outcome = ended[-1] if is_known else outcome_of(error, last.spec, last.params)
                results.append(ItemResult(last, outcome))
            return BatchReport(len(items), results, interrupted=True)
    return BatchReport(len(items), results)


def _show_job(bar: Bar, item: BatchItem) -> Callable[[Mapping[str, Any]], None]:
    def show(status: Mapping[str, Any]) -> None:
        progress = status["progress"] or {}
        counted = f" {progress['completed']}/{progress['total']}" if "total" in progress else ""
        bar.move(description=f"{item.spec.name}: {status['state']}{counted}")

    return show


def _print_item(result: ItemResult, total: int) -> None:
    from mcp_server.calls.dry_run import Suppressed  # noqa: PLC0415 - not for help pages

    item, error, outcome = result.item, result.error, result.outcome
    named = "" if item.id is None else f" (id {item.id})"
    ending, colour = ("failed", "red") if error else ("ok", "green")
    if result.skipped and not error:
        ending, colour = "skipped: dry run", "yellow"
    print_line(f"[{item.index + 1}/{total}] {item.spec.name}{named}: {ending}", fg=colour)
    shown = outcome.preview if isinstance(outcome, Suppressed) else outcome
    if isinstance(shown, ToolResult):
        print_result(item.spec.name, shown)
    if error:
        print_text(error.text)


def _print_problems(error: ToolError) -> None:
    """Print each problem on its own line, if the error's one line doesn't have all of them."""
    from mcp_server.calls.batch import problem_line  # noqa: PLC0415 - not for help pages

    problems = error.details.get("problems", ())
    if len(problems) > 1:
        for problem in problems:
            print_line(problem_line(problem), err=True)
