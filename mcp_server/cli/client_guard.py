"""Carry out and report changes of a client's files, among them the guard's hooks.

For :mod:`mcp_server.cli.commands.client_commands`. Hooks go into the user's own files: other
clients also read a project's settings, and a team would get the hooks unasked.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from difflib import unified_diff
from functools import partial
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_server.cli.client_choice import accepted, check_variables
from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing import (
    ExitCode,
    outlast_readers,
    print_json,
    print_line,
    print_text,
    refuse,
)
from mcp_server.clients.config_files import Plan, Problem, copies_of, remove_made_folders
from mcp_server.clients.guard_hooks import (
    has_another_call,
    installed_here,
    make_executable,
    may_have_hooks,
    places_here,
    plan_hooks,
    plan_hooks_removal,
    switched_off,
)
from mcp_server.clients.installation import carry_out, has_server, lock_client_files
from mcp_server.clients.table import Client, Scope
from mcp_server.guard.clients.table import ADAPTERS
from mcp_server.this_installation import onto_path

if TYPE_CHECKING:
    from mcp_server.guard.clients.adapter import Adapter


def adapter_of(context: click.Context, client: Client, scope: Scope) -> Adapter:
    """Return the client's adapter. Ends the command if the client can't have the guard."""
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
) -> tuple[list[str], list[str]]:
    """Write the hooks, unless it is a dry run. Return their files, and the copies that were kept.

    The caller holds the lock of :func:`locked_client_files`.
    """
    plans = [
        (partial(plan_hooks, client.name, file, hook, system=sys.platform, replace=replace), hook)
        for file, hook in places_here(adapter)
    ]
    for planning, _ in plans:  # all or nothing
        accepted(context, planning())
    options, done = GlobalOptions.of(context), list[Plan]()
    for planning, hook in plans:
        planned = _carried_out(context, planning, "written to", "{} has the hooks already")
        problem = None if options.dry_run else make_executable(planned.file, hook)
        if problem is not None:
            refuse(context, problem.message)
        done.append(planned)
    if not options.quiet:
        for line in _advice(client, adapter):
            print_line(line, err=options.as_json)
    return _files_of(done)


def _files_of(done: list[Plan]) -> tuple[list[str], list[str]]:
    copies = [str(each.copy) for each in done if each.copy is not None]
    return [str(each.file) for each in done], copies


def remove_only_guard(context: click.Context, client: Client, scope: Scope) -> None:
    """Remove the hooks, and keep the server's entry."""
    options, adapter = GlobalOptions.of(context), adapter_of(context, client, scope)
    check_variables(context, client)
    with locked_client_files(context):
        done = _remove_guard(context, client, adapter)
    if options.as_json:
        files, copies = _files_of(done)
        found = {"client": client.name, "dry_run": options.dry_run}
        print_json({**found, "guard": files, "copies": copies})
    elif not (done or options.quiet):
        print_text(f"{client.title} doesn't have the guard.")


def remove_guard_with_last(
    context: click.Context, client: Client, scope: Scope, config: Path
) -> None:
    """Remove the hooks, unless ``config`` still has a server of ours. The caller holds the lock."""
    state = guard_state(client) if scope is Scope.USER else None
    if state in ("no", None) or GlobalOptions.of(context).dry_run or has_server(client, config):
        return
    adapter = adapter_of(context, client, scope)
    if state != "unknown":
        _remove_guard(context, client, adapter)
    elif any(may_have_hooks(file) for file, _ in places_here(adapter)):
        message = (
            f"The guard's hooks of {client.title} could not be removed, because their file can't "
            f"be read. To see why: unity-cli client uninstall {client.name} --guard"
        )
        refuse(context, message)


def _remove_guard(context: click.Context, client: Client, adapter: Adapter) -> list[Plan]:
    """Remove the hooks, unless it is a dry run. Return the plans that change a file."""
    options, changed, problems = GlobalOptions.of(context), list[Plan](), list[str]()
    for file, hook in places_here(adapter):
        earlier = copies_of(file) if hook.own else []
        planning = partial(plan_hooks_removal, client.name, file, hook, system=sys.platform)
        problem = planning()
        if isinstance(problem, Problem):
            problems.append(problem.message)
            continue
        planned = _carried_out(context, planning, "removed from", None)
        if not options.quiet and has_another_call(client.name, file, hook):
            print_line(f"note: {_other_call(client, file)}", err=True)
        if not planned.changes:
            continue
        changed.append(planned)
        if not file.exists():
            remove_made_folders(file.parent)
        if earlier and not (options.as_json or options.quiet or options.dry_run):
            print_text(
                f"The file that the install replaced was kept as {earlier[-1]}. To restore it, "
                f"rename it to {file.name}."
            )
    if problems:
        refuse(context, " ".join(problems))
    return changed


def _other_call(client: Client, file: Path) -> str:
    return f"{file} also calls unity-cli hook {client.name} in a hook of your own, which stays."


def guard_state(client: Client) -> str | None:
    """Return the state of the client's hooks; ``None`` if the client can have none.

    It is one of :class:`Installed`, or ``unknown`` if a file can't be read.
    """
    adapter = ADAPTERS.get(client.name)
    if adapter is None:
        return None
    found = installed_here(adapter)
    return "unknown" if found is None else found.value


def guard_mark(state: str | None) -> str:
    """Return the remark about the guard behind a client in the list; empty without one."""
    if state in ("no", None):
        return ""
    found = {
        "other": "guard installed, but incomplete, edited or of another version",
        "off": "guard installed, but the client's hooks are switched off",
        "unknown": "guard unknown: its hooks file can't be read",
    }
    missing = "guard installed, but unity-cli is not on PATH"
    is_missing = state in ("current", "other") and shutil.which("unity-cli") is None
    return f"  {missing if is_missing else found.get(state or '', 'guard installed')}"


def _carried_out(
    context: click.Context, planning: Callable[[], Plan | Problem], done: str, otherwise: str | None
) -> Plan:
    """Carry out and report a plan. ``otherwise`` is reported if the plan changes nothing."""
    options = GlobalOptions.of(context)
    planned = carried_out(context, planning)
    said = otherwise and otherwise.format(planned.file)
    if planned.changes:
        said = f"hooks {'would be ' if options.dry_run else ''}{done} {planned.file}"
        if planned.after is None:
            said = said.replace("removed from", "removed with")
            said += "" if planned.copy else ": nothing else was in it"
        said += f"\n{shown_diff(planned)}" if options.dry_run else kept(planned)
    if said is not None and not (options.as_json or options.quiet):
        print_text(f"guard: {said}")
    elif planned.copy is not None and not options.dry_run:
        print_line(kept(planned).strip(), err=True)
    return planned


def _advice(client: Client, adapter: Adapter) -> list[str]:
    found = [f"note: {adapter.note}"] if adapter.note else []
    found += [
        f"warning: with {setting} in {file}, the client runs no hook. Remove that setting."
        for file, hook in places_here(adapter)
        if (setting := switched_off(file, hook)) is not None
    ]
    found += [
        f"note: {_other_call(client, file)}"
        for file, hook in places_here(adapter)
        if has_another_call(client.name, file, hook)
    ]
    if shutil.which("unity-cli") is None:
        found.append(
            "warning: unity-cli is not on PATH, so the client can't run the hooks. "
            f"{onto_path()} Then start the client from a new terminal."
        )
    return found


def locked_client_files(context: click.Context) -> AbstractContextManager[object]:
    """Hold the lock on clients' files, so that one command at a time changes them.

    A dry run needs none. Ends the command if another one doesn't release it in time.
    """
    if GlobalOptions.of(context).dry_run:
        return nullcontext()
    taken = accepted(context, lock_client_files())
    outlast_readers(context)
    return taken


def carried_out(
    context: click.Context, planning: Callable[[], Plan | Problem], *, private: bool = False
) -> Plan:
    """Write the plan, unless it is a dry run, and return it. A problem ends the command."""
    dry_run = GlobalOptions.of(context).dry_run
    return accepted(context, planning() if dry_run else carry_out(planning, private=private))


def carry_out_and_report(
    context: click.Context,
    client: Client,
    planning: Callable[[], Plan | Problem],
    document: dict[str, Any],
    done: str,
    unchanged: str,
    secret: str | None = None,
) -> None:
    """Write the plan, unless it is a dry run, and report it. ``secret`` is never printed."""
    options = GlobalOptions.of(context)
    planned = carried_out(context, planning, private=secret is not None)
    writes = planned.changes and not options.dry_run
    removes = planned.changes and planned.after is None
    gone = f"\nRemoved from the entry: {', '.join(planned.gone)}." if planned.gone else ""
    if options.as_json:
        result = {"dry_run": options.dry_run, "changed": planned.changes, "written": writes}
        if removes:
            result["removed"] = writes
        if planned.gone:
            document["gone"] = planned.gone
        if planned.copy is not None:
            document["copies"] = [*document.get("copies", []), str(planned.copy)]
        print_json(_without(secret, {**document, **result}))
    elif options.dry_run:
        diff = _without(secret, shown_diff(planned))
        what = "removed" if removes else "written"
        print_text(f"dry run: {planned.file} was not {what}{gone}", diff)
    elif not options.quiet:
        what = "removed: nothing else was in it" if removes else done
        what = f"{what}. Restart the client." if writes else f"{unchanged}."
        print_text(f"{client.title}: {planned.file} {what}{gone}{kept(planned)}")


def kept(planned: Plan) -> str:
    """Return a line with the path of the kept copy; empty if no copy was kept."""
    if planned.copy is None:
        return ""
    return f"\nA copy of the old file is {planned.copy}."


def _without(secret: str | None, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without(secret, each) for key, each in value.items()}
    if isinstance(value, str) and secret:
        return value.replace(secret, "…").replace(_encoded(secret), "…")
    return value


def _encoded(token: str) -> str:
    """Return a token as it is written in JSON or TOML."""
    return dumps(token, ensure_ascii=False)[1:-1]


def shown_diff(planned: Plan) -> str:
    """Return the diff of a plan, without any token."""
    texts = ((planned.before or "").splitlines(), (planned.after or "").splitlines())
    lines = unified_diff(*texts, lineterm="", n=3)
    shown = "\n".join(list(lines)[2:])
    for token in planned.tokens:
        shown = shown.replace(f" {_encoded(token)}", " …")  # after the word Bearer
    return shown
