"""``unity-cli status`` and ``unity-cli stop``: the project's running server, and its end.

Implements docs/design/command-line.md "status and stop". A server is ended only if it says that it
works in the project, and proves that it is this user's.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

import click

from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.output import ExitCode, fail, print_json, print_text, refuse
from mcp_server.cli.printing.streams import outlast_readers
from mcp_server.contract.errors import ToolError, ToolErrorCode

if TYPE_CHECKING:
    from mcp_server.calls.server.server_status import ServerStatus

_MOST_ENDED = 8
"""Most servers of one project that are stopped, one after the other."""

LIMIT_S = 5.0
"""How long a server may take to say what it is, in seconds."""


@click.command("status")
@global_options_shown("output", "project", "url")
@click.pass_context
def status_command(context: click.Context) -> None:
    """Show the project's running server: its address, version and clients.

    Exit code 3: no server runs.

    \b
    Examples:
      unity-cli status
      unity-cli status --project ~/Games/Tower --output json
    """
    from mcp_server.calls.server.server_status import how_to_serve  # noqa: PLC0415 - not for help
    from mcp_server.version import package_version  # noqa: PLC0415

    options = GlobalOptions.of(context)
    url, status = _found(context, options)
    project = options.found_project
    if options.as_json:
        server = None if status is None else status.to_json()
        running = {"running": status is not None, "url": url, "server": server}
        print_json({**running, "version": package_version()})
    elif status is None:
        print_text(f"No server runs for {project or url}. To start one: {how_to_serve(project)}")
    else:
        stop = how_to_serve(project, command="stop")
        if options.named_url is not None:
            stop = f"unity-cli stop --url {url}"
        print_text("\n".join([*_lines(url, status), f"To end it: {stop}"]))
    context.exit(ExitCode.OK if status is not None else ExitCode.UNREACHABLE)


@click.command("stop")
@global_options_shown("dry-run", "output", "project", "url")
@click.pass_context
def stop_command(context: click.Context) -> None:
    """End the project's running server in an orderly way.

    Running calls get a moment to end. Clients that speak stdio start another server with their
    next call. If no server runs, the command says so, with exit code 0.

    \b
    Examples:
      unity-cli stop
      unity-cli stop --project ~/Games/Tower
      unity-cli stop --url http://127.0.0.1:48092/mcp
    """
    options = GlobalOptions.of(context)
    outlast_readers(context)
    ended: list[dict[str, object]] = []
    for _ in range(_MOST_ENDED):
        url, status = _found(context, options)
        if status is None:
            break
        if not options.dry_run:
            _end(context, url, status)
        ended.append({"url": url, "version": status.version, "pid": status.pid})
        if not (options.as_json or options.quiet):
            done = "would be ended" if options.dry_run else "has ended"
            print_text(f"{_name_of(url, status)} {done}.")
            if status.clients:
                print_text(f"Its agents ({status.clients}) start another with their next call.")
        if options.dry_run or options.named_url is not None:
            break
    if options.as_json:
        print_json({"dry_run": options.dry_run, "stopped": ended})
    elif not ended and not options.quiet:
        print_text(f"No server runs for {options.found_project or options.url}.")


def _found(context: click.Context, options: GlobalOptions) -> tuple[str, ServerStatus | None]:
    """Return the server's address, and its status if it runs. Ends the command after an error."""
    from mcp_server.calls.server.project_server import (  # noqa: PLC0415 - not for help pages
        SilentServer,
        own_server,
        status_of_port,
        url_of_port,
    )
    from mcp_server.calls.server.server_file import DEFAULT_PORT, read_url  # noqa: PLC0415
    from mcp_server.calls.server.server_proof import TOKEN_VARIABLE  # noqa: PLC0415
    from mcp_server.calls.server.server_status import (  # noqa: PLC0415
        NoStatus,
        ask_status,
        is_same_folder,
        other_project,
        unreachable,
    )

    token = os.environ.get(TOKEN_VARIABLE)
    project, named = options.found_project, options.named_url
    if named is None and project is None:
        why = "No Unity project was found here. Give --project PATH, or a server's --url."
        refuse(context, why, ExitCode.USAGE, ToolErrorCode.CONFIG_VALIDATION)
    if named is None and project is not None:
        own = own_server(project, token)
        if isinstance(own, SilentServer):
            fail(context, own.error())
        if own is None:
            return url_of_port(DEFAULT_PORT), None
        status = status_of_port(own, token, LIMIT_S, project)
        return url_of_port(own), status if not isinstance(status, NoStatus) else None
    url = read_url(named, options.url_name) if isinstance(named, str) else named
    assert url is not None
    if isinstance(url, ToolError):
        fail(context, url)
    status = ask_status(url, token, LIMIT_S, project)
    if isinstance(status, NoStatus):
        if status.answered:
            fail(context, unreachable(url, status, project))
        return url, None
    served = status.works_in
    if project is not None and not (served is not None and is_same_folder(served, project)):
        fail(context, other_project(url, served or "no project", project))
    return url, status


def _end(context: click.Context, url: str, status: ServerStatus) -> None:
    """End the server; ends the command if that fails."""
    from mcp_server.calls.server import server_file  # noqa: PLC0415 - not for help pages
    from mcp_server.calls.server.proven_connection import stop  # noqa: PLC0415
    from mcp_server.calls.server.server_file import port_here  # noqa: PLC0415

    port = port_here(url)
    project = None if status.project is None else Path(status.project)
    file = server_file.find(port, project) if port is not None else None
    if file is None:
        _not_ended(context, url, status, "it left no server.json for this user on this machine")
    why = stop(file)
    if why is not None:
        _not_ended(context, url, status, why)


def _not_ended(context: click.Context, url: str, status: ServerStatus, why: str) -> NoReturn:
    how = f"End it where it runs: Ctrl-C, or its process {status.pid}"
    refuse(context, f"{_name_of(url, status)} was not ended: {why}. {how}.")


def _name_of(url: str, status: ServerStatus) -> str:
    return f"The server at {url} (version {status.version}, process {status.pid})"


def _lines(url: str, status: ServerStatus) -> list[str]:
    from mcp_server.stdio.server_process import log_path  # noqa: PLC0415 - not for help pages
    from mcp_server.version import package_version  # noqa: PLC0415

    lines = [f"{url}: version {status.version}, process {status.pid}"]
    lines.append(f"  project: {status.works_in or 'none'}")
    if status.ends_with_clients:
        log = log_path(urlsplit(url).port or 0)
        lines.append(
            f"  ends with its last agent or page (agents now: {status.clients}); log: {log}"
        )
    editor = f"connected ({status.editor_state})" if status.editor_connected else "not connected"
    lines.append(f"  Unity Editor: {editor}")
    if status.version != package_version():
        lines.append(f"  This program is version {package_version()}: restart the server.")
    return lines
