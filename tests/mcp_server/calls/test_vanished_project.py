"""A project that is deleted or renamed under a server: every tool says that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from running_server import SCRIPT

from mcp_server.calls.local_tools import LocalTools
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.contract.script_tools import check_arguments

EDIT = {
    "operation": "replace",
    "anchor": {"type": "text", "target": "speed = 10"},
    "newText": "speed = 11",
}


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("get_symbols", {"path": SCRIPT}),
        ("validate_script", {"path": SCRIPT}),
        ("check_project", {}),
        ("get_history", {}),
        ("edit_snippet", {"path": SCRIPT, "mode": "preview", "instructions": [EDIT]}),
        ("edit_snippet", {"path": SCRIPT, "mode": "apply", "instructions": [EDIT]}),
        ("undo_snippet", {"path": SCRIPT, "hashAfter": f"sha256:{'0' * 64}"}),
    ],
)
def test_every_tool_says_that_the_folder_is_gone(
    project: Path, tool: str, params: dict[str, Any]
) -> None:
    tools, spec = LocalTools(project), CATALOG[tool]
    assert tools.open() is None
    moved = project.rename(project.with_name("renamed"))
    checked = check_arguments(spec, params)
    assert not isinstance(checked, ToolError)
    for call in (tools.call_in_time, tools.call):
        told = call(spec, checked)
        assert isinstance(told, ToolError)
        assert "The project's folder isn't there any more" in told.message
        assert "--project" in told.message
    assert moved.is_dir()
    assert not project.exists()
