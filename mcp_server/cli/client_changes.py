"""A change of a client's file, carried out and reported.

For :mod:`mcp_server.cli.commands.client_commands`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from difflib import unified_diff
from json import dumps
from typing import TYPE_CHECKING, Any

import click

from mcp_server.cli.arguments.client_choice import accepted
from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing.output import print_json, print_text
from mcp_server.cli.printing.streams import outlast_readers

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_server.clients.config_files import Plan, Problem
    from mcp_server.clients.table import Client


def turn(context: click.Context) -> AbstractContextManager[object]:
    """Take the lock on clients' files: one command at a time may change them.

    A dry run needs none. Ends the command if another one doesn't release it in time.
    """
    from mcp_server.clients.turns import take_turn  # noqa: PLC0415 - not for help pages

    if GlobalOptions.of(context).dry_run:
        return nullcontext()
    taken = accepted(context, take_turn())
    outlast_readers(context)
    return taken


def carry_out_and_report(
    context: click.Context,
    client: Client,
    planning: Callable[[], Plan | Problem],
    document: dict[str, Any],
    done: str,
    unchanged: str,
    secret: str | None = None,
) -> None:
    """Write what is planned, unless it is a dry run, and report it; ``secret`` is never printed."""
    from mcp_server.clients.turns import carry_out  # noqa: PLC0415 - not for help pages

    options = GlobalOptions.of(context)
    private = secret is not None
    plan = planning() if options.dry_run else carry_out(planning, private=private)
    planned = accepted(context, plan)
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
    """Return where a copy of the file is kept, as a line; empty if none is."""
    if planned.copy is None:
        return ""
    return f"\nThe file as it was before is {planned.copy}."


def _without(secret: str | None, value: Any) -> Any:
    """Return ``value`` without the token that is written."""
    if isinstance(value, dict):
        return {key: _without(secret, each) for key, each in value.items()}
    if isinstance(value, str) and secret:
        return value.replace(secret, "…").replace(_encoded(secret), "…")
    return value


def _encoded(token: str) -> str:
    """Return a token as a string of JSON or TOML has it."""
    return dumps(token, ensure_ascii=False)[1:-1]


def shown_diff(planned: Plan) -> str:
    """Return what would change, without the tokens that any entry holds."""
    texts = ((planned.before or "").splitlines(), (planned.after or "").splitlines())
    lines = unified_diff(*texts, lineterm="", n=3)
    shown = "\n".join(list(lines)[2:])
    for token in planned.tokens:
        shown = shown.replace(f" {_encoded(token)}", " …")  # behind the word Bearer
    return shown
