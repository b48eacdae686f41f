"""Which change ``unity-cli undo`` takes back, and what to type if that can't be done.

Implements docs/design/command-line.md "history and undo". The tools' errors offer requests to send;
here they offer commands.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from snippet_engine.answer.call_notes import notes_of

Entry = Mapping[str, Any]
"""A change, as ``get_history`` lists it."""

_MOST_NAMED = 3
_WRONG_HASH, _CHANGED_SINCE = "doesn't have that hash", "isn't as its last change left it"


def chosen(in_place: Sequence[Entry], path: str | None) -> Entry:
    """Choose the change to take back among those ``in_place``, which are sorted newest first.

    With a ``path`` it is the newest change that can be undone now. Without one it is the newest of
    all, because an older one may be of another script.
    """
    fitting = (each for each in in_place if path is not None and each["undoable"])
    return next(fitting, in_place[0])


def command_of(undo: Mapping[str, str]) -> str:
    """Return the command for what ``undo_snippet`` takes as ``undo``."""
    return f"unity-cli undo {undo.get('changeId') or shlex.quote(undo['path'])}"


def places(entry: Entry) -> str:
    """Return where the files of a change are, the first of them by name."""
    return _listed([file.get("movedTo", file["path"]) for file in entry["files"]])


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _replaced(error: ToolError, old: str, new: str) -> ToolError:
    return replace(
        error, message=error.message.replace(old, new), text=error.text.replace(old, new)
    )


def for_command_line(error: ToolError) -> ToolError:
    """Return a tool's error without its offers; it names commands instead of other tools."""
    error = _replaced(error, "get_history", "unity-cli history")
    return replace(error, text=error.what_is_wrong) if error.details.get("offers") else error


def with_commands(
    error: ToolError, entry: Entry | None = None, in_place: Sequence[Entry] = ()
) -> ToolError:
    """Return the refusal of an undo, with commands in the place of requests to send.

    ``entry`` is the change that was chosen, if one was, among those ``in_place``.
    """
    error = for_command_line(error)
    if entry is not None:  # the user gave no hash
        error = _replaced(error, _WRONG_HASH, _CHANGED_SINCE)
    details = error.details.get("details", {})
    commands = list(_commands(details, entry))
    is_gone = entry is not None and error.details.get("code") == "file_not_found"
    lines = [error.text]
    if entry is not None and is_gone:
        message = f"{places(entry)} was deleted or moved since its last change. Nothing was undone."
        error, lines = replace(error, message=message), [f"file_not_found: {message}"]
    elif commands:
        lines = [f"{error.details['code']}: {error.message}"]
        lines += [f"  {each}" for each in commands]
    if is_gone or ("changed" in details and not commands):
        lines.append(_restore_first(details, entry))
    if entry is not None and not commands:
        lines.append(older(entry, in_place))
    text = "\n".join(line for line in lines if line)
    notes = [each for each in notes_of(details) if each not in text]
    return replace(error, text="\n".join((text, *notes)))


def undone_meanwhile(entry: Entry) -> ToolError:
    """Return the error for an ``entry`` that another undo took back after it was chosen."""
    change_id = entry["undo"].get("changeId")
    what = "The last change" if change_id is None else f"Change {change_id}"
    message = (
        f"Another undo took {what[:1].lower()}{what[1:]} ({places(entry)}) back in the meantime. "
        "This one has undone nothing. To take back the change before it, repeat the command."
    )
    return tool_error(ToolErrorCode.INVALID_REQUEST, message)


def older(entry: Entry, in_place: Sequence[Entry]) -> str:
    """Return the command for the newest change that can be undone, if ``entry`` can't be."""
    found = next((each for each in in_place if each["undoable"]), None)
    if found is None or entry["undoable"]:
        return ""
    return f"To undo an older change, of {places(found)}: {command_of(found['undo'])}"


def another(entries: Sequence[Entry], but: Entry | None = None) -> str:
    """Return the command for the newest of ``entries`` that can be undone, if there is one.

    ``but`` is a damaged change. An undo by the path of one of its files would choose it again, so
    such undos are skipped.
    """
    paths = set() if but is None else {file["path"] for file in but["files"]}
    for each in entries:
        if each["undoable"] and each["undo"].get("path") not in paths:
            return f"To undo another change, of {places(each)}: {command_of(each['undo'])}"
    return ""


def _commands(details: Mapping[str, Any], entry: Entry | None) -> Iterator[str]:
    """Yield what to type instead, in order."""
    if "undoInOrder" in details:
        yield from (command_of(step) for step in details["undoInOrder"])
    elif details.get("undoable") and entry is not None and "path" in entry["undo"]:
        yield from (command_of(entry["undo"]) for _ in details["undoable"])
    elif "changeId" in details and "changed" not in details:
        yield command_of(details)


def _restore_first(details: Mapping[str, Any], entry: Entry | None) -> str:
    changed = details.get("inTheWay", details.get("changed", ()))
    if any(each["expectedHash"] == each["currentHash"] for each in changed):
        return ""  # it was changed and changed back: no present text helps
    names = [each["path"] for each in changed if each["expectedHash"] is not None]
    if not changed and entry is not None:
        names = [entry["files"][0]["path"]]
    if not names:
        return ""
    what = _listed(names)
    if "inTheWay" in details:
        return f"To undo both, first restore what the newer one left, if you have it: {what}"
    return f"To undo it, first restore the text that it left, if you have it: {what}"
