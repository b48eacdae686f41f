"""Change sets of another shape than the contract's: read where there is one way, else refused."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.repair.call import read_call
from mcp_server.repair.offers.refusal import Refusal
from mcp_server.repair.sent_call import ReadCall, as_sent
from mcp_server.repair.words.table import CHANGE_ALIASES, CHANGES_ALIASES

SPEC = CATALOG["edit_scripts"]
INSTRUCTION = {
    "operation": "replace",
    "anchor": {"type": "text", "target": "speed > 10"},
    "newText": "speed > 20",
}
HASH = "sha256:" + "0" * 64
EDIT = {"path": "Assets/A.cs", "instructions": [INSTRUCTION]}
NEW = {"path": "Assets/B.cs", "create": "class B { }\n"}
GONE = {"path": "Assets/C.cs", "delete": True, "expectedHash": HASH}
MOVED = {"path": "Assets/D.cs", "moveTo": "Assets/E.cs"}
PLAIN: dict[str, Any] = {"mode": "apply", "changes": [EDIT, NEW, GONE, MOVED]}


def changed(index: int, **keys: Any) -> dict[str, Any]:
    """The plain set, one change of it as ``keys``."""
    request = copy.deepcopy(PLAIN)
    request["changes"][index] = keys
    return request


def read(arguments: Any, project: Path | None = None) -> ReadCall:
    found = read_call(SPEC, arguments, project)
    assert isinstance(found, ReadCall), found
    return found


def refused(arguments: Any) -> ToolError:
    found = read_call(SPEC, arguments, None)
    assert isinstance(found, Refusal), found
    return found.to_error()


def test_a_valid_set_is_passed_on_as_it_is() -> None:
    params = as_sent(SPEC, PLAIN)
    assert params is not None
    assert dict(params) == PLAIN
    assert read(PLAIN).notes == ()


@pytest.mark.parametrize("alias", CHANGES_ALIASES)
def test_each_other_name_of_the_changes_is_read(alias: str) -> None:
    found = read({"mode": "apply", alias: PLAIN["changes"]})
    assert dict(found.params) == PLAIN
    assert any(alias in note for note in found.notes)


@pytest.mark.parametrize(
    ("key", "alias"), [(key, alias) for key, names in CHANGE_ALIASES.items() for alias in names]
)
def test_each_other_name_of_what_a_change_does_is_read(key: str, alias: str) -> None:
    sent = copy.deepcopy(PLAIN)
    (change,) = (each for each in sent["changes"] if key in each)
    change[alias] = change.pop(key)
    found = read(sent)
    assert dict(found.params) == PLAIN
    assert any(alias in note and key in note for note in found.notes)


READ = {
    "changes as JSON text": ({**PLAIN, "changes": json.dumps(PLAIN["changes"])}, "$.changes"),
    "a change as JSON text": (
        {**PLAIN, "changes": [json.dumps(EDIT), NEW, GONE, MOVED]},
        "$.changes[0]: JSON text",
    ),
    "wrapped": ({"request": PLAIN}, "$.request → the request itself"),
    "wrapped in its name": ({"edit_scripts": json.dumps(PLAIN)}, "the request itself"),
    "files": ({"mode": "apply", "files": PLAIN["changes"]}, "$.files → changes"),
    "old and new": (
        changed(0, path="Assets/A.cs", old_string="speed > 10", new_string="speed > 20"),
        "$.changes[0].old_string → instructions[0].anchor.target",
    ),
    "edits of a file": (
        changed(0, file_path="Assets/A.cs", edits=[INSTRUCTION]),
        "$.changes[0].edits → instructions",
    ),
    "one instruction": (
        changed(0, path="Assets/A.cs", instructions=INSTRUCTION),
        "$.changes[0].instructions: one item → an array of it",
    ),
    "content": (
        changed(1, path="Assets/B.cs", content="class B { }\n"),
        "$.changes[1].content → create",
    ),
    "delete as text": (
        changed(2, path="Assets/C.cs", delete="true", hash=HASH),
        "$.changes[2].delete: 'true' → true",
    ),
    "new path": (
        changed(3, path="Assets/D.cs", newPath="Assets/E.cs"),
        "$.changes[3].newPath → moveTo",
    ),
    "empty keys": (
        changed(3, path="Assets/D.cs", moveTo="Assets/E.cs", instructions=[], expectedHash=None),
        "$.changes[3].instructions: left out: it is empty",
    ),
    "delete that says nothing": (
        changed(0, **EDIT, delete=False),
        "$.changes[0].delete: false left out",
    ),
    "a description": (changed(0, **EDIT, description="faster"), "$.changes[0].description"),
    "mode in each change": (
        {"changes": [{**each, "mode": "apply"} for each in PLAIN["changes"]]},
        "$.changes[3].mode → the request's mode",
    ),
    "dry run": ({"dryRun": False, "changes": PLAIN["changes"]}, '$.dryRun: false → mode "apply"'),
}


@pytest.mark.parametrize(("sent", "note"), READ.values(), ids=READ)
def test_what_has_one_meaning_is_read(sent: Any, note: str) -> None:
    before = copy.deepcopy(sent)
    found = read(sent)
    assert dict(found.params) == PLAIN
    assert any(note in each for each in found.notes), found.notes
    assert sent == before


def test_a_small_edit_is_a_set_of_one() -> None:
    found = read({"mode": "preview", **EDIT})
    assert dict(found.params) == {"mode": "preview", "changes": [EDIT]}
    (single,) = read({"mode": "preview", **NEW}).params["changes"]
    assert single == NEW
    one = read({"mode": "preview", "changes": EDIT})
    assert one.params["changes"] == [EDIT]


def test_the_instructions_of_a_small_edit_by_the_name_of_changes() -> None:
    found = read({"mode": "preview", "path": "Assets/A.cs", "changes": [INSTRUCTION]})
    assert found.params["changes"] == [EDIT]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({**EDIT, "replace_all": True}, "$.changes[0].replace_all"),
        ({**EDIT, "startLine": 4}, "$.changes[0].startLine"),
        ({**EDIT, "create": "class A { }"}, "$.changes[0].instructions is not allowed"),
        ({"path": "Assets/A.cs", "delete": True}, "$.changes[0].expectedHash is required"),
        ({"path": "Assets/A.cs", "unheard": "of"}, "$.changes[0].unheard"),
        ("Assets/A.cs", "$.changes[0] must be an object"),
    ],
)
def test_what_could_mean_something_is_refused(change: Any, where: str) -> None:
    error = refused({"mode": "apply", "changes": [change]})
    problems = error.details["details"]["problems"]
    assert any(where in f"{each['path']} {each['message']}" for each in problems), problems


def test_what_could_mean_something_is_refused_with_the_nearest_request() -> None:
    error = refused({"mode": "apply", "changes": [NEW, {**EDIT, "replace_all": True}]})
    offered = error.details["offers"][0]["arguments"]
    (instruction,) = offered["changes"][1]["instructions"]
    assert instruction["metadata"] == {"all": True}
    assert isinstance(read_call(SPEC, offered, None), ReadCall)


@pytest.mark.parametrize("hash_", [{}, *({"expectedHash": each} for each in ("", None, "null"))])
@pytest.mark.parametrize("more", [{}, {"replace_all": True}])
def test_the_hash_of_a_file_to_delete_is_asked_for_and_never_made_up(
    tmp_path: Path, hash_: dict[str, Any], more: dict[str, Any]
) -> None:
    (tmp_path / "Assets").mkdir()
    (tmp_path / "Assets/A.cs").write_text("class A { }")
    gone = {"path": "Assets/A.cs", "delete": True, **hash_}
    sent = {"mode": "apply", "changes": [{**EDIT, "path": "Assets/B.cs", **more}, gone]}
    found = read_call(SPEC, sent, tmp_path)
    assert isinstance(found, Refusal), found
    error = found.to_error()
    assert "$.changes[1].expectedHash" in error.text
    assert "get_symbols" in error.text
    for offer in error.details.get("offers", ()):
        assert not offer["arguments"]["changes"][1].get("expectedHash")


def test_without_a_mode_a_preview_is_offered_first() -> None:
    error = refused({"changes": PLAIN["changes"]})
    assert [each["arguments"]["mode"] for each in error.details["offers"]] == ["preview", "apply"]


def test_two_modes_are_not_one() -> None:
    refused({"changes": [{**EDIT, "mode": "apply"}, {**NEW, "mode": "preview"}]})
    refused({"mode": "preview", "changes": [{**EDIT, "mode": "apply"}]})
    refused({"changes": [{**EDIT, "mode": "apply"}, NEW]})
    refused({"changes": [{**EDIT, "mode": "apply"}, {**NEW, "mode": True}]})
    found = read({"mode": "apply", "changes": [{**EDIT, "mode": "apply"}, NEW]})
    assert dict(found.params) == {"mode": "apply", "changes": [EDIT, NEW]}


def test_paths_are_read_wherever_they_stand(tmp_path: Path) -> None:
    (tmp_path / "Assets/Scripts").mkdir(parents=True)
    (tmp_path / "Assets/Scripts/A.cs").write_text("class A { }")
    found = read(
        {
            "mode": "apply",
            "changes": [
                {**EDIT, "path": "Scripts/A.cs"},
                {**NEW, "path": f"{tmp_path}/Assets/New/B.cs"},
                {**MOVED, "moveTo": "./Assets/E.cs"},
            ],
        },
        tmp_path,
    )
    assert [each["path"] for each in found.params["changes"]] == [
        "Assets/Scripts/A.cs",
        "Assets/New/B.cs",
        "Assets/D.cs",
    ]
    assert found.params["changes"][2]["moveTo"] == "Assets/E.cs"
    assert not any(str(tmp_path) in note for note in found.notes)


def test_too_much_is_not_read() -> None:
    refused({"mode": "apply", "files": [EDIT] * 41})


def test_more_small_edits_than_one_request_may_have_are_offered_as_a_set() -> None:
    sent = {"mode": "apply", "path": "Assets/A.cs", "instructions": [INSTRUCTION] * 11}
    found = read_call(CATALOG["edit_snippet"], sent, None)
    assert isinstance(found, Refusal)
    (offer,) = found.to_error().details["offers"]
    assert offer["tool"] == "edit_scripts"
    assert isinstance(read_call(SPEC, offer["arguments"], None), ReadCall)
    assert len(offer["arguments"]["changes"][0]["instructions"]) == 11
    sent["instructions"] = [INSTRUCTION] * 51
    found = read_call(CATALOG["edit_snippet"], sent, None)
    assert isinstance(found, Refusal)
    assert found.offers == ()


def test_changes_by_their_paths_are_an_array_of_them() -> None:
    edit = {"old_string": "speed > 10", "new_string": "speed > 20"}
    by_path = {"Assets/A.cs": [edit], "Assets/B.cs": {"create": NEW["create"]}, "D.cs": edit}
    found = read({"mode": "apply", "changes": by_path})
    moved = {**EDIT, "path": "D.cs"}
    assert dict(found.params) == {"mode": "apply", "changes": [EDIT, NEW, moved]}
    assert found.notes[0] == "$.changes: an object of paths → an array of changes"


@pytest.mark.parametrize(
    "changes",
    [
        {"Assets/A.cs": "speed > 20"},  # the whole file, or what of it?
        {"Assets/A.cs": {"path": "Assets/B.cs", "instructions": [INSTRUCTION]}},
        {"Assets/A.cs": [INSTRUCTION], "speed": [INSTRUCTION]},
    ],
)
def test_what_may_be_no_changes_by_their_paths_is_refused(changes: dict[str, Any]) -> None:
    assert "changes" in refused({"mode": "apply", "changes": changes}).text
