"""Changes of a set that say by a word what becomes of their file: each row of the table."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_server.contract.catalog import CATALOG
from mcp_server.repair.call import read_call
from mcp_server.repair.offers.refusal import Refusal
from mcp_server.repair.sent_call import ReadCall
from mcp_server.repair.words.set_table import ACTION_KEYS, FILE_ACTIONS, MOVE, FileAction
from mcp_server.repair.words.table import CHANGE_ALIASES

SPEC = CATALOG["edit_scripts"]
HASH = "sha256:" + "0" * 64
EDIT = {
    "operation": "replace",
    "anchor": {"type": "text", "target": "speed > 10"},
    "newText": "speed > 20",
}
MEANT: dict[str, dict[str, Any]] = {
    "create": {"path": "Assets/A.cs", "create": "class A { }\n"},
    "delete": {"path": "Assets/A.cs", "delete": True, "expectedHash": HASH},
    "instructions": {"path": "Assets/A.cs", "instructions": [EDIT]},
    "moveTo": {"path": "Assets/A.cs", "moveTo": "Assets/B.cs"},
}
"""A change of each kind, in the contract's keys."""


def outcome(change: dict[str, Any]) -> ReadCall | Refusal:
    return read_call(SPEC, {"mode": "apply", "changes": [change]}, None)


def check(action: FileAction, change: dict[str, Any]) -> None:
    """``change`` is read as the contract's, and the answer says so."""
    found = outcome(change)
    assert isinstance(found, ReadCall), found
    assert dict(found.params) == {"mode": "apply", "changes": [MEANT[action.key]]}
    assert all(note.startswith("$.changes[0].") for note in found.notes)
    assert found.notes


def said(action: FileAction, word: str, key: str = "action") -> dict[str, Any]:
    """The change of that kind, which says it by a ``word``."""
    meant = {name: value for name, value in MEANT[action.key].items() if name != "delete"}
    return {key: word, **meant}


@pytest.mark.parametrize(
    ("action", "word"),
    [pytest.param(each, word, id=word) for each in FILE_ACTIONS for word in each.words],
)
def test_a_word_says_what_becomes_of_the_file(action: FileAction, word: str) -> None:
    check(action, said(action, word))


@pytest.mark.parametrize("key", ACTION_KEYS)
@pytest.mark.parametrize("action", [each for each in FILE_ACTIONS if not each.of_edits])
def test_each_key_may_have_the_word(key: str, action: FileAction) -> None:
    check(action, said(action, action.words[0], key))


@pytest.mark.parametrize(
    ("action", "name"),
    [
        pytest.param(each, name, id=f"{each.key}-{name}")
        for each in FILE_ACTIONS
        for name in (*each.names, *CHANGE_ALIASES.get(each.key, ()))
        if not each.of_edits
    ],
)
def test_the_value_has_other_names(action: FileAction, name: str) -> None:
    sent = said(action, action.words[0])
    sent[name] = sent.pop(action.key)
    check(action, sent)


@pytest.mark.parametrize(
    ("action", "name"),
    [pytest.param(each, name, id=name) for each in FILE_ACTIONS for name in each.source],
)
def test_the_path_has_other_names_beside_it(action: FileAction, name: str) -> None:
    sent = said(action, action.words[0])
    sent[name] = sent.pop("path")
    check(action, sent)


def test_a_file_that_moves_may_be_edited() -> None:
    found = outcome(
        {
            "type": "rename",
            "from": "Assets/A.cs",
            "to": "Assets/B.cs",
            "instructions": [EDIT],
        }
    )
    assert isinstance(found, ReadCall)
    (change,) = found.params["changes"]
    assert change == {**MEANT["moveTo"], "instructions": [EDIT]}


@pytest.mark.parametrize(
    "change",
    [
        # What an instruction deletes is a place in the file, which is missing here.
        {"operation": "delete", "path": "Assets/A.cs", "expectedHash": HASH},
        {"action": "delete", "path": "Assets/A.cs", "expectedHash": HASH, "newText": "a"},
        # A deletion says of which text.
        {"type": "delete", "path": "Assets/A.cs"},
        {"type": "delete", "path": "Assets/A.cs", "expectedHash": HASH, "delete": False},
        # Two texts, two words, two paths.
        {"type": "create", "path": "Assets/A.cs", "text": "class A { }", "content": "class B { }"},
        {"type": "create", "action": "delete", "path": "Assets/A.cs", "text": "class A { }"},
        {"type": "rename", "path": "Assets/A.cs", "file": "Assets/C.cs", "to": "Assets/B.cs"},
        {"type": "rename", "from": "Assets/A.cs"},
        {"type": "rename", "path": "Assets/A.cs", "newName": "B.cs"},
        {"type": "create", "path": "Assets/A.cs"},
        {"type": "create", "path": "Assets/A.cs", "text": "class A { }", "instructions": [EDIT]},
        {"type": "update", "path": "Assets/A.cs", "content": "class A { }"},
    ],
)
def test_what_could_be_read_otherwise_is_refused(change: dict[str, Any]) -> None:
    assert isinstance(outcome(change), Refusal)


@pytest.mark.parametrize(
    "beside", ["startLine", "line", "symbol", "before", "target", "lines", "range", "occurrence"]
)
@pytest.mark.parametrize("key", ["type", "action", "kind"])
def test_a_place_that_is_to_go_is_never_offered_as_the_file(key: str, beside: str) -> None:
    found = outcome({key: "delete", "path": "Assets/A.cs", "expectedHash": HASH, beside: "3"})
    changes = (
        [found.params["changes"]]
        if isinstance(found, ReadCall)
        else [each.arguments["changes"] for each in found.offers]
    )
    assert not any("delete" in each for (each,) in changes)


def test_what_is_said_about_a_change_changes_nothing() -> None:
    found = outcome({"type": "delete", "path": "Assets/A.cs", "hash": HASH, "reason": "old"})
    assert isinstance(found, ReadCall)
    assert found.params["changes"] == [MEANT["delete"]]


def test_an_instruction_that_deletes_stays_one() -> None:
    anchor = {"type": "text", "target": "int a;"}
    found = outcome({"action": "delete", "path": "Assets/A.cs", "anchor": anchor})
    assert isinstance(found, ReadCall)
    (change,) = found.params["changes"]
    assert change["instructions"] == [{"operation": "delete", "anchor": anchor}]
    assert "delete" not in change


@pytest.mark.parametrize("old", MOVE.source)
@pytest.mark.parametrize("new", [*MOVE.names, MOVE.key, *CHANGE_ALIASES[MOVE.key]])
def test_two_paths_of_which_one_is_the_old_one_are_a_move(old: str, new: str) -> None:
    sent = {old: "Assets/A.cs", new: "Assets/B.cs"}
    found = outcome(sent)
    assert isinstance(found, ReadCall), found
    assert found.params["changes"] == [MEANT["moveTo"]]
    assert f"$.changes[0].{old} → path" in found.notes


@pytest.mark.parametrize(
    "change",
    [
        # Texts, of which one replaces the other, or one of which nobody knows what it is.
        {"from": "int a;", "to": "int b;"},
        {"path": "Assets/A.cs", "from": "int a;", "to": "int b;"},
        {"from": "Assets/A.cs", "to": "Assets/Core"},
        {"from": "Assets/A.cs", "to": "Assets/B.cs", "dest": "Assets/C.cs"},
        {"from": "Assets/A.cs", "to": "Assets/B.cs", "line": 3},
        {"from": "Assets/A.cs", "to": "Assets/B.cs", "create": "class A { }"},
    ],
)
def test_what_may_be_no_two_paths_is_refused(change: dict[str, Any]) -> None:
    assert isinstance(outcome(change), Refusal)


@pytest.mark.parametrize("key", ["operation", "op", "command"])
@pytest.mark.parametrize(
    ("word", "kind", "says"),
    [
        pytest.param(word, action.key, says, id=word)
        for action, says in (
            (FILE_ACTIONS[0], 'send "create" with its text'),
            (FILE_ACTIONS[1], 'send "delete": true, with its expectedHash'),
        )
        for word in action.of_edits
    ],
)
def test_an_operation_without_an_anchor_may_mean_the_file_and_is_a_preview_of_that(
    key: str, word: str, kind: str, says: str
) -> None:
    rest = {name: value for name, value in MEANT[kind].items() if name != "delete"}
    found = outcome({key: word, **rest})
    assert isinstance(found, Refusal)
    (offer,) = found.offers
    assert offer.arguments == {"mode": "preview", "changes": [MEANT[kind]]}
    text = found.to_error().text
    assert f'$.changes[0].{key} "{word}" is of text, which an anchor names' in text
    assert says in text


def test_a_deletion_without_a_hash_says_that_it_needs_one() -> None:
    found = outcome({"operation": "delete", "path": "Assets/A.cs"})
    assert isinstance(found, Refusal)
    assert not found.offers
    assert (
        "expectedHash is required: a file is deleted only as you have seen it"
        in found.to_error().text
    )
