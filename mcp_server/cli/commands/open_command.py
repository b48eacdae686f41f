"""``unity-cli open``: the review page of the project's server, in the browser.

Implements docs/design/review.md "Access". The server is joined where it runs, else started, as for
a stdio client. It ends once nobody looks at its page, but lives for ten minutes at least.
"""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from mcp_server.cli.arguments.server_options import server_port, token_given, token_options
from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.output import ExitCode, fail, print_json, print_text, refuse
from mcp_server.contract.errors import ToolError, ToolErrorCode

if TYPE_CHECKING:
    from mcp_server.calls.server.server_file import ServerFile
    from mcp_server.stdio.shared_server import SharedServer

LIMIT_S = 5.0
"""How long the server may take to make a link, in seconds."""

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
    """Return a link from a server that runs."""
    from mcp_server.calls.server import server_file  # noqa: PLC0415 - not for help pages
    from mcp_server.calls.server.proven_connection import ProvenConnection  # noqa: PLC0415
    from mcp_server.calls.server.server_proof import NotProvenError  # noqa: PLC0415
    from mcp_server.contract.server_schemas import PAGE_LINK_PATH  # noqa: PLC0415

    port = urlsplit(server.url).port or 0
    file: ServerFile | None = server_file.find(port, server.project)
    if file is None:
        return _no_link(server, "it left no server.json for this user on this machine")
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
    from mcp_server.contract.errors import tool_error  # noqa: PLC0415 - only where it went wrong

    advice = "Restart it: unity-cli stop, then unity-cli open."
    message = f"The server at {server.url} gives no link to its page: {why}. {advice}"
    return tool_error(ToolErrorCode.UNITY_DISCONNECTED, message)


def _is_shown(link: str) -> bool:
    """Open ``link`` in the user's browser. Return whether that could be started.

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
    from html import escape  # noqa: PLC0415 - only with a token

    from mcp_server.calls.server.server_file import places  # noqa: PLC0415

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
