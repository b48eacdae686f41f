"""``unity-cli client list|show|install|uninstall``: configure MCP clients.

Implements docs/design/command-line.md ``client``: our server in the configuration of the common MCP
clients.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from mcp_server.cli.client_choice import (
    ChosenEntry,
    accepted,
    check_project,
    check_variables,
    chosen_project,
    client_named,
    configuration_of,
    file_of,
    skill_place,
)
from mcp_server.cli.client_guard import (
    adapter_of,
    carried_out,
    carry_out_and_report,
    guard_mark,
    guard_state,
    install_guard,
    kept,
    locked_client_files,
    remove_guard_with_last,
    remove_only_guard,
)
from mcp_server.cli.options import GivenPath, GlobalOptions, global_options_shown
from mcp_server.cli.printing import ExitCode, print_json, print_line, print_text, refuse
from mcp_server.clients.config_files import Plan, Problem, remove_made_folders
from mcp_server.clients.installation import (
    document_of,
    has_server,
    has_skill,
    is_of,
    plan,
    plan_removal,
    plan_skill,
    remove_skill,
)
from mcp_server.clients.table import CLIENTS, Client, Format, Scope
from snippet_engine.storage.os_failure import reason_of

_transport_options = (
    click.option(
        "--http",
        "over_http",
        is_flag=True,
        help="Write the URL of a server that you start yourself. Default: the client starts one "
        "(stdio).",
    ),
    click.option("--transport", type=click.Choice(["http", "stdio"]), hidden=True),
)
_place_options = (
    click.option(
        "--scope",
        type=click.Choice(["user", "project"]),
        default="user",
        show_default=True,
        help="Whose configuration: yours (user), or the project's, which its team shares.",
    ),
    click.option(
        "--name",
        "entry_name",
        default="unity",
        show_default=True,
        help="The server's name in the file.",
    ),
    click.option(
        "--file",
        type=GivenPath(dir_okay=False),
        metavar="FILE",
        help="The configuration file, if it is not in its usual place.",
    ),
)
_token_options = (
    click.option(
        "--token-env",
        is_flag=True,
        help="Write a reference to the environment variable UNITY_CLI_TOKEN, not the token.",
    ),
    click.option(
        "--token-file",
        type=GivenPath(dir_okay=False),
        metavar="TOKENS",
        help="The file with the server's token. A stdio entry gets its path, an HTTP entry the "
        "token.",
    ),
)


def _with(*options: Callable[..., Any]) -> Callable[..., Any]:
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _complete_name(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    return [name for name in CLIENTS if name.startswith(typed)]


@click.group("client")
@global_options_shown()
def client_command() -> None:
    """Configure MCP clients: Claude Code, Codex, Cursor, VS Code and others.

    \b
    Examples:
      unity-cli client list
      unity-cli client show cursor
      unity-cli --dry-run client install claude-code
      unity-cli client install claude-desktop --project ~/Games/Tower
      unity-cli client uninstall claude-desktop --project ~/Games/Tower
    """


@client_command.command("list")
@global_options_shown("output")
@click.pass_context
def list_clients(context: click.Context) -> None:
    """List the clients, and where each keeps its configuration.

    \b
    Example:
      unity-cli client list --output json
    """

    options = GlobalOptions.of(context)
    check_variables(context)
    guards = {client.name: guard_state(client) for client in CLIENTS.values()}
    rows = [
        {
            "name": client.name,
            "title": client.title,
            "transports": [transport.value for transport in client.transports],
            "file": str(file_of(client, Scope.USER, options)),
            "exists": (file_of(client, Scope.USER, options) or Path()).is_file(),
            "documentation": client.documentation,
            "guard": guards[client.name],
        }
        for client in CLIENTS.values()
    ]
    if options.as_json:
        print_json(rows)
        return
    width = max(len(name) for name in CLIENTS)
    lines = (
        f"{row['name']:<{width}}  {row['file']}{guard_mark(guards[str(row['name'])])}"
        for row in rows
    )
    print_text("\n".join(lines))


@client_command.command("show")
@click.argument("client_name", metavar="NAME", shell_complete=_complete_name)
@_with(*_transport_options, *_token_options, *_place_options)
@global_options_shown("output", "project", "url")
@click.pass_context
def show_client(context: click.Context, /, client_name: str, **choices: Any) -> None:
    """Print the entry for the configuration of the client NAME.

    \b
    Examples:
      unity-cli client show vscode --scope project
      unity-cli client show codex --http
    """
    chosen = ChosenEntry(context, client_name, **choices)
    snippet = document_of(chosen.client, chosen.entry_name, chosen.entry)
    if GlobalOptions.of(context).as_json:
        print_json({**chosen.to_json(), "snippet": snippet})
        return
    comment = "#" if chosen.client.format is Format.TOML else "//"
    print_text(f"{comment} {chosen.client.title}: {chosen.file}\n{snippet.rstrip()}")


@client_command.command("install")
@click.argument("client_name", metavar="NAME", shell_complete=_complete_name)
@_with(*_transport_options, *_token_options, *_place_options)
@click.option(
    "--skill",
    "with_skill",
    is_flag=True,
    help="Also write the skill that tells the agent when to use which tool.",
)
@click.option(
    "--guard",
    "with_guard",
    is_flag=True,
    help="Also write hooks, with which the server checks edits by the agent's own tools.",
)
@click.option(
    "--replace",
    is_flag=True,
    help="Replace an entry of this name, and a skill or hooks with other text. Keeps a copy of the "
    "file.",
)
@global_options_shown("dry-run", "output", "project", "url", "quiet")
@click.pass_context
def install_client(
    context: click.Context,
    /,
    client_name: str,
    *,
    with_skill: bool,
    with_guard: bool,
    replace: bool,
    **choices: Any,
) -> None:
    """Write the server into the configuration of the client NAME.

    The client itself starts the server, or joins one that runs (unity-cli mcp). With --http the
    entry is the address of a server that you start (unity-cli serve). Everything else in the file
    stays as it is. An existing entry with this name that leads elsewhere is refused.

    \b
    Examples:
      unity-cli client install claude-code
      unity-cli client install claude-desktop --project ~/Games/Tower
      unity-cli client install cursor --http
      unity-cli client install claude-code --skill --guard
      unity-cli --dry-run client install zed
    """
    options = GlobalOptions.of(context)
    chosen = ChosenEntry(context, client_name, **choices)
    _check_folder(context, choices["file"])
    where = (chosen.client, chosen.file, chosen.entry_name)
    planning = partial(plan, *where, chosen.entry, replace=replace)
    adapter = adapter_of(context, chosen.client, chosen.scope) if with_guard else None
    warnings = chosen.warnings(options)
    document: dict[str, Any] = {**chosen.to_json(), "warnings": warnings, "copies": []}
    with locked_client_files(context):
        skill = _planned_skill(context, chosen, replace=replace) if with_skill else None
        if not options.as_json:
            for warning in warnings:
                print_line(f"warning: {warning}", err=True)
        if skill is not None and not isinstance(planning(), Problem):
            document["skill"] = str(skill.file)
            skill = _write_skill(context, skill, replace=replace)
            document["copies"] += [str(skill.copy)] if skill.copy is not None else []
        if adapter is not None and not isinstance(planning(), Problem):
            document["guard"], copies = install_guard(
                context, chosen.client, adapter, replace=replace
            )
            document["copies"] += copies
        texts = ("written", "has the entry already", chosen.secret)
        carry_out_and_report(context, chosen.client, planning, document, *texts)
    can_have = skill is None and skill_place(chosen.client, chosen.scope, options) is not None
    if can_have and not (options.as_json or options.quiet or options.dry_run):
        print_text("With --skill, also a skill is written: when the agent should use which tool.")


def _check_folder(context: click.Context, file: Path | None) -> None:
    """End the command if the folder of --file can't be created, because its parent is missing."""
    if file is not None and not any(map(os.path.isdir, (file.parent, file.parent.parent))):
        message = f"--file {file}: there is no folder {file.parent.parent}. Nothing was written."
        refuse(context, message, ExitCode.USAGE)


def _planned_skill(context: click.Context, chosen: ChosenEntry, *, replace: bool) -> Plan:
    file = skill_place(chosen.client, chosen.scope, GlobalOptions.of(context))
    if file is None:
        why = f"{chosen.client.title} has no folder of skills there: leave --skill out."
        refuse(context, why, ExitCode.USAGE)
    return accepted(context, plan_skill(file, replace=replace))


def _write_skill(context: click.Context, planned: Plan, *, replace: bool) -> Plan:
    options = GlobalOptions.of(context)
    planned = carried_out(context, partial(plan_skill, planned.file, replace=replace))
    if not (options.as_json or options.quiet):
        done = "would be written" if options.dry_run else "written"
        word = done if planned.changes else "exists already"
        print_text(f"skill: {planned.file} {word}{kept(planned)}")
    return planned


@client_command.command("uninstall")
@click.argument("client_name", metavar="NAME", shell_complete=_complete_name)
@click.option("--guard", "only_guard", is_flag=True, help="Remove the guard's hooks only.")
@_with(*_place_options)
@global_options_shown("dry-run", "output", "project", "quiet")
@click.pass_context
def uninstall_client(
    context: click.Context,
    /,
    client_name: str,
    only_guard: bool,
    scope: str,
    entry_name: str,
    file: Path | None,
) -> None:
    """Remove the server from the configuration of the client NAME.

    Everything else in the file stays as it is. The entry is refused if it is for another server, or
    for another project. The project is --project, or the one found here. A file that client install
    has created is removed if nothing else is in it. The skill and the guard's hooks are removed
    with the last of our servers there.

    \b
    Examples:
      unity-cli client uninstall cursor
      unity-cli client uninstall cursor --guard
      unity-cli client uninstall claude-desktop --project ~/Games/Tower
      unity-cli --dry-run client uninstall vscode --scope project
    """
    options = GlobalOptions.of(context)
    client = client_named(context, client_name)
    for_whom = Scope(scope)
    if only_guard:
        remove_only_guard(context, client, for_whom)
        return
    found = configuration_of(context, client, for_whom, file)
    named, of_project = options.project, file is None and for_whom is Scope.PROJECT
    # The server of a project that no longer exists can be removed, too.
    if named is None or not is_of(client, found, entry_name, named):
        check_project(context, named)
    project = chosen_project(options)
    planning = partial(plan_removal, client, found, entry_name, project, of_project=of_project)
    document: dict[str, Any] = {"client": client.name, "file": str(found), "name": entry_name}
    with locked_client_files(context):
        carry_out_and_report(
            context, client, planning, document, "no longer has the entry", "doesn't have the entry"
        )
        _remove_skill(context, client, for_whom, found)
        if not options.dry_run:
            _remove_empty_folders(client, for_whom, found, options)
        remove_guard_with_last(context, client, for_whom, found)


def _remove_empty_folders(
    client: Client, scope: Scope, config: Path, options: GlobalOptions
) -> None:
    """Remove the folders that installs created for the client's file and skill, if empty now."""
    for gone in (config, skill_place(client, scope, options)):
        if gone is not None and not gone.exists():
            remove_made_folders(gone.parent)


def _remove_skill(context: click.Context, client: Client, scope: Scope, config: Path) -> None:
    """Remove the skill, if it is unchanged and no other server of ours needs it.

    ``config`` is the file from which the server was removed.
    """
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
    skill: Path, client: Client, scope: Scope, config: Path, options: GlobalOptions
) -> Path | None:
    """Return a configuration with our server that belongs to a client which reads ``skill``.

    Some clients share a folder of skills. Raises ``OSError``.
    """
    usual = ((each, file_of(each, scope, options)) for each in CLIENTS.values())
    for each, file in ((client, config), *usual):
        reads = file is not None and skill_place(each, scope, options) == skill
        if file is not None and reads and has_server(each, file):
            return file
    return None
