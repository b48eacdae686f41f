"""Which client, which of its files and which entry a ``unity-cli client`` command is about.

For :mod:`mcp_server.cli.commands.client_commands`. What can't be ends the command, with nothing
written.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mcp_server.cli.arguments.server_token import token_given
from mcp_server.cli.options import DEFAULT_URL, GlobalOptions
from mcp_server.cli.printing.output import ExitCode, fail
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from snippet_engine.storage.system.long_paths import real_path

if TYPE_CHECKING:
    from mcp_server.clients import Client, Scope

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class ChosenEntry:
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
        from mcp_server.calls.server.server_address import (  # noqa: PLC0415 - not for help pages
            bound_url,
            port_here,
            project_of_url,
            read_url,
        )
        from mcp_server.clients import Scope, Transport  # noqa: PLC0415 - not for help pages
        from mcp_server.clients.installation import entry  # noqa: PLC0415

        options = GlobalOptions.of(context)
        self.client = client_named(context, client_name)
        self.entry_name = _checked_name(context, entry_name)
        self.scope = scope
        if over_http and transport == "stdio":
            raise click.UsageError("--http and --transport stdio exclude each other.", context)
        self.transport = Transport("http" if over_http else transport or self.client.transports[0])
        if self.transport not in self.client.transports:
            why = f"{self.client.title} can only do stdio. Leave --http out."
            refuse(context, why, ExitCode.USAGE)
        check_project(context, options.project)
        self.file = place_of(context, self.client, scope, file, options)
        given = _server_address(options) if self.transport is Transport.HTTP else options.url
        url = read_url(given) if isinstance(given, str) else given
        if isinstance(url, ToolError):
            fail(context, url)
        port = port_here(url)
        if self.transport is Transport.STDIO and port is None:
            why = f"{url} is not on this machine. To have it reached there: --http."
            refuse(context, why, ExitCode.USAGE)
        usual = options.given_url is None and url == DEFAULT_URL
        command = _stdio_command(chosen_project(options), None if usual else port)
        self.secret: str | None = None
        if token_file is not None and self.transport is Transport.STDIO:
            token_given(context, None, token_file)  # ends the command if there is none
            command += ["--token-file", str(token_file.absolute())]
        # A team's file can't name one machine's folder.
        self._here = port is not None
        self._url = url
        bindable = self._here and scope != "project"
        address = bound_url(url, chosen_project(options) if bindable else None)
        self._bound = project_of_url(address) is not None
        self.entry = entry(self.client, self.transport, url=address, command=command)
        self.entry |= self._token(context, Scope(scope), token_env, token_file)

    def _token(
        self, context: click.Context, scope: Scope, by_variable: bool, file: Path | None
    ) -> dict[str, Any]:
        """What the entry holds of the server's token."""
        from mcp_server.clients import Transport  # noqa: PLC0415 - not for help pages
        from mcp_server.clients.installation import Problem  # noqa: PLC0415
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
            refuse(context, found.message, ExitCode.USAGE)
        return found

    def warnings(self, options: GlobalOptions) -> list[str]:
        """What the user may not have thought of."""
        from mcp_server.calls.project import is_project  # noqa: PLC0415 - not for help pages
        from mcp_server.clients import Transport  # noqa: PLC0415

        project = chosen_project(options)
        if self.transport is Transport.HTTP:
            if self._bound and project is not None:
                return _of_another(self._url, project)
            if self._bound or not self._here:
                return []
            name_it = "" if self.scope == "project" else " Name yours: --project PATH"
            return [
                "the address names no project: whichever project's server listens there answers."
                + name_it
            ]
        if project is None:
            return [
                "the entry names no project, as none was found here: the server takes the one at "
                "or above the folder that the client starts it in, and without one edits nothing. "
                "Name yours: --project PATH"
            ]
        if not is_project(project):
            return [f"{project} has no ProjectSettings/, as Unity projects have"]
        if self.scope == "project":
            return ["the entry names folders of this machine; in a shared file, --http doesn't"]
        return []

    def to_json(self) -> dict[str, Any]:
        """What was chosen, for ``--output json``."""
        return {
            "client": self.client.name,
            "file": str(self.file),
            "transport": self.transport.value,
            "name": self.entry_name,
            "entry": self.entry,
        }


def _server_address(options: GlobalOptions) -> str | ToolError:
    """Where the server is: as it was named, else where the project's own one runs now."""
    from mcp_server.calls.server.project_server import own_server, url_of_port  # noqa: PLC0415
    from mcp_server.calls.server.server_proof import TOKEN_VARIABLE  # noqa: PLC0415 - not for help

    project = chosen_project(options)
    if options.named_url is not None or project is None:
        return options.url
    own = own_server(project, os.environ.get(TOKEN_VARIABLE), _LOOK_S)
    if own is None or isinstance(own, int):
        return options.url if own is None else url_of_port(own)
    return options.url if own.file is None else url_of_port(own.file.port)


def _of_another(url: str, project: Path) -> list[str]:
    """The warning that another project's server has the address, if one has."""
    from mcp_server.calls.server.server_proof import TOKEN_VARIABLE  # noqa: PLC0415 - not for help
    from mcp_server.calls.server.server_status import (  # noqa: PLC0415
        ServerStatus,
        ask_status,
        is_same_folder,
        start_in,
    )

    status = ask_status(url, os.environ.get(TOKEN_VARIABLE), _LOOK_S, project)
    served = status.works_in if isinstance(status, ServerStatus) else None
    if served is None or is_same_folder(served, project):
        return []
    return [
        f"the server at {url} is that of {served}, and refuses calls for this project. Start its "
        f"own, {start_in(project)}, and run this again"
    ]


_LOOK_S = 5.0
"""How long the project's server is looked for, in seconds."""


def place_of(
    context: click.Context, client: Client, scope: str, file: Path | None, options: GlobalOptions
) -> Path:
    """The configuration file that is meant. Ends the command if there can be none."""
    from mcp_server.clients import Scope  # noqa: PLC0415 - not for help pages

    check_variables(context, client)
    found = file or file_of(client, Scope(scope), options)
    if found is None:
        if client.project_file is None:
            why = f"{client.title} has no configuration for a project: use --scope user."
            refuse(context, why, ExitCode.USAGE)
        refuse(context, "No Unity project was found for --scope project. Name it with --project.")
    return found


def _checked_name(context: click.Context, name: str) -> str:
    """``name``, if every client can keep a server under it. Else ends the command."""
    from snippet_engine.schemas.schema_messages import quoted  # noqa: PLC0415 - not for help pages

    if not _NAME.fullmatch(name):
        message = (
            f"--name is {quoted(name)}. Give 1 to 64 letters (A to Z), digits, '-', '_' or '.', as "
            "unity-game-a. Nothing was written."
        )
        refuse(context, message, ExitCode.USAGE)
    return name


def check_variables(context: click.Context, client: Client | None = None) -> None:
    """End the command if it can't be told where this user's files, or the client's, are."""
    from mcp_server.clients.locations import wrong_variable  # noqa: PLC0415 - not for help pages

    wrong = wrong_variable(client, system=sys.platform, environment=os.environ)
    if wrong is None:
        try:
            Path.home()
        except RuntimeError:
            wrong = "This user has no home folder. Set HOME to the path of one."
    if wrong is not None:
        refuse(context, f"{wrong} Nothing was written.", ExitCode.USAGE)


def check_project(context: click.Context, named: Path | None) -> None:
    """End the command if the project that was named can't be one."""
    if named is None or os.path.isdir(named / "Assets"):
        return
    lacks = "there is no such folder" if not os.path.isdir(named) else "it has no Assets/"
    message = f"--project {named} is no Unity project: {lacks}. Nothing was written."
    refuse(context, message, ExitCode.USAGE)


def client_named(context: click.Context, name: str) -> Client:
    """The client of that name. Ends the command if there is none."""
    from mcp_server.clients import CLIENTS  # noqa: PLC0415 - not for help pages
    from snippet_engine.schemas.schema_messages import nearest, quoted  # noqa: PLC0415

    client = CLIENTS.get(name)
    if client is None:
        near = nearest(name, CLIENTS)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"Known: {', '.join(CLIENTS)}."
        message = f"There is no client {quoted(name)}. {hint}"
        unknown = tool_error(ToolErrorCode.INVALID_REQUEST, message, text=message)
        fail(context, unknown, ExitCode.USAGE)
    return client


def refuse(context: click.Context, message: str, exit_code: ExitCode = ExitCode.FAILED) -> NoReturn:
    """End the command with ``message``."""
    fail(context, tool_error(ToolErrorCode.INVALID_REQUEST, message, text=message), exit_code)


def file_of(client: Client, scope: Scope, options: GlobalOptions) -> Path | None:
    """The client's configuration file in that scope; ``None`` if there is none."""
    from mcp_server.clients.locations import config_file  # noqa: PLC0415 - not for help pages

    return config_file(
        client,
        scope,
        system=sys.platform,
        home=Path.home(),
        environment=os.environ,
        project=chosen_project(options),
    )


def skill_place(client: Client, scope: str, options: GlobalOptions) -> Path | None:
    """Where the client looks for the skill in that scope; ``None`` if nowhere."""
    from mcp_server.clients import Scope  # noqa: PLC0415 - not for help pages
    from mcp_server.clients.skill_file import skill_file  # noqa: PLC0415

    return skill_file(
        client,
        Scope(scope),
        home=Path.home(),
        environment=os.environ,
        project=chosen_project(options),
    )


def chosen_project(options: GlobalOptions) -> Path | None:
    """The project that was named, or the one that the command stands in; ``None`` for neither.

    By its real path, as it is written into files that others read elsewhere.
    """
    from mcp_server.calls.project import find_project  # noqa: PLC0415 - not for help pages

    found = options.project or find_project(Path.cwd())
    return Path(real_path(str(found.absolute()))) if found is not None else None


def _stdio_command(project: Path | None, port: int | None) -> list[str]:
    """How a client starts ``unity-cli mcp``: by its whole path, as its PATH may be another."""
    program = shutil.which("unity-cli", path=str(Path(sys.argv[0]).absolute().parent))
    return [
        program or shutil.which("unity-cli") or "unity-cli",
        "mcp",
        *(["--port", str(port)] if port is not None else []),
        *(["--project", str(project)] if project is not None else []),
    ]
