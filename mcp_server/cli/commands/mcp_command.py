"""``unity-cli mcp``: MCP over stdio.

Implements docs/design/command-line.md ``mcp``. stdout carries MCP alone; messages for people go to
stderr, which clients keep as a log.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType

import click

from mcp_server.cli.arguments.server_options import server_port, token_given, token_options
from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.output import ExitCode, exit_code, fail, print_failure, refuse
from mcp_server.cli.printing.streams import is_closed
from mcp_server.contract.errors import ToolError
from mcp_server.garbage import look_from_here
from mcp_server.interrupt_signals import interrupt_signals


@click.command("mcp")
@click.option(
    "--port",
    metavar="N",
    help="The server's port. Default: that of --url, $UNITY_CLI_PORT, or the project's own.",
)
@token_options
@global_options_shown("project", "url", "lsp")
@click.pass_context
def mcp_command(
    context: click.Context, port: str | None, token: str | None, token_file: Path | None
) -> None:
    """Speak MCP on stdin and stdout, for clients that can't do HTTP.

    Joins the project's server, or starts one that runs as long as one of its clients does. All
    clients of the project share it. Outside of a project, and without a port, it joins no server;
    its answer to each call says what is missing.

    \b
    Examples:
      unity-cli mcp --project ~/Games/Tower
      unity-cli mcp --port 48092
    """
    from mcp_server.host import config as server_config  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    if options.dry_run:
        why = "A server takes no --dry-run. Its clients preview with edit_snippet's own mode."
        raise click.UsageError(why, context)
    for name, stream in (("input", sys.stdin), ("output", sys.stdout)):
        if is_closed(stream):
            why = f"Standard {name} is closed. An MCP client starts this command and speaks there."
            refuse(context, why, ExitCode.USAGE)
    number = server_port(port, options.given_url)
    if isinstance(number, ToolError):
        fail(context, number)
    bearer_token = token_given(context, token, token_file)
    if options.project is not None and not os.path.isdir(options.project):
        where = f"--project: there is no folder {options.project}."
        fail(context, server_config.config_error(where))
    for each in interrupt_signals():
        signal.signal(each, _end_at_once)

    import asyncio  # noqa: PLC0415 - slow to import

    from mcp_server.event_log import LogFormat, configure_logging  # noqa: PLC0415
    from mcp_server.stdio.shared_server import SharedServer  # noqa: PLC0415
    from mcp_server.stdio.stdio_endpoint import serve_stdio  # noqa: PLC0415

    look_from_here()
    configure_logging(LogFormat.TEXT)
    project = options.found_project

    async def serve() -> ToolError | None:
        server = SharedServer(number, project, bearer_token, options.lsp)
        return await serve_stdio(server)

    unusable = asyncio.run(serve())
    if unusable is not None:
        print_failure(unusable, as_json=False)
        context.exit(exit_code(unusable))


def _end_at_once(_signal: int, _frame: FrameType | None) -> None:
    """End without cleaning up: nothing here needs it, and a thread may be reading stdin."""
    sys.stderr.flush()
    os._exit(ExitCode.INTERRUPTED)
