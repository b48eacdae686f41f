"""The error table of the spec, row by row, and how the engine's errors enter it."""

from __future__ import annotations

import pytest

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import (
    ERROR_TABLE,
    ToolErrorCode,
    errors_document,
    from_engine,
    lost,
    tool_error,
    unexpected,
)
from snippet_engine import change_request as change_requests
from snippet_engine.errors import RETRYABLE_CODES, ErrorCode, SnippetError

NEVER, ALWAYS = False, True
ROWS = {
    "ERR_INVALID_REQUEST": (NEVER, "not_executed"),
    "ERR_INVALID_PARAMS": (NEVER, "not_executed"),
    "ERR_UNKNOWN_COMMAND": (NEVER, "not_executed"),
    "ERR_EDITOR_NOT_READY": (ALWAYS, "not_executed"),
    "ERR_UNITY_DISCONNECTED": (ALWAYS, "not_executed"),
    "ERR_COMPILE_TIMEOUT": (ALWAYS, "not_executed"),
    "ERR_QUEUE_FULL": (ALWAYS, "not_executed"),
    "ERR_RECONFIG_IN_PROGRESS": (ALWAYS, "not_executed"),
    "ERR_RECONNECT_TIMEOUT": ("read_only_calls", "unknown"),
    "ERR_REQUEST_TIMEOUT": ("read_only_calls", "unknown"),
    "ERR_INVALID_RESPONSE": ("read_only_calls", "unknown"),
    "ERR_UNITY_EXECUTION": ("execution_error_retryable", "completed_error"),
    "ERR_JOB_NOT_FOUND": (NEVER, "not_executed"),
    "ERR_CANCEL_NOT_SUPPORTED": (NEVER, "not_executed"),
    "ERR_CANCEL_REJECTED": (NEVER, "unknown"),
    "ERR_DUPLICATE_REQUEST": (NEVER, "not_executed"),
    "ERR_SNIPPET": ("engine_code", "not_executed"),
    "ERR_CONFIG_VALIDATION": (None, None),
}


def test_the_table_of_the_spec() -> None:
    rows = errors_document()["errors"]
    assert {row["code"]: (row["retryable"], row["execution_guarantee"]) for row in rows} == ROWS


def test_the_document_lists_the_engines_codes() -> None:
    listed = {row["code"]: row["retryable"] for row in errors_document()["engine_errors"]}
    assert listed == {code.value: code in RETRYABLE_CODES for code in ErrorCode}


@pytest.mark.parametrize("code", ToolErrorCode)
def test_an_error_promises_what_its_row_does(code: ToolErrorCode) -> None:
    retryable, guarantee = ROWS[code.value]
    for asked in (False, True):
        error = tool_error(code, "no", retryable=asked, details={"more": 1})
        expected = asked if isinstance(retryable, str) else bool(retryable)
        assert error.to_json() == {
            "error": {
                "code": code.value,
                "message": "no",
                "retryable": expected,
                "details": {"more": 1, "execution_guarantee": guarantee or "not_executed"},
            }
        }
        assert error.text == f"{code.value}: no"
    assert ERROR_TABLE[code].when


def test_messages_and_texts_are_bounded() -> None:
    error = tool_error(ToolErrorCode.SNIPPET, "m" * 900, text="a\nb" * 900)
    assert len(error.message) == 200
    assert len(error.text) == 2000


def test_a_text_keeps_its_lines_and_has_no_others() -> None:
    error = tool_error(ToolErrorCode.SNIPPET, "m\nn", text="a\u2028b\nc\rd")
    assert error.text.splitlines() == ["a b", "c d"]
    assert tool_error(ToolErrorCode.SNIPPET, "m\nn").text == "ERR_SNIPPET: m n"


@pytest.mark.parametrize(
    ("tool", "params", "retryable", "details"),
    [
        ("get_symbols", {}, True, {}),
        ("edit_snippet", {"mode": "preview"}, True, {}),
        (
            "edit_snippet",
            {"mode": "apply"},
            False,
            {"recovery_action": "inspect_state_then_retry"},
        ),
        ("undo_snippet", {}, False, {"recovery_action": "inspect_state_then_retry"}),
    ],
)
def test_a_lost_call_can_be_retried_only_if_it_changes_nothing(
    tool: str, params: dict[str, str], retryable: bool, details: dict[str, str]
) -> None:
    error = lost(ToolErrorCode.REQUEST_TIMEOUT, "late", CATALOG[tool], params)
    assert error.retryable is retryable
    assert error.details == {**details, "execution_guarantee": "unknown"}


@pytest.mark.parametrize("code", ErrorCode)
def test_engine_errors(code: ErrorCode) -> None:
    refused = SnippetError(code, "what, where, what next", instruction=2, details={"k": [1]})
    error = from_engine("edit_snippet", refused)
    expected = {
        ErrorCode.INVALID_REQUEST: ToolErrorCode.INVALID_PARAMS,
        ErrorCode.DUPLICATE_REQUEST: ToolErrorCode.DUPLICATE_REQUEST,
    }.get(code, ToolErrorCode.SNIPPET)
    assert error.code is expected
    assert error.retryable is (code in RETRYABLE_CODES)
    assert error.details == {**refused.to_json(), "execution_guarantee": "not_executed"}
    assert "what, where, what next" in error.text


def test_a_write_that_could_be_ended_neither_way_promises_nothing() -> None:
    failed = SnippetError(ErrorCode.WRITE_FAILED, "midway", details={"unfinished": True})
    assert from_engine("edit_scripts", failed).details["execution_guarantee"] == "unknown"


def test_invalid_params_text_has_every_problem() -> None:
    problems = [{"path": f"$.k{n}", "message": "is required"} for n in range(3)]
    refused = SnippetError(ErrorCode.INVALID_REQUEST, "$.k0 …", details={"problems": problems})
    assert from_engine("get_symbols", refused).text == (
        "Invalid parameters for tool `get_symbols`: "
        "$.k0 is required; $.k1 is required; $.k2 is required"
    )


def test_a_bug_shows_its_kind_and_nothing_else() -> None:
    error = unexpected(KeyError("/a/secret/path"), retryable=True)
    assert error.code is ToolErrorCode.UNITY_EXECUTION
    assert error.retryable
    assert "KeyError" in error.message
    assert "secret" not in str(error.to_json())


def test_invalid_params_text_has_the_offers() -> None:
    change = {"path": "Assets/A.cs", "moveTo": "Assets/B.cs"}
    request = {"mode": "preview", "changes": [change, change]}
    refused = change_requests.parse(request)
    assert isinstance(refused, SnippetError)
    lines = from_engine("edit_scripts", refused).text.splitlines()
    assert lines[0].startswith("Invalid parameters for tool `edit_scripts`: $.changes[1].path ")
    assert lines[1] == (
        'offer 1 (the changes of each file as one): {"mode": "preview", "changes": '
        '[{"path": "Assets/A.cs", "moveTo": "Assets/B.cs"}]}'
    )
