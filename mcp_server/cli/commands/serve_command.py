"""``unity-cli serve`` and ``unity-cli mcp``: read the options, and serve.

Implements docs/design/server-and-bridge.md §1 and docs/design/command-line.md ``mcp``. All options
are checked before the server is loaded. With ``mcp``, stdout carries MCP alone; messages for people
go to stderr, which clients keep as a log.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import click

from mcp_server.calls.server.server_file import DEFAULT_PORT
from mcp_server.cli.arguments import server_port, token_given, token_options
from mcp_server.cli.options import DEFAULT_URL, GivenPath, GlobalOptions, global_options_shown
from mcp_server.cli.printing import (
    ExitCode,
    exit_code,
    fail,
    is_closed,
    lost_output,
    outlast_readers,
    print_failure,
    print_json,
    print_text,
    refuse,
)
from mcp_server.contract.errors import ToolError
from mcp_server.garbage import pause_collection, resume_collection
from mcp_server.interrupt_signals import interrupt_signals

if TYPE_CHECKING:
    from mcp_server.calls.server.server_status import ServerStatus
    from mcp_server.host.config import ServerConfig
    from snippet_engine.storage.system.file_lock import HeldLock

CLAIM_PATIENCE_S = 15.0
"""How long to wait for a server of the same project that doesn't answer yet, in seconds."""

LOOK_S = 2.0
"""How long each step of the search for a port's owner may take, in seconds."""


@click.command("serve")
@click.option(
    "--port",
    metavar="N",
    help="1 to 65535. Default: that of --url, $UNITY_CLI_PORT, or 48091 or the next free one.",
)
@token_options
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="The format of log lines on stderr.",
)
@click.option(
    "--editor",
    type=click.Choice(["auto", "plugin", "pipeline"]),
    default="auto",
    show_default=True,
    help="The connection to the Unity Editor: our package (plugin), or com.unity.pipeline.",
)
@click.option("--ends-with-clients", is_flag=True, hidden=True)
@click.option("--rotated-log", type=GivenPath(), hidden=True)
@global_options_shown(
    *("output", "project", "url", "lsp", "quiet"),
    verbose={"help": "Log every event. Default: only those that need a person, as sentences."},
)
@click.pass_context
def serve_command(
    context: click.Context,
    port: str | None,
    token: str | None,
    token_file: Path | None,
    log_format: str,
    editor: str,
    ends_with_clients: bool,
    rotated_log: Path | None,
) -> None:
    """Serve the tools over MCP on 127.0.0.1, until Ctrl-C or unity-cli stop.

    Prints the /mcp URL when the server is ready, and the setup command for each client. With
    --quiet, prints only the URL, warnings and errors.
    With --token-file, or UNITY_CLI_TOKEN, clients need the token; a missing file is created, with
    a new token.

    \b
    Examples:
      unity-cli serve --project ~/Games/Tower
      unity-cli serve --port 48092 --log-format json 2> server.log
      unity-cli serve --token-file ~/.unity-token
    """
    from mcp_server.calls.language_server import lsp_of_server  # noqa: PLC0415
    from mcp_server.calls.project import problem_of  # noqa: PLC0415
    from mcp_server.event_log import LogFormat, log_event  # noqa: PLC0415
    from mcp_server.host import config as server_config  # noqa: PLC0415 - not for help pages
    from mcp_server.host.stopping import StopSignal  # noqa: PLC0415

    options = GlobalOptions.of(context)
    if options.dry_run:
        why = "A server takes no --dry-run. Its clients preview with edit_snippet's own mode."
        raise click.UsageError(why, context)
    number = server_port(port, options.given_url)
    if isinstance(number, ToolError):
        fail(context, number)
    bearer_token = token_given(context, token, token_file, make=True)
    wrong = None if options.project is None else problem_of(options.project)
    if wrong is not None:
        fail(context, wrong)
    lsp = lsp_of_server(options.lsp)
    if isinstance(lsp, ToolError):
        fail(context, lsp)
    config = server_config.ServerConfig(
        port=number or DEFAULT_PORT,
        project=options.found_project,
        token=bearer_token,
        log_format=LogFormat(log_format),
        lsp=lsp,
        editor=server_config.EditorRoad(editor),
        ends_with_clients=ends_with_clients,
        rotated_log=rotated_log,
        quiet=options.quiet,
        verbose=options.verbose,
    )
    if config.editor is server_config.EditorRoad.PIPELINE and config.project is None:
        why = "--editor pipeline needs the Editor's project: give --project PATH."
        fail(context, server_config.config_error(why))
    # From here on a signal means a clean end, even while the server is being loaded.
    stop_signal = StopSignal()
    stop_signal.listen()
    own = None
    if number is None and config.project is not None:
        own = _claimed(context, config.project)
    bound = server_config.bind_free() if number is None else server_config.bind(config.port)
    if isinstance(bound, ToolError):
        _fail_if_own(context, config)
        fail(context, bound)
    listener, found = bound if isinstance(bound, tuple) else (bound, config.port)
    config = replace(config, port=found)

    # Clients find the server even if nobody reads its address.
    outlast_readers(context)

    def announce(page: str) -> None:
        if rotated_log is not None:  # started by a client, in the background
            return
        if options.quiet and not options.as_json:
            print_text(config.url)
        else:
            named = number is not None
            _announce(config, token_file, page, port_named=named, as_json=options.as_json)
        lost = lost_output()
        if lost is not None:
            log_event("not_announced", level=logging.WARNING, why=lost, url=config.url)

    pause_collection()
    from mcp_server.host.serve import serve  # noqa: PLC0415 - loads the MCP SDK

    with own or nullcontext():
        serve(config, listener, stop_signal, announce)


def _claimed(context: click.Context, project: Path) -> HeldLock:
    """Claim the project for this process. Ends the command if another server has it."""
    from mcp_server.calls.server.project_server import SilentServer, claim_project, url_of_port  # noqa: PLC0415
    from mcp_server.calls.server.server_file import how_to_keep  # noqa: PLC0415
    from mcp_server.host.config import config_error  # noqa: PLC0415
    from snippet_engine.storage.os_failure import reason_of  # noqa: PLC0415

    try:
        claimed = claim_project(project, CLAIM_PATIENCE_S)
    except OSError as error:
        why = f"{error.filename or project}: {reason_of(error)}. {how_to_keep(error)}"
        fail(context, config_error(why.rstrip()))
    if claimed is None:
        why = "Another server of this project is starting or ending. Try again."
        fail(context, config_error(why))
    if isinstance(claimed, SilentServer):
        fail(context, claimed.error())
    if isinstance(claimed, int):
        _fail_served(context, url_of_port(claimed), project, "a --port")
    return claimed


def _fail_if_own(context: click.Context, config: ServerConfig) -> None:
    from mcp_server.calls.server.project_server import url_of_port  # noqa: PLC0415
    from mcp_server.calls.server.server_status import ServerStatus, ask_status, is_same_folder  # noqa: PLC0415

    if config.project is None:
        return
    url = url_of_port(config.port)
    status = ask_status(url, config.token, LOOK_S, config.project)
    if not isinstance(status, ServerStatus) or status.project is None:
        return
    if is_same_folder(status.project, config.project):
        _fail_served(context, url, config.project, "another --port", status)


def _fail_served(
    context: click.Context,
    url: str,
    project: Path,
    second: str,
    status: ServerStatus | None = None,
) -> NoReturn:
    """End the command: a server at ``url`` has the project. ``status`` is ``None`` if unknown."""
    from mcp_server.calls.server.server_status import ServerStatus, ask_status, how_to_serve  # noqa: PLC0415
    from mcp_server.host.config import config_error  # noqa: PLC0415

    asked = status or ask_status(url, None, LOOK_S, project)
    version = f" of version {asked.version}" if isinstance(asked, ServerStatus) else ""
    stop = how_to_serve(project, command="stop")
    why = f"A server{version} runs for this project already, at {url}. `{stop}` ends it."
    fail(context, config_error(f"{why} For a second one, give {second}."))


def _announce(
    config: ServerConfig, token_file: Path | None, page: str, *, port_named: bool, as_json: bool
) -> None:
    """Print the server's address, each client's setup command, and a link to the review page."""
    from mcp_server.calls.server.server_file import bound_url  # noqa: PLC0415
    from mcp_server.clients.table import CLIENTS, Client  # noqa: PLC0415 - not for help pages
    from mcp_server.this_installation import quoted_word  # noqa: PLC0415

    def word(path: Path) -> str:
        return quoted_word(str(path.absolute()))

    project = "" if config.project is None else f" --project {word(config.project)}"
    # A client's own command takes no token. It also stores a port, but the project's server may get
    # another one the next time. Our command has neither problem.
    token = "" if config.token is None else " --token-env"
    if token_file is not None:
        token = f" --token-file {word(token_file)}"
    own = not port_named and config.project is not None
    address = DEFAULT_URL if own else config.url
    bound = quoted_word(bound_url(config.url, config.project))

    def command(client: Client) -> str:
        if client.add_command is None or token or own:
            return f"{client.command_to_install(address, default_url=DEFAULT_URL)}{project}{token}"
        return " ".join(each.format(name="unity", url=bound) for each in client.add_command)

    commands = [(client, command(client)) for client in CLIENTS.values()]
    if as_json:
        clients = {client.name: command for client, command in commands}
        print_json({"url": config.url, "page": page, "clients": clients})
        return
    width = max(len(client.title) for client, _ in commands)
    rows = [f"{client.title:<{width}}  {command}" for client, command in commands]
    named = project if own else f" --url {config.url}"
    ending = f"To end this server: Ctrl-C, or from elsewhere unity-cli stop{named}"
    watching = f"To watch what agents do, and take it back: {page}"
    print_text("\n".join([config.url, *rows, watching, ending]))


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

    resume_collection()
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
    """End without cleaning up. Nothing here needs that, and a thread may be reading stdin."""
    sys.stderr.flush()
    os._exit(ExitCode.INTERRUPTED)
