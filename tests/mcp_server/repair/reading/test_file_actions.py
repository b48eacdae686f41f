"""Changes of a set that say by a word what becomes of their file: each row of the table."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_server.contract.catalog import CATALOG
from mcp_server.repair.call import ReadCall, read_call
from mcp_server.repair.offers.refusal import Refusal
from mcp_server.repair.words.set_table import ACTION_KEYS, FILE_ACTIONS, FileAction
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
