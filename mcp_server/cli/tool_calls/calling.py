"""Who makes a command's tool calls: this process, or the project's running server.

Implements docs/design/command-line.md "Tools".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from mcp_server.calls.language_server import OFF, PROJECT_TOOL, lsp_of_calls
from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing.output import fail, print_line
from mcp_server.cli.printing.streams import outlast_readers
from mcp_server.contract.errors import ToolError
from mcp_server.interrupt_signals import end_like_ctrl_c

if TYPE_CHECKING:
    from mcp_server.calls.tool_caller import ToolCaller
    from mcp_server.contract.outcome import Outcome


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
    """Return the caller of ``tools`` with these (checked) parameters; closed with the command.

    With ``alone``, no running server makes the calls. A ``--lsp`` that can't be used ends the
    command.
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


def call_by_running_server(context: click.Context, tool: str, params: Any) -> Outcome | None:
    """Have the project's running server make the call; ``None`` if it is to be made here.

    The server is asked only if its answer is the same to the byte: without ``--dry-run``, and
    without a language server to judge. ``params`` are as given.
    """
    from mcp_server.calls.server.server_file import in_project  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    if options.dry_run or lsp_of_calls(options.lsp, [params], {tool}) != OFF:
        return None
    project = options.found_project
    if project is None or not in_project(project).is_file():
        return None
    from mcp_server.calls.server.delegated_call import (  # noqa: PLC0415 - only where a server runs
        call_by_server,
        is_delegated,
        may_change,
    )

    if not is_delegated(tool, params):
        return None
    if may_change(tool, params):
        outlast_readers(context)
        end_like_ctrl_c()
    return call_by_server(project, tool, params, partial(_warn, options, _HELD))
