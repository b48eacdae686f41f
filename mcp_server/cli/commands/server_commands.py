"""``unity-cli status``, ``stop``, ``open`` and ``hook``: use the project's running server.

Implements docs/design/command-line.md "status and stop" and docs/design/review.md "Access". A
server is ended only if it names the project, and proves to be this user's.
"""

from __future__ import annotations

import json
import os
import sys
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

import click

from mcp_server.calls.server import server_file
from mcp_server.calls.server.project_server import (
    SilentServer,
    own_server,
    status_of_port,
    url_of_port,
)
from mcp_server.calls.server.server_file import (
    DEFAULT_PORT,
    ServerFile,
    places,
    port_here,
    read_url,
)
from mcp_server.calls.server.server_proof import TOKEN_VARIABLE, NotProvenError
from mcp_server.calls.server.server_status import (
    NoStatus,
    ServerStatus,
    ask_status,
    how_to_serve,
    is_same_folder,
    other_project,
    unreachable,
)
from mcp_server.cli.arguments import server_port, token_given, token_options
from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing import ExitCode, fail, outlast_readers, print_json, print_text, refuse
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.server_schemas import PAGE_LINK_PATH
from mcp_server.version import package_version

if TYPE_CHECKING:
    from mcp_server.stdio.shared_server import SharedServer

_MOST_ENDED = 8
"""Most servers of one project that ``stop`` ends, one after the other."""

LIMIT_S = 5.0
"""How long a server may take to give its status or a link, in seconds."""


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
    """Return the server's address, and its status if it runs. An error ends the command."""
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
    from mcp_server.calls.server.proven_connection import stop  # noqa: PLC0415 - not for help pages

    port = port_here(url)
    project = None if status.project is None else Path(status.project)
    file = server_file.find(port, project) if port is not None else None
    if file is None:
        _not_ended(context, url, status, "it wrote no server.json for this user on this machine")
    why = stop(file)
    if why is not None:
        _not_ended(context, url, status, why)


def _not_ended(context: click.Context, url: str, status: ServerStatus, why: str) -> NoReturn:
    how = f"Press Ctrl-C where it runs, or end its process {status.pid}"
    refuse(context, f"{_name_of(url, status)} was not ended: {why}. {how}.")


def _name_of(url: str, status: ServerStatus) -> str:
    return f"The server at {url} (version {status.version}, process {status.pid})"


def _lines(url: str, status: ServerStatus) -> list[str]:
    lines = [f"{url}: version {status.version}, process {status.pid}"]
    lines.append(f"  project: {status.works_in or 'none'}")
    if status.ends_with_clients:
        from mcp_server.stdio.server_process import log_path  # noqa: PLC0415 - not for help pages

        log = log_path(urlsplit(url).port or 0)
        lines.append(
            f"  ends with its last agent or page (agents now: {status.clients}); log: {log}"
        )
    editor = f"connected ({status.editor_state})" if status.editor_connected else "not connected"
    lines.append(f"  Unity Editor: {editor}")
    if status.version != package_version():
        lines.append(f"  This program is version {package_version()}: restart the server.")
    return lines


_MAX_ANSWER_BYTES = 64 * 1024


@click.command("open")
@click.option("--no-browser", is_flag=True, help="Print the link only.")
@token_options
@global_options_shown("output", "project", "url", "lsp")
@click.pass_context
def open_command(
    context: click.Context, no_browser: bool, token: str | None, token_file: Path | None
) -> None:
    """Show in a browser what agents do to the project, and take it back there.

    Opens the page of the project's server, and prints its link. If no server runs, one is started;
    it runs for ten minutes, and then until the page is closed and no client is left. Where the
    server has a token, the link logs one browser in, once.

    \b
    Examples:
      unity-cli open
      unity-cli open --project ~/Games/Tower --no-browser
    """
    options = GlobalOptions.of(context)
    port = server_port(None, options.given_url)
    if isinstance(port, ToolError):
        fail(context, port)
    project = options.found_project
    if project is None and port is None:
        why = "No Unity project was found here. Give --project PATH, or a server's --url."
        refuse(context, why, ExitCode.USAGE, ToolErrorCode.CONFIG_VALIDATION)
    bearer_token = token_given(context, token, token_file)

    import asyncio  # noqa: PLC0415 - slow to import

    from mcp_server.event_log import LogFormat, configure_logging  # noqa: PLC0415
    from mcp_server.stdio.shared_server import SharedServer  # noqa: PLC0415 - not for help pages

    configure_logging(LogFormat.TEXT, quiet=True, verbose=False)

    async def ask() -> str | ToolError:
        server = SharedServer(port, project, bearer_token, options.lsp)
        try:
            unusable = await server.ensure()
            return await asyncio.to_thread(_link, server) if unusable is None else unusable
        finally:
            await server.leave()

    link = asyncio.run(ask())
    if isinstance(link, ToolError):
        fail(context, link)
    opened = not no_browser and _is_shown(link)
    if options.as_json:
        print_json({"url": link, "opened": opened})
        return
    print_text(link)
    if not (opened or no_browser or options.quiet):
        print_text("No browser could be started. Open the link in one on this machine.")


def _link(server: SharedServer) -> str | ToolError:
    from mcp_server.calls.server.proven_connection import (  # noqa: PLC0415 - not for help pages
        ProvenConnection,
    )

    port = urlsplit(server.url).port or 0
    file: ServerFile | None = server_file.find(port, server.project)
    if file is None:
        return _no_link(server, "it wrote no server.json for this user on this machine")
    try:
        connection = ProvenConnection.to_server(file, LIMIT_S)
        try:
            answer = connection.ask(file, PAGE_LINK_PATH, {}, within_s=LIMIT_S)
            data = answer.read(_MAX_ANSWER_BYTES)
        finally:
            connection.close()
        document = json.loads(data) if answer.status == HTTPStatus.OK else {}
    except NotProvenError as error:
        return _no_link(server, str(error))
    except (OSError, ValueError) as error:
        return _no_link(server, f"it gave no answer ({error})")
    if answer.status == HTTPStatus.NOT_FOUND:
        return _no_link(server, "its version has no page")
    if answer.status != HTTPStatus.OK or not isinstance(document.get("url"), str):
        return _no_link(server, f"it refuses (HTTP status {answer.status})")
    return str(document["url"])


def _no_link(server: SharedServer, why: str) -> ToolError:
    advice = "Restart it: unity-cli stop, then unity-cli open."
    message = f"The server at {server.url} gives no link to its page: {why}. {advice}"
    return tool_error(ToolErrorCode.UNITY_DISCONNECTED, message)


def _is_shown(link: str) -> bool:
    """Open ``link`` in the user's browser. Return whether a browser could be started.

    Other users can list the browser's command line, so it gets no login code. It gets a page that
    only this user can read, and that page leads to the link.
    """
    import webbrowser  # noqa: PLC0415 - not for help pages

    if "#" in link:
        link = _leading_page(link).as_uri()
    try:
        return webbrowser.open(link)
    except webbrowser.Error:
        return False


def _leading_page(link: str) -> Path:
    from html import escape  # noqa: PLC0415 - not for help pages

    page = places(0, None)[0].with_name("open.html")
    page.unlink(missing_ok=True)
    page.touch(mode=0o600, exist_ok=False)
    shown = escape(link)
    page.write_text(
        f'<!doctype html><meta http-equiv="refresh" content="0; url={shown}">'
        f'<title>unity-snippet</title><a href="{shown}">Open the review page</a>',
        encoding="utf-8",
    )
    return page


@click.command(short_help="Check an edit, when an agent's hook asks.")
@click.argument("client")
@global_options_shown()
def hook_command(client: str) -> None:
    """Answer one event of a coding agent's hook, given on standard input.

    CLIENT is the agent's name, such as claude-code. The project's running server
    answers. If none runs, or anything else goes wrong, the answer is empty and the
    exit code is 0, so that the agent can go on. The reason is in a log.

    "unity-cli client install CLIENT --guard" sets this up.

    \b
    Examples:
      unity-cli hook claude-code < event.json
    """
    from mcp_server.hook.carrier import carry  # noqa: PLC0415 - not for help pages

    sys.exit(carry(client))
