"""Choose who makes a command's tool calls, this process or a server; print the results.

Implements docs/design/command-line.md "Tools".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from mcp_server.calls.language_server import OFF, PROJECT_TOOL, lsp_of_calls
from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing import ExitCode, fail, outlast_readers, print_line, print_text
from mcp_server.contract.errors import ToolError
from mcp_server.interrupt_signals import end_like_ctrl_c

if TYPE_CHECKING:
    from mcp_server.calls.tool_caller import ToolCaller
    from mcp_server.contract.outcome import Outcome, ToolResult
    from mcp_server.contract.tool_spec import ToolSpec
    from snippet_engine.schemas.checked_params import CheckedParams

_HELD = "This change waits until it is approved on the review page: unity-cli open"


def _warn(options: GlobalOptions, why: str) -> None:
    if not options.quiet:
        print_line(why, err=True)


def open_caller(
    context: click.Context,
    params: Iterable[object],
    tools: Collection[str],
    *,
    alone: bool = False,
) -> ToolCaller:
    """Return a ``ToolCaller`` for ``tools``. Click closes it when the command ends.

    ``params`` are their checked parameters. With ``alone``, no running server makes the calls. A
    ``--lsp`` that can't be used ends the command.
    """
    from mcp_server.calls.tool_caller import ToolCaller  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)

    warn = partial(_warn, options)
    lsp = lsp_of_calls(options.lsp, params, tools)
    if isinstance(lsp, ToolError):
        fail(context, lsp)
    caller = ToolCaller(
        options.found_project,
        lsp=lsp,
        url=options.named_url,
        url_name=options.url_name,
        dry_run=options.dry_run,
        for_one_check=set(tools) == {PROJECT_TOOL},
        alone=alone,
        on_server=lambda url, served: warn(f"The server at {url} works in {served}."),
        on_embedded=warn,
        on_held=partial(warn, _HELD),
    )
    context.call_on_close(caller.close)
    return caller


def checked_call(
    context: click.Context, tool: str, arguments: Mapping[str, Any]
) -> tuple[ToolSpec, CheckedParams]:
    """Return a script tool and its checked arguments. Wrong arguments end the command."""
    from mcp_server.calls.json_input import with_timeout  # noqa: PLC0415 - not for help pages
    from mcp_server.contract.script_tools import SCRIPT_TOOLS, check_arguments  # noqa: PLC0415

    spec, timeout_s = SCRIPT_TOOLS[tool], GlobalOptions.of(context).timeout_s
    params = check_arguments(spec, with_timeout(dict(arguments), timeout_s, spec.max_timeout_ms))
    return fail(context, params) if isinstance(params, ToolError) else (spec, params)


def call_by_running_server(context: click.Context, tool: str, params: Any) -> Outcome | None:
    """Have the project's running server make the call. Return ``None`` if this process has to.

    The server is asked only if its answer is the same, byte for byte: without ``--dry-run``, and
    without a language server to judge. ``params`` are as given.
    """
    from mcp_server.calls.server.server_file import in_project  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    if options.dry_run or lsp_of_calls(options.lsp, [params], {tool}) != OFF:
        return None
    project = options.found_project
    if project is None or not in_project(project).is_file():
        return None
    from mcp_server.calls.server.delegated_call import call_by_server, is_delegated, may_change  # noqa: PLC0415

    if not is_delegated(tool, params):
        return None
    if may_change(tool, params):
        outlast_readers(context)
        end_like_ctrl_c()
    return call_by_server(project, tool, params, partial(_warn, options, _HELD))


PROJECT_EXIT_CODES = {
    "clean": ExitCode.OK,
    "errors": ExitCode.FAILED,
    "unknown": ExitCode.UNREACHABLE,
}
"""The exit code for each status of ``check_project``."""

_HASHES = re.compile(
    r"^hash(Before|After)? +sha256:[0-9a-f]{64}(\n|\Z)| \(sha256:[0-9a-f]{64}\)", re.MULTILINE
)


def result_exit_code(spec: ToolSpec, outcome: ToolResult) -> ExitCode:
    """Return the exit code of a command that made one call with this result."""
    from mcp_server.calls.tool_caller import job_failure  # noqa: PLC0415 - not for help pages

    result = outcome.structured
    if spec.name == PROJECT_TOOL:
        return PROJECT_EXIT_CODES[result["status"]]
    return ExitCode.OK if job_failure(spec, result) is None else ExitCode.FAILED


def print_result(tool_name: str, outcome: ToolResult) -> None:
    """Print a result with the whole diff. A model gets only a part of it.

    The files' hashes are printed only with ``--verbose``.
    """
    from snippet_engine.answer.text_form import text_form  # noqa: PLC0415 - not for help pages

    diff = outcome.structured.get("diff", "")
    text = text_form(tool_name, {**outcome.structured, "diff": ""}) if diff else outcome.text
    verbose = GlobalOptions.of(click.get_current_context()).verbose
    print_text(text if verbose else _HASHES.sub("", text).rstrip("\n"), diff)
