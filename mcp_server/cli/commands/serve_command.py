"""``unity-cli serve``: options in, a serving process out.

Implements docs/design/server-and-bridge.md §1. Everything that can be wrong with the options is
told before the server is loaded.
"""

from __future__ import annotations

import logging
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from mcp_server.calls.server.server_address import DEFAULT_PORT
from mcp_server.cli.arguments.server_token import token_given, token_options
from mcp_server.cli.options import (
    DEFAULT_URL,
    GlobalOptions,
    global_options_shown,
)
from mcp_server.cli.printing.lasting_output import lost_output, outlast_readers
from mcp_server.cli.printing.output import fail, print_json, print_text
from mcp_server.cli.value_types import GivenPath
from mcp_server.contract.errors import ToolError
from mcp_server.garbage import look_later

if TYPE_CHECKING:
    from mcp_server.calls.server.server_status import ServerStatus
    from mcp_server.clients import Client
    from mcp_server.host.config import ServerConfig
    from snippet_engine.storage.system.file_lock import HeldLock


@click.command("serve")
@click.option(
    "--port",
    metavar="N",
    help="1 to 65535. Default: the one of --url, $UNITY_CLI_PORT, or 48091 or the next free one.",
)
@token_options
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How events are written to stderr.",
)
@click.option(
    "--editor",
    type=click.Choice(["auto", "plugin", "pipeline"]),
    default="auto",
    show_default=True,
    help="How the Unity Editor is reached: our package, or Unity's com.unity.pipeline.",
)
@click.option("--ends-with-clients", is_flag=True, hidden=True)
@click.option("--rotated-log", type=GivenPath(), hidden=True)
@global_options_shown(
    *("output", "project", "url", "lsp", "quiet"),
    verbose={
        "help": "Log every event, as a log has them. Default: what people act on, in sentences."
    },
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
    """Serve the tools over MCP on 127.0.0.1, until interrupted (Ctrl-C, or unity-cli stop).

    Prints the /mcp URL once the server answers there, and the command that tells each client,
    which --quiet leaves out, as it does of events all but warnings and errors.
    With --token-file, or UNITY_CLI_TOKEN, clients need the token; a file that doesn't exist is
    made, with a new token.

    \b
    Examples:
      unity-cli serve --project ~/Games/Tower
      unity-cli serve --port 48092 --log-format json 2> server.log
      unity-cli serve --token-file ~/.unity-token
    """
    from mcp_server.calls.language_server import lsp_of_server  # noqa: PLC0415
    from mcp_server.calls.project import find_project, problem_of  # noqa: PLC0415
    from mcp_server.cli.arguments.server_port import server_port  # noqa: PLC0415
    from mcp_server.event_log import LogFormat, log_event  # noqa: PLC0415
    from mcp_server.host import config as server_config  # noqa: PLC0415 - not for help pages
    from mcp_server.host.stopping import StopSignal  # noqa: PLC0415

    options = GlobalOptions.of(context)
    if options.dry_run:
        why = "--dry-run is for one call. Clients preview with edit_snippet's own mode."
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
        project=options.project or find_project(Path.cwd()),
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
        why = "--editor pipeline needs the project whose Editor is meant: give --project PATH."
        fail(context, server_config.config_error(why))
    # From here on a signal means a clean end, also while the server is still being loaded.
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

    # Clients find the server though nobody reads where it is.
    outlast_readers(context)

    def announce() -> None:
        if rotated_log is not None:  # started by a client, in the background: nobody reads this
            return
        if options.quiet and not options.as_json:
            print_text(config.url)
        else:
            named = number is not None
            _announce(config, token_file, port_named=named, as_json=options.as_json)
        lost = lost_output()
        if lost is not None:
            log_event("not_announced", level=logging.WARNING, why=lost, url=config.url)

    look_later()
    from mcp_server.host.serve import serve  # noqa: PLC0415 - loads the MCP SDK

    with own or nullcontext():
        serve(config, listener, stop_signal, announce)


CLAIM_PATIENCE_S = 15.0
"""How long a server of the same project that doesn't answer yet is waited for, in seconds."""


def _claimed(context: click.Context, project: Path) -> HeldLock:
    """This process as the project's own server; ends the command if there is one."""
    from mcp_server.calls.server.project_server import (  # noqa: PLC0415
        SilentServer,
        claim_project,
        url_of_port,
    )
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
    """End the command if it is the project's own server that has the port."""
    from mcp_server.calls.server.project_server import url_of_port  # noqa: PLC0415 - not for help pages
    from mcp_server.calls.server.server_status import (  # noqa: PLC0415
        ServerStatus,
        ask_status,
        is_same_folder,
    )

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
    """End the command: the project has a server, of which ``status`` is known, at ``url``."""
    from mcp_server.calls.server.server_status import (  # noqa: PLC0415 - not for help pages
        ServerStatus,
        ask_status,
        how_to_serve,
    )
    from mcp_server.host.config import config_error  # noqa: PLC0415

    asked = status or ask_status(url, None, LOOK_S, project)
    version = f" by version {asked.version}" if isinstance(asked, ServerStatus) else ""
    why = f"This project is served already{version}, at {url}: clients find it there."
    stop = how_to_serve(project, command="stop")
    fail(context, config_error(f"{why} `{stop}` ends it. For a second one, name {second}."))


LOOK_S = 2.0
"""How long each step of asking who has a port may take, in seconds."""


def _announce(
    config: ServerConfig, token_file: Path | None, *, port_named: bool, as_json: bool
) -> None:
    """Where the server is, and how each client gets to know it: with what it needs to be let in."""
    from mcp_server.calls.server.server_address import bound_url  # noqa: PLC0415 - not for help pages
    from mcp_server.clients import CLIENTS  # noqa: PLC0415 - not for help pages
    from mcp_server.this_installation import quoted_word  # noqa: PLC0415

    url = config.url
    bound = bound_url(url, config.project)
    project = "" if config.project is None else f" --project {_word(config.project)}"
    # A client's own command takes no token, and writes down a port, which the project's own server
    # need not have the next time; ours does neither.
    needed = "" if config.token is None else " --token-env"
    if token_file is not None:
        needed = f" --token-file {_word(token_file)}"
    own = not port_named and config.project is not None
    address = DEFAULT_URL if own else url

    def command(client: Client) -> str:
        if client.add_command is None or needed or own:
            return f"{client.command_to_install(address, default_url=DEFAULT_URL)}{project}{needed}"
        return client.command_to_add("unity", quoted_word(bound), default_url=DEFAULT_URL)

    commands = [(client, command(client)) for client in CLIENTS.values()]
    if as_json:
        print_json({"url": url, "clients": {client.name: command for client, command in commands}})
        return
    width = max(len(client.title) for client, _ in commands)
    rows = [f"{client.title:<{width}}  {command}" for client, command in commands]
    named = project if own else f" --url {url}"
    ending = f"Ctrl-C ends this server; from elsewhere: unity-cli stop{named}"
    print_text("\n".join([url, *rows, ending]))


def _word(path: Path) -> str:
    """``path``, whole, as one word of the shell."""
    from mcp_server.this_installation import quoted_word  # noqa: PLC0415

    return quoted_word(str(path.absolute()))
