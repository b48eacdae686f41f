"""A change of a client's file carried out, and what came of it told.

For :mod:`mcp_server.cli.commands.client_commands`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from mcp_server.cli.arguments.client_choice import refuse
from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing.lasting_output import outlast_readers
from mcp_server.cli.printing.output import print_json, print_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_server.clients import Client
    from mcp_server.clients.installation import Plan, Problem


def turn(context: click.Context) -> AbstractContextManager[object]:
    """The right to change clients' files, which one command has at a time; a dry run needs none.

    Ends the command if another one doesn't let go of it.
    """
    from mcp_server.clients.installation import Problem  # noqa: PLC0415 - not for help pages
    from mcp_server.clients.turns import take_turn  # noqa: PLC0415

    if GlobalOptions.of(context).dry_run:
        return nullcontext()
    had = take_turn()
    if isinstance(had, Problem):
        refuse(context, had.message)
    outlast_readers(context)
    return had


def carry_out_and_tell(
    context: click.Context,
    client: Client,
    planning: Callable[[], Plan | Problem],
    document: dict[str, Any],
    done: str,
    unchanged: str,
    secret: str | None = None,
) -> None:
    """Write what is planned, unless it is a dry run, and say so; ``secret`` is only written."""
    from mcp_server.clients.installation import Problem  # noqa: PLC0415 - not for help pages
    from mcp_server.clients.turns import carry_out  # noqa: PLC0415

    options = GlobalOptions.of(context)
    private = secret is not None
    planned = planning() if options.dry_run else carry_out(planning, private=private)
    if isinstance(planned, Problem):
        refuse(context, planned.message)
    writes = planned.changes and not options.dry_run
    removes = planned.changes and planned.after is None
    gone = f"\nGone from the entry: {', '.join(planned.gone)}." if planned.gone else ""
    if options.as_json:
        came = {"dry_run": options.dry_run, "changed": planned.changes, "written": writes}
        if removes:
            came["removed"] = writes
        if planned.gone:
            document["gone"] = planned.gone
        print_json(_without(secret, {**document, **came}))
    elif options.dry_run:
        diff = _without(secret, _diff(planned))
        what = "removed" if removes else "written"
        print_text(f"dry run: {planned.file} was not {what}{gone}", diff)
    elif not options.quiet:
        came_of = "removed: nothing else was in it" if removes else done
        what = f"{came_of}. Restart the client." if writes else f"{unchanged}."
        print_text(f"{client.title}: {planned.file} {what}{gone}")


def _without(secret: str | None, value: Any) -> Any:
    """``value`` as it is told: without the token that is written."""
    if isinstance(value, dict):
        return {key: _without(secret, each) for key, each in value.items()}
    if isinstance(value, str) and secret:
        return value.replace(secret, "…").replace(_written(secret), "…")
    return value


def _written(token: str) -> str:
    """A token as a text of JSON or TOML has it."""
    from json import dumps  # noqa: PLC0415 - only for a dry run

    return dumps(token, ensure_ascii=False)[1:-1]


def _diff(planned: Plan) -> str:
    """What would change, without the tokens that any entry holds."""
    from difflib import unified_diff  # noqa: PLC0415 - only for a dry run

    texts = ((planned.before or "").splitlines(), (planned.after or "").splitlines())
    lines = unified_diff(*texts, lineterm="", n=3)
    shown = "\n".join(list(lines)[2:])
    for token in planned.tokens:
        shown = shown.replace(f" {_written(token)}", " …")  # behind the word Bearer
    return shown
