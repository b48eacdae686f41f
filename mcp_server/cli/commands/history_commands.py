"""``unity-cli history`` and ``unity-cli undo``: what was done to the scripts, and taking it back.

Implements docs/design/command-line.md "history and undo": nobody has to copy a hash.
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

from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.lasting_output import outlast_readers
from mcp_server.cli.printing.output import ExitCode, fail, print_json, print_text
from mcp_server.cli.tool_calls.calling import open_caller
from mcp_server.cli.tool_calls.outcomes import print_result
from mcp_server.cli.tool_calls.undo_advice import (
    Entry,
    another,
    chosen,
    in_commands,
    of_command,
    older,
    places,
    taken_back_meanwhile,
)
from mcp_server.cli.value_types import WholeNumber
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.interrupt_signals import end_like_ctrl_c

if TYPE_CHECKING:
    from mcp_server.calls.tool_caller import ToolCaller
    from mcp_server.contract.outcome import ToolResult
    from mcp_server.contract.tool_spec import ToolSpec

_MOST_PASSED_BY = 100
_CHANGE_ID = re.compile(r"[0-9a-f]{16}")
_EDIT_ID = re.compile(r"[0-9a-f]{12}")
"""The id of a single edit."""


@click.command()
@click.argument("path", required=False)
@click.option(
    "--limit",
    type=WholeNumber(1, 100),
    metavar="N",
    default=20,
    show_default=True,
    help="Most changes that are listed.",
)
@global_options_shown("project", "output", "timeout")
@click.pass_context
def history_command(context: click.Context, path: str | None, limit: int) -> None:
    """What was done to the scripts and can be undone, newest first; with PATH, to that one.

    \b
    Examples:
      unity-cli history
      unity-cli history Assets/Scripts/Player.cs --limit 5
    """
    caller = open_caller(context, [], {"get_history"})
    listed = _listed(context, caller, path, limit)
    if GlobalOptions.of(context).as_json:
        print_json(listed.to_json())
        return
    print_text("\n".join(_lines(listed.structured)))


@click.command()
@click.argument("what", metavar="[PATH|CHANGE]", required=False)
@global_options_shown("dry-run", "output", "project", "timeout", "verbose")
@click.pass_context
def undo_command(context: click.Context, what: str | None) -> None:
    """Take back the last change; with PATH the last one of that script, or the CHANGE of that id.

    A change set is taken back with all of its files, or not at all. What somebody else has changed
    since is never overwritten: then it is refused. With PATH it is the last change that led to the
    text that the script has now.

    \b
    Examples:
      unity-cli undo
      unity-cli undo Assets/Scripts/Player.cs
      unity-cli --dry-run undo
    """
    from mcp_server.cli.tool_calls.ending_first import ended_first, telling_notes  # noqa: PLC0415
    from mcp_server.cli.tool_calls.telling_interrupts import telling_what_was_done  # noqa: PLC0415
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415
    from mcp_server.contract.outcome import ToolResult  # noqa: PLC0415
    from mcp_server.contract.request_validator import check_arguments  # noqa: PLC0415
    from snippet_engine.budget import noting  # noqa: PLC0415

    options = GlobalOptions.of(context)
    is_id = what is not None and bool(_CHANGE_ID.fullmatch(what) or _EDIT_ID.fullmatch(what))
    if what is not None and not is_id and not what.endswith(".cs"):
        named = repr(what) if what else "The empty text (a variable that isn't set?)"
        message = f"{named} is no script (PATH) and no change: unity-cli history lists their ids."
        raise click.UsageError(message, context)
    caller = open_caller(context, [], {"get_history", "undo_snippet"})
    in_place: Sequence[Entry] = ()
    notes: list[str] = []
    if what is not None and _CHANGE_ID.fullmatch(what):
        arguments, entry = {"changeId": what}, None
    else:
        end_like_ctrl_c()
        notes = ended_first(caller)
        with telling_notes(notes):
            in_place = (
                [_of_id(context, caller, what)]
                if what is not None and is_id
                else _in_place(context, caller, what)
            )
        entry = chosen(in_place, what)
        arguments = entry["undo"]
    spec = CATALOG["undo_snippet"]
    params = check_arguments(spec, _timed(context, spec, arguments))
    if isinstance(params, ToolError):
        fail(context, params)
    if options.dry_run and entry is not None and not entry["undoable"]:
        _refuse_dry_run(context, entry, in_place)
    outlast_readers(context)
    end_like_ctrl_c()
    with telling_what_was_done(spec, params) as note:
        with noting(notes):
            outcome = caller.call(spec, params)
        note(outcome)
        if isinstance(outcome, ToolError) and entry is not None:
            _fail_chosen(context, caller, outcome, entry, in_place)
        if isinstance(outcome, ToolError):
            fail(context, in_commands(outcome))
        if options.as_json:
            print_json(outcome.to_json())
        elif isinstance(outcome, ToolResult):
            told = outcome.text.replace("check_project", "unity-cli check")
            print_result(spec.name, replace(outcome, text=told))
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
    """End the command, for which ``entry`` was chosen: nobody has named it, so nobody misused it.

    That another undo was quicker is told where the history doesn't have the entry any more.
    """
    if entry["undoable"] and refused.details.get("code") in ("invalid_request", "stale_file"):
        listed = _listed(context, caller, None, _MOST_PASSED_BY).structured
        kept = listed["changes"]
        reaches = not listed.get("truncated") or kept[-1]["time"] < entry["time"]
        if reaches and all(each["undo"] != entry["undo"] for each in kept):
            fail(context, taken_back_meanwhile(entry), ExitCode.FAILED)
    wrong = refused.code is ToolErrorCode.INVALID_PARAMS
    told = in_commands(refused, entry, in_place)
    fail(context, told, ExitCode.FAILED if wrong else None)


def _refuse_dry_run(context: click.Context, entry: Entry, in_place: Sequence[Entry]) -> NoReturn:
    """End the command: no call is made that would tell why."""
    what = f"The last change can't be undone: not all is as it left it ({places(entry)})."
    message = " ".join((what, older(entry, in_place))).rstrip()
    fail(context, tool_error(ToolErrorCode.INVALID_REQUEST, message), ExitCode.FAILED)


def _in_place(context: click.Context, caller: ToolCaller, path: str | None) -> Sequence[Entry]:
    """The changes in place, newest first, or those of the script at ``path``.

    Ends the command if there are none, or nothing is to be undone before the newest is seen to.
    """
    listed = _listed(context, caller, path, _MOST_PASSED_BY).structured
    if "unfinished" in listed:
        # It may be newer than what is kept: to take that back instead would be another's undo.
        message = f"{listed['unfinished'][0]['message']} {another(listed['changes'])}".rstrip()
        details = {"unfinished": listed["unfinished"]}
        refused = tool_error(ToolErrorCode.INVALID_REQUEST, message, details=details)
        return fail(context, refused, ExitCode.FAILED)
    from snippet_engine.storage.records.history import how_to_give_up  # noqa: PLC0415 - not for help

    of_path = "" if path is None else f" of {path}"
    # What was taken back is not in place, so it isn't the last change.
    newest: list[Entry] = [each for each in listed["changes"] if "takenBack" not in each]
    if newest and "damaged" in newest[0]:
        message = (
            f"The last change{of_path} can't be undone: {newest[0]['damaged']}. "
            f"{how_to_give_up(newest[0]['damaged'])}. {another(newest[1:], newest[0])}"
        ).rstrip()
        return fail(context, tool_error(ToolErrorCode.INVALID_REQUEST, message), ExitCode.FAILED)
    if newest:
        return newest
    message = f"There is nothing to undo: no change{of_path} is kept."
    return fail(context, tool_error(ToolErrorCode.INVALID_REQUEST, message), ExitCode.FAILED)


def _of_id(context: click.Context, caller: ToolCaller, edit_id: str) -> Entry:
    """The single edit of that id; ends the command where there is none."""
    kept: Sequence[Entry] = _listed(context, caller, None, _MOST_PASSED_BY).structured["changes"]
    found = next((each for each in kept if _id_of(each) == edit_id), None)
    if found is None:
        message = f"No change {edit_id} is kept: unity-cli history lists the ids."
        return fail(context, tool_error(ToolErrorCode.INVALID_REQUEST, message))
    return found


def _id_of(entry: Entry) -> str:
    """What ``undo`` takes for a change; empty where nothing can be undone by it.

    A single edit has none of its own there: its script and the hash that it led to make one.
    """
    undo = entry["undo"]
    if "path" not in undo:
        return str(undo.get("changeId", ""))
    return sha256(f"{undo['path']}\n{undo['hashAfter']}".encode()).hexdigest()[:12]


def _timed(context: click.Context, spec: ToolSpec, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """``arguments`` with the time of ``--timeout``, or the longest that the tool may take."""
    from mcp_server.calls.json_input import with_timeout  # noqa: PLC0415 - not for help pages

    given = GlobalOptions.of(context).timeout_s
    timed: dict[str, Any] = with_timeout(dict(arguments), given, spec.max_timeout_ms)
    return timed


def _listed(context: click.Context, caller: ToolCaller, path: str | None, limit: int) -> ToolResult:
    """What ``get_history`` answers; ends the command where it is an error."""
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415 - not for help pages
    from mcp_server.contract.outcome import ToolResult  # noqa: PLC0415
    from mcp_server.contract.request_validator import check_arguments  # noqa: PLC0415

    spec = CATALOG["get_history"]
    about = {} if path is None else {"path": _in_project(context, path)}
    params = check_arguments(spec, _timed(context, spec, {**about, "limit": limit}))
    if isinstance(params, ToolError):
        fail(context, params)
    outcome = caller.call(spec, params)
    if isinstance(outcome, ToolError):
        fail(context, of_command(outcome))
    assert isinstance(outcome, ToolResult)
    return outcome


def _in_project(context: click.Context, path: str) -> str:
    """``path``, given from the working folder, as tools take it; else as it is."""
    from mcp_server.calls.project import find_project  # noqa: PLC0415 - not for help pages

    project = GlobalOptions.of(context).project or find_project(Path.cwd())
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
        yield "No change is kept."
    for entry in result["changes"]:
        yield from _entry_lines(entry)
    if result.get("truncated"):
        yield "There are more: say a PATH, or a larger --limit."


def _entry_lines(entry: Mapping[str, Any]) -> Iterator[str]:
    """One change: when, here, by whom, its id; a line for each file, and its new text below."""
    by = f"  {entry['client']}" if "client" in entry else ""
    named = f"  change {_id_of(entry)}" if _id_of(entry) else ""
    when = datetime.fromisoformat(entry["time"]).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    told = [entry[key] for key in ("takenBack", "damaged", "blocked") if key in entry]
    why = told[0] if told else "changed since"
    changed = "" if entry["undoable"] else f"  ({why})"
    yield f"{when}{by}{named}{changed}"
    for file in entry["files"]:
        moved = f" to {file['movedTo']}" if "movedTo" in file else ""
        line = f": {file['firstLine']}".replace("\n", "\n    ") if file["firstLine"] else ""
        yield f"  {file['status']} {file['path']}{moved}{line}"
