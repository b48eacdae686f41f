"""Read a change set that uses other words than the contract, change by change.

Implements docs/design/server-and-bridge.md §2 "Repair" for ``edit_scripts``. A change is read as
``edit_snippet``'s arguments; its additional keys are read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp_server.repair.reading.reader import read
from mcp_server.repair.reading.reading import Question, Reading, Unread
from mcp_server.repair.reading.values import boolean, is_empty, parsed
from mcp_server.repair.words.table import CHANGE_ALIASES, CHANGES_ALIASES, WRAPPERS, plain
from snippet_engine.limits import MAX_SET_FILES
from snippet_engine.schemas.checked_params import render_path
from snippet_engine.schemas.schema_findings import JsonPath

SET_TOOL = "edit_scripts"
SINGLE_TOOL = "edit_snippet"

_CHANGES = frozenset(map(plain, ("changes", *CHANGES_ALIASES)))
_WRAPPERS = frozenset(map(plain, (*WRAPPERS, SET_TOOL)))
_OF_A_CHANGE = {plain(name): key for key, names in CHANGE_ALIASES.items() for name in (key, *names)}
_MODE = "mode"
_STAND_IN = "preview"
"""The mode for reading single changes, which have no mode of their own."""


def read_set(arguments: Mapping[str, Any]) -> Reading | None:
    """Return ``arguments`` in the words of ``edit_scripts``; ``None`` for too many keys."""
    sent, at, notes = _unwrapped(arguments)
    found = _changes(sent, at, notes)
    if found is None:
        return read(SET_TOOL, sent)
    changes, places, rest = found
    if len(changes) > 2 * MAX_SET_FILES:
        return None
    modes = _modes(changes, places, rest, notes)
    top = read(SET_TOOL, {**rest, **modes})
    if top is None:
        return None
    request = dict(top.request)
    questions, unread = list(top.questions), list(top.unread)
    sent_at: dict[JsonPath, JsonPath] = {key: (*at, *value) for key, value in top.sent_at.items()}
    notes += [_moved(note, at) for note in top.notes]
    read_changes: list[Any] = []
    for index, (change, place) in enumerate(zip(changes, places, strict=True)):
        into: JsonPath = ("changes", index)
        sent_at[into] = place
        one = _change(change) if isinstance(change, dict) else None
        if one is None:
            read_changes.append(change)
            continue
        read_changes.append(one.request)
        notes += [_moved(note, place) for note in one.notes]
        questions += [_moved_question(each, into, place) for each in one.questions]
        unread += [replace(each, at=(*into, *each.at)) for each in one.unread]
        sent_at |= {(*into, *key): (*place, *value) for key, value in one.sent_at.items()}
    request["changes"] = read_changes
    ordered = {key: request[key] for key in (_MODE, "changes") if key in request}
    return Reading(
        {**ordered, **request},
        tuple(dict.fromkeys(notes)),
        tuple(questions),
        tuple(unread),
        sent_at,
    )


def _unwrapped(
    arguments: Mapping[str, Any],
) -> tuple[Mapping[str, Any], JsonPath, list[str]]:
    at: JsonPath = ()
    notes: list[str] = []
    while len(arguments) == 1:
        ((key, value),) = arguments.items()
        inner = parsed(value) if isinstance(value, str) else value
        if plain(str(key)) not in _WRAPPERS or not isinstance(inner, dict):
            break
        at = (*at, key)
        notes.append(f"{render_path(at)} → the request itself")
        arguments = inner
    return arguments, at, notes


def _changes(
    sent: Mapping[str, Any], at: JsonPath, notes: list[str]
) -> tuple[list[Any], list[JsonPath], dict[str, Any]] | None:
    named = [key for key in sent if plain(str(key)) in _CHANGES]
    if len(named) > 1:
        return None
    if not named:
        return _only_change(sent, at, notes)
    key = named[0]
    value, where = sent[key], (*at, key)
    if isinstance(value, str):
        inner = parsed(value)
        if inner is None:
            return None
        value = inner
        notes.append(f"{render_path(where)}: JSON text")
    places: list[JsonPath]
    by_path = _by_path(value)
    if by_path is not None and isinstance(value, dict):
        notes.append(f"{render_path(where)}: an object of paths → an array of changes")
        places = [(*where, path) for path in value]
        value = by_path
    elif isinstance(value, dict):
        notes.append(f"{render_path(where)}: one item → an array of it")
        value, places = [value], [where]
    elif isinstance(value, list):
        places = [(*where, index) for index in range(len(value))]
    else:
        return None
    if key != "changes":
        notes.append(f"{render_path(where)} → changes")
    items: list[Any] = []
    for item, place in zip(value, places, strict=True):
        inner = parsed(item) if isinstance(item, str) else item
        if inner is not item and isinstance(inner, dict):
            notes.append(f"{render_path(place)}: JSON text")
        items.append(inner if isinstance(inner, dict) else item)
    # An array of instructions next to a path is a small edit: its items aren't files.
    if _has_path(sent) and not any(isinstance(i, dict) and _has_path(i) for i in items):
        return _only_change(sent, at, notes)
    return items, places, {name: sent[name] for name in sent if name != key}


def _by_path(value: Any) -> list[dict[str, Any]] | None:
    """Return the changes of an object keyed by path; ``None`` for any other object."""
    if not isinstance(value, dict) or not value:
        return None
    if not all(str(path).lower().endswith(".cs") for path in value):
        return None
    found: list[dict[str, Any]] = []
    for path, change in value.items():
        if isinstance(change, list):
            found.append({"path": path, "instructions": change})
        elif isinstance(change, dict) and not _has_path(change):
            found.append({"path": path, **change})
        else:
            return None  # A text could be a whole file, or a part of it.
    return found


def _only_change(
    sent: Mapping[str, Any], at: JsonPath, notes: list[str]
) -> tuple[list[Any], list[JsonPath], dict[str, Any]] | None:
    if not _has_path(sent):
        return None
    of_request = {"mode", "validation", "clientrequestid", "requestid", "timeoutms"}
    rest = {key: sent[key] for key in sent if plain(str(key)) in of_request}
    notes.append("the request → its one change")
    return [{key: sent[key] for key in sent if key not in rest}], [at], rest


def _has_path(value: Mapping[str, Any]) -> bool:
    return any(plain(str(key)) in PATHS for key in value)


PATHS = frozenset(
    map(plain, ("path", "filePath", "file", "fileName", "relativePath", "scriptPath"))
)


def _modes(
    changes: list[Any], places: list[JsonPath], rest: Mapping[str, Any], notes: list[str]
) -> dict[str, Any]:
    """Move the changes' modes to the request, if all changes have the same."""
    said = [each.get(_MODE, rest.get(_MODE)) for each in changes if isinstance(each, dict)]
    modes = {each for each in said if isinstance(each, str)}
    agree = len(modes) == 1 and all(isinstance(each, str) for each in said)
    if not agree or rest.get(_MODE, next(iter(modes))) not in modes:
        return {}
    for index, each in enumerate(changes):
        if isinstance(each, dict) and _MODE in each:
            changes[index] = {key: value for key, value in each.items() if key != _MODE}
            notes.append(f"{render_path((*places[index], _MODE))} → the request's mode")
    return {_MODE: modes.pop()}


def _change(sent: Mapping[str, Any]) -> Reading | None:
    """Return one change in the contract's words; ``None`` for too many keys."""
    own: dict[str, Any] = {}
    notes: list[str] = []
    sent_at: dict[JsonPath, JsonPath] = {}
    rest: dict[str, Any] = {}
    edits = any(plain(str(key)) in _EDITS for key in sent)
    for key, value in sent.items():
        name = _OF_A_CHANGE.get(plain(str(key)))
        if name is None or name in own or (edits and name == "create" and key != "create"):
            rest[key] = value
            continue
        if is_empty(value) and name != "create":
            notes.append(f"{render_path((key,))}: left out: it is empty")
            continue
        if name == "delete":
            wanted = boolean(value)
            if wanted is False:
                notes.append(f"{render_path((key,))}: false left out: it is the default")
                continue
            if wanted is True and value is not True:
                notes.append(f"{render_path((key,))}: {value!r} → true")
                value = True  # noqa: PLW2901 - the value as it was read
        if key != name:
            notes.append(f"{render_path((key,))} → {name}")
        own[name] = value
        sent_at[name,] = (key,)
    one = read(SINGLE_TOOL, {**rest, _MODE: _STAND_IN})
    if one is None:
        return None
    request = {key: value for key, value in one.request.items() if key != _MODE}
    if own and request.get("instructions") == []:
        del request["instructions"]
        notes.append(f"{render_path(one.sent_at['instructions',])}: left out: it is empty")
    unread = one.unread
    if _MODE in sent:  # a mode other than the request's
        request[_MODE] = sent[_MODE]
        unread = (*unread, Unread(_MODE, sent[_MODE], (_MODE,), None, SET_TOOL))
    kept = {key: value for key, value in one.sent_at.items() if key != (_MODE,)}
    return replace(
        one,
        request={**request, **own},
        notes=(*notes, *one.notes),
        unread=unread,
        sent_at={**kept, **sent_at},
    )


_EDITS = frozenset(
    map(plain, ("instructions", "edits", "operation", "anchor", "target", "oldString", "newText"))
)
"""The keys of a change that edits. Next to them, ``content`` is a new text, not a new file."""


def _moved(note: str, place: JsonPath) -> str:
    return note.replace("$", render_path(place), 1) if note.startswith("$") else note


def _moved_question(question: Question, into: JsonPath, place: JsonPath) -> Question:
    return replace(
        question,
        sent_at=(*place, *question.sent_at),
        alternatives=tuple(
            replace(way, changes=tuple(((*into, *at), value) for at, value in way.changes))
            for way in question.alternatives
        ),
    )
