"""What is refused before anything runs."""

from __future__ import annotations

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError, ToolErrorCode
from mcp_server.contract.script_tools import check_arguments, find_tool


def test_known_and_unknown_tools() -> None:
    assert find_tool("get_symbols") is CATALOG["get_symbols"]
    for name in ("edit_snipet", "EditSnippet", "edit-snippet"):
        error = find_tool(name)
        assert isinstance(error, ToolError)
        assert error.code is ToolErrorCode.UNKNOWN_COMMAND
        assert error.details["nearest"][0] == "edit_snippet"
        assert "Did you mean edit_snippet" in error.message
    for name in ("", "x" * 100_000, "\ud800"):
        error = find_tool(name)
        assert isinstance(error, ToolError)
        assert error.details["nearest"] == []
        assert len(error.message) <= 200


def test_wrong_arguments_carry_the_engines_own_error_object() -> None:
    tool, fitting = CATALOG["get_symbols"], {"path": "Assets/A.cs"}
    found = check_arguments(tool, fitting)
    assert not isinstance(found, ToolError)
    assert dict(found) == fitting
    error = check_arguments(tool, {"Path": 1, "timeout_ms": 30_001})
    assert isinstance(error, ToolError)
    known = (
        'is an unknown key; did you mean "path"? Known keys: path, filter, kind, include, '
        "client_request_id, timeout_ms"
    )
    engines = f"$.Path {known}; 2 more problems"
    required = "is required: without path, all scripts are searched for it"
    problems = [
        {"path": "$.Path", "message": known},
        {"path": "$.timeout_ms", "message": "must be at most 30000 (got 30001)"},
        {"path": "$.filter", "message": required},
    ]
    assert error.to_json()["error"] == {
        "code": "ERR_INVALID_PARAMS",
        "message": f"Invalid parameters for tool `get_symbols`: {engines}",
        "retryable": False,
        "details": {
            "code": "invalid_request",
            "message": engines,
            "details": {"problems": problems},
            "offers": [],
            "execution_guarantee": "not_executed",
        },
    }
