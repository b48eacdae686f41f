"""Requests of every tool, and what becomes of them when they are read."""

from __future__ import annotations

import copy
from typing import Any

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.repair.call import read_call
from mcp_server.repair.offers.refusal import Refusal
from mcp_server.repair.sent_call import ReadCall

HASH = "sha256:" + "0123456789abcdef" * 4
EXAMPLES: dict[str, dict[str, Any]] = {
    "edit_snippet": {
        "path": "Assets/Scripts/Player.cs",
        "mode": "apply",
        "instructions": [
            {
                "operation": "insert",
                "anchor": {
                    "type": "symbol",
                    "symbolPath": "Player.Update",
                    "target": "speed > 10",
                    "before": "if (",
                    "after": ")",
                    "in": "comment",
                    "position": "before",
                },
                "newText": "!",
                "metadata": {"why": "tested"},
            }
        ],
        "expectedHash": HASH,
        "validation": "embedded",
        "include": ["workspaceEdit"],
        "client_request_id": "once",
        "timeout_ms": 9000,
    },
    "edit_scripts": {
        "mode": "apply",
        "changes": [
            {"path": "Assets/Scripts/Player.cs", "moveTo": "Assets/Core/Player.cs"},
            {"path": "Assets/Scripts/New.cs", "create": "class New { }"},
            {"path": "Assets/Scripts/Old.cs", "delete": True, "expectedHash": HASH},
        ],
        "validation": "embedded",
        "client_request_id": "once",
        "timeout_ms": 9000,
    },
    "undo_snippet": {"path": "Assets/A.cs", "hashAfter": HASH, "client_request_id": "once"},
    "get_symbols": {"path": "Assets/A.cs", "filter": "Player"},
    "validate_script": {"path": "Assets/A.cs"},
    "check_project": {"assemblies": ["Game"], "paths": ["Assets/A.cs"], "include_warnings": True},
    "get_editor_state": {"client_request_id": "once"},
    "read_console": {
        "max_entries": 20,
        "types": ["error"],
        "contains": "NullReference",
        "since": "1-2",
    },
    "run_tests": {"mode": "edit", "filter": "Player"},
    "get_job_status": {"job_id": "j1", "wait_ms": 100},
    "cancel_job": {"job_id": "j1"},
    "get_play_mode_state": {"timeout_ms": 100},
    "control_play_mode": {"action": "start"},
    "compile": {"stop_play_mode": True},
}
"""A request of each tool, with every key that it can have."""


def read(arguments: dict[str, Any], tool: str = "edit_snippet") -> ReadCall:
    found = read_call(CATALOG[tool], arguments, None)
    assert isinstance(found, ReadCall), found
    return found


def refused(arguments: dict[str, Any], tool: str = "edit_snippet") -> ToolError:
    found = read_call(CATALOG[tool], arguments, None)
    assert isinstance(found, Refusal), found
    return found.to_error()


def example(tool: str = "edit_snippet") -> dict[str, Any]:
    return copy.deepcopy(EXAMPLES[tool])


LEVELS = {
    "request": lambda request: request,
    "instruction": lambda request: request["instructions"][0],
    "anchor": lambda request: request["instructions"][0]["anchor"],
}
"""Where in an ``edit_snippet`` request its objects are."""
