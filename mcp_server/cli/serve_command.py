"""``unity-cli serve``: options in, a serving process out.

Implements spec 02-server-and-bridge §1. Everything that can be wrong with the options is told
before the server is loaded.
"""

from __future__ import annotations

from pathlib import Path

import click

from mcp_server.cli.options import GlobalOptions, global_options
from mcp_server.cli.output import fail
from mcp_server.errors import ToolError


@click.command("serve")
@click.option("--port", default="48091", metavar="N", show_default=True, help="1 to 65535.")
@click.option(
    "--token",
    envvar="UNITY_CLI_TOKEN",
    show_envvar=True,
    help="Require it from clients, as a bearer token.",
)
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How events are written to stderr.",
)
@click.option("--ends-with-clients", is_flag=True, hidden=True)
@global_options
@click.pass_context
def serve_command(
    context: click.Context,
    port: str,
    token: str | None,
    log_format: str,
    ends_with_clients: bool,
) -> None:
    """Serve the tools over MCP on 127.0.0.1, until interrupted.

    Prints the /mcp URL once the server answers there.
    """
    from mcp_server import config as server_config  # noqa: PLC0415 - not for help pages
    from mcp_server.event_log import LogFormat  # noqa: PLC0415
    from mcp_server.language_server import lsp_of_server  # noqa: PLC0415
    from mcp_server.local_tools import LocalTools  # noqa: PLC0415
    from mcp_server.project import find_project  # noqa: PLC0415
    from mcp_server.stop_signal import StopSignal  # noqa: PLC0415

    options = GlobalOptions.of(context)
    number = server_config.parse_port(port)
    if isinstance(number, ToolError):
        fail(context, number)
    wrong = server_config.check_token(token)
    if wrong is None and options.project is not None:
        wrong = LocalTools(options.project).open()
    if wrong is not None:
        fail(context, wrong)
    lsp = lsp_of_server(options.lsp)
    if isinstance(lsp, ToolError):
        fail(context, lsp)
    config = server_config.ServerConfig(
        port=number,
        project=options.project or find_project(Path.cwd()),
        token=token,
        log_format=LogFormat(log_format),
        lsp=lsp,
        ends_with_clients=ends_with_clients,
    )
    # From here on a signal means a clean end, also while the server is still being loaded.
    stop_signal = StopSignal()
    stop_signal.listen()
    listener = server_config.bind(config.port)
    if isinstance(listener, ToolError):
        fail(context, listener)

    def announce() -> None:
        if not options.quiet:
            click.echo(config.url)

    from mcp_server.serve import serve  # noqa: PLC0415 - loads the MCP SDK

    serve(config, listener, stop_signal, announce)
