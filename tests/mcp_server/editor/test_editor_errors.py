"""Every row of the error table that a request to the Editor can end in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.contract_files import TOOL_ERROR_SCHEMA
from mcp_server.contract.errors import ERROR_TABLE, ToolError
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.editor.errors import answer_error, ending_error, invalid_response
from mcp_server.editor.scheduler import Ending
from unity_bridge.editor_state import EditorState, EditorView
from unity_bridge.link import Failed, Malformed, NotSent, OutcomeUnknown, Rejected

READ, CHANGE = TOOLS = CATALOG["read_console"], CATALOG["control_play_mode"]

NOT_EXECUTED = {
    Ending.QUEUE_FULL: "ERR_QUEUE_FULL",
    Ending.NOT_READY: "ERR_EDITOR_NOT_READY",
    Ending.COMPILING: "ERR_COMPILE_TIMEOUT",
    Ending.BUSY: "ERR_REQUEST_TIMEOUT",
    Ending.CANCELLED: "ERR_EDITOR_NOT_READY",
    Ending.STOPPED: "ERR_EDITOR_NOT_READY",
}
UNKNOWN = {
    Ending.NO_ANSWER: "ERR_REQUEST_TIMEOUT",
    Ending.LOST: "ERR_RECONNECT_TIMEOUT",
    Ending.STOPPED_RUNNING: "ERR_RECONNECT_TIMEOUT",
}


def checked(error: ToolError) -> tuple[str, bool, str]:
    """Its code, whether to retry, its guarantee; held against contract and table."""
    jsonschema.validate(error.to_json(), dict(TOOL_ERROR_SCHEMA))
    assert len(error.message) <= 200
    assert "\n" not in error.text
    guarantee = error.details["execution_guarantee"]
    assert guarantee in (ERROR_TABLE[error.code].guarantee, "not_executed")
    return error.code.value, error.retryable, guarantee


def test_every_ending_has_a_row() -> None:
    assert {*NOT_EXECUTED, *UNKNOWN, Ending.ANSWERED} == set(Ending)


@pytest.mark.parametrize(("ending", "code"), NOT_EXECUTED.items())
@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
def test_what_was_never_sent(ending: Ending, code: str, spec: ToolSpec) -> None:
    error = ending_error(ending, spec, {"action": "stop"})
    assert checked(error) == (code, True, "not_executed")
    # A question is asked, not started.
    assert "started" not in error.message


def test_a_lock_on_reloads_is_named_with_who_can_end_it() -> None:
    held = EditorView(EditorState.COMPILING, connected=True, reload_locked=True)
    error = ending_error(Ending.COMPILING, CHANGE, {"action": "start"}, held)
    assert checked(error) == ("ERR_COMPILE_TIMEOUT", True, "not_executed")
    assert error.details["waiting_reason"] == "reload_locked"
    assert "LockReloadAssemblies is held. End the tool or drag" in error.message
    other = ending_error(Ending.COMPILING, CHANGE, {}, replace(held, reload_locked=False))
    assert "waiting_reason" not in other.details


@pytest.mark.parametrize(("ending", "code"), UNKNOWN.items())
def test_what_was_lost(ending: Ending, code: str) -> None:
    assert checked(ending_error(ending, READ, {})) == (code, True, "unknown")
    error = ending_error(ending, CHANGE, {"action": "stop"})
    assert checked(error) == (code, False, "unknown")
    assert error.details["recovery_action"] == "inspect_state_then_retry"
    # Most clients show a model nothing but the text.
    assert "check the Editor's state before you repeat it" in error.text
    assert error.text.startswith(f"{code}: {error.message}")
    assert "call it again" in ending_error(ending, READ, {}).text


def test_a_read_that_had_too_little_time_may_have_more() -> None:
    most = READ.max_timeout_ms
    for given, says in (
        ({}, True),
        ({"timeout_ms": most - 1}, True),
        ({"timeout_ms": most}, False),
    ):
        text = ending_error(Ending.NO_ANSWER, READ, given).text
        assert ("with a larger timeout_ms" in text) is says
    assert "timeout_ms" not in ending_error(Ending.LOST, READ, {}).text
    assert "timeout_ms" not in ending_error(Ending.NO_ANSWER, CHANGE, {"action": "stop"}).text


ANSWERS: list[tuple[Any, str, str | None]] = [
    (Malformed("a result message", "a pong"), "ERR_INVALID_RESPONSE", "unknown"),
    (OutcomeUnknown("the connection was closed"), "ERR_RECONNECT_TIMEOUT", "unknown"),
    (Failed("ERR_INVALID_STATE", "not in play mode"), "ERR_UNITY_EXECUTION", "completed_error"),
    # What the plugin rejected keeps its code, if that promises that nothing was executed.
    *(
        (Rejected(code, "no"), code, None)
        for code in (
            "ERR_INVALID_REQUEST",
            "ERR_INVALID_PARAMS",
            "ERR_UNKNOWN_COMMAND",
            "ERR_EDITOR_NOT_READY",
            "ERR_QUEUE_FULL",
            "ERR_RECONFIG_IN_PROGRESS",
            "ERR_JOB_NOT_FOUND",
            "ERR_CANCEL_NOT_SUPPORTED",
            "ERR_CANCEL_REJECTED",
        )
    ),
    *(
        (Rejected(code, "no"), "ERR_UNITY_EXECUTION", "not_executed")
        for code in ("ERR_INVALID_STATE", "ERR_SNIPPET", "ERR_REQUEST_TIMEOUT", "X")
    ),
    *(
        (NotSent(code, "because"), code, "not_executed")
        for code in ("ERR_UNITY_DISCONNECTED", "ERR_INVALID_REQUEST", "ERR_UNKNOWN_COMMAND")
    ),
]


@pytest.mark.parametrize(("answer", "code", "guarantee"), ANSWERS)
@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
def test_what_the_editor_or_its_link_reported(
    answer: Any, code: str, guarantee: str | None, spec: ToolSpec
) -> None:
    error = answer_error(answer, spec, {"action": "stop"})
    told, retryable, told_guarantee = checked(error)
    assert told == code
    assert guarantee in (told_guarantee, None)
    if code in ("ERR_UNITY_EXECUTION", "ERR_INVALID_RESPONSE", "ERR_RECONNECT_TIMEOUT"):
        assert retryable is (spec is READ)
    if code == "ERR_UNITY_EXECUTION":
        assert error.details["plugin_error_code"] == answer.code
        assert error.details["plugin_message"] == answer.message
        assert answer.code in error.text
        assert answer.message in error.text
    if isinstance(answer, Malformed):
        assert error.details["expected"] == answer.expected
        assert error.details["actual"] == answer.actual
    if guarantee == "unknown" and spec is CHANGE:
        assert error.details["recovery_action"] == "inspect_state_then_retry"


def test_a_call_whose_time_ended_in_line_says_so() -> None:
    error = ending_error(Ending.BUSY, READ, {})
    assert "it waited for other requests" in error.message
    assert "not ready" not in error.message


def test_what_the_editor_answered_wrongly_is_shown_in_part() -> None:
    error = invalid_response("a code and a message", "x" * 200_000, CHANGE, {"action": "stop"})
    assert len(error.message) < 1_000
    assert len(error.details["actual"]) == 500
    assert error.details["actual"].endswith("…")


@pytest.mark.parametrize("tool", sorted(CATALOG))
def test_without_an_editor_what_needs_none_is_named(tool: str) -> None:
    error = ending_error(Ending.NOT_READY, CATALOG[tool], {"action": "stop"})
    assert "check_project" in error.message
    assert len(error.message) <= 200
    assert not error.message.endswith("…")
