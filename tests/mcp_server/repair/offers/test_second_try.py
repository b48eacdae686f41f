"""What is offered where the engine would refuse an offer, and of an undo without a hash."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from repair_requests import example

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import ToolResult
from mcp_server.repair.call import read_call
from mcp_server.repair.offers.last_change import with_last_change
from mcp_server.repair.offers.refusal import Refusal
from mcp_server.repair.offers.second_try import PROBE_TIMEOUT_MS, probe, with_offers_of

EDIT = CATALOG["edit_snippet"]


def refusal(**keys: Any) -> Refusal:
    instruction = {"operation": "replace", "target": "a + b", "newText": "c", **keys}
    sent = {"path": "Assets/A.cs", "mode": "apply", "instructions": [instruction]}
    found = read_call(EDIT, sent, None)
    assert isinstance(found, Refusal)
    return found


def ambiguous(count: int, matches: int | None = None, instruction: int = 0) -> ToolError:
    anchors = [{"type": "text", "before": f"{n} ", "target": "a + b"} for n in range(count)]
    candidates = [{"line": n, "anchor": anchor} for n, anchor in enumerate(anchors)]
    found = {"matches": count if matches is None else matches, "candidates": candidates}
    details = {"code": "ambiguous_anchor", "instruction": instruction, "details": found}
    return tool_error(ToolErrorCode.SNIPPET, "no", details=details)


def test_a_probe_changes_nothing_and_claims_no_id() -> None:
    offer = refusal(line=1).offers[0]
    params = probe(EDIT, offer)
    assert params is not None
    assert params["mode"] == "preview"
    assert params["timeout_ms"] == PROBE_TIMEOUT_MS
    with_id = copy.copy(offer.arguments) | {"client_request_id": "once", "validation": "lsp"}
    params = probe(EDIT, type(offer)(offer.what, with_id))
    assert params is not None
    assert "client_request_id" not in params
    assert params["validation"] == "embedded"
    assert probe(CATALOG["undo_snippet"], type(offer)("x", example("undo_snippet"))) is None


def test_the_engines_offers_take_the_place_of_one_that_it_refuses() -> None:
    asked = refusal(line=4)
    params = probe(EDIT, asked.offers[0])
    assert params is not None
    theirs = dict(params)
    theirs["instructions"] = [{**theirs["instructions"][0], "newText": "d"}]
    refused = tool_error(
        ToolErrorCode.SNIPPET,
        "no",
        details={"offers": [{"what": "line 4", "basis": "named", "arguments": theirs}]},
    )
    (offer,) = with_offers_of(EDIT, asked, refused).offers
    # Why the line isn't taken is said before the offers.
    assert offer.what == "without line 4; line 4"
    assert offer.basis == "named"
    assert offer.arguments["mode"] == "apply"
    assert offer.arguments["instructions"][0]["newText"] == "d"
    assert not {"validation", "timeout_ms"} & offer.arguments.keys()


@pytest.mark.parametrize(
    "details", [{}, {"offers": []}, {"offers": [{"what": "", "arguments": {}}]}]
)
def test_without_any_the_offer_stands(details: dict[str, Any]) -> None:
    asked = refusal(line=4)
    refused = tool_error(ToolErrorCode.SNIPPET, "no", details=details)
    assert with_offers_of(EDIT, asked, refused) == asked
    assert with_offers_of(EDIT, asked, ToolResult({}, "")) == asked


def found_on(*lines: int) -> ToolResult:
    """What a preview answers whose instructions change one line each; lines count from 1."""
    ranges = [{"start": {"line": n - 1}, "end": {"line": n - 1}} for n in lines]
    return ToolResult({"results": [{"index": i, "range": r} for i, r in enumerate(ranges)]}, "")


@pytest.mark.parametrize(
    "said",
    [
        {"line": 210},
        {"startLine": 210, "endLine": 214},
        {"lines": [210, 214]},
        {"lineRange": "210-214"},
        {"line": "L 210"},
    ],
)
def test_a_line_that_is_another_one_makes_it_a_preview(said: dict[str, Any]) -> None:
    asked = refusal(**said)
    assert asked.offers[0].arguments["mode"] == "apply"
    (offer,) = with_offers_of(EDIT, asked, found_on(57)).offers
    assert offer.arguments["mode"] == "preview"
    assert "only a preview, because the place found is on line 57" in offer.what
    assert not offer.basis


@pytest.mark.parametrize("said", [{"line": 57}, {"line": 54}, {"line": "60"}, {"lines": [57, 99]}])
def test_a_line_that_is_about_right_leaves_it_as_it_is(said: dict[str, Any]) -> None:
    asked = refusal(**said)
    assert with_offers_of(EDIT, asked, found_on(57)) == asked


def test_a_line_of_the_context_is_right_as_well() -> None:
    anchor = {"type": "text", "before": "x;\n" * 9, "target": "a + b"}
    asked = refusal(anchor=anchor, target="a + b", startLine=48)
    assert with_offers_of(EDIT, asked, found_on(57)) == asked


def test_each_line_is_held_against_its_own_instruction() -> None:
    one = {"operation": "replace", "target": "a + b", "newText": "c"}
    sent = {"path": "Assets/A.cs", "mode": "apply", "instructions": [one, {**one, "line": 9}]}
    asked = read_call(EDIT, sent, None)
    assert isinstance(asked, Refusal)
    assert with_offers_of(EDIT, asked, found_on(300, 9)) == asked
    assert with_offers_of(EDIT, asked, found_on(9, 300)) != asked


def test_why_a_key_is_not_taken_is_said_once() -> None:
    refused = tool_error(ToolErrorCode.SNIPPET, "no", details={"code": "anchor_not_found"})
    said = with_offers_of(EDIT, refusal(replace_all=True), refused).to_error().text
    assert said.count("changes only the one place") == 1
    assert "corrected (replace_all true as metadata), it would still be refused: no" in said


def test_of_a_choice_no_offer_is_tried() -> None:
    assert refusal(line=4).first_offer is not None
    assert refusal(old_string="d + e").first_offer is None


def test_an_offer_that_fails_is_not_made() -> None:
    asked = refusal(newText="")
    (offer,) = asked.offers
    assert offer.arguments["instructions"][0]["operation"] == "delete"
    assert offer.arguments["mode"] == "apply"
    refused = tool_error(ToolErrorCode.SNIPPET, "no", details={"code": "syntax_error"})
    left = with_offers_of(EDIT, asked, refused)
    assert left.offers == ()
    assert "would still be refused: no" in left.to_error().text
    assert with_offers_of(EDIT, asked, ambiguous(2)).offers == asked.offers
    asked = refusal(replace_all=True)  # as many places as no request can have
    left = with_offers_of(EDIT, asked, ambiguous(3, matches=40))
    assert left.offers == ()
    assert "would still be refused: no" in left.to_error().text


def test_neither_is_one_that_differs_in_its_mode_only() -> None:
    sent = {"path": "Assets/A.cs", "instructions": example()["instructions"]}
    asked = read_call(EDIT, sent, None)
    assert isinstance(asked, Refusal)
    assert len(asked.offers) == 2
    refused = tool_error(ToolErrorCode.SNIPPET, "no", details={"code": "symbol_not_found"})
    assert with_offers_of(EDIT, asked, refused).offers == ()


def test_an_offer_for_another_tool_says_so() -> None:
    asked = refusal(line=4)
    theirs = {
        "mode": "preview",
        "changes": [{"path": "Assets/A.cs", "create": "class A { }"}],
        "validation": "embedded",
    }
    offered = {"what": "as a change set", "tool": "edit_scripts", "arguments": theirs}
    refused = tool_error(ToolErrorCode.SNIPPET, "no", details={"offers": [offered]})
    found = with_offers_of(EDIT, asked, refused)
    (offer,) = found.offers
    assert (offer.tool, offer.arguments["mode"]) == ("edit_scripts", "apply")
    error = found.to_error()
    assert "offer 1 (send to edit_scripts: " in error.text
    assert error.details["offers"][0]["tool"] == "edit_scripts"


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ({"status": "edited", "firstLine": "-  a"}, "by mcp: -  a"),
        ({"status": "moved", "movedTo": "Assets/B.cs", "firstLine": ""}, "moved to Assets/B.cs"),
        ({"status": "deleted", "firstLine": ""}, "by mcp: deleted"),
    ],
)
def test_a_change_of_no_line_is_told_by_what_it_did(file: dict[str, Any], told: str) -> None:
    refusal = read_call(CATALOG["undo_snippet"], {"path": "Assets/A.cs"}, None)
    assert isinstance(refusal, Refusal)
    newest = {
        "time": "2026-01-01T00:00:00Z",
        "client": "mcp",
        "undoable": True,
        "undo": {"changeId": "0123456789abcdef"},
        "files": [{"path": "Assets/A.cs", **file}],
    }
    (offer,) = with_last_change(refusal, ToolResult({"changes": [newest]}, "")).offers
    assert offer.what.endswith(told)
