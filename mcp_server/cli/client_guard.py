"""The guard's hooks of a client: installed, removed, reported.

For :mod:`mcp_server.cli.commands.client_commands`. The hooks are the user's own: other clients read
a project's settings, too, and a team would get them unasked.
"""

from __future__ import annotations

import os
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_server.cli.arguments.client_choice import accepted, check_variables
from mcp_server.cli.client_changes import turn
from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing.output import ExitCode, print_json, print_line, print_text, refuse
from mcp_server.clients.table import Client, Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_server.clients.config_files import Plan, Problem
    from mcp_server.guard.clients.adapter import Adapter, HookFile


def adapter_of(context: click.Context, client: Client, scope: Scope) -> Adapter:
    """Return the client's adapter. Ends the command if the guard can't be installed there."""
    from mcp_server.guard.clients.table import ADAPTERS  # noqa: PLC0415 - not for help pages

    adapter, why = ADAPTERS.get(client.name), None
    if adapter is None:
        why = f"{client.title} has no hooks. A running server sees its changes all the same."
    elif scope is Scope.PROJECT:
        why = "The guard is installed for the user only, not in a project's files."
    elif sys.platform == "win32" and any(each.executable for each in adapter.files):
        why = f"{client.title} runs no hooks on Windows."
    if adapter is None or why is not None:
        refuse(context, f"{why} Leave --guard out. Nothing was written.", ExitCode.USAGE)
    return adapter


def install_guard(
    context: click.Context, client: Client, adapter: Adapter, *, replace: bool
) -> list[str]:
    """Write the hooks, unless it is a dry run, and return their files; the caller has the turn."""
    from mcp_server.clients.guard_hooks import make_executable, plan_hooks  # noqa: PLC0415

    plans = [
        (partial(plan_hooks, client.name, file, hook, system=sys.platform, replace=replace), hook)
        for file, hook in _places(adapter)
    ]
    for planning, _ in plans:  # all or nothing
        accepted(context, planning())
    options, files = GlobalOptions.of(context), []
    for planning, hook in plans:
        planned = _carried_out(context, planning, "written", "exists already")
        problem = None if options.dry_run else make_executable(planned.file, hook)
        if problem is not None:
            refuse(context, problem.message)
        files.append(str(planned.file))
    if not options.quiet:
        for line in _advice(adapter):
            print_line(line, err=options.as_json)
    return files


def remove_only_guard(context: click.Context, client: Client, scope: Scope) -> None:
    """Remove the hooks, and leave the server where it is."""
    options, adapter = GlobalOptions.of(context), adapter_of(context, client, scope)
    check_variables(context, client)
    with turn(context):
        files = _remove_guard(context, client, adapter)
    if options.as_json:
        print_json({"client": client.name, "dry_run": options.dry_run, "guard": files})
    elif not (files or options.quiet):
        print_text(f"{client.title} doesn't have the guard.")


def remove_guard_with_last(
    context: click.Context, client: Client, scope: Scope, config: Path
) -> None:
    """Remove the hooks, unless ``config`` still has a server of ours; the caller has the turn."""
    from mcp_server.clients.installation import has_server  # noqa: PLC0415 - not for help pages

    is_guarded = scope is Scope.USER and guard_state(client) in ("current", "other")
    if is_guarded and not GlobalOptions.of(context).dry_run and not has_server(client, config):
        _remove_guard(context, client, adapter_of(context, client, scope))


def _remove_guard(context: click.Context, client: Client, adapter: Adapter) -> list[str]:
    """Remove the hooks, unless it is a dry run, and return the files that had them."""
    from mcp_server.clients.guard_hooks import plan_hooks_removal  # noqa: PLC0415
    from mcp_server.clients.installation import remove_empty_folders  # noqa: PLC0415

    files = []
    for file, hook in _places(adapter):
        planning = partial(plan_hooks_removal, client.name, file, hook)
        if _carried_out(context, planning, "removed", None).changes:
            files.append(str(file))
            if not file.exists():
                remove_empty_folders(file.parent, Path.home())
    return files


def guard_state(client: Client) -> str | None:
    """Return ``no``, ``other`` (another text) or ``current``; ``None``: the client has no hooks."""
    from mcp_server.clients.guard_hooks import Installed, installed_in  # noqa: PLC0415
    from mcp_server.guard.clients.table import ADAPTERS  # noqa: PLC0415

    adapter = ADAPTERS.get(client.name)
    if adapter is None:
        return None
    try:
        found = {
            installed_in(client.name, *place, system=sys.platform) for place in _places(adapter)
        }
    except (OSError, ValueError):  # which an install reports
        return "unknown"
    return (found.pop() if len(found) == 1 else Installed.OTHER).value


def _places(adapter: Adapter) -> list[tuple[Path, HookFile]]:
    from mcp_server.clients.guard_hooks import places  # noqa: PLC0415 - not for help pages

    return places(adapter, system=sys.platform, home=Path.home(), environment=os.environ)


def _carried_out(
    context: click.Context, planning: Callable[[], Plan | Problem], done: str, otherwise: str | None
) -> Plan:
    """Carry out a plan and report it; ``otherwise`` is the word if nothing changes."""
    from mcp_server.clients.turns import carry_out  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    planned = accepted(context, planning() if options.dry_run else carry_out(planning))
    word = otherwise
    if planned.changes:
        word = f"would be {done}" if options.dry_run else done
    if word is not None and not (options.as_json or options.quiet):
        print_text(f"guard: {planned.file} {word}")
    return planned


def _advice(adapter: Adapter) -> list[str]:
    """Return what the user has to do before the hooks work."""
    found = [f"note: {adapter.note}"] if adapter.note else []
    if shutil.which("unity-cli") is None:
        found.append(
            "warning: unity-cli is not on PATH, so the client can't run the guard. Install it as "
            "a tool: uv tool install unity-snippet"
        )
    return found
