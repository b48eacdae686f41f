"""Which change ``unity-cli undo`` takes back, and what to type where one can't be.

Implements docs/design/command-line.md "history and undo". What the tools tell with requests to send
is told with commands.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from snippet_engine.answer.call_notes import notes_of

Entry = Mapping[str, Any]
"""A change, as ``get_history`` lists it."""

_NAMED = 3
_OFFER = re.compile(r"\n(offer|choice) \d+ .*")
_SEND = re.compile(r'send \{"changeId".*')


def chosen(in_place: Sequence[Entry], path: str | None) -> Entry:
    """Of the changes that are in place, newest first, the one to take back.

    Of a script it is the newest that led to the text that it has: somebody may have put an older
    one back. Of all scripts it is the newest, as an older one may be of another script.
    """
    fitting = (each for each in in_place if path is not None and each["undoable"])
    return next(fitting, in_place[0])


def command_of(undo: Mapping[str, str]) -> str:
    """What is typed where ``undo_snippet`` takes ``undo``."""
    return f"unity-cli undo {undo.get('changeId') or shlex.quote(undo['path'])}"


def places(entry: Entry) -> str:
    """Where the files of a change are, the first of them by name."""
    return _listed([file.get("movedTo", file["path"]) for file in entry["files"]])


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def of_command(error: ToolError) -> ToolError:
    """``error``, which a tool tells of another tool, as it is told of the command."""
    said, meant = "get_history", "unity-cli history"
    message, text = error.message.replace(said, meant), error.text.replace(said, meant)
    text = _OFFER.sub("", text)
    return replace(error, message=message, text=text)


_THAT_HASH, _AS_IT_WAS = "doesn't have that hash", "isn't as its last change left it"


def in_commands(
    error: ToolError, entry: Entry | None = None, in_place: Sequence[Entry] = ()
) -> ToolError:
    """``error``, the refusal of an undo, with commands in the place of requests to send.

    ``entry`` is the change that was to be taken back, if it was chosen, and ``in_place`` those
    among which it was.
    """
    error = of_command(error)
    if entry is not None:  # nobody has named a hash
        error = replace(
            error,
            message=error.message.replace(_THAT_HASH, _AS_IT_WAS),
            text=error.text.replace(_THAT_HASH, _AS_IT_WAS),
        )
    told = error.details.get("details", {})
    commands = list(_commands(told, entry))
    is_gone = entry is not None and error.details.get("code") == "file_not_found"
    lines = [error.text]
    if entry is not None and is_gone:
        message = f"{places(entry)} has gone since the last change of it. Nothing was undone."
        error, lines = replace(error, message=message), [f"file_not_found: {message}"]
    elif commands:
        message = error.message
        if len(commands) == 1:
            message = _SEND.sub(f"type {commands[0]}", message)
        error, lines = replace(error, message=message), [f"{error.details['code']}: {message}"]
        lines += [f"  {each}" for each in commands if each not in message]
    if is_gone or ("changed" in told and not commands):
        lines.append(_put_back(told, entry))
    if entry is not None and not commands:
        lines.append(older(entry, in_place))
    text = "\n".join(line for line in lines if line)
    return replace(
        error, text="\n".join((text, *(each for each in notes_of(told) if each not in text)))
    )


def taken_back_meanwhile(entry: Entry) -> ToolError:
    """What is told where ``entry``, which could be undone when it was chosen, isn't kept now."""
    change_id = entry["undo"].get("changeId")
    what = "The last change" if change_id is None else f"Change {change_id}"
    message = (
        f"{what} ({places(entry)}) was taken back meanwhile, by another undo: this one has undone "
        "nothing. To take back the one before it, run the same command again."
    )
    return tool_error(ToolErrorCode.INVALID_REQUEST, message)


def older(entry: Entry, in_place: Sequence[Entry]) -> str:
    """What to type for the newest change that can be undone where ``entry`` can't, or nothing."""
    found = next((each for each in in_place if each["undoable"]), None)
    if found is None or entry["undoable"]:
        return ""
    return f"An older change can be undone, of {places(found)}: {command_of(found['undo'])}"


def another(entries: Sequence[Entry], but: Entry | None = None) -> str:
    """What to type for the newest of ``entries`` that can be undone, or nothing.

    ``but`` is a damaged one: by their paths its files lead to it alone.
    """
    paths = set() if but is None else {file["path"] for file in but["files"]}
    for each in entries:
        if each["undoable"] and each["undo"].get("path") not in paths:
            return f"Another can be undone, of {places(each)}: {command_of(each['undo'])}"
    return ""


def _commands(told: Mapping[str, Any], entry: Entry | None) -> Iterator[str]:
    """What is typed instead, one after the other."""
    if "undoInOrder" in told:
        yield from (command_of(step) for step in told["undoInOrder"])
    elif told.get("undoable") and entry is not None and "path" in entry["undo"]:
        yield from (command_of(entry["undo"]) for _ in told["undoable"])
    elif "changeId" in told and "changed" not in told:
        yield command_of(told)


def _put_back(told: Mapping[str, Any], entry: Entry | None) -> str:
    changed = told.get("inTheWay", told.get("changed", ()))
    if any(each["expectedHash"] == each["currentHash"] for each in changed):
        return ""  # it was changed in between: no text of now helps
    names = [each["path"] for each in changed if each["expectedHash"] is not None]
    if not changed and entry is not None:
        names = [entry["files"][0]["path"]]
    if not names:
        return ""
    what = _listed(names)
    if "inTheWay" in told:
        return f"To undo both, first put back what the newer one left, if you have it: {what}"
    return f"To undo it, first put back the text that it left there, if you have it: {what}"
