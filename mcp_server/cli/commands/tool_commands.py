"""``unity-cli tool list|schema|call``: list the tools, show their schemas, and call them.

Implements docs/design/command-line.md "Tools": one command shows a tool's schema, and wrong
parameters are refused before anything runs. Script tools run in this process. The Unity Editor's
tools run through the server that the Editor is connected to.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mcp_server.calls.json_input import with_timeout
from mcp_server.cli.calling import (
    call_by_running_server,
    open_caller,
    print_result,
    result_exit_code,
)
from mcp_server.cli.options import GivenPath, GlobalOptions, global_options, global_options_shown
from mcp_server.cli.printing import (
    ExitCode,
    Styled,
    exit_code,
    fail,
    outlast_readers,
    print_failure,
    print_json,
    print_line,
    print_text,
)
from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import Outcome, ToolResult, found_errors
from mcp_server.contract.server_schemas import DELEGATED_TOOLS
from mcp_server.interrupt_signals import end_like_ctrl_c

if TYPE_CHECKING:
    from mcp_server.calls.dry_run import Suppressed
    from mcp_server.calls.tool_caller import ToolCaller
    from mcp_server.contract.tool_spec import ToolSpec
    from snippet_engine.schemas.checked_params import CheckedParams

_FIRST_WORDS = re.compile(r".+?(?=[.:;]|\?| \(|, with|$)\??")
"""Matches the first words of a tool's description, which say what it does."""

_PARAMETERS = (
    "A tool's parameters are one JSON object: --json '{…}', --params-file FILE, or - for standard "
    "input. Their names: unity-cli tool schema TOOL."
)


def _complete_tool(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415 - not for help pages

    return [name for name in CATALOG if name.startswith(typed)]


@click.group()
@global_options_shown()
def tool_command() -> None:
    """List the tools, show what they take, and call them.

    \b
    Examples:
      unity-cli tool list
      unity-cli tool schema edit_snippet
      unity-cli tool call get_symbols --json '{"path": "Assets/Player.cs"}'
    """


@tool_command.command("list", short_help="List the tools, and what each does.")
@global_options_shown("output", verbose={"help": "Print what each tool does, even in a pipe."})
@click.pass_context
def list_tools(context: click.Context) -> None:
    """List the tools, one a line; on a terminal, with what each does.

    \b
    Examples:
      unity-cli tool list
      unity-cli tool list --output json
    """
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    if options.as_json:
        print_json(list(CATALOG))
    elif options.verbose or sys.stdout.isatty():
        _print_tools()
    else:
        print_text("\n".join(CATALOG))


def _print_tools() -> None:
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415 - not for help pages

    widest = max(map(len, CATALOG))
    for spec in CATALOG.values():
        does = _FIRST_WORDS.match(spec.description)
        assert does is not None, spec.name
        print_line(Styled(f"{spec.name:<{widest}}", fg="cyan"), f"  {does[0]}")


@tool_command.command(short_help="Show what a tool takes and answers.")
@click.argument("name", metavar="[TOOL]", required=False, shell_complete=_complete_tool)
@click.option("--all", "every", is_flag=True, help="The schemas of all tools.")
@global_options_shown("output")
@click.pass_context
def schema(context: click.Context, name: str | None, every: bool) -> None:
    """Show what TOOL takes and answers, as JSON Schema. Without TOOL: list the tools.

    \b
    Examples:
      unity-cli tool schema read_console
      unity-cli tool schema --all | jq '.tools[].name'
    """
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415 - not for help pages

    if name is None and not every and not GlobalOptions.of(context).as_json:
        _print_tools()
        print_line("For one tool: unity-cli tool schema TOOL. For all: --all.", err=True)
    elif name is None:
        print_json({"tools": [spec.to_json() for spec in CATALOG.values()]})
    elif every:
        raise click.UsageError("Give a TOOL or --all, not both.", context)
    else:
        print_json(_known_tool(context, name).to_json())


class _Source(click.ParamType[str]):
    """Takes ``-`` for standard input. Anything else is a misplaced parameter."""

    name = "source"

    def convert(self, value: str, _: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the dash. Raises ``click.UsageError`` for anything else."""
        if value != "-":
            raise click.UsageError(f"Unexpected {value!r}. {_PARAMETERS}", ctx)
        return value


class _CallCommand(click.Command):
    """The command ``tool call``. It takes an unknown option for a misplaced parameter."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, but explain misplaced parameters. Raises ``click.UsageError``."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from mcp_server.cli.command_table import near  # noqa: PLC0415 - only after a mistake

            if near(error.option_name, error.possibilities):
                raise
            message = f"No such option {error.option_name!r}. {_PARAMETERS}"
            raise click.UsageError(message, ctx) from None


@tool_command.command(cls=_CallCommand)
@click.argument("name", metavar="TOOL", shell_complete=_complete_tool)
@click.argument("source", metavar="[-]", required=False, type=_Source())
@click.option("--json", "json_text", metavar="OBJ", help="Parameters, as a JSON object.")
@click.option(
    "--params-file",
    type=GivenPath(names_file=True),
    metavar="FILE",
    help="A file with the parameters.",
)
@click.option("--no-wait", is_flag=True, help="Do not wait for the end of a job.")
@click.option("--here", is_flag=True, help="Always run script tools in this process.")
@global_options
@click.pass_context
def call(
    context: click.Context,
    name: str,
    source: str | None,
    json_text: str | None,
    params_file: Path | None,
    no_wait: bool,
    here: bool,
) -> None:
    """Call TOOL. Parameters: --json, --params-file, or - to read them from standard input.

    Without any of these, a tool that needs parameters takes what is piped in.

    Script tools run in this process, or in the project's running server if the result is the same.
    The Unity Editor's tools run through the server at --url. The command waits for a job to end;
    Ctrl-C cancels the job.

    \b
    Examples:
      unity-cli tool call get_symbols --json '{"path": "Assets/Player.cs"}'
      unity-cli --dry-run tool call edit_snippet --params-file edit.json
      unity-cli tool call edit_snippet - < edit.json
      unity-cli tool call compile
      unity-cli tool call run_tests --json '{"mode": "edit"}' --timeout 600
    """
    given = sum(each is not None for each in (source, json_text, params_file))
    if given > 1:
        raise click.UsageError("Give the parameters once: --json, --params-file, or -.", context)
    if name not in DELEGATED_TOOLS:
        _known_tool(context, name)
    params = _parameters(context, name, source, json_text, params_file)
    if isinstance(params, ToolError):
        fail(context, params)
    run_tool(context, name, params, wait=not no_wait, here=here)


def run_tool(
    context: click.Context, name: str, params: Any, *, wait: bool = True, here: bool = False
) -> NoReturn:
    """Call the tool, and end the command with the outcome. ``here``: call it in this process."""
    options = GlobalOptions.of(context)
    if options.timeout_s is not None:
        longest_ms = _known_tool(context, name).max_timeout_ms
        params = with_timeout(params, options.timeout_s, longest_ms)
    begun = time.monotonic()
    if name in DELEGATED_TOOLS and not here:
        _call_there(context, name, params)
    _call_here(context, name, params, wait=wait, begun=begun)


def _known_tool(context: click.Context, name: str) -> ToolSpec:
    from mcp_server.contract.script_tools import find_tool  # noqa: PLC0415

    spec = find_tool(name)
    return fail(context, spec) if isinstance(spec, ToolError) else spec


def _call_there(context: click.Context, name: str, params: Any) -> None:
    """Have the project's server make the call, and end the command; return if none does."""
    outcome: Outcome | None = None
    try:
        outcome = call_by_running_server(context, name, params)
        if outcome is not None:
            errors = isinstance(outcome, ToolResult) and found_errors(name, outcome.structured)
            _end_with(context, name, outcome, ExitCode.FAILED if errors else ExitCode.OK)
    except KeyboardInterrupt:
        from mcp_server.cli.undo_advice import reporting_interrupts  # noqa: PLC0415

        with reporting_interrupts(_known_tool(context, name), params) as note:
            if outcome is not None:
                note(outcome)
            raise


def _call_here(
    context: click.Context, name: str, params: Any, *, wait: bool, begun: float
) -> NoReturn:
    """Call the tool in this process or, if it is the Editor's, through its server.

    Its timeout runs from ``begun``, a time of ``time.monotonic``.
    """
    from mcp_server.calls.dry_run import Suppressed  # noqa: PLC0415 - not for help pages
    from mcp_server.calls.tool_caller import rest_of  # noqa: PLC0415
    from mcp_server.cli.undo_advice import reporting_interrupts  # noqa: PLC0415
    from mcp_server.contract.script_tools import check_arguments  # noqa: PLC0415

    spec = _known_tool(context, name)
    params = check_arguments(spec, params)
    if isinstance(params, ToolError):
        fail(context, params)
    params = rest_of(spec, params, time.monotonic() - begun)
    caller = open_caller(context, [params], {spec.name})
    if spec.changes_things(params):
        outlast_readers(context)
        end_like_ctrl_c()
    with reporting_interrupts(spec, params) as note:
        outcome = _call(caller, spec, params, wait=wait, quiet=GlobalOptions.of(context).quiet)
        note(outcome)
        if isinstance(outcome, Suppressed):
            _end_dry(context, outcome)
        code = result_exit_code(spec, outcome) if isinstance(outcome, ToolResult) else ExitCode.OK
        _end_with(context, name, outcome, code)


def _end_with(context: click.Context, name: str, outcome: Outcome, code: ExitCode) -> NoReturn:
    if isinstance(outcome, ToolError):
        fail(context, outcome)
    if GlobalOptions.of(context).as_json:
        print_json(outcome.to_json())
    else:
        print_result(name, outcome)
    context.exit(code)


def _call(
    caller: ToolCaller, spec: ToolSpec, params: CheckedParams, *, wait: bool, quiet: bool
) -> Outcome | Suppressed:
    """Call the tool. Show progress if it may take long; with ``wait``, wait for its job."""
    from mcp_server.cli.progress import job_progress  # noqa: PLC0415
    from mcp_server.contract.tool_spec import ExecutionMode  # noqa: PLC0415 - not for help pages

    is_awaited_job = wait and ExecutionMode.JOB in (spec.execution_mode, spec.unity_mode)
    if not is_awaited_job and not caller.asks_compiler(spec, params):
        return caller.call(spec, params)
    with job_progress(spec.title, quiet=quiet) as show:
        return caller.call(spec, params, show)


def _end_dry(context: click.Context, suppressed: Suppressed) -> NoReturn:
    preview = suppressed.preview
    failure = preview if isinstance(preview, ToolError) else None
    if GlobalOptions.of(context).as_json:
        print_json(suppressed.to_json())
    else:
        print_text(f"dry run: {suppressed.spec.name} was not executed")
        if failure is not None:
            print_failure(failure, as_json=False)
        elif isinstance(preview, ToolResult):
            print_result(suppressed.spec.name, preview)
    context.exit(exit_code(failure) if failure is not None else ExitCode.OK)


def _parameters(
    context: click.Context,
    name: str,
    source: str | None,
    json_text: str | None,
    params_file: Path | None,
) -> Any:
    """Return the call's parameters, or the error if they can't be read.

    If none were given, a tool that needs some takes what is piped in. The others don't read
    standard input, which may belong to the loop of a shell; a message says so.
    """
    from mcp_server.cli import params  # noqa: PLC0415 - not for help pages

    if json_text is not None:
        return params.from_argument(json_text)
    if params_file is not None:
        return params.from_file(params_file)
    if source is not None:
        return params.from_stdin()
    from mcp_server.contract.script_tools import check_arguments  # noqa: PLC0415

    if isinstance(check_arguments(_known_tool(context, name), {}), ToolError):
        found = params.piped_in()
        return {} if found is None else found
    if params.something_waits():
        print_line("Standard input was not read. To read parameters from it, give -.", err=True)
    return {}
