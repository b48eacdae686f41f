"""Batches: read, checked as a whole, run in order."""

from __future__ import annotations

import json
from typing import Any

import pytest
from running_server import SCRIPT, edit

from mcp_server.calls.batch import (
    Batch,
    BatchItem,
    BatchReport,
    ItemResult,
    check_batch,
    read_batch,
    run_batch,
)
from mcp_server.calls.dry_run import Suppressed
from mcp_server.calls.json_input import NotJson, parsed
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import Outcome, ToolResult

SYMBOLS = {"tool": "get_symbols", "params": {"path": SCRIPT}}


def read(text: str) -> Batch:
    batch = read_batch(text)
    assert isinstance(batch, Batch), batch
    return batch


def problems(*values: Any, text: str | None = None) -> list[dict[str, Any]]:
    refused = check_batch(read(text) if text is not None else Batch(values))
    assert isinstance(refused, ToolError)
    assert refused.code is ToolErrorCode.INVALID_PARAMS
    assert len(refused.message) <= 200
    found: list[dict[str, Any]] = refused.details["problems"]
    return found


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([SYMBOLS, SYMBOLS]),
        json.dumps([SYMBOLS, SYMBOLS], indent=2),
        json.dumps(SYMBOLS) + "\n" + json.dumps(SYMBOLS),
        "\n\n" + json.dumps(SYMBOLS) + "\r\n \n" + json.dumps(SYMBOLS) + "\n",
    ],
)
def test_arrays_and_lines(text: str) -> None:
    batch = read(text)
    assert (list(batch.values), batch.problems) == ([SYMBOLS, SYMBOLS], ())


@pytest.mark.parametrize("text", [json.dumps(SYMBOLS), json.dumps(SYMBOLS, indent=2)])
def test_a_single_item(text: str) -> None:
    assert read(text).values == [SYMBOLS]


def test_without_params_a_tool_gets_none() -> None:
    (item,) = check_batch(Batch([{"tool": "get_editor_state"}]))
    assert isinstance(item, BatchItem)
    assert dict(item.params) == {}
    (problem,) = problems({"tool": "validate_script"})
    assert (problem["path"], problem["message"]) == ("$[0].params.path", "is required")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            '[{"tool": 1}',
            "line 1, column 13: a comma or a closing bracket is missing, and the text ends",
        ),
        (
            '{"tool": "a",\n"params": {}',
            "line 2, column 13: a comma or a closing bracket is missing, and the text ends",
        ),
        ("5", "it is neither an array nor lines of {tool, params} objects"),
        ("{oops", "line 1, column 2: a key in double quotation marks is missing here"),
        ("[" * 200_000, "it is nested too deeply"),
    ],
)
def test_what_is_no_batch(text: str, why: str) -> None:
    what = "is no batch" if text == "5" else "is not JSON"
    assert read_batch(text) == NotJson(why, what)


def test_every_line_that_is_not_json_is_told() -> None:
    found = problems(text=json.dumps(SYMBOLS) + "\n\n{oops\n" + json.dumps(SYMBOLS) + "\n]")
    assert [(p["index"], p["path"]) for p in found] == [(1, "$[1]"), (3, "$[3]")]
    assert found[0]["message"].startswith("is not JSON: line 3, column 2: ")


def test_all_problems_of_all_items_at_once() -> None:
    bad_edit = {"tool": "edit_snippet", "params": {**edit("aply"), "extra": 1}, "id": "e"}
    found = problems(
        SYMBOLS,
        {"tool": "get_symbol", "params": {}},
        bad_edit,
        5,
        {"tool": "validate_script"},
        {"params": {}, "id": 1.5, "more": None},
        {"tool": "get_symbols", "params": []},
        {"tool": None, "params": {}},
    )
    assert [(p["path"], p["code"]) for p in found] == [
        ("$[1].tool", "ERR_UNKNOWN_COMMAND"),
        ("$[2].params.mode", "ERR_INVALID_PARAMS"),
        ("$[2].params.extra", "ERR_INVALID_PARAMS"),
        ("$[3]", "ERR_INVALID_REQUEST"),
        ("$[4].params.path", "ERR_INVALID_PARAMS"),
        ("$[5].id", "ERR_INVALID_REQUEST"),
        ("$[5].more", "ERR_INVALID_REQUEST"),
        ("$[5].tool", "ERR_INVALID_REQUEST"),
        ("$[6].params", "ERR_INVALID_REQUEST"),
        ("$[7].tool", "ERR_INVALID_REQUEST"),
    ]
    assert "Did you mean get_symbols or " in found[0]["message"]
    assert found[1]["id"] == "e"


def test_an_item_tells_both_its_own_faults_and_those_of_its_parameters() -> None:
    found = problems({"tool": "validate_script", "params": {"pth": 1}, "extra": 2})
    assert {p["path"] for p in found} == {"$[0].extra", "$[0].params.pth", "$[0].params.path"}


def test_ids_are_the_senders_own() -> None:
    items = check_batch(Batch([{**SYMBOLS, "id": "1"}, {**SYMBOLS, "id": 1}, SYMBOLS]))
    assert isinstance(items, list)
    assert [item.id for item in items] == ["1", 1, None]


def test_the_timeout_of_all_calls() -> None:
    items = check_batch(Batch([SYMBOLS]), timeout_s=2)
    assert isinstance(items, list)
    assert items[0].params["timeout_ms"] == 2000
    longest = check_batch(Batch([SYMBOLS]), timeout_s=3600)
    assert isinstance(longest, list)
    assert longest[0].params["timeout_ms"] == CATALOG["get_symbols"].max_timeout_ms


def items_of(*tools: str) -> list[BatchItem]:
    return [BatchItem(n, CATALOG[tool], {}, f"id{n}") for n, tool in enumerate(tools)]


def failing(item: BatchItem) -> Outcome:
    if item.index == 1:
        return tool_error(ToolErrorCode.SNIPPET, "no")
    return ToolResult({"n": item.index}, "text")


@pytest.mark.parametrize("stop", [False, True])
def test_items_run_in_order_until_the_end_or_the_first_failure(stop: bool) -> None:
    items = items_of("get_symbols", "get_symbols", "get_symbols")
    report = BatchReport(3, list(run_batch(items, failing, stop_on_error=stop)))
    document = report.to_json()
    ran = document.pop("results")
    assert document == {
        "ok": False,
        "total": 3,
        "succeeded": 1 if stop else 2,
        "failed": 1,
        "skipped": 0,
        "not_run": 1 if stop else 0,
    }
    assert ran[0] == {
        "index": 0,
        "id": "id0",
        "tool": "get_symbols",
        "ok": True,
        "result": {"n": 0},
    }
    assert (ran[1]["ok"], ran[1]["error"]["code"]) == (False, "ERR_SNIPPET")
    assert "result" not in ran[1]
    assert len(ran) == (2 if stop else 3)


def test_a_call_that_a_dry_run_holds_back() -> None:
    (item,) = items_of("undo_snippet")
    held = ItemResult(item, Suppressed(item.spec, {})).to_json()
    assert (held["ok"], held["skipped"]) == (True, True)
    assert held["result"]["reason"] == "mutating_tool_blocked_by_dry_run"
    preview = tool_error(ToolErrorCode.SNIPPET, "no")
    refused = ItemResult(item, Suppressed(item.spec, {}, preview)).to_json()
    assert (refused["ok"], refused["skipped"]) == (False, True)
    assert refused["error"]["code"] == "ERR_SNIPPET"
    assert refused["result"]["executed"] is False


_TWO = {"total": 2, "passed": 2, "failed": 0, "skipped": 0}


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"state": "failed", "result": None}, "the job ended as failed"),
        (
            {"state": "succeeded", "result": {"summary": _TWO, "failed_tests": [{}, {}]}},
            "2 tests failed",
        ),
        ({"state": "succeeded", "result": {"summary": _TWO, "failed_tests": []}}, None),
        (
            {"state": "succeeded", "result": {"failed_tests": []}},
            "which tests passed is not known",
        ),
    ],
)
def test_a_job_that_did_not_go_well_is_a_failure(result: dict[str, Any], said: str | None) -> None:
    (item,) = items_of("run_tests")
    found = ItemResult(item, ToolResult(result, "text")).to_json()
    assert found["ok"] is (said is None)
    assert found["result"] == result
    assert (found["error"]["message"] == f"run_tests: {said}.") if said else "error" not in found


def test_an_empty_batch_has_nothing_to_do() -> None:
    assert check_batch(Batch([])) == []
    report = BatchReport(0, [])
    assert report.ok
    assert report.summary() == "0 items: nothing to do"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"path": "A", "path": "x"}', 'line 1, column 15: "path"'),
        ('{"a": [{}, {"b": 1,\n "c": {"b": 1, "b": 2}}]}', 'line 2, column 16: "b"'),
        ('{"b": {"x": 1, "x": 1}, "b": 2}', 'line 1, column 16: "x"'),
        ('{"\\u0061": 1, "a": 2}', 'line 1, column 15: "a"'),
    ],
)
def test_a_key_that_is_given_twice_has_no_value(text: str, why: str) -> None:
    assert parsed(text) == NotJson(why, "gives a key twice")
    assert read_batch(text) == NotJson(why, "gives a key twice")
    line = read_batch('{"tool": "compile", "params": {}}\n' + text.replace("\n", " "))
    assert not isinstance(line, NotJson)
    assert "gives a key twice" in line.problems[0].message
