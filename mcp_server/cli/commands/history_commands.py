"""``unity-cli history`` and ``unity-cli undo``: list the changes of scripts, and undo them.

Implements docs/design/command-line.md "history and undo": the user never has to copy a hash.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mcp_server.cli.calling import checked_call, open_caller, print_result
from mcp_server.cli.options import GlobalOptions, WholeNumber, global_options_shown
from mcp_server.cli.printing import ExitCode, fail, outlast_readers, print_json, print_text, refuse
from mcp_server.cli.undo_advice import (
    Entry,
    another,
    chosen,
    for_command_line,
    older,
    places,
    undone_meanwhile,
    with_commands,
)
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import ToolResult
from mcp_server.interrupt_signals import end_like_ctrl_c

if TYPE_CHECKING:
    from mcp_server.calls.tool_caller import ToolCaller

_MOST_LISTED = 100
_CHANGE_ID = re.compile(r"[0-9a-fA-F]{16}")
_EDIT_ID = re.compile(r"[0-9a-fA-F]{12}")
"""Matches the id of a single edit."""


@click.command()
@click.argument("path", required=False)
@click.option(
    "--limit",
    type=WholeNumber(1, 100),
    metavar="N",
    default=20,
    show_default=True,
    help="List at most N changes.",
)
@global_options_shown("project", "output", "timeout")
@click.pass_context
def history_command(context: click.Context, path: str | None, limit: int) -> None:
    """List the changes that can be undone, newest first; with PATH, those of that script.

    \b
    Examples:
      unity-cli history
      unity-cli history Assets/Scripts/Player.cs --limit 5
    """
    caller = open_caller(context, [], {"get_history"})
    listed = _listed(context, caller, path, limit)
    if GlobalOptions.of(context).as_json:
        print_json(listed)
    else:
        print_text("\n".join(_lines(listed)))


@click.command()
@click.argument("what", metavar="[PATH|CHANGE]", required=False)
@global_options_shown("dry-run", "output", "project", "timeout", "verbose")
@click.pass_context
def undo_command(context: click.Context, what: str | None) -> None:
    """Take back the last change; with PATH the last one of that script, or the CHANGE of that id.

    A change set is taken back with all of its files, or not at all. The tool never overwrites what
    someone else has changed since: it refuses the undo. With PATH, it takes back the last change
    that led to the script's present text.

    \b
    Examples:
      unity-cli undo
      unity-cli undo Assets/Scripts/Player.cs
      unity-cli --dry-run undo
    """
    from mcp_server.cli.undo_advice import end_unfinished, reporting_interrupts, reporting_notes  # noqa: PLC0415
    from snippet_engine.budget import noting  # noqa: PLC0415

    options = GlobalOptions.of(context)
    is_id = what is not None and bool(_CHANGE_ID.fullmatch(what) or _EDIT_ID.fullmatch(what))
    if what is not None and not is_id and not what.endswith(".cs"):
        named = repr(what) if what else "The empty text (a variable that isn't set?)"
        why = f"{named} is neither a script (PATH) nor the id of a change."
        raise click.UsageError(f"{why} To list the ids: unity-cli history.", context)
    caller = open_caller(context, [], {"get_history", "undo_snippet"})
    in_place: Sequence[Entry] = ()
    notes: list[str] = []
    entry = None
    arguments: Mapping[str, Any] = {"changeId": what}
    if what is None or not _CHANGE_ID.fullmatch(what):
        end_like_ctrl_c()
        notes = end_unfinished(caller)
        with reporting_notes(notes):
            in_place = (
                [_of_id(context, caller, what.lower())]
                if what is not None and is_id
                else _in_place(context, caller, what)
            )
        entry = chosen(in_place, what)
        arguments = entry["undo"]
    spec, params = checked_call(context, "undo_snippet", arguments)
    if options.dry_run and entry is not None and not entry["undoable"]:
        # No tool call follows that would report the reason.
        why = f"The last change can't be undone: something has changed since ({places(entry)})."
        refuse(context, " ".join((why, older(entry, in_place))).rstrip())
    outlast_readers(context)
    end_like_ctrl_c()
    with reporting_interrupts(spec, params) as note:
        with noting(notes):
            outcome = caller.call(spec, params)
        note(outcome)
        if isinstance(outcome, ToolError) and entry is not None:
            _fail_chosen(context, caller, outcome, entry, in_place)
        if isinstance(outcome, ToolError):
            fail(context, with_commands(outcome))
        if options.as_json:
            print_json(outcome.to_json())
        elif isinstance(outcome, ToolResult):
            text = outcome.text.replace("check_project", "unity-cli check")
            print_result(spec.name, replace(outcome, text=text))
        else:
            lines = [f"change {what}"] if entry is None else _entry_lines(entry)
            print_text("\n".join(["dry run: this would be undone", *lines]))


def _fail_chosen(
    context: click.Context,
    caller: ToolCaller,
    refused: ToolError,
    entry: Entry,
    in_place: Sequence[Entry],
) -> NoReturn:
    """End the command, because the undo of ``entry``, which the command chose, was refused.

    The usage wasn't wrong. If the history no longer has the entry, another undo was faster.
    """
    if entry["undoable"] and refused.details.get("code") in ("invalid_request", "stale_file"):
        listed = _listed(context, caller, None, _MOST_LISTED)
        kept = listed["changes"]
        reaches = not listed.get("truncated") or kept[-1]["time"] < entry["time"]
        if reaches and all(each["undo"] != entry["undo"] for each in kept):
            fail(context, undone_meanwhile(entry), ExitCode.FAILED)
    is_wrong = refused.code is ToolErrorCode.INVALID_PARAMS
    fail(context, with_commands(refused, entry, in_place), ExitCode.FAILED if is_wrong else None)


def _in_place(context: click.Context, caller: ToolCaller, path: str | None) -> Sequence[Entry]:
    """Return the changes that are in place, newest first, or those of the script at ``path``.

    Ends the command if there are none, or if the newest is unfinished or damaged.
    """
    from snippet_engine.storage.records.history import how_to_give_up  # noqa: PLC0415 - not for help

    listed = _listed(context, caller, path, _MOST_LISTED)
    if "unfinished" in listed:
        # The unfinished change may be newer: to undo a finished one would be wrong.
        message = f"{listed['unfinished'][0]['message']} {another(listed['changes'])}".rstrip()
        details = {"unfinished": listed["unfinished"]}
        error = tool_error(ToolErrorCode.INVALID_REQUEST, message, details=details, text=message)
        fail(context, error, ExitCode.FAILED)
    of_path = "" if path is None else f" of {path}"
    newest: list[Entry] = [each for each in listed["changes"] if "takenBack" not in each]
    if not newest:
        refuse(context, f"There is nothing to undo: the history has no change{of_path}.")
    if "damaged" in newest[0]:
        damage = newest[0]["damaged"]
        message = (
            f"The last change{of_path} can't be undone: {damage}. {how_to_give_up(damage)}. "
            f"{another(newest[1:], newest[0])}"
        )
        refuse(context, message.rstrip())
    return newest


def _of_id(context: click.Context, caller: ToolCaller, edit_id: str) -> Entry:
    kept: Sequence[Entry] = _listed(context, caller, None, _MOST_LISTED)["changes"]
    found = next((each for each in kept if _id_of(each) == edit_id), None)
    if found is None:
        why = f"The history has no change {edit_id}. To list the ids: unity-cli history."
        refuse(context, why, ExitCode.USAGE)
    return found


def _id_of(entry: Entry) -> str:
    """Return the id of a change for ``undo``; empty if it can't be undone by an id.

    A single edit has no id of its own. Its id is made of its script and of the new text's hash.
    """
    undo = entry["undo"]
    if "path" not in undo:
        return str(undo.get("changeId", ""))
    return sha256(f"{undo['path']}\n{undo['hashAfter']}".encode()).hexdigest()[:12]


def _listed(
    context: click.Context, caller: ToolCaller, path: str | None, limit: int
) -> dict[str, Any]:
    """Return the answer of ``get_history``. Ends the command if it is an error."""
    about = {} if path is None else {"path": _in_project(context, path)}
    spec, params = checked_call(context, "get_history", {**about, "limit": limit})
    outcome = caller.call(spec, params)
    if isinstance(outcome, ToolError):
        fail(context, for_command_line(outcome))
    assert isinstance(outcome, ToolResult)
    return outcome.structured


def _in_project(context: click.Context, path: str) -> str:
    """Return ``path`` relative to the project, if it lies there."""
    project = GlobalOptions.of(context).found_project
    if project is None or path.startswith(("Assets/", "Packages/")):
        return path
    # Not resolved: the tool follows links itself, and the script may be gone.
    relative = os.path.relpath(Path.cwd() / path, project)
    return path if relative.startswith("..") else Path(relative).as_posix()


def _lines(result: Mapping[str, Any]) -> Iterator[str]:
    for each in result.get("unfinished", ()):
        yield f"Unfinished: {each['message']}"
        yield from (f"  {path}" for path in [*each["files"], *each.get("temporaryFiles", ())])
    if "leftBehind" in result:
        yield result["leftBehind"]["message"]
        yield from (f"  {path}" for path in result["leftBehind"]["temporaryFiles"])
    if not result["changes"] and "unfinished" not in result:
        yield "The history is empty."
    for entry in result["changes"]:
        yield from _entry_lines(entry)
    if result.get("truncated"):
        yield "There are more: give a PATH, or a larger --limit."


def _entry_lines(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines about a change: local time, client and id, then each of its files."""
    by = f"  {entry['client']}" if "client" in entry else ""
    by += f"  changed by {entry['source']}" if "source" in entry else ""
    named = f"  change {_id_of(entry)}" if _id_of(entry) else ""
    when = datetime.fromisoformat(entry["time"]).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    reasons = [entry[key] for key in ("takenBack", "damaged", "blocked") if key in entry]
    state = "" if entry["undoable"] else f"  ({(*reasons, 'changed since')[0]})"
    yield f"{when}{by}{named}{state}"
    for file in entry["files"]:
        moved = f" to {file['movedTo']}" if "movedTo" in file else ""
        line = f": {file['firstLine']}".replace("\n", "\n    ") if file["firstLine"] else ""
        yield f"  {file['status']} {file['path']}{moved}{line}"
    if "fileCount" in entry:
        yield f"  and {entry['fileCount'] - len(entry['files'])} more"
