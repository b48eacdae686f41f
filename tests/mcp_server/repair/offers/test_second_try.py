"""What is offered where the engine would refuse an offer: its own offers, in the offer's mode."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest
from repair_requests import example

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import ToolResult
from mcp_server.repair.call import read_call
from mcp_server.repair.offers.refusal import Refusal
from mcp_server.repair.offers.second_try import (
    PROBE_TIMEOUT_MS,
    probe,
    sweep,
    with_offers_of,
    with_sweep,
)

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


def test_a_sweep_has_an_instruction_for_each_place() -> None:
    offer = sweep(refusal(replace_all=True), ambiguous(3))
    assert offer is not None
    assert offer.arguments["mode"] == "apply"
    befores = [each["anchor"]["before"] for each in offer.arguments["instructions"]]
    assert befores == ["0 ", "1 ", "2 "]
    assert all("metadata" not in each for each in offer.arguments["instructions"])
    offer = sweep(refusal(replace_all=True, metadata={"why": "asked"}), ambiguous(2))
    assert offer is not None
    assert [each["metadata"] for each in offer.arguments["instructions"]] == [{"why": "asked"}] * 2


@pytest.mark.parametrize(
    "told",
    [
        '; those in comments (line 4, 9) take "in": "comment"',
        "; some of them overlap",
        '; those in comments (line 4) take "in": "comment"; some of them overlap',
    ],
)
def test_a_sweep_tells_of_places_that_may_not_be_meant(told: str) -> None:
    outcome = ambiguous(3)
    assert outcome.details is not None
    offered = {"what": f"all 3 places{told}", "arguments": {"instructions": []}}
    outcome = replace(outcome, details={**outcome.details, "offers": [offered]})
    offer = sweep(refusal(replace_all=True), outcome)
    assert offer is not None
    assert offer.what == f"at all 3 places that the anchor fits{told}"
    text = with_sweep(EDIT, refusal(replace_all=True), offer, outcome).to_error().text
    assert text is not None
    assert "\nchoice 1 (at all 3 places" in text
    assert "offer 1" not in text


def test_of_more_places_than_a_request_takes_the_first_ones_are_a_choice() -> None:
    asked = refusal(replace_all=True)
    many = ambiguous(10, matches=60)
    many.details["offers"] = [{"what": f"line {n}", "arguments": {}} for n in range(3)]
    text = with_offers_of(EDIT, asked, many).to_error().text or ""
    first, line = text.split("\n")
    assert "the anchor fits 60 places: send requests of at most 50 instructions" in first
    assert line.startswith("choice 1 (the first 10 of the 60 places. Send yours again then)")
    assert text.count("is not taken") == 1
    # Beside another instruction, which would be done again by then, none is.
    two = read_call(
        EDIT,
        {
            "path": "Assets/A.cs",
            "mode": "apply",
            "instructions": [
                {"operation": "replace", "target": "a + b", "newText": "c", "replace_all": True},
                {"operation": "insert", "target": "d", "newText": "e"},
            ],
        },
        None,
    )
    assert isinstance(two, Refusal)
    assert with_offers_of(EDIT, two, many).offers == ()


def test_ten_places_fit_into_the_text() -> None:
    asked = refusal(replace_all=True)
    offer = sweep(asked, ambiguous(10))
    assert offer is not None
    _, line = replace(asked, offers=(offer,)).to_error().text.split("\n")
    assert len(json.loads(line.partition("): ")[2])["instructions"]) == 10


def test_as_many_places_as_fit_are_a_choice() -> None:
    asked = refusal(replace_all=True)
    places = [{"type": "text", "before": "x" * 400 + str(n), "target": "a + b"} for n in range(6)]
    found = {
        "matches": 6,
        "candidates": [{"line": n, "anchor": each} for n, each in enumerate(places)],
    }
    details = {"code": "ambiguous_anchor", "instruction": 0, "details": found}
    outcome = tool_error(ToolErrorCode.SNIPPET, "no", details=details)
    swept = sweep(asked, outcome)
    assert swept is not None
    text = with_sweep(EDIT, asked, swept, outcome).to_error().text
    assert text is not None
    assert len(text) <= 2000
    _, line = text.split("\n")
    assert line.startswith("choice 1 (3 of the 6 places")
    assert len(json.loads(line.partition("): ")[2])["instructions"]) == 3


def test_one_place_is_no_offer_where_all_of_them_are_too_long_to_say() -> None:
    asked = refusal(replace_all=True)
    places = [{"type": "text", "before": "x" * 800 + str(n), "target": "a + b"} for n in range(6)]
    params = probe(EDIT, asked.offers[0])
    assert params is not None
    details = {
        "code": "ambiguous_anchor",
        "instruction": 0,
        "details": {"matches": 6, "candidates": [{"line": 1, "anchor": each} for each in places]},
        "offers": [
            {
                "what": "line 1",
                "arguments": {
                    **params,
                    "instructions": [{**params["instructions"][0], "anchor": each}],
                },
            }
            for each in places[:2]
        ],
    }
    outcome = tool_error(ToolErrorCode.SNIPPET, "no", details=details)
    swept = sweep(asked, outcome)
    assert swept is not None
    text = with_sweep(EDIT, asked, swept, outcome).to_error().text
    assert text is not None
    _, *lines = text.split("\n")
    assert lines
    assert all(line.startswith("choice ") for line in lines)


@pytest.mark.parametrize(
    ("asked", "outcome"),
    [
        ({"replace_all": True}, ambiguous(3, matches=12)),
        ({"replace_all": True}, ambiguous(11)),
        ({"replace_all": True}, ambiguous(3, instruction=1)),
        ({"replace_all": True}, tool_error(ToolErrorCode.SNIPPET, "no")),
        ({"replace_all": True}, ToolResult({}, "")),
        ({"replace_all": "maybe"}, ambiguous(3)),
        ({"line": 4}, ambiguous(3)),
    ],
)
def test_a_sweep_is_every_place_or_none(
    asked: dict[str, Any], outcome: ToolError | ToolResult
) -> None:
    assert sweep(refusal(**asked), outcome) is None


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
    assert "stands on line 57, so as a preview" in offer.what
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
    assert "put right (without replace_all true) it would be refused: no" in said


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
    assert "would be refused: no" in left.to_error().text
    assert with_offers_of(EDIT, asked, ambiguous(2)).offers == asked.offers
    asked = refusal(replace_all=True)  # as many places as no request can have
    left = with_offers_of(EDIT, asked, ambiguous(3, matches=40))
    assert left.offers == ()
    assert "would be refused: no" in left.to_error().text


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


@pytest.mark.parametrize("asked", [True, False])
def test_of_every_place_the_one_in_code_is_a_part_where_comments_have_it(*, asked: bool) -> None:
    told = "1 more match(es) in comments (line 9) were set aside."
    warnings = [{"code": "anchor_in_comment", "message": told, "index": 0, "line": 4}]
    outcome = ToolResult({"status": "preview", "results": [], "warnings": warnings}, "done")
    sent = refusal(replace_all=True) if asked else refusal(occurrence=1)
    (offer,) = with_offers_of(EDIT, sent, outcome).offers
    assert offer.is_part is asked
    assert (told in offer.what) is asked
