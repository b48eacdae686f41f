"""Calls that are refused, of tools and with texts that small edits have no words for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcp_server.contract.catalog import CATALOG
from mcp_server.repair.call import read_call
from mcp_server.repair.offers.refusal import Refusal
from mcp_server.repair.sent_call import ReadCall, as_sent
from snippet_engine.limits import MAX_INSTRUCTIONS, MAX_SET_INSTRUCTIONS
from snippet_engine.schemas.checked_params import find_problems

SCRIPT = "Assets/Scripts/Player.cs"
HASH = f"sha256:{'0' * 64}"
EDIT = {
    "operation": "replace",
    "anchor": {"type": "text", "target": "class A"},
    "newText": "class B",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / SCRIPT).parent.mkdir(parents=True)
    (tmp_path / SCRIPT).write_text("class A { }")
    return tmp_path


def refusal(tool: str, sent: dict[str, Any], root: Path | None = None) -> Refusal:
    found = read_call(CATALOG[tool], sent, root)
    assert isinstance(found, Refusal), found
    return found


@pytest.mark.parametrize(
    ("tool", "sent"),
    [
        ("edit_snippet", {"path": "Player.cs", "mode": "apply", "instructions": [EDIT]}),
        (
            "edit_scripts",
            {"mode": "apply", "changes": [{"path": "Player.cs", "instructions": [EDIT]}]},
        ),
        ("get_symbols", {"path": "Player.cs"}),
        ("validate_script", {"path": "Player.cs"}),
        ("get_history", {"path": "Player.cs"}),
        ("undo_snippet", {"path": "Player.cs", "hashAfter": HASH}),
    ],
)
def test_a_bare_file_name_is_all_that_is_wrong(tool: str, sent: dict[str, Any], root: Path) -> None:
    found = refusal(tool, sent, root)
    (problem,) = found.problems
    assert "names no script" in problem.message
    (offer,) = found.offers
    assert SCRIPT in str(offer.arguments)
    assert not find_problems(CATALOG[tool].input_schema, dict(offer.arguments))


@pytest.mark.parametrize("key", ["count", "steps", "all"])
def test_several_undos_at_once_are_refused_in_words_of_undoing(key: str) -> None:
    text = refusal("undo_snippet", {"path": SCRIPT, key: 2}).to_error().text
    assert f"$.{key} is not taken: undo one apply at a time" in text
    assert "target" not in text


@pytest.mark.parametrize(
    ("key", "value"),
    [("mode", "preview"), ("dry_run", True), ("dryRun", "true"), ("preview", True)],
)
def test_an_undo_that_is_only_to_be_looked_at_is_not_offered(key: str, value: object) -> None:
    found = refusal("undo_snippet", {"path": SCRIPT, "hashAfter": HASH, key: value})
    assert not found.offers
    assert "an undo has no preview: it writes; get_history" in found.to_error().text


@pytest.mark.parametrize(("key", "value"), [("mode", "apply"), ("dry_run", False)])
def test_an_undo_that_is_to_write_is_offered(key: str, value: object) -> None:
    found = refusal("undo_snippet", {"path": SCRIPT, "hashAfter": HASH, key: value})
    (offer,) = found.offers
    assert offer.arguments == {"path": SCRIPT, "hashAfter": HASH}


@pytest.mark.parametrize("sent", [{}, {"path": SCRIPT}])
def test_an_undo_of_nothing_in_particular_is_sent_to_the_history(sent: dict[str, Any]) -> None:
    assert "get_history lists it" in refusal("undo_snippet", sent).to_error().text


def test_an_undo_s_unknown_keys_are_not_explained_as_an_edit_s() -> None:
    text = (
        refusal("undo_snippet", {"path": SCRIPT, "hashAfter": HASH, "regex": "a"}).to_error().text
    )
    assert "$.regex is an unknown key" in text


@pytest.mark.parametrize("count", [MAX_INSTRUCTIONS + 1, 30, 60])
def test_more_than_a_small_edit_takes_is_sent_to_the_tool_that_takes_it(count: int) -> None:
    sent = {"path": SCRIPT, "mode": "apply", "instructions": [EDIT] * count}
    text = refusal("edit_snippet", sent).to_error().text
    assert f"up to {MAX_SET_INSTRUCTIONS} to edit_scripts" in text


def test_a_set_that_the_text_has_no_room_for_is_said_with_what_was_sent() -> None:
    edits = [{**EDIT, "newText": f"speed{n}"} for n in range(40)]
    sent = {"path": SCRIPT, "mode": "apply", "instructions": edits, "validation": "embedded"}
    found = refusal("edit_snippet", sent)
    first, told = found.to_error().text.split("\n")
    assert "has 40" in first
    whole = json.dumps(dict(found.offers[0].arguments))
    said = whole.replace(json.dumps(edits), "[the 40 that you sent, as they are]")
    assert told == f"(as a change set: too long to show; send to edit_scripts {said})"
    # Of what is read otherwise than it was sent that is not said.
    named = [{**edit, "new_string": edit.pop("newText")} for edit in map(dict, edits)]
    read = refusal("edit_snippet", {**sent, "instructions": named})
    assert "that you sent" not in read.to_error().text


def test_more_than_a_set_takes_is_sent_in_several() -> None:
    change = {"path": SCRIPT, "instructions": [EDIT] * 60}
    text = refusal("edit_scripts", {"mode": "apply", "changes": [change]}).to_error().text
    assert "at most 50 items (has 60): send several sets in order" in text


OTHER = "Assets/Scripts/Enemy.cs"
SET = [{"path": SCRIPT, "instructions": [EDIT]}, {"path": OTHER, "instructions": [EDIT, EDIT]}]


@pytest.mark.parametrize(
    "sent",
    [
        {"changes": SET},
        {"instructions": SET},
        {"instructions": [{"path": SCRIPT, **EDIT}, *[{"file_path": OTHER, **EDIT}] * 2]},
        {"path": SCRIPT, "instructions": [EDIT, *[{"path": OTHER, **EDIT}] * 2]},
        {"edits": [{"path": f"./{SCRIPT}", **EDIT}, *[{"path": OTHER, **EDIT}] * 2]},
    ],
)
@pytest.mark.parametrize("mode", ["preview", "apply", None])
def test_several_files_are_offered_to_the_tool_that_takes_them(
    sent: dict[str, Any], mode: str | None, root: Path
) -> None:
    found = refusal("edit_snippet", {**sent, **({"mode": mode} if mode else {})}, root)
    (offer,) = found.offers
    assert offer.tool == "edit_scripts"
    assert offer.arguments == {"mode": mode or "preview", "changes": SET}
    assert "edit_scripts" in str(found.problems[0])


def test_a_third_path_beside_those_of_the_edits_is_not_dropped(root: Path) -> None:
    edits = [{"path": SCRIPT, **EDIT}, {"path": OTHER, **EDIT}]
    found = refusal("edit_snippet", {"path": "Assets/C.cs", "mode": "apply", "edits": edits}, root)
    assert all(each.arguments["mode"] == "preview" for each in found.offers)


def test_what_a_set_has_is_told_to_go_there_where_it_is_not_whole() -> None:
    found = refusal("edit_snippet", {"mode": "apply", "changes": [{**SET[0], "size": 3}]})
    assert not found.offers
    assert "is what edit_scripts takes" in str(found.problems[0])


@pytest.mark.parametrize("path", ["Assets", SCRIPT, "ProjectSettings/ProjectVersion.txt"])
@pytest.mark.parametrize("slash", ["", "/"])
def test_a_check_of_absolute_paths_in_the_project(path: str, slash: str, root: Path) -> None:
    for sent in ({"paths": [f"{root}/{path}{slash}"]}, {"path": f"{root}/{path}{slash}"}):
        found = read_call(CATALOG["check_project"], sent, root)
        assert isinstance(found, ReadCall), found
        assert dict(found.params) == {"paths": [path]}
        assert not any(str(root) in note for note in found.notes)
        assert as_sent(CATALOG["check_project"], sent) is None


@pytest.mark.parametrize("path", ["/elsewhere/Assets", "../Assets", "Assets"])
def test_a_check_of_other_paths_is_passed_on(path: str, root: Path) -> None:
    found = read_call(CATALOG["check_project"], {"paths": [path]}, root)
    assert isinstance(found, ReadCall)
    assert dict(found.params) == {"paths": [path]}
    assert not found.notes
