"""What is refused before anything runs."""

from __future__ import annotations

import pytest

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError, ToolErrorCode
from mcp_server.contract.script_tools import check_arguments, find_tool


def test_a_known_tool() -> None:
    assert find_tool("get_symbols") is CATALOG["get_symbols"]


@pytest.mark.parametrize("name", ["edit_snipet", "EditSnippet", "edit-snippet"])
def test_an_unknown_tool_gets_the_nearest_names(name: str) -> None:
    error = find_tool(name)
    assert isinstance(error, ToolError)
    assert error.code is ToolErrorCode.UNKNOWN_COMMAND
    assert error.details["nearest"][0] == "edit_snippet"
    assert "Did you mean edit_snippet" in error.message


@pytest.mark.parametrize("name", ["", "x" * 100_000, "\ud800"])
def test_names_that_are_like_no_tool(name: str) -> None:
    error = find_tool(name)
    assert isinstance(error, ToolError)
    assert error.details["nearest"] == []
    assert len(error.message) <= 200


def test_fitting_arguments() -> None:
    arguments = {"path": "Assets/A.cs"}
    fitting = check_arguments(CATALOG["get_symbols"], arguments)
    assert not isinstance(fitting, ToolError)
    assert dict(fitting) == arguments


def test_wrong_arguments_carry_the_engines_own_error_object() -> None:
    error = check_arguments(CATALOG["get_symbols"], {"Path": 1, "timeout_ms": 30_001})
    assert isinstance(error, ToolError)
    assert error.to_json() == {
        "error": {
            "code": "ERR_INVALID_PARAMS",
            "message": "Invalid parameters for tool `get_symbols`: $.Path is an unknown key; did "
            'you mean "path"? Known keys: path, filter, kind, include, client_request_id, '
            "timeout_ms; 2 more problems",
            "retryable": False,
            "details": {
                "code": "invalid_request",
                "message": '$.Path is an unknown key; did you mean "path"? '
                "Known keys: path, filter, kind, include, client_request_id, timeout_ms; "
                "2 more problems",
                "details": {
                    "problems": [
                        {
                            "path": "$.Path",
                            "message": 'is an unknown key; did you mean "path"? '
                            "Known keys: path, filter, kind, include, client_request_id, "
                            "timeout_ms",
                        },
                        {
                            "path": "$.timeout_ms",
                            "message": "must be at most 30000 (got 30001)",
                        },
                        {
                            "path": "$.filter",
                            "message": "is required: without path, all scripts are searched for it",
                        },
                    ]
                },
                "offers": [],
                "execution_guarantee": "not_executed",
            },
        }
    }
