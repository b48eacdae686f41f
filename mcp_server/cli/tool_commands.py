"""``unity-cli tool list|schema|call``.

Implements spec 03-command-line "Tools": a tool's schema is one command away, wrong parameters
are refused before anything runs, script tools run in this process, and the Unity Editor's go to
the server that it is connected to.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mcp_server.cli.options import GlobalOptions, global_options
from mcp_server.cli.output import ExitCode, exit_code, fail, print_failure, print_json, print_text
from mcp_server.errors import ToolError

if TYPE_CHECKING:
    from mcp_server.catalog import ToolSpec
    from mcp_server.dry_run import Suppressed
    from mcp_server.local_tools import Outcome, ToolResult


@click.group()
@global_options
def tool() -> None:
    """List the tools, show what they take, and call them."""


@tool.command("list")
@global_options
@click.pass_context
def list_tools(context: click.Context) -> None:
    """Names of the tools, one a line."""
    from mcp_server.catalog import CATALOG  # noqa: PLC0415 - not for help pages

    if GlobalOptions.of(context).as_json:
        print_json(list(CATALOG))
    else:
        print_text("\n".join(CATALOG))


@tool.command()
@click.argument("name", metavar="[TOOL]", required=False)
@global_options
@click.pass_context
def schema(context: click.Context, name: str | None) -> None:
    """What TOOL takes and answers, as JSON Schema. Without TOOL: all of them."""
    from mcp_server.catalog import CATALOG  # noqa: PLC0415 - not for help pages
    from mcp_server.request_validator import find_tool  # noqa: PLC0415

    if name is None:
        print_json({"tools": [spec.to_json() for spec in CATALOG.values()]})
        return
    spec = find_tool(name)
    if isinstance(spec, ToolError):
        fail(context, spec)
    print_json(spec.to_json())


@tool.command()
@click.argument("name", metavar="TOOL")
@click.argument("source", metavar="[-]", required=False, type=click.Choice(["-"]))
@click.option("--json", "json_text", metavar="OBJ", help="Parameters, as a JSON object.")
@click.option(
    "--params-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file with the parameters.",
)
@click.option("--no-wait", is_flag=True, help="Do not wait for the end of a job.")
@global_options
@click.pass_context
def call(
    context: click.Context,
    name: str,
    source: str | None,
    json_text: str | None,
    params_file: Path | None,
    no_wait: bool,
) -> None:
    """Call TOOL. Parameters: --json, --params-file, or - to read them from standard input."""
    from mcp_server.catalog import Executor  # noqa: PLC0415 - not for help pages
    from mcp_server.dry_run import suppress  # noqa: PLC0415
    from mcp_server.language_server import lsp_of_calls  # noqa: PLC0415
    from mcp_server.local_tools import LocalTools  # noqa: PLC0415
    from mcp_server.project import find_project  # noqa: PLC0415
    from mcp_server.request_validator import check_arguments, find_tool  # noqa: PLC0415

    options = GlobalOptions.of(context)
    if sum(given is not None for given in (source, json_text, params_file)) > 1:
        raise click.UsageError("Give the parameters once: --json, --params-file, or -.", context)
    spec = find_tool(name)
    if isinstance(spec, ToolError):
        fail(context, spec)
    params = _parameters(source, json_text, params_file)
    if isinstance(params, ToolError):
        fail(context, params)
    if options.timeout_s is not None and isinstance(params, dict):
        params = {"timeout_ms": max(1, round(options.timeout_s * 1000)), **params}
    refused = check_arguments(spec, params)
    if refused is not None:
        fail(context, refused)
    lsp = lsp_of_calls(options.lsp, [params])
    if isinstance(lsp, ToolError):
        fail(context, lsp)
    local_tools = LocalTools(options.project or find_project(Path.cwd()), lsp)
    context.call_on_close(local_tools.close)
    if options.dry_run and spec.changes_things(params):
        _print_suppressed(context, suppress(spec, params, local_tools))
    if spec.executor is Executor.LOCAL:
        outcome = local_tools.call_in_time(spec, params)
    else:
        outcome = _call_server(options, spec, params, wait=not no_wait)
    if isinstance(outcome, ToolError):
        fail(context, outcome)
    if options.as_json:
        print_json(outcome.to_json())
    else:
        _print_result(spec.name, outcome)
    context.exit(ExitCode.FAILED if _unwelcome(outcome) else ExitCode.OK)


def _call_server(
    options: GlobalOptions, spec: ToolSpec, params: dict[str, Any], *, wait: bool
) -> Outcome:
    """Call a tool of the running server; a job is waited for unless told otherwise."""
    from mcp_server.catalog import ExecutionMode  # noqa: PLC0415 - not for help pages
    from mcp_server.cli.job_progress import job_progress  # noqa: PLC0415
    from mcp_server.remote_tools import RemoteTools  # noqa: PLC0415 - loads the MCP SDK

    remote_tools = RemoteTools(options.url)
    if not wait or spec.execution_mode is not ExecutionMode.JOB:
        return remote_tools.call(spec, params)
    with job_progress(spec.title, quiet=options.quiet) as show:
        return remote_tools.run_job(spec, params, show)


def _unwelcome(outcome: ToolResult) -> bool:
    """Whether a call that worked tells of something that did not: a job, or a test in it."""
    job_state = outcome.structured.get("state")
    failed_tests = (outcome.structured.get("result") or {}).get("failed_tests")
    return job_state in ("failed", "timeout", "cancelled") or bool(failed_tests)


def _print_suppressed(context: click.Context, suppressed: Suppressed) -> NoReturn:
    from mcp_server.local_tools import ToolResult  # noqa: PLC0415 - not for help pages

    preview = suppressed.preview
    failure = preview if isinstance(preview, ToolError) else None
    if GlobalOptions.of(context).as_json:
        print_json(suppressed.to_json())
    else:
        print_text(f"dry run: {suppressed.spec.name} was not executed")
        if failure is not None:
            print_failure(failure, as_json=False)
        elif isinstance(preview, ToolResult):
            _print_result(suppressed.spec.name, preview)
    context.exit(exit_code(failure) if failure is not None else ExitCode.OK)


def _parameters(source: str | None, json_text: str | None, params_file: Path | None) -> Any:
    """The parameters, or the :class:`ToolError` that says why there are none."""
    from mcp_server.cli import params  # noqa: PLC0415 - not for help pages

    if json_text is not None:
        return params.from_argument(json_text)
    if params_file is not None:
        return params.from_file(params_file)
    return params.from_stdin() if source else {}


def _print_result(tool_name: str, outcome: ToolResult) -> None:
    """For people: the whole diff in colour, not the part of it that a model gets to read."""
    from snippet_engine.text_form import text_form  # noqa: PLC0415 - not for help pages

    diff = outcome.structured.get("diff", "")
    text = text_form(tool_name, {**outcome.structured, "diff": ""}) if diff else outcome.text
    print_text(text, diff)
