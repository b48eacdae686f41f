"""From the options of a command to what makes its tool calls."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing.output import fail, print_line
from mcp_server.contract.errors import ToolError

if TYPE_CHECKING:
    from mcp_server.calls.tool_caller import ToolCaller


def open_caller(
    context: click.Context, params: Iterable[object], tools: Collection[str]
) -> ToolCaller:
    """What makes the calls of ``tools`` with these (checked) parameters; closed when the command
    ends.

    A ``--lsp`` that can't be used ends the command.
    """
    from mcp_server.calls.language_server import lsp_of_calls  # noqa: PLC0415 - not for help pages
    from mcp_server.calls.project import find_project  # noqa: PLC0415
    from mcp_server.calls.tool_caller import ToolCaller  # noqa: PLC0415

    options = GlobalOptions.of(context)

    def tell(url: str, served: str) -> None:
        if not options.quiet:
            print_line(f"The server at {url} works in {served}.", err=True)

    def warn(why: str) -> None:
        if not options.quiet:
            print_line(why, err=True)

    lsp = lsp_of_calls(options.lsp, params, tools)
    if isinstance(lsp, ToolError):
        fail(context, lsp)
    caller = ToolCaller(
        options.project or find_project(Path.cwd()),
        lsp=lsp,
        url=options.named_url,
        url_name=options.url_name,
        dry_run=options.dry_run,
        on_server=tell,
        on_embedded=warn,
    )
    context.call_on_close(caller.close)
    return caller
