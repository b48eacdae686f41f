"""An address names the project that it is for: servers of other projects refuse what comes there.

docs/design/server-and-bridge.md §12, over real HTTP with a real MCP client, in both dialects.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fake_editor import FakeEditor
from live_server import LiveServer
from mcp import Client, MCPError, types
from mcp_talk import Mode, text
from running_server import SCRIPT, SOURCE, edit

from mcp_server.calls.server.server_file import bound_url

pytestmark = pytest.mark.anyio
modes = pytest.mark.parametrize("mode", ["auto", "legacy"])


@pytest.fixture
def other(tmp_path: Path) -> Path:
    other = tmp_path / "other game"
    (other / "Assets").mkdir(parents=True)
    return other


async def called(url: str, how: Mode, tool: str, **arguments: Any) -> types.CallToolResult:
    async with Client(url, mode=how) as client:
        return await client.call_tool(tool, arguments)


@modes
async def test_a_call_for_another_project_is_refused_by_name(
    project: Path, other: Path, mode: Mode
) -> None:
    async with LiveServer(project=project) as live:
        url = bound_url(live.url, other)
        for tool, arguments in (
            ("edit_snippet", edit("apply")),
            ("control_play_mode", {"action": "start"}),
        ):
            refused = await called(url, mode, tool, **arguments)
            assert refused.is_error
            assert str(project) in text(refused)
            assert other.as_posix() in text(refused).replace("\\", "/")
            assert refused.structured_content is not None
            error = refused.structured_content["error"]
            assert error["code"] == "ERR_CONFIG_VALIDATION"
            assert error["details"]["execution_guarantee"] == "not_executed"
            assert error["details"]["server_project"] == str(project)
        assert (project / SCRIPT).read_bytes() == SOURCE


@modes
async def test_a_call_for_this_project_is_carried_out(
    project: Path, tmp_path: Path, mode: Mode
) -> None:
    link = tmp_path / "link to it"
    link.symlink_to(project)
    async with LiveServer(project=project) as live:
        assert bound_url(bound_url(live.url, link), project) == bound_url(live.url, link)
        for folder in (project, link, project / "Assets" / ".."):
            done = await called(bound_url(live.url, folder), mode, "get_symbols", path=SCRIPT)
            assert not done.is_error, text(done)


async def test_what_leads_nowhere_or_is_relative_is_another(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.parent)
    async with LiveServer(project=project) as live:
        for named in (
            project.name,
            "",
            str(project / "gone"),
            "/" + 4000 * "x",
            f"{project}&project=/elsewhere",
            "/a%00b",
        ):
            url = f"{live.url}?project={quote(named, safe='&=/%')}"
            refused = await called(url, "auto", "get_symbols", path=SCRIPT)
            assert refused.is_error, named


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")
async def test_a_folder_whose_name_is_no_utf_8(tmp_path: Path, project: Path) -> None:
    odd = tmp_path / os.fsdecode(b"g\xffme & more")
    project.rename(odd)
    async with LiveServer(project=odd) as live:
        done = await called(bound_url(live.url, odd), "auto", "get_symbols", path=SCRIPT)
        assert not done.is_error, text(done)
        refused = await called(bound_url(live.url, tmp_path), "auto", "get_symbols", path=SCRIPT)
        assert str(tmp_path) in text(refused)
    async with LiveServer(project=tmp_path) as live:
        assert (await called(bound_url(live.url, odd), "auto", "get_symbols")).is_error


async def test_tasks_of_another_project_are_refused_too(project: Path, other: Path) -> None:
    async with (
        LiveServer(project=project) as live,
        Client(bound_url(live.url, other)) as client,
    ):
        request: Any = types.Request(method="tasks/get", params={"taskId": "t"})
        with pytest.raises(MCPError, match="another project"):
            await client.session.send_request(request, types.EmptyResult)


async def test_a_server_without_a_project_is_its_editors(project: Path, other: Path) -> None:
    async with LiveServer() as live:
        editor = await FakeEditor(live.unity_url).connect(project_path=str(project))
        await live.logged("editor_state", connected=True)
        mine = await called(bound_url(live.url, project), "auto", "get_editor_state")
        assert not mine.is_error, text(mine)
        assert (await called(bound_url(live.url, other), "auto", "get_editor_state")).is_error
        await editor.close()
