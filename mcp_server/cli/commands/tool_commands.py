"""``unity-cli tool list|schema|call``.

Implements docs/design/command-line.md "Tools": a tool's schema is one command away, wrong
parameters are refused before anything runs, script tools run in this process, and the Unity
Editor's go to the server that it is connected to.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mcp_server.cli.options import GlobalOptions, global_options, global_options_shown
from mcp_server.cli.printing.lasting_output import outlast_readers
from mcp_server.cli.printing.output import (
    ExitCode,
    Styled,
    exit_code,
    fail,
    print_failure,
    print_json,
    print_line,
    print_text,
)
from mcp_server.cli.tool_calls.calling import open_caller
from mcp_server.cli.tool_calls.outcomes import print_result, result_exit_code
from mcp_server.cli.value_types import GivenPath
from mcp_server.contract.errors import ToolError
from mcp_server.contract.server_schemas import DELEGATED_TOOLS
from mcp_server.interrupt_signals import end_like_ctrl_c

if TYPE_CHECKING:
    from mcp_server.calls.dry_run import Suppressed
    from mcp_server.calls.tool_caller import ToolCaller
    from mcp_server.contract.outcome import Outcome
    from mcp_server.contract.tool_spec import ToolSpec
    from snippet_engine.schemas.checked_params import CheckedParams


def _complete_tool(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415 - not for help pages

    return [name for name in CATALOG if name.startswith(typed)]


@click.group()
@global_options_shown()
def tool() -> None:
    """List the tools, show what they take, and call them.

    \b
    Examples:
      unity-cli tool list
      unity-cli tool schema edit_snippet
      unity-cli tool call get_symbols --json '{"path": "Assets/Player.cs"}'
    """


@tool.command("list", short_help="The tools' names, and what each does.")
@global_options_shown("output", verbose={"help": "Say what each does, in a pipe, too."})
@click.pass_context
def list_tools(context: click.Context) -> None:
    """Names of the tools, one a line, and on a terminal what each does.

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
    """A line for each tool: its name, and what it does in a few words."""
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415 - not for help pages

    widest = max(map(len, CATALOG))
    for spec in CATALOG.values():
        does = _FIRST_WORDS.match(spec.description)
        assert does is not None, spec.name
        print_line(Styled(f"{spec.name:<{widest}}", fg="cyan"), f"  {does[0]}")


_FIRST_WORDS = re.compile(r".+?(?=[.:;]|\?| \(|, with|$)\??")
"""What a description says first: what the tool does."""


@tool.command(short_help="What a tool takes and answers.")
@click.argument("name", metavar="[TOOL]", required=False, shell_complete=_complete_tool)
@click.option("--all", "every", is_flag=True, help="The schemas of all tools.")
@global_options_shown("output")
@click.pass_context
def schema(context: click.Context, name: str | None, every: bool) -> None:
    """What TOOL takes and answers, as JSON Schema. Without TOOL: which tools there are.

    \b
    Examples:
      unity-cli tool schema read_console
      unity-cli tool schema --all | jq '.tools[].name'
    """
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415 - not for help pages
    from mcp_server.contract.request_validator import find_tool  # noqa: PLC0415

    if name is None and not every and not GlobalOptions.of(context).as_json:
        _print_tools()
        print_line("What one takes: unity-cli tool schema TOOL. All schemas: --all.", err=True)
        return
    if name is None:
        print_json({"tools": [spec.to_json() for spec in CATALOG.values()]})
        return
    if every:
        raise click.UsageError("Name a TOOL, or say --all, not both.", context)
    spec = find_tool(name)
    if isinstance(spec, ToolError):
        fail(context, spec)
    print_json(spec.to_json())


class _Source(click.ParamType[str]):
    """``-``, for standard input. What else stands there was meant for a parameter."""

    name = "source"

    def convert(self, value: str, _: click.Parameter | None, ctx: click.Context | None) -> str:
        """The dash. Raises ``click.UsageError``."""
        if value != "-":
            raise click.UsageError(f"Unexpected {value!r}. {_PARAMETERS}", ctx)
        return value


_PARAMETERS = (
    "A tool's parameters are one JSON object: --json '{…}', --params-file FILE, or - for standard "
    "input. Their names: unity-cli tool schema TOOL."
)


class _CallCommand(click.Command):
    """``tool call``: an option that it doesn't have was meant for a parameter."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does. Raises ``click.UsageError``."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from mcp_server.cli.usage_advice import near  # noqa: PLC0415 - only where it is wrong

            if near(error.option_name, error.possibilities):
                raise
            message = f"No such option {error.option_name!r}. {_PARAMETERS}"
            raise click.UsageError(message, ctx) from None


@tool.command(cls=_CallCommand)
@click.argument("name", metavar="TOOL", shell_complete=_complete_tool)
@click.argument("source", metavar="[-]", required=False, type=_Source())
@click.option("--json", "json_text", metavar="OBJ", help="Parameters, as a JSON object.")
@click.option(
    "--params-file",
    type=GivenPath(file_meant=True),
    metavar="FILE",
    help="A file with the parameters.",
)
@click.option("--no-wait", is_flag=True, help="Do not wait for the end of a job.")
@click.option("--here", is_flag=True, help="Run script tools in this process in any case.")
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

    A tool that needs some, and was given none, takes what is piped in.

    Script tools run here, or in the project's running server if that would come to the same. The
    Unity Editor's run through the server at --url. A job is waited for; Ctrl-C cancels it.

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
    params = _parameters(json_text, params_file) if given else _piped_in(_known_tool(context, name))
    if isinstance(params, ToolError):
        fail(context, params)
    run_tool(context, name, params, wait=not no_wait, here=here)


def run_tool(
    context: click.Context, name: str, params: Any, *, wait: bool = True, here: bool = False
) -> NoReturn:
    """Call the tool, and end the command with what came of it; ``here``: in this process."""
    from mcp_server.calls.json_input import with_timeout  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    if options.timeout_s is not None:
        longest_ms = _known_tool(context, name).max_timeout_ms
        params = with_timeout(params, options.timeout_s, longest_ms)
    begun = time.monotonic()
    if name in DELEGATED_TOOLS and not here:
        _call_lent(context, name, params)
    _call_here(context, name, params, wait=wait, begun=begun)


def _known_tool(context: click.Context, name: str) -> ToolSpec:
    """The tool of that name; ends the command where there is none."""
    from mcp_server.contract.request_validator import find_tool  # noqa: PLC0415 - not for help pages

    spec = find_tool(name)
    if isinstance(spec, ToolError):
        fail(context, spec)
    return spec


def _call_lent(context: click.Context, name: str, params: Any) -> None:
    """Have the project's server make the call, and end the command; returns where none does."""
    from mcp_server.cli.tool_calls.lent_calls import lent_call, lent_exit_code  # noqa: PLC0415 - not for help pages

    outcome: Outcome | None = None
    try:
        outcome = lent_call(context, name, params)
        if outcome is not None:
            _end_with(context, name, outcome, lent_exit_code(name, outcome))
    except KeyboardInterrupt:
        from mcp_server.cli.tool_calls.telling_interrupts import telling_what_was_done  # noqa: PLC0415

        with telling_what_was_done(_known_tool(context, name), params) as note:
            if outcome is not None:
                note(outcome)
            raise


def _call_here(
    context: click.Context, name: str, params: Any, *, wait: bool, begun: float
) -> NoReturn:
    """Call the tool, in this process or, if it is the Editor's, over its server.

    The time that it was given is from ``begun`` on, of ``time.monotonic``.
    """
    from mcp_server.calls.dry_run import Suppressed  # noqa: PLC0415 - not for help pages
    from mcp_server.calls.tool_caller import rest_of  # noqa: PLC0415 - not for help pages
    from mcp_server.cli.tool_calls.telling_interrupts import telling_what_was_done  # noqa: PLC0415
    from mcp_server.contract.request_validator import check_arguments  # noqa: PLC0415

    spec = _known_tool(context, name)
    params = check_arguments(spec, params)
    if isinstance(params, ToolError):
        fail(context, params)
    params = rest_of(spec, params, time.monotonic() - begun)
    caller = open_caller(context, [params], {spec.name})
    if spec.changes_things(params):
        outlast_readers(context)
        end_like_ctrl_c()
    with telling_what_was_done(spec, params) as note:
        outcome = _call(caller, spec, params, wait=wait, quiet=GlobalOptions.of(context).quiet)
        note(outcome)
        if isinstance(outcome, Suppressed):
            _print_suppressed(context, outcome)
        if isinstance(outcome, ToolError):
            fail(context, outcome)
        _end_with(context, name, outcome, result_exit_code(spec, outcome))


def _end_with(
    context: click.Context, name: str, outcome: Outcome, code: ExitCode = ExitCode.OK
) -> NoReturn:
    """Print what a call came to, and end the command."""
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
    """Call the tool, with its progress where that takes long; a job is waited for unless told
    otherwise."""
    from mcp_server.cli.printing.job_progress import job_progress  # noqa: PLC0415
    from mcp_server.contract.tool_spec import ExecutionMode  # noqa: PLC0415 - not for help pages

    jobs = (spec.execution_mode, spec.unity_mode)
    is_awaited_job = wait and ExecutionMode.JOB in jobs
    if not is_awaited_job and not caller.asks_compiler(spec, params):
        return caller.call(spec, params)
    with job_progress(spec.title, quiet=quiet) as show:
        return caller.call(spec, params, show)


def _print_suppressed(context: click.Context, suppressed: Suppressed) -> NoReturn:
    from mcp_server.contract.outcome import ToolResult  # noqa: PLC0415 - not for help pages

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


def _parameters(json_text: str | None, params_file: Path | None) -> Any:
    """Return the parameters from --json, --params-file or standard input, or why there are none."""
    from mcp_server.cli.arguments import params  # noqa: PLC0415 - not for help pages

    if json_text is not None:
        return params.from_argument(json_text)
    if params_file is not None:
        return params.from_file(params_file)
    return params.from_stdin()


def _piped_in(spec: ToolSpec) -> Any:
    """The parameters where none were given: those on a pipe, if the tool can't do without any.

    Else none, as who calls it in a loop has something else on standard input; that is told.
    """
    from mcp_server.cli.arguments import params  # noqa: PLC0415 - not for help pages
    from mcp_server.contract.request_validator import check_arguments  # noqa: PLC0415

    if isinstance(check_arguments(spec, {}), ToolError):
        found = params.piped_in()
        return {} if found is None else found
    if params.something_waits():
        print_line("Standard input was not read. For parameters from there, say -.", err=True)
    return {}
