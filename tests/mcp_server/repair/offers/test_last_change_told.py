"""The last change of a script, as an undo without a hash is told of it."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.outcome import ToolResult
from mcp_server.repair.call import read_call
from mcp_server.repair.offers.last_change import with_last_change
from mcp_server.repair.offers.refusal import Refusal


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
