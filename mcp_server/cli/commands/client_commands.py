"""``unity-cli client list|show|install|uninstall``.

Implements docs/design/command-line.md ``client``: our server in the configuration of the common MCP
clients.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_server.cli.arguments.client_choice import (
    ChosenEntry,
    check_project,
    check_variables,
    chosen_project,
    client_named,
    file_of,
    place_of,
    refuse,
    skill_place,
)
from mcp_server.cli.client_changes import carry_out_and_tell, turn
from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.output import ExitCode, print_json, print_line, print_text
from mcp_server.cli.value_types import GivenPath

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_server.clients import Client
    from mcp_server.clients.installation import Plan

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
        type=GivenPath(dir_okay=False),
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
        type=GivenPath(dir_okay=False),
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
      unity-cli client uninstall claude-desktop --project ~/Games/Tower
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
    check_variables(context)
    rows = [
        {
            "name": client.name,
            "title": client.title,
            "transports": [transport.value for transport in client.transports],
            "file": str(file_of(client, Scope.USER, options)),
            "exists": (file_of(client, Scope.USER, options) or Path()).is_file(),
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

    chosen = ChosenEntry(context, client_name, **choices)
    snippet = document_of(chosen.client, chosen.entry_name, chosen.entry)
    if GlobalOptions.of(context).as_json:
        print_json({**chosen.to_json(), "snippet": snippet})
        return
    comment = "#" if chosen.client.format is Format.TOML else "//"
    print_text(f"{comment} {chosen.client.title}: {chosen.file}\n{snippet.rstrip()}")


@client_group.command("install")
@click.argument("client_name", metavar="NAME", shell_complete=_complete_name)
@_entry_options
@click.option(
    "--skill",
    "with_skill",
    is_flag=True,
    help="Write the skill, too, that tells the agent when to use which tool.",
)
@click.option(
    "--replace",
    is_flag=True,
    help="A server of that name that is another one goes, whole; so does another skill.",
)
@global_options_shown("dry-run", "output", "project", "url", "quiet")
@click.pass_context
def install_client(
    context: click.Context,
    /,
    client_name: str,
    *,
    with_skill: bool,
    replace: bool,
    **choices: Any,
) -> None:
    """Write the server into the configuration of the client NAME.

    The client starts it by itself, or joins one that runs (unity-cli mcp). With --http it is the
    address of a server that you start (unity-cli serve). Everything else in the file stays as it
    is, and so does a server of that name that leads elsewhere. With --dry-run nothing is written.

    \b
    Examples:
      unity-cli client install claude-code
      unity-cli client install claude-desktop --project ~/Games/Tower
      unity-cli client install cursor --http
      unity-cli client install claude-code --skill
      unity-cli --dry-run client install zed
    """
    from mcp_server.clients.installation import Problem, plan  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    chosen = ChosenEntry(context, client_name, **choices)
    _check_folder(context, choices["file"])
    where = (chosen.client, chosen.file, chosen.entry_name)
    planning = partial(plan, *where, chosen.entry, replace=replace)
    warnings = chosen.warnings(options)
    document = {**chosen.to_json(), "warnings": warnings}
    with turn(context):
        skill = _planned_skill(context, chosen, replace=replace) if with_skill else None
        if not options.as_json:
            for warning in warnings:
                print_line(f"warning: {warning}", err=True)
        if skill is not None and not isinstance(planning(), Problem):
            document["skill"] = str(skill.file)
            _write_skill(context, skill)
        texts = ("written", "has it already", chosen.secret)
        carry_out_and_tell(context, chosen.client, planning, document, *texts)
    can_have = skill is None and skill_place(chosen.client, chosen.scope, options) is not None
    if can_have and not (options.as_json or options.quiet or options.dry_run):
        print_text("With --skill, the agent is told when to use which tool, too.")


def _check_folder(context: click.Context, file: Path | None) -> None:
    """End the command if --file is in no folder: only the last one is made. Others are mistyped."""
    if file is not None and not any(map(os.path.isdir, (file.parent, file.parent.parent))):
        message = f"--file {file}: there is no folder {file.parent.parent}. Nothing was written."
        refuse(context, message, ExitCode.USAGE)


def _planned_skill(context: click.Context, chosen: ChosenEntry, *, replace: bool) -> Plan:
    """What writing the skill comes to. Ends the command where it can't be written."""
    from mcp_server.clients.installation import Problem  # noqa: PLC0415 - not for help pages
    from mcp_server.clients.skill_file import plan_skill  # noqa: PLC0415

    file = skill_place(chosen.client, chosen.scope, GlobalOptions.of(context))
    if file is None:
        why = f"{chosen.client.title} has no folder of skills there: leave --skill out."
        refuse(context, why, ExitCode.USAGE)
    found = plan_skill(file, replace=replace)
    if isinstance(found, Problem):
        refuse(context, found.message)
    return found


def _write_skill(context: click.Context, planned: Plan) -> None:
    """Write the skill, unless it is there or it is a dry run, and say so."""
    from mcp_server.clients.installation import write  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    problem = write(planned) if planned.changes and not options.dry_run else None
    if problem is not None:
        refuse(context, problem.message)
    if not (options.as_json or options.quiet):
        done = "would be written" if options.dry_run else "written"
        print_text(f"skill: {planned.file} {done if planned.changes else 'is there already'}")


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
    one, or is for another project than --project, or the one found here. A file with nothing else
    in it, as client install makes it, is removed. With --dry-run nothing is written.

    \b
    Examples:
      unity-cli client uninstall cursor
      unity-cli client uninstall claude-desktop --project ~/Games/Tower
      unity-cli --dry-run client uninstall vscode --scope project
    """
    from mcp_server.clients.removal import is_of, plan_removal  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    client = client_named(context, client_name)
    found = place_of(context, client, scope, file, options)
    named, of_project = options.project, file is None and scope == "project"
    # The server of a project that is gone can be taken out, too.
    if named is None or not is_of(client, found, entry_name, named):
        check_project(context, named)
    project = chosen_project(options)
    planning = partial(plan_removal, client, found, entry_name, project, of_project=of_project)
    document = {"client": client.name, "file": str(found), "name": entry_name}
    with turn(context):
        carry_out_and_tell(
            context, client, planning, document, "no longer has it", "doesn't have it"
        )
        _remove_skill(context, client, scope, found)
        if not options.dry_run and file is None:
            _remove_empty_folders(client, scope, found, options)


def _remove_empty_folders(client: Client, scope: str, config: Path, options: GlobalOptions) -> None:
    """Take away what an install has made for the client's file and the skill, once it is empty."""
    from mcp_server.clients.removal import remove_empty_folders  # noqa: PLC0415 - not for help pages

    below = Path.home() if scope == "user" else chosen_project(options)
    skill = skill_place(client, scope, options)
    for gone in (config, skill):
        if gone is not None and below is not None and not gone.exists():
            remove_empty_folders(gone.parent, below)


def _remove_skill(context: click.Context, client: Client, scope: str, config: Path) -> None:
    """Take the skill out again, if it is there as it was written and nobody else reads it.

    ``config`` is the file that the server was taken out of.
    """
    from mcp_server.clients.skill_file import has_skill, remove_skill  # noqa: PLC0415 - not for help pages
    from snippet_engine.storage.os_failure import reason_of  # noqa: PLC0415

    options = GlobalOptions.of(context)
    skill = skill_place(client, scope, options)
    if skill is None or options.dry_run:
        return
    try:
        if not has_skill(skill):
            return
        reader = _reader_of(skill, client, scope, config, options)
        if reader is None:
            remove_skill(skill)
    except OSError as error:
        refuse(context, f"{skill} can't be removed: {reason_of(error)}.")
    if not (options.as_json or options.quiet):
        stays = f"stays, as the server in {reader} needs it"
        print_text(f"skill: {skill} {'removed' if reader is None else stays}")


def _reader_of(
    skill: Path, client: Client, scope: str, config: Path, options: GlobalOptions
) -> Path | None:
    """The configuration that has our server still, of a client that looks for ``skill`` there.

    Some clients share a folder of skills. Raises ``OSError``.
    """
    from mcp_server.clients import CLIENTS, Scope  # noqa: PLC0415 - not for help pages
    from mcp_server.clients.removal import has_server  # noqa: PLC0415

    usual = ((each, file_of(each, Scope(scope), options)) for each in CLIENTS.values())
    for each, file in ((client, config), *usual):
        reads = file is not None and skill_place(each, scope, options) == skill
        if file is not None and reads and has_server(each, file):
            return file
    return None
