"""``unity-cli client list|show|install|uninstall``.

Implements docs/design/command-line.md ``client``: our server in the configuration of the common MCP
clients.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mcp_server.cli.options import (
    DEFAULT_URL,
    GlobalOptions,
    global_options_shown,
    token_given,
)
from mcp_server.cli.output import ExitCode, fail, print_json, print_text
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_server.clients import Client, Plan, Problem, Scope

_transport_options = (
    click.option(
        "--http",
        "over_http",
        is_flag=True,
        help="Write the address of a server that you start. Default: the client starts what it "
        "needs (stdio).",
    ),
    click.option("--transport", type=click.Choice(["http", "stdio"]), hidden=True),
)
_place_options = (
    click.option(
        "--scope",
        type=click.Choice(["user", "project"]),
        default="user",
        show_default=True,
        help="The user's own configuration, or the project's, which a team shares.",
    ),
    click.option(
        "--name", "entry_name", default="unity", show_default=True, help="The server's name there."
    ),
    click.option(
        "--file",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="The configuration file, where it is not in its usual place.",
    ),
)
_token_options = (
    click.option(
        "--token-env",
        is_flag=True,
        help="The entry refers to the variable UNITY_CLI_TOKEN for the server's token.",
    ),
    click.option(
        "--token-file",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="TOKENS",
        help="The server's token: stdio entries name this file, HTTP entries hold what it holds.",
    ),
)


def _place(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which entry of which file is meant."""
    for option in reversed(_place_options):
        command = option(command)
    return command


def _entry_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Those, and what the entry is to be."""
    command = _place(command)
    for option in reversed((*_transport_options, *_token_options)):
        command = option(command)
    return command


def _complete_name(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    from mcp_server.clients import CLIENTS  # noqa: PLC0415 - not for help pages

    return [name for name in CLIENTS if name.startswith(typed)]


@click.group("client")
@global_options_shown()
def client_group() -> None:
    """Configure MCP clients: Claude Code, Codex, Cursor, VS Code and others.

    \b
    Examples:
      unity-cli client list
      unity-cli client show cursor
      unity-cli --dry-run client install claude-code
      unity-cli client install claude-desktop --project ~/Games/Tower
      unity-cli client uninstall claude-desktop
    """


@client_group.command("list")
@global_options_shown("output")
@click.pass_context
def list_clients(context: click.Context) -> None:
    """Name the clients, and where each keeps its configuration.

    \b
    Example:
      unity-cli client list --output json
    """
    from mcp_server.clients import CLIENTS, Scope  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    rows = [
        {
            "name": client.name,
            "title": client.title,
            "transports": [transport.value for transport in client.transports],
            "file": str(_file(client, Scope.USER, options)),
            "exists": (_file(client, Scope.USER, options) or Path()).is_file(),
            "documentation": client.documentation,
        }
        for client in CLIENTS.values()
    ]
    if options.as_json:
        print_json(rows)
        return
    width = max(len(name) for name in CLIENTS)
    print_text("\n".join(f"{row['name']:<{width}}  {row['file']}" for row in rows))


@client_group.command("show")
@click.argument("client_name", metavar="NAME", shell_complete=_complete_name)
@_entry_options
@global_options_shown("output", "project", "url")
@click.pass_context
def show_client(context: click.Context, /, client_name: str, **choices: Any) -> None:
    """Print what belongs into the configuration of the client NAME.

    \b
    Examples:
      unity-cli client show vscode --scope project
      unity-cli client show codex --http
    """
    from mcp_server.clients import Format  # noqa: PLC0415 - not for help pages
    from mcp_server.clients.installation import document_of  # noqa: PLC0415

    chosen = _Chosen(context, client_name, **choices)
    snippet = document_of(chosen.client, chosen.entry_name, chosen.entry)
    if GlobalOptions.of(context).as_json:
        print_json({**chosen.to_json(), "snippet": snippet})
        return
    comment = "#" if chosen.client.format is Format.TOML else "//"
    print_text(f"{comment} {chosen.client.title}: {chosen.file}\n{snippet.rstrip()}")


@client_group.command("install")
@click.argument("client_name", metavar="NAME", shell_complete=_complete_name)
@_entry_options
@global_options_shown("dry-run", "output", "project", "url", "quiet")
@click.pass_context
def install_client(context: click.Context, /, client_name: str, **choices: Any) -> None:
    """Write the server into the configuration of the client NAME.

    The client starts it by itself, or joins one that runs (unity-cli mcp). With --http it is the
    address of a server that you start (unity-cli serve). Everything else in the file stays as it
    is. With --dry-run nothing is written.

    \b
    Examples:
      unity-cli client install claude-code
      unity-cli client install claude-desktop --project ~/Games/Tower
      unity-cli client install cursor --http
      unity-cli --dry-run client install zed
    """
    from mcp_server.clients import plan  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    chosen = _Chosen(context, client_name, **choices)
    planned = plan(chosen.client, chosen.file, chosen.entry_name, chosen.entry)
    warnings = chosen.warnings(options)
    document = {**chosen.to_json(), "warnings": warnings}
    if not options.as_json:
        for warning in warnings:
            click.echo(f"warning: {warning}", err=True)
    _carry_out(
        context, chosen.client, planned, document, "written", "has it already", chosen.secret
    )


@client_group.command("uninstall")
@click.argument("client_name", metavar="NAME", shell_complete=_complete_name)
@_place
@global_options_shown("dry-run", "output", "project", "quiet")
@click.pass_context
def uninstall_client(
    context: click.Context,
    /,
    client_name: str,
    scope: str,
    entry_name: str,
    file: Path | None,
) -> None:
    """Take the server out of the configuration of the client NAME again.

    Everything else in the file stays as it is, and so does a server of that name that is another
    one. With --dry-run nothing is written.

    \b
    Examples:
      unity-cli client uninstall cursor
      unity-cli --dry-run client uninstall vscode --scope project
    """
    from mcp_server.clients import plan_removal  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    client = _client(context, client_name)
    found = _place_of(context, client, scope, file, options)
    planned = plan_removal(client, found, entry_name)
    document = {"client": client.name, "file": str(found), "name": entry_name}
    _carry_out(context, client, planned, document, "no longer has it", "doesn't have it")


def _carry_out(
    context: click.Context,
    client: Client,
    planned: Plan | Problem,
    document: dict[str, Any],
    done: str,
    unchanged: str,
    secret: str | None = None,
) -> None:
    """Write what was planned, unless it is a dry run, and say so; ``secret`` is only written."""
    from mcp_server.clients import Problem, write  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    if isinstance(planned, Problem):
        _refuse(context, planned.message)
    writes = planned.changes and not options.dry_run
    problem = write(planned, private=secret is not None) if writes else None
    if problem is not None:
        _refuse(context, problem.message)
    if options.as_json:
        came = {"dry_run": options.dry_run, "changed": planned.changes, "written": writes}
        print_json(_without(secret, {**document, **came}))
    elif options.dry_run:
        diff = _without(secret, _diff(planned.before, planned.after))
        print_text(f"dry run: {planned.file} was not written", diff)
    elif not options.quiet:
        what = f"{done}. Restart the client." if writes else f"{unchanged}."
        print_text(f"{client.title}: {planned.file} {what}")


def _without(secret: str | None, value: Any) -> Any:
    """``value`` as it is told: without the token that is written."""
    if isinstance(value, dict):
        return {key: _without(secret, each) for key, each in value.items()}
    if isinstance(value, str) and secret:
        return value.replace(secret, "…")
    return value


class _Chosen:
    """One client with the entry that was chosen for it. Ends the command for what can't be."""

    def __init__(
        self,
        context: click.Context,
        client_name: str,
        *,
        over_http: bool,
        transport: str | None,
        scope: str,
        entry_name: str,
        file: Path | None,
        token_env: bool,
        token_file: Path | None,
    ) -> None:
        from mcp_server.calls.server_address import port_here, read_url  # noqa: PLC0415
        from mcp_server.clients import Scope, Transport  # noqa: PLC0415 - not for help pages
        from mcp_server.clients.installation import entry  # noqa: PLC0415

        options = GlobalOptions.of(context)
        self.client = _client(context, client_name)
        self.entry_name = entry_name
        self.scope = scope
        if over_http and transport == "stdio":
            raise click.UsageError("--http and --transport stdio exclude each other.", context)
        self.transport = Transport("http" if over_http else transport or self.client.transports[0])
        if self.transport not in self.client.transports:
            _refuse(context, f"{self.client.title} can only do stdio. Leave --http out.")
        self.file = _place_of(context, self.client, scope, file, options)
        url = read_url(options.url)
        if isinstance(url, ToolError):
            fail(context, url)
        port = port_here(url)
        if self.transport is Transport.STDIO and port is None:
            _refuse(context, f"{url} is not on this machine. To have it reached there: --http.")
        command = _stdio_command(_project(options), None if url == DEFAULT_URL else port)
        self.secret: str | None = None
        if token_file is not None and self.transport is Transport.STDIO:
            command += ["--token-file", str(token_file.absolute())]
        self.entry = entry(self.client, self.transport, url=url, command=command)
        self.entry |= self._token(context, Scope(scope), token_env, token_file)

    def _token(
        self, context: click.Context, scope: Scope, by_variable: bool, file: Path | None
    ) -> dict[str, Any]:
        """What the entry holds of the server's token."""
        from mcp_server.clients import Problem, Transport  # noqa: PLC0415 - not for help pages
        from mcp_server.clients.token_entry import as_it_is, by_reference  # noqa: PLC0415

        if by_variable and file is not None:
            raise click.UsageError("--token-env and --token-file exclude each other.", context)
        if by_variable:
            found = by_reference(self.client, self.transport)
        elif file is not None and self.transport is Transport.HTTP:
            self.secret = token_given(context, None, file) or ""
            found = as_it_is(self.client, scope, self.secret)
        else:
            return {}
        if isinstance(found, Problem):
            _refuse(context, found.message)
        return found

    def warnings(self, options: GlobalOptions) -> list[str]:
        """What the user may not have thought of."""
        from mcp_server.calls.project import is_project  # noqa: PLC0415 - not for help pages
        from mcp_server.clients import Transport  # noqa: PLC0415

        if self.transport is Transport.HTTP:
            return []
        project = _project(options)
        if project is None:
            return [
                "no Unity project was found here, so the client looks for one upward from the "
                "folder that it starts in. Name yours: --project PATH"
            ]
        if not is_project(project):
            return [f"{project} is no Unity project: it has no Assets/ and ProjectSettings/"]
        if self.scope == "project":
            return ["the entry names folders of this machine; in a shared file, --http doesn't"]
        return []

    def to_json(self) -> dict[str, Any]:
        return {
            "client": self.client.name,
            "file": str(self.file),
            "transport": self.transport.value,
            "name": self.entry_name,
            "entry": self.entry,
        }


def _place_of(
    context: click.Context, client: Client, scope: str, file: Path | None, options: GlobalOptions
) -> Path:
    """The configuration file that is meant. Ends the command if there can be none."""
    from mcp_server.clients import Scope  # noqa: PLC0415 - not for help pages

    found = file or _file(client, Scope(scope), options)
    if found is None:
        _refuse(
            context,
            f"{client.title} has no configuration for a project: use --scope user."
            if client.project_file is None
            else "No Unity project was found for --scope project. Name it with --project.",
        )
    return found


def _client(context: click.Context, name: str) -> Client:
    from mcp_server.clients import CLIENTS  # noqa: PLC0415 - not for help pages
    from snippet_engine.schema_messages import nearest, quoted  # noqa: PLC0415

    client = CLIENTS.get(name)
    if client is None:
        near = nearest(name, CLIENTS)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"Known: {', '.join(CLIENTS)}."
        message = f"There is no client {quoted(name)}. {hint}"
        unknown = tool_error(ToolErrorCode.INVALID_REQUEST, message, text=message)
        fail(context, unknown, ExitCode.USAGE)
    return client


def _refuse(context: click.Context, message: str) -> NoReturn:
    fail(
        context,
        tool_error(ToolErrorCode.INVALID_REQUEST, message, text=message),
        ExitCode.FAILED,
    )


def _file(client: Client, scope: Scope, options: GlobalOptions) -> Path | None:
    from mcp_server.clients import config_file  # noqa: PLC0415 - not for help pages

    return config_file(
        client,
        scope,
        system=sys.platform,
        home=Path.home(),
        environment=os.environ,
        project=_project(options),
    )


def _project(options: GlobalOptions) -> Path | None:
    from mcp_server.calls.project import find_project  # noqa: PLC0415 - not for help pages

    found = options.project or find_project(Path.cwd())
    return found.absolute() if found is not None else None


def _stdio_command(project: Path | None, port: int | None) -> list[str]:
    """How a client starts ``unity-cli mcp``: by its whole path, as its PATH may be another."""
    program = shutil.which("unity-cli", path=str(Path(sys.argv[0]).absolute().parent))
    return [
        program or shutil.which("unity-cli") or "unity-cli",
        "mcp",
        *(["--port", str(port)] if port is not None else []),
        *(["--project", str(project)] if project is not None else []),
    ]


def _diff(before: str | None, after: str) -> str:
    from difflib import unified_diff  # noqa: PLC0415 - only for a dry run

    lines = unified_diff((before or "").splitlines(), after.splitlines(), lineterm="", n=3)
    return "\n".join(list(lines)[2:])
