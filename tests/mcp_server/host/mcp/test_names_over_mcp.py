"""``find_references`` and ``rename_symbol`` over MCP, in their short and full forms."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import project_server
import pytest
from call_results import error, result
from live_server import LiveServer

pytestmark = pytest.mark.anyio

SCRIPT = "Assets/Scripts/Player.cs"
TEXT = "class Player\n{\n    void Fire() { Fire(); }\n}\n"
LSP = shlex.join([sys.executable, "-S", str(Path(project_server.__file__))])
SYMBOL = {"path": SCRIPT, "symbolPath": "Player.Fire"}


async def test_short_full_and_in_words(project: Path) -> None:
    (project / SCRIPT).write_text(TEXT)
    rename: dict[str, Any] = {**SYMBOL, "newName": "Shoot", "mode": "preview"}
    full = {"include": ["full"]}
    async with LiveServer(project=project, lsp=LSP) as live, live.client() as client:
        found = result(await client.call_tool("find_references", SYMBOL), "find_references")
        places = ["3 declaration: void Fire() { Fire(); }", "3 call: void Fire() { Fire(); }"]
        assert found["references"] == [{"path": SCRIPT, "places": places}]
        assert (found["symbol"], found["total"], found["complete"]) == ("Demo.Fire", 2, True)
        whole = await client.call_tool("find_references", {**SYMBOL, **full})
        assert [each["column"] for each in whole.structured_content["references"]] == [10, 19]
        preview = await client.call_tool("rename_symbol", rename)
        assert "+    void Shoot() { Shoot(); }" in preview.content[0].text
        shown = result(preview, "rename_symbol")
        (file,) = shown["files"]
        assert (file["path"], file["places"]) == (SCRIPT, 2)
        assert "+    void Shoot() { Shoot(); }" in file["diff"]
        assert "undo" not in shown
        whole = await client.call_tool("rename_symbol", {**rename, **full})
        assert whole.structured_content["files"][0]["hashBefore"].startswith("sha256:")
        wrong = error(await client.call_tool("find_references", {"path": SCRIPT}))
        assert wrong["code"] == "ERR_INVALID_PARAMS"
        assert (project / SCRIPT).read_text() == TEXT
        applied = await client.call_tool("rename_symbol", {**rename, "mode": "apply"})
    # The words of an apply leave the difference to the preview.
    head, of_file = applied.content[0].text.split("\n")
    change = applied.structured_content["undo"]["changeId"]
    assert head == f"applied Demo.Fire -> Shoot: 2 places in 1 file, changeId {change}"
    assert of_file == f"edited {SCRIPT} (2)"
    assert "diff" not in applied.structured_content["files"][0]
