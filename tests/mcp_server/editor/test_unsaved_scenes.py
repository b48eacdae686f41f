"""A rename is not applied over what the Editor has open and not saved."""

from __future__ import annotations

import shlex
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import project_server
import pytest
from call_results import error, result
from live_server import LiveServer

pytestmark = pytest.mark.anyio

SCRIPT = "Assets/Scripts/Player.cs"
TEXT = "class Player { void Fire() { Fire(); } }\n"
LSP = shlex.join([sys.executable, "-S", str(Path(project_server.__file__))])
RENAME = {"path": SCRIPT, "symbolPath": "Player.Fire", "newName": "Shoot"}


@pytest.fixture
async def live(project: Path) -> AsyncIterator[LiveServer]:
    (project / SCRIPT).write_text(TEXT)
    async with LiveServer(project=project, lsp=LSP) as server:
        yield server


def rename(mode: str) -> dict[str, Any]:
    return {**RENAME, "mode": mode}


async def test_what_is_not_saved_there_is_refused_by_name(live: LiveServer, project: Path) -> None:
    # The double of a language server finds no assets, so an unsaved script stands for one.
    await live.editor(unsaved=[SCRIPT, "Assets/Main.unity"]).connect()
    async with live.client() as client:
        refused = error(await client.call_tool("rename_symbol", rename("apply")))
        assert refused["details"]["code"] == "rename_conflict"
        assert SCRIPT in refused["message"]
        assert (project / SCRIPT).read_text() == TEXT
        previewed = result(
            await client.call_tool("rename_symbol", rename("preview")), "rename_symbol"
        )
        assert previewed["status"] == "previewed"


async def test_what_else_is_open_is_no_obstacle(live: LiveServer, project: Path) -> None:
    await live.editor(unsaved=["Assets/Main.unity"]).connect()
    async with live.client() as client:
        done = result(await client.call_tool("rename_symbol", rename("apply")), "rename_symbol")
        assert done["status"] == "applied"
        assert done["undo"].keys() == {"changeId"}
        assert "Shoot" in (project / SCRIPT).read_text()
        undo = await client.call_tool("undo_snippet", done["undo"])
        assert result(undo, "undo_snippet")["status"] == "undone"
    assert (project / SCRIPT).read_text() == TEXT


async def test_an_editor_that_does_not_tell_holds_up_nothing(
    live: LiveServer, project: Path
) -> None:
    await live.editor().connect()
    async with live.client() as client:
        done = result(await client.call_tool("rename_symbol", rename("apply")), "rename_symbol")
    assert done["status"] == "applied"
    assert "Shoot" in (project / SCRIPT).read_text()
