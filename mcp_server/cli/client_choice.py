"""Choose the client, the configuration file and the entry for a ``unity-cli client`` command.

For :mod:`mcp_server.cli.commands.client_commands`. An impossible choice ends the command, with
nothing written.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any, TypeVar

import click

from mcp_server.calls.project import is_project
from mcp_server.calls.server.project_server import own_server, url_of_port
from mcp_server.calls.server.server_file import bound_url, port_here, project_of_url, read_url
from mcp_server.calls.server.server_proof import TOKEN_VARIABLE
from mcp_server.calls.server.server_status import ServerStatus, ask_status, is_same_folder, start_in
from mcp_server.cli.arguments import token_given
from mcp_server.cli.options import DEFAULT_URL, GlobalOptions
from mcp_server.cli.printing import ExitCode, fail, refuse
from mcp_server.clients import entries
from mcp_server.clients.config_files import Problem
from mcp_server.clients.installation import SKILL_FILE
from mcp_server.clients.table import (
    CLIENTS,
    Client,
    Scope,
    Transport,
    config_file,
    skills_folder,
    wrong_variable,
)
from mcp_server.contract.errors import ToolError
from snippet_engine.schemas.schema_findings import nearest, quoted
from snippet_engine.storage.system.names import real_path

T = TypeVar("T")

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")

_LOOK_S = 5.0
"""How long to search for the project's server, in seconds."""


class ChosenEntry:
    """One client and the entry chosen for it. An impossible choice ends the command."""

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
        options = GlobalOptions.of(context)
        self.client = client_named(context, client_name)
        self.entry_name = _checked_name(context, entry_name)
        self.scope = Scope(scope)
        if over_http and transport == "stdio":
            raise click.UsageError("--http and --transport stdio exclude each other.", context)
        if token_env and token_file is not None:
            raise click.UsageError("--token-env and --token-file exclude each other.", context)
        self.transport = Transport("http" if over_http else transport or self.client.transports[0])
        if self.transport not in self.client.transports:
            why = f"{self.client.title} can only do stdio. Leave --http out."
            refuse(context, why, ExitCode.USAGE)
        check_project(context, options.project)
        self.file = configuration_of(context, self.client, self.scope, file)
        given = _server_address(options) if self.transport is Transport.HTTP else options.url
        url = read_url(given) if isinstance(given, str) else given
        if isinstance(url, ToolError):
            fail(context, url)
        port = port_here(url)
        if self.transport is Transport.STDIO and port is None:
            why = f"{url} is not on this machine. To connect to it there, give --http."
            refuse(context, why, ExitCode.USAGE)
        usual = options.given_url is None and url == DEFAULT_URL
        project = chosen_project(options)
        command = _stdio_command(project, None if usual else port)
        self.secret: str | None = None
        if token_file is not None and self.transport is Transport.STDIO:
            token_given(context, None, token_file)  # ends the command if there is none
            command += ["--token-file", str(token_file.absolute())]
        # A team's file can't name one machine's folder.
        self._here = port is not None
        self._url = url
        bindable = self._here and self.scope is not Scope.PROJECT
        address = bound_url(url, project if bindable else None)
        self._bound = project_of_url(address) is not None
        self.entry = entries.entry(self.client, self.transport, url=address, command=command)
        self.entry |= self._token(context, token_env, token_file)

    def _token(
        self, context: click.Context, by_variable: bool, file: Path | None
    ) -> dict[str, Any]:
        found: dict[str, Any] | Problem = {}
        if by_variable:
            found = entries.token_by_reference(self.client, self.transport)
        elif file is not None and self.transport is Transport.HTTP:
            self.secret = token_given(context, None, file) or ""
            found = entries.literal_token(self.client, self.scope, self.secret)
        return accepted(context, found, ExitCode.USAGE)

    def warnings(self, options: GlobalOptions) -> list[str]:
        """Return warnings about the chosen entry, one sentence each."""
        project = chosen_project(options)
        if self.transport is Transport.HTTP:
            if self._bound and project is not None:
                return _of_another(self._url, project)
            if self._bound or not self._here:
                return []
            name_it = "" if self.scope is Scope.PROJECT else " To name yours: --project PATH"
            return [
                "the address names no project, so any project's server may answer there." + name_it
            ]
        if project is None:
            return [
                "the entry names no project, because none was found here. The server will use the "
                "project at or above the folder where the client starts it, if there is one. To "
                "name yours: --project PATH"
            ]
        if not is_project(project):
            return [f"{project} has no ProjectSettings/ folder, unlike a Unity project"]
        if self.scope is Scope.PROJECT:
            return ["the entry names folders of this machine; in a shared file, use --http"]
        return []

    def to_json(self) -> dict[str, Any]:
        """Return the choice, for ``--output json``."""
        return {
            "client": self.client.name,
            "file": str(self.file),
            "transport": self.transport.value,
            "name": self.entry_name,
            "entry": self.entry,
        }


def accepted(context: click.Context, found: T | Problem, code: ExitCode = ExitCode.FAILED) -> T:
    """Return ``found``. If it is a problem, end the command instead."""
    return refuse(context, found.message, code) if isinstance(found, Problem) else found


def _server_address(options: GlobalOptions) -> str | ToolError:
    """Return the given address, or that of the project's running server."""
    project = chosen_project(options)
    if options.named_url is not None or project is None:
        return options.url
    own = own_server(project, os.environ.get(TOKEN_VARIABLE), _LOOK_S)
    if own is None or isinstance(own, int):
        return options.url if own is None else url_of_port(own)
    return options.url if own.file is None else url_of_port(own.file.port)


def _of_another(url: str, project: Path) -> list[str]:
    """Return a warning if the server at the address belongs to a project other than ``project``."""
    status = ask_status(url, os.environ.get(TOKEN_VARIABLE), _LOOK_S, project)
    served = status.works_in if isinstance(status, ServerStatus) else None
    if served is None or is_same_folder(served, project):
        return []
    return [
        f"the server at {url} works in {served}, and refuses calls for this project. Start its "
        f"own, {start_in(project)}, and run this again"
    ]


def configuration_of(
    context: click.Context, client: Client, scope: Scope, file: Path | None
) -> Path:
    """Return the client's configuration file. Ends the command if the scope has none."""
    check_variables(context, client)
    found = file or file_of(client, scope, GlobalOptions.of(context))
    if found is None:
        if client.project_file is None:
            why = f"{client.title} has no configuration for a project: use --scope user."
            refuse(context, why, ExitCode.USAGE)
        refuse(context, "No Unity project was found for --scope project. Name it with --project.")
    return found


def _checked_name(context: click.Context, name: str) -> str:
    """Return ``name``. Ends the command if some client can't use it as a server's name."""
    if not _NAME.fullmatch(name):
        message = (
            f"--name is {quoted(name)}. Give 1 to 64 letters (A to Z), digits, '-', '_' or '.', "
            "such as unity-game-a. Nothing was written."
        )
        refuse(context, message, ExitCode.USAGE)
    return name


def check_variables(context: click.Context, client: Client | None = None) -> None:
    """End the command if an environment variable leaves this user's folders unknown."""
    wrong = wrong_variable(client)
    if wrong is None:
        try:
            Path.home()
        except RuntimeError:
            wrong = "This user has no home folder. Set HOME to the path of one."
    if wrong is not None:
        refuse(context, f"{wrong} Nothing was written.", ExitCode.USAGE)


def check_project(context: click.Context, named: Path | None) -> None:
    """End the command if the named folder can't be a project."""
    if named is None or os.path.isdir(named / "Assets"):
        return
    why = "there is no such folder" if not os.path.isdir(named) else "it has no Assets/"
    message = f"--project {named} is no Unity project: {why}. Nothing was written."
    refuse(context, message, ExitCode.USAGE)


def client_named(context: click.Context, name: str) -> Client:
    """Return the client of that name. Ends the command if there is none."""
    client = CLIENTS.get(name)
    if client is None:
        near = nearest(name, CLIENTS)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"Known: {', '.join(CLIENTS)}."
        refuse(context, f"There is no client {quoted(name)}. {hint}", ExitCode.USAGE)
    return client


def file_of(client: Client, scope: Scope, options: GlobalOptions) -> Path | None:
    """Return the client's configuration file of that scope; ``None`` if it has none."""
    return config_file(
        client,
        scope,
        system=sys.platform,
        home=Path.home(),
        environment=os.environ,
        project=chosen_project(options),
    )


def skill_place(client: Client, scope: Scope, options: GlobalOptions) -> Path | None:
    """Return the client's folder for our skill in that scope; ``None`` if it has none."""
    folder = skills_folder(client, scope, chosen_project(options))
    return None if folder is None else folder / SKILL_FILE


def chosen_project(options: GlobalOptions) -> Path | None:
    """Return the real path of the named or found project, as written into clients' files."""
    found = options.found_project
    return Path(real_path(str(found.absolute()))) if found is not None else None


def _stdio_command(project: Path | None, port: int | None) -> list[str]:
    """Return the command for ``unity-cli mcp``, by full path: a client's PATH may differ."""
    program = shutil.which("unity-cli", path=str(Path(sys.argv[0]).absolute().parent))
    return [
        program or shutil.which("unity-cli") or "unity-cli",
        "mcp",
        *(["--port", str(port)] if port is not None else []),
        *(["--project", str(project)] if project is not None else []),
    ]
