"""A real server sees what other programs do to the scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_talk import talk
from running_server import SCRIPT, SOURCE, RunningServer, edit, make_project
from this_system import KILL

pytestmark = pytest.mark.anyio

BROKEN = SOURCE.replace(b"speed = 0;", b"speed = ;")


def project(tmp_path: Path) -> Path:
    root = make_project(tmp_path / "Game")
    (root / "Library").mkdir()
    return root


def test_a_change_is_in_the_history_and_told_once_and_undone(tmp_path: Path) -> None:
    root = project(tmp_path)
    with RunningServer("--lsp", "off", cwd=root) as server:
        server.wait_for_log("scripts_known")

        async def scenario(client: Client) -> None:
            async def ask(tool: str, **arguments: Any) -> dict[str, Any]:
                found = await client.call_tool(tool, arguments)
                assert found.structured_content is not None
                return found.structured_content

            await ask("get_history")
            (root / SCRIPT).write_bytes(BROKEN)
            server.wait_for_log("outside_change")
            news = []
            while not news:
                news = (await ask("get_symbols", path=SCRIPT)).get("news", [])
            assert news[0]["since"] == f"change of {SCRIPT} outside unity-snippet"
            assert "news" not in await ask("get_symbols", path=SCRIPT)
            listed = (await ask("get_history"))["changes"][0]
            assert listed["source"] == "outside"
            assert listed["undo"] == news[0]["undo"]
            undone = await ask("undo_snippet", **news[0]["undo"])
            assert undone["status"] == "undone"
            assert (root / SCRIPT).read_bytes() == SOURCE
            await ask("edit_snippet", **edit("apply"))
            changes = (await ask("get_history"))["changes"]
            assert len(changes) == 1, "own writes are no outside changes"
            assert "source" not in changes[0]

        talk(server.url, "auto", scenario)


async def test_a_killed_server_loses_nothing(tmp_path: Path) -> None:
    root = project(tmp_path)
    with RunningServer("--lsp", "off", cwd=root) as server:
        server.wait_for_log("scripts_known")
        (root / SCRIPT).write_bytes(BROKEN)
        server.stop(KILL)
    (root / "Assets/Scripts/Made.cs").write_bytes(b"class Made { }\n")
    with RunningServer("--lsp", "off", cwd=root) as server:
        server.wait_for_log("scripts_known")
        server.wait_for_log("outside_change", 2)

        async with Client(server.url, mode="auto") as client:
            found = await client.call_tool("get_history", {})
            assert found.structured_content is not None
            files = [each["files"][0] for each in found.structured_content["changes"]]
            assert sorted((each["path"], each["status"]) for each in files) == [
                ("Assets/Scripts/Made.cs", "created"),
                (SCRIPT, "edited"),
            ]
            for each in found.structured_content["changes"]:
                await client.call_tool("undo_snippet", each["undo"])
            assert (root / SCRIPT).read_bytes() == SOURCE
            assert not (root / "Assets/Scripts/Made.cs").exists()
