"""A change of a set that says by a word what becomes of its file, in the contract's keys.

Implements docs/design/server-and-bridge.md §2 "Repair". The words are rows of the table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_server.repair.words.set_table import ACTION_KEYS, FILE_ACTIONS, MOVE, FileAction
from mcp_server.repair.words.table import ALIASES, CHANGE_ALIASES, NO_MEANING, Names, plain
from snippet_engine.schemas.schema_check import render_path
from snippet_engine.schemas.schema_findings import JsonPath

_ACTION_KEYS = frozenset(map(plain, ACTION_KEYS))
_WORDS = {plain(word): action for action in FILE_ACTIONS for word in action.words}
_OF_INSTRUCTIONS = frozenset(map(plain, ("operation", "op", "command")))
"""Those keys that rather say what an instruction does."""
_BESIDE = frozenset(
    map(plain, ("expectedHash", *ALIASES["edit_snippet"]["expectedHash"], "mode", *NO_MEANING))
)
"""Keys that any change may have besides: another one could say what is meant."""
_OF_A_MOVE = frozenset(map(plain, ("instructions", "edits")))


@dataclass(frozen=True, slots=True)
class NamedChange:
    """The change by the contract's keys, with notes and where each value stood in it.

    ``asked_at`` is the key that may be an instruction's operation instead, if it may; ``problem``
    says so.
    """

    change: dict[str, Any]
    notes: tuple[str, ...]
    sent_at: Mapping[JsonPath, JsonPath]
    asked_at: str | None = None
    problem: str = ""


def named_change(sent: Mapping[str, Any], paths: Collection[str]) -> NamedChange | None:
    """What ``sent`` says by a word; ``None`` if it has no such word, or could be read otherwise.

    ``paths`` are the plain names of the key ``path``.
    """
    said = [key for key in sent if plain(str(key)) in _ACTION_KEYS]
    if not said:
        return _moved_without_word(sent, paths)
    word = sent[said[0]] if len(said) == 1 else None
    action = _WORDS.get(plain(word)) if isinstance(word, str) and len(word) <= 60 else None
    if not isinstance(word, str) or action is None:
        return None
    others = [key for key in sent if key != said[0]]
    own = _by_name(others, (action.key, *CHANGE_ALIASES.get(action.key, ()), *action.names))
    path = [key for key in others if plain(str(key)) in paths and key not in own]
    source = [key for key in _by_name(others, action.source) if key not in own]
    path = path or source
    consumed = {*own, *path}
    beside = _BESIDE | _OF_A_MOVE if action.key == "moveTo" else _BESIDE
    if len(path) != 1 or not {plain(str(key)) for key in {*others} - consumed} <= beside:
        return None
    value = _value(action, sent, own)
    if value is None:
        return None
    read = {"path": (path[0], sent[path[0]]), action.key: (own[0] if own else said[0], value)}
    rest = {key: sent[key] for key in others if key not in consumed}
    if not rest.keys().isdisjoint(read):
        return None
    of_edits = plain(said[0]) in _OF_INSTRUCTIONS and plain(word) in map(plain, action.of_edits)
    return NamedChange(
        {**rest, **{key: value for key, (_, value) in read.items()}},
        tuple(_notes(said[0], word, action, read)),
        {(key,): (at,) for key, (at, _) in read.items()},
        said[0] if of_edits else None,
        f'"{word}" is of text, which an anchor names. For the whole file {_SEND.get(action.key)}',
    )


_SEND = {
    "create": 'send "create" with its text',
    "delete": 'send "delete": true, with its expectedHash',
}
"""What says of a whole file what a word says of some of its text."""


def _moved_without_word(sent: Mapping[str, Any], paths: Collection[str]) -> NamedChange | None:
    """A change that names the file's old path and its new one, and nothing else."""
    keys = list(sent)
    new = _by_name(keys, (MOVE.key, *CHANGE_ALIASES[MOVE.key], *MOVE.names))
    old = [key for key in _by_name(keys, MOVE.source) if key not in new]
    named = {*new, *old, *(key for key in keys if plain(str(key)) in paths)}
    if len(new) != 1 or len(old) != 1 or len(named) != 2:
        return None
    rest = {key: sent[key] for key in keys if key not in named}
    if not {plain(str(key)) for key in rest} <= _BESIDE | _OF_A_MOVE:
        return None
    read = {"path": (old[0], sent[old[0]]), MOVE.key: (new[0], sent[new[0]])}
    # Texts may be called so as well; those of a script's name are paths.
    if not all(str(value).lower().endswith(".cs") for _, value in read.values()):
        return None
    return NamedChange(
        {**rest, **{key: value for key, (_, value) in read.items()}},
        tuple(f"{render_path((at,))} → {key}" for key, (at, _) in read.items() if at != key),
        {(key,): (at,) for key, (at, _) in read.items()},
    )


def _value(action: FileAction, sent: Mapping[str, Any], own: list[str]) -> Any:
    """The value of the action's key; ``None`` if there isn't the one that it takes."""
    if action.key == "delete":
        return None if own else True
    value = sent[own[0]] if len(own) == 1 else None
    return value if isinstance(value, list if action.key == "instructions" else str) else None


def _notes(
    said: str, word: str, action: FileAction, read: Mapping[str, tuple[str, Any]]
) -> list[str]:
    at = render_path((said,))
    if action.key == "delete":
        notes = [f'{at}: "{word}" → delete true']
    else:
        notes = [f'{at}: "{word}" left out: {action.key} says it']
    return notes + [
        f"{render_path((key,))} → {name}"
        for name, (key, _) in read.items()
        if key not in (name, said)
    ]


def _by_name(keys: list[str], names: Names) -> list[str]:
    known = set(map(plain, names))
    return [key for key in keys if plain(str(key)) in known]
